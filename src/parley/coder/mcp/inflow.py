"""What a server that is a program writes: which lines are worth reading, and when it is too much.

Pure. A server may print anything, so everything here has a bound: the length of a line, how much
comes that nobody wants, and how many questions are open. What is thrown away here costs little;
what is handed on has a method or an id that somebody waits for.
"""

import msgspec
from msgspec import UNSET, Struct, UnsetType

LONGEST_LINE = 4 * 1024 * 1024
MOST_HELD = 16 * 1024 * 1024
"""Bytes of lines that have begun, of all servers of this process together."""
ALWAYS_HELD = 256 * 1024
"""A line that is no longer than this is held whatever the others do."""
MOST_STRANGE = 1000
"""Lines in a row that mean nothing; some programs print a greeting."""
MOST_UNWANTED = 64 * 1024 * 1024
"""Bytes of messages that nobody wants, between two that somebody does."""
MOST_QUESTIONS = 32
"""Requests of the server that wait for an answer."""

_WANTED = ("notifications/tools/list_changed",)

Id = int | str


class Misbehaved(Exception):
    """A server does what no server should; the text says what, for a person."""


class _Envelope(Struct):
    id: Id | float | UnsetType | None = UNSET
    method: str | UnsetType = UNSET


class Room:
    """How much is held of lines that have begun."""

    def __init__(self, most: int = MOST_HELD) -> None:
        self.most = most
        self.held = 0


ROOM = Room()
"""One for the whole process, since its memory is one."""


class Inflow:
    def __init__(self, longest_line: int = LONGEST_LINE, room: Room = ROOM) -> None:
        self._longest = longest_line
        self._room = room
        self._line = bytearray()
        self._strange = 0
        self._unwanted = 0
        self._asked: set[str] = set()
        # By their text, since some servers answer `1` with `"1"`.
        self._questions: set[Id] = set()

    def asked(self, id: Id) -> None:
        """The server was asked something, and may answer."""
        self._asked.add(str(id))

    def answered(self, id: Id) -> None:
        """A question of the server was answered."""
        self._questions.discard(id)

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that are complete now and worth reading.

        Raises:
            Misbehaved: nothing more should be read from this server.
        """
        *complete, rest = data.split(b"\n")
        wanted: list[bytes] = []
        for end in complete:
            self._grow(end)
            line = bytes(self._line)
            self.close()
            if self._is_wanted(line):
                wanted.append(line)
        self._grow(rest)
        return wanted

    def close(self) -> None:
        """Hold nothing of a line that has begun."""
        self._room.held -= len(self._line)
        self._line = bytearray()

    def _grow(self, piece: bytes) -> None:
        length, held = len(self._line) + len(piece), self._room.held + len(piece)
        if length > self._longest:
            raise Misbehaved(f"it sent a line of more than {self._longest:,} bytes")
        if length > ALWAYS_HELD and held > self._room.most:
            raise Misbehaved("too many servers send long lines at the same time")
        self._line += piece
        self._room.held = held

    def _is_wanted(self, line: bytes) -> bool:
        if not line.strip():
            return False
        try:
            envelope = msgspec.json.decode(line, type=_Envelope)
        except (ValueError, RecursionError):
            return self._is_strange()
        id, method = envelope.id, envelope.method
        if isinstance(method, str):
            if isinstance(id, int | str):
                self._question(id)
                return True
            if method not in _WANTED:
                return self._is_unwanted(len(line))
        elif not isinstance(id, int | str) or str(id) not in self._asked:
            return self._is_strange()
        else:
            self._asked.discard(str(id))
        self._strange = self._unwanted = 0
        return True

    def _question(self, id: Id) -> None:
        self._questions.add(id)
        if len(self._questions) > MOST_QUESTIONS:
            raise Misbehaved(f"it asked {MOST_QUESTIONS} things without waiting for answers")

    def _is_strange(self) -> bool:
        self._strange += 1
        if self._strange > MOST_STRANGE:
            raise Misbehaved("what it writes to stdout is not the protocol")
        return False

    def _is_unwanted(self, size: int) -> bool:
        self._unwanted += size
        if self._unwanted > MOST_UNWANTED:
            raise Misbehaved("it floods its stdout")
        return False
