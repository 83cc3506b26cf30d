"""Server-sent events: bytes in, events out, the same for any splitting of the bytes.

Pure: it reads nothing and knows nothing of models or JSON.
"""

from collections.abc import Iterator

from msgspec import Struct

EVENT_LIMIT = 8 * 1024 * 1024
"""Bytes in one event, unless the caller chooses another limit."""


class ServerEvent(Struct, frozen=True):
    event: str
    """The name of the event; `message` when the server gave none."""
    data: str


class EventTooLarge(ValueError):
    """An event exceeds the limit; nothing sensible can follow it in the same stream."""


class EventParser:
    """Turns chunks of a byte stream into events.

    Lines end with LF, CR or CRLF. Comments, `id` and `retry` mean nothing to us. An event without
    data is no event.
    """

    def __init__(self, limit: int = EVENT_LIMIT) -> None:
        self._limit = limit
        self._held = bytearray()
        self._name = ""
        self._data: list[bytes] = []
        self._size = 0
        self._after_return = False
        self._started = False

    def feed(self, chunk: bytes) -> Iterator[ServerEvent]:
        """Take the next bytes and yield the events that they complete.

        Raises:
            EventTooLarge: after the events before the large one were yielded.
        """
        if not chunk:
            return
        # A CR ends its line at once: waiting for the LF would hold back an event that is complete.
        skipped = self._after_return and chunk.startswith(b"\n")
        self._after_return = chunk.endswith(b"\r")
        if skipped:
            chunk = chunk[1:]
        if b"\r" in chunk:
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        lines = chunk.split(b"\n")
        rest = lines.pop()
        for line in lines:
            if self._held:
                line = bytes(self._held) + line
                self._held.clear()
            yield from self._line(line)
        self._held += rest
        if self._size + len(self._held) > self._limit:
            raise self._too_large()

    def end(self) -> Iterator[ServerEvent]:
        """Yield the event that lacks only the blank line behind it.

        A line that was cut off is thrown away: half a JSON text helps nobody.
        """
        self._held.clear()
        yield from self._line(b"")

    def _line(self, line: bytes) -> Iterator[ServerEvent]:
        if not self._started:
            self._started = True
            line = line.removeprefix(b"\xef\xbb\xbf")
        if not line:
            yield from self._finished()
            return
        if self._size + len(line) > self._limit:
            raise self._too_large()
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data.append(value)
            self._size += len(line)
        elif field == b"event":
            self._name = value.decode(errors="replace")

    def _finished(self) -> Iterator[ServerEvent]:
        data, name = self._data, self._name
        self._data, self._name, self._size = [], "", 0
        if data:
            yield ServerEvent(name or "message", b"\n".join(data).decode(errors="replace"))

    def _too_large(self) -> EventTooLarge:
        return EventTooLarge(f"an event of the stream is larger than {self._limit} bytes")
