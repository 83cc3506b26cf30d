"""A stderr that never makes anybody wait.

Clients exist that give an agent a pipe for stderr and never read it. When that pipe is full, one
line of a log would stop the whole agent. So what does not fit is dropped, and counted in the next
line that does.
"""

import fcntl
import io
import logging
import os
import sys
from collections.abc import Callable
from typing import Any, TextIO, cast

from parley.process.descriptor import borrowed

_FIRST_PRIVATE = 50


class LossyStream(io.RawIOBase):
    """Bytes for somebody who may not read them. What cannot be written at once is dropped."""

    name = "<stderr>"

    def __init__(self, write: Callable[[bytes], int]) -> None:
        self._write = write
        self._dropped = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        whole = bytes(data)
        text = whole
        if self._dropped:
            text = b"[%d bytes were not read and are lost]\n" % self._dropped + whole
        try:
            written = self._write(text)
        except OSError:
            written = 0
        if written < len(text):
            self._dropped += len(whole) if written == 0 else len(text) - written
        else:
            self._dropped = 0
        return len(whole)


def never_wait_for_stderr(fd: int = 2) -> None:
    """Point `sys.stderr`, and what writes to it, at a stream that never waits.

    The descriptor itself stays as it is, for C libraries and child processes.
    """
    before: TextIO | None = sys.stderr
    try:
        sink = borrowed(fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _FIRST_PRIVATE), os.O_WRONLY)
    except OSError:
        return  # There is no stderr at all.
    stream = io.TextIOWrapper(
        LossyStream(sink.write),
        encoding="utf-8",
        errors="backslashreplace",
        line_buffering=True,
        write_through=True,
    )
    if sys.stdout is before:
        sys.stdout = stream
    sys.stderr = stream
    for handler in logging.root.handlers:
        if isinstance(handler, logging.StreamHandler):
            known = cast("logging.StreamHandler[TextIO]", handler)
            if known.stream is before:
                known.setStream(stream)
