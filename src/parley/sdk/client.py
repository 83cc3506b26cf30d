"""`parley.Client` and `parley.connect`: drive any agent, whichever version it speaks."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager

from parley.protocol.connect import connect as connect_transport
from parley.protocol.settings import Settings
from parley.rpc.transport import Transport
from parley.sdk.client_role import ClientRegistry, ConnectedClient, EventHandler
from parley.sdk.conversation import AgentConnection, Path
from parley.sdk.handler import H, awaited, called_inline, extension
from parley.sdk.policy import ElicitationHandler, PermissionHandler, Policy, by_policy
from parley.sdk.remote_turn import Line
from parley.sdk.tasks import Tasks
from parley.session.profile import Implementation
from parley.session.role import Files, Terminals
from parley.transport.process import spawn

Command = Sequence[str]


class Client:
    """A client: its name, how it answers questions, and what it offers agents.

    ```python
    client = parley.Client("my-editor", permission="reject")

    async with client.connect(["some-agent", "--acp"]) as agent:
        session = await agent.new_session(".")
        async for event in session.prompt("Hello"):
            print(event)
    ```
    """

    def __init__(
        self,
        name: str = "parley",
        version: str = "0",
        *,
        title: str | None = None,
        permission: Policy | PermissionHandler = "dismiss",
        files: Files | None = None,
        terminals: Terminals | None = None,
        terminal_login: bool = False,
    ) -> None:
        self.registry = ClientRegistry(
            Implementation(name, version, title), files, terminals, terminal_login=terminal_login
        )
        if callable(permission):
            self.permission(permission)
        else:
            self.registry.permission = by_policy(permission)

    def permission(self, handler: PermissionHandler) -> PermissionHandler:
        """Register what answers permission questions. Whatever fails is a refusal."""
        self.registry.permission = awaited(handler)
        return handler

    def elicitation(self, handler: ElicitationHandler) -> ElicitationHandler:
        """Register what answers requests for input; without it agents cannot ask for any."""
        self.registry.elicitation = awaited(handler)
        return handler

    def elicitation_completed(self, handler: Callable[[str], None]) -> Callable[[str], None]:
        """Register what hears that what was asked at an address has happened; it gets the id."""
        self.registry.elicitation_completed = called_inline(handler)
        return handler

    def event(self, handler: EventHandler) -> EventHandler:
        """Register what sees every event of every session at once, inline; it must not block."""
        self.registry.event = called_inline(handler)
        return handler

    def method(self, name: str) -> Callable[[H], H]:
        """Register an extension method that agents may call."""
        return extension(self.registry.methods, name, awaited)

    def notification(self, name: str) -> Callable[[H], H]:
        """Register an extension notification that agents may send."""
        return extension(self.registry.notifications, name, called_inline)

    @asynccontextmanager
    async def connect(
        self,
        agent: Command | Transport,
        *,
        settings: Settings | None = None,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> AsyncGenerator[AgentConnection]:
        """Start an agent by its command line, or talk to the one behind a transport.

        Leaving the block ends the connection, and the agent with all its children.

        Raises:
            ConnectionLost: the program cannot be started, or dies.
            RpcError: the agent refuses to begin.
        """
        settings = settings or Settings()
        transport = await spawn(agent, cwd=cwd, env=env) if isinstance(agent, Sequence) else agent
        role = ConnectedClient(self.registry)
        async with connect_transport(transport, role, settings) as remote, Tasks() as tasks:
            yield role.attach(AgentConnection(Line(remote, tasks, settings.deadline)))


@asynccontextmanager
async def connect(
    agent: Command | Transport,
    *,
    permission: Policy | PermissionHandler = "dismiss",
    settings: Settings | None = None,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> AsyncGenerator[AgentConnection]:
    """Talk to an agent without ceremony; `Client` is the same with all its choices."""
    client = Client(permission=permission)
    async with client.connect(agent, settings=settings, cwd=cwd, env=env) as connection:
        yield connection
