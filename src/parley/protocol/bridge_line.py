"""The connection of a bridge to its agent: how it is made, and how its failures are told."""

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import AsyncExitStack, contextmanager
from typing import Any

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from parley.errors import (
    AcpError,
    InternalError,
    InvalidParams,
    LocalProtocolError,
    RpcError,
    TransportError,
)
from parley.protocol.bridge_client import BridgedClient
from parley.protocol.bridge_loss import LossGate, refusable
from parley.protocol.connect import RemoteAgent, connect
from parley.protocol.endpoint import Beside, passed_on
from parley.protocol.settings import Settings
from parley.rpc.calls import answering
from parley.rpc.transport import Transport
from parley.session.profile import AgentProfile
from parley.session.role import ClientRole

PATIENCE = 3600.0
"""Seconds that the agent has to answer. The client is to be the first to lose its patience."""


class AgentLine:
    """Reaches the agent once, and passes requests of the client on to it."""

    def __init__(
        self,
        open: Callable[[], Awaitable[Transport]],
        client: BridgedClient,
        settings: Settings,
        gate: LossGate,
    ) -> None:
        self.client = client
        self._open = open
        self._settings = replace(settings, deadline=PATIENCE, on_loss=gate.to_agent)
        self._stack = AsyncExitStack()
        self._agent: RemoteAgent | None = None
        self._reached = asyncio.Event()

    @property
    def reached(self) -> bool:
        """Whether the agent has answered and serves this client."""
        return self._reached.is_set()

    @property
    def agent(self) -> RemoteAgent:
        assert self._agent is not None, "initialize comes first"
        return self._agent

    async def reach(self, client: ClientRole) -> AgentProfile:
        """Open the agent and introduce the client.

        Raises:
            RpcError: it cannot be opened, refuses, or cannot serve this client.
        """
        self.client.client = client
        # The connection outlives this request, and is not made to answer it.
        outer = answering.set(None)
        try:
            with failures():
                await self._connect()
        finally:
            answering.reset(outer)
        profile = self.agent.profile
        if profile.version > client.profile.version and not profile.capabilities.resume:
            await self._stack.aclose()
            raise own_error("the agent has no sessions, which version 1 cannot say")
        self.client.unprompted.is_visible = profile.version <= client.profile.version
        self._reached.set()
        return profile

    async def gone(self) -> TransportError | None:
        """Wait until there is an agent, and then until there is none any more; why."""
        await self._reached.wait()
        connection = self.agent.endpoint.connection
        await connection.wait_closed()
        self.client.unprompted.end()
        return connection.end

    async def aclose(self) -> None:
        """End the connection to the agent."""
        await self._stack.aclose()

    @contextmanager
    def passing_on(self) -> Generator[RemoteAgent]:
        """A request of the client is passed on: with its `_meta`, and with what goes wrong."""
        passed_on.set(Beside(_incoming_meta()))
        refusable()
        with failures():
            yield self.agent

    async def _connect(self) -> None:
        transport = await self._open()
        self._agent = agent = await self._stack.enter_async_context(
            connect(transport, self.client, self._settings)
        )
        self.client.endpoint = agent.endpoint


@contextmanager
def failures() -> Generator[None]:
    """What goes wrong at the agent, or on the way to it, as an error for the client."""
    try:
        yield
    except RpcError:
        raise
    except LocalProtocolError as problem:
        # Refused before anything was sent: the client asks for what the agent does not offer.
        raise InvalidParams(f"Invalid params: {problem}") from None
    except AcpError as problem:
        raise own_error(str(problem)) from None


def own_error(problem: str) -> InternalError:
    """An error of the bridge itself, which no peer has sent."""
    return InternalError(f"Internal error: {problem}", {"acpBridge": {"problem": problem}})


class _Params(Struct):
    meta: dict[str, Any] | None = field(name="_meta", default=None)


def _incoming_meta() -> dict[str, Any] | None:
    """The `_meta` of the request that the running task answers."""
    call = answering.get()
    if call is None or not call.params:
        return None
    try:
        return msgspec.json.decode(call.params, type=_Params).meta
    except msgspec.DecodeError:
        return None
