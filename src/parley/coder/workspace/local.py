"""Files of this machine beneath a root: look, read, write. Everything here blocks.

It moves bytes. Which paths may be touched was decided before, and what the bytes mean is decided
elsewhere.
"""

import errno
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import BinaryIO, Literal

from msgspec import Struct

from parley.coder.workspace.beneath import Place, check_plain, open_plain, parent_of
from parley.coder.workspace.part import part_name

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Status(Struct, frozen=True):
    """What is known of something without opening it."""

    kind: Literal["file", "folder", "other"]
    size: int = 0
    modified: float = 0.0


def status_of(place: Place) -> Status | None:
    """What lies at a place; `None` if nothing does.

    Raises:
        OSError: the system refuses, or a component is a link by now.
        NotPlain: it is a file with another name.
    """
    if not place.steps:
        return Status("folder")
    try:
        with parent_of(place.root, place.steps) as (folder, name):
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return None
    if stat.S_ISDIR(found.st_mode):
        return Status("folder", 0, found.st_mtime)
    if not stat.S_ISREG(found.st_mode):
        return Status("other")
    check_plain(found)
    return Status("file", found.st_size, found.st_mtime)


def read(place: Place, limit: int) -> bytes:
    """The bytes of a file.

    Raises:
        OSError: the system refuses; `EFBIG` if it has more bytes than the limit.
        NotPlain: it is no regular file.
    """
    with opened(place) as source:
        size = os.fstat(source.fileno()).st_size
        # One byte more than it has said, so that a file that grows is noticed by its length.
        data = source.read(min(size, limit) + 1)
        if len(data) > size:
            data += source.read(max(limit + 1 - len(data), 0))
    if len(data) > limit:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), place.path)
    return data


def opened(place: Place) -> BinaryIO:
    """A file, opened for reading.

    Raises:
        OSError: the system refuses.
        NotPlain: it is no regular file.
    """
    with parent_of(place.root, place.steps) as (folder, name):
        file, _ = open_plain(folder, name, os.O_RDONLY)
    return os.fdopen(file, "rb")


def write(place: Place, data: bytes, *, new: bool = False) -> None:
    """Write beside the file and change places, so that nobody ever sees half of it.

    With `new` there must be no file yet. Mode and owner of a file stay.

    Raises:
        OSError: the system refuses; the old file is untouched then.
        NotPlain: there is something that is no regular file.
    """
    with parent_of(place.root, place.steps, make=True) as (folder, name):
        before = None if new else _writable(folder, name)
        beside = part_name()
        with _removed_after_failure(beside, folder):
            with os.fdopen(os.open(beside, _NEW, 0o666, dir_fd=folder), "wb") as file:
                if before is not None:
                    _take_over(file.fileno(), before)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if new:
                _put_where_nothing_is(beside, name, folder)
            else:
                os.replace(beside, name, src_dir_fd=folder, dst_dir_fd=folder)


def _put_where_nothing_is(beside: str, name: str, folder: int) -> None:
    """Give a file its name, if nobody has taken the name meanwhile."""
    try:
        os.link(beside, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError:
        # Some file systems have no hard links; looking first is the best there is then.
        if _exists(folder, name):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name) from None
        os.rename(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
    else:
        os.unlink(beside, dir_fd=folder)


def _exists(folder: int, name: str) -> bool:
    with suppress(FileNotFoundError):
        os.stat(name, dir_fd=folder, follow_symlinks=False)
        return True
    return False


def _writable(folder: int, name: str) -> os.stat_result | None:
    """The status of a file that may be written; `None` if there is no file yet."""
    try:
        file, status = open_plain(folder, name, os.O_WRONLY)
    except FileNotFoundError:
        return None
    os.close(file)
    return status


def _take_over(file: int, before: os.stat_result) -> None:
    # Only the superuser gives files away; for others the owner is the same.
    with suppress(PermissionError):
        os.fchown(file, before.st_uid, before.st_gid)
    # Writing to a file drops the set-user-id bit, and so does replacing it.
    os.fchmod(file, stat.S_IMODE(before.st_mode) & 0o777)


@contextmanager
def _removed_after_failure(name: str, folder: int) -> Generator[None]:
    try:
        yield
    except OSError:
        with suppress(OSError):
            os.unlink(name, dir_fd=folder)
        raise
