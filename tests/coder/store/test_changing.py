"""Changes of the tables, one by one."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from parley.coder.store import changing, reading, schema
from parley.coder.store.failure import Damaged, StoreFailed
from parley.errors import InvalidRequest
from tests.coder.store.staging import FIRST, SECOND


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    path = tmp_path / "sessions.db"
    path.touch()
    with closing(schema.connect(path)) as made:
        schema.set_up(made)
        yield made


def begun(connection: sqlite3.Connection, session_id: str, *bodies: bytes) -> int:
    return changing.insert(connection, (session_id, "/project", '["/more"]'), "t", bodies, 1_000)


def test_a_session_begins_with_its_facts_and_records(connection: sqlite3.Connection) -> None:
    key = begun(connection, FIRST, b"one", b"two")
    head = reading.head(connection, FIRST)
    assert head == reading.Head(key, FIRST, "/project", ("/more",), "t", 1_000, 1)
    found = reading.verified(connection, key, FIRST)
    assert [row[3] for row in found.rows] == [b"one", b"two"]
    assert changing.next_seq(connection, key, FIRST) == 3


def test_an_id_is_given_once(connection: sqlite3.Connection) -> None:
    begun(connection, FIRST)
    with pytest.raises(InvalidRequest, match="already"):
        begun(connection, FIRST)


def test_a_touched_session_is_the_last_one_and_its_time_never_goes_back(
    connection: sqlite3.Connection,
) -> None:
    first, second = begun(connection, FIRST), begun(connection, SECOND)
    changing.touch(connection, first, 500)
    changing.touch(connection, first, 2_000)
    changing.touch(connection, first, 1_500)
    heads = [reading.head(connection, each) for each in (FIRST, SECOND)]
    assert [(head.touched, head.updated) for head in heads if head] == [(3, 2_000), (2, 1_000)]
    assert second != first


def test_a_session_that_is_gone_or_another_one_is_not_touched(
    connection: sqlite3.Connection,
) -> None:
    with pytest.raises(StoreFailed, match="no longer"):
        changing.touch(connection, 7, 1)
    with pytest.raises(StoreFailed, match="no longer"):
        changing.next_seq(connection, begun(connection, FIRST), SECOND)


def test_every_sync_changes_a_page(connection: sqlite3.Connection) -> None:
    key = begun(connection, FIRST)
    before = connection.total_changes
    changing.mark_synced(connection, key)
    changing.mark_synced(connection, key)
    assert connection.total_changes == before + 2
    assert connection.execute("SELECT synced FROM sessions").fetchone() == (2,)


def test_records_behind_damage_are_set_aside_and_not_thrown_away(
    connection: sqlite3.Connection,
) -> None:
    key = begun(connection, FIRST, b"one", b"two", b"three")
    changing.set_aside(connection, key, 1)
    assert changing.next_seq(connection, key, FIRST) == 2
    assert connection.execute("SELECT seq, body FROM damaged").fetchall() == [
        (2, b"two"),
        (3, b"three"),
    ]


def test_records_that_are_not_where_they_should_be_are_damage_of_the_file(
    connection: sqlite3.Connection,
) -> None:
    key = begun(connection, FIRST, b"one")
    with pytest.raises(Damaged):
        changing.set_aside(connection, key, 2)


def test_a_deleted_session_leaves_no_byte_in_any_file(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    key = begun(connection, FIRST, b"a secret " * 2_000, b"a secret in short")
    changing.set_aside(connection, key, 1)
    begun(connection, SECOND, b"something else")
    changing.delete(connection, FIRST)
    changing.delete(connection, FIRST)
    changing.empty_log(connection)
    assert reading.head(connection, FIRST) is None
    assert not any(b"a secret" in path.read_bytes() for path in tmp_path.iterdir())
    assert b"something else" in (tmp_path / "sessions.db").read_bytes()
    assert connection.execute("PRAGMA busy_timeout").fetchone() == (5_000,)


@pytest.mark.parametrize("strange", ["'text'", "-5", "9223372036854775807"])
def test_a_count_that_is_none_is_damage_and_no_defect(
    connection: sqlite3.Connection, strange: str
) -> None:
    key = changing.insert(connection, (FIRST, "/", "[]"), None, [b"1"], 1)
    connection.execute(f"UPDATE sessions SET touched = {strange}")
    with pytest.raises(Damaged):
        changing.touch(connection, key, 1)
    connection.execute(f"UPDATE entries SET seq = {strange}")
    with pytest.raises(Damaged):
        changing.next_seq(connection, key, FIRST)
