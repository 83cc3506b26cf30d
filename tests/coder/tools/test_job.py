"""The tools that look at background jobs and end them."""

import os
from pathlib import Path
from typing import Any

import pytest

from parley.coder.errors import ToolError
from parley.coder.permission.access import TouchesNothing
from parley.coder.tools.job import BashOutput, StopJob
from parley.coder.tools.tool import Desk
from parley.coder.workspace.workspace import Workspace
from parley.session.content import ContentItem, Text
from tests.coder.tools.witness import call
from tests.sdk.stage import run
from tests.transport.wires import alive, eventually

HOLD = "until [ -e go ]; do sleep 0.01; done"


def _desk(folder: Path, *lines: str) -> Desk:
    """A desk on which these command lines run as jobs."""
    desk = Desk("s", Workspace((str(folder),)))
    for line in lines:
        desk.jobs.start(line, str(folder), {"PATH": os.environ["PATH"]})
    return desk


def test_a_job_is_read_while_it_runs_and_when_it_has_ended(tmp_path: Path) -> None:
    async def scenario() -> None:
        desk = _desk(tmp_path, f"touch up; {HOLD}; echo two; exit 3")
        await eventually((tmp_path / "up").exists)
        outcome = await call(BashOutput(), desk, {"job_id": "job-1"})
        assert outcome.text == "Running\n\n(no new output)"
        assert outcome.raw_output["running"] is True
        (tmp_path / "go").touch()
        outcome = await call(BashOutput(), desk, {"job_id": "job-1", "wait_seconds": "5"})
        assert outcome.text == "Exit code 3\n\ntwo"
        assert outcome.content == (ContentItem(Text("```\ntwo\n```\nExit code 3")),)
        assert outcome.raw_output == {
            "job_id": "job-1",
            "running": False,
            "exit_code": 3,
            "output": "two\n",
        }

    run(scenario())


def test_a_job_is_stopped_with_all_it_started(tmp_path: Path) -> None:
    async def scenario() -> None:
        desk = _desk(tmp_path, "sleep 60 & echo $! > new; mv new pid; wait")
        await eventually((tmp_path / "pid").exists)
        outcome = await call(StopJob(), desk, {"job_id": "job-1"})
        assert outcome.text == "Ended by SIGTERM\n\n(no new output)"
        child = int((tmp_path / "pid").read_text())
        await eventually(lambda: not alive(child))

    run(scenario())


def test_titles_name_the_job_and_its_command_and_nothing_is_touched(tmp_path: Path) -> None:
    async def scenario() -> None:
        desk = _desk(tmp_path, "exec sleep\t60")
        reading = await BashOutput().prepare({"job_id": "job-1"}, desk)
        assert reading.title == "Read the output of job-1 (`exec sleep\\t60`)"
        stopping = await StopJob().prepare({"job_id": "job-1"}, desk)
        assert stopping.title == "Stop job-1 (`exec sleep\\t60`)"
        assert reading.access == stopping.access == (TouchesNothing(),)
        await desk.jobs.aclose()

    run(scenario())


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({}, "needs `job_id`"),
        ({"job_id": "job-9"}, "no job `job-9`; there are `job-1`"),
        ({"job_id": "job-1", "wait_seconds": 121}, "at most 120"),
        ({"job_id": "job-1", "seconds": 1}, "no argument `seconds`"),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], why: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        desk = _desk(tmp_path, "true")
        with pytest.raises(ToolError, match=why):
            await BashOutput().prepare(arguments, desk)
        await desk.jobs.aclose()

    run(scenario())
