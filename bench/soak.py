"""Eight hours of use, compressed: what does the coding agent hold in the end that it did not?

Usage: .venv/bin/python -m bench.soak [--turns 10000] [--sessions 50] [--seconds N] [--seed 1]

Two processes of `parley acp`, one for each version of the protocol, work on one store with a model
that follows orders: text, reading, edits, commands, jobs, refusals, cancelled turns, undo,
sub-agents, compaction, MCP servers, sessions that are loaded, listed, handed over, forked and
deleted. Every turn must do what it should. Ten times everything is closed for a moment: what is
held then must not become more. The first third of the day is for warming up.

`--seconds` ends the day earlier. With fewer than 5,000 turns the goals that need a whole day are
shown and not judged. Times are those of a machine with nothing else to do. The exit status is 1
when a goal is not met. Linux only.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from bench.soak_client import SoakClient
from bench.soak_day import Day, Done
from bench.soak_figures import (
    VERSIONS,
    Figures,
    Looks,
    PlainWrites,
    Sample,
    judged,
    sampled,
    shown,
)
from bench.soak_model import SoakModel

TURNS, SESSIONS = 10_000, 50
RESTS = 10
SAMPLES = 200
"""Looks at the processes while they work."""


def soak(
    folder: Path, turns: int, sessions: int, seconds: float | None = None, seed: int = 1
) -> tuple[Figures, Done]:
    """Live through a day, or through the seconds of it that there are."""
    began = time.monotonic()
    with ExitStack() as stack:
        model = stack.enter_context(SoakModel())
        home = folder / "home"
        home.mkdir()
        clients = [
            stack.enter_context(
                SoakClient(home, version, model.environment(), folder / f"times-{version}")
            )
            for version in VERSIONS
        ]
        for client in clients:
            client.begin()
        day = Day(folder, clients, turns, sessions, seed)
        looks = _lived(folder, day, clients, turns, seconds)
        for client in clients:
            if status := client.end():
                day.done.problems.append(f"version {client.version}: exit status {status}")
            if complaints := client.complaints():
                day.done.problems.append(f"version {client.version}: {complaints[-2000:]}")
    taken = time.monotonic() - began
    times = [folder / f"times-{client.version}" for client in clients]
    return Figures(taken, looks, times, home / "data"), day.done


def _lived(
    folder: Path, day: Day, clients: Sequence[SoakClient], turns: int, seconds: float | None
) -> Looks:
    began = time.monotonic()
    working: list[Sample] = []
    resting: list[Sample] = []

    def look(samples: list[Sample]) -> None:
        samples.extend(sampled(client, day.done.turns) for client in clients)

    def progress() -> float:
        """The part of the day that is over."""
        passed = 0.0 if seconds is None else (time.monotonic() - began) / seconds
        return max(passed, day.done.turns / turns)

    day.begin()
    plain = PlainWrites(folder / "plain")
    while (before := progress()) < 1 and not day.failed:
        day.step()
        plain.write()
        now = progress()
        if int(before * SAMPLES) != int(now * SAMPLES):
            look(working)
        if int(before * RESTS) != int(now * RESTS):
            day.rest(lambda: look(resting))
    plain.close()
    return Looks(working, resting, plain.times)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--sessions", type=int, default=SESSIONS)
    parser.add_argument("--seconds", type=float, help="end after so many seconds")
    parser.add_argument("--seed", type=int, default=1, help="where chance begins")
    options = parser.parse_args()
    print(f"load of the machine before: {os.getloadavg()[0]:.1f}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        figures, done = soak(
            Path(folder), options.turns, options.sessions, options.seconds, options.seed
        )
        print(f"load of the machine after: {os.getloadavg()[0]:.1f}\n")
        shown(figures, done)
        return 0 if judged(figures, done) else 1


if __name__ == "__main__":
    sys.exit(main())
