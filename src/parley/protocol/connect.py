"""Makes an agent of a wire: sends `initialize`, and gives what answers as an `AgentRole`."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Protocol

from parley.errors import RemoteProtocolError, RpcError
from parley.protocol.endpoint import Endpoint
from parley.protocol.settings import Settings
from parley.protocol.v1.client_side import ClientSide as ClientSideV1
from parley.protocol.v2.client_side import ClientSide as ClientSideV2
from parley.rpc.transport import Transport
from parley.session.profile import AgentProfile
from parley.session.role import AgentRole, ClientRole


class RemoteAgent(AgentRole, Protocol):
    """An agent at the other end of a connection."""

    profile: AgentProfile
    endpoint: Endpoint

    async def cancel(self, session_id: str) -> None:
        """Cancel the running turn of a session and withdraw the prompts that wait."""
        ...


@asynccontextmanager
async def connect(
    transport: Transport, client: ClientRole, settings: Settings | None = None
) -> AsyncGenerator[RemoteAgent]:
    """Talk to the agent behind a transport; leaving the block ends the connection.

    Raises:
        RemoteProtocolError: the agent answers with a version that was not asked for.
        RpcError: the agent refuses to initialise.
        TransportError: the connection ended.
    """
    settings = settings or Settings()
    async with Endpoint(transport, limits=settings.limits) as endpoint:
        yield await _initialize(endpoint, client, settings)


async def _initialize(endpoint: Endpoint, client: ClientRole, settings: Settings) -> RemoteAgent:
    """Ask in the form of the newest version (NEG-01), and again in that of the answered one.

    The two versions name capabilities differently, and no message may hold both forms. So a
    client of both asks as version 2; an agent that answers 1 has not seen what the client can
    do, and is told in its own form. If it minds being asked twice, the first answer stands.
    """
    if 2 in settings.versions:
        newest = ClientSideV2(endpoint, client, settings)
        answered = await newest.initialize(client)
        if answered.version == 2:
            return newest
    if 1 not in settings.versions:
        raise RemoteProtocolError("the agent does not speak version 2 of the protocol")  # NEG-07
    side = ClientSideV1(endpoint, client, settings)
    try:
        await side.initialize(client)
    except RpcError:
        if 2 not in settings.versions:
            raise
        side.assume_initialized()
    return side
