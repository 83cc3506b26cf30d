"""Calls to the system that fail: the old state or the new one is left, and the store goes on."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from parley.coder.store.failure import StoreFailed
from tests.coder.store.faults.gate import Gate
from tests.coder.store.faults.own_calls import OwnCalls
from tests.coder.store.faults.scenarios import SCENARIOS
from tests.coder.store.staging import FIRST, SECOND, filled, opened, run

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("arguments", "reach"),
    [
        (["--sample", "4"], "SQLite and of the store"),
        (["--sample", "1", "--own"], "the store alone"),
    ],
)
def test_faults_in_every_scenario_leave_the_old_state_or_the_new_one(
    arguments: list[str], reach: str
) -> None:
    # The calls of SQLite are replaced for a whole process, so it is another one.
    finished = subprocess.run(
        [sys.executable, "-m", "tests.coder.store.io_faults", *arguments, "--seed", "11"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    names = [line.partition(":")[0] for line in finished.stdout.splitlines()]
    assert names[: len(SCENARIOS)] == [scenario.name for scenario in SCENARIOS]
    total = re.search(r"total: (\d+) faults in calls of (.*?) \(.* 0 wrong", finished.stdout)
    assert total is not None
    assert int(total[1]) >= len(SCENARIOS)
    # A SQLite that is part of the interpreter may not be reachable.
    assert total[2] == (reach if hasattr(import_module("_sqlite3"), "__file__") else total[2])


def test_the_gate_sees_calls_of_one_folder_only_and_lets_go(tmp_path: Path) -> None:
    gate = Gate()
    gate.arm(1, 28, lasting=True)
    with OwnCalls(gate, tmp_path / "watched").installed():
        (tmp_path / "other").mkdir()
        assert gate.calls == 0
        with pytest.raises(OSError, match="No space"):
            (tmp_path / "watched").mkdir()
    (tmp_path / "watched").mkdir()
    assert (gate.calls, gate.refused) == (1, 1)


def test_a_deletion_that_cannot_remove_all_is_an_error_and_can_be_repeated(tmp_path: Path) -> None:
    copies = tmp_path / "undo" / FIRST
    copies.mkdir(parents=True)
    (copies / "copy").write_text("a copy of a file")

    async def scenario() -> None:
        gate = Gate()
        async with opened(tmp_path) as store:
            await filled(store, FIRST)
            await filled(store, SECOND)
            with OwnCalls(gate, copies).installed():
                gate.arm(2, 5, lasting=True)
                with pytest.raises(StoreFailed, match="check the disk"):
                    await store.delete(FIRST)
                gate.disarm()
            await store.delete(FIRST)
            assert not copies.exists()
            assert len((await store.list()).sessions) == 1

    run(scenario)
