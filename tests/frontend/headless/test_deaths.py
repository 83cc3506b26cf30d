"""Agents that fail at random moments of a run; the whole campaign is `bench.run_deaths`."""

from pathlib import Path

import pytest

from bench.run_deaths import Limits, Run, campaign, judged

RUNS = 20
# How fast it goes is measured where nothing else runs.
LIMITS = Limits(deadline=6.0, timeout=12.0, slack=40.0)


@pytest.mark.timeout(150)
def test_a_run_ends_well_whatever_its_agent_does(tmp_path: Path) -> None:
    runs = campaign(tmp_path, RUNS, seed=3, at_once=10, quiet=True, limits=LIMITS)
    assert [run.problems for run in runs] == [[]] * RUNS
    # The others depend on how fast the machine is.
    assert {run.code for run in runs} >= {5, 8}


def test_a_wrong_end_is_noticed() -> None:
    noted = {"what": "exit", "stage": "open", "said": 2, "later": ["open", 2]}
    run = Run({"way": "exit", "number": 3, "children": 0}, code=8)
    report = "exited with status 3 waiting for: last frame: | last words try:"
    assert judged(run, "0 1 \n", report, noted) == []
    assert len(judged(run, "0 \n", report, noted)) == 1
    assert len(judged(run, "0 1 \n", report.replace("3", "4"), noted)) == 1
    assert len(judged(run, "0 1 \n", f"Traceback {report}", noted)) == 1
    run.code = 0
    assert len(judged(run, "0 1 \n", report, noted)) == 1
