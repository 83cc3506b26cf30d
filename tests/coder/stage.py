"""A stage for the loop: a scripted model, small tools, a watching client and a store on the disk.

The model is played step by step and can be held at a gate, so that tests act in the middle of a
stream without sleeping. It refuses every request that a strict model API would refuse.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from parley.coder.application import Application
from parley.coder.errors import ProviderError, ProviderFailure, ToolError
from parley.coder.message import AgentMessage, CallPart, TextPart, repaired
from parley.coder.permission.access import Access, TouchesNothing, WritesPath
from parley.coder.providers.provider import (
    Answer,
    CallBegun,
    ModelEvent,
    ModelInfo,
    ModelRequest,
    ModelUsage,
    StopCause,
    TextDelta,
    ToolSpec,
)
from parley.coder.runtime import Runtime, Sources
from parley.coder.settings import CoderSettings
from parley.coder.store.store import Store
from parley.coder.tools.tool import Category, Desk, Outcome, Prepared, Progress, Tool
from parley.session.content import Text
from parley.session.event import Event, MessageChanged
from parley.session.option import Option, Select
from parley.session.profile import ClientProfile
from parley.session.question import (
    Chosen,
    Dismissed,
    PermissionAnswer,
    PermissionQuestion,
)
from parley.session.role import Ending, Prompt, SessionRequest, SessionSetup

BOUND = 5.0


class Gate:
    """A place where something waits until the test lets it go on."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.opened = asyncio.Event()

    async def passed(self) -> None:
        self.reached.set()
        await self.opened.wait()


Step = ModelEvent | Gate | Exception


def says(text: str, *, usage: ModelUsage | None = None, cause: StopCause = "end") -> list[Step]:
    """An answer that is only text."""
    message = AgentMessage((TextPart(text),) if text else ())
    return [TextDelta(text), Answer(message, cause, usage or ModelUsage(10, 5))]


def calls(
    *made: CallPart,
    text: str = "",
    cause: StopCause = "tool_calls",
    usage: ModelUsage | None = None,
) -> list[Step]:
    """An answer that calls tools."""
    said = (TextPart(text),) if text else ()
    steps: list[Step] = [TextDelta(text)] if text else []
    steps += [CallBegun(call.id, call.name) for call in made]
    return [*steps, Answer(AgentMessage((*said, *made)), cause, usage or ModelUsage(10, 5))]


class Played:
    """A provider that plays one list of steps per request."""

    name = "played"

    def __init__(
        self, *answers: Sequence[Step], models: tuple[ModelInfo, ...] | None = None
    ) -> None:
        self.answers = list(answers)
        self.requests: list[ModelRequest] = []
        self.known = tuple(models or (ModelInfo("one", name="One"),))
        self.closed = False

    async def models(self) -> tuple[ModelInfo, ...]:
        return self.known

    @asynccontextmanager
    async def stream(self, request: ModelRequest) -> AsyncGenerator[AsyncIterator[ModelEvent]]:
        assert repaired(request.messages) == request.messages, "a strict API refuses this"
        self.requests.append(request)
        steps = self.next(request)

        async def events() -> AsyncGenerator[ModelEvent]:
            for step in steps:
                match step:
                    case Gate():
                        await step.passed()
                    case Exception():
                        raise step
                    case _:
                        yield step

        found = events()
        try:
            yield found
        finally:
            await found.aclose()

    async def aclose(self) -> None:
        self.closed = True

    def next(self, request: ModelRequest) -> Sequence[Step]:
        """What is played for a request."""
        return self.answers.pop(0)


Work = Callable[[Mapping[str, Any], Progress], Awaitable[Outcome]]


class SmallTool:
    """A tool whose work is a function of the test."""

    def __init__(
        self, name: str, category: Category, work: Work, access: Access | None = None
    ) -> None:
        self.spec = ToolSpec(name, f"Does {name}.", {"type": "object"})
        self.kind = {"read": "read", "write": "edit", "execute": "execute"}[category]
        self.category: Category = category
        self._work = work
        self._access = access
        self.ran: list[Mapping[str, Any]] = []

    async def prepare(self, arguments: Mapping[str, Any], desk: Desk) -> Prepared:
        if "bad" in arguments:
            raise ToolError("`bad` is not good")
        access: Access = self._access or TouchesNothing()
        if self._access is None and self.category != "read":
            access = WritesPath(str(Path(desk.workspace.roots[0]) / "file.txt"))

        async def run(progress: Progress) -> Outcome:
            self.ran.append(arguments)
            return await self._work(arguments, progress)

        return Prepared(f"Do {self.spec.name}", (access,), run)


async def answered(arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    return Outcome(f"done {arguments.get('n', '')}".rstrip())


@dataclass
class Watcher:
    """A client that writes down what it is told, and answers what it is asked."""

    answer: Callable[[PermissionQuestion], PermissionAnswer] = lambda question: Dismissed()
    gate: Gate | None = None
    """Where an open question waits."""
    profile: ClientProfile = field(default_factory=ClientProfile)
    files: None = None
    terminals: None = None
    blocked: bool = False
    events: list[Event] = field(default_factory=list[Event])
    by_session: dict[str, list[Event]] = field(default_factory=dict[str, list[Event]])
    questions: list[PermissionQuestion] = field(default_factory=list[PermissionQuestion])
    drained: int = 0
    came: asyncio.Event = field(default_factory=asyncio.Event)

    def emit(self, session_id: str, event: Event) -> None:
        self.events.append(event)
        self.by_session.setdefault(session_id, []).append(event)
        self.came.set()

    async def drain(self) -> None:
        self.drained += 1
        self.blocked = False

    async def ask(self, session_id: str, question: PermissionQuestion) -> PermissionAnswer:
        self.questions.append(question)
        if self.gate is not None:
            await self.gate.passed()
        return self.answer(question)

    async def elicit(self, question: object) -> Any:
        raise AssertionError("nobody elicits")

    def complete_elicitation(self, elicitation_id: str) -> None: ...

    async def call(self, method: str, params: Any) -> Any: ...

    def tell(self, method: str, params: Any) -> None: ...

    async def until(self, met: Callable[[], bool]) -> None:
        """Wait until what came makes it true."""
        while not met():
            self.came.clear()
            await self.came.wait()


def choosing(kind: str) -> Callable[[PermissionQuestion], PermissionAnswer]:
    """Answers every question with the offered option of this kind."""

    def answer(question: PermissionQuestion) -> PermissionAnswer:
        return Chosen(next(option.id for option in question.options if option.kind == kind))

    return answer


class Clock:
    """Time that passes only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


class Stage:
    """An agent with everything around it."""

    def __init__(
        self,
        folder: Path,
        provider: Played,
        tools: tuple[Tool, ...] = (),
        settings: CoderSettings | None = None,
        client: Watcher | None = None,
    ) -> None:
        self.folder = folder
        self.project = folder / "project"
        self.project.mkdir(exist_ok=True)
        self.provider = provider
        self.client = client or Watcher()
        self.clock = Clock()
        self._ids = 0
        sources = Sources(
            lambda: self.clock.now,
            lambda seconds: self.clock.sleep(seconds),
            lambda: 0.0,
            self._new_id,
        )
        self.runtime = Runtime(
            replace(settings or CoderSettings(), default_model="played/one"),
            Store(folder / "store"),
            {"played": provider},
            tuple(tools),
            sources=sources,
        )
        self.application = Application(self.runtime)
        self.session_id = ""

    def _new_id(self) -> str:
        self._ids += 1
        return f"id-{self._ids}"

    @property
    def request(self) -> SessionRequest:
        return SessionRequest(str(self.project))

    @property
    def events(self) -> list[Event]:
        return self.client.by_session.get(self.session_id, [])

    async def new(self) -> SessionSetup:
        setup = await self.application.new_session(self.request)
        self.session_id = setup.session_id
        return setup

    async def load(self) -> SessionSetup:
        return await self.application.load_session(self.session_id, self.request)

    async def say(self, text: str = "go", *, message_id: str = "prompt") -> Ending:
        async with asyncio.timeout(BOUND):
            prompt = Prompt((Text(text),), message_id)
            return await self.application.prompt(self.session_id, prompt)

    async def cancelled_at(self, reached: asyncio.Event, text: str = "go") -> None:
        """Prompt, and cancel when something has been reached."""
        task = asyncio.create_task(self.say(text))
        async with asyncio.timeout(BOUND):
            await reached.wait()
            task.cancel()
            try:
                await task
            except asyncio.CancelledError:
                return
        raise AssertionError("the turn was not cancelled")

    async def again(self) -> None:
        """Close everything as a client that is gone does, and begin with the same store."""
        await self.application.aclose()
        self.client = Watcher(self.client.answer)
        self.application = Application(self.runtime)
        await self.application.initialize(self.client)

    async def aclose(self) -> None:
        await self.application.aclose()
        await self.runtime.aclose()


@asynccontextmanager
async def staged(
    folder: Path,
    *answers: Sequence[Step],
    tools: tuple[Tool, ...] = (),
    settings: CoderSettings | None = None,
    client: Watcher | None = None,
    models: tuple[ModelInfo, ...] | None = None,
    listed: bool = True,
) -> AsyncGenerator[Stage]:
    """A stage with a new session on it; `listed` says whether models are known before."""
    stage = Stage(folder, Played(*answers, models=models), tools, settings, client)
    try:
        await stage.application.initialize(stage.client)
        if listed:
            await stage.runtime.catalogue.learn("played")
        await stage.new()
        yield stage
    finally:
        await stage.aclose()


def with_prompt(events: list[Event], text: str = "go", message_id: str = "prompt") -> list[Event]:
    """What a client has in mind after a turn: its own prompt, and what it was told."""
    return [MessageChanged("user", message_id, (Text(text),)), *events]


def option(options: tuple[Option, ...], id: str) -> Select:
    """The option of that id."""
    return next(each for each in options if each.id == id and isinstance(each, Select))


def failing(
    text: str = "down",
    *,
    retryable: bool = True,
    retry_after: float | None = None,
    kind: ProviderFailure = "server",
) -> ProviderError:
    return ProviderError(text, retryable=retryable, retry_after=retry_after, kind=kind)
