"""Joins a client of one version to an agent of the other, live.

A bridge is an agent on one side and a client on the other, with the neutral words between them:
what one version's client side reports is what the other version's agent side sends. So there is
no second translation to keep in step. What cannot be said is a `Loss`, reported to the settings.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from msgspec.structs import replace

from parley.errors import TransportError
from parley.protocol.bridge_agent import BridgedAgent
from parley.protocol.bridge_client import BridgedClient
from parley.protocol.bridge_line import AgentLine
from parley.protocol.bridge_loss import LossGate
from parley.protocol.serve import serve
from parley.protocol.settings import DEFAULT_SETTINGS, Settings
from parley.rpc.transport import Incoming, Transport


async def bridge(
    client: Transport,
    open_agent: Callable[[], Awaitable[Transport]],
    settings: Settings = DEFAULT_SETTINGS,
    *,
    strict: bool = False,
) -> TransportError | None:
    """Join the client behind a transport to an agent until either goes.

    The agent is opened when the client initialises, because what the agent can do decides what
    the bridge answers. A strict bridge lets a turn or a request fail rather than lose a part of
    it. Returns how the agent went if it was the first to go, and otherwise nothing.
    """
    gate = LossGate(settings.on_loss, strict=strict)
    line = AgentLine(open_agent, BridgedClient(gate), settings, gate)
    agent = BridgedAgent(line, settings, gate)
    door = _Door(client)
    try:
        async with asyncio.TaskGroup() as group:
            watching = group.create_task(line.gone())
            serving = group.create_task(
                serve(agent, door, replace(settings, on_loss=gate.to_client))
            )
            await asyncio.wait({watching, serving}, return_when=asyncio.FIRST_COMPLETED)
            end = watching.result() if watching.done() else None
            watching.cancel()
            # What is open fails by itself now that the agent is gone, and the client is told.
            door.close()
    finally:
        await line.aclose()
    return end


class _Door:
    """The transport of the client, behind a door that can be closed: nothing comes in any more.

    What is being answered still leaves, as after the end of any client.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._closed = False
        self._reader: asyncio.Task[object] | None = None

    def close(self) -> None:
        self._closed = True
        if self._reader is not None:
            self._reader.cancel()

    async def receive(self) -> Sequence[Incoming]:
        """Wait for frames; see `Transport`."""
        if self._closed:
            return ()
        self._reader = reader = asyncio.current_task()
        try:
            return await self._transport.receive()
        except asyncio.CancelledError:
            if not self._closed or reader is None:
                raise
            reader.uncancel()
            return ()
        finally:
            self._reader = None

    def send(self, frame: bytes) -> None:
        """Put a frame in the outbox; see `Transport`."""
        self._transport.send(frame)

    @property
    def blocked(self) -> bool:
        """Whether senders should `drain`."""
        return self._transport.blocked

    async def drain(self) -> None:
        """Wait until the outbox is below its mark; see `Transport`."""
        await self._transport.drain()

    async def aclose(self) -> None:
        """Flush and release everything; see `Transport`."""
        await self._transport.aclose()
