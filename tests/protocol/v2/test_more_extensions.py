"""What version 2 announces and refuses beyond its stable part."""

import asyncio

from parley.protocol.settings import Settings
from parley.session.profile import AgentCapabilities
from tests.protocol.v2.roles import ScriptedAgent
from tests.protocol.v2.wire import served


def test_extensions_are_announced_in_the_metadata_of_capabilities() -> None:
    """EXT-10"""
    own = {"example.com/own": {"version": 1}}

    async def scenario() -> None:
        agent = ScriptedAgent(capabilities=AgentCapabilities(meta=own))
        async with served(agent) as peer:
            assert (await peer.initialize())["capabilities"]["_meta"] == own

    asyncio.run(scenario())


def test_an_unknown_filter_of_archived_sessions_is_invalid() -> None:
    """V1-U-07"""

    async def scenario() -> None:
        agent = ScriptedAgent(capabilities=AgentCapabilities(archive=True))
        async with served(agent, Settings(versions=(2,), unstable=True)) as peer:
            await peer.initialize()
            assert await peer.refused("session/list", {"archived": "maybe"}) == -32602
            assert agent.asked == []

    asyncio.run(scenario())
