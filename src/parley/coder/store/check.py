"""Whether the file of the store is what was written. Looks, and changes nothing.

What SQLite can tell of its pages comes first, then every record is compared with its checksum.
Others may use the store meanwhile.
"""

import os
import sqlite3
import stat
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from parley.coder.store import reading, rebuild, schema
from parley.coder.store.failure import Damaged, failed, is_lost
from parley.coder.store.lock import StoreLock
from parley.coder.store.using import LOCK_NAME

Progress = Callable[[int, int], None]
"""Told how many sessions were looked at, and how many there are."""
FaultKind = Literal["file", "index", "session", "newer", "failed"]

# SQLite looks at the clock after so many of its own steps.
_STEPS = 20_000
# Pages of a larger file are not looked at when time is short: that cannot be stopped on the way.
_QUICK_BYTES = 2 * 1024**3
_MOST_LINES = 3


class Fault(Struct, frozen=True):
    """Something that is wrong. By its kind:

    `file` needs a rebuild, `index` a new index, `session` that its end is set aside. A `newer`
    version made the file, or the look itself has `failed`; a repair cannot help with these.
    """

    kind: FaultKind
    text: str
    session_id: str = ""
    key: int = 0
    kept: int = 0
    """How many records of the session are good."""


class Checked(Struct, frozen=True):
    """What was found in the file."""

    exists: bool = False
    sessions: int = 0
    entries: int = 0
    set_aside: int = 0
    """Damaged records that were taken out of sessions and are kept in a table of their own."""
    seen: int = 0
    """Sessions that were looked at."""
    complete: bool = True
    """Whether there was time for everything."""
    ids: frozenset[str] = frozenset()
    faults: tuple[Fault, ...] = ()


def nobody(done: int, every: int) -> None:
    """Nobody wants to know."""


def check(path: Path, *, within: float | None = None, progress: Progress = nobody) -> Checked:
    """Look at everything, or at as much as fits into some seconds, the newest sessions first."""
    look = _Look(path, within, progress)
    try:
        look.file()
    except (sqlite3.Error, OSError) as error:
        look.failed(error)
    return look.result()


class _Look:
    """One look at the file."""

    def __init__(self, path: Path, within: float | None, progress: Progress) -> None:
        self._path = path
        self._deadline = None if within is None else time.monotonic() + within
        self._progress = progress
        self._faults: list[Fault] = []
        self._rows: Sequence[tuple[Any, ...]] = ()
        self._seen = 0
        self._set_aside = 0
        self._exists = False
        self._is_up = False
        # Whether there was no time for the rest.

    def result(self) -> Checked:
        return Checked(
            self._exists,
            len(self._rows),
            sum(row[-1] for row in self._rows if isinstance(row[-1], int)),
            self._set_aside,
            self._seen,
            not self._is_up,
            frozenset(row[1] for row in self._rows if isinstance(row[1], str)),
            tuple(self._faults),
        )

    def failed(self, error: sqlite3.Error | OSError) -> None:
        if isinstance(error, sqlite3.Error) and _is_interrupted(error):
            self._is_up = True
            return
        if isinstance(error, sqlite3.Error) and is_lost(error):
            self._add("file", f"cannot be read ({error})")
        else:
            self._add("failed", str(failed(error, self._path.parent)))

    def file(self) -> None:
        if rebuild.is_demanded(self._path):
            self._add("file", "waits for a repair that was begun, or that somebody wants")
        try:
            found = self._path.lstat()
        except FileNotFoundError:
            if os.path.lexists(f"{self._path}-wal"):
                self._add("file", "is missing, and the log of its last changes is there")
            return
        self._exists = True
        if not stat.S_ISREG(found.st_mode):
            self._add("file", "is not a regular file")
            return
        if found.st_uid != os.geteuid():
            raise PermissionError(1, "the file belongs to another user")
        with _reading(self._path) as connection:
            connection.set_progress_handler(self._is_late, _STEPS)
            if self._has_tables(connection):
                self._look_at(connection, quick=found.st_size > _QUICK_BYTES)

    def _has_tables(self, connection: sqlite3.Connection) -> bool:
        version = schema.version_of(connection)
        if version == 0 and not connection.execute("SELECT * FROM sqlite_master").fetchone():
            # A file that was just made.
            return False
        if schema.VERSION < version < schema.BEYOND_REASON:
            known = f"layout {version}, and this parley knows {schema.VERSION}; update parley"
            self._add("newer", f"has {known}")
            return False
        if version != schema.VERSION:
            raise Damaged(f"layout {version}")
        return True

    def _look_at(self, connection: sqlite3.Connection, *, quick: bool) -> None:
        schema.probe(connection)
        columns = f"SELECT {reading.SESSION_COLUMNS} FROM sessions NOT INDEXED ORDER BY key DESC"
        self._rows = connection.execute(columns).fetchall()
        (self._set_aside,) = connection.execute("SELECT count(*) FROM damaged").fetchone()
        if not (quick and self._deadline is not None):
            self._pages(connection)
        for row in self._rows:
            self._progress(self._seen, len(self._rows))
            # A short question is answered before SQLite looks at the clock.
            self._is_up = self._is_late()
            if self._is_up:
                return
            self._session(connection, row)
            self._seen += 1
        self._progress(self._seen, len(self._rows))

    def _pages(self, connection: sqlite3.Connection) -> None:
        """Have SQLite look at its pages, and whether the indexes fit the table of sessions."""
        wrong = _answers(connection, "PRAGMA quick_check")
        kind: FaultKind = "file"
        if not wrong:
            wrong = _answers(connection, "PRAGMA integrity_check(sessions)")
            if wrong and all("index" in line for line in wrong):
                kind = "index"
        if wrong:
            more = "" if len(wrong) <= _MOST_LINES else f" and {len(wrong) - _MOST_LINES} more"
            self._add(kind, f"is not in order: {'; '.join(wrong[:_MOST_LINES])}{more}")
            return
        (lost,) = connection.execute(
            "SELECT count(*) FROM entries WHERE session NOT IN (SELECT key FROM sessions)"
        ).fetchone()
        if lost:
            self._add("file", f"has {lost} records that belong to no session")

    def _session(self, connection: sqlite3.Connection, row: tuple[Any, ...]) -> None:
        head = reading.head_of(row)
        if head is None:
            self._add("file", f"has a session whose name or folder is damaged: `{row[1]}`")
            return
        found = reading.verified(connection, head.key, head.session_id, is_lost)
        if found.damage is None:
            return
        kept = len(found.rows)
        if found.unreadable:
            if reading.head(connection, head.session_id) is None:
                # Somebody has deleted it meanwhile.
                return
            self._add("file", f"has a session of which {found.damage}: `{head.session_id}`")
        else:
            fault = Fault("session", found.damage, head.session_id, head.key, kept)
            self._faults.append(fault)

    def _add(self, kind: FaultKind, text: str) -> None:
        self._faults.append(Fault(kind, text))

    def _is_late(self) -> bool:
        return self._deadline is not None and time.monotonic() > self._deadline


@contextmanager
def _reading(path: Path) -> Generator[sqlite3.Connection]:
    """A connection that changes nothing; what SQLite makes to read is removed again."""
    beside = [path.with_name(f"{path.name}{suffix}") for suffix in ("-wal", "-shm")]
    made = [each for each in beside if not os.path.lexists(each)]
    try:
        with closing(schema.connect_to_read(path)) as connection:
            yield connection
    finally:
        if made:
            with suppress(OSError):
                _tidy(path, made)


def _tidy(path: Path, made: Sequence[Path]) -> None:
    lock = StoreLock(path.with_name(LOCK_NAME))
    try:
        # Whoever came meanwhile needs these files, and may have left something in the log.
        log = path.with_name(f"{path.name}-wal")
        if lock.alone(0) and not (log.exists() and log.stat().st_size):
            for each in made:
                each.unlink(missing_ok=True)
    finally:
        lock.release()


def _answers(connection: sqlite3.Connection, question: str) -> list[str]:
    """What SQLite finds wrong."""
    lines: list[str] = []
    try:
        for (line,) in connection.execute(question):
            lines.append(str(line))
    except sqlite3.DatabaseError as error:
        if not is_lost(error):
            raise
        lines.append(str(error))
    return [] if lines == ["ok"] else lines


def _is_interrupted(error: sqlite3.Error) -> bool:
    return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT
