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
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from parley.coder.store import schema
from parley.coder.store.failure import Damaged, is_lost
from parley.coder.store.reading import SESSION_COLUMNS, Head, Row, head_of, verified
from parley.coder.store.record import is_session_id, packed_paths, seed, text_checksum

_NUMBER_BYTES = 20
# A device that gives another answer each time is not asked for ever.
_MOST_LOOKS = 5

Salvaged = tuple[int, int, tuple[str, ...]]
"""Sessions, records, and what is missing of sessions that are kept."""

UNKNOWN_FOLDER = "/"
"""Where a session is listed whose own folder cannot be read any more."""


class Rebuilt(Struct, frozen=True):
    """What a rebuild came to."""

    aside: Path
    """Where the damaged file is now."""
    sessions: int
    entries: int
    losses: tuple[str, ...] = ()
    """What is missing of sessions that are kept, for a person."""

    @property
    def text(self) -> str:
        return (
            f"The session store was damaged. {self.sessions} sessions with {self.entries} entries "
            f"could be read and are kept; the damaged file is `{self.aside}`"
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
        salvaged = _salvaged(source, fresh)
    except (sqlite3.Error, OSError):
        _remove(fresh)
        if source is path and not was_demanded:
            _marker(path).unlink()
        raise
    _move(path, aside)
    os.rename(fresh, path)
    _finish(path)
    return Rebuilt(aside, *salvaged)


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
    for suffix in ("", "-journal", "-wal", "-shm"):
        file = fresh.with_name(f"{fresh.name}{suffix}")
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
        make_private(fresh)
        doubts: list[sqlite3.Error] = []
        found = _salvage(source, fresh, doubts)
        looks += 1
        if not doubts or found == before or looks == _MOST_LOOKS:
            return found
        before = found


def _salvage(source: Path, target: Path, doubts: list[sqlite3.Error]) -> Salvaged:
    """Copy what can be read; the errors that kept something from it become doubts."""

    def gone(error: sqlite3.Error) -> bool:
        doubts.append(error)
        return is_lost(error)

    sessions = entries = 0
    losses: list[str] = []
    with closing(schema.connect(target)) as new, closing(_readable(source, gone)) as found:
        schema.migrate(new)
        new.execute("BEGIN")
        for row, records, loss in found:
            added = new.execute(
                f"INSERT OR IGNORE INTO sessions ({SESSION_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?)",
                (*row[:-1], len(records)),
            )
            # A damaged table can show one row twice.
            if added.rowcount:
                new.executemany("INSERT INTO entries VALUES (?, ?, ?, ?)", records)
                sessions, entries = sessions + 1, entries + len(records)
                losses += [f"session `{row[1]}`: {loss}"] if loss else []
        new.execute("COMMIT")
    return sessions, entries, tuple(losses)


def _readable(
    source: Path, gone: Callable[[sqlite3.Error], bool]
) -> Generator[tuple[tuple[Any, ...], Sequence[Row], str]]:
    """Every session that can be read: its row, the records before its first damage, the loss."""
    try:
        with closing(_damaged(source)) as old:
            for row, head in _heads(old, gone):
                found = verified(old, head.key, head.session_id, gone)
                loss = f"{found.damage}, those before it are kept" if found.damage else ""
                if head_of(row) is None:
                    if not found.rows:
                        # Neither its facts nor its records can be trusted.
                        continue
                    row = _placed(row, head)
                    loss = "; ".join(filter(None, ("its folder cannot be read", loss)))
                yield row, found.rows, loss
    except sqlite3.Error as error:
        # What cannot be read is lost, and that is no failure. What cannot be read now is one.
        if not gone(error):
            raise


def _damaged(path: Path) -> sqlite3.Connection:
    try:
        found = path.lstat()
    except FileNotFoundError:
        raise Damaged("there is no file") from None
    if not stat.S_ISREG(found.st_mode):
        raise Damaged("not a file")
    # It may be that only its mode keeps it from being read.
    path.chmod(0o600)
    connection = schema.connect_to_read(path)
    # Without this SQLite refuses a file that is shorter than it says it is.
    connection.execute("PRAGMA writable_schema = ON")
    return connection


def _heads(
    old: sqlite3.Connection, gone: Callable[[sqlite3.Error], bool] = is_lost
) -> Iterator[tuple[tuple[Any, ...], Head]]:
    """Every session that can be read, from both ends of the table towards the damage."""
    for order in ("ASC", "DESC"):
        try:
            for row in old.execute(f"SELECT {SESSION_COLUMNS} FROM sessions ORDER BY key {order}"):
                head = head_of(row) or _nameable(row)
                if head is not None:
                    yield row, head
        except sqlite3.DatabaseError as error:
            if not gone(error):
                raise
        else:
            return


def _nameable(row: tuple[Any, ...]) -> Head | None:
    """A session of which nothing but the id can be trusted, and that by its records alone."""
    key, session_id = row[:2]
    if not isinstance(session_id, str) or not is_session_id(session_id):
        return None
    return Head(key, session_id, UNKNOWN_FOLDER, (), None, 0, 0)


def _placed(row: tuple[Any, ...], head: Head) -> tuple[Any, ...]:
    """The row of a session with the facts that it gets in place of those that were lost."""
    additional = packed_paths(())
    crc = text_checksum(seed(head.session_id), head.cwd, additional)
    updated, touched = (each if isinstance(each, int) else 0 for each in row[7:9])
    return (head.key, head.session_id, head.cwd, additional, crc, None, None, updated, touched, 0)


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
