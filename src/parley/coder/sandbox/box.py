"""What a mechanism of the system makes of a command: how it starts inside the limits.

The part of the work that happens between fork and exec is a handful of C calls that were looked up
and filled in before, as for the death with the parent: no lock, no import, no allocation that
matters. It takes no measurable time, where another program in between would cost 10 ms.
"""

import ctypes
import os
import stat
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

from msgspec import Struct

from parley.coder.sandbox import landlock
from parley.coder.sandbox.policy import Limits

Setup = Callable[[], None]


class Launch(Struct, frozen=True):
    """How to start one command."""

    command: tuple[str, ...]
    setup: Setup | None = None
    """Runs in the child, last before it becomes the program; it raises if it cannot confine."""
    keep: tuple[int, ...] = ()
    """Descriptors that the program inherits."""


class Box(Protocol):
    """A way to start commands inside limits."""

    def launch(self, command: tuple[str, ...], cwd: str) -> AbstractContextManager[Launch]:
        """How to start a command; what it needs is freed at the end of the block.

        Raises:
            OSError: it cannot be confined.
        """
        ...


class LandlockBox:
    """Landlock, and the filter of system calls where there is one for this machine."""

    def __init__(self, limits: Limits, version: int, program: bytes | None) -> None:
        self._limits = limits
        self._version = version
        self._program = program

    @contextmanager
    def launch(self, command: tuple[str, ...], cwd: str) -> Generator[Launch]:
        fd = landlock.ruleset(self._limits, self._version)
        try:
            yield Launch(command, _restrict(fd, self._program))
        finally:
            os.close(fd)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


_SET_SECCOMP, _DROP_CAPABILITY, _NO_NEW_PRIVILEGES = 22, 24, 38
_FILTER_MODE = 2
_STEP_BYTES = 8
# What root keeps: to own and change files of others, and to become somebody else.
_KEPT = frozenset((0, 1, 3, 4, 5, 6, 7, 10))
_CAPABILITIES = 64


def _restrict(ruleset: int, program: bytes | None) -> Setup:
    """The calls that confine the process that makes them, for good."""
    libc = ctypes.CDLL(None, use_errno=True)
    zero, one = ctypes.c_ulong(0), ctypes.c_ulong(1)
    dropped = [number for number in range(_CAPABILITIES) if number not in _KEPT]
    calls: list[tuple[Any, tuple[Any, ...]]] = [
        (libc.prctl, (_NO_NEW_PRIVILEGES, one, zero, zero, zero)),
        (libc.syscall, (ctypes.c_long(landlock.RESTRICT_SELF), ruleset, 0)),
    ]
    if program is not None:
        given = _Program(len(program) // _STEP_BYTES, program)
        mode = ctypes.c_ulong(_FILTER_MODE)
        calls.append((libc.prctl, (_SET_SECCOMP, mode, ctypes.byref(given), zero, zero)))

    def setup() -> None:
        if os.geteuid() == 0:
            # Who is not root has none of them, and the kernel says so; the rest of the work tells.
            for number in dropped:
                libc.prctl(_DROP_CAPABILITY, ctypes.c_ulong(number), zero, zero, zero)
        for call, arguments in calls:
            if call(*arguments) != 0:
                raise OSError(ctypes.get_errno(), "the command cannot be confined")

    return setup


def kind_of(path: str) -> str | None:
    """What lies at a path; a link is left alone, since it would be followed to its target."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return None
    if stat.S_ISDIR(mode):
        return "folder"
    return "file" if stat.S_ISREG(mode) else None
