"""Newline framing with a size limit: bytes in, frames out, in linear time for any splitting.

Pure: it reads nothing and knows nothing of JSON. Stdio and child processes use it.
"""

from parley.rpc.transport import Incoming, Oversize, Unfinished

DEFAULT_LIMIT = 64 * 1024 * 1024
"""Bytes in one frame, unless the caller chooses another limit."""
HEAD_SIZE = 4096
"""Bytes kept of a frame that is thrown away: enough to find the id of a request."""


class LineSplitter:
    """Turns chunks of a byte stream into frames.

    Blank lines are ignored and `\\r\\n` ends a line like `\\n` does (STD-09). A line over the limit
    is thrown away while it arrives, so an endless line costs the limit once and then nothing.
    """

    def __init__(self, limit: int = DEFAULT_LIMIT) -> None:
        if limit < 1:
            raise ValueError(f"the limit of a line must be positive, not {limit}")
        self._limit = limit
        # A bytearray, not a list of chunks: many tiny chunks would cost more than their bytes.
        self._held = bytearray()
        self._dropped: _Dropped | None = None

    def feed(self, chunk: bytes) -> list[Incoming]:
        """Take the next bytes and return the frames that they complete."""
        lines = chunk.split(b"\n")
        rest = lines.pop()
        done: list[Incoming] = []
        if lines:
            if self._held or self._dropped:
                self._hold(lines[0])
                done = self._finish()
                del lines[0]
            if b"\r" in chunk or len(chunk) > self._limit:
                for line in lines:
                    done += self._judged(line)
            elif done:
                done += [line for line in lines if line and not _blank(line)]
            else:
                done = [line for line in lines if line and not _blank(line)]
        if rest:
            self._hold(rest)
        return done

    def end(self) -> list[Incoming]:
        """Return the last line if the stream ended without a terminator behind it (STD-09)."""
        last = self._finish() if self._held or self._dropped else []
        return [Unfinished(each) if isinstance(each, bytes) else each for each in last]

    def _hold(self, part: bytes) -> None:
        if self._dropped is not None:
            self._dropped.add(part)
            return
        self._held += part
        # One byte more than the limit may still turn out to be the `\r` of the terminator.
        if len(self._held) > self._limit + 1:
            self._dropped = _Dropped(self._held)
            self._held = bytearray()

    def _finish(self) -> list[Incoming]:
        if self._dropped is not None:
            dropped, self._dropped = self._dropped, None
            size = dropped.size_without_return
            return [Oversize(size, dropped.head[:size], self._limit)]
        line, self._held = bytes(self._held), bytearray()
        return self._judged(line)

    def _judged(self, line: bytes) -> list[Incoming]:
        if line.endswith(b"\r"):
            line = line[:-1]
        if len(line) > self._limit:
            return [Oversize(len(line), line[:HEAD_SIZE], self._limit)]
        return [line] if line and not _blank(line) else []


class _Dropped:
    """What is remembered of a line whose bytes are thrown away."""

    __slots__ = ("_ends_with_return", "_size", "head")

    def __init__(self, start: bytearray) -> None:
        self.head = bytes(start[:HEAD_SIZE])
        self._size = len(start)
        self._ends_with_return = start.endswith(b"\r")

    def add(self, part: bytes) -> None:
        if part:
            # A limit smaller than the head leaves the head to be completed by what follows.
            if len(self.head) < HEAD_SIZE:
                self.head += part[: HEAD_SIZE - len(self.head)]
            self._size += len(part)
            self._ends_with_return = part.endswith(b"\r")

    @property
    def size_without_return(self) -> int:
        return self._size - self._ends_with_return


def _blank(line: bytes) -> bool:
    """Whether the line holds nothing but what JSON calls white space."""
    # `isspace` decides at the first byte of any real message, and `strip` copies nothing then.
    return line.isspace() and not line.strip(b" \t\r")
