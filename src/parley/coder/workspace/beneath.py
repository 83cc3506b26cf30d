"""Opening what lies beneath a root, and nothing else, whatever is swapped in meanwhile.

A path was resolved before and judged by where it leads. Here it is opened again from a descriptor
of the root and without following links: a link that was put there in between leads to an error.
What is no plain file of its own is refused before it is opened, since opening a pipe can wait and
opening a device can do something. It knows no content of files.
"""

import ctypes
import errno
import os
import stat
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from functools import cache

from msgspec import Struct

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A file that is a link by now is refused, and one that waits for a peer is not waited for.
_SAFELY = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

# The number is the same on all architectures that Python has wheels for.
_OPENAT2 = 437
_NO_MAGICLINKS, _NO_SYMLINKS, _BENEATH = 0x02, 0x04, 0x08
# A kernel before 5.6 does not have the call, and a container may forbid it.
_WITHOUT_THE_CALL = (errno.ENOSYS, errno.EPERM)
# The kernel asks to try again when something was renamed meanwhile.
_TRIES = 16


class Place(Struct, frozen=True):
    """A path inside the workspace. It need not exist."""

    path: str
    """Absolute and real."""
    root: str
    relative: str
    """As it is shown: relative to the session's folder where it lies in it."""
    outer: str = ""
    """As the client spells it: its own name of the root, where that is a link."""

    @property
    def steps(self) -> tuple[str, ...]:
        """The components below the root, none of them a link when they were resolved."""
        below = self.path[len(self.root) :].strip(os.sep)
        return tuple(below.split(os.sep)) if below else ()


class NotPlain(Exception):
    """Something is not a regular file with one name; the text says what it is."""


@contextmanager
def parent_of(
    root: str, steps: tuple[str, ...], *, make: bool = False
) -> Generator[tuple[int, str]]:
    """A descriptor of the folder that holds a place, and the name of the place in it.

    With `make` the folders on the way are made where they are missing.

    Raises:
        OSError: there is no such folder, or a component is a link by now.
    """
    if not steps:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), root)
    folder = _made(root, steps[:-1]) if make else open_folder(root, steps[:-1])
    try:
        yield folder, steps[-1]
    finally:
        os.close(folder)


def open_folder(root: str, steps: tuple[str, ...]) -> int:
    """A descriptor of a folder beneath a root.

    Raises:
        OSError: there is none, or a component is a link by now.
    """
    above = os.open(root, _FOLDER)
    if not steps:
        return above
    try:
        return open_by_kernel(above, steps)
    except OSError as error:
        if error.errno not in _WITHOUT_THE_CALL:
            raise
        return open_by_steps(above, steps)
    finally:
        os.close(above)


def open_by_kernel(above: int, steps: tuple[str, ...]) -> int:
    """Let Linux keep the whole way beneath the descriptor, in one call."""
    if sys.platform != "linux":
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    how = _How(_FOLDER, 0, _BENEATH | _NO_SYMLINKS | _NO_MAGICLINKS)
    path = os.fsencode("/".join(steps))
    for _ in range(_TRIES):
        found = _libc().syscall(
            _OPENAT2, above, ctypes.c_char_p(path), ctypes.byref(how), ctypes.sizeof(how)
        )
        if found >= 0:
            return int(found)
        if ctypes.get_errno() != errno.EAGAIN:
            break
    number = ctypes.get_errno()
    raise OSError(number, os.strerror(number), "/".join(steps))


def open_by_steps(above: int, steps: tuple[str, ...]) -> int:
    """Enter one folder after the other, none of them a link: works everywhere."""
    here = os.dup(above)
    try:
        for step in steps:
            if step in ("", os.curdir, os.pardir) or os.sep in step:
                raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), step)
            entered = os.open(step, _FOLDER, dir_fd=here)
            os.close(here)
            here = entered
    except OSError:
        os.close(here)
        raise
    return here


def open_plain(folder: int, name: str, flags: int) -> tuple[int, os.stat_result]:
    """Open a regular file that has no other name, without waiting for anybody.

    Raises:
        NotPlain: it is something else.
        OSError: the system refuses.
    """
    # The first look keeps pipes and devices closed, the second one judges what was opened.
    check_plain(os.stat(name, dir_fd=folder, follow_symlinks=False))
    file = os.open(name, flags | _SAFELY, dir_fd=folder)
    try:
        status = os.fstat(file)
        check_plain(status)
    except (OSError, NotPlain):
        os.close(file)
        raise
    return file, status


def check_plain(status: os.stat_result) -> None:
    """Refuse what is no regular file, and a file that has another name.

    Raises:
        NotPlain: with what it is instead.
    """
    if not stat.S_ISREG(status.st_mode):
        raise NotPlain(_KINDS.get(stat.S_IFMT(status.st_mode), "is not a regular file"))
    if status.st_nlink > 1:
        # The other name may lie outside the workspace, and nothing tells whether it does.
        raise NotPlain(
            "is a hard link: the same file has other names, which may be outside the workspace; "
            "make a copy of it and work on that"
        )


_KINDS = {
    stat.S_IFDIR: "is a folder",
    stat.S_IFLNK: "is a symbolic link that cannot be followed",
    stat.S_IFIFO: "is a pipe, not a regular file",
    stat.S_IFSOCK: "is a socket, not a regular file",
    stat.S_IFCHR: "is a device, not a regular file",
    stat.S_IFBLK: "is a device, not a regular file",
}


class _How(ctypes.Structure):
    """What the call wants to know."""

    _fields_ = (
        ("flags", ctypes.c_uint64),
        ("mode", ctypes.c_uint64),
        ("resolve", ctypes.c_uint64),
    )


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _made(root: str, steps: tuple[str, ...]) -> int:
    with suppress(FileNotFoundError):
        return open_folder(root, steps)
    here = os.open(root, _FOLDER)
    for step in steps:
        above = here
        try:
            with suppress(FileExistsError):
                os.mkdir(step, dir_fd=above)
            here = open_by_steps(above, (step,))
        finally:
            os.close(above)
    return here
