"""Bubblewrap: a view of the file system made for one command, and process ids of its own.

The only mechanism here that keeps protected paths from being written inside the workspace, as far
as they exist: what does not exist cannot be mounted over. Everything that a command started ends
with it, also what left its process group.
"""

import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager

from parley.coder.sandbox.box import Launch, kind_of
from parley.coder.sandbox.policy import Limits, around, is_below

_SEARCH = ("/usr/bin", "/usr/local/bin", "/bin", "/run/current-system/sw/bin")
_KEPT = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID")


def find(roots: tuple[str, ...], search: tuple[str, ...] = _SEARCH) -> str | None:
    """The program, if it is installed outside of the workspace."""
    places = (os.path.realpath(os.path.join(folder, "bwrap")) for folder in search)
    found = (place for place in places if os.access(place, os.X_OK))
    return next((each for each in found if not any(is_below(each, root) for root in roots)), None)


class BubblewrapBox:
    """The program with arguments for the limits, and the filter of system calls inside of it."""

    def __init__(self, limits: Limits, bwrap: str, program: bytes) -> None:
        self._limits = limits
        self._bwrap = bwrap
        self._program = program

    @contextmanager
    def launch(self, command: tuple[str, ...], cwd: str) -> Generator[Launch]:
        theirs, ours = os.pipe()
        try:
            # It is far smaller than what a pipe holds.
            os.write(ours, self._program)
            os.close(ours)
            wrapped = (
                self._bwrap,
                *arguments(self._limits),
                *("--seccomp", str(theirs), "--chdir", cwd, "--"),
                *command,
            )
            yield Launch(wrapped, keep=(theirs,))
        finally:
            os.close(theirs)


def arguments(limits: Limits) -> tuple[str, ...]:
    """The view of the file system: read-only, with what may be written laid over it."""
    return (
        *("--ro-bind", "/", "/", "--dev", "/dev"),
        # Settings of the kernel are files there, and root could write them.
        *("--proc", "/proc", "--remount-ro", "/proc"),
        *_writable(limits),
        *_kept(limits),
        *_hidden(limits),
        *("--unshare-pid", "--unshare-ipc", "--die-with-parent", "--cap-drop", "ALL"),
        *(() if limits.network else ("--unshare-net",)),
        *_capabilities(),
    )


def _capabilities() -> Iterator[str]:
    for name in _KEPT if os.geteuid() == 0 else ():
        yield from ("--cap-add", f"CAP_{name}")


def _writable(limits: Limits) -> Iterator[str]:
    # The outer folder first, since a later one hides what lies below.
    for folder in sorted(limits.writable):
        if os.path.isdir(folder):
            yield from ("--bind", folder, folder)


def _kept(limits: Limits) -> Iterator[str]:
    kept = [path for path in limits.kept if kind_of(path) is not None]
    hidden = (path for path in limits.hidden if kind_of(path) is not None)
    # A folder that something is mounted on cannot be renamed.
    for folder in around((*kept, *hidden), limits.writable):
        yield from ("--bind", folder, folder)
    for path in kept:
        yield from ("--ro-bind", path, path)


def _hidden(limits: Limits) -> Iterator[str]:
    for path in limits.hidden:
        kind = kind_of(path)
        if kind == "folder":
            yield from ("--tmpfs", path, "--remount-ro", path)
        elif kind == "file":
            yield from ("--ro-bind", os.devnull, path)
