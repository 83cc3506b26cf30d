"""What is changed in the tables. The caller begins and ends the transaction around it."""

import sqlite3
from collections.abc import Sequence

from parley.coder.store.failure import Damaged, StoreFailed
from parley.coder.store.record import checksum, seed, text_checksum
from parley.errors import InvalidRequest

# How long the log of changes may keep a deletion waiting; readers are gone within this.
_EMPTYING_MILLISECONDS = 500
_LARGEST = 2**62


def insert(
    connection: sqlite3.Connection,
    facts: tuple[str, str, str],
    title: str | None,
    bodies: Sequence[bytes],
    now: int,
) -> int:
    """Begin a session, given its id, folder and further folders; returns its key."""
    session_id, cwd, additional = facts
    start = seed(session_id)
    try:
        (key,) = connection.execute(
            "INSERT INTO sessions "
            "(id, cwd, additional, crc, title, title_crc, updated, records, touched) "
            "SELECT ?, ?, ?, ?, ?, ?, ?, ?, coalesce(max(touched), 0) + 1 FROM sessions "
            "RETURNING key",
            (
                *facts,
                text_checksum(start, cwd, additional),
                title,
                None if title is None else text_checksum(start, title),
                now,
                len(bodies),
            ),
        ).fetchone()
    except sqlite3.IntegrityError:
        raise InvalidRequest(f"There is a session `{session_id}` already") from None
    connection.executemany(
        "INSERT INTO entries VALUES (?, ?, ?, ?)",
        ((key, seq, checksum(start, seq, body), body) for seq, body in enumerate(bodies, start=1)),
    )
    return key


def touch(connection: sqlite3.Connection, key: int, now: int, added: int = 0) -> None:
    """Make a session the one that changed last. Its time never goes back, whatever the clock does.

    Raises:
        StoreFailed: there is no such session any more.
    """
    latest = _counted(connection.execute("SELECT max(touched) FROM sessions").fetchone())
    change = "UPDATE sessions SET updated = max(updated, ?), records = records + ?"
    # The order changes rarely, and leaving it alone spares two indexes at every commit.
    done = connection.execute(f"{change} WHERE key = ? AND touched = ?", (now, added, key, latest))
    if done.rowcount == 0:
        following = latest + 1
        done = connection.execute(
            f"{change}, touched = ? WHERE key = ?", (now, added, following, key)
        )
    if done.rowcount == 0:
        raise _gone()


def mark_synced(connection: sqlite3.Connection, key: int) -> None:
    """Change something: SQLite does not sync a commit that leaves every page as it was."""
    connection.execute("UPDATE sessions SET synced = synced + 1 WHERE key = ?", (key,))


def next_seq(connection: sqlite3.Connection, key: int, session_id: str) -> int:
    """The number of the next record of a session.

    Raises:
        StoreFailed: there is no such session any more.
    """
    # In a file that was made anew the key may belong to another session.
    found = connection.execute("SELECT id FROM sessions WHERE key = ?", (key,)).fetchone()
    if found != (session_id,):
        raise _gone()
    last = connection.execute("SELECT max(seq) FROM entries WHERE session = ?", (key,)).fetchone()
    return _counted(last) + 1


def records_from(connection: sqlite3.Connection, key: int, seq: int) -> list[tuple[int, int]]:
    """The numbers and checksums of the records of a session from one on."""
    return connection.execute(
        "SELECT seq, crc FROM entries WHERE session = ? AND seq >= ? ORDER BY seq", (key, seq)
    ).fetchall()


def set_title(connection: sqlite3.Connection, key: int, session_id: str, title: str) -> None:
    connection.execute(
        "UPDATE sessions SET title = ?, title_crc = ? WHERE key = ?",
        (title, text_checksum(seed(session_id), title), key),
    )


def set_aside(connection: sqlite3.Connection, key: int, kept: int) -> None:
    """Keep the first records of a session, and move the others to where nobody trusts them."""
    rest = "FROM entries WHERE session = ? AND seq NOT BETWEEN 1 AND ?"
    connection.execute(f"INSERT INTO damaged SELECT session, seq, crc, body {rest}", (key, kept))
    connection.execute(f"DELETE {rest}", (key, kept))
    found = connection.execute(
        "SELECT count(*), coalesce(max(seq), 0) FROM entries WHERE session = ?", (key,)
    ).fetchone()
    if found != (kept, kept):
        raise Damaged("records are out of order")
    connection.execute("UPDATE sessions SET records = ? WHERE key = ?", (kept, key))


def delete(connection: sqlite3.Connection, session_id: str) -> None:
    found = connection.execute("SELECT key FROM sessions WHERE id = ?", (session_id,)).fetchone()
    if found is not None:
        for statement in (
            "DELETE FROM entries WHERE session = ?",
            "DELETE FROM damaged WHERE session = ?",
            "DELETE FROM sessions WHERE key = ?",
        ):
            connection.execute(statement, found)


def empty_log(connection: sqlite3.Connection) -> None:
    """Have deleted bytes leave the log of changes, too, unless somebody reads from it.

    This one needs that no transaction is open.
    """
    (patience,) = connection.execute("PRAGMA busy_timeout").fetchone()
    connection.execute(f"PRAGMA busy_timeout = {_EMPTYING_MILLISECONDS}")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    connection.execute(f"PRAGMA busy_timeout = {patience}")


def _counted(row: tuple[object]) -> int:
    """The largest number of a column, which a damaged page may have anything in place of."""
    (found,) = row
    if found is None:
        return 0
    if not isinstance(found, int) or not 0 <= found < _LARGEST:
        raise Damaged("a number is none")
    return found


def _gone() -> StoreFailed:
    return StoreFailed("The session is no longer in the store\nhint: start a new session", "gone")
