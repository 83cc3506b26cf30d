"""Sessions recorded from real agents are replayed to our client."""

import asyncio
from pathlib import Path

import pytest

from parley.conformance.recording import load_recording, to_scenario
from parley.conformance.scenario import Scenario
from parley.conformance.scripted_peer import ScriptedAgent
from parley.errors import AcpError
from parley.protocol.settings import Settings
from parley.sdk.client import Client
from tests.conformance.staging import BOUND_SECONDS

TESTS = Path(__file__).resolve().parents[1]
SHARED = TESTS.parents[1] / "shared" / "captures"
RECORDINGS = [TESTS / "fixtures" / "recording.json", *sorted(SHARED.glob("*.json"))]

# How long an answer may take that the recorded agent never gave.
DEADLINE_SECONDS = 0.3


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
@pytest.mark.parametrize("versions", [(1,), (1, 2)], ids=str)
def test_our_client_lives_through(path: Path, versions: tuple[int, ...]) -> None:
    script = to_scenario(load_recording(path), "agent", path.stem)
    assert asyncio.run(_meet(script, versions)) >= 1


async def _meet(script: Scenario, versions: tuple[int, ...]) -> int:
    """How far our client comes: initialised, with a session, with a turn."""
    reached = 0
    settings = Settings(versions=versions, deadline=DEADLINE_SECONDS)
    async with asyncio.timeout(BOUND_SECONDS), ScriptedAgent(script) as agent:
        try:
            async with Client("ours").connect(agent.transport, settings=settings) as remote:
                reached = 1
                session = await remote.new_session("/home/user")
                reached = 2
                async with asyncio.timeout(DEADLINE_SECONDS):
                    await session.prompt("ping")
                reached = 3
        except (AcpError, TimeoutError):
            pass
    agent.report.check()
    return reached
