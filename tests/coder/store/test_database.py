"""The file of the store: private, watched, replaced when damaged."""

import os
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from parley.coder.store import database as module
from parley.coder.store import rebuild, schema
from parley.coder.store.database import FILE_NAME, Database
from parley.coder.store.failure import StoreFailed


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    made = Database(tmp_path / "deep" / "data")
    yield made
    made.close()


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o277])
def test_everything_is_private_whatever_the_umask(database: Database, umask: int) -> None:
    before = os.umask(umask)
    try:
        database.connection().execute("DELETE FROM sessions")
    finally:
        os.umask(before)
    modes = {
        path.name: stat.S_IMODE(path.stat().st_mode)
        for path in (database.folder, *database.folder.iterdir())
    }
    assert modes == {
        "data": 0o700,
        "locks": 0o700,
        "store.lock": 0o600,
        FILE_NAME: 0o600,
        f"{FILE_NAME}-wal": 0o600,
        f"{FILE_NAME}-shm": 0o600,
    }


def test_a_folder_that_was_open_to_others_is_closed_to_them(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    rebuild.make_private(tmp_path / FILE_NAME)
    (tmp_path / FILE_NAME).chmod(0o644)
    database = Database(tmp_path)
    database.connection()
    database.close()
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / FILE_NAME).stat().st_mode) == 0o600


def test_one_connection_is_kept_and_readers_have_their_own(database: Database) -> None:
    assert database.connection() is database.connection()
    assert database.generation == 1
    reader = database.reader()
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        reader.execute("DELETE FROM sessions")
    reader.close()


def test_a_file_that_was_removed_is_noticed_and_made_again(database: Database) -> None:
    database.connection()
    database.path.unlink()
    database.connection().execute("DELETE FROM sessions")
    assert database.generation == 2
    assert database.path.exists()


def test_a_file_that_is_no_store_is_replaced_with_a_note(database: Database) -> None:
    database.folder.mkdir(parents=True)
    database.path.write_bytes(b"no database" * 1_000)
    database.connection().execute("SELECT * FROM sessions")
    (note,) = database.rebuilt
    assert f"{FILE_NAME}.damaged-1" in note.text


def test_a_link_in_place_of_the_file_is_never_followed(database: Database, tmp_path: Path) -> None:
    database.folder.mkdir(parents=True)
    database.path.symlink_to(tmp_path / "victim")
    database.connection().execute("DELETE FROM sessions")
    assert not (tmp_path / "victim").exists()
    assert not database.path.is_symlink()


def test_a_file_of_another_user_is_refused(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.connection()
    database.drop()
    monkeypatch.setattr(module.os, "geteuid", lambda: 123_456)
    with pytest.raises(StoreFailed, match="belongs to another user") as refusal:
        database.connection()
    assert refusal.value.cause == "denied"


def test_a_suspected_file_is_rebuilt_at_the_next_use(database: Database) -> None:
    database.connection()
    database.suspect()
    database.connection()
    assert len(database.rebuilt) == 1
    assert not rebuild.is_demanded(database.path)


def test_a_suspected_file_that_others_use_is_used_as_far_as_it_goes(database: Database) -> None:
    database.connection()
    other = Database(database.folder)
    other.connection()
    database.suspect()
    database.connection().execute("SELECT * FROM sessions")
    assert list(database.rebuilt) == []
    other.close()
    database.drop()
    database.connection()
    assert len(database.rebuilt) == 1


def test_a_ruined_file_that_others_use_is_an_error_that_names_the_fix(database: Database) -> None:
    database.connection().execute("DROP TABLE entries")
    database.drop()
    other = module.StoreLock(database.folder / "store.lock")
    assert other.share(0)
    with pytest.raises(StoreFailed, match="close every parley") as refusal:
        database.connection()
    assert refusal.value.cause == "damaged"
    other.release()
    database.connection().execute("SELECT * FROM entries")


def test_a_file_that_is_damaged_again_and_again_is_not_moved_for_ever(database: Database) -> None:
    for _ in range(5):
        database.connection()
        database.suspect()
    assert len(database.rebuilt) == 3


def test_a_repair_by_another_process_is_waited_for(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PATIENCE", 0.01)
    database.folder.mkdir(parents=True)
    other = module.StoreLock(database.folder / "store.lock")
    assert other.alone(0)
    with pytest.raises(StoreFailed, match="repairs") as refusal:
        database.connection()
    assert refusal.value.cause == "busy"
    other.release()
    database.connection()


def test_a_file_that_another_process_makes_first_is_used(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_late(path: Path) -> None:
        path.touch()
        raise FileExistsError

    monkeypatch.setattr(rebuild, "make_private", too_late)
    database.connection().execute("SELECT * FROM sessions")


@pytest.mark.parametrize("code", [sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR])
@pytest.mark.parametrize("demanded", [False, True])
def test_an_error_that_is_no_damage_moves_nothing(
    database: Database, monkeypatch: pytest.MonkeyPatch, code: int, demanded: bool
) -> None:
    def failing(connection: sqlite3.Connection) -> None:
        error = sqlite3.OperationalError("cannot")
        error.sqlite_errorcode = code
        raise error

    database.connection()
    other = Database(database.folder)
    other.connection()
    database.suspect() if demanded else database.drop()
    with monkeypatch.context() as patched:
        patched.setattr(schema, "set_up", failing)
        with pytest.raises(StoreFailed):
            database.connection()
    assert not list(database.folder.glob("*.damaged-*"))
    other.close()


def test_others_who_make_the_same_file_are_waited_for(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_up, refusals = schema.set_up, [sqlite3.SQLITE_BUSY, sqlite3.SQLITE_BUSY_RECOVERY]

    def busy(connection: sqlite3.Connection) -> None:
        if refusals:
            error = sqlite3.OperationalError("database is locked")
            error.sqlite_errorcode = refusals.pop()
            raise error
        set_up(connection)

    monkeypatch.setattr(schema, "set_up", busy)
    database.connection().execute("SELECT * FROM sessions")
    database.drop()
    refusals.extend([sqlite3.SQLITE_BUSY] * 100)
    monkeypatch.setattr(schema, "BUSY_SECONDS", 0.0)
    with pytest.raises(StoreFailed) as refusal:
        database.connection()
    assert refusal.value.cause == "busy"


@pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal"])
def test_a_pipe_beside_the_file_is_moved_and_not_waited_for(
    database: Database, suffix: str
) -> None:
    database.connection()
    database.drop()
    os.mkfifo(f"{database.path}{suffix}")
    database.connection().execute("SELECT * FROM sessions")
    assert os.path.lexists(f"{database.path}{suffix}.damaged-1")
