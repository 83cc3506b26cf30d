"""One open session: appending, waiting, reading, closing."""

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from parley.coder.store.database import FILE_NAME
from parley.coder.store.entry import Entry
from parley.coder.store.failure import StoreFailed
from parley.coder.store.record import checksum, seed
from tests.coder.store.staging import FIRST, chunk, chunks, filled, kept, opened, run


def test_entries_are_told_in_order_once_they_are_in_the_file(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened(tmp_path) as store:
            log = await store.create(FIRST, "/project")
            told: list[Entry] = []

            def stored(entries: Sequence[Entry]) -> None:
                with closing(sqlite3.connect(tmp_path / FILE_NAME)) as other:
                    (count,) = other.execute("SELECT count(*) FROM entries").fetchone()
                told.extend(entries)
                assert count >= len(told)

            log.on_stored = stored
            for entry in chunks(300):
                log.append(entry)
                await asyncio.sleep(0)
            await log.flush()
            assert tuple(told) == chunks(300)
            assert await log.entries() == chunks(300)

    run(scenario)


def test_appending_does_not_wait_and_says_when_one_should(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened(tmp_path) as store:
            log = await store.create(FIRST, "/project")
            assert not log.behind
            log.append(*chunks(2_001))
            assert log.behind
            await log.flush()
            assert not log.behind
            log.append(chunk("x" * 5_000_000))
            assert log.behind
            await log.flush()
            assert not log.behind

    run(scenario)


def test_a_title_takes_its_place_in_the_order_and_is_no_entry(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened(tmp_path) as store:
            log = await store.create(FIRST, "/project")
            told: list[Entry] = []
            log.on_stored = told.extend
            log.set_title("before")
            await log.flush()
            assert told == []
            log.append(chunk("a"))
            log.set_title("broken \udc80 title")
            await log.flush()
            assert told == [chunk("a")]
            assert log.title == "broken ? title"
            info = await store.describe(FIRST)
            assert info is not None
            assert info.title == "broken ? title"
            await log.close()
            assert (await store.open(FIRST)).title == "broken ? title"

    run(scenario)


def test_kinds_of_entries_that_are_not_known_yet_survive(tmp_path: Path) -> None:
    body = b'{"entry":"dreamt","of":"sheep"}'

    async def scenario() -> None:
        async with opened(tmp_path) as store:
            log = await filled(store, FIRST, chunk("a"))
            await log.close()
            with closing(sqlite3.connect(tmp_path / FILE_NAME)) as other, other:
                row = (1, 2, checksum(seed(FIRST), 2, body), body)
                other.execute("INSERT INTO entries VALUES (?, ?, ?, ?)", row)
                other.execute("UPDATE sessions SET records = 2")
            log = await store.open(FIRST)
            assert not log.damaged
            log.append(chunk("b"))
            assert await log.entries() == (chunk("a"), chunk("b"))
            assert log.unknown == 1
            fork = await store.fork(FIRST, "forked-session-0001", "/project")
            assert await fork.entries() == (chunk("a"), chunk("b"))
            assert fork.unknown == 1

    run(scenario)


def test_a_closed_log_has_stored_everything_and_takes_nothing_more(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened(tmp_path) as store:
            log = await store.create(FIRST, "/project")
            log.append(*chunks(50))
            await log.close()
            await log.close()
            assert log.closed
            with pytest.raises(StoreFailed, match="closed"):
                log.append(chunk("late"))
            with pytest.raises(StoreFailed, match="closed"):
                await log.flush()
            assert await (await store.open(FIRST)).entries() == chunks(50)

    run(scenario)
    assert run(lambda: kept(tmp_path, FIRST)) == chunks(50)
