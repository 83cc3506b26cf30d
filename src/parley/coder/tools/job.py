"""The tools that look at background jobs and end them. They reach nothing but our own jobs."""

from collections.abc import Mapping
from typing import Any

from parley.coder.permission.access import TouchesNothing
from parley.coder.providers.provider import ToolSpec
from parley.coder.tools.arguments import Arguments
from parley.coder.tools.bash import ending, fenced
from parley.coder.tools.title import one_line
from parley.coder.tools.tool import Category, Desk, Outcome, Prepared, Progress
from parley.coder.workspace.jobs import Job
from parley.session.content import ContentItem, Text
from parley.session.event import ToolKind

OUTPUT = "bash_output"
MOST_WAIT = 120
"""Seconds."""

_JOB_ID = {"type": "string", "description": "As `bash` returned it."}


class BashOutput:
    """`bash_output`: what a job wrote since the last look, and whether it still runs."""

    spec = ToolSpec(
        OUTPUT,
        "Read what a background job of `bash` wrote since you last read it, and whether it still "
        "runs. With `wait_seconds` it waits for the job to end, at most so long.",
        {
            "type": "object",
            "properties": {
                "job_id": _JOB_ID,
                "wait_seconds": {
                    "type": "integer",
                    "description": f"How long to wait for its end; 0 unless given, at most "
                    f"{MOST_WAIT}.",
                },
            },
            "required": ["job_id"],
        },
    )
    kind: ToolKind = "read"
    category: Category = "read"

    async def prepare(self, arguments: Mapping[str, Any], desk: Desk) -> Prepared:
        given = Arguments(arguments, self.spec.name)
        job = desk.jobs.get(given.text("job_id"))
        seconds = given.optional_integer("wait_seconds", least=0, most=MOST_WAIT) or 0
        given.done()

        async def run(progress: Progress) -> Outcome:
            if seconds:
                await job.wait(seconds)
            return _report(job)

        return Prepared(f"Read the output of {_named(job)}", (TouchesNothing(),), run)


class StopJob:
    """`stop_job`: end a background job."""

    spec = ToolSpec(
        "stop_job",
        "End a background job of `bash` with everything it started, and return what it wrote "
        "since you last read it.",
        {"type": "object", "properties": {"job_id": _JOB_ID}, "required": ["job_id"]},
    )
    kind: ToolKind = "execute"
    category: Category = "read"

    async def prepare(self, arguments: Mapping[str, Any], desk: Desk) -> Prepared:
        given = Arguments(arguments, self.spec.name)
        job = desk.jobs.get(given.text("job_id"))
        given.done()

        async def run(progress: Progress) -> Outcome:
            await job.stop()
            return _report(job)

        return Prepared(f"Stop {_named(job)}", (TouchesNothing(),), run)


def _named(job: Job) -> str:
    return f"{job.id} (`{one_line(job.line, 100)}`)"


def _report(job: Job) -> Outcome:
    output = job.read()
    status = job.exit
    state = "Running" if status is None else ending(status)
    wrote = output.strip("\n")
    text = f"{state}\n\n{wrote}" if wrote else f"{state}\n\n(no new output)"
    shown = f"{fenced(wrote)}\n{state}" if wrote else text
    raw = {
        "job_id": job.id,
        "running": status is None,
        "exit_code": None if status is None else status.code,
        "output": output,
    }
    return Outcome(text, (ContentItem(Text(shown)),), raw)
