"""What is read, and how far it is trusted."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from parley.coder.store import changing, reading, schema
from parley.coder.store.failure import Damaged
from parley.coder.store.record import seed, text_checksum
from parley.errors import InvalidParams
from tests.coder.store.staging import FIRST, SECOND, THIRD


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    path = tmp_path / "sessions.db"
    path.touch()
    with closing(schema.connect(path)) as made:
        schema.set_up(made)
        for session_id, cwd in ((FIRST, "/a"), (SECOND, "/b"), (THIRD, "/a")):
            changing.insert(made, (session_id, cwd, "[]"), "title", [b"1", b"2", b"3"], 1_500)
        yield made


def listed(page: reading.SessionPage) -> list[str]:
    return [info.session_id for info in page.sessions]


@pytest.mark.parametrize(
    ("damage", "kept", "text", "unreadable"),
    [
        ("UPDATE entries SET body = x'ff' WHERE seq = 2", 1, "record 2 is damaged", False),
        ("UPDATE entries SET body = 'text' WHERE seq = 3", 2, "record 3 is damaged", False),
        ("UPDATE entries SET crc = 1 WHERE seq = 1", 0, "record 1 is damaged", False),
        ("UPDATE entries SET seq = 9 WHERE seq = 1", 0, "record 1 is missing", True),
        ("DELETE FROM entries WHERE seq = 2", 1, "record 2 is missing", True),
        ("DELETE FROM entries WHERE seq = 3", 2, "record 3 is missing", True),
        ("UPDATE entries SET seq = -1 WHERE seq = 1", 0, "record 1 is missing", True),
    ],
)
def test_a_log_ends_before_its_first_bad_record(
    connection: sqlite3.Connection, damage: str, kept: int, text: str, unreadable: bool
) -> None:
    connection.execute(f"{damage} AND session = 1")
    found = reading.verified(connection, 1, FIRST)
    assert (len(found.rows), found.damage, found.unreadable) == (kept, text, unreadable)
    assert reading.verified(connection, 2, SECOND).damage is None


def test_an_index_that_has_lost_a_session_is_damage(connection: sqlite3.Connection) -> None:
    assert reading.head(connection, "missing-session-01") is None
    connection.execute("PRAGMA writable_schema = ON")
    (root,) = connection.execute(
        "SELECT rootpage FROM sqlite_schema WHERE name = 'entries'"
    ).fetchone()
    connection.execute(
        "UPDATE sqlite_schema SET rootpage = ? WHERE name = 'sqlite_autoindex_sessions_1'", (root,)
    )
    (path,) = connection.execute("SELECT file FROM pragma_database_list").fetchone()
    with closing(sqlite3.connect(path)) as other, pytest.raises(Damaged):
        reading.head(other, FIRST)


def test_a_log_that_sqlite_cannot_read_on_ends_there(connection: sqlite3.Connection) -> None:
    connection.execute("DROP TABLE entries")
    found = reading.verified(connection, 1, FIRST)
    assert (found.rows, found.unreadable) == ([], True)


def test_a_closed_connection_is_no_damage(connection: sqlite3.Connection) -> None:
    connection.close()
    with pytest.raises(sqlite3.ProgrammingError):
        reading.verified(connection, 1, FIRST)


@pytest.mark.parametrize(
    "damage",
    [
        "cwd = '/etc'",
        "additional = '[\"/\"]'",
        "crc = 0",
        "id = 'another-session-00'",
        "id = 'short'",
        "cwd = x'2f'",
    ],
)
def test_a_session_whose_facts_are_damaged_is_not_there(
    connection: sqlite3.Connection, damage: str
) -> None:
    connection.execute(f"UPDATE sessions SET {damage} WHERE key = 1")
    assert reading.head(connection, FIRST) is None
    assert listed(reading.page(connection, None, None, 9)) == [THIRD, SECOND]


def test_folders_that_are_no_text_of_ours_are_damage_even_with_their_checksum(
    connection: sqlite3.Connection,
) -> None:
    crc = text_checksum(seed(FIRST), "/project", "no list")
    connection.execute(
        "UPDATE sessions SET cwd = '/project', additional = 'no list', crc = ? WHERE key = 1",
        (crc,),
    )
    assert reading.head(connection, FIRST) is None


@pytest.mark.parametrize("damage", ["title = 'other'", "title_crc = 1", "title = NULL"])
def test_a_damaged_title_is_left_out(connection: sqlite3.Connection, damage: str) -> None:
    connection.execute(f"UPDATE sessions SET {damage}")
    head = reading.head(connection, FIRST)
    assert head is not None
    assert head.title is None


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("1500", "1970-01-01T00:00:01.500Z"),
        ("253402300799999", "9999-12-31T23:59:59.999Z"),
        ("253402300800000", None),
        ("-1", None),
        ("'soon'", "1970-01-01T00:00:00.000Z"),
    ],
)
def test_a_time_is_shown_where_it_is_one(
    connection: sqlite3.Connection, stored: str, shown: str | None
) -> None:
    connection.execute(f"UPDATE sessions SET updated = {stored}")
    head = reading.head(connection, FIRST)
    assert head is not None
    assert head.info.updated_at == shown


def test_pages_follow_each_other_without_gap_or_repetition(
    connection: sqlite3.Connection,
) -> None:
    first = reading.page(connection, None, None, 2)
    assert listed(first) == [THIRD, SECOND]
    # What changes in between moves to the front and shifts nothing.
    changing.touch(connection, 3, 9_000)
    rest = reading.page(connection, None, first.next_cursor, 2)
    assert listed(rest) == [FIRST]
    assert rest.next_cursor is None


def test_a_list_can_be_for_one_folder(connection: sqlite3.Connection) -> None:
    first = reading.page(connection, "/a", None, 1)
    assert listed(first) == [THIRD]
    assert listed(reading.page(connection, "/a", first.next_cursor, 1)) == [FIRST]
    assert listed(reading.page(connection, "/none", None, 1)) == []


@pytest.mark.parametrize("cursor", ["", "1", "before-", "before-x", "before-" + "9" * 40, "{}"])
def test_a_cursor_that_nobody_gave_is_refused(connection: sqlite3.Connection, cursor: str) -> None:
    with pytest.raises(InvalidParams, match="cursor"):
        reading.page(connection, None, cursor, 2)
