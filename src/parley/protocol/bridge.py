"""Joins a client of one version to an agent of the other, live.

A bridge is an agent on one side and a client on the other, with the neutral words between them:
what one version's client side reports is what the other version's agent side sends. So there is
no second translation to keep in step. What cannot be said is a `Loss`, reported to the settings.
"""

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import AsyncExitStack, contextmanager
from typing import Any

from msgspec import Struct, structs

from parley.errors import (
    InternalError,
    InvalidRequest,
    LocalProtocolError,
    MethodNotFound,
    ResourceNotFound,
    TransportError,
)
from parley.protocol.connect import RemoteAgent, connect
from parley.protocol.serve import serve
from parley.protocol.settings import DEFAULT_SETTINGS, Loss, Settings
from parley.rpc.transport import Transport
from parley.session.content import Block, Text
from parley.session.event import (
    ChunkAdded,
    Event,
    MessageChanged,
    StateChanged,
)
from parley.session.option import Option, OptionValue
from parley.session.profile import AgentProfile, ClientProfile
from parley.session.question import (
    Elicitation,
    ElicitationAnswer,
    PermissionAnswer,
    PermissionQuestion,
)
from parley.session.role import (
    ClientRole,
    Ending,
    Files,
    Prompt,
    SessionInfo,
    SessionPage,
    SessionRequest,
    SessionSetup,
    Terminals,
)


class LossRefused(InternalError):
    """A strict bridge met something that the other version cannot say."""

    def __init__(self, loss: Loss) -> None:
        super().__init__(
            f"Internal error: the bridge refuses to lose `{loss.what}`: {loss.detail}",
            {"acpBridge": {"loss": loss.what, "detail": loss.detail}},
        )


class BridgedAgent:
    """The `AgentRole` that a bridge serves: an agent that is somewhere else.

    `open` starts or reaches it; that happens when the client initialises, because what the agent
    can do decides what the bridge answers.
    """

    def __init__(self, open: Callable[[], Awaitable[Transport]], settings: Settings) -> None:
        self._open = open
        self._settings = settings
        self._stack = AsyncExitStack()
        self._agent: RemoteAgent | None = None
        self._client = BridgedClient()
        self._known: dict[str, SessionInfo] = {}

    async def aclose(self) -> None:
        """End the connection to the agent."""
        await self._stack.aclose()

    async def initialize(self, client: ClientRole) -> AgentProfile:
        if self._agent is not None:
            raise InvalidRequest("Invalid request: the agent behind the bridge is initialized")
        self._client.client = client
        try:
            transport = await self._open()
        except TransportError as error:
            raise InternalError(f"Internal error: {error}") from None
        self._agent = await self._stack.enter_async_context(
            connect(transport, self._client, self._settings)
        )
        profile = self._agent.profile
        if client.profile.version == 1 and profile.version == 2 and not profile.capabilities.close:
            # Version 1 knows no agent without sessions, so nothing could be answered.
            raise InternalError("Internal error: the agent behind the bridge has no sessions")
        return profile

    async def login(self, method_id: str) -> None:
        await self._remote.login(method_id)

    async def logout(self) -> None:
        await self._remote.logout()

    async def new_session(self, request: SessionRequest) -> SessionSetup:
        return self._opened(await self._remote.new_session(request), request)

    async def load_session(self, session_id: str, request: SessionRequest) -> SessionSetup:
        return self._opened(await self._remote.load_session(session_id, request), request)

    async def resume_session(self, session_id: str, request: SessionRequest) -> SessionSetup:
        capabilities = self._remote.profile.capabilities
        if capabilities.resume:
            return self._opened(await self._remote.resume_session(session_id, request), request)
        if not capabilities.load:
            if session_id in self._known:
                return SessionSetup(session_id)
            raise ResourceNotFound("Resource not found: no such session", {"sessionId": session_id})
        # The agent can only load: the history it reports is not what the client asked for.
        with self._client.muted(session_id):
            return self._opened(await self._remote.load_session(session_id, request), request)

    async def fork_session(self, session_id: str, request: SessionRequest) -> SessionSetup:
        return self._opened(await self._remote.fork_session(session_id, request), request)

    async def list_sessions(
        self, *, cwd: str | None = None, cursor: str | None = None, archived: str | None = None
    ) -> SessionPage:
        if self._remote.profile.capabilities.list:
            return await self._remote.list_sessions(cwd=cwd, cursor=cursor, archived=archived)
        self._settings.lose("session.list", "only the sessions of this connection are listed")
        known = [info for info in self._known.values() if cwd is None or info.cwd == cwd]
        return SessionPage(tuple(known))

    async def close_session(self, session_id: str) -> None:
        self._known.pop(session_id, None)
        if self._remote.profile.capabilities.close:
            await self._remote.close_session(session_id)

    async def delete_session(self, session_id: str) -> None:
        await self._remote.delete_session(session_id)
        self._known.pop(session_id, None)

    async def prompt(self, session_id: str, prompt: Prompt) -> Ending:
        with self._client.turn(session_id, prompt) as turn:
            work = asyncio.current_task()
            turn.stop = work.cancel if work is not None else None
            try:
                return await self._remote.prompt(session_id, prompt)
            except asyncio.CancelledError:
                if turn.refused is None:
                    raise
                raise turn.refused from None

    async def set_option(
        self, session_id: str, option_id: str, value: OptionValue
    ) -> tuple[Option, ...]:
        return await self._remote.set_option(session_id, option_id, value)

    async def cancel_tool_call(self, session_id: str, tool_call_id: str) -> None:
        await self._remote.cancel_tool_call(session_id, tool_call_id)

    async def cancel_terminal(self, session_id: str, terminal_id: str) -> None:
        await self._remote.cancel_terminal(session_id, terminal_id)

    async def call(self, method: str, params: Any) -> Any:
        try:
            return await self._remote.call(method, params)
        except LocalProtocolError:
            raise MethodNotFound(f"Method not found: {method[:100]}") from None

    def tell(self, method: str, params: Any) -> None:
        self._remote.tell(method, params)

    @property
    def _remote(self) -> RemoteAgent:
        assert self._agent is not None, "initialize comes first"
        return self._agent

    def _opened(self, setup: SessionSetup, request: SessionRequest) -> SessionSetup:
        self._known[setup.session_id] = SessionInfo(setup.session_id, request.cwd)
        return setup


class BridgedClient:
    """The client, as the agent behind the bridge sees it.

    While a prompt of this client runs, the states of the session and the echo of the prompt are
    not passed on: the side that serves the client makes its own, because one version reports
    them and the other does not.
    """

    client: ClientRole

    def __init__(self) -> None:
        self._turns: dict[str, _Turn] = {}
        self._muted: set[str] = set()

    @contextmanager
    def turn(self, session_id: str, prompt: Prompt) -> Generator["_Turn"]:
        """A prompt of the client runs."""
        turn = self._turns[session_id] = _Turn(_text(prompt.content))
        try:
            yield turn
        finally:
            del self._turns[session_id]

    @contextmanager
    def muted(self, session_id: str) -> Generator[None]:
        """Events of the session are not for the client."""
        self._muted.add(session_id)
        try:
            yield
        finally:
            self._muted.discard(session_id)

    @property
    def profile(self) -> ClientProfile:
        return self.client.profile

    @property
    def files(self) -> Files | None:
        return self.client.files

    @property
    def terminals(self) -> Terminals | None:
        return self.client.terminals

    def emit(self, session_id: str, event: Event) -> None:
        turn = self._turns.get(session_id)
        if session_id in self._muted or (turn is not None and turn.swallows(event)):
            return
        try:
            self.client.emit(session_id, event)
        except LossRefused as refused:
            if turn is None:
                raise
            turn.refuse(refused)

    @property
    def blocked(self) -> bool:
        return self.client.blocked

    async def drain(self) -> None:
        await self.client.drain()

    async def ask(self, session_id: str, question: PermissionQuestion) -> PermissionAnswer:
        return await self.client.ask(session_id, question)

    async def elicit(self, question: Elicitation) -> ElicitationAnswer:
        return await self.client.elicit(question)

    def complete_elicitation(self, elicitation_id: str) -> None:
        self.client.complete_elicitation(elicitation_id)

    async def call(self, method: str, params: Any) -> Any:
        return await self.client.call(method, params)

    def tell(self, method: str, params: Any) -> None:
        self.client.tell(method, params)


class _Turn(Struct):
    """What the client already knows about a turn of its own."""

    text: str
    echo_id: str | None = None
    echoed: bool = False
    stop: Callable[[], object] | None = None
    refused: LossRefused | None = None

    def refuse(self, refused: LossRefused) -> None:
        """End the turn, because a part of it cannot be passed on."""
        if self.refused is None and self.stop is not None:
            self.refused = refused
            self.stop()

    def swallows(self, event: Event) -> bool:
        match event:
            case StateChanged():
                return True
            case MessageChanged(speaker="user") | ChunkAdded(speaker="user"):
                return self._is_echo(event)
            case _:
                return False

    def _is_echo(self, event: MessageChanged | ChunkAdded) -> bool:
        """The first message of the user is the prompt itself; so is a later one that repeats it.

        Anything else was not caused by this client, and it must be told.
        """
        if not self.echoed:
            self.echoed, self.echo_id = True, event.message_id
            return True
        if event.message_id is not None and event.message_id == self.echo_id:
            return True
        return isinstance(event, ChunkAdded) and _text((event.content,)) == self.text


def _text(blocks: tuple[Block, ...]) -> str:
    return "".join(block.text for block in blocks if isinstance(block, Text))


async def bridge(
    client: Transport,
    open_agent: Callable[[], Awaitable[Transport]],
    settings: Settings = DEFAULT_SETTINGS,
    *,
    strict: bool = False,
) -> None:
    """Join the client behind a transport to an agent until either ends.

    A strict bridge ends a turn with an error rather than lose a part of it.
    """
    if strict:
        settings = structs.replace(settings, on_loss=_refusing(settings.on_loss))
    agent = BridgedAgent(open_agent, settings)
    try:
        await serve(agent, client, settings)
    finally:
        await agent.aclose()


def _refusing(report: Callable[[Loss], None] | None) -> Callable[[Loss], None]:
    def refuse(loss: Loss) -> None:
        if report is not None:
            report(loss)
        raise LossRefused(loss)

    return refuse
