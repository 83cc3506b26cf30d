"""The tables of the store, their version, and the settings of every connection to them."""

import sqlite3
from pathlib import Path
from typing import Any

from parley.coder.store.failure import Damaged, StoreFailed

VERSION = 1
"""Kept in `user_version`. A change of the tables raises it and adds a step to `_STEPS`."""

# How long SQLite itself waits for another process that writes.
BUSY_SECONDS = 5.0

# A larger version is a flipped bit rather than a file from the future.
BEYOND_REASON = 1000

# `touched` counts changes over all sessions: lists are ordered by it, so no clock matters.
# `records` counts the entries of a session: a lost end would not be missed otherwise.
# `synced` changes when nothing else does, since only a commit that changes a page is synced.
# `entries` is clustered by session, so that one is read from neighbouring pages.
# `damaged` keeps what could not be trusted any more, so that nothing is thrown away.
_FIRST = """
CREATE TABLE sessions (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    cwd TEXT NOT NULL,
    additional TEXT NOT NULL,
    crc INTEGER NOT NULL,
    title TEXT,
    title_crc INTEGER,
    updated INTEGER NOT NULL,
    touched INTEGER NOT NULL,
    records INTEGER NOT NULL DEFAULT 0,
    synced INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX sessions_by_change ON sessions (touched);
CREATE INDEX sessions_by_cwd ON sessions (cwd, touched);
CREATE TABLE entries (
    session INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    crc INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (session, seq)
) WITHOUT ROWID;
CREATE TABLE damaged (session INTEGER, seq INTEGER, crc INTEGER, body BLOB);
"""
_STEPS = (_FIRST,)


def connect(path: Path) -> sqlite3.Connection:
    """Open an existing file. Transactions are begun and ended by hand."""
    return _connected(path, "rw")


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Open an existing file that stays as it is, byte by byte, together with its log of changes.

    An empty log and the index of the log can be left behind.
    """
    return _connected(path, "ro")


def set_up(connection: sqlite3.Connection) -> None:
    """Settings of a connection that writes, and tables where there are none.

    Raises:
        StoreFailed: a newer version made the file.
        sqlite3.DatabaseError: the file is not what it should be.
    """
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    # The log shrinks again after a burst, so that it does not stay large for ever.
    connection.execute("PRAGMA journal_size_limit = 8388608")
    if version_of(connection) != VERSION:
        migrate(connection)
    probe(connection)


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the tables to the version of this program, all or nothing."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        # Another process may have done it while this one waited.
        found = version_of(connection)
        if not 0 <= found < BEYOND_REASON:
            raise Damaged(f"layout {found}")
        if found > VERSION:
            raise StoreFailed(
                f"The session store has layout {found}, this parley knows {VERSION}\n"
                "hint: update parley, or let it use another data folder",
                "newer",
            )
        for step in _STEPS[found:]:
            for statement in step.split(";"):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def probe(connection: sqlite3.Connection) -> None:
    """Touch every table, so that a damaged file is noticed before it is used."""
    for table in ("sessions", "entries", "damaged"):
        connection.execute(f"SELECT * FROM {table} LIMIT 1").fetchone()
    connection.execute("SELECT max(touched), max(key) FROM sessions").fetchone()


def version_of(connection: sqlite3.Connection) -> int:
    return connection.execute("PRAGMA user_version").fetchone()[0]


class _Connection(sqlite3.Connection):
    """A connection whose errors can be told: SQLite puts names of a damaged schema into them."""

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        try:
            return super().execute(sql, parameters)
        except UnicodeDecodeError as error:
            raise Damaged("a name in it is no text") from error


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        factory=_Connection,
    )
    # A damaged text must reach the checksum instead of failing on the way to it.
    connection.text_factory = _lenient
    return connection


def _lenient(text: bytes) -> str:
    return text.decode("utf-8", "replace")
