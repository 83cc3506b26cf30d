"""What is read from the tables, and how far it can be trusted. Knows no threads and no sessions.

Everything that is returned was once written: rows whose checksum is wrong end a session's log, a
session whose own facts are damaged is not there.
"""

import re
import sqlite3
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct

from parley.coder.store.failure import Damaged, cause_of
from parley.coder.store.record import (
    checksum,
    is_session_id,
    seed,
    text_checksum,
    unpacked_paths,
)
from parley.errors import InvalidParams
from parley.session.role import SessionInfo, SessionPage

SESSION_COLUMNS = "key, id, cwd, additional, crc, title, title_crc, updated, touched, records"

_CURSOR = re.compile(r"before-([0-9]{1,18})")
_LARGEST = 2**62
_MOST_SESSIONS = 1_000_000
_TOUCHED = SESSION_COLUMNS.split(", ").index("touched")
# The end of the year 9999, after which there is no date.
_LAST_MOMENT = 253_402_300_799_999

Row = tuple[int, int, int, bytes]
"""Session, seq, checksum and body, as stored."""


class Head(Struct, frozen=True):
    """The facts of a session, without what happened in it."""

    key: int
    session_id: str
    cwd: str
    additional: tuple[str, ...]
    title: str | None
    updated: int
    touched: int

    @property
    def info(self) -> SessionInfo:
        return SessionInfo(
            self.session_id,
            self.cwd,
            title=self.title,
            updated_at=_moment(self.updated),
            additional_directories=self.additional,
        )


class Verified(Struct, frozen=True):
    """The records of a session up to the first one that cannot be trusted."""

    rows: Sequence[Row]
    damage: str | None = None
    """What is wrong with the next one, for a person."""
    unreadable: bool = False
    """Records are not where they should be, so the file as a whole needs a repair."""


def head(connection: sqlite3.Connection, session_id: str) -> Head | None:
    """The facts of a session, or nothing when there is none or they are damaged."""
    select = f"SELECT {SESSION_COLUMNS} FROM sessions"
    row = connection.execute(f"{select} WHERE id = ?", (session_id,)).fetchone()
    if row is not None:
        return head_of(row)
    # A look at the whole table costs little, and tells a missing session from a damaged index.
    # Pages that lead back to themselves would never come to an end, so it has a limit.
    everything = f"{select} NOT INDEXED LIMIT {_MOST_SESSIONS}"
    row = connection.execute(f"SELECT * FROM ({everything}) WHERE id = ?", (session_id,)).fetchone()
    if row is not None:
        raise Damaged("an index has lost a session")
    return None


def head_of(row: tuple[Any, ...]) -> Head | None:
    """The facts in a row, or nothing when they are damaged."""
    key, session_id, cwd, additional, crc, title, title_crc, updated, touched, _ = row
    texts = all(isinstance(text, str) for text in (session_id, cwd, additional))
    if not texts or not is_session_id(session_id):
        return None
    start = seed(session_id)
    folders = unpacked_paths(additional)
    if crc != text_checksum(start, cwd, additional) or folders is None:
        return None
    if not isinstance(title, str) or title_crc != text_checksum(start, title):
        title = None
    updated = updated if isinstance(updated, int) else 0
    touched = touched if isinstance(touched, int) else 0
    return Head(key, session_id, cwd, folders, title, updated, touched)


def is_damage(error: sqlite3.Error) -> bool:
    return cause_of(error) == "damaged"


def verified(
    connection: sqlite3.Connection,
    key: int,
    session_id: str,
    is_damage: Callable[[sqlite3.Error], bool] = is_damage,
) -> Verified:
    """Read and check the records of a session, in order.

    An error that is no damage is raised: it says nothing about the records.
    """
    # Another process may append meanwhile; both tables are seen as they were at one moment.
    connection.execute("BEGIN")
    rows: list[Row] = []
    try:
        return _verified(connection, key, seed(session_id), rows)
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        return Verified(rows, f"record {len(rows) + 1} cannot be read", unreadable=True)
    finally:
        connection.execute("ROLLBACK")


def page(
    connection: sqlite3.Connection, cwd: str | None, cursor: str | None, limit: int
) -> SessionPage:
    """Some sessions, the one that changed last first."""
    before = _LARGEST if cursor is None else _position(cursor)
    where, values = ("", ()) if cwd is None else ("cwd = ? AND ", (cwd,))
    rows = connection.execute(
        f"SELECT {SESSION_COLUMNS} FROM sessions WHERE {where} touched < ? "
        "ORDER BY touched DESC LIMIT ?",
        (*values, before, limit + 1),
    ).fetchall()
    heads = [found for row in rows[:limit] if (found := head_of(row)) is not None]
    following = f"before-{rows[limit - 1][_TOUCHED]}" if len(rows) > limit else None
    return SessionPage(tuple(each.info for each in heads), following)


def _verified(connection: sqlite3.Connection, key: int, start: int, rows: list[Row]) -> Verified:
    """Collect the records before the first bad one in `rows`, and judge the others."""
    seen, damage = 0, None
    for row in connection.execute(
        "SELECT session, seq, crc, CAST(body AS BLOB) FROM entries WHERE session = ? ORDER BY seq",
        (key,),
    ):
        seen += 1
        if row[:2] != (key, seen):
            return Verified(rows, f"record {len(rows) + 1} is missing", unreadable=True)
        if damage is not None:
            # The rest is not used any more, but whether it is all there says how bad it is.
            continue
        if isinstance(row[3], bytes) and row[2] == checksum(start, seen, row[3]):
            rows.append(row)
        else:
            damage = f"record {seen} is damaged"
    counted = connection.execute("SELECT records FROM sessions WHERE key = ?", (key,)).fetchone()
    if counted != (seen,):
        return Verified(rows, f"record {len(rows) + 1} is missing", unreadable=True)
    return Verified(rows, damage)


def _position(cursor: str) -> int:
    found = _CURSOR.fullmatch(cursor)
    if found is None:
        raise InvalidParams("The cursor is none that this agent gave; list without one first")
    return int(found[1])


def _moment(milliseconds: int) -> str | None:
    if not 0 <= milliseconds <= _LAST_MOMENT:
        return None
    moment = datetime.fromtimestamp(milliseconds // 1000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03d}Z"
