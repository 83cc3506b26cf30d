"""What the tests of the headless front end share: a screen that keeps what it shows, and agents."""

import asyncio
import json
import os
import tempfile
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import parley
from parley.frontend.headless.answers import Answers
from parley.frontend.headless.asking import Asking
from parley.frontend.headless.exit_code import ExitCode
from parley.frontend.headless.json_output import JsonOutput
from parley.frontend.headless.outlet import Outlet
from parley.frontend.headless.output import Answered, Output
from parley.frontend.headless.request import RunRequest
from parley.frontend.headless.rules import Rules
from parley.frontend.headless.runner import Run, Views
from parley.frontend.headless.screen import Facts, ProgressText, Screen
from parley.frontend.headless.status_lines import StatusLines
from parley.frontend.headless.text_output import TextOutput
from parley.testing import pair

SECONDS = 5.0


class Shown:
    """A screen on two files, and what stands in them."""

    def __init__(self, **facts: Any) -> None:
        self._files = [tempfile.TemporaryFile() for _ in range(2)]  # noqa: SIM115  # Closed below.
        out, err = (file.fileno() for file in self._files)
        self.broken: list[OSError] = []
        self.screen = Screen(
            Outlet(out, self.broken.append), Facts(stdout=out, stderr=err, **facts)
        )
        self.out = self.err = ""

    async def aclose(self) -> None:
        await self.screen.aclose(SECONDS)
        self.out, self.err = (_text(file.fileno()) for file in self._files)
        for file in self._files:
            file.close()


@asynccontextmanager
async def shown(**facts: Any) -> AsyncGenerator[Shown]:
    """A screen for a block; what it showed is known behind the block."""
    stage = Shown(**facts)
    try:
        yield stage
    finally:
        await stage.aclose()


def on_screen(act: Callable[[Screen], Coroutine[Any, Any, None]], **facts: Any) -> tuple[str, str]:
    """What something shows, on stdout and on stderr."""

    async def scenario() -> tuple[str, str]:
        async with shown(**facts) as stage:
            await act(stage.screen)
        return stage.out, stage.err

    return asyncio.run(asyncio.wait_for(scenario(), SECONDS))


class Person:
    """Somebody at the keyboard, with answers prepared."""

    def __init__(self, *typed: str | None) -> None:
        self._typed = list(typed)
        self.questions: list[str] = []

    async def key(self, question: str) -> str:
        self.questions.append(question)
        return self._typed.pop(0) or ""

    async def line(self, question: str, *, hidden: bool = False) -> str | None:
        self.questions.append(question + ("(hidden)" if hidden else ""))
        return self._typed.pop(0)


def silent_agent() -> parley.Agent:
    """An agent that has nothing to say."""
    agent = parley.Agent("silent")

    @agent.prompt
    async def answer(turn: parley.Turn) -> None:
        pass

    return agent


class PairLink:
    """An agent in this process."""

    command = "an-agent --acp"
    stderr = ("first words", "last words")
    last_frame = "from the agent: an answer, 12 bytes"

    def __init__(self, agent: parley.Agent, version: int = 1) -> None:
        self._agent = agent
        self._version = version

    def connect(self, client: parley.Client) -> AbstractAsyncContextManager[parley.AgentConnection]:
        return pair(self._agent, client, version=self._version)


class Played:
    """How a run ended, and what it showed."""

    def __init__(self, code: ExitCode, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


def play(
    agent: parley.Agent | Any,
    *prompts: str,
    output: Callable[[Screen], Output] = TextOutput,
    rules: Rules | None = None,
    person: Person | None = None,
    answers: dict[str, str] | None = None,
    version: int = 1,
    meanwhile: Callable[[Run], Coroutine[Any, Any, None]] | None = None,
    verbose: bool = False,
    **request: Any,
) -> Played:
    """One whole run against an agent in this process, or behind a link."""

    async def scenario() -> Played:
        async with shown() as stage:
            loop = asyncio.get_running_loop()
            progress = ProgressText()
            status = StatusLines(stage.screen, progress, loop.time, verbose=verbose)
            made = output(stage.screen)

            def answered(each: Answered) -> None:
                made.answered(each)
                status.answered(each)

            cwd = request.pop("cwd", os.getcwd())
            asking = Asking(rules or Rules(), cwd, stage.screen, person, answered)
            client = parley.Client("run", "1", permission=asking.answer)
            client.elicitation(Answers(answers or {}, stage.screen, person).answer)
            link = PairLink(agent, version) if isinstance(agent, parley.Agent) else agent
            run = Run(
                RunRequest(prompts or ("hello",), cwd, **request),
                link,
                client,
                Views(made, status),
                asking,
                stage.screen,
                progress,
            )
            async with asyncio.TaskGroup() as group:
                going = group.create_task(run.go())
                if meanwhile is not None:
                    group.create_task(meanwhile(run))
            code = going.result()
        return Played(code, stage.out, stage.err)

    return asyncio.run(asyncio.wait_for(scenario(), 4 * SECONDS))


def json_play(agent: Any, *prompts: str, **more: Any) -> tuple[ExitCode, list[dict[str, Any]]]:
    """The same with JSON; the lines, decoded."""
    played = play(agent, *prompts, output=JsonOutput, **more)
    return played.code, [json.loads(line) for line in played.out.splitlines()]


def _text(fd: int) -> str:
    os.lseek(fd, 0, os.SEEK_SET)
    data = bytearray()
    while piece := os.read(fd, 1 << 20):
        data += piece
    return data.decode()
