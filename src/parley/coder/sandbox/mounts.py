"""A view of the file system of its own, read-only but where a command may write, without a helper.

It adds to Landlock what that cannot do: protected paths that exist cannot be changed, nor the mode
or the owner of anything outside. It needs the right to make a namespace of mounts, which root has
and others get with a namespace of users, where the system lets them. Whether it does is for the
self-test to find out.
"""

import ctypes
import os
import struct
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import Any

from msgspec.structs import replace

from parley.coder.sandbox.box import LandlockBox, Launch, Setup, kind_of
from parley.coder.sandbox.policy import Limits, around

_NEW_MOUNTS, _NEW_USERS = 0x00020000, 0x10000000
_BIND, _RECURSIVE, _PRIVATE = 1 << 12, 1 << 14, 1 << 18
_MOUNT_SETATTR = 442
_READ_ONLY = 1
_HERE, _ALL_BELOW = -100, 0x8000

Call = Callable[[], None]


class MountBox:
    """Landlock and the filter of system calls, inside of mounts made for the command."""

    def __init__(self, limits: Limits, version: int, program: bytes) -> None:
        self._limits = limits
        # What is hidden or ours is held by a mount, so Landlock need not go around it.
        self._inner = LandlockBox(replace(limits, hidden=(), own=()), version, program)

    @contextmanager
    def launch(self, command: tuple[str, ...], cwd: str) -> Generator[Launch]:
        with self._inner.launch(command, cwd) as launch:
            yield Launch(command, _both(_prepared(self._limits, cwd), launch.setup))


def _both(first: Setup, second: Setup | None) -> Setup:
    def setup() -> None:
        first()
        if second is not None:
            second()

    return setup


def _prepared(limits: Limits, cwd: str) -> Setup:
    """Everything that the child does, with all paths looked at and all arguments made before."""
    libc = ctypes.CDLL(None, use_errno=True)
    writable = sorted(path for path in limits.writable if os.path.isdir(path))
    kept = [path for path in limits.kept if kind_of(path) is not None]
    hidden = _outermost({path: kind for path in limits.hidden if (kind := kind_of(path))})
    # A folder that something is mounted on cannot be renamed.
    pinned = around((*kept, *hidden), limits.writable)
    calls = [
        _mount(libc, None, "/", None, _RECURSIVE | _PRIVATE),
        *(_mount(libc, path, path, None, _BIND | _RECURSIVE) for path in writable),
        *(_mount(libc, path, path, None, _BIND | _RECURSIVE) for path in (*pinned, *kept)),
        *(_hide(libc, path, kind) for path, kind in hidden.items()),
        _set_read_only(libc, "/", on=True),
        *(_set_read_only(libc, path, on=False) for path in writable),
        *(_set_read_only(libc, path, on=True) for path in (*kept, *hidden)),
    ]
    enter = _entering(libc)

    def setup() -> None:
        enter()
        for call in calls:
            call()
        # The folder that it was in lies below what was mounted.
        os.chdir(cwd)

    return setup


def _entering(libc: Any) -> Call:
    uid, gid = os.geteuid(), os.getegid()
    maps = (
        ("/proc/self/setgroups", b"deny"),
        ("/proc/self/uid_map", f"{uid} {uid} 1".encode()),
        ("/proc/self/gid_map", f"{gid} {gid} 1".encode()),
    )

    def enter() -> None:
        _checked(libc.unshare(_NEW_MOUNTS if uid == 0 else _NEW_MOUNTS | _NEW_USERS))
        for path, text in () if uid == 0 else maps:
            fd = os.open(path, os.O_WRONLY)
            os.write(fd, text)
            os.close(fd)

    return enter


def _outermost(hidden: dict[str, str]) -> dict[str, str]:
    """What lies in a folder that is hidden has gone with it, and cannot be mounted on any more."""
    folders = {path for path, kind in hidden.items() if kind == "folder"}
    return {
        path: kind
        for path, kind in hidden.items()
        if folders.isdisjoint(map(str, PurePosixPath(path).parents))
    }


def _mount(libc: Any, source: str | None, target: str, kind: str | None, flags: int) -> Call:
    given = [None if each is None else os.fsencode(each) for each in (source, target, kind)]
    options = None if kind is None else b"size=4k,mode=0"

    def call() -> None:
        _checked(libc.mount(*given, ctypes.c_ulong(flags), options))

    return call


def _hide(libc: Any, path: str, kind: str) -> Call:
    if kind == "folder":
        return _mount(libc, "none", path, "tmpfs", 0)
    return _mount(libc, os.devnull, path, None, _BIND)


def _set_read_only(libc: Any, path: str, *, on: bool) -> Call:
    changed = (_READ_ONLY, 0) if on else (0, _READ_ONLY)
    attributes = struct.pack("=QQQQ", *changed, 0, 0)
    name = os.fsencode(path)
    number, size = ctypes.c_long(_MOUNT_SETATTR), ctypes.c_size_t(len(attributes))

    def call() -> None:
        below = libc.syscall(number, _HERE, name, _ALL_BELOW, attributes, size)
        if below != 0 and not on:
            # Something mounted in there is read-only for good; the folder itself may be written.
            below = libc.syscall(number, _HERE, name, 0, attributes, size)
        _checked(below)

    return call


def _checked(result: int) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), "the mounts of the sandbox cannot be made")
