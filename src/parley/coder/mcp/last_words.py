"""The end of what a program writes to stderr, which often says why it died."""

import asyncio

from parley.coder.tools.title import one_line
from parley.coder.workspace.output import clean
from parley.process.descriptor import Descriptor

KEPT = 2000
"""Bytes; the rest is forgotten."""
_READ_SIZE = 64 * 1024
# Between two reads, so that a program that complains without end leaves time for the others.
_REST = 0.01
_SHOWN = 300


class LastWords:
    """Reads a descriptor to its end and keeps little of it. `close` is needed."""

    def __init__(self, stderr: Descriptor) -> None:
        self._stderr = stderr
        self._kept = b""
        self._open = True
        self._loop = asyncio.get_running_loop()
        self._rest: asyncio.TimerHandle | None = None
        self._loop.add_reader(stderr.fd, self._read_in_turn)

    @property
    def text(self) -> str:
        """The last line, as the end of a sentence; empty if nothing was said."""
        lines = clean(self._kept.decode("utf-8", "replace")).strip().splitlines()
        return f": {one_line(lines[-1].strip(), _SHOWN)}" if lines else ""

    def read(self) -> None:
        """Take what is there now."""
        if not self._open:
            return
        try:
            data = self._stderr.read(_READ_SIZE)
        except BlockingIOError:
            return
        if data:
            self._kept = (self._kept + data)[-KEPT:]
        else:
            self.close()

    def close(self) -> None:
        if self._open:
            self._open = False
            self._loop.remove_reader(self._stderr.fd)
            self._stderr.close()
        if self._rest is not None:
            self._rest.cancel()
            self._rest = None

    def _read_in_turn(self) -> None:
        self._loop.remove_reader(self._stderr.fd)
        self.read()
        if self._open:
            self._rest = self._loop.call_later(_REST, self._listen)

    def _listen(self) -> None:
        self._rest = None
        self._loop.add_reader(self._stderr.fd, self._read_in_turn)
