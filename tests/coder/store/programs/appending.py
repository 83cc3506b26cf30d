"""Forks processes that append to sessions and say what is stored; each may be killed any time.

Every line on stdin is one order: the folder, the manner, a seed, and the sessions. It forks before
any thread exists, so that a round costs a fork and not the start of an interpreter.
"""

import asyncio
import os
import random
import sys
from collections.abc import Sequence
from pathlib import Path

from parley.coder.store.entry import Entry, TurnBegun
from parley.coder.store.failure import SessionInUse
from parley.coder.store.log import SessionLog
from parley.coder.store.store import Store
from parley.errors import ResourceNotFound
from tests.coder.store.staging import numbered

ENTRIES_OF_A_BLOCK = 12


def say(*words: object) -> None:
    # One write of less than a page is never mixed with another.
    os.write(1, (" ".join(str(word) for word in words) + "\n").encode())


async def streaming(folder: Path, chance: random.Random, sessions: list[str]) -> None:
    """Append to all sessions without end, in all ways, and name each entry once it is stored."""
    store = Store(folder)
    logs = [await reached(store, session_id) for session_id in sessions]
    counts: dict[str, int] = {}
    for log in logs:
        counts[log.session_id] = len(await log.entries())
        announce(log, counts[log.session_id])
    say("ready")
    while True:
        log = chance.choice(logs)
        for _ in range(chance.choice((1, 1, 2, 40))):
            log.append(numbered(log.session_id, counts[log.session_id]))
            counts[log.session_id] += 1
        match chance.randrange(6):
            case 0:
                await log.flush(durable=True)
            case 1:
                log.set_title(f"title {counts[log.session_id]}")
            case 2:
                await log.flush()
            case _:
                await asyncio.sleep(0)
        if log.behind:
            await log.flush()


def announce(log: SessionLog, count: int) -> None:
    def stored(entries: Sequence[Entry]) -> None:
        nonlocal count
        count += len(entries)
        say("stored", log.session_id, count)

    log.on_stored = stored


async def reached(store: Store, session_id: str) -> SessionLog:
    try:
        return await store.open(session_id)
    except ResourceNotFound:
        return await store.create(session_id, "/project")


async def contesting(folder: Path, chance: random.Random, sessions: list[str]) -> None:
    """Write one block of entries as soon as nobody else holds the session."""
    refused = 0
    while True:
        store = Store(folder)
        try:
            log = await store.open(sessions[0])
        except SessionInUse:
            refused += 1
            await store.aclose()
            await asyncio.sleep(chance.random() / 500)
            continue
        for number in range(ENTRIES_OF_A_BLOCK):
            log.append(TurnBegun(f"{os.getpid()}:{number}"))
            await asyncio.sleep(0)
        await log.flush(durable=chance.random() < 0.3)
        await store.aclose()
        say("refused", refused)
        return


async def holding(folder: Path, chance: random.Random, sessions: list[str]) -> None:
    """Hold a session until killed."""
    await Store(folder).open(sessions[0])
    say("ready")
    await asyncio.Event().wait()


MANNERS = {"stream": (streaming, 1), "contest": (contesting, 2), "hold": (holding, 1)}


def main() -> None:
    say("begun")
    for line in sys.stdin:
        folder, manner, seed, *sessions = line.split()
        work, count = MANNERS[manner]
        children: list[int] = []
        for number in range(count):
            pid = os.fork()
            if pid == 0:
                asyncio.run(work(Path(folder), random.Random(f"{seed}{number}"), sessions))
                os._exit(0)
            children.append(pid)
        say("forked", *children)
        say("ended", *(os.waitpid(pid, 0)[1] for pid in children))


main()
