"""Agents that fail at random moments of a run; the whole campaign is `bench.run_deaths`."""

from pathlib import Path

from bench.run_deaths import Run, campaign, judged

RUNS = 20


def test_a_run_ends_well_whatever_its_agent_does(tmp_path: Path) -> None:
    runs = campaign(tmp_path, RUNS, seed=3, at_once=10, quiet=True)
    assert [run.problems for run in runs] == [[]] * RUNS
    assert {run.code for run in runs} >= {0, 5, 7, 8}


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
