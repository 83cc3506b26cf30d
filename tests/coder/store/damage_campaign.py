"""Samples of damaged files, each loaded, compared with what was written, and used again.

Usage: python -m tests.coder.store.damage_campaign [SAMPLES]
"""

import asyncio
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from parley.coder.store.database import FILE_NAME
from parley.coder.store.failure import StoreFailed
from parley.errors import ResourceNotFound
from tests.coder.store.staging import BOUND, is_prefix, numbered, opened

SESSIONS = [f"damage-session-{number:04d}" for number in range(3)]
FRESH = "a-fresh-session-01"
ENTRIES = 60
WHOLE = len(SESSIONS) * ENTRIES
# Every sample syncs its files, which is not what is tested here, and memory does not wait for that.
_MEMORY = Path("/dev/shm")

Ruin = Callable[[bytearray, random.Random], None]


@dataclass
class Found:
    """What was left in all samples."""

    entries: int = 0
    sessions: int = 0
    newer: int = 0
    """Samples that look as if a newer version had made them, and are left alone."""


@contextmanager
def scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=_MEMORY if os.access(_MEMORY, os.W_OK) else None) as made:
        yield Path(made)


def flip_a_bit(content: bytearray, chance: random.Random) -> None:
    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)


def cut(content: bytearray, chance: random.Random) -> None:
    del content[chance.randrange(len(content)) :]


def ruin_a_block(content: bytearray, chance: random.Random) -> None:
    size = chance.choice((512, 4096))
    start, other = (chance.randrange(len(content) // size) * size for _ in range(2))
    contents = (bytes(size), content[other : other + size], chance.randbytes(size))
    content[start : start + size] = chance.choice(contents)


def sampled(samples: int, ruin: Ruin, seed: int = 7) -> Found:
    """Ruin copies of a store that was closed, and of one whose process was killed."""
    found, chance = Found(), random.Random(seed)
    with scratch() as folder:
        closed, killed = folder / "closed", folder / "killed"
        asyncio.run(_fill(closed, None))
        asyncio.run(_fill(closed, killed))
        for number in range(samples):
            copy = folder / str(number)
            shutil.copytree(killed if number % 2 else closed, copy)
            in_the_log = number % 2 and chance.random() < 0.6
            victim = copy / (f"{FILE_NAME}-wal" if in_the_log else FILE_NAME)
            content = bytearray(victim.read_bytes())
            ruin(content, chance)
            victim.write_bytes(content)
            asyncio.run(survey(copy, found))
            shutil.rmtree(copy)
    return found


async def _fill(folder: Path, copy: Path | None) -> None:
    """Write half of the entries; with a copy of the files before they are closed."""
    async with opened(folder) as store:
        for session_id in SESSIONS:
            known = await store.describe(session_id) is not None
            log = await (store.open(session_id) if known else store.create(session_id, "/project"))
            start = len(await log.entries())
            log.append(*(numbered(session_id, start + each) for each in range(ENTRIES // 2)))
            await log.flush()
        if copy is not None:
            shutil.copytree(folder, copy)


async def survey(folder: Path, found: Found) -> None:
    """Load whatever is there, and go on working with it."""
    async with asyncio.timeout(BOUND), opened(folder) as store:
        try:
            page = await store.list()
        except StoreFailed as error:
            if error.cause != "newer":
                raise
            found.newer += 1
            return
        for info in page.sessions:
            assert info.session_id in SESSIONS
            try:
                log = await store.open(info.session_id)
            except ResourceNotFound:
                # The repair that another session needed could not save this one.
                continue
            entries = await log.entries()
            assert is_prefix(info.session_id, entries)
            following = numbered(info.session_id, len(entries))
            log.append(following)
            assert await log.entries() == (*entries, following)
            found.entries += len(entries)
            found.sessions += 1
        fresh = await store.create(FRESH, "/project")
        fresh.append(numbered(FRESH, 0))
        await fresh.flush(durable=True)


def main() -> None:
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    for ruin in (flip_a_bit, cut, ruin_a_block):
        found = sampled(samples, ruin, random.randrange(10**6))
        sys.stdout.write(
            f"{ruin.__name__}: {samples} samples, 0 crashes, 0 made up, "
            f"{found.entries / samples / WHOLE:.1%} of the entries kept, {found.newer} refused\n"
        )


if __name__ == "__main__":
    main()
