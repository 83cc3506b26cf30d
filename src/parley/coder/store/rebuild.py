"""Replacing a damaged file by a new one with everything that can still be read.

The damaged file is moved aside and kept as it is. Each step can be repeated: a marker says that a
rebuild is due, and goes away when it is done. The new file is complete before the old one is
moved, so a rebuild for which there is no room changes nothing. The caller holds the store alone.
"""

import errno
import os
import shutil
import sqlite3
import stat
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from parley.coder.store.failure import is_lost
from parley.coder.store.salvage import Salvaged, salvage, scratch_files

_NUMBER_BYTES = 20
# A device that gives another answer each time is not asked for ever.
_MOST_LOOKS = 5


class Rebuilt(Struct, frozen=True):
    """What a rebuild came to."""

    aside: Path
    """Where the damaged file is now."""
    kept: Salvaged

    @property
    def text(self) -> str:
        return (
            f"The session store was damaged. {self.kept.text}; the damaged file is `{self.aside}`"
        )


def demand(path: Path) -> None:
    """Have the file rebuilt by whoever holds the store alone next."""
    marker = _marker(path)
    if not is_demanded(path):
        _make_way(marker)
        temporary = marker.with_name(f"{marker.name}.{os.getpid()}")
        # A marker without its number would have another file taken for the one that was moved.
        _write(temporary, b"%d" % _free_number(path))
        temporary.replace(marker)
        sync_folder(path.parent)


def is_demanded(path: Path) -> bool:
    try:
        return stat.S_ISREG(_marker(path).lstat().st_mode)
    except FileNotFoundError:
        return False


def rebuild(path: Path) -> Rebuilt | None:
    """Move the file aside and put a new one in its place; nothing when that was done already."""
    was_demanded = is_demanded(path)
    demand(path)
    aside = _aside(path, _number_in(_marker(path)))
    if _exists(path) and _exists(aside):
        _finish(path)
        return None
    if not _exists(path):
        # Somebody removed it, or the last rebuild was interrupted.
        _move(path, aside)
    source = path if _exists(path) else aside
    fresh = path.with_name(f"{path.name}.new")
    try:
        kept = _salvaged(source, fresh)
        _write(_report(aside), msgspec.json.encode(kept))
    except (sqlite3.Error, OSError):
        _remove(fresh)
        if source is path and not was_demanded:
            _marker(path).unlink()
        raise
    _move(path, aside)
    os.rename(fresh, path)
    _finish(path)
    return Rebuilt(aside, kept)


def report_on(aside: Path) -> Salvaged | None:
    """What could be saved of a damaged file that is kept, or nothing if nobody knows."""
    try:
        return msgspec.json.decode(_report(aside).read_bytes(), type=Salvaged)
    except (OSError, msgspec.DecodeError):
        return None


def move_unless_file(path: Path) -> None:
    """Move aside what is no file and stands where one belongs."""
    with suppress(FileNotFoundError):
        if not stat.S_ISREG(path.lstat().st_mode):
            os.rename(path, free_aside(path))


def free_aside(path: Path) -> Path:
    """A name for something that is damaged and kept."""
    return _aside(path, _free_number(path))


def make_private(path: Path) -> None:
    """An empty file that only its owner can read, whatever the umask."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.fchmod(descriptor, 0o600)
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write(path: Path, content: bytes) -> None:
    """Make a small private file whose content is on the disk."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o600)
    try:
        os.fchmod(descriptor, 0o600)
        if os.write(descriptor, content) < len(content):
            # So few bytes are cut short by nothing but a full disk.
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _move(path: Path, aside: Path) -> None:
    """Move the file aside with its log of changes, as far as that is not done already.

    They belong together, so there are two logs for a moment: a file is never without its own.
    """
    log, kept = _log_of(path), _log_of(aside)
    for each in (log, kept):
        with suppress(FileNotFoundError):
            # Reading leaves an empty one behind.
            if each.lstat().st_size == 0:
                each.unlink()
    if _exists(path):
        if _exists(log):
            _double(log, kept)
            sync_folder(path.parent)
        os.rename(path, aside)
    if _exists(log) and not _exists(kept):
        os.rename(log, kept)
    for each in (log, *(file.with_name(f"{file.name}-shm") for file in (path, aside))):
        with suppress(FileNotFoundError):
            os.unlink(each)


def _double(log: Path, kept: Path) -> None:
    """Give a file a second name, or make a copy where that cannot be."""
    with suppress(FileNotFoundError):
        # An interrupted rebuild has left it.
        os.unlink(kept)
    try:
        os.link(log, kept, follow_symlinks=False)
    except OSError:
        make_private(kept)
        with log.open("rb") as source, kept.open("r+b") as target:
            shutil.copyfileobj(source, target)
            target.flush()
            os.fsync(target.fileno())


def _remove(fresh: Path) -> None:
    _make_way(fresh)
    with suppress(FileNotFoundError):
        os.unlink(fresh)
    _remove_beside(fresh)


def _remove_beside(fresh: Path) -> None:
    """Remove what a salvage and SQLite have made beside the new file."""
    for file in sorted(fresh.parent.iterdir()):
        if file.name.startswith(f"{fresh.name}-"):
            _make_way(file)
            with suppress(FileNotFoundError):
                os.unlink(file)


def _make_way(path: Path) -> None:
    """Move a folder aside that is where a file belongs."""
    with suppress(FileNotFoundError):
        if stat.S_ISDIR(path.lstat().st_mode):
            os.rename(path, free_aside(path))


def _salvaged(source: Path, fresh: Path) -> Salvaged:
    """Make a new file with what can be read. Only what two looks in a row miss is lost."""
    before: Salvaged | None = None
    looks = 0
    while True:
        _remove(fresh)
        for each in (fresh, *scratch_files(fresh)):
            make_private(each)
        doubts: list[sqlite3.Error] = []

        def gone(error: sqlite3.Error, doubts: list[sqlite3.Error] = doubts) -> bool:
            doubts.append(error)
            return is_lost(error)

        found = salvage(source, fresh, gone)
        _remove_beside(fresh)
        looks += 1
        if not doubts or found == before or looks == _MOST_LOOKS:
            return found
        before = found


def _finish(path: Path) -> None:
    sync_folder(path.parent)
    _marker(path).unlink()


def _marker(path: Path) -> Path:
    return path.with_name(f"{path.name}.rebuild")


def _number_in(marker: Path) -> int:
    descriptor = os.open(marker, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        # Whatever the file is, no more of it is read than a number has.
        text = os.read(descriptor, _NUMBER_BYTES)
    finally:
        os.close(descriptor)
    return int(text) if text.isdigit() else 1


def _aside(path: Path, number: int) -> Path:
    return path.with_name(f"{path.name}.damaged-{number}")


def _report(aside: Path) -> Path:
    return aside.with_name(f"{aside.name}-report")


def _log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _free_number(path: Path) -> int:
    number = 1
    while _exists(aside := _aside(path, number)) or _exists(_log_of(aside)):
        number += 1
    return number


def _exists(path: Path) -> bool:
    try:
        path.lstat()
    except FileNotFoundError:
        return False
    return True
