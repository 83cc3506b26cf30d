"""Every call to the system fails once, and from there on, in thirteen scenarios of the store.

Usage: python -m tests.coder.store.io_faults [EVERY] [--scenario NAME] [--sample N] [--seed N]

EVERY is the distance between two calls that are made to fail; 1 is all of them. With a sample, so
many random ones of each scenario fail. Afterwards the files hold the old state or the new one, the
failure was reported as one of the store, and the same process goes on as soon as the fault is over.
"""

import argparse
import asyncio
import errno
import faulthandler
import random
import resource
import shutil
import sys
import threading
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from parley.coder.store import schema
from parley.coder.store.failure import StoreFailed
from tests.coder.store.damage_campaign import scratch
from tests.coder.store.faults.gate import Gate
from tests.coder.store.faults.listener import SHORT
from tests.coder.store.faults.own_calls import OwnCalls
from tests.coder.store.faults.scenarios import (
    SCENARIOS,
    Hand,
    Scenario,
    State,
    prepare,
    process,
    state_of,
    version,
)
from tests.coder.store.faults.sqlite_calls import SqliteCalls

FAULTS = {
    "ENOSPC": errno.ENOSPC,
    "EIO": errno.EIO,
    "EDQUOT": errno.EDQUOT,
    "EINTR": errno.EINTR,
    "short write": SHORT,
}
_BOUND = 20.0
# A scenario that never comes to its end would be a defect of the campaign.
_MOST_CALLS = 5_000
_PAGE = 4096


@dataclass
class Tally:
    """What one scenario came to."""

    faults: int = 0
    reported: int = 0
    borne: int = 0
    """Faults that nobody noticed, and rightly so."""
    kinds: Counter[str] = field(default_factory=Counter[str])
    wrong: list[str] = field(default_factory=list[str])


class Bench:
    """Runs cases of one scenario against copies of its files."""

    def __init__(self, scenario: Scenario, folder: Path, gate: Gate) -> None:
        self._scenario = scenario
        self._golden = folder / "golden"
        self._copy = folder / "copy"
        self.gate = gate
        self._defects: list[str] = []
        threading.excepthook = self._noted
        self._golden.mkdir()
        asyncio.run(prepare(scenario, self._golden, folder / "made"))
        self._old: State = {}
        if scenario.ruin is None:
            self._fresh_copy()
            self._old = asyncio.run(state_of(self._copy))[0]
        self._fresh_copy()
        gate.arm(_MOST_CALLS, errno.EIO, lasting=False)
        with OwnCalls(gate, self._copy).installed():
            asyncio.run(self._untouched())
        gate.disarm()
        self.calls = gate.calls
        """How many calls there are when none fails."""
        self._new = asyncio.run(state_of(self._copy))[0]

    async def _untouched(self) -> None:
        async with process(self._copy) as hand:
            await self._scenario.act(hand)

    def case(self, fault: str, first: int, *, lasting: bool) -> tuple[str, str]:
        """One fault: what came of it (`untouched`, `reported`, `borne`), and what is wrong."""
        self._fresh_copy()
        faulthandler.dump_traceback_later(2 * _BOUND, exit=True)
        try:
            with OwnCalls(self.gate, self._copy).installed():
                return asyncio.run(self._faulty(FAULTS[fault], first, lasting=lasting))
        finally:
            faulthandler.cancel_dump_traceback_later()

    def limited(self, size: int) -> tuple[str, str]:
        """Files may not grow beyond a size: what came of it, and what is wrong."""
        self._fresh_copy()
        faulthandler.dump_traceback_later(2 * _BOUND, exit=True)
        unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
        try:
            return asyncio.run(self._too_large(size, unlimited))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
            faulthandler.cancel_dump_traceback_later()

    async def _faulty(self, number: int, first: int, *, lasting: bool) -> tuple[str, str]:
        self.gate.arm(first, number, lasting=lasting)

        def over() -> None:
            self.gate.disarm()

        failure, wrong = await self._judged(first, over)
        if not self.gate.refused:
            return "untouched", wrong or ("" if failure is None else f"failed alone: {failure}")
        return "borne" if failure is None else "reported", wrong

    async def _too_large(self, size: int, unlimited: tuple[int, int]) -> tuple[str, str]:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, unlimited[1]))

        def over() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)

        failure, wrong = await self._judged(size // _PAGE, over)
        return "untouched" if failure is None else "reported", wrong

    async def _judged(self, number: int, over: object) -> tuple[StoreFailed | None, str]:
        """Act under the fault, look at the files, and act again without it."""
        assert callable(over)
        failure: StoreFailed | None = None
        try:
            async with asyncio.timeout(_BOUND):
                async with process(self._copy) as hand:
                    try:
                        await self._scenario.act(hand)
                    except StoreFailed as error:
                        failure = error
                    except Exception:
                        # Closing under the fault may fail as well, and would hide this.
                        over()
                        raise
                    if number % 2:
                        # The same process goes on.
                        over()
                        await self._check(failure, hand)
                        await self._scenario.act(hand)
                    # Every other time the fault lasts until the process has ended.
        except StoreFailed as error:
            if not number % 2:
                failure = failure or error
            else:
                return failure, f"the same process cannot go on: {error}"
        except Exception as error:
            return failure, f"{type(error).__name__}: {error} {traceback.format_exc(limit=-2)}"
        finally:
            over()
        try:
            async with asyncio.timeout(_BOUND):
                return failure, await self._afterwards(failure)
        except Exception as error:
            return failure, f"afterwards {type(error).__name__}: {error}"

    async def _check(self, failure: StoreFailed | None, hand: Hand) -> None:
        if self._scenario.ruin is None:
            found, _ = await state_of(self._copy)
            allowed = [self._new] if failure is None else [self._old, self._new]
            assert found in allowed, f"a third state: {_shape(found)}"

    async def _afterwards(self, failure: StoreFailed | None) -> str:
        if self._scenario.ruin is None:
            found, _ = await state_of(self._copy)
            if found not in (self._old, self._new):
                return f"a third state: {_shape(found)}"
        await self._untouched()
        found, warnings = await state_of(self._copy)
        if found != self._new:
            return f"not the new state: {_shape(found)}"
        if self._defects:
            return self._defects[0]
        asides = [path.name for path in self._copy.glob("*.damaged-*")]
        if self._scenario.ruin is None and (asides or warnings):
            return f"taken for damaged: {asides} {warnings}"
        return ""

    def _noted(self, given: threading.ExceptHookArgs) -> None:
        self._defects.append(f"a thread ended: {given.exc_value!r}")

    def _fresh_copy(self) -> None:
        self._defects.clear()
        shutil.rmtree(self._copy, ignore_errors=True)
        shutil.copytree(self._golden, self._copy)


def _shape(state: State) -> dict[str, tuple[str | None, int]]:
    return {key: (title, len(entries)) for key, (title, entries) in state.items()}


def series(bench: Bench, every: int = 1) -> Tally:
    """All faults of one scenario, at every n-th call."""
    tally = Tally()
    for fault in FAULTS:
        for lasting in (False, True):
            for first in range(1, _MOST_CALLS, every):
                if _tried(bench, tally, fault, first, lasting=lasting):
                    break
    for size in range(0, _MOST_CALLS * _PAGE, _PAGE * every):
        came_to, wrong = bench.limited(size)
        if _counted(tally, "file limit", came_to, wrong, f"file limit {size}"):
            break
    return tally


def sample(bench: Bench, count: int, chance: random.Random) -> Tally:
    """Some faults of one scenario, anywhere in it."""
    tally = Tally()
    for _ in range(count):
        first = chance.randint(1, bench.calls)
        fault, lasting = chance.choice(tuple(FAULTS)), chance.random() < 0.5
        _tried(bench, tally, fault, first, lasting=lasting)
    size = chance.randrange(4) * _PAGE
    _counted(tally, "file limit", *bench.limited(size), f"file limit {size}")
    return tally


def _tried(bench: Bench, tally: Tally, fault: str, first: int, *, lasting: bool) -> bool:
    """Count one fault; whether it came too late to happen."""
    came_to, wrong = bench.case(fault, first, lasting=lasting)
    where = f"{fault}{' lasting' if lasting else ''} at {first} ({bench.gate.last})"
    return _counted(tally, fault, came_to, wrong, where)


def _counted(tally: Tally, fault: str, came_to: str, wrong: str, where: str) -> bool:
    """Count a case; whether it was the last one, which nothing happened to."""
    if wrong:
        tally.wrong.append(f"{where}: {wrong}")
    if came_to == "untouched":
        return True
    tally.faults += 1
    tally.kinds[fault] += 1
    tally.reported += came_to == "reported"
    tally.borne += came_to == "borne"
    return False


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.coder.store.io_faults")
    parser.add_argument("every", type=int, nargs="?", default=1)
    parser.add_argument("--scenario", choices=[each.name for each in SCENARIOS])
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--own", action="store_true", help="leave the calls of SQLite alone")
    options = parser.parse_args()
    gate = Gate()
    hooked = not options.own and SqliteCalls(gate).install()
    # SQLite takes a lock that fails for one that is held, and this is how long it waits then.
    schema.BUSY_SECONDS = 0.2
    total: Counter[str] = Counter()
    wrong: list[str] = []
    for scenario in SCENARIOS:
        if options.scenario not in (None, scenario.name):
            continue
        with scratch() as folder, version(scenario.newer):
            bench = Bench(scenario, folder, gate)
            if options.sample is None:
                tally = series(bench, options.every)
            else:
                tally = sample(bench, options.sample, random.Random(options.seed))
        total.update(tally.kinds)
        total.update(faults=tally.faults, reported=tally.reported, borne=tally.borne)
        wrong += [f"{scenario.name}: {line}" for line in tally.wrong]
        sys.stdout.write(
            f"{scenario.name}: {bench.calls} calls, {tally.faults} faults, "
            f"{tally.reported} reported, {tally.borne} borne, {len(tally.wrong)} wrong\n"
        )
        sys.stdout.flush()
    reach = "of SQLite and of the store" if hooked else "of the store alone"
    kinds = ", ".join(f"{total[name]} {name}" for name in (*FAULTS, "file limit"))
    sys.stdout.write(
        f"seed {options.seed}\n"
        f"total: {total['faults']} faults in calls {reach} ({kinds}), "
        f"{total['reported']} reported, {total['borne']} borne, {len(wrong)} wrong\n"
    )
    for line in wrong:
        sys.stdout.write(f"{line}\n")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
