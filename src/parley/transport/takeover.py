"""Takes the real stdin and stdout for the protocol, and gives everybody else a harmless pair.

Nothing but messages may appear on stdout (STD-05). So descriptor 1 is pointed at stderr: `print`,
C libraries and child processes that inherit it then write there. Descriptor 0 is pointed at
`/dev/null`, so that nobody reads a message that was meant for us.
"""

import fcntl
import os
import sys
from contextlib import suppress
from typing import TextIO

from parley.process.descriptor import Descriptor, borrowed

_FIRST_PRIVATE = 50


class StdioTakeover:
    """The real stdin and stdout as private descriptors, until `restore`.

    Either of them may be a pipe, socket, terminal, file or device, or not be open at all. What is
    not open reads as empty and swallows what is written. The numbers can be chosen for tests.
    """

    def __init__(self, *, stdin: int = 0, stdout: int = 1, stderr: int = 2) -> None:
        self._stdin = stdin
        self._stdout = stdout
        null = _moved_up(os.open(os.devnull, os.O_RDWR))
        # A standard stream that was closed at the start may have lent its number to another file.
        foreign_in = stdin == 0 and sys.__stdin__ is None
        foreign_out = stdout == 1 and sys.__stdout__ is None
        self._saved_in = None if foreign_in else _private_copy(stdin)
        self._saved_out = None if foreign_out else _private_copy(stdout)
        self.source = _private_way(self._saved_in, null, os.O_RDONLY)
        self.sink = _private_way(self._saved_out, null, os.O_WRONLY)
        if not (foreign_in and _is_open(stdin)):
            os.dup2(null, stdin)
        if not (foreign_out and _is_open(stdout)):
            os.dup2(stderr if _is_open(stderr) else null, stdout)
        os.close(null)
        self._replaced: TextIO | None = sys.stdout
        _flush(self._replaced)
        if sys.stderr is not None:  # pyright: ignore[reportUnnecessaryComparison]  # It is None when descriptor 2 was closed at the start.
            sys.stdout = sys.stderr

    def restore(self) -> None:
        """Put the real stdin and stdout back where they were. Idempotent.

        What somebody wrote into the old `sys.stdout` meanwhile still goes to stderr.
        """
        _flush(self._replaced)
        if sys.stdout is sys.stderr and self._replaced is not None:
            sys.stdout = self._replaced
        self._replaced = None
        for saved, number in ((self._saved_in, self._stdin), (self._saved_out, self._stdout)):
            if saved is not None:
                os.dup2(saved, number)
        self.forget()

    def forget(self) -> None:
        """Give up the way back: stdout then never again reaches the peer by accident."""
        for saved in (self._saved_in, self._saved_out):
            if saved is not None:
                os.close(saved)
        self._saved_in = self._saved_out = None


def _is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


def _private_copy(fd: int) -> int | None:
    """A copy that child processes do not inherit, or `None` if there is nothing to copy."""
    try:
        return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _FIRST_PRIVATE)
    except OSError:
        return None


def _private_way(saved: int | None, null: int, access: int) -> Descriptor:
    copy = _private_copy(null if saved is None else saved)
    assert copy is not None
    return borrowed(copy, access)


def _moved_up(fd: int) -> int:
    """The same file under a number that no standard stream has."""
    moved = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _FIRST_PRIVATE)
    os.close(fd)
    return moved


def _flush(stream: TextIO | None) -> None:
    # It may be closed, or its descriptor may refuse: neither is a reason not to start or end.
    if stream is not None:
        with suppress(OSError, ValueError):
            stream.flush()
