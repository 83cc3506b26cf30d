"""`python -m tests.others [NAME...]`: `parley run` meets the agents of others.

It needs npm, pip and a registry that they can reach, so it is no part of `./check`.
"""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

from tests.others.driving import Manner, Seen, drive
from tests.others.installing import CannotInstall, install
from tests.others.judging import Row, judge, not_there, table
from tests.others.strangers import STRANGERS, Stranger


def main(arguments: list[str] | None = None) -> int:
    names = [stranger.name for stranger in STRANGERS]
    parser = argparse.ArgumentParser(
        prog="python -m tests.others",
        description="Install agents of others and drive them with `parley run`.",
    )
    parser.add_argument("names", metavar="NAME", nargs="*", help=f"of {', '.join(names)}")
    parser.add_argument("--cache", type=Path, default=_cache(), help="where they are installed")
    parser.add_argument("--keep", type=Path, help="an empty folder for frames, events and stderr")
    options = parser.parse_args(arguments)
    if unknown := set(options.names) - set(names):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    rows: list[Row] = []
    for stranger in STRANGERS:
        if not options.names or stranger.name in options.names:
            _tell(f"{stranger.name} {stranger.version} ...")
            rows.append(_meet(stranger, options.cache, options.keep))
    sys.stdout.write(table(rows) + "\n")
    return 0 if all(row.good for row in rows) else 1


def _meet(stranger: Stranger, cache: Path, keep: Path | None) -> Row:
    try:
        folder = install(stranger, cache.absolute())
    except CannotInstall as error:
        return not_there(stranger, str(error))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        place = Path(scratch if keep is None else keep.absolute()) / stranger.name
        runs: dict[Manner, Seen] = {
            manner: drive(stranger, folder, place / manner, manner) for manner in _manners(stranger)
        }
        if stranger.again:
            runs["again"] = drive(stranger, folder, place / "allow", "again", runs["allow"])
        for manner, seen in runs.items():
            lines = [json.dumps(event) + "\n" for event in seen.events]
            (place / f"{manner}.events.jsonl").write_text("".join(lines))
    return judge(stranger, runs)


def _manners(stranger: Stranger) -> list[Manner]:
    manners: list[tuple[Manner, bool]] = [
        ("allow", True),
        ("refuse", stranger.permission),
        ("interrupt", stranger.waits is not None),
    ]
    return [manner for manner, useful in manners if useful]


def _cache() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "parley" / "others"


def _tell(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
