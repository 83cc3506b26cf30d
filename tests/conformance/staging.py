"""What the tests of the test kit share: short scenarios, and scripts played to each other."""

import asyncio
import json
from typing import Any

from parley.conformance.player_driver import play
from parley.conformance.player_report import Report
from parley.conformance.scenario import Scenario
from parley.conformance.scenario_check import parse_scenario
from parley.transport.memory import memory_pair

BOUND_SECONDS = 10.0

INITIALIZE = {"do": "receive", "method": "initialize", "result": {"protocolVersion": 1}}
NEW = {"do": "receive", "method": "session/new", "result": {"sessionId": "s1"}}


def scenario(*steps: Any, plays: str = "agent", **more: Any) -> Scenario:
    """A scenario of version 1 with these steps."""
    whole = {"scenario": 1, "name": "test", "plays": plays, "protocol": 1, "steps": steps, **more}
    return parse_scenario(json.dumps(whole))


async def duet(agent: Scenario, client: Scenario) -> tuple[Report, Report]:
    """Play an agent's and a client's script to each other."""
    near, far = memory_pair()
    async with asyncio.timeout(BOUND_SECONDS):
        return await asyncio.gather(play(agent, far), play(client, near))


def text_update(text: str) -> dict[str, Any]:
    """The params of an update with a piece of a message."""
    content = {"type": "text", "text": text}
    update = {"sessionUpdate": "agent_message_chunk", "content": content}
    return {"sessionId": "s1", "update": update}
