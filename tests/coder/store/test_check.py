"""A look at the file finds what is wrong, and changes nothing."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from parley.coder.store import changing, check, rebuild, schema
from parley.coder.store.check import Checked, Fault
from tests.coder.store.staging import FIRST, SECOND, chunks, filled, opened, run

ENTRIES = 120


@pytest.fixture
def path(tmp_path: Path) -> Path:
    async def make() -> None:
        async with opened(tmp_path) as store:
            for session_id in (FIRST, SECOND):
                await filled(store, session_id, *chunks(ENTRIES))

    run(make)
    return tmp_path / "sessions.db"


def changed(path: Path, *statements: str) -> None:
    with closing(schema.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        for statement in statements:
            connection.execute(statement)


def faults(path: Path) -> list[tuple[str, str]]:
    return [(fault.kind, fault.text) for fault in check.check(path).faults]


def contents(path: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in path.parent.iterdir() if each.is_file()}


def test_a_sound_store_is_counted_and_left_as_it_is(path: Path) -> None:
    before = contents(path)
    told: list[tuple[int, int]] = []
    found = check.check(path, progress=lambda done, every: told.append((done, every)))
    assert found == Checked(True, 2, 2 * ENTRIES, 0, 2, True, frozenset({FIRST, SECOND}))
    assert told == [(0, 2), (1, 2), (2, 2)]
    assert contents(path) == before


def test_without_a_file_there_is_nothing_wrong(tmp_path: Path) -> None:
    assert check.check(tmp_path / "sessions.db") == Checked()


def test_a_file_that_was_just_made_is_sound(tmp_path: Path) -> None:
    rebuild.make_private(tmp_path / "sessions.db")
    assert check.check(tmp_path / "sessions.db") == Checked(exists=True)


def test_a_store_that_others_use_and_change_is_sound(path: Path) -> None:
    async def scenario() -> None:
        async with opened(path.parent) as store:
            log = await store.open(FIRST)
            log.append(*chunks(5))
            await log.flush()
            found = check.check(path)
            assert (found.entries, found.faults) == (2 * ENTRIES + 5, ())
            log.append(*chunks(5))
            await log.flush()
            assert len(await log.entries()) == ENTRIES + 10

    run(scenario)


def test_a_damaged_record_is_told_with_its_session(path: Path) -> None:
    changed(path, "UPDATE entries SET crc = 0 WHERE session = 1 AND seq = 2")
    fault = Fault("session", "record 2 is damaged", FIRST, 1, 1)
    assert check.check(path).faults == (fault,)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("DELETE FROM entries WHERE session = 1 AND seq = 2", "record 2 is missing"),
        ("UPDATE sessions SET crc = 0 WHERE key = 2", "folder is damaged"),
        (
            "UPDATE entries SET session = 9 WHERE session = 2",
            f"{ENTRIES} records that belong to no",
        ),
        ("DROP TABLE damaged", "cannot be read (no such table: damaged)"),
        ("PRAGMA user_version = 70000", "cannot be read (layout 70000)"),
    ],
)
def test_what_only_a_rebuild_can_mend_is_told(path: Path, statement: str, words: str) -> None:
    changed(path, statement)
    found = faults(path)
    assert {kind for kind, _ in found} == {"file"}
    assert any(words in text for _, text in found)


def test_an_index_that_does_not_fit_its_table_is_found(path: Path) -> None:
    sql = "CREATE INDEX sessions_by_change ON sessions (touched)"
    changed(
        path,
        "DROP INDEX sessions_by_change",
        "CREATE INDEX sessions_by_change ON sessions (updated)",
        f"UPDATE sqlite_master SET sql = '{sql}' WHERE name = 'sessions_by_change'",
    )
    ((kind, text),) = faults(path)
    assert kind == "index"
    assert "sessions_by_change" in text


def test_a_newer_version_is_told_with_what_to_do(path: Path) -> None:
    changed(path, "PRAGMA user_version = 2")
    ((kind, text),) = faults(path)
    assert kind == "newer"
    assert text == "has layout 2, and this parley knows 1; update parley"


def make_noise(path: Path) -> None:
    path.write_bytes(b"noise" * 3_000)


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def zero_a_page(path: Path) -> None:
    content = path.read_bytes()
    place = content.index(b"piece 60") // 4096 * 4096
    path.write_bytes(content[:place] + bytes(64) + content[place + 64 :])


def lose_file(path: Path) -> None:
    path.rename(f"{path}-wal")


@pytest.mark.parametrize(
    ("ruin", "words"),
    [
        (make_noise, "not a database"),
        (make_folder, "is not a regular file"),
        (zero_a_page, "is not in order"),
        (lose_file, "is missing, and the log"),
        (rebuild.demand, "waits for a repair"),
    ],
)
def test_a_ruined_file_is_told(path: Path, ruin: Callable[[Path], None], words: str) -> None:
    ruin(path)
    before = contents(path)
    (first, *_) = faults(path)
    assert first[0] == "file"
    assert words in first[1]
    assert contents(path) == before


def test_many_complaints_are_cut_short(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def many(connection: sqlite3.Connection, question: str) -> list[str]:
        return [f"row {number}" for number in range(9)]

    monkeypatch.setattr(check, "_answers", many)
    assert faults(path) == [("file", "is not in order: row 0; row 1; row 2 and 6 more")]


def test_a_file_of_another_user_is_a_failure(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check.os, "geteuid", lambda: 123_456)
    ((kind, text),) = faults(path)
    assert kind == "failed"
    assert "belongs to another user" in text


def test_when_time_is_up_the_rest_is_not_looked_at(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "_STEPS", 10)
    steps: list[int] = []

    def clock() -> float:
        steps.append(1)
        return len(steps) / 100

    monkeypatch.setattr(check.time, "monotonic", clock)
    whole = check.check(path, within=10_000)
    assert (whole.sessions, whole.seen, whole.complete) == (2, 2, True)
    needed = len(steps)
    some: list[Checked] = []
    for part in (0.01, 0.5, 0.95):
        steps.clear()
        some.append(check.check(path, within=needed * part / 100))
    assert all(found.faults == () for found in some)
    assert not any(found.complete for found in some)
    assert [found.seen for found in some] == [0, 0, 1]


def test_pages_of_a_huge_file_are_not_looked_at_when_time_is_short(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "_QUICK_BYTES", 1)

    def forbidden(connection: sqlite3.Connection, question: str) -> list[str]:
        raise AssertionError(question)

    with monkeypatch.context() as patched:
        patched.setattr(check, "_answers", forbidden)
        assert check.check(path, within=60).seen == 2
        with pytest.raises(AssertionError):
            check.check(path)


def test_a_session_that_is_deleted_meanwhile_is_no_fault(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    verified = check.reading.verified

    def deleting(*given: object) -> object:
        with closing(schema.connect(path)) as connection:
            changing.delete(connection, FIRST)
            changing.delete(connection, SECOND)
        return verified(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(check.reading, "verified", deleting)
    assert check.check(path).faults == ()


def test_a_failure_on_the_way_is_told_as_one(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*given: object) -> None:
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = sqlite3.SQLITE_IOERR_LOCK
        raise error

    monkeypatch.setattr(check.reading, "verified", failing)
    ((kind, text),) = faults(path)
    assert kind == "failed"
    assert "check the disk" in text


def test_what_others_left_in_the_log_meanwhile_stays(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head_of = check.reading.head_of

    def writing(row: tuple[object, ...]) -> object:
        # As by a process that was killed.
        Path(f"{path}-wal").write_bytes(b"something")
        return head_of(row)

    monkeypatch.setattr(check.reading, "head_of", writing)
    check.check(path)
    assert os.path.getsize(f"{path}-wal") == 9
