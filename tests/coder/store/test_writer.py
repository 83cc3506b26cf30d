"""The thread that writes: order, commits, failures."""

import asyncio
import os
import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from parley.coder.store import changing, reading, schema
from parley.coder.store.database import Database
from parley.coder.store.failure import StoreFailed
from parley.coder.store.record import checksum, seed
from parley.coder.store.writer import Item, Lane, Reply, Writer, _Call
from parley.errors import InvalidRequest
from tests.coder.store.staging import BOUND, FIRST, SECOND, THIRD, chunk, run

KEYS = {FIRST: 1, SECOND: 2, THIRD: 3}


class Bench:
    """A writer with three sessions, and the statements that its connection ran."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.statements: list[str] = []
        self.stored: list[tuple[str, bytes]] = []
        self.database = Database(folder)
        self.writer = Writer(self.database, lambda: 1.0)
        self.page_limit: int | None = None
        connect = schema.connect

        def watched(path: Path) -> sqlite3.Connection:
            connection = connect(path)
            connection.set_trace_callback(self.statements.append)
            if self.page_limit is not None:
                connection.execute(f"PRAGMA max_page_count = {self.page_limit}")
            return connection

        monkeypatch.setattr(schema, "connect", watched)

    async def lanes(self) -> tuple[Lane, Lane, Lane]:
        def begin(connection: sqlite3.Connection) -> None:
            for session_id in KEYS:
                changing.insert(connection, (session_id, "/", "[]"), None, (), 1)

        await self.writer.call(begin)
        first, second, third = (self._lane(session_id) for session_id in KEYS)
        return first, second, third

    def _lane(self, session_id: str) -> Lane:
        def stored(items: Sequence[Item]) -> None:
            self.stored.extend((session_id, item.body) for item in items)

        return Lane(KEYS[session_id], session_id, stored, asyncio.get_running_loop())

    def bodies(self, session_id: str) -> list[bytes]:
        with closing(self.database.reader()) as connection:
            rows = reading.verified(connection, KEYS[session_id], session_id).rows
        return [row[3] for row in rows]

    def occupied(self) -> Callable[[], None]:
        """Keep the thread from working until the returned function is called."""
        begun, gate = threading.Event(), threading.Event()

        def wait() -> bool:
            begun.set()
            return gate.wait(BOUND)

        self.writer._put(_Call(wait, Reply()))
        # Otherwise the thread might still take some of what is given to it next with this.
        assert begun.wait(BOUND)
        return gate.set

    def commits(self) -> int:
        return self.statements.count("COMMIT")


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    return Bench(tmp_path, monkeypatch)


def item(number: int) -> Item:
    return Item(b"%d" % number, chunk(str(number)))


def test_everything_that_waits_is_one_commit_and_is_told_in_order(bench: Bench) -> None:
    async def scenario() -> None:
        first, second, _ = await bench.lanes()
        proceed, before = bench.occupied(), bench.commits()
        for number in range(100):
            bench.writer.append(second if number % 2 else first, item(number))
        proceed()
        await bench.writer.flush(second, durable=False)
        await bench.writer.flush(first, durable=False)
        assert bench.commits() == before + 1
        evens = [b"%d" % number for number in range(0, 100, 2)]
        assert bench.bodies(FIRST) == evens
        assert [body for name, body in bench.stored if name == FIRST] == evens
        assert len(bench.stored) == 100

    run(scenario)
    bench.writer.stop()


def test_a_flush_with_nothing_to_write_commits_nothing(bench: Bench) -> None:
    async def scenario() -> None:
        first, _, _ = await bench.lanes()
        before = bench.commits()
        await bench.writer.flush(first, durable=False)
        assert bench.commits() == before

    run(scenario)
    bench.writer.stop()


def test_a_durable_flush_syncs_what_was_written_before_without_a_sync(bench: Bench) -> None:
    # SQLite syncs its log at a commit if `synchronous` is FULL and the commit changes a page: so
    # the setting and the growing log show together what a loss of power cannot take.
    async def scenario() -> None:
        first, _, _ = await bench.lanes()
        log = f"{bench.database.path}-wal"
        bench.writer.append(first, item(1))
        await bench.writer.flush(first, durable=False)
        assert _last_setting(bench.statements) == "NORMAL"
        size = os.stat(log).st_size
        await bench.writer.flush(first, durable=True)
        assert _last_setting(bench.statements) == "FULL"
        assert os.stat(log).st_size > size
        commits = bench.commits()
        await bench.writer.flush(first, durable=True)
        assert bench.commits() == commits
        bench.writer.append(first, item(2))
        await bench.writer.flush(first, durable=False)
        assert _last_setting(bench.statements) == "NORMAL"

    run(scenario)
    bench.writer.stop()


def _last_setting(statements: list[str]) -> str:
    return [each for each in statements if "PRAGMA synchronous" in each][-1].rpartition(" ")[2]


def test_a_full_disk_fails_the_flush_and_loses_nothing(bench: Bench) -> None:
    async def scenario() -> None:
        first, _, _ = await bench.lanes()
        bench.writer.append(first, item(1))
        await bench.writer.flush(first, durable=False)
        bench.page_limit = 1
        await bench.writer.run(bench.database.drop)
        large = Item(b"x" * 200_000, chunk("large"))
        bench.writer.append(first, large)
        for _ in range(2):
            with pytest.raises(StoreFailed, match="ENOSPC") as failure:
                await bench.writer.flush(first, durable=True)
            assert failure.value.cause == "full"
        bench.writer.append(first, item(2))
        assert bench.bodies(FIRST) == [b"1"]
        assert bench.stored == [(FIRST, b"1")]
        bench.page_limit = None
        await bench.writer.run(bench.database.drop)
        await bench.writer.flush(first, durable=True)
        assert bench.bodies(FIRST) == [b"1", large.body, b"2"]
        assert [len(body) for _, body in bench.stored] == [1, 200_000, 1]

    run(scenario)
    bench.writer.stop()


def test_a_session_that_cannot_be_written_does_not_stop_the_others(bench: Bench) -> None:
    async def scenario() -> None:
        first, second, third = await bench.lanes()
        await bench.writer.call(lambda connection: changing.delete(connection, SECOND))
        proceed = bench.occupied()
        for lane in (first, second, third):
            bench.writer.append(lane, item(lane.key))
        flushes = [bench.writer.flush(lane, durable=False) for lane in (first, second, third)]
        answers = asyncio.gather(*flushes, return_exceptions=True)
        await asyncio.sleep(0)
        proceed()
        one, two, three = await answers
        assert (one, three) == (None, None)
        assert isinstance(two, StoreFailed)
        assert two.cause == "gone"
        assert bench.bodies(FIRST) == [b"1"]
        assert bench.bodies(THIRD) == [b"3"]

    run(scenario)
    bench.writer.stop()


def test_a_damaged_file_is_repaired_and_sessions_without_loss_go_on(bench: Bench) -> None:
    async def scenario() -> None:
        first, second, _ = await bench.lanes()
        bench.writer.append(first, item(1))
        await bench.writer.flush(first, durable=False)
        await bench.writer.run(lambda: bench.database.connection().execute("DROP TABLE entries"))
        bench.writer.append(first, item(2))
        bench.writer.append(second, item(3))
        # Nothing of the second session was lost, so that one goes on; the first has a hole.
        await bench.writer.flush(second, durable=False)
        with pytest.raises(StoreFailed, match="load the session again"):
            await bench.writer.flush(first, durable=False)
        assert (bench.bodies(FIRST), bench.bodies(SECOND)) == ([], [b"3"])
        assert len(bench.database.rebuilt) == 1

    run(scenario)
    bench.writer.stop()


def test_another_process_that_writes_is_waited_for(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "BUSY_SECONDS", 0.05)

    async def scenario() -> None:
        first, _, _ = await bench.lanes()
        with closing(bench.database.reader()) as other:
            other.execute("PRAGMA query_only = OFF")
            other.execute("BEGIN IMMEDIATE")
            bench.writer.append(first, item(1))
            with pytest.raises(StoreFailed) as failure:
                await bench.writer.flush(first, durable=False)
            assert failure.value.cause == "busy"
        await bench.writer.flush(first, durable=False)
        assert bench.bodies(FIRST) == [b"1"]

    run(scenario)
    bench.writer.stop()


def test_a_call_runs_behind_what_was_appended_and_all_or_nothing(bench: Bench) -> None:
    async def scenario() -> None:
        first, _, _ = await bench.lanes()

        def refused(connection: sqlite3.Connection) -> None:
            changing.delete(connection, FIRST)
            raise InvalidRequest("no")

        def broken(connection: sqlite3.Connection) -> None:
            changing.delete(connection, FIRST)
            connection.execute("INSERT INTO sessions (key) VALUES (1)")

        bench.writer.append(first, item(1))
        with pytest.raises(InvalidRequest):
            await bench.writer.call(refused)
        with pytest.raises(StoreFailed):
            await bench.writer.call(broken)
        assert bench.bodies(FIRST) == [b"1"]

    run(scenario)
    bench.writer.stop()


def test_stopping_writes_what_waits_and_refuses_what_comes_later(bench: Bench) -> None:
    async def scenario() -> None:
        first, _, _ = await bench.lanes()
        for number in range(10):
            bench.writer.append(first, item(number))
        bench.writer.stop()
        assert len(bench.bodies(FIRST)) == 10
        bench.writer.append(first, item(11))
        with pytest.raises(StoreFailed, match="closed"):
            await bench.writer.flush(first, durable=False)
        with pytest.raises(StoreFailed, match="closed"):
            await bench.writer.run(lambda: None)

    run(scenario)


def test_a_defect_leaves_nobody_waiting(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[object] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: seen.append(args.exc_type))

    def defective() -> None:
        raise ZeroDivisionError

    async def scenario() -> None:
        with pytest.raises(StoreFailed, match="closed"):
            await bench.writer.run(defective)

    run(scenario)
    bench.writer.stop()
    assert seen == [ZeroDivisionError]


def test_whoever_was_cancelled_or_has_no_loop_any_more_is_not_told(bench: Bench) -> None:
    async def scenario() -> Lane:
        first, _, _ = await bench.lanes()
        proceed = bench.occupied()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await bench.writer.flush(first, durable=False)
        bench.writer.append(first, item(1))
        proceed()
        await bench.writer.flush(first, durable=False)
        return first

    lane = run(scenario)
    bench.writer.append(lane, item(2))
    bench.writer.stop()
    assert bench.bodies(FIRST) == [b"1", b"2"]
    assert bench.stored == [(FIRST, b"1")]


def test_a_writer_that_was_never_used_stops_at_once(tmp_path: Path) -> None:
    Writer(Database(tmp_path)).stop()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("there", "kept"), [(2, [b"1", b"2", b"3"]), (9, [b"1", b"9"])])
def test_what_a_failed_commit_has_written_is_not_written_twice(
    bench: Bench, there: int, kept: list[bytes]
) -> None:
    def written(connection: sqlite3.Connection) -> None:
        body = b"%d" % there
        row = (KEYS[FIRST], 2, checksum(seed(FIRST), 2, body), body)
        connection.execute("INSERT INTO entries VALUES (?, ?, ?, ?)", row)
        changing.touch(connection, KEYS[FIRST], 1, 1)

    async def scenario() -> None:
        first, _, _ = await bench.lanes()
        bench.writer.append(first, item(1))
        await bench.writer.flush(first, durable=False)
        # This is what a commit leaves that fails in the end, when it is synced.
        await bench.writer.call(written)
        await bench.writer.run(bench.database.drop)
        bench.writer.append(first, item(2))
        bench.writer.append(first, item(3))
        if there == 2:
            await bench.writer.flush(first, durable=True)
            assert [body for _, body in bench.stored] == kept
        else:
            for _ in range(2):
                with pytest.raises(StoreFailed, match="load the session again"):
                    await bench.writer.flush(first, durable=True)
        assert bench.bodies(FIRST) == kept

    run(scenario)
    bench.writer.stop()


def test_a_file_that_could_only_be_read_for_a_moment_is_opened_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        first, _, _ = await bench.lanes()
        await bench.writer.run(bench.database.drop)
        connect, opened = schema.connect, list[str]()

        def at_first_to_read(path: Path) -> sqlite3.Connection:
            opened.append("x")
            return schema.connect_to_read(path) if len(opened) == 1 else connect(path)

        monkeypatch.setattr(schema, "connect", at_first_to_read)
        bench.writer.append(first, item(1))
        await bench.writer.flush(first, durable=True)
        assert bench.bodies(FIRST) == [b"1"]

    run(scenario)
    bench.writer.stop()
