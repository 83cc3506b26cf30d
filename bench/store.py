"""Measure the session store alone: appending, waiting for the disk, loading, listing.

Usage: .venv/bin/python bench/store.py [--quick]

The exit status is 1 when a goal is not met.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from parley.coder.store.entry import Told, TurnBegun
from parley.coder.store.store import Store
from parley.session.content import Text
from parley.session.event import ChunkAdded

SESSION = "session-of-the-benchmark"


async def appends(folder: Path, count: int) -> float:
    """Entries per second, streamed as a model streams them, all stored at the end."""
    store = Store(folder)
    log = await store.create(SESSION, "/project")
    started = time.perf_counter()
    for number in range(count):
        log.append(Told(ChunkAdded("agent", Text(f"piece {number} of a usual length"), "m1")))
        if log.behind:
            await log.flush()
        elif number % 50 == 0:
            await asyncio.sleep(0)
    await log.flush()
    taken = time.perf_counter() - started
    await store.aclose()
    return count / taken


async def flushes(folder: Path, count: int, *, durable: bool) -> float:
    """Milliseconds from an entry to its being safe, the median."""
    store = Store(folder)
    log = await store.create(SESSION, "/project")
    times: list[float] = []
    for number in range(count):
        started = time.perf_counter()
        log.append(TurnBegun(str(number)))
        await log.flush(durable=durable)
        times.append(time.perf_counter() - started)
    await store.aclose()
    return statistics.median(times) * 1_000


async def loading(folder: Path, count: int) -> float:
    """Milliseconds to open a store and load one session of so many entries."""
    await appends(folder, count)
    started = time.perf_counter()
    store = Store(folder)
    entries = await (await store.open(SESSION)).entries()
    taken = time.perf_counter() - started
    assert len(entries) == count
    await store.aclose()
    return taken * 1_000


async def listing(folder: Path, count: int) -> float:
    """Milliseconds to open a store of so many sessions and list its first page."""
    store = Store(folder)
    for number in range(count):
        log = await store.create(f"session-{number:012d}", "/project")
        log.append(TurnBegun("first"))
        log.set_title(f"What session {number} is about")
        await log.close()
    await store.aclose()
    started = time.perf_counter()
    store = Store(folder)
    page = await store.list(cwd="/project")
    taken = time.perf_counter() - started
    assert page.sessions[0].session_id == f"session-{count - 1:012d}"
    await store.aclose()
    return taken * 1_000


def measured(work: Callable[[Path], Awaitable[float]]) -> float:
    async def run() -> float:
        with tempfile.TemporaryDirectory() as folder:
            return await work(Path(folder) / "data")

    return asyncio.run(run())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="list fewer sessions")
    sessions = 1_000 if parser.parse_args().quick else 10_000
    rate = measured(lambda folder: appends(folder, 50_000))
    figures = {
        "flush, ms (goal 5)": (measured(lambda each: flushes(each, 200, durable=False)), 5),
        "durable flush, ms (goal 5)": (measured(lambda each: flushes(each, 200, durable=True)), 5),
        "load 10,000 entries, ms (goal 1000)": (measured(lambda each: loading(each, 10_000)), 1000),
        f"list {sessions} sessions, ms (goal 100)": (
            measured(lambda each: listing(each, sessions)),
            100,
        ),
    }
    print(f"appends per second (goal 20000): {rate:.0f}")
    for name, (value, _) in figures.items():
        print(f"{name}: {value:.2f}")
    sys.exit(rate < 20_000 or any(value > goal for value, goal in figures.values()))


if __name__ == "__main__":
    main()
