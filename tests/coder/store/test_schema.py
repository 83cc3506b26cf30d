"""The tables, their version and the settings of connections."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from parley.coder.store import schema
from parley.coder.store.failure import Damaged, StoreFailed


def empty(folder: Path) -> Path:
    path = folder / "sessions.db"
    path.touch()
    return path


def test_tables_are_made_once_and_used_afterwards(tmp_path: Path) -> None:
    path = empty(tmp_path)
    for _ in range(2):
        with closing(schema.connect(path)) as connection:
            schema.set_up(connection)
            assert schema.version_of(connection) == schema.VERSION
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
            assert connection.execute("PRAGMA secure_delete").fetchone() == (1,)


def test_a_file_that_is_not_there_is_not_made_by_a_connection(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError):
        schema.connect(tmp_path / "missing.db")


def test_a_newer_version_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    with closing(schema.connect(empty(tmp_path))) as connection:
        connection.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
        with pytest.raises(StoreFailed, match="update parley") as refusal:
            schema.set_up(connection)
        assert refusal.value.cause == "newer"
        assert schema.version_of(connection) == schema.VERSION + 1
        assert not connection.in_transaction


@pytest.mark.parametrize("version", [-1, 2**24])
def test_a_version_that_cannot_be_is_damage(tmp_path: Path, version: int) -> None:
    with closing(schema.connect(empty(tmp_path))) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
        with pytest.raises(Damaged):
            schema.set_up(connection)


def test_a_lost_table_is_noticed_when_the_file_is_opened(tmp_path: Path) -> None:
    with closing(schema.connect(empty(tmp_path))) as connection:
        schema.set_up(connection)
        connection.execute("DROP TABLE entries")
        with pytest.raises(sqlite3.OperationalError, match="no such table"):
            schema.set_up(connection)


def test_a_damaged_text_can_still_be_read(tmp_path: Path) -> None:
    with closing(schema.connect(empty(tmp_path))) as connection:
        assert connection.execute("SELECT CAST(x'61ff' AS TEXT)").fetchone() == (
            "a\N{REPLACEMENT CHARACTER}",
        )


def test_a_name_in_the_schema_that_is_no_text_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    path.touch()
    with closing(schema.connect(path)) as connection:
        schema.set_up(connection)
    content = path.read_bytes()
    path.write_bytes(content.replace(b"CREATE TABLE damaged (", b"CREATE TABLE \xdfamaged ?"))
    with closing(schema.connect(path)) as connection, pytest.raises(sqlite3.DatabaseError):
        schema.set_up(connection)
