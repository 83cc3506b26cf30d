"""Rounds of kill -9 and of two processes on one session, compared with what was told.

Usage: python -m tests.coder.store.kill_campaign [ROUNDS] [--seed N]
"""

import argparse
import asyncio
import os
import random
import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from parley.coder.store.entry import Entry, TurnBegun
from tests.coder.store.staging import filled, is_prefix, kept, opened

PROGRAM = Path(__file__).parent / "programs" / "appending.py"
ROOT = Path(__file__).parents[3]
BLOCK = 12
# After so many kills new sessions begin, so that a round does not grow longer and longer.
_LIFE = 10


@dataclass
class Tally:
    """What a campaign saw. Everything but the first two lines must be empty."""

    kills: int = 0
    told: int = 0
    lost: list[str] = field(default_factory=list[str])
    wrong: list[str] = field(default_factory=list[str])


class Forker:
    """The program that forks, and the lines that its children say."""

    def __init__(self) -> None:
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        self._process = subprocess.Popen(
            [sys.executable, str(PROGRAM)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        )
        self.said()

    def order(self, folder: Path, manner: str, seed: int, *sessions: str) -> list[int]:
        """Have children forked; their numbers."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{folder} {manner} {seed} {' '.join(sessions)}\n".encode())
        self._process.stdin.flush()
        return [int(word) for word in self.until("forked")[-1][1:]]

    def said(self) -> list[str]:
        """The next line, in words."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline().decode()
        assert line, "the program has ended"
        return line.split()

    def until(self, word: str) -> list[list[str]]:
        """All lines up to the one that begins with the word."""
        lines = [self.said()]
        while lines[-1][0] != word:
            lines.append(self.said())
        self.early = lines[:-1]
        return lines

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()


@contextmanager
def forker() -> Generator[Forker]:
    made = Forker()
    try:
        yield made
    finally:
        made.close()


def kill_rounds(folder: Path, rounds: int, seed: int = 1) -> Tally:
    """Kill a process that appends, again and again; what it had told must be there."""
    chance, tally = random.Random(seed), Tally()
    told: dict[str, int] = {}
    with forker() as program:
        for number in range(rounds):
            sessions = [f"kill-session-{number // _LIFE:04d}-{each}" for each in range(3)]
            (pid,) = program.order(folder, "stream", seed + number, *sessions)
            lines = list(program.early)
            lines += [program.said() for _ in range(chance.choice((0, 1, 2, 5, 20, 60)))]
            # The lines follow the commits; a moment of random length leads to between them.
            for _ in range(chance.randrange(50_000)):
                pass
            os.kill(pid, signal.SIGKILL)
            lines += program.until("ended")
            if lines[-1][1] != str(int(signal.SIGKILL)):
                tally.wrong.append(f"the process ended by itself: {lines[-1]}")
            tally.kills += 1
            for words in lines:
                if words[0] == "stored":
                    told[words[1]] = int(words[2])
            asyncio.run(_compare(folder, sessions, told, tally))
    tally.told = sum(told.values())
    return tally


async def _compare(folder: Path, sessions: list[str], told: dict[str, int], tally: Tally) -> None:
    async with opened(folder) as store:
        for session_id in sessions:
            if await store.describe(session_id) is None:
                entries: tuple[Entry, ...] = ()
            else:
                log = await store.open(session_id)
                entries = await log.entries()
                if log.damaged:
                    tally.wrong.append(f"{session_id} is damaged")
            if len(entries) < told.get(session_id, 0):
                tally.lost.append(f"{session_id}: {len(entries)} of {told[session_id]}")
            if not is_prefix(session_id, entries):
                tally.wrong.append(session_id)


def contest_rounds(folder: Path, rounds: int) -> tuple[int, list[str]]:
    """Two processes want one session at once; how often one was refused, and what is wrong."""
    refused, wrong = 0, list[str]()
    with forker() as program:
        for number in range(rounds):
            session_id = f"contested-session-{number:04d}"
            asyncio.run(_made(folder, session_id))
            pids = program.order(folder, "contest", number, session_id)
            lines = program.early + program.until("ended")
            refused += sum(int(words[1]) for words in lines if words[0] == "refused")
            entries = asyncio.run(kept(folder, session_id))
            if entries not in (_blocks(*pids), _blocks(*reversed(pids))):
                wrong.append(f"{session_id}: {entries}")
    return refused, wrong


def _blocks(*pids: int) -> tuple[Entry, ...]:
    return tuple(TurnBegun(f"{pid}:{number}") for pid in pids for number in range(BLOCK))


async def _made(folder: Path, session_id: str) -> None:
    async with opened(folder) as store:
        await filled(store, session_id)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.coder.store.kill_campaign")
    parser.add_argument("rounds", type=int, nargs="?", default=300)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    options = parser.parse_args()
    rounds: int = options.rounds
    with tempfile.TemporaryDirectory() as scratch:
        tally = kill_rounds(Path(scratch) / "kills", rounds, seed=options.seed)
        refused, wrong = contest_rounds(Path(scratch) / "contest", max(100, rounds // 3))
    sys.stdout.write(
        f"seed {options.seed}\n"
        f"{tally.kills} kills, {tally.told} entries told, "
        f"{len(tally.lost)} lost, {len(tally.wrong)} wrong\n"
        f"two processes on one session: {max(100, rounds // 3)} rounds, {refused} refusals, "
        f"{len(wrong)} interleavings\n"
    )
    for line in (*tally.lost, *tally.wrong, *wrong):
        sys.stdout.write(f"{line}\n")
    sys.exit(bool(tally.lost or tally.wrong or wrong))


if __name__ == "__main__":
    main()
