"""Sessions are made, opened, listed, forked and deleted."""

import asyncio
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from parley.coder.store import changing, reading, rebuild, schema
from parley.coder.store.database import FILE_NAME
from parley.coder.store.failure import SessionInUse, StoreFailed
from parley.coder.store.store import Store
from parley.errors import InvalidParams, InvalidRequest, ResourceNotFound
from parley.session.role import SessionInfo
from tests.coder.store.staging import (
    FIRST,
    SECOND,
    THIRD,
    chunk,
    chunks,
    filled,
    kept,
    opened,
    run,
)


def test_a_session_is_found_again_as_it_was(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened(tmp_path) as store:
            log = await store.create(FIRST, "/project", ("/more", "/yet more"))
            log.append(*chunks(5))
        async with opened(tmp_path) as store:
            log = await store.open(FIRST)
            assert (log.session_id, log.cwd) == (FIRST, "/project")
            assert log.additional == ("/more", "/yet more")
            assert await log.entries() == chunks(5)
            log.append(*chunks(5, start=5))
            assert await log.entries() == chunks(10)

    run(scenario)


def test_a_session_can_be_looked_at_while_another_holds_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened(tmp_path) as store, opened(tmp_path) as other:
            log = await store.create(FIRST, "/project")
            log.append(*chunks(3))
            await log.flush()
            assert await other.entries(FIRST) == chunks(3)
            with pytest.raises(ResourceNotFound):
                await other.entries(SECOND)

    run(scenario)


def test_nothing_is_touched_before_it_is_needed(tmp_path: Path) -> None:
    async def scenario() -> None:
        store = Store(tmp_path / "data")
        await store.aclose()

    run(scenario)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("session_id", ["", "short", "../../../../etc/passwd", FIRST + "\n"])
def test_an_id_that_can_be_none_is_refused_before_any_use(tmp_path: Path, session_id: str) -> None:
    async def scenario() -> None:
        async with opened(tmp_path / "data") as store:
            with pytest.raises(InvalidParams):
                await store.create(session_id, "/project")
            with pytest.raises(ResourceNotFound):
                await store.open(session_id)
            assert await store.describe(session_id) is None
            await store.delete(session_id)

    run(scenario)
    assert list(tmp_path.iterdir()) == []


def test_a_session_that_is_not_there_cannot_be_opened_or_forked(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened(tmp_path) as store:
            with pytest.raises(ResourceNotFound, match=FIRST):
                await store.open(FIRST)
            with pytest.raises(ResourceNotFound):
                await store.fork(FIRST, SECOND, "/project")
            assert await store.describe(FIRST) is None

    run(scenario)


def test_an_id_or_folder_that_cannot_be_stored_is_refused(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened(tmp_path) as store:
            await (await store.create(FIRST, "/project")).close()
            with pytest.raises(InvalidRequest, match="already"):
                await store.create(FIRST, "/project")
            with pytest.raises(InvalidParams, match="folder"):
                await store.create(SECOND, "/project\udc80")
            with pytest.raises(InvalidParams, match="folder"):
                await store.create(SECOND, "/project", ("/\udc80",))
            await store.create(SECOND, "/project")

    run(scenario)


def test_a_session_is_open_once(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened(tmp_path) as store, opened(tmp_path) as other:
            log = await filled(store, FIRST, chunk("a"))
            for each in (store, other):
                with pytest.raises(SessionInUse, match="this process"):
                    await each.open(FIRST)
            with pytest.raises(SessionInUse):
                await other.delete(FIRST)
            await log.close()
            assert await (await other.open(FIRST)).entries() == (chunk("a"),)

    run(scenario)


def test_a_fork_has_everything_so_far_and_goes_its_own_way(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened(tmp_path) as store:
            source = await store.create(FIRST, "/project")
            source.append(*chunks(20))
            source.set_title("a title")
            fork = await store.fork(FIRST, SECOND, "/elsewhere", ("/more",))
            source.append(chunk("only here"))
            fork.append(chunk("only there"))
            assert await source.entries() == (*chunks(20), chunk("only here"))
            assert await fork.entries() == (*chunks(20), chunk("only there"))
            assert (fork.cwd, fork.additional, fork.title) == ("/elsewhere", ("/more",), "a title")
            await source.close()
            third = await store.fork(FIRST, THIRD, "/project")
            assert await third.entries() == (*chunks(20), chunk("only here"))

    run(scenario)


def test_a_deleted_session_is_gone_with_every_byte(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened(tmp_path) as store:
            await filled(store, FIRST, *(chunk(f"secret {number}") for number in range(500)))
            await filled(store, SECOND, chunk("kept"))
            await store.delete(FIRST)
            await store.delete(FIRST)
            assert await store.describe(FIRST) is None
            with pytest.raises(ResourceNotFound):
                await store.open(FIRST)
            assert os.listdir(tmp_path / "locks") == [f"{SECOND}.lock"]
            assert not any(b"secret" in content for content in contents(tmp_path))
            await store.create(FIRST, "/project")

    run(scenario)
    assert run(lambda: kept(tmp_path, SECOND)) == (chunk("kept"),)


def test_lists_show_the_last_change_first_page_by_page(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened(tmp_path) as store:
            logs = {each: await filled(store, each) for each in (FIRST, SECOND, THIRD)}
            logs[FIRST].append(chunk("a"))
            logs[FIRST].set_title("the first")
            await logs[FIRST].flush()
            page = await store.list(limit=2)
            assert [info.session_id for info in page.sessions] == [FIRST, THIRD]
            assert page.sessions[0] == await store.describe(FIRST)
            assert page.sessions[0].title == "the first"
            rest = await store.list(cursor=page.next_cursor, limit=2)
            assert [info.session_id for info in rest.sessions] == [SECOND]
            assert rest.next_cursor is None
            assert len((await store.list(limit=0)).sessions) == 1
            assert (await store.list(cwd="/elsewhere")).sessions == ()
            with pytest.raises(InvalidParams):
                await store.list(cursor="no cursor")

    run(scenario)


def contents(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in folder.glob(f"{FILE_NAME}*")]


def remove_file(folder: Path) -> None:
    for path in folder.glob(f"{FILE_NAME}*"):
        path.unlink()


def times(*moments: float) -> Iterator[float]:
    yield from moments
    while True:
        yield moments[-1]


def test_a_clock_that_goes_back_or_wild_changes_no_order(tmp_path: Path) -> None:
    moments = times(2e9, 2e9 - 3600, 0.0, 253_402_300_799.0, 1e12, -5.0, 1e9)

    async def scenario() -> tuple[SessionInfo, ...]:
        store = Store(tmp_path, clock=lambda: next(moments))
        for session_id in (FIRST, SECOND, THIRD):
            await filled(store, session_id, *chunks(3))
        page = await store.list()
        log = store._open[FIRST]
        log.append(chunk("b"))
        assert await log.entries() == (*chunks(3), chunk("b"))
        after = await store.list()
        assert [info.session_id for info in after.sessions] == [FIRST, THIRD, SECOND]
        await store.aclose()
        return page.sessions

    sessions = run(scenario)
    assert [info.session_id for info in sessions] == [THIRD, SECOND, FIRST]
    shown = [info.updated_at for info in sessions]
    assert shown == [None, "9999-12-31T23:59:59.000Z", "2033-05-18T03:33:20.000Z"]


def test_a_damaged_session_goes_on_before_its_damage_and_the_others_do_not_care(
    tmp_path: Path,
) -> None:
    warnings: list[str] = []

    async def scenario() -> None:
        async with opened(tmp_path) as store:
            await filled(store, FIRST, *chunks(10))
            await filled(store, SECOND, *chunks(10))
        with closing(sqlite3.connect(tmp_path / FILE_NAME)) as other, other:
            other.execute("UPDATE entries SET body = x'00' WHERE session = 1 AND seq = 4")
        async with opened(tmp_path, warnings) as store:
            log = await store.open(FIRST)
            assert log.damaged
            assert [log.damage] == warnings
            assert "record 4 is damaged" in warnings[0]
            assert await log.entries() == chunks(3)
            log.append(chunk("on"))
            assert await log.entries() == (*chunks(3), chunk("on"))
            assert not (await store.open(SECOND)).damaged
        async with opened(tmp_path) as store:
            log = await store.open(FIRST)
            assert not log.damaged
            assert await log.entries() == (*chunks(3), chunk("on"))

    run(scenario)


def test_a_session_that_cannot_be_read_has_the_file_repaired(tmp_path: Path) -> None:
    warnings: list[str] = []

    async def scenario() -> None:
        async with opened(tmp_path, warnings) as store:
            log = await filled(store, SECOND, *chunks(3))
            await log.close()
            with closing(sqlite3.connect(tmp_path / FILE_NAME)) as other, other:
                other.execute("ALTER TABLE entries RENAME TO lost")
            log = await store.open(SECOND)
            assert (log.damage, log.store_damage) == (None, None)
            log.append(chunk("on"))
            assert await log.entries() == (*chunks(3), chunk("on"))
        assert any("damaged-1" in warning for warning in warnings)

    run(scenario)


def test_what_a_rebuild_has_lost_is_told_to_those_who_open_sessions(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened(tmp_path) as store:
            await filled(store, FIRST, *chunks(3))
            await filled(store, SECOND, *chunks(3))
        with closing(sqlite3.connect(tmp_path / FILE_NAME)) as other, other:
            other.execute("DELETE FROM entries WHERE session = 1 AND seq = 2")
        async with opened(tmp_path) as store:
            whole = await store.open(SECOND)
            assert (whole.damage, whole.store_damage) == (None, None)
            log = await store.open(FIRST)
            loss = "record 2 is missing; 1 of its 3 records are kept"
            assert log.damage == f"Session `{FIRST}` was damaged: {loss}"
            assert "2 of 6 records are lost" in (log.store_damage or "")
            assert (await store.create(THIRD, "/project")).store_damage is None

    run(scenario)


def test_a_session_that_stays_damaged_is_an_error_that_names_the_fix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hopeless(connection: sqlite3.Connection, key: int, rows: int) -> None:
        raise changing.Damaged("out of order")

    async def scenario() -> None:
        async with opened(tmp_path) as store, opened(tmp_path) as other:
            await other.list()
            await (await filled(store, FIRST, *chunks(3))).close()
            with closing(sqlite3.connect(tmp_path / FILE_NAME)) as file, file:
                file.execute("UPDATE entries SET crc = 0 WHERE seq = 2")
            monkeypatch.setattr(changing, "set_aside", hopeless)
            with pytest.raises(StoreFailed, match="close every parley"):
                await store.open(FIRST)
            monkeypatch.undo()
            await store.open(FIRST)

    run(scenario)


def test_a_list_over_a_lost_table_repairs_the_file_first(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened(tmp_path) as store:
            await (await filled(store, FIRST)).close()
            with closing(sqlite3.connect(tmp_path / FILE_NAME)) as other, other:
                other.execute("DROP TABLE sessions")
            assert (await store.list()).sessions == ()
            await store.create(SECOND, "/project")

    run(scenario)


def test_a_folder_that_somebody_removed_is_made_again(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened(tmp_path) as store:
            log = await filled(store, FIRST)
            remove_file(tmp_path)
            assert (await store.list()).sessions == ()
            log.append(chunk("a"))
            with pytest.raises(StoreFailed, match="new session"):
                await log.flush()
            await filled(store, SECOND, chunk("b"))
            with pytest.raises(StoreFailed, match="new session"):
                await log.close()

    run(scenario)
    assert run(lambda: kept(tmp_path, SECOND)) == (chunk("b"),)


def test_closing_the_store_closes_all_sessions_and_names_what_was_lost(tmp_path: Path) -> None:
    async def scenario() -> None:
        store = Store(tmp_path)
        lost = await filled(store, FIRST)
        await filled(store, SECOND)
        with closing(sqlite3.connect(tmp_path / FILE_NAME)) as other, other:
            other.execute("DELETE FROM sessions WHERE key = 1")
        lost.append(chunk("a"))
        with pytest.raises(StoreFailed, match="no longer"):
            await store.aclose()
        with pytest.raises(StoreFailed, match="closed"):
            await store.list()
        async with opened(tmp_path) as again:
            await again.open(SECOND)

    run(scenario)


def test_a_newer_store_is_refused_and_stays(tmp_path: Path) -> None:
    rebuild.make_private(tmp_path / FILE_NAME)
    with closing(schema.connect(tmp_path / FILE_NAME)) as connection:
        connection.execute("CREATE TABLE future (x)")
        connection.execute("PRAGMA user_version = 2")

    async def scenario() -> None:
        async with opened(tmp_path) as store:
            with pytest.raises(StoreFailed, match="update parley"):
                await store.list()

    run(scenario)
    assert list(tmp_path.glob("*.damaged-*")) == []


def test_a_folder_that_cannot_be_made_is_an_error_and_not_a_crash(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    async def scenario() -> None:
        async with opened(tmp_path / "file" / "data") as store:
            with pytest.raises(StoreFailed, match="Not a directory"):
                await store.create(FIRST, "/project")

    run(scenario)


def test_a_lock_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened(tmp_path) as store:
            await store.list()
            (tmp_path / "locks" / f"{FIRST}.lock").mkdir()
            with pytest.raises(StoreFailed):
                await store.create(FIRST, "/project")

    run(scenario)


def test_readers_that_fail_say_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(code: int) -> None:
        def failing(connection: sqlite3.Connection, session_id: str) -> None:
            error = sqlite3.OperationalError("cannot")
            error.sqlite_errorcode = code
            raise error

        async with opened(tmp_path) as store:
            await store.list()
            with monkeypatch.context() as patched:
                patched.setattr("parley.coder.store.reading.head", failing)
                with pytest.raises(StoreFailed):
                    await store.describe(FIRST)

    run(lambda: scenario(sqlite3.SQLITE_BUSY))
    run(lambda: scenario(sqlite3.SQLITE_CANTOPEN))


def test_ten_thousand_entries_are_stored_and_loaded_quickly(tmp_path: Path) -> None:
    entries = chunks(10_000)

    async def scenario() -> None:
        async with opened(tmp_path) as store:
            log = await store.create(FIRST, "/project")
            started = time.perf_counter()
            for start in range(0, 10_000, 1_000):
                log.append(*entries[start : start + 1_000])
                await asyncio.sleep(0)
            await log.flush()
            stored = time.perf_counter() - started
        async with opened(tmp_path) as store:
            started = time.perf_counter()
            found = await (await store.open(FIRST)).entries()
            loaded = time.perf_counter() - started
        assert found == entries
        # Wide bounds: the machine may be busy and the tests measured.
        assert (stored < 2, loaded < 2) == (True, True)

    run(scenario)


def test_the_first_page_of_ten_thousand_sessions_comes_at_once(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened(tmp_path) as store:
            await store.list()
        with closing(schema.connect(tmp_path / FILE_NAME)) as connection:
            connection.execute("BEGIN")
            for number in range(10_000):
                facts = (f"session-{number:020d}", "/project", "[]")
                changing.insert(connection, facts, f"title {number}", [b"{}"], number)
            connection.execute("COMMIT")
        started = time.perf_counter()
        async with opened(tmp_path) as store:
            page = await store.list(cwd="/project")
            taken = time.perf_counter() - started
        assert page.sessions[0].title == "title 9999"
        assert len(page.sessions) == 50
        assert taken < 0.5

    run(scenario)


@pytest.mark.parametrize("failures", [1, 2, 4])
def test_records_that_cannot_be_reached_are_never_left_out_without_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failures: int
) -> None:
    real, left = reading.verified, failures

    def failing(connection: sqlite3.Connection, key: int, session_id: str) -> reading.Verified:
        nonlocal left
        found = real(connection, key, session_id)
        if left:
            left -= 1
            return reading.Verified(found.rows[:1], "record 2 cannot be read", unreadable=True)
        return found

    async def scenario() -> None:
        async with opened(tmp_path) as store:
            log = await filled(store, FIRST, *chunks(3))
            monkeypatch.setattr(reading, "verified", failing)
            assert await log.entries() == chunks(3)
            assert left == 0

    run(scenario)
