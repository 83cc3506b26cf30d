"""What can be read of a damaged file is in the new one, and what is not is counted."""

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from parley.coder.store import changing, reading, rebuild, salvage, schema
from parley.coder.store.failure import Damaged
from parley.coder.store.salvage import Salvaged
from tests.coder.store.staging import FIRST, SECOND
from tests.coder.store.test_rebuild import made, records

PAGE = 4096
SESSIONS, ENTRIES = 40, 25


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A store with tables of many pages."""
    path = tmp_path / "sessions.db"
    rebuild.make_private(path)
    bodies = [bytes([each]) * 200 for each in range(ENTRIES)]
    with closing(schema.connect(path)) as connection:
        schema.set_up(connection)
        for number in range(SESSIONS):
            facts = (f"session-number-{number:04d}", "/project", "[]")
            changing.insert(connection, facts, None, bodies, number)
    return path


def root_of(path: Path, table: str) -> int:
    select = "SELECT rootpage FROM sqlite_master WHERE name = ?"
    with closing(schema.connect(path)) as connection:
        return connection.execute(select, (table,)).fetchone()[0]


def scribble(path: Path, page: int, count: int = 1) -> None:
    with path.open("r+b") as file:
        file.seek((page - 1) * PAGE)
        file.write(random.Random(page).randbytes(count * PAGE))


def rebuilt(path: Path) -> Salvaged:
    done = rebuild.rebuild(path)
    assert done is not None
    return done.kept


@pytest.mark.parametrize("place", [1, 16, 21, 28, 45, 59, 99])
def test_a_flipped_bit_in_the_head_of_the_file_loses_nothing(large: Path, place: int) -> None:
    with large.open("r+b") as file:
        content = bytearray(file.read(100))
        content[place] ^= 0x10
        file.seek(0)
        file.write(content)
    assert rebuilt(large) == Salvaged(SESSIONS, SESSIONS * ENTRIES)


@pytest.mark.parametrize("table", ["sqlite_master", "entries"])
def test_without_the_root_of_a_table_its_rows_are_found(large: Path, table: str) -> None:
    scribble(large, 1 if table == "sqlite_master" else root_of(large, table))
    found = rebuilt(large)
    assert (found.sessions, found.certain) == (SESSIONS, True)
    # The root of a clustered table has a few rows itself, and what follows those is no prefix.
    assert found.records + found.lost == SESSIONS * ENTRIES
    assert found.records > 0.8 * SESSIONS * ENTRIES
    assert found.whole is (table == "sqlite_master")


def test_without_the_table_of_sessions_they_are_found_by_their_index(large: Path) -> None:
    scribble(large, root_of(large, "sessions"))
    found = rebuilt(large)
    assert found.records == found.sessions * ENTRIES
    assert found.sessions > SESSIONS // 2
    assert not found.certain
    assert "cannot be known" in found.text


def test_what_is_lost_is_counted_session_by_session(large: Path) -> None:
    with closing(schema.connect(large)) as connection:
        connection.execute("DELETE FROM entries WHERE session = 1")
        connection.execute("DELETE FROM entries WHERE session = 2 AND seq = 11")
    found = rebuilt(large)
    assert found.lost == ENTRIES + 15
    assert found.losses == {
        "session-number-0000": f"none of its {ENTRIES} records could be read",
        "session-number-0001": f"record 11 is missing; 10 of its {ENTRIES} records are kept",
    }
    assert f"; {ENTRIES + 15} of {SESSIONS * ENTRIES} records are lost" in found.text
    assert not found.whole


def test_a_count_that_cannot_be_is_not_believed(tmp_path: Path) -> None:
    path = made(tmp_path)
    with closing(schema.connect(path)) as connection:
        connection.execute(f"UPDATE sessions SET records = {2**50} WHERE key = 1")
    found = rebuilt(path)
    assert (found.records, found.lost) == (4, 0)
    assert found.losses == {FIRST: "record 3 is missing; 2 of its 2 records are kept"}


def test_a_session_whose_folder_is_lost_is_kept_if_its_records_fit_its_name(
    tmp_path: Path,
) -> None:
    path = made(tmp_path)
    with closing(schema.connect(path)) as connection:
        connection.execute("UPDATE sessions SET crc = 0, touched = x'00'")
        connection.execute("UPDATE entries SET crc = 0 WHERE session = 2")
        connection.execute(
            "INSERT INTO sessions (id, cwd, additional, crc, updated, touched, records) "
            "VALUES ('no id', '/', '[]', 0, 0, 0, 0)"
        )
    done = rebuild.rebuild(path)
    assert done is not None
    assert done.kept.losses == {FIRST: "its folder cannot be read"}
    assert not done.kept.certain
    assert records(path) == {FIRST: 2}
    with closing(schema.connect(path)) as connection:
        head = reading.head(connection, FIRST)
        assert head is not None
        assert head.cwd == salvage.UNKNOWN_FOLDER


@pytest.mark.parametrize("where", ["opened", "read"])
def test_a_file_that_cannot_be_read_just_now_is_not_taken_for_an_empty_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    path = made(tmp_path)
    error = sqlite3.OperationalError("unable to open database file")
    error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN

    class Unable:
        def execute(self, statement: str) -> None:
            raise error

        def close(self) -> None:
            pass

    def unable(source: Path) -> Unable:
        if where == "opened":
            raise error
        return Unable()

    with monkeypatch.context() as patched:
        patched.setattr(salvage, "_damaged", unable)
        with pytest.raises(sqlite3.OperationalError, match="unable"):
            rebuild.rebuild(path)
    assert records(path) == {FIRST: 2, SECOND: 2}
    assert not list(tmp_path.glob("*.damaged-*"))


def test_sessions_behind_a_hole_in_their_table_are_found_from_the_other_end(
    tmp_path: Path,
) -> None:
    path = made(tmp_path)
    orders: list[str] = []

    class Old:
        """A table in which the second of two rows cannot be reached from either end."""

        def execute(self, statement: str) -> object:
            orders.append(statement[-4:])
            with closing(schema.connect(path)) as connection:
                rows = connection.execute(statement).fetchall()

            def first_only() -> object:
                yield rows[0]
                raise sqlite3.DatabaseError("malformed")

            return first_only()

    old = salvage._Old(path, lambda error: True, 99)
    assert [row[1] for row in old._rows(Old())] == [FIRST, SECOND]
    assert orders == [" ASC", "DESC"]
    assert not old.is_listed


@pytest.mark.parametrize(("failures", "kept"), [(1, 2), (99, 0)])
def test_what_cannot_be_read_for_a_moment_only_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failures: int, kept: int
) -> None:
    path = made(tmp_path)
    real, count = salvage.verified, 0

    def failing(
        connection: sqlite3.Connection,
        key: int,
        session_id: str,
        gone: Callable[[sqlite3.Error], bool],
    ) -> reading.Verified:
        nonlocal count
        if session_id == FIRST and count < failures:
            count += 1
            assert gone(Damaged("malformed"))
            return reading.Verified([], "record 1 cannot be read", unreadable=True)
        return real(connection, key, session_id, gone)

    monkeypatch.setattr(salvage, "verified", failing)
    rebuild.rebuild(path)
    assert records(path) == {FIRST: kept, SECOND: 2}
    # Two looks that agree are enough; each reads the file, a copy and its pages.
    assert count <= 6
