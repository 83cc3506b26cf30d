"""Commands in the background."""

import os
from pathlib import Path

import pytest

from parley.coder.errors import ToolError
from parley.coder.workspace.jobs import Job, Jobs
from parley.coder.workspace.output import HEAD_CHARACTERS, TAIL_CHARACTERS
from parley.session.event import ExitStatus
from tests.sdk.stage import BOUND, run
from tests.transport.wires import alive, eventually

ENV = {"PATH": os.environ["PATH"]}
HOLD = "until [ -e go ]; do sleep 0.01; done"


async def _words(job: Job) -> str:
    """Wait until a job has written something; what it is."""
    found: list[str] = []

    def said() -> bool:
        found.append(job.read())
        return bool(found[-1])

    await eventually(said)
    return "".join(found)


def test_a_job_is_read_piece_by_piece(tmp_path: Path) -> None:
    async def scenario() -> None:
        jobs = Jobs()
        job = jobs.start(f"printf one; {HOLD}; echo two; exit 3", str(tmp_path), ENV)
        assert job.exit is None
        assert await _words(job) == "one"
        assert job.read() == ""
        assert jobs.running == (job,)
        (tmp_path / "go").touch()
        await job.wait(BOUND)
        assert job.exit == ExitStatus(3)
        assert job.read() == "two\n"
        assert job.read() == ""
        assert jobs.running == ()
        assert jobs.get(job.id) is job

    run(scenario())


def test_waiting_for_a_job_is_bounded(tmp_path: Path) -> None:
    async def scenario() -> None:
        jobs = Jobs()
        job = jobs.start("exec sleep 60", str(tmp_path), ENV)
        await job.wait(0.01)
        assert job.running
        await jobs.aclose()
        assert job.exit == ExitStatus(signal="SIGTERM")

    run(scenario())


def test_what_nobody_reads_is_bounded(tmp_path: Path) -> None:
    async def scenario() -> None:
        jobs = Jobs()
        job = jobs.start("yes | head -c 3000000; echo over", str(tmp_path), ENV)
        await job.wait(BOUND)
        text = job.read()
        assert text.endswith("y\nover\n")
        assert len(text) < HEAD_CHARACTERS + TAIL_CHARACTERS + 100

    run(scenario())


def test_a_stopped_job_leaves_no_process(tmp_path: Path) -> None:
    async def scenario() -> None:
        jobs = Jobs()
        job = jobs.start("sleep 60 & echo $!; sleep 60", str(tmp_path), ENV)
        child = int(await _words(job))
        await job.stop()
        assert not job.running
        await eventually(lambda: not alive(child))
        await job.stop()

    run(scenario())


def test_all_jobs_end_with_the_session(tmp_path: Path) -> None:
    async def scenario() -> None:
        jobs = Jobs()
        started = [jobs.start("echo $$; exec sleep 60", str(tmp_path), ENV) for _ in range(3)]
        pids = [int(await _words(job)) for job in started]
        assert all(map(alive, pids))
        await jobs.aclose()
        assert not any(map(alive, pids))
        with pytest.raises(ToolError, match="the session ends"):
            jobs.start("true", str(tmp_path), ENV)

    run(scenario())


def test_only_so_many_jobs_run_at_once_and_so_many_are_remembered(tmp_path: Path) -> None:
    async def scenario() -> None:
        jobs = Jobs(most=2)
        first, second = [jobs.start("exec sleep 60", str(tmp_path), ENV) for _ in range(2)]
        with pytest.raises(ToolError, match="2 jobs run already; stop one of `job-1`, `job-2`"):
            jobs.start("true", str(tmp_path), ENV)
        await first.stop()
        await second.stop()
        for _ in range(3):
            await jobs.start("true", str(tmp_path), ENV).wait(BOUND)
        with pytest.raises(ToolError, match="no job `job-1`; there are"):
            jobs.get("job-1")
        assert jobs.get("job-5").exit == ExitStatus(0)

    run(scenario())


def test_a_job_that_cannot_be_started_is_none(tmp_path: Path) -> None:
    async def scenario() -> None:
        jobs = Jobs()
        with pytest.raises(ToolError, match="cannot be started"):
            jobs.start("true", str(tmp_path / "missing"), ENV)
        with pytest.raises(ToolError, match="no job `job-1` and no other"):
            jobs.get("job-1")

    run(scenario())
