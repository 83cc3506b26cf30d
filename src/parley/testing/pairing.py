"""Joins an agent and a client in one process."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from parley.protocol.settings import Settings
from parley.sdk.agent import Agent
from parley.sdk.client import Client
from parley.sdk.conversation import AgentConnection
from parley.sdk.tasks import Tasks
from parley.transport.memory import memory_pair

_PATIENCE_SECONDS = 10.0


@asynccontextmanager
async def pair(
    agent: Agent,
    client: Client | None = None,
    *,
    version: int = 1,
    settings: Settings | None = None,
) -> AsyncGenerator[AgentConnection]:
    """Connect a client to an agent over memory; the block gets the agent as the client sees it.

    Everything passes the wire of the given version, as between two processes. `settings` wins
    over `version`. Leaving the block ends both sides, and what the agent's side raises is raised.
    """
    chosen = settings or Settings(versions=(version,))
    near, far = memory_pair()
    async with Tasks() as tasks:
        serving = tasks.start(agent.serve(far, chosen))
        async with (client or Client("pair")).connect(near, settings=chosen) as connection:
            yield connection
        async with asyncio.timeout(_PATIENCE_SECONDS):
            await serving
