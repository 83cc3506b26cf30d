"""Everything that can still be read of a damaged file, copied into a new one.

The file is read as SQLite reads it. Where that misses something, a copy is read that has a sound
first page, and then each page of the copy by itself. Of each session the longest log is taken: the
checksums tell what is a record of it. The damaged file stays as it is.
"""

import sqlite3
import stat
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from parley.coder.store import schema
from parley.coder.store.failure import Damaged
from parley.coder.store.reading import SESSION_COLUMNS, Head, Row, head_of, verified
from parley.coder.store.record import is_session_id, packed_paths, seed, text_checksum
from parley.coder.store.scan import Gone, is_file, is_sound, log_of, make_copy, make_tables, scan

UNKNOWN_FOLDER = "/"
"""Where a session is listed whose own folder cannot be read any more."""

# No record takes less room, so a larger count of them is a damaged number.
_LEAST_BYTES = 8


class Salvaged(Struct, frozen=True):
    """What is in the new file, and what is not."""

    sessions: int
    records: int
    lost: int = 0
    """Records that were there once, as the sessions that are known say."""
    certain: bool = True
    """Whether no session can have been there that nothing is known of."""
    losses: dict[str, str] = {}
    """What is missing of a session that is known, by its id, for a person."""

    @property
    def whole(self) -> bool:
        return self.certain and not self.losses

    @property
    def text(self) -> str:
        kept = f"{self.sessions} sessions with {self.records} records could be read and are kept"
        lost = f"{self.lost} of {self.records + self.lost} records are lost" if self.lost else ""
        doubt = "" if self.certain else "whether there were other sessions cannot be known"
        return "; ".join(filter(None, (kept, lost, doubt)))


def scratch_files(target: Path) -> tuple[Path, Path]:
    """The files that a salvage needs beside the new one, empty like it."""
    return target.with_name(f"{target.name}-copy"), target.with_name(f"{target.name}-scan")


def salvage(source: Path, target: Path, gone: Gone) -> Salvaged:
    """Fill an empty file with what can be read of a damaged one.

    Raises:
        sqlite3.Error, OSError: it cannot be read or written now.
    """
    copy, found = scratch_files(target)
    with closing(schema.connect(target)) as new:
        schema.migrate(new)
        new.execute("BEGIN")
        haul = _Haul(new, _room(source))
        haul.take(source, gone)
        if not haul.result().whole and is_file(source):
            make_tables(found)
            make_copy(source, copy, found, gone)
            haul.take(copy, gone)
            if not (haul.result().whole and is_sound(copy)):
                scan(copy, found)
                # This table has what was found, which need not be all that there was.
                haul.take(found, gone, is_list=False)
        new.execute("COMMIT")
    return haul.result()


class _Part(Struct, frozen=True):
    """What one look has found of a session, without its records."""

    key: int
    session_id: str
    kept: int
    there: int
    """How many records there were."""
    damage: str | None
    is_placed: bool
    """Whether its own folder is lost."""

    @property
    def worth(self) -> tuple[int, bool]:
        return self.kept, not self.is_placed

    @property
    def loss(self) -> str:
        folder = "its folder cannot be read" if self.is_placed else ""
        records = f"{self.damage}; {self.kept} of its {self.there} records are kept"
        if not self.kept:
            records = f"none of its {self.there} records could be read"
        return "; ".join(filter(None, (folder, records if self.damage else "")))


Find = tuple[_Part, tuple[Any, ...], Sequence[Row]]
"""A session with its row and its records."""


class _Haul:
    """The best that was found of each session, in the new file."""

    def __init__(self, new: sqlite3.Connection, most: int) -> None:
        self._new = new
        self._most = most
        self._parts: dict[str, _Part] = {}
        self._listings: list[_Old] = []

    def take(self, source: Path, gone: Gone, *, is_list: bool = True) -> None:
        """Look at one file, and take over what is better in it."""
        old = _Old(source, gone, self._most)
        for find in old.finds():
            self._keep(*find)
        if is_list and old.is_listed:
            self._listings.append(old)

    def result(self) -> Salvaged:
        parts = self._parts.values()
        keys = {part.key for part in parts}
        return Salvaged(
            len(parts),
            sum(part.kept for part in parts),
            sum(part.there - part.kept for part in parts),
            any(keys == old.keys for old in self._listings),
            {part.session_id: part.loss for part in parts if part.loss},
        )

    def _keep(self, part: _Part, row: tuple[Any, ...], records: Sequence[Row]) -> None:
        before = self._parts.get(part.session_id)
        if before is not None:
            if part.worth <= before.worth:
                return
            part = _joined(part, before)
            self._new.execute("DELETE FROM entries WHERE session = ?", (before.key,))
            self._new.execute("DELETE FROM sessions WHERE key = ?", (before.key,))
        places = ", ".join("?" * len(row))
        added = self._new.execute(
            f"INSERT OR IGNORE INTO sessions ({SESSION_COLUMNS}) VALUES ({places})",
            (*row[:-1], part.kept),
        )
        # Two sessions with one key are none that we wrote.
        if added.rowcount:
            self._new.executemany("INSERT INTO entries VALUES (?, ?, ?, ?)", records)
            self._parts[part.session_id] = part


def _joined(part: _Part, before: _Part) -> _Part:
    """The better one, with the larger number as what there was."""
    there = max(part.there, before.there)
    damage = part.damage or (before.damage if there > part.kept else None)
    return _Part(part.key, part.session_id, part.kept, there, damage, part.is_placed)


class _Old:
    """One file that is read."""

    def __init__(self, path: Path, gone: Gone, most: int) -> None:
        self._path = path
        self._gone = gone
        self._most = most
        self.is_listed = False
        """Whether the table of sessions could be read from one end to the other."""
        self.keys: set[int] = set()
        """All rows of it, with those that cannot be trusted."""

    def finds(self) -> Generator[Find]:
        """Every session that can be read, with the records before its first damage."""
        try:
            with closing(_damaged(self._path)) as old:
                for row in self._rows(old):
                    head = head_of(row) or _nameable(row)
                    find = None if head is None else self._found(old, row, head)
                    if find is not None:
                        yield find
        except sqlite3.Error as error:
            # What cannot be read is lost, and that is no failure. What cannot be read now is one.
            if not self._gone(error):
                raise

    def _found(self, old: sqlite3.Connection, row: tuple[Any, ...], head: Head) -> Find | None:
        found = verified(old, head.key, head.session_id, self._gone)
        kept, there, is_placed = len(found.rows), row[-1], head_of(row) is None
        if is_placed:
            if not found.rows:
                # Neither its facts nor its records can be trusted.
                return None
            row = _placed(row, head)
        if not isinstance(there, int) or not kept <= there <= self._most:
            there = kept
        part = _Part(head.key, head.session_id, kept, there, found.damage, is_placed)
        return part, row, found.rows

    def _rows(self, old: sqlite3.Connection) -> Iterator[tuple[Any, ...]]:
        """The rows of all sessions, from both ends of the table towards the damage."""
        for order in ("ASC", "DESC"):
            select = f"SELECT {SESSION_COLUMNS} FROM sessions ORDER BY key {order}"
            try:
                last: int | None = None
                for row in old.execute(select):
                    if last is not None and (row[0] <= last) == (order == "ASC"):
                        # Pages that lead back to themselves never come to an end.
                        raise Damaged("keys are out of order")
                    last = row[0]
                    self.keys.add(row[0])
                    yield row
            except sqlite3.DatabaseError as error:
                if not self._gone(error):
                    raise
            else:
                self.is_listed = order == "ASC"
                return


def _damaged(path: Path) -> sqlite3.Connection:
    """A connection to a file in whatever state it is."""
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


def _room(source: Path) -> int:
    """More records than this were never in the file."""
    size = 0
    for path in (source, log_of(source)):
        with suppress(FileNotFoundError):
            size += path.lstat().st_size
    return size // _LEAST_BYTES
