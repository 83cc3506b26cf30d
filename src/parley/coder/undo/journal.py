"""What turns did to files and what was taken back, written down for one session.

One line of JSON for each. A line that a crash has cut off is as if it had not been written.
"""

from pathlib import Path

import msgspec
from msgspec import Struct

from parley.coder.undo.contents import private
from parley.coder.undo.state import Change, File, merged


class Made(Struct, frozen=True, omit_defaults=True, tag="made"):
    """A call of a turn changed files."""

    turn: str
    changes: tuple[Change, ...] = ()
    unseen: str = ""
    """Why changes may be missing here; empty if none are."""


class Undone(Struct, frozen=True, omit_defaults=True, tag="undone"):
    """Turns were taken back, or done again."""

    turns: tuple[str, ...]
    changes: tuple[Change, ...]
    again: bool = False


class Turn(Struct, frozen=True):
    """What a turn did, all of it."""

    id: str
    changes: tuple[Change, ...]
    unseen: str = ""


Line = Made | Undone

_DECODER = msgspec.json.Decoder[Line](Line)


class Journal:
    def __init__(self, folder: Path) -> None:
        self._path = folder / "journal"
        self._lines: list[Line] = []
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            data = b""
        for line in data.splitlines():
            try:
                self._lines.append(_DECODER.decode(line))
            except (msgspec.DecodeError, ValueError):
                continue

    def append(self, line: Line) -> None:
        # It begins with a line break, in case the line before was cut off.
        data = b"\n" + msgspec.json.encode(line)
        with open(self._path, "ab", opener=private) as file:
            file.write(data)
        self._lines.append(line)

    @property
    def last(self) -> Undone | None:
        """What was taken back, if nothing was done since."""
        last = self._lines[-1] if self._lines else None
        return last if isinstance(last, Undone) and not last.again else None

    def is_unseen(self, turn: str) -> bool:
        """Whether it is known that changes of a turn may be missing."""
        return any(
            isinstance(line, Made) and line.turn == turn and line.unseen for line in self._lines
        )

    def turns(self) -> list[Turn]:
        """The turns that changed files and are not taken back, in their order."""
        made: dict[str, list[Made]] = {}
        undone: set[str] = set()
        for line in self._lines:
            match line:
                case Made(turn=turn):
                    made.setdefault(turn, []).append(line)
                case Undone(turns=turns, again=True):
                    undone.difference_update(turns)
                case Undone(turns=turns):
                    undone.update(turns)
        found = (_turn(id, lines) for id, lines in made.items() if id not in undone)
        return [turn for turn in found if turn.changes or turn.unseen]

    def hashes(self) -> set[str]:
        """The contents that something here needs."""
        return {
            state.hash
            for line in self._lines
            for change in line.changes
            for state in (change.before, change.after)
            if isinstance(state, File)
        }


def _turn(id: str, lines: list[Made]) -> Turn:
    changes = merged(change for line in lines for change in line.changes)
    unseen = next((line.unseen for line in lines if line.unseen), "")
    return Turn(id, changes, unseen)
