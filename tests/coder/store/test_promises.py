"""Promises about clocks, privacy, deletion and the index, each over many stories."""

import asyncio
import os
import random
import sqlite3
import stat
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from parley.coder.store import rebuild
from parley.coder.store.database import FILE_NAME
from parley.coder.store.store import Store
from tests.coder.store.damage_campaign import scratch
from tests.coder.store.staging import FIRST, SECOND, THIRD, chunk, filled, numbered, opened, run

YEAR = 365 * 86_400.0
NOW = 1.8e9
STORIES = 200


def clocks(chance: random.Random) -> Callable[[], float]:
    """A clock that jumps: years, an hour back, the beginning and the end of time, summer time."""
    now = NOW

    def tell() -> float:
        nonlocal now
        match chance.randrange(9):
            case 0:
                now += chance.choice((-10, 10)) * YEAR
            case 1:
                now -= 3600
            case 2:
                now = chance.choice((0.0, 2**31 - 1.0, 2**31 + 0.5, 253_402_300_799.0))
            case 3:
                now = chance.choice((-1.0, 1e12, NOW))
            case 4:
                now += chance.choice((-3600, 3600))
            case _:
                now += chance.random()
        return now

    return tell


async def clock_story(folder: Path, chance: random.Random) -> None:
    """Work by a wild clock; order and lists must be those of what happened."""
    order: list[str] = []
    counts: dict[str, int] = {}
    times: dict[str, str] = {}
    for _ in range(2):
        store = Store(folder, clock=clocks(chance))
        logs = {session_id: await store.open(session_id) for session_id in counts}
        for _ in range(4):
            session_id = chance.choice((FIRST, SECOND, THIRD))
            if session_id not in logs:
                logs[session_id] = await store.create(session_id, "/project")
                counts[session_id] = 0
            logs[session_id].append(numbered(session_id, counts[session_id]))
            await logs[session_id].flush()
            counts[session_id] += 1
            order = [session_id, *(each for each in order if each != session_id)]
        sessions = (await store.list()).sessions
        assert [info.session_id for info in sessions] == order
        for info in sessions:
            # A time outside of the calendar is not shown.
            if info.updated_at is not None and info.session_id in times:
                assert info.updated_at >= times[info.session_id]
            times[info.session_id] = info.updated_at or times.get(info.session_id, "")
        for session_id, count in counts.items():
            entries = await logs[session_id].entries()
            assert entries == tuple(numbered(session_id, number) for number in range(count))
        await store.aclose()


def test_no_clock_changes_order_or_lists() -> None:
    with scratch() as folder:
        for number in range(STORIES):
            asyncio.run(clock_story(folder / str(number), random.Random(number)))


@contextmanager
def masked(umask: int) -> Generator[None]:
    before = os.umask(umask)
    try:
        yield
    finally:
        os.umask(before)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_everything_the_store_ever_makes_is_private(tmp_path: Path, umask: int) -> None:
    folder = tmp_path / "above" / "store"
    modes: set[tuple[str, str]] = set()

    def look() -> None:
        for path in (folder, *folder.rglob("*")):
            kind = "folder" if path.is_dir() else "file"
            modes.add((kind, oct(stat.S_IMODE(path.stat().st_mode))))

    async def scenario() -> None:
        async with opened(folder) as store:
            log = await filled(store, FIRST, chunk("a"))
            look()
            log.set_title("title")
            await store.fork(FIRST, SECOND, "/project")
            await store.delete(FIRST)
            look()
        rebuild.demand(folder / FILE_NAME)
        look()
        async with opened(folder) as store:
            await store.open(SECOND)
            look()

    with masked(umask):
        run(scenario)
    assert (folder / f"{FILE_NAME}.damaged-1").exists()
    assert modes == {("folder", "0o700"), ("file", "0o600")}
    assert stat.S_IMODE(folder.parent.stat().st_mode) & 0o077 == 0


def traces(folder: Path, *words: bytes) -> list[str]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [
        f"{word!r} in {path.name}"
        for path in files
        for word in words
        if word in path.read_bytes() or word.decode() in path.name
    ]


async def deletion_story(folder: Path, chance: random.Random) -> None:
    secret, title = b"secret-bytes-of-it", b"secret-title"
    async with opened(folder) as store:
        other = await filled(store, SECOND, chunk("kept"))
        log = await filled(store, FIRST, cwd="/secret-folder")
        for _ in range(chance.randint(1, 6)):
            size = chance.choice((1, 10, 300, 5_000))
            log.append(*[chunk(f"{secret.decode()} " * size)] * chance.choice((1, 1, 20)))
            if chance.random() < 0.4:
                log.set_title(f"{title.decode()} {chance.random()}")
            await log.flush(durable=chance.random() < 0.5)
            other.append(chunk("kept"))
        copies = folder / "undo" / FIRST
        copies.mkdir(parents=True)
        (copies / "copy").write_bytes(secret)
        if chance.random() < 0.5:
            await log.close()
        async with opened(folder) as reader:
            # Somebody else has the file open, as another process would.
            await reader.list()
            await store.delete(FIRST)
        words = (secret, title, b"/secret-folder", FIRST.encode())
        assert traces(folder, *words) == []
        assert [info.session_id for info in (await store.list()).sessions] == [SECOND]


def test_no_byte_of_a_deleted_session_is_left_in_any_file() -> None:
    with scratch() as folder:
        for number in range(30):
            asyncio.run(deletion_story(folder / str(number), random.Random(number)))


@pytest.mark.parametrize("index", ["sessions_by_change", "sessions_by_cwd", "both"])
def test_without_its_indexes_a_store_is_slower_and_nothing_else(tmp_path: Path, index: str) -> None:
    async def looked() -> list[object]:
        async with opened(tmp_path) as store:
            page = await store.list(limit=2)
            rest = await store.list(limit=2, cursor=page.next_cursor)
            here = await store.list(cwd="/b")
            found = [await store.entries(each.session_id) for each in page.sessions]
            return [page.sessions, rest.sessions, here.sessions, found]

    async def begin() -> None:
        async with opened(tmp_path) as store:
            for session_id, cwd in ((FIRST, "/a"), (SECOND, "/b"), (THIRD, "/b")):
                await filled(store, session_id, chunk("x"), cwd=cwd)

    run(begin)
    before = run(looked)
    names = ("sessions_by_change", "sessions_by_cwd") if index == "both" else (index,)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        for name in names:
            connection.execute(f"DROP INDEX {name}")
    assert run(looked) == before
