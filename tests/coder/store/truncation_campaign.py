"""Stores whose files were cut off at sampled bytes, each loaded, judged and used again.

Usage: python -m tests.coder.store.truncation_campaign [CUTS] [--seed N]

A log of changes that was cut off is the state after an earlier commit: every session is a prefix,
and all of them together are what there was at one moment. A file that was cut off has lost pages,
and what SQLite can still reach of them is measured.
"""

import argparse
import asyncio
import os
import random
import shutil
import sys
from pathlib import Path

from parley.coder.store.database import FILE_NAME
from tests.coder.store.damage_campaign import (
    SLOWEST,
    Found,
    golden,
    report,
    survey,
)

_FRAME = 4096 + 24
_HEADER = 32


def truncated(cuts: int, seed: int) -> dict[str, Found]:
    """Cut files off; what is left, by the file that was cut and what lies beside it."""
    chance = random.Random(seed)
    found: dict[str, Found] = {}
    with golden() as (folder, stores):
        (closed, half), (killed, whole) = stores
        choices = [
            ("closed, the file", closed, "", half, 0),
            ("killed, the file", killed, "", whole, 0),
            # What is in the file itself is not touched by a cut in the log.
            ("killed, the log", killed, "-wal", whole, half),
            ("killed, file and log", killed, "both", whole, 0),
        ]
        for number in range(cuts):
            name, source, suffix, there, least = choices[number % len(choices)]
            copy = folder / str(number)
            shutil.copytree(source, copy)
            ends = ("", "-wal") if suffix == "both" else (suffix,)
            for end in ends:
                _cut(copy / f"{FILE_NAME}{end}", chance)
            _judge(copy, found.setdefault(name, Found()), there, least)
            shutil.rmtree(copy)
    return found


def _cut(path: Path, chance: random.Random) -> None:
    size = path.stat().st_size
    borders = range(_HEADER, size, _FRAME) if path.name.endswith("-wal") else range(0, size, 4096)
    # A byte before or behind a border is where mistakes would be.
    near = chance.choice(borders) + chance.choice((-1, 0, 1, 24))
    place = near if chance.random() < 0.3 else chance.randrange(size)
    os.truncate(path, min(max(place, 0), size))


def _judge(copy: Path, found: Found, there: int, least: int) -> None:
    found.samples += 1
    found.there += there
    try:
        kept, slowest = asyncio.run(survey(copy))
    except Exception as error:
        found.wrong.append(f"{type(error).__name__}: {error}")
        return
    found.entries += kept
    found.whole += kept == there
    found.slowest = max(found.slowest, slowest)
    if kept < least:
        found.wrong.append(f"{least - kept} entries are lost that the cut did not touch")
    if slowest > SLOWEST:
        found.wrong.append(f"took {slowest:.1f} s")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.coder.store.truncation_campaign")
    parser.add_argument("cuts", type=int, nargs="?", default=2_000)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    options = parser.parse_args()
    found = truncated(options.cuts, options.seed)
    sys.stdout.writelines(report(name, each) for name, each in found.items())
    wrong = [f"{name}: {line}" for name, each in found.items() for line in each.wrong]
    sys.stdout.write(f"seed {options.seed}\ntotal: {options.cuts} cuts, {len(wrong)} wrong\n")
    sys.stdout.writelines(f"{line}\n" for line in wrong)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
