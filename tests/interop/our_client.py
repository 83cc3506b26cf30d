"""A client of ours that writes down what it is asked, and sessions of agents it starts."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from parley.errors import ResourceNotFound
from parley.protocol.settings import Settings
from parley.sdk.client import Client
from parley.sdk.conversation import AgentConnection, RemoteSession
from parley.session.event import Event, ExitStatus
from parley.session.question import (
    Accepted,
    Chosen,
    Declined,
    Dismissed,
    Elicitation,
    ElicitationAnswer,
    PermissionAnswer,
    PermissionQuestion,
)
from parley.session.role import TerminalOutput


class Record:
    """What the agent asked, and how it is answered."""

    def __init__(self, choice: str | None = "y") -> None:
        self.choice = choice
        self.asked: list[Any] = []
        self.events: list[Event] = []
        self.elicited: ElicitationAnswer = Accepted({"name": "Ada"})

    async def permission(
        self, session: RemoteSession, question: PermissionQuestion
    ) -> PermissionAnswer:
        self.asked.append(question)
        return Dismissed() if self.choice is None else Chosen(self.choice)

    async def elicitation(self, question: Elicitation) -> ElicitationAnswer:
        self.asked.append(question)
        return self.elicited

    def decline(self) -> None:
        self.elicited = Declined()


class RecordedFiles:
    """One line of text under every name but one."""

    can_read = can_write = True

    def __init__(self, record: Record) -> None:
        self._record = record

    async def read(
        self, session_id: str, path: str, *, line: int | None = None, limit: int | None = None
    ) -> str:
        self._record.asked.append(("read", path, line, limit))
        if path.endswith("missing"):
            raise ResourceNotFound
        return "second"

    async def write(self, session_id: str, path: str, content: str) -> None:
        self._record.asked.append(("write", path, content))


class RecordedTerminals:
    def __init__(self, record: Record) -> None:
        self._record = record

    async def create(
        self,
        session_id: str,
        command: str,
        args: tuple[str, ...] = (),
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        output_limit: int | None = None,
    ) -> "RecordedTerminal":
        self._record.asked.append(("create", command, args, dict(env or {}), cwd, output_limit))
        return RecordedTerminal(self._record)


class RecordedTerminal:
    id = "terminal-1"

    def __init__(self, record: Record) -> None:
        self._record = record
        self._killed = False

    async def __aenter__(self) -> "RecordedTerminal":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.release()

    async def output(self) -> TerminalOutput:
        self._record.asked.append("output")
        return TerminalOutput("hi\n", truncated=False)

    async def wait(self) -> ExitStatus:
        self._record.asked.append("wait")
        return ExitStatus(signal="SIGKILL") if self._killed else ExitStatus(0)

    async def kill(self) -> None:
        self._record.asked.append("kill")
        self._killed = True

    async def release(self) -> None:
        self._record.asked.append("release")


def recording(record: Record) -> Client:
    """A client that can do everything and records it."""
    client = Client(
        "parley",
        "1.0",
        permission=record.permission,
        files=RecordedFiles(record),
        terminals=RecordedTerminals(record),
    )

    @client.event
    def seen(session: RemoteSession, event: Event) -> None:
        record.events.append(event)

    @client.method("_interop/ask")
    async def ask(params: Any) -> Any:
        record.asked.append(("ask", params))
        return {"answer": 42}

    @client.notification("_interop/told")
    def told(params: Any) -> None:
        record.asked.append(("told", params))

    client.elicitation(record.elicitation)
    client.elicitation_completed(lambda id_: record.asked.append(("completed", id_)))
    return client


@asynccontextmanager
async def driving(
    command: Sequence[str], record: Record | None = None, settings: Settings | None = None
) -> AsyncGenerator[AgentConnection]:
    """Start an agent and introduce ourselves."""
    client = recording(record or Record())
    async with client.connect(command, settings=settings) as agent:
        yield agent
