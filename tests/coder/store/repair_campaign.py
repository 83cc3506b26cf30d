"""Repairs that are killed, again and again; nothing that can be read may get lost by it.

Usage: python -m tests.coder.store.repair_campaign [KILLS]
"""

import asyncio
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from parley.coder.store import rebuild
from parley.coder.store.check import check
from parley.coder.store.database import FILE_NAME
from parley.coder.store.entry import Entry
from parley.coder.store.repair import repair
from tests.coder.store.damage_campaign import scratch
from tests.coder.store.staging import filled, numbered, opened

PROGRAM = Path(__file__).parent / "programs" / "repairing.py"
ROOT = Path(__file__).parents[3]
SESSIONS = [f"repair-session-{number:04d}" for number in range(4)]
GONE = "session-that-is-gone"
ENTRIES, MORE = 150, 10
# A repair of this store is over by then, so a kill within this time hits all of it.
_LONGEST = 0.03

Contents = dict[str, tuple[Entry, ...]]


@dataclass
class Tally:
    """What a campaign saw. `wrong` must be empty."""

    kills: int = 0
    by_steps: int = 0
    unfinished: int = 0
    """Repairs that had something left to do."""
    wrong: list[str] = field(default_factory=list[str])


class Repairer:
    """The program that forks repairs."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(PROGRAM)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            start_new_session=True,
        )
        self.said()

    def order(self, folder: Path, manner: str) -> int:
        """Have a process forked; its number."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{folder} {manner}\n".encode())
        self._process.stdin.flush()
        return int(self._awaited("forked")[1])

    def share(self, folder: Path) -> int:
        """Have a process forked that has the store open; its number."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{folder} share\n".encode())
        self._process.stdin.flush()
        # Parent and child speak in any order.
        words = dict([*self.said(), ""][:2] for _ in range(2))
        assert set(words) == {"forked", "ready"}
        return int(words["forked"])

    def said(self) -> list[str]:
        """The next line, in words."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline().decode()
        assert line, "the program has ended"
        return line.split()

    def ended(self) -> int:
        """Wait for the process; the signal that has ended it, or 0."""
        words = self._awaited("ended")
        assert words[1] in ("0", str(int(signal.SIGKILL))), words
        return int(words[1])

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        # What it has forked belongs to its group, and is still there if a test went wrong.
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(10)
        self._process.stdout.close()

    def _awaited(self, word: str) -> list[str]:
        words = self.said()
        while words[0] != word:
            words = self.said()
        return words


@contextmanager
def repairer() -> Generator[Repairer]:
    made = Repairer()
    try:
        yield made
    finally:
        made.close()


def kill_repairs(kills: int, seed: int = 3) -> Tally:
    """Kill repairs at their steps and at any moment, and let another process go on after them."""
    chance, tally = random.Random(seed), Tally()
    with scratch() as folder, repairer() as program:
        asyncio.run(_fill(folder / "damaged"))
        wanted = _repaired(folder / "damaged", folder / "wanted")
        steps = _steps(folder, program)
        number = 0
        while tally.kills < kills and number < 3 * kills:
            number += 1
            copy = folder / str(number)
            shutil.copytree(folder / "damaged", copy)
            if number % 2:
                # The steps are spread evenly over all kills.
                manner = str(1 + (number // 2) * steps * 2 // kills % steps)
                program.order(copy, manner)
            else:
                program.order(copy, f"{chance.random() * _LONGEST:.6f}")
            if program.ended():
                tally.kills += 1
                tally.by_steps += number % 2
            _judge(folder / "damaged", copy, wanted, tally, by_agent=number % 4 < 2)
            shutil.rmtree(copy)
    return tally


def _steps(folder: Path, program: Repairer) -> int:
    """How many steps a repair has."""
    step, ended = 0, 1
    while ended:
        step += 16
        copy = folder / f"steps-{step}"
        shutil.copytree(folder / "damaged", copy)
        program.order(copy, str(step))
        ended = program.ended()
        shutil.rmtree(copy)
    return step


async def _fill(folder: Path) -> None:
    """A store of a process that was killed, with every kind of damage that a repair knows."""
    alive = folder.with_name("alive")
    async with opened(alive) as store:
        for session_id in SESSIONS:
            await filled(store, session_id, *(numbered(session_id, at) for at in range(ENTRIES)))
    async with opened(alive) as store:
        for session_id in SESSIONS:
            log = await store.open(session_id)
            log.append(*(numbered(session_id, ENTRIES + at) for at in range(MORE)))
            await log.flush()
        shutil.copytree(alive, folder)
    content = bytearray((folder / FILE_NAME).read_bytes())
    place = content.index(f"{SESSIONS[1]}:30:".encode())
    content[place] ^= 1
    page = content.index(f"{SESSIONS[2]}:70:".encode()) // 4096
    content[page * 4096 : page * 4096 + 512] = bytes(512)
    (folder / FILE_NAME).write_bytes(content)
    kinds = {fault.kind for fault in check(folder / FILE_NAME).faults}
    assert kinds == {"file", "session"}, kinds
    (folder / FILE_NAME).chmod(0o644)
    (folder / "locks").chmod(0o755)
    (folder / f"{FILE_NAME}.new").write_bytes(b"interrupted")
    (folder / "undo" / SESSIONS[0]).mkdir(parents=True, mode=0o700)
    (folder / "undo" / SESSIONS[0] / f".{'a' * 64}").write_bytes(b"interrupted")
    (folder / "undo" / GONE).mkdir()
    (folder / "undo" / GONE / "journal").write_bytes(b"{}")


def _repaired(damaged: Path, copy: Path) -> Contents:
    shutil.copytree(damaged, copy)
    repair(copy, lambda text: None)
    return asyncio.run(_contents(copy))


async def _contents(folder: Path) -> Contents:
    async with opened(folder) as store:
        page = await store.list()
        return {each.session_id: await store.entries(each.session_id) for each in page.sessions}


def _judge(damaged: Path, copy: Path, wanted: Contents, tally: Tally, *, by_agent: bool) -> None:
    """Compare what became of a store with what a repair without a kill makes of it."""
    files = [damaged / f"{FILE_NAME}{suffix}" for suffix in ("", "-wal")]
    originals = {each.read_bytes() for each in files}
    kept = {each.read_bytes() for each in copy.iterdir() if each.is_file()}
    if not originals <= kept:
        tally.wrong.append(f"{copy.name}: the damaged file is not there any more")
    if by_agent and asyncio.run(_contents(copy)) != wanted:
        tally.wrong.append(f"{copy.name}: an agent finds something else")
    said: list[str] = []
    if repair(copy, said.append).faults:
        tally.wrong.append(f"{copy.name}: faults are left")
    tally.unfinished += bool(said)
    if asyncio.run(_contents(copy)) != wanted:
        tally.wrong.append(f"{copy.name}: a second repair finds something else")
    again: list[str] = []
    repair(copy, again.append)
    if again:
        tally.wrong.append(f"{copy.name}: a third repair still does something: {again}")
    if not (copy / "undo" / GONE).is_dir():
        tally.wrong.append(f"{copy.name}: undo data is gone, though its session may be kept")
    asides = [each.name for each in copy.glob("*.damaged-?")]
    if asides != [f"{FILE_NAME}.damaged-1"] or rebuild.is_demanded(copy / FILE_NAME):
        tally.wrong.append(f"{copy.name}: {asides}")
    if check(copy / FILE_NAME).faults:
        tally.wrong.append(f"{copy.name}: a check finds faults")


def main() -> None:
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    tally = kill_repairs(kills, random.randrange(10**6))
    sys.stdout.write(
        f"{tally.kills} repairs killed, {tally.by_steps} of them at a step; "
        f"{tally.unfinished} were finished by the next one; {len(tally.wrong)} wrong\n"
    )
    for line in tally.wrong:
        sys.stdout.write(f"{line}\n")
    sys.exit(bool(tally.wrong))


if __name__ == "__main__":
    main()
