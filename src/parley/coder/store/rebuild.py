"""Replacing a damaged file by a new one with everything that can still be read.

The damaged file is moved aside and kept. Each step can be repeated: a marker says that a rebuild
is due, and goes away when it is done. The caller holds the store alone.
"""

import os
import sqlite3
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path

from msgspec import Struct

from parley.coder.store import schema
from parley.coder.store.reading import SESSION_COLUMNS, Head, Row, head_of, verified


class Rebuilt(Struct, frozen=True):
    """What a rebuild came to."""

    aside: Path
    """Where the damaged file is now."""
    sessions: int
    entries: int

    @property
    def text(self) -> str:
        return (
            f"The session store was damaged. {self.sessions} sessions with {self.entries} entries "
            f"could be read and are kept; the damaged file is `{self.aside}`"
        )


def demand(path: Path) -> None:
    """Have the file rebuilt by whoever holds the store alone next."""
    marker = _marker(path)
    if not marker.exists():
        temporary = marker.with_name(f"{marker.name}.{os.getpid()}")
        temporary.write_text(str(_free_number(path)))
        temporary.chmod(0o600)
        temporary.replace(marker)


def is_demanded(path: Path) -> bool:
    return _marker(path).exists()


def rebuild(path: Path) -> Rebuilt | None:
    """Move the file aside and make a new one; nothing when that was done already."""
    demand(path)
    aside = _aside(path, _number_in(_marker(path)))
    if _exists(path) and _exists(aside):
        _finish(path)
        return None
    # The log of changes belongs to the file, so it goes first: a file without it is still whole.
    for suffix in ("-wal", ""):
        with suppress(FileNotFoundError):
            os.rename(f"{path}{suffix}", f"{aside}{suffix}")
    with suppress(FileNotFoundError):
        os.unlink(f"{path}-shm")
    fresh = path.with_name(f"{path.name}.new")
    for suffix in ("", "-journal", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            os.unlink(f"{fresh}{suffix}")
    make_private(fresh)
    sessions, entries = _salvage(aside, fresh)
    os.rename(fresh, path)
    _finish(path)
    return Rebuilt(aside, sessions, entries)


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


def _salvage(source: Path, target: Path) -> tuple[int, int]:
    sessions = entries = 0
    with closing(schema.connect(target)) as new, closing(_readable(source)) as found:
        schema.migrate(new)
        new.execute("BEGIN")
        for row, records in found:
            added = new.execute(
                f"INSERT OR IGNORE INTO sessions ({SESSION_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?)",
                (*row[:-1], len(records)),
            )
            # A damaged table can show one row twice.
            if added.rowcount:
                new.executemany("INSERT INTO entries VALUES (?, ?, ?, ?)", records)
                sessions, entries = sessions + 1, entries + len(records)
        new.execute("COMMIT")
    return sessions, entries


def _readable(source: Path) -> Generator[tuple[tuple[object, ...], Sequence[Row]]]:
    """The row of every session that can be read, and the records before its first damage."""
    # What cannot be read is lost, and that is no failure; what cannot be written is one.
    with suppress(sqlite3.Error), closing(_damaged(source)) as old:
        for row, head in _heads(old):
            yield row, verified(old, head.key, head.session_id).rows


def _damaged(path: Path) -> sqlite3.Connection:
    if not path.is_file() or path.is_symlink():
        raise sqlite3.DatabaseError("not a file")
    connection = schema.connect(path)
    # Without this SQLite refuses a file that is shorter than it says it is.
    connection.execute("PRAGMA writable_schema = ON")
    return connection


def _heads(old: sqlite3.Connection) -> Iterator[tuple[tuple[object, ...], Head]]:
    """Every session that can be read, from both ends of the table towards the damage."""
    for order in ("ASC", "DESC"):
        with suppress(sqlite3.DatabaseError):
            for row in old.execute(f"SELECT {SESSION_COLUMNS} FROM sessions ORDER BY key {order}"):
                head = head_of(row)
                if head is not None:
                    yield row, head
            return


def _finish(path: Path) -> None:
    sync_folder(path.parent)
    _marker(path).unlink()


def _marker(path: Path) -> Path:
    return path.with_name(f"{path.name}.rebuild")


def _number_in(marker: Path) -> int:
    text = marker.read_bytes()
    return int(text) if text.isdigit() else 1


def _aside(path: Path, number: int) -> Path:
    return path.with_name(f"{path.name}.damaged-{number}")


def _free_number(path: Path) -> int:
    number = 1
    while _exists(_aside(path, number)):
        number += 1
    return number


def _exists(path: Path) -> bool:
    return os.path.lexists(path)
