"""What a child process writes to its stderr: always read, so that it never blocks the child.

The last part is kept for error messages; whole lines can be passed on as they come (STD-08).
"""

import asyncio
from collections.abc import Callable

from parley.process.descriptor import Descriptor
from parley.rpc.transport import Incoming, Oversize
from parley.transport.lines import LineSplitter

KEPT_BYTES = 64 * 1024
KEPT_LINES = 100
_READ_SIZE = 64 * 1024
# More than a pipe holds; whoever still writes after the end of the child is not listened to.
_LAST_READS = 20


class Complaints:
    """Reads the stderr of a child and remembers its last lines."""

    def __init__(self, source: Descriptor, on_line: Callable[[str], None] | None) -> None:
        self._loop = asyncio.get_running_loop()
        self._source = source
        self._on_line = on_line
        self._lines = LineSplitter(KEPT_BYTES)
        self._kept = bytearray()
        self._open = True
        self._loop.add_reader(source.fd, self._read)

    @property
    def tail(self) -> str:
        """The last lines, at most a hundred of them."""
        text = self._kept[-KEPT_BYTES:].decode(errors="replace")
        return "\n".join(text.splitlines()[-KEPT_LINES:])

    def finish(self) -> None:
        """Take what is there, without waiting for more, and stop."""
        for _ in range(_LAST_READS):
            if not self._open or not self._read():
                break
        self._close()

    def _read(self) -> bool:
        """Read once; whether there was something."""
        try:
            chunk = self._source.read(_READ_SIZE)
        except BlockingIOError:
            return False
        if not chunk:
            self._close()
            return False
        self._kept += chunk
        # Cut only now and then, so that many small writes do not each move the whole rest.
        if len(self._kept) > 2 * KEPT_BYTES:
            del self._kept[:-KEPT_BYTES]
        if self._on_line is not None:
            self._report(self._lines.feed(chunk))
        return True

    def _close(self) -> None:
        if self._open:
            self._open = False
            self._loop.remove_reader(self._source.fd)
            self._source.close()
            self._report(self._lines.end())

    def _report(self, lines: list[Incoming]) -> None:
        if self._on_line is None:
            return
        for line in lines:
            text = line.head + b" ..." if isinstance(line, Oversize) else line
            # In a tick of its own, so that what it raises stops nobody but itself.
            self._loop.call_soon(self._on_line, text.decode(errors="replace"))
