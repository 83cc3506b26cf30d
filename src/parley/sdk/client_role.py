"""A `Client` on one connection: the `ClientRole` that its registrations amount to."""

import logging
from collections.abc import Awaitable, Callable
from typing import Any

from msgspec import Struct, field

from parley.errors import MethodNotFound
from parley.sdk.conversation import AgentConnection, RemoteSession
from parley.sdk.policy import (
    ElicitationHandler,
    PermissionHandler,
    by_policy,
    elicitation_answer,
    permission_answer,
)
from parley.session.event import Event
from parley.session.profile import ClientCapabilities, ClientProfile, Implementation
from parley.session.question import (
    Cancelled,
    Dismissed,
    Elicitation,
    ElicitationAnswer,
    PermissionAnswer,
    PermissionQuestion,
)
from parley.session.role import Files, Terminals

EventHandler = Callable[[RemoteSession, Event], None]

_log = logging.getLogger("parley.sdk")


class ClientRegistry(Struct):
    """Everything about a client that is the same for all its connections."""

    info: Implementation
    files: Files | None = None
    terminals: Terminals | None = None
    permission: PermissionHandler = field(default_factory=lambda: by_policy("dismiss"))
    elicitation: ElicitationHandler | None = None
    event: EventHandler | None = None
    methods: dict[str, Callable[[Any], Awaitable[Any]]] = field(default_factory=dict)
    notifications: dict[str, Callable[[Any], None]] = field(default_factory=dict)
    elicitation_completed: Callable[[str], None] | None = None
    terminal_login: bool = False

    @property
    def profile(self) -> ClientProfile:
        """What the client advertises: what it was given."""
        files = self.files
        can_be_asked = self.elicitation is not None
        capabilities = ClientCapabilities(
            read_files=files is not None and files.can_read,
            write_files=files is not None and files.can_write,
            terminals=self.terminals is not None,
            terminal_login=self.terminal_login,
            elicitation_form=can_be_asked,
            elicitation_url=can_be_asked,
            boolean_options=True,
            notices=True,
            compaction=True,
            plans=True,
        )
        return ClientProfile(self.info, capabilities)


class ConnectedClient:
    """Implements `ClientRole` with the handlers of a client."""

    def __init__(self, registry: ClientRegistry) -> None:
        self._registry = registry
        self._agent: AgentConnection | None = None
        self._behind: RemoteSession | None = None

    def attach(self, agent: AgentConnection) -> AgentConnection:
        """The connection is there: what the agent says from here on has a place to go."""
        self._agent = agent
        return agent

    @property
    def profile(self) -> ClientProfile:
        return self._registry.profile

    @property
    def files(self) -> Files | None:
        return self._registry.files

    @property
    def terminals(self) -> Terminals | None:
        return self._registry.terminals

    def emit(self, session_id: str, event: Event) -> None:
        agent = self._agent
        if agent is None:
            return  # Nothing can be open before the agent has been introduced.
        # Agents exist that report before they answer the request that opens the session.
        session = agent.sessions.get(session_id) or agent.session(session_id)
        session.state.take(event)
        stream = session.stream
        if stream is not None and stream.put(event):
            self._behind = session
        handler = self._registry.event
        if handler is not None:
            try:
                handler(session, event)
            except Exception:
                # The mistake is the application's; the agent and other readers go on.
                _log.exception("the event handler of the client failed")

    @property
    def blocked(self) -> bool:
        return self._behind is not None

    async def drain(self) -> None:
        while (session := self._behind) is not None:
            if session.stream is not None:
                await session.stream.room()
            if self._behind is session:
                self._behind = None

    async def ask(self, session_id: str, question: PermissionQuestion) -> PermissionAnswer:
        assert self._agent is not None, "a session is open"
        session = self._agent.session(session_id)
        try:
            return permission_answer(question, await self._registry.permission(session, question))
        except Exception:
            # Whatever fails is a refusal, in the form that every agent understands.
            _log.exception("the permission handler of the client failed")
            return Dismissed()

    async def elicit(self, question: Elicitation) -> ElicitationAnswer:
        if self._registry.elicitation is None:
            return Cancelled()
        try:
            return elicitation_answer(await self._registry.elicitation(question))
        except Exception:
            _log.exception("the elicitation handler of the client failed")
            return Cancelled()

    def complete_elicitation(self, elicitation_id: str) -> None:
        if self._registry.elicitation_completed is not None:
            self._registry.elicitation_completed(elicitation_id)

    async def call(self, method: str, params: Any) -> Any:
        handler = self._registry.methods.get(method)
        if handler is None:
            raise MethodNotFound(f"Method not found: {method[:100]}")
        return await handler(params)

    def tell(self, method: str, params: Any) -> None:
        handler = self._registry.notifications.get(method)
        if handler is not None:
            handler(params)
