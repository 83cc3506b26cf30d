"""The commands of a session that run in the background.

A job keeps what it wrote since somebody last looked. It runs here also where the client offers
terminals, since it outlives the tool call that would show one.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress

from parley.coder.errors import ToolError
from parley.coder.sandbox.box import Box
from parley.coder.workspace.output import Cleaner, Kept
from parley.coder.workspace.shell import begin, exit_status
from parley.session.event import ExitStatus

MOST_JOBS = 16
"""How many may run at once, and how many that have ended are remembered."""


class Job:
    """One command in the background."""

    def __init__(
        self, id: str, line: str, cwd: str, environment: Mapping[str, str], box: Box | None = None
    ) -> None:
        self.id = id
        self.line = line
        self._cleaner = Cleaner()
        self._unread = Kept()
        self._command = begin(line, cwd, environment, self._feed, box)

    @property
    def running(self) -> bool:
        return self._command.returncode is None

    @property
    def exit(self) -> ExitStatus | None:
        """How it ended; `None` while it runs."""
        return None if self.running else exit_status(self._command.returncode)

    def read(self) -> str:
        """What it wrote since the last time, the beginning and the end if that is long."""
        self._unread.add(self._cleaner.flush() if self.running else self._cleaner.end())
        unread, self._unread = self._unread, Kept()
        return unread.text

    async def wait(self, seconds: float) -> None:
        """Wait for its end, at most so long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._command.wait()

    async def stop(self) -> None:
        """End it and everything it started."""
        try:
            await self._command.stop()
        finally:
            self._command.close()

    def _feed(self, data: bytes) -> None:
        self._unread.add(self._cleaner.feed(data))


class Jobs:
    """What runs in the background; it ends with the session."""

    def __init__(self, most: int = MOST_JOBS) -> None:
        self._most = most
        self._jobs: dict[str, Job] = {}
        self._started = 0
        self._closed = False

    @property
    def running(self) -> tuple[Job, ...]:
        return tuple(job for job in self._jobs.values() if job.running)

    def start(
        self, line: str, cwd: str, environment: Mapping[str, str], box: Box | None = None
    ) -> Job:
        """Start a command line and leave it alone; a box confines it.

        Raises:
            ToolError: it cannot be started, or too many run already.
        """
        if self._closed:
            raise ToolError("the session ends: no job can be started any more")
        if len(self.running) >= self._most:
            ids = ", ".join(f"`{job.id}`" for job in self.running)
            raise ToolError(f"{self._most} jobs run already; stop one of {ids} with `stop_job`")
        job = Job(f"job-{self._started + 1}", line, cwd, environment, box)
        self._started += 1
        self._jobs[job.id] = job
        ended = [job.id for job in self._jobs.values() if not job.running]
        for id_ in ended[: -self._most]:
            del self._jobs[id_]
        return job

    def get(self, id: str) -> Job:
        """The job of that id.

        Raises:
            ToolError: there is none; the text names those that there are.
        """
        job = self._jobs.get(id)
        if job is None:
            known = ", ".join(f"`{each}`" for each in self._jobs)
            raise ToolError(
                f"there is no job `{id}`" + (f"; there are {known}" if known else " and no other")
            )
        return job

    async def aclose(self) -> None:
        """End every job and everything it started."""
        self._closed = True
        async with asyncio.TaskGroup() as group:
            for job in self._jobs.values():
                group.create_task(job.stop())
