"""One agent and one client, joined in four ways: directly in each version, and by a bridge.

Everything is in process. A chain gives back what the client saw, and what was lost on the way.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from parley.protocol.bridge import bridge
from parley.protocol.settings import Loss, Settings
from parley.rpc.transport import Transport
from parley.sdk.agent import Agent
from parley.sdk.client import Client
from parley.sdk.conversation import AgentConnection
from parley.sdk.turn import Turn
from parley.session.event import Event
from parley.transport.memory import memory_pair

DIRECT = ((1, 1), (2, 2))
BRIDGED = ((1, 2), (2, 1))
"""The version of the client, and that of the agent."""


@dataclass
class Seen:
    """What came out of a chain."""

    snapshot: dict[str, Any] = field(default_factory=dict[str, Any])
    losses: list[Loss] = field(default_factory=list[Loss])


async def play(client_version: int, agent_version: int, events: Sequence[Event]) -> Seen:
    """Let the agent report these events in one turn; the session as the client sees it."""
    agent = Agent("oracle")
    seen = Seen()

    @agent.prompt
    async def report(turn: Turn) -> None:
        for event in events:
            await turn.emit(event)

    async def drive(connection: AgentConnection) -> None:
        session = await connection.new_session("/project")
        await session.prompt("go")
        seen.snapshot = session.state.snapshot()

    await join(agent, Client("oracle"), drive, client_version, agent_version, seen.losses)
    return seen


async def join(
    agent: Agent,
    client: Client,
    drive: Any,
    client_version: int,
    agent_version: int,
    losses: list[Loss],
) -> None:
    """Run `drive` with a connection to the agent, through a bridge if the versions differ."""
    near, far = memory_pair()
    settings = {version: Settings(versions=(version,), on_loss=losses.append) for version in (1, 2)}
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        if client_version == agent_version:
            group.create_task(agent.serve(far, settings[agent_version]))
        else:
            left, right = memory_pair()
            group.create_task(agent.serve(right, settings[agent_version]))

            async def reach() -> Transport:
                return left

            group.create_task(bridge(far, reach, Settings(on_loss=losses.append)))
        async with client.connect(near, settings=settings[client_version]) as connection:
            await drive(connection)
