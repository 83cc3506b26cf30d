"""What the store is asked to do while calls to the system fail.

Each scenario is written so that it can be asked again, in the same process or in a new one, and
goes on from wherever the first attempt ended. Then it must reach its end.
"""

import asyncio
import fcntl
import os
import posix
import sqlite3
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from parley.coder.store import schema
from parley.coder.store.database import FILE_NAME
from parley.coder.store.entry import Entry, TurnBegun
from parley.coder.store.failure import SessionInUse, StoreFailed
from parley.coder.store.log import SessionLog
from parley.coder.store.repair import repair as repair_store
from parley.coder.store.store import Store
from tests.coder.store.staging import FIRST, SECOND, THIRD, filled, numbered, opened

BEGUN = 5
LONG = 300_000
TITLE = "A title that was given later"

_flock = fcntl.flock

State = dict[str, tuple[str | None, tuple[Entry, ...]]]
"""Every session with its title and its entries."""


@dataclass
class Hand:
    """One process that uses a store: what it holds, over several attempts."""

    store: Store
    logs: dict[str, SessionLog] = field(default_factory=dict[str, SessionLog])
    appended: int = 0
    repaired: bool = False
    warnings: list[str] = field(default_factory=list[str])

    async def log(self, session_id: str) -> SessionLog:
        """The session, opened or made by this process."""
        held = self.logs.get(session_id)
        if held is None or held.closed:
            known = await self.store.describe(session_id) is not None
            making = self.store.open(session_id) if known else self.store.create(session_id, "/p")
            held = self.logs[session_id] = await making
        return held

    async def add(self, session_id: str, *entries: Entry) -> None:
        """Have these entries behind those that the session began with, once."""
        log = await self.log(session_id)
        if not self.appended and await log.entries() != before(session_id) + entries:
            log.append(*entries)
            self.appended = len(entries)
        await log.flush(durable=True)


@asynccontextmanager
async def process(folder: Path) -> AsyncGenerator[Hand]:
    """A process, as far as the store can tell."""
    warnings: list[str] = []
    hand = Hand(Store(folder, warn=warnings.append), warnings=warnings)
    try:
        yield hand
    finally:
        await hand.store.aclose()


def before(session_id: str) -> tuple[Entry, ...]:
    known = session_id in (FIRST, SECOND)
    return tuple(numbered(session_id, number) for number in range(BEGUN)) if known else ()


def added(session_id: str, count: int = 3) -> tuple[Entry, ...]:
    return tuple(numbered(session_id, BEGUN + number) for number in range(count))


async def new(hand: Hand) -> None:
    log = await hand.log(THIRD)
    await log.flush(durable=True)


async def append(hand: Hand) -> None:
    await hand.add(FIRST, *added(FIRST))


async def long_record(hand: Hand) -> None:
    await hand.add(FIRST, TurnBegun("y" * LONG))


async def load(hand: Hand) -> None:
    log = await hand.log(FIRST)
    assert await log.entries() == before(FIRST)
    assert not log.damaged


async def list_sessions(hand: Hand) -> None:
    page = await hand.store.list(limit=1)
    rest = await hand.store.list(limit=1, cursor=page.next_cursor)
    found = [info.session_id for info in (*page.sessions, *rest.sessions)]
    assert found == [SECOND, FIRST]
    assert await hand.store.describe(FIRST) is not None


async def rename(hand: Hand) -> None:
    log = await hand.log(FIRST)
    if log.title != TITLE:
        log.set_title(TITLE)
    await log.flush(durable=True)


async def delete(hand: Hand) -> None:
    await hand.store.delete(FIRST)


async def repair(hand: Hand) -> None:
    for session_id in (FIRST, SECOND):
        log = await hand.log(session_id)
        assert await log.entries() == before(session_id)


async def doctor(hand: Hand) -> None:
    """Repair as the command does, then load."""
    if not hand.repaired:
        found = await asyncio.to_thread(repair_store, hand.store.folder, hand.warnings.append)
        if found.faults:
            # The command reports this as a failure, too.
            raise StoreFailed(found.faults[0].text, "io")
        hand.repaired = True
    await repair(hand)


async def lock(hand: Hand) -> None:
    """Meet a holder, then take over after it has gone."""
    if SECOND not in hand.logs:
        with _held(hand.store.folder / "locks" / f"{SECOND}.lock"), pytest.raises(SessionInUse):
            await hand.store.open(SECOND)
    await hand.log(SECOND)


async def migrate(hand: Hand) -> None:
    assert len((await hand.store.list()).sessions) == 2
    await hand.add(FIRST, *added(FIRST, 1))


async def close(hand: Hand) -> None:
    log = await hand.log(FIRST)
    if await log.entries() == before(FIRST):
        log.append(*added(FIRST))
    await log.close()


@dataclass(frozen=True)
class Scenario:
    """What is done, and with which files."""

    name: str
    act: Callable[[Hand], Awaitable[None]]
    ruin: Callable[[Path], None] | None = None
    """Prepares the files of a store in which two sessions were begun; none means that
    they are whole, and then no fault may have them taken for damaged."""
    empty: bool = False
    newer: bool = False
    """Whether the program is one version ahead of the files."""
    killed: bool = False
    """Whether the log of changes was left behind, as by a process that was killed."""


def lost_index(folder: Path) -> None:
    """The index by id has none of the sessions."""
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        roots = "SELECT rootpage FROM sqlite_schema WHERE name = 'entries'"
        connection.execute(
            f"UPDATE sqlite_schema SET rootpage = ({roots}) "
            "WHERE name = 'sqlite_autoindex_sessions_1'"
        )
        connection.commit()


def lost_table(folder: Path) -> None:
    """A table is missing, and an older damaged file lies there already."""
    (folder / f"{FILE_NAME}.damaged-1").write_bytes(b"older")
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        connection.execute("DROP TABLE damaged")


def stale_lock(folder: Path) -> None:
    (folder / "locks" / f"{SECOND}.lock").write_text("999999")


SCENARIOS = (
    Scenario("new", new, empty=True),
    Scenario("append", append, killed=True),
    Scenario("long record", long_record),
    Scenario("load", load, killed=True),
    Scenario("list", list_sessions),
    Scenario("rename", rename),
    Scenario("delete", delete, killed=True),
    Scenario("index rebuild", repair, lost_index),
    Scenario("repair", repair, lost_table),
    Scenario("doctor", doctor, lost_table),
    Scenario("lock", lock, stale_lock),
    Scenario("migrate", migrate, newer=True),
    Scenario("close", close),
)


_STEP = (
    "ALTER TABLE sessions ADD COLUMN colour TEXT;"
    "UPDATE sessions SET colour = 'red';"
    "CREATE INDEX by_colour ON sessions (colour)"
)


@contextmanager
def version(newer: bool) -> Generator[None]:
    """The program one version ahead, with a step that changes a table and its rows."""
    steps: tuple[str, ...] = getattr(schema, "_STEPS")  # noqa: B009
    old = {"VERSION": schema.VERSION, "_STEPS": steps}
    ahead = {"VERSION": 2, "_STEPS": (*steps, _STEP)} if newer else old
    for name, value in ahead.items():
        setattr(schema, name, value)
    try:
        yield
    finally:
        for name, value in old.items():
            setattr(schema, name, value)


async def prepare(scenario: Scenario, folder: Path, scratch: Path) -> None:
    """Make the files that a scenario begins with, in a folder that is empty."""
    if scenario.empty:
        return
    async with opened(scratch) as store:
        for session_id in (FIRST, SECOND):
            await filled(store, session_id, *before(session_id))
        if scenario.killed:
            _copy(scratch, folder)
    if not scenario.killed:
        _copy(scratch, folder)
    if scenario.ruin is not None:
        scenario.ruin(folder)


async def state_of(folder: Path) -> tuple[State, list[str]]:
    """What anybody would find, and the warnings on the way."""
    warnings: list[str] = []
    async with opened(folder, warnings) as store:
        found: State = {}
        for info in (await store.list()).sessions:
            found[info.session_id] = (info.title, await store.entries(info.session_id))
    return found, warnings


@contextmanager
def _held(path: Path) -> Generator[None]:
    """Hold a lock as another process would, for which no call fails."""
    descriptor = posix.open(path, os.O_RDWR | os.O_CREAT)
    try:
        _flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        posix.close(descriptor)


def _copy(source: Path, target: Path) -> None:
    (target / "locks").mkdir(mode=0o700)
    for path in source.iterdir():
        if path.is_file() and not path.name.endswith("-shm"):
            (target / path.name).write_bytes(path.read_bytes())
