"""An agent and a client whose parts a test replaces one by one."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from parley.errors import MethodNotFound, ResourceNotFound
from parley.session.content import Text
from parley.session.event import ChunkAdded, Event
from parley.session.option import Option, OptionValue
from parley.session.profile import (
    AgentCapabilities,
    AgentProfile,
    ClientCapabilities,
    ClientProfile,
    Implementation,
    Login,
)
from parley.session.question import (
    Accepted,
    Chosen,
    Elicitation,
    ElicitationAnswer,
    PermissionAnswer,
    PermissionQuestion,
)
from parley.session.role import (
    ClientRole,
    Ending,
    Prompt,
    SessionInfo,
    SessionPage,
    SessionRequest,
    SessionSetup,
)

Work = Callable[["ScriptedAgent", str, Prompt], Awaitable[Ending]]


async def say_hello(agent: "ScriptedAgent", session_id: str, prompt: Prompt) -> Ending:
    agent.client.emit(session_id, ChunkAdded("agent", Text("hello"), "a1"))
    return Ending()


class ScriptedAgent:
    """Keeps what it is asked in `asked`; what it does in a turn is `work`."""

    def __init__(
        self,
        work: Work = say_hello,
        *,
        capabilities: AgentCapabilities | None = None,
        logins: tuple[Login, ...] = (),
        missing: tuple[str, ...] = (),
    ) -> None:
        self.work = work
        self.profile = AgentProfile(
            Implementation("scripted", "1"), capabilities or AgentCapabilities(), logins
        )
        self.missing = missing
        self.asked: list[tuple[Any, ...]] = []
        self.setup = SessionSetup("s1")
        self.history: tuple[Event, ...] = ()
        self.early: tuple[Event, ...] = ()
        self.stored: dict[str, str] = {"old": "/w"}
        self.began = asyncio.Event()
        self.client: ClientRole

    async def initialize(self, client: ClientRole) -> AgentProfile:
        self.client = client
        return self.profile

    async def login(self, method_id: str) -> None:
        self._asked("login", method_id)

    async def logout(self) -> None:
        self._asked("logout")

    async def new_session(self, request: SessionRequest) -> SessionSetup:
        self._asked("new_session", request)
        for event in self.early:
            self.client.emit(self.setup.session_id, event)
        return self.setup

    async def load_session(self, session_id: str, request: SessionRequest) -> SessionSetup:
        self._asked("load_session", session_id, request)
        self._known(session_id)
        for event in self.history:
            self.client.emit(session_id, event)
        return SessionSetup(session_id, self.setup.options, self.setup.commands)

    async def resume_session(self, session_id: str, request: SessionRequest) -> SessionSetup:
        self._asked("resume_session", session_id, request)
        self._known(session_id)
        return SessionSetup(session_id, self.setup.options)

    async def fork_session(self, session_id: str, request: SessionRequest) -> SessionSetup:
        self._asked("fork_session", session_id, request)
        self._known(session_id)
        return SessionSetup("forked", self.setup.options)

    async def list_sessions(
        self, *, cwd: str | None = None, cursor: str | None = None, archived: str | None = None
    ) -> SessionPage:
        self._asked("list_sessions", cwd, cursor, archived)
        found = [
            SessionInfo(id, where) for id, where in self.stored.items() if cwd in (None, where)
        ]
        return SessionPage(tuple(found))

    async def close_session(self, session_id: str) -> None:
        self._asked("close_session", session_id)

    async def delete_session(self, session_id: str) -> None:
        self._asked("delete_session", session_id)
        self._known(session_id)
        del self.stored[session_id]

    async def prompt(self, session_id: str, prompt: Prompt) -> Ending:
        self._asked("prompt", session_id, prompt)
        self.began.set()
        return await self.work(self, session_id, prompt)

    async def set_option(
        self, session_id: str, option_id: str, value: OptionValue
    ) -> tuple[Option, ...]:
        self._asked("set_option", session_id, option_id, value)
        return self.setup.options

    async def cancel_tool_call(self, session_id: str, tool_call_id: str) -> None:
        self._asked("cancel_tool_call", session_id, tool_call_id)

    async def cancel_terminal(self, session_id: str, terminal_id: str) -> None:
        self._asked("cancel_terminal", session_id, terminal_id)

    async def call(self, method: str, params: Any) -> Any:
        self._asked("call", method, params)
        if method.startswith("_no/"):
            raise MethodNotFound
        return {"echo": params}

    def tell(self, method: str, params: Any) -> None:
        self._asked("tell", method, params)

    def names(self) -> list[str]:
        return [name for name, *_ in self.asked]

    def _asked(self, name: str, *arguments: Any) -> None:
        self.asked.append((name, *arguments))
        if name in self.missing:
            raise MethodNotFound

    def _known(self, session_id: str) -> None:
        if session_id not in self.stored and session_id != self.setup.session_id:
            raise ResourceNotFound


class ScriptedClient:
    """Keeps every event; answers questions with what the test says."""

    files = None
    terminals = None

    def __init__(self, capabilities: ClientCapabilities | None = None) -> None:
        self.profile = ClientProfile(
            Implementation("scripted", "1"), capabilities or ClientCapabilities()
        )
        self.events: list[tuple[str, Event]] = []
        self.questions: list[Any] = []
        self.asked = asyncio.Event()
        self.told: list[Any] = []
        self.blocked = False
        self.drained = 0
        self.answer: Callable[[PermissionQuestion], Awaitable[PermissionAnswer]] = _allow
        self.input: ElicitationAnswer = Accepted({"a": 1})

    def emit(self, session_id: str, event: Event) -> None:
        self.events.append((session_id, event))

    async def drain(self) -> None:
        self.drained += 1
        self.blocked = False

    async def ask(self, session_id: str, question: PermissionQuestion) -> PermissionAnswer:
        self.questions.append(question)
        self.asked.set()
        return await self.answer(question)

    async def elicit(self, question: Elicitation) -> ElicitationAnswer:
        self.questions.append(question)
        return self.input

    def complete_elicitation(self, elicitation_id: str) -> None:
        self.told.append(("complete", elicitation_id))

    async def call(self, method: str, params: Any) -> Any:
        if method.startswith("_no/"):
            raise MethodNotFound
        return {"echo": params}

    def tell(self, method: str, params: Any) -> None:
        self.told.append((method, params))

    def of(self, kind: type) -> list[Any]:
        return [event for _, event in self.events if isinstance(event, kind)]


async def _allow(question: PermissionQuestion) -> PermissionAnswer:
    return Chosen(question.options[0].id)


async def never(*_: Any) -> Any:
    """Waits until it is cancelled."""
    await asyncio.Event().wait()
