"""The power fails at any moment: images of what may be on the disk then, each opened again.

Usage: python -m tests.coder.store.power_loss [IMAGES] [--seed N]

A story of random work is written down, write by write and sync by sync. Each image is of one moment
of it, with what was not synced there or not, in any order, torn into sectors. Every session must
then have at least what was durable, and nothing that was not written.
"""

import argparse
import asyncio
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

from parley.coder.store import rebuild
from parley.coder.store.database import FILE_NAME
from parley.coder.store.log import SessionLog
from parley.coder.store.store import Store
from parley.errors import AcpError
from tests.coder.store.damage_campaign import scratch
from tests.coder.store.faults.journal import Disk, Event, FolderSync, Journal, Sync
from tests.coder.store.faults.own_calls import OwnCalls
from tests.coder.store.faults.sqlite_calls import SqliteCalls
from tests.coder.store.staging import BOUND, is_prefix, numbered, opened

FRESH = "a-fresh-session-01"
# So many images are made of one story.
_IMAGES_OF_A_STORY = 50
_LIVES = 3
_STEPS = 14


class Story:
    """Random work with a store; what became durable is marked in the journal."""

    def __init__(self, folder: Path, journal: Journal, chance: random.Random) -> None:
        self._folder = folder
        self._journal = journal
        self._chance = chance
        self._logs: dict[str, SessionLog] = {}
        self._counts: dict[str, int] = {}
        self._made = 0

    async def run(self) -> None:
        for _ in range(_LIVES):
            async with opened(self._folder) as store:
                for session_id in self._counts:
                    self._logs[session_id] = await store.open(session_id)
                for _ in range(_STEPS):
                    await self._step(store)
            self._logs.clear()
            # Closing a session makes it durable.
            for session_id, count in self._counts.items():
                self._journal.mark(f"durable {session_id} {count}")
            if self._chance.random() < 0.5:
                rebuild.demand(self._folder / FILE_NAME)

    async def _step(self, store: Store) -> None:
        pick = self._chance.random()
        if not self._logs or pick < 0.15:
            await self._begin(store)
        elif pick < 0.22:
            await self._delete(store)
        else:
            session_id = self._chance.choice(list(self._logs))
            await self._append(session_id)

    async def _begin(self, store: Store) -> None:
        self._made += 1
        session_id = f"power-session-{self._made:04d}"
        self._logs[session_id] = await store.create(session_id, "/project")
        self._counts[session_id] = 0

    async def _delete(self, store: Store) -> None:
        session_id = self._chance.choice(list(self._logs))
        del self._logs[session_id], self._counts[session_id]
        self._journal.mark(f"deleting {session_id} 0")
        await store.delete(session_id)
        self._journal.mark(f"deleted {session_id} 0")

    async def _append(self, session_id: str) -> None:
        log = self._logs[session_id]
        for _ in range(self._chance.choice((1, 1, 3, 60))):
            log.append(numbered(session_id, self._counts[session_id]))
            self._counts[session_id] += 1
        if self._chance.random() < 0.2:
            log.set_title(f"title {self._counts[session_id]}")
        durable = self._chance.random() < 0.6
        await log.flush(durable=durable)
        if durable:
            self._journal.mark(f"durable {session_id} {self._counts[session_id]}")


def durable_in(events: list[Event]) -> dict[str, tuple[str, int]]:
    """What was promised of each session: the last word, and how many entries it has."""
    found: dict[str, tuple[str, int]] = {}
    for event in events:
        if isinstance(event, str):
            word, session_id, count = event.split()
            found[session_id] = (word, int(count))
    return found


async def judged(folder: Path, promised: dict[str, tuple[str, int]]) -> list[str]:
    """Open an image and work with it; what is wrong."""
    wrong: list[str] = []
    warnings: list[str] = []
    repairs = rebuild.is_demanded(folder / FILE_NAME)
    async with asyncio.timeout(BOUND), opened(folder, warnings) as store:
        there = {info.session_id for info in (await store.list(limit=1000)).sessions}
        for session_id, (word, count) in promised.items():
            if word == "durable" and session_id not in there:
                wrong.append(f"{session_id} is gone")
            if word == "deleted" and session_id in there:
                wrong.append(f"{session_id} is back")
            if word == "durable" and session_id in there:
                kept = len(await store.entries(session_id))
                if kept < count:
                    wrong.append(f"{session_id}: {kept} of {count}")
        for session_id in there:
            log = await store.open(session_id)
            entries = await log.entries()
            if not is_prefix(session_id, entries):
                wrong.append(f"{session_id} is no prefix")
        fresh = await store.create(FRESH, "/project")
        fresh.append(numbered(FRESH, 0))
        await fresh.flush(durable=True)
    if not repairs:
        wrong += [f"a warning: {text}" for text in warnings]
    return wrong


def campaign(images: int, seed: int, journal: Journal) -> tuple[Counter[str], list[str]]:
    """Stories and images of them; what was counted, and what is wrong."""
    chance, counts, wrong = random.Random(seed), Counter[str](), list[str]()
    while counts["images"] < images:
        events = told(journal, random.Random(chance.random()))
        counts["stories"] += 1
        counts["events"] += len(events)
        counts["syncs"] += sum(isinstance(event, Sync | FolderSync) for event in events)
        for _ in range(min(_IMAGES_OF_A_STORY, images - counts["images"])):
            moment = chance.randrange(len(events) + 1)
            promised = durable_in(events[:moment])
            with scratch() as folder:
                Disk(events[:moment]).image(folder, chance)
                try:
                    found = asyncio.run(judged(folder / "store", promised))
                except (AcpError, TimeoutError) as error:
                    found = [f"{type(error).__name__}: {error}"]
            counts["images"] += 1
            counts["durable"] += sum(count for _, count in promised.values())
            wrong += [f"moment {moment} of story {counts['stories']}: {each}" for each in found]
    return counts, wrong


def told(journal: Journal, chance: random.Random) -> list[Event]:
    """The events of one story, with paths that begin at its folder."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "store"
        journal.writes_down = True
        with OwnCalls(journal, Path(made)).installed():
            asyncio.run(Story(folder, journal, chance).run())
        journal.writes_down = False
        events = [journal.moved(event, made) for event in journal.events]
    journal.events.clear()
    return events


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.coder.store.power_loss")
    parser.add_argument("images", type=int, nargs="?", default=500)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    options = parser.parse_args()
    journal = Journal()
    if not SqliteCalls(journal).install():
        sys.exit("This SQLite is part of the interpreter, and its writes cannot be seen")
    counts, wrong = campaign(options.images, options.seed, journal)
    sys.stdout.write(
        f"seed {options.seed}\n"
        f"{counts['stories']} stories with {counts['events']} writes, names and syncs "
        f"({counts['syncs']} syncs)\n"
        f"total: {counts['images']} images, {counts['durable']} durable entries looked for, "
        f"{len(wrong)} wrong\n"
    )
    for line in wrong:
        sys.stdout.write(f"{line}\n")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
