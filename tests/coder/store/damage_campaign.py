"""Samples of damaged stores, each loaded, compared with what was written, and used again.

Usage: python -m tests.coder.store.damage_campaign [SAMPLES] [--seed N]

Nothing may crash, hang, take longer than two seconds or be made up. What SQLite can save of a
damaged page is measured and not promised, except where nothing is kept in what was damaged: there
every entry must be found again.
"""

import argparse
import asyncio
import faulthandler
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from parley.coder.store.failure import StoreFailed
from parley.errors import ResourceNotFound
from tests.coder.store.faults.damages import DAMAGES, Damage
from tests.coder.store.staging import BOUND, is_prefix, numbered, opened

SESSIONS = [f"damage-session-{number:04d}" for number in range(3)]
FRESH = "a-fresh-session-01"
ENTRIES = 60
WHOLE = len(SESSIONS) * ENTRIES
SLOWEST = 2.0
# Every sample syncs its files, which is not what is tested here, and memory does not wait for that.
_MEMORY = Path("/dev/shm")
_NOBODY = 65_534


@dataclass
class Found:
    """What was left in all samples of a kind."""

    samples: int = 0
    there: int = 0
    """Entries that the stores had before they were damaged."""
    entries: int = 0
    whole: int = 0
    """Samples that have lost nothing."""
    refused: int = 0
    """Samples that are left alone, with an error that says why."""
    slowest: float = 0.0
    wrong: list[str] = field(default_factory=list[str])


@contextmanager
def scratch() -> Generator[Path]:
    with tempfile.TemporaryDirectory(dir=_MEMORY if os.access(_MEMORY, os.W_OK) else None) as made:
        yield Path(made)


def campaign(samples: int, seed: int, damages: Sequence[Damage] = DAMAGES) -> dict[str, Found]:
    """Ruin copies of a store that was closed, and of one whose process was killed."""
    chance = random.Random(seed)
    found = {damage.name: Found() for damage in damages}
    weights = [damage.weight for damage in damages]
    # Every kind comes at least once.
    chosen = [*damages, *chance.choices(damages, weights, k=max(0, samples - len(damages)))]
    with golden() as (folder, stores):
        for number, damage in enumerate(chosen[:samples]):
            source, there = stores[number % 2]
            copy = folder / str(number)
            shutil.copytree(source, copy)
            found[damage.name].there += there
            with _somebody(folder, copy, damage):
                _sample(copy, damage, random.Random(f"{seed} {number}"), found[damage.name], there)
            shutil.rmtree(copy)
    return found


@contextmanager
def golden() -> Generator[tuple[Path, list[tuple[Path, int]]]]:
    """A scratch folder with two stores, and how many entries they have."""
    with scratch() as folder:
        closed, killed = folder / "closed", folder / "killed"
        asyncio.run(_fill(closed, None))
        half = WHOLE // 2
        shutil.copytree(closed, folder / "first")
        asyncio.run(_fill(folder / "first", killed))
        yield folder, [(closed, half), (killed, 2 * half)]


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


def _sample(copy: Path, damage: Damage, chance: random.Random, found: Found, there: int) -> None:
    undo = damage.ruin(copy, chance)
    faulthandler.dump_traceback_later(4 * BOUND, exit=True)
    found.samples += 1
    try:
        kept, slowest = asyncio.run(survey(copy))
    except StoreFailed as error:
        found.refused += 1
        if error.cause not in damage.refusals:
            found.wrong.append(f"refused: {error}")
        undo()
        if error.cause != "newer":
            _put_right(copy, found, there)
    except Exception as error:
        found.wrong.append(f"{type(error).__name__}: {error}")
    else:
        undo()
        found.entries += kept
        found.whole += kept == there
        found.slowest = max(found.slowest, slowest)
        if slowest > SLOWEST:
            found.wrong.append(f"took {slowest:.1f} s")
        if damage.harmless and kept != there:
            found.wrong.append(f"{there - kept} entries are lost")
    finally:
        faulthandler.cancel_dump_traceback_later()


def _put_right(copy: Path, found: Found, there: int) -> None:
    """What was refused is whole as soon as the files are right again."""
    try:
        kept, _ = asyncio.run(survey(copy))
    except Exception as error:
        found.wrong.append(f"put right, but {type(error).__name__}: {error}")
        return
    # Some sessions may have got a new entry before another one was refused.
    found.entries += min(kept, there)
    if kept < there:
        found.wrong.append(f"put right, but {there - kept} entries are lost")


async def survey(folder: Path) -> tuple[int, float]:
    """Load whatever is there, and go on working with it: entries found, seconds of the slowest."""
    count, slowest = 0, 0.0
    async with asyncio.timeout(BOUND), opened(folder) as store:
        begin = time.monotonic()
        page = await store.list()
        for info in page.sessions:
            assert info.session_id in SESSIONS
            try:
                log = await store.open(info.session_id)
            except ResourceNotFound:
                # The repair that another session needed could not save this one.
                continue
            entries = await log.entries()
            slowest, begin = max(slowest, time.monotonic() - begin), time.monotonic()
            assert is_prefix(info.session_id, entries), f"{info.session_id} is no prefix"
            following = numbered(info.session_id, len(entries))
            log.append(following)
            assert await log.entries() == (*entries, following), "an entry is not added"
            await log.close()
            count += len(entries)
        fresh = await store.create(FRESH, "/project")
        fresh.append(numbered(FRESH, 0))
        await fresh.flush(durable=True)
        await store.delete(FRESH)
    return count, slowest


@contextmanager
def _somebody(folder: Path, copy: Path, damage: Damage) -> Generator[None]:
    """Be nobody special, for modes that do not bind root."""
    if damage.name != "mode 000" or os.geteuid() != 0:
        yield
        return
    folder.chmod(0o711)
    for path in (copy, *copy.rglob("*")):
        os.chown(path, _NOBODY, -1)
    os.seteuid(_NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def report(name: str, found: Found) -> str:
    kept = found.entries / found.there if found.there else 1.0
    return (
        f"{name}: {found.samples} samples, {found.whole} lost nothing, {kept:.1%} of the entries "
        f"kept, {found.refused} refused, slowest {found.slowest:.2f} s, {len(found.wrong)} wrong\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.coder.store.damage_campaign")
    parser.add_argument("samples", type=int, nargs="?", default=1_000)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    options = parser.parse_args()
    found = campaign(options.samples, options.seed)
    sys.stdout.writelines(report(name, each) for name, each in found.items())
    total = Found()
    for each in found.values():
        total.samples += each.samples
        total.there += each.there
        total.entries += each.entries
        total.whole += each.whole
        total.refused += each.refused
        total.slowest = max(total.slowest, each.slowest)
    wrong = [f"{name}: {line}" for name, each in found.items() for line in each.wrong]
    total.wrong = wrong
    sys.stdout.write(f"seed {options.seed}\n{report('total', total)}")
    sys.stdout.writelines(f"{line}\n" for line in wrong)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
