"""How extensions are announced in version 2."""

import asyncio

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
