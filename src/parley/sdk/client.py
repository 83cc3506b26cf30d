"""`parley.Client` and `parley.connect`: drive any agent, whichever version it speaks."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from parley.errors import MethodNotFound
from parley.protocol.connect import connect as connect_transport
from parley.protocol.settings import Settings
from parley.rpc.transport import Transport
from parley.sdk.conversation import AgentConnection, RemoteSession
from parley.sdk.policy import (
    ElicitationHandler,
    PermissionHandler,
    Policy,
    by_policy,
    no_input,
    permission_answer,
)
from parley.sdk.tasks import Tasks
from parley.session.event import Event
from parley.session.profile import ClientCapabilities, ClientProfile, Implementation
from parley.session.question import (
    Cancelled,
    Elicitation,
    ElicitationAnswer,
    PermissionAnswer,
    PermissionQuestion,
)
from parley.session.role import Files, Terminals
from parley.transport.process import spawn

EventHandler = Callable[[RemoteSession, Event], None]
H = TypeVar("H", bound=Callable[..., Any])
Command = Sequence[str]


class Client:
    """A client.

    client = parley.Client("my-editor", permission="reject")

    async with client.connect(["some-agent", "--acp"]) as agent:
        session = await agent.new_session(".")
        async for event in session.prompt("Hello"):
            print(event)
    """

    def __init__(
        self,
        name: str = "parley",
        version: str = "0",
        *,
        title: str | None = None,
        permission: Policy | PermissionHandler = "dismiss",
        elicitation: ElicitationHandler | None = None,
        files: Files | None = None,
        terminals: Terminals | None = None,
    ) -> None:
        self.info = Implementation(name, version, title)
        self.files = files
        self.terminals = terminals
        self.answer: PermissionHandler = (
            permission if callable(permission) else by_policy(permission)
        )
        self.elicitation = elicitation
        self.event_handler: EventHandler | None = None
        self.methods: dict[str, Callable[[Any], Awaitable[Any]]] = {}
        self.notifications: dict[str, Callable[[Any], None]] = {}

    @property
    def capabilities(self) -> ClientCapabilities:
        """What the client advertises: what it was given."""
        return ClientCapabilities(
            read_files=self.files is not None and self.files.can_read,
            write_files=self.files is not None and self.files.can_write,
            terminals=self.terminals is not None,
            elicitation_form=self.elicitation is not None,
            elicitation_url=self.elicitation is not None,
            boolean_options=True,
            notices=True,
            compaction=True,
            plans=True,
        )

    def permission(self, handler: PermissionHandler) -> PermissionHandler:
        """Register what answers permission questions. Whatever fails is a refusal."""
        self.answer = handler
        return handler

    def event(self, handler: EventHandler) -> EventHandler:
        """Register what sees every event at once, inline; it must not block."""
        self.event_handler = handler
        return handler

    def method(self, name: str) -> Callable[[H], H]:
        """Register an extension method that agents may call."""

        def register(handler: H) -> H:
            self.methods[name] = handler
            return handler

        return register

    def notification(self, name: str) -> Callable[[H], H]:
        """Register an extension notification that agents may send."""

        def register(handler: H) -> H:
            self.notifications[name] = handler
            return handler

        return register

    @asynccontextmanager
    async def connect(
        self,
        agent: Command | Transport,
        *,
        settings: Settings | None = None,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
    ) -> AsyncGenerator[AgentConnection]:
        """Start an agent by its command line, or talk to the one behind a transport.

        Leaving the block ends the connection, and the agent with all its children.
        """
        transport = await spawn(agent, cwd=cwd, env=env) if isinstance(agent, Sequence) else agent
        part = ClientOnConnection(self)
        async with connect_transport(transport, part, settings) as remote, Tasks() as tasks:
            yield part.attach(AgentConnection(remote, tasks, part.sessions))


class ClientOnConnection:
    """A `Client` on one connection: the `ClientRole` that its registrations amount to."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._connection: AgentConnection | None = None
        self._behind: RemoteSession | None = None
        self.sessions: dict[str, RemoteSession] = {}

    def attach(self, connection: AgentConnection) -> AgentConnection:
        self._connection = connection
        return connection

    @property
    def profile(self) -> ClientProfile:
        return ClientProfile(self._client.info, self._client.capabilities)

    @property
    def files(self) -> Files | None:
        return self._client.files

    @property
    def terminals(self) -> Terminals | None:
        return self._client.terminals

    def emit(self, session_id: str, event: Event) -> None:
        session = self.sessions.get(session_id)
        if session is None:
            if self._connection is None:
                return
            # Agents exist that report before they answer the request that opens the session.
            session = self._connection.session(session_id)
        session.state.apply(event)
        if self._client.event_handler is not None:
            self._client.event_handler(session, event)
        stream = session.stream
        if stream is not None:
            stream.put(event)
            if stream.full:
                self._behind = session

    @property
    def blocked(self) -> bool:
        return self._behind is not None

    async def drain(self) -> None:
        while (session := self._behind) is not None:
            if session.stream is not None:
                await session.stream.room()
            self._behind = None

    async def ask(self, session_id: str, question: PermissionQuestion) -> PermissionAnswer:
        return permission_answer(question, await self._client.answer(session_id, question))

    async def elicit(self, question: Elicitation) -> ElicitationAnswer:
        answer = await (self._client.elicitation or no_input)(question)
        return answer or Cancelled()

    def complete_elicitation(self, elicitation_id: str) -> None:
        handler = self._client.notifications.get("elicitation/complete")
        if handler is not None:
            handler(elicitation_id)

    async def call(self, method: str, params: Any) -> Any:
        handler = self._client.methods.get(method)
        if handler is None:
            raise MethodNotFound(f"Method not found: {method}")
        return await handler(params)

    def tell(self, method: str, params: Any) -> None:
        handler = self._client.notifications.get(method)
        if handler is not None:
            handler(params)


@asynccontextmanager
async def connect(
    agent: Command | Transport,
    *,
    permission: Policy | PermissionHandler = "dismiss",
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
) -> AsyncGenerator[AgentConnection]:
    """Talk to an agent without ceremony; `Client` is the same with all its choices."""
    async with Client(permission=permission).connect(agent, cwd=cwd, env=env) as connection:
        yield connection
