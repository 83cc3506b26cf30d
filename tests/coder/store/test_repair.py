"""A repair mends what can be mended, keeps what was damaged, and says what it did."""

import os
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from parley.coder.store import rebuild, schema
from parley.coder.store import repair as module
from parley.coder.store.database import FILE_NAME, Database
from parley.coder.store.failure import StoreFailed
from parley.coder.store.lock import SessionLock, StoreLock
from parley.coder.store.repair import repair
from tests.coder.store.repair_campaign import kill_repairs, repairer
from tests.coder.store.staging import FIRST, SECOND, THIRD, chunks, filled, kept, opened, run

ENTRIES = 120
KILLS = 30


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    async def make() -> None:
        async with opened(tmp_path) as store:
            for session_id in (FIRST, SECOND):
                await filled(store, session_id, *chunks(ENTRIES))

    run(make)
    return tmp_path


def repaired(folder: Path) -> list[str]:
    """What a repair says. It leaves no fault, and a second one has nothing to do."""
    said: list[str] = []
    assert repair(folder, said.append).faults == ()
    again: list[str] = []
    assert repair(folder, again.append).faults == ()
    assert again == []
    return said


def changed(folder: Path, *statements: str) -> None:
    with closing(schema.connect(folder / "sessions.db")) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        for statement in statements:
            connection.execute(statement)


def counts(folder: Path) -> list[int]:
    return [len(run(lambda each=each: kept(folder, each))) for each in (FIRST, SECOND)]


def modes(folder: Path) -> dict[str, int]:
    paths = [folder, *folder.rglob("*")]
    return {
        str(each.relative_to(folder)): stat.S_IMODE(each.lstat().st_mode)
        for each in paths
        if not each.is_symlink()
    }


def test_a_sound_store_is_left_as_it_is(folder: Path) -> None:
    before = modes(folder), (folder / "sessions.db").read_bytes()
    assert repaired(folder) == []
    assert (modes(folder), (folder / "sessions.db").read_bytes()) == before


def test_where_there_is_no_store_none_is_made(tmp_path: Path) -> None:
    assert repaired(tmp_path / "none") == []
    assert not (tmp_path / "none").exists()


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "letter").touch(0o644)
    assert repaired(tmp_path) == []
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755
    with pytest.raises(StoreFailed, match="Not a directory"):
        repair(tmp_path / "letter", lambda text: None)
    assert stat.S_IMODE((tmp_path / "letter").stat().st_mode) == 0o644


def test_modes_are_set_and_told(folder: Path) -> None:
    folder.chmod(0o755)
    (folder / "sessions.db").chmod(0o644)
    said = repaired(folder)
    assert said == [
        f"{folder}: mode 755 is now 700",
        "sessions.db: mode 644 is now 600",
    ]
    assert not any(mode & 0o077 for mode in modes(folder).values())


def test_the_end_of_a_damaged_session_is_set_aside_and_the_rest_goes_on(folder: Path) -> None:
    changed(folder, "UPDATE entries SET crc = 0 WHERE session = 1 AND seq = 100")
    (line,) = repaired(folder)
    assert line.startswith(f"session `{FIRST}`: record 100 is damaged; 99 records before it")
    assert counts(folder) == [99, ENTRIES]
    with closing(schema.connect(folder / "sessions.db")) as connection:
        assert connection.execute("SELECT count(*) FROM damaged").fetchone() == (21,)


def lose_a_record(folder: Path) -> None:
    changed(folder, "DELETE FROM entries WHERE session = 1 AND seq = 100")


def ruin_a_page(folder: Path) -> None:
    path = folder / "sessions.db"
    content = path.read_bytes()
    place = content.index(b"piece 99") // 4096 * 4096
    path.write_bytes(content[:place] + bytes(64) + content[place + 64 :])


def cut_the_file(folder: Path) -> None:
    os.truncate(folder / "sessions.db", (folder / "sessions.db").stat().st_size - 4096)


@pytest.mark.parametrize("ruin", [lose_a_record, ruin_a_page, cut_the_file])
def test_a_damaged_file_is_made_anew_and_kept(folder: Path, ruin: Callable[[Path], None]) -> None:
    ruin(folder)
    original = (folder / "sessions.db").read_bytes()
    first, *losses = repaired(folder)
    aside = folder / "sessions.db.damaged-1"
    assert "2 sessions with" in first
    assert f"the damaged file is `{aside}`" in first
    assert aside.read_bytes() == original
    assert len(losses) == 1
    assert losses[0].startswith("session `")
    assert ENTRIES in counts(folder)
    assert sum(counts(folder)) > 1.3 * ENTRIES


def test_an_index_is_made_anew(folder: Path) -> None:
    sql = "CREATE INDEX sessions_by_change ON sessions (touched)"
    changed(
        folder,
        "DROP INDEX sessions_by_change",
        "CREATE INDEX sessions_by_change ON sessions (updated)",
        f"UPDATE sqlite_master SET sql = '{sql}' WHERE name = 'sessions_by_change'",
    )
    assert repaired(folder) == ["sessions.db: its indexes are made anew"]
    assert counts(folder) == [ENTRIES, ENTRIES]


def test_a_table_that_has_a_session_twice_is_made_anew(folder: Path) -> None:
    path = folder / "sessions.db"
    with closing(schema.connect(path)) as connection:
        (page,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'sessions'"
        ).fetchone()
    content = path.read_bytes()
    start = (page - 1) * 4096
    table = content[start : start + 4096].replace(SECOND.encode(), FIRST.encode())
    path.write_bytes(content[:start] + table + content[start + 4096 :])
    # The index still has the name of the second one.
    assert repaired(folder)[1:] == [f"session `{SECOND}`: its folder cannot be read"]
    assert counts(folder) == [ENTRIES, ENTRIES]


def test_a_repair_that_was_interrupted_at_its_end_is_finished(folder: Path) -> None:
    path = folder / "sessions.db"
    rebuild.demand(path)
    shutil.copy(path, folder / "sessions.db.damaged-1")
    assert repaired(folder) == ["sessions.db: a repair that was interrupted is finished"]
    assert counts(folder) == [ENTRIES, ENTRIES]


def test_changes_of_a_killed_process_become_part_of_the_file(tmp_path: Path, folder: Path) -> None:
    killed = folder / "killed"

    async def make() -> None:
        async with opened(folder) as store:
            log = await store.open(FIRST)
            log.append(*chunks(5))
            await log.flush()
            shutil.copytree(folder, killed)

    run(make)
    lock, merged = repaired(killed)
    assert lock == f"locks/{FIRST}.lock: removed, its process is gone"
    assert "the log of the last changes" in merged
    assert sorted(each.name for each in killed.iterdir()) == ["locks", "sessions.db", "store.lock"]
    assert counts(killed) == [ENTRIES + 5, ENTRIES]


def test_remains_are_removed_and_what_sessions_need_is_not(folder: Path) -> None:
    for name in (f"undo/{FIRST}", f"undo/{THIRD}"):
        (folder / name).mkdir(parents=True, mode=0o700)
        (folder / name / "journal").touch(0o600)
    (folder / "undo").chmod(0o700)
    (folder / "undo" / FIRST / ".part").touch(0o600)
    (folder / "sessions.db.new").touch(0o600)
    assert repaired(folder) == [
        "sessions.db.new: removed, it was left by an interrupted process",
        f"undo/{FIRST}/.part: removed, it was left by an interrupted process",
        f"undo/{THIRD}: removed, its session is gone",
    ]
    assert [each.name for each in (folder / "undo").rglob("*")] == [FIRST, "journal"]


def test_undo_data_stays_while_a_damaged_file_may_know_its_session(folder: Path) -> None:
    (folder / "undo" / THIRD).mkdir(parents=True)
    (folder / "undo" / THIRD / "journal").touch()
    rebuild.demand(folder / "sessions.db")
    repaired(folder)
    assert (folder / "undo" / THIRD / "journal").exists()
    (folder / "sessions.db.damaged-1").unlink()
    assert repaired(folder) == [
        "sessions.db.damaged-1-report: removed, it was left by an interrupted process",
        f"undo/{THIRD}: removed, its session is gone",
    ]


def test_undo_data_that_cannot_be_removed_is_told(folder: Path) -> None:
    (folder / "undo" / THIRD / "folder").mkdir(parents=True)
    said: list[str] = []
    repair(folder, said.append)
    assert said[-1] == f"undo/{THIRD}: could not be removed, its session is gone"


def test_things_in_the_place_of_others_are_moved(folder: Path) -> None:
    (folder / "store.lock").unlink()
    (folder / "store.lock").symlink_to(folder / "elsewhere")
    (folder / "locks" / f"{FIRST}.lock").mkdir()
    said = repaired(folder)
    assert said[1].startswith("store.lock cannot be what it should be; it is now `")
    assert (folder / "store.lock.damaged-1").is_symlink()
    assert (folder / "locks" / f"{FIRST}.lock.damaged-1").is_dir()
    assert not (folder / "elsewhere").exists()
    assert counts(folder) == [ENTRIES, ENTRIES]


def test_a_folder_in_the_place_of_the_log_is_moved(folder: Path) -> None:
    (folder / "sessions.db-wal").mkdir()
    (line,) = repaired(folder)
    assert line.startswith("sessions.db-wal cannot be what it should be")
    assert (folder / "sessions.db-wal.damaged-1").is_dir()
    assert counts(folder) == [ENTRIES, ENTRIES]


def test_while_somebody_has_the_store_open_nothing_is_done(folder: Path) -> None:
    changed(folder, "UPDATE entries SET crc = 0 WHERE session = 1 AND seq = 100")
    before = (folder / "sessions.db").read_bytes()
    with repairer() as program:
        pid = program.share(folder)
        with pytest.raises(StoreFailed, match=f"process {pid} has the store open") as refusal:
            repair(folder, lambda text: None)
        os.kill(pid, 9)
        program.ended()
    assert refusal.value.cause == "busy"
    assert "hint: close it there" in refusal.value.message
    assert (folder / "sessions.db").read_bytes() == before
    assert "100 is damaged" in "".join(repaired(folder))


def test_who_holds_a_session_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PATIENCE", 0)
    database = Database(folder)
    database.connection()
    lock = SessionLock.take(folder / "locks", FIRST)
    with pytest.raises(StoreFailed, match=f"process {os.getpid()} has session `{FIRST}` open"):
        repair(folder, lambda text: None)
    database.close()
    # Even if it does not hold the store.
    with pytest.raises(StoreFailed, match=f"process {os.getpid()} has session `{FIRST}` open"):
        repair(folder, lambda text: None)
    (folder / "locks" / f"{FIRST}.lock").write_text("?")
    with pytest.raises(StoreFailed, match="somebody has session"):
        repair(folder, lambda text: None)
    lock.release()
    assert repaired(folder) == []


def test_somebody_who_cannot_be_named_is_another_process(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PATIENCE", 0)
    other = StoreLock(folder / "store.lock")
    assert other.share(0)
    with pytest.raises(StoreFailed, match="another process has it open"):
        repair(folder, lambda text: None)
    other.release()


def test_what_a_newer_version_made_is_left_alone(folder: Path) -> None:
    changed(folder, "PRAGMA user_version = 2")
    (folder / "sessions.db.new").touch(0o600)
    before = (folder / "sessions.db").read_bytes()
    said: list[str] = []
    (fault,) = repair(folder, said.append).faults
    assert fault.kind == "newer"
    assert said == []
    assert (folder / "sessions.db").read_bytes() == before
    assert (folder / "sessions.db.new").exists()


def test_a_folder_of_another_user_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.os, "geteuid", lambda: 123_456)
    with pytest.raises(StoreFailed, match="belongs to another user") as refusal:
        repair(folder, lambda text: None)
    assert refusal.value.cause == "denied"


def test_on_a_full_disk_the_repair_says_so_and_changes_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lose_a_record(folder)
    original = (folder / "sessions.db").read_bytes()
    connect = schema.connect

    def narrow(path: Path) -> sqlite3.Connection:
        connection = connect(path)
        connection.execute("PRAGMA max_page_count = 6")
        return connection

    with monkeypatch.context() as patched:
        patched.setattr(schema, "connect", narrow)
        with pytest.raises(StoreFailed, match="no space left on the device") as refusal:
            repair(folder, lambda text: None)
    assert refusal.value.cause == "full"
    assert (folder / "sessions.db").read_bytes() == original
    assert not rebuild.is_demanded(folder / "sessions.db")
    assert "2 sessions with 219 records" in repaired(folder)[0]


def test_a_session_whose_end_cannot_be_set_aside_stays_as_it_was(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed(folder, "UPDATE entries SET crc = 0 WHERE session = 1 AND seq = 100")

    def full(connection: sqlite3.Connection, *given: object) -> None:
        connection.execute("DELETE FROM entries")
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(module.changing, "set_aside", full)
        with pytest.raises(StoreFailed, match="no space left"):
            repair(folder, lambda text: None)
    assert "99 records before it" in repaired(folder)[0]


def test_a_repair_that_is_killed_anywhere_loses_nothing() -> None:
    tally = kill_repairs(KILLS)
    assert tally.wrong == []
    assert tally.kills == KILLS
    assert tally.by_steps > KILLS // 4


def test_what_a_killed_process_began_is_taken_back_before_the_check(tmp_path: Path) -> None:
    path, left = tmp_path / FILE_NAME, tmp_path / "left"
    path.touch()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        schema.migrate(connection)
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("BEGIN")
        connection.execute("CREATE TABLE other (x)")
        connection.executemany("INSERT INTO other VALUES (?)", [("y" * 3000,)] * 50)
        # A journal beside a file that it does not fit any more: the process ends here.
        for each in (path, path.with_name(f"{FILE_NAME}-journal")):
            left.mkdir(exist_ok=True)
            (left / each.name).write_bytes(each.read_bytes())
        connection.execute("ROLLBACK")
    assert not repair(left, lambda line: None).faults
    assert not (left / f"{FILE_NAME}-journal").exists()
