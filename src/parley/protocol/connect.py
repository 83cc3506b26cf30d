"""Makes an agent of a wire: sends `initialize`, and gives what answers as an `AgentRole`."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Protocol

from parley.errors import RemoteProtocolError, RpcError
from parley.protocol.endpoint import Endpoint
from parley.protocol.settings import Settings
from parley.rpc.message import Payload
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
    async with AsyncExitStack() as ending:
        endpoint = await ending.enter_async_context(Endpoint(transport, limits=settings.limits))
        yield await _initialize(endpoint, client, settings, ending)


async def _initialize(
    endpoint: Endpoint, client: ClientRole, settings: Settings, ending: AsyncExitStack
) -> RemoteAgent:
    """Ask in the form of the newest version (NEG-01), and again in that of the answered one.

    The two versions name capabilities differently, and no message may hold both forms. So a
    client of both asks as version 2; an agent that answers 1 has not seen what the client can
    do, and is told in its own form. If it minds being asked twice, the first answer stands.
    """
    first_answer: Payload | None = None
    if 2 in settings.versions:
        # Each version takes as long to import as everything else together.
        from parley.protocol.v2.client_side import ClientSide as Newest  # noqa: PLC0415

        newest = Newest(endpoint, client, settings)
        if (await newest.initialize(client)).version == 2:
            return newest
        first_answer = newest.older_answer
    if 1 not in settings.versions:
        raise RemoteProtocolError("the agent does not speak version 2 of the protocol")  # NEG-07
    # The same for the older one, which newer agents never need.
    from parley.protocol.v1.client_side import ClientSide as Older  # noqa: PLC0415

    side = Older(endpoint, client, settings)
    ending.push_async_callback(side.aclose)
    try:
        await side.initialize(client)
    except RpcError:
        if first_answer is None:
            raise
        side.assume_initialized(first_answer)
    return side
