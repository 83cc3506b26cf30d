"""What the tests of the store share: ids, entries that say where they belong, bounded runs."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from parley.coder.store.entry import Entry, Told, TurnBegun
from parley.coder.store.log import SessionLog
from parley.coder.store.store import Store
from parley.session.content import Text
from parley.session.event import ChunkAdded

BOUND = 5.0
FIRST, SECOND, THIRD = "first-session-0001", "second-session-002", "third-session-0003"

T = TypeVar("T")


def run(scenario: Callable[[], Coroutine[object, object, T]]) -> T:
    """Run an async scenario to its end, in bounded time."""

    async def bounded() -> T:
        async with asyncio.timeout(BOUND):
            return await scenario()

    return asyncio.run(bounded())


def chunk(text: str) -> Entry:
    return Told(ChunkAdded("agent", Text(text), "m1"))


def chunks(count: int, start: int = 0) -> tuple[Entry, ...]:
    return tuple(chunk(f"piece {number}") for number in range(start, start + count))


def numbered(session_id: str, number: int) -> Entry:
    """The one entry that may stand at this place of this session."""
    return TurnBegun(f"{session_id}:{number}:" + "x" * (number * 37 % 400))


def is_prefix(session_id: str, entries: tuple[Entry, ...]) -> bool:
    return all(entry == numbered(session_id, place) for place, entry in enumerate(entries))


@asynccontextmanager
async def opened(folder: Path, warnings: list[str] | None = None) -> AsyncIterator[Store]:
    """A store that is closed at the end, whatever happens."""
    said: list[str] = [] if warnings is None else warnings
    store = Store(folder, warn=said.append)
    try:
        yield store
    finally:
        await store.aclose()


async def filled(
    store: Store, session_id: str, *entries: Entry, cwd: str = "/project"
) -> SessionLog:
    log = await store.create(session_id, cwd)
    log.append(*entries)
    await log.flush()
    return log


async def kept(folder: Path, session_id: str) -> tuple[Entry, ...]:
    """What another process would find."""
    async with opened(folder) as store:
        log = await store.open(session_id)
        return await log.entries()
