"""An agent and a client for tests of version 1, and wires to put them on."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from parley.errors import MethodNotFound, ResourceNotFound
from parley.protocol.endpoint import Endpoint, Routes
from parley.protocol.settings import Loss, Settings
from parley.protocol.v1.agent_side import AgentSide
from parley.protocol.v1.client_side import ClientSide
from parley.rpc.message import Payload
from parley.rpc.peer import Call
from parley.session.event import Event, ExitStatus
from parley.session.option import Option, OptionValue
from parley.session.profile import (
    AgentCapabilities,
    AgentProfile,
    ClientCapabilities,
    ClientProfile,
    Implementation,
)
from parley.session.question import (
    Cancelled,
    Dismissed,
    Elicitation,
    ElicitationAnswer,
    PermissionAnswer,
    PermissionQuestion,
)
from parley.session.role import (
    ClientRole,
    Ending,
    Prompt,
    SessionPage,
    SessionRequest,
    SessionSetup,
    TerminalOutput,
)
from parley.transport.memory import memory_pair
from parley.transport.tap import TapTransport
from tests.protocol.wire import BOUND, Judge, RawPeer

ABLE = AgentCapabilities(
    load=True,
    resume=True,
    list=True,
    close=True,
    delete=True,
    additional_directories=True,
    image=True,
    audio=True,
    embedded_context=True,
    mcp_http=True,
    mcp_sse=True,
    logout=True,
)
ALL = ClientCapabilities(
    read_files=True,
    write_files=True,
    terminals=True,
    terminal_login=True,
    elicitation_form=True,
    elicitation_url=True,
    boolean_options=True,
    notices=True,
    compaction=True,
)
CLIENT = {
    "protocolVersion": 1,
    "clientInfo": {"name": "raw", "version": "1"},
    "clientCapabilities": {
        "fs": {"readTextFile": True, "writeTextFile": True},
        "terminal": True,
        "auth": {"terminal": True},
        "session": {
            "configOptions": {"boolean": {}},
            "notices": {},
            "compaction": {},
        },
        "elicitation": {"form": {}, "url": {}},
    },
}


async def _end_turn(client: ClientRole, session_id: str, prompt: Prompt) -> Ending:
    return Ending()


class TestAgent:
    """An `AgentRole`; `on_prompt` is what it does."""

    __test__ = False

    def __init__(
        self,
        on_prompt: Callable[[ClientRole, str, Prompt], Awaitable[Ending]] = _end_turn,
        *,
        profile: AgentProfile | None = None,
        setup: SessionSetup | None = None,
    ) -> None:
        self.on_prompt = on_prompt
        self.profile = profile or AgentProfile(Implementation("tested", "1"), ABLE)
        self.setup = setup or SessionSetup("s1")
        self.client: Any = None
        self.calls: list[tuple[Any, ...]] = []
        self.history: list[Event] = []
        self.options: tuple[Option, ...] = self.setup.options
        self.pages = SessionPage()
        self.on_set: Callable[[str, OptionValue], tuple[Option, ...]] | None = None
        self.on_call: Callable[[str, Any], Any] | None = None
        self.failure: Exception | None = None

    async def initialize(self, client: ClientRole) -> AgentProfile:
        self.client = client
        return self.profile

    async def login(self, method_id: str) -> None:
        self.calls.append(("login", method_id))

    async def logout(self) -> None:
        self.calls.append(("logout",))

    async def new_session(self, request: SessionRequest) -> SessionSetup:
        return self._open("new", request)

    async def load_session(self, session_id: str, request: SessionRequest) -> SessionSetup:
        return self._open("load", request)

    async def resume_session(self, session_id: str, request: SessionRequest) -> SessionSetup:
        return self._open("resume", request)

    async def fork_session(self, session_id: str, request: SessionRequest) -> SessionSetup:
        return self._open("fork", request)

    async def list_sessions(self, **filters: Any) -> SessionPage:
        self.calls.append(("list", filters))
        return self.pages

    async def close_session(self, session_id: str) -> None:
        self.calls.append(("close", session_id))

    async def delete_session(self, session_id: str) -> None:
        self.calls.append(("delete", session_id))

    async def prompt(self, session_id: str, prompt: Prompt) -> Ending:
        self.calls.append(("prompt", prompt.content))
        return await self.on_prompt(self.client, session_id, prompt)

    async def set_option(
        self, session_id: str, option_id: str, value: OptionValue
    ) -> tuple[Option, ...]:
        self.calls.append(("set", option_id, value))
        assert self.on_set is not None
        return self.on_set(option_id, value)

    async def cancel_tool_call(self, session_id: str, tool_call_id: str) -> None:
        raise MethodNotFound

    async def cancel_terminal(self, session_id: str, terminal_id: str) -> None:
        raise MethodNotFound

    async def call(self, method: str, params: Any) -> Any:
        self.calls.append(("call", method, params))
        if self.on_call is None:
            raise MethodNotFound
        return self.on_call(method, params)

    def tell(self, method: str, params: Any) -> None:
        self.calls.append(("tell", method, params))

    def _open(self, how: str, request: SessionRequest) -> SessionSetup:
        self.calls.append((how, request))
        for event in self.history:
            self.client.emit(self.setup.session_id, event)
        if self.failure is not None:
            raise self.failure
        return self.setup


class MemoryFiles:
    can_read = True
    can_write = True

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    async def read(
        self, session_id: str, path: str, *, line: int | None = None, limit: int | None = None
    ) -> str:
        if path not in self.texts:
            raise ResourceNotFound
        lines = self.texts[path].splitlines(keepends=True)[(line or 1) - 1 :]
        return "".join(lines if limit is None else lines[:limit])

    async def write(self, session_id: str, path: str, content: str) -> None:
        self.texts[path] = content


class MemoryTerminal:
    def __init__(self, id_: str) -> None:
        self.id = id_
        self.released = 0
        self.killed = 0
        self.ended = asyncio.Event()

    async def __aenter__(self) -> "MemoryTerminal":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.release()

    async def output(self) -> TerminalOutput:
        ended = self.ended.is_set()
        return TerminalOutput("out", False, ExitStatus(0) if ended else None)

    async def wait(self) -> ExitStatus:
        await self.ended.wait()
        return ExitStatus(signal="SIGKILL") if self.killed else ExitStatus(0)

    async def kill(self) -> None:
        self.killed += 1
        self.ended.set()

    async def release(self) -> None:
        self.released += 1


class MemoryTerminals:
    def __init__(self) -> None:
        self.made: list[MemoryTerminal] = []
        self.asked: list[dict[str, Any]] = []

    async def create(
        self, session_id: str, command: str, args: tuple[str, ...] = (), **rest: Any
    ) -> MemoryTerminal:
        self.asked.append({"command": command, "args": args, **rest})
        terminal = MemoryTerminal(f"t{len(self.made) + 1}")
        self.made.append(terminal)
        return terminal


class TestClient:
    """A `ClientRole` that notes every event."""

    __test__ = False

    def __init__(self, capabilities: ClientCapabilities = ALL) -> None:
        self.profile = ClientProfile(Implementation("client", "1"), capabilities)
        self.files: MemoryFiles | None = MemoryFiles()
        self.terminals: MemoryTerminals | None = MemoryTerminals()
        self.events: list[Event] = []
        self.questions: list[Any] = []
        self.answer: PermissionAnswer = Dismissed()
        self.elicited: ElicitationAnswer = Cancelled()
        self.hold = asyncio.Event()
        self.hold.set()
        self.asked = asyncio.Event()
        self.completed: list[str] = []
        self.calls: list[tuple[str, Any]] = []
        self.blocked = False
        self.drains = 0

    def emit(self, session_id: str, event: Event) -> None:
        self.events.append(event)

    async def drain(self) -> None:
        self.drains += 1
        self.blocked = False

    async def ask(self, session_id: str, question: PermissionQuestion) -> PermissionAnswer:
        self.questions.append(question)
        self.asked.set()
        await self.hold.wait()
        return self.answer

    async def elicit(self, question: Elicitation) -> ElicitationAnswer:
        self.questions.append(question)
        self.asked.set()
        await self.hold.wait()
        return self.elicited

    def complete_elicitation(self, elicitation_id: str) -> None:
        self.completed.append(elicitation_id)

    async def call(self, method: str, params: Any) -> Any:
        self.calls.append((method, params))
        return {"method": method}

    def tell(self, method: str, params: Any) -> None:
        self.calls.append((method, params))


class Losses(list[Loss]):
    """Where a test reads what got lost."""

    def names(self) -> list[str]:
        return [loss.what for loss in self]


@asynccontextmanager
async def agent_on_wire(
    role: TestAgent, settings: Settings | None = None, initialize: Any = CLIENT
) -> AsyncIterator[RawPeer]:
    """A raw client in front of our agent side; everything the agent sends is judged."""
    settings = settings or Settings()
    ours, theirs = memory_pair()
    # The dialect also emits members that are unstable today.
    unstable = settings.unstable or bool(settings.dialects)
    judge = Judge(1, unstable=unstable, extras=("models",))
    async with serving(role, TapTransport(ours, judge.record), settings):
        peer = RawPeer(theirs)
        if initialize is not None:
            await peer.result("initialize", initialize)
        async with asyncio.timeout(BOUND):
            yield peer
    assert judge.problems == []


@asynccontextmanager
async def serving(role: TestAgent, transport: Any, settings: Settings) -> AsyncIterator[Endpoint]:
    endpoint = Endpoint(transport, limits=settings.limits)
    side = AgentSide(endpoint, role, settings)

    async def first(call: Call) -> Payload:
        answer = await side.initialize(call.params)
        endpoint.routes = side.routes
        return answer

    endpoint.routes = Routes(other_calls=first)
    async with endpoint:
        yield endpoint
    await side.aclose()


AGENT = {
    "protocolVersion": 1,
    "agentInfo": {"name": "raw", "version": "1"},
    "agentCapabilities": {
        "loadSession": True,
        "promptCapabilities": {"image": True, "audio": True, "embeddedContext": True},
        "mcpCapabilities": {"http": True, "sse": True},
        "sessionCapabilities": {
            "list": {},
            "delete": {},
            "resume": {},
            "close": {},
            "additionalDirectories": {},
        },
        "auth": {"logout": {}},
    },
    "authMethods": [
        {"id": "key", "name": "Key"},
        {"type": "terminal", "id": "tty", "name": "Terminal", "args": ["login"]},
        {"type": "env_var", "id": "env", "name": "Variable"},
    ],
}


@asynccontextmanager
async def client_on_wire(
    client: TestClient, settings: Settings | None = None, answer: Any = AGENT
) -> AsyncIterator[tuple[ClientSide, RawPeer]]:
    """Our client side in front of a raw agent; everything the client sends is judged."""
    settings = settings or Settings()
    ours, theirs = memory_pair()
    # The only older form that a client sends, to agents that know no other (SEE-03).
    judge = Judge(1, unstable=settings.unstable, methods=("session/set_model",))
    async with Endpoint(TapTransport(ours, judge.record)) as endpoint:
        side = ClientSide(endpoint, client, settings)
        agent = RawPeer(theirs)
        async with asyncio.timeout(BOUND):
            await both(side.initialize(client), _answer(agent, "initialize", answer))
            yield side, agent
        await side.aclose()
    assert judge.problems == []


async def both(one: Awaitable[Any], other: Awaitable[Any]) -> Any:
    """Let both sides of an exchange run, and return what the first came to."""
    results = await asyncio.gather(one, other)
    return results[0]


async def _answer(agent: RawPeer, method: str, result: Any) -> None:
    agent.reply(await agent.request(method), result)


async def answering(agent: RawPeer, method: str, result: Any) -> dict[str, Any]:
    """Answer the next request of a name, and return its parameters."""
    request = await agent.request(method)
    agent.reply(request, result)
    return request.get("params", {})


async def opened(side: ClientSide, agent: RawPeer, **answer: Any) -> SessionSetup:
    """A session `s1` of a raw agent."""
    setup = {"sessionId": "s1", **answer}
    return await both(
        side.new_session(SessionRequest("/work")), answering(agent, "session/new", setup)
    )


NEW = {"cwd": "/work", "mcpServers": []}
HELLO = {"sessionId": "s1", "prompt": [{"type": "text", "text": "hello"}]}


def run_agent(
    scenario: Callable[[RawPeer], Awaitable[None]],
    agent: TestAgent,
    settings: Settings | None = None,
    initialize: Any = CLIENT,
) -> None:
    """Play a scenario against an agent."""

    async def main() -> None:
        async with agent_on_wire(agent, settings, initialize) as peer:
            await scenario(peer)

    asyncio.run(main())


def run_client(
    scenario: Callable[[ClientSide, RawPeer], Awaitable[None]],
    client: TestClient | None = None,
    settings: Settings | None = None,
    answer: Any = AGENT,
) -> None:
    """Play a scenario between a client and a raw agent."""

    async def main() -> None:
        tested = client or TestClient()
        async with client_on_wire(tested, settings, answer) as (side, agent):
            await scenario(side, agent)

    asyncio.run(main())


def kinds(peer: RawPeer) -> list[str]:
    """The kinds of the updates seen so far."""
    return [update["sessionUpdate"] for update in peer.updates()]
