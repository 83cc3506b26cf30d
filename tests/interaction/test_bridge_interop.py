"""The official Python SDK, which speaks version 1, meets version 2 through `parley bridge`."""

import sys

import acp

from parley.protocol.settings import Settings
from parley.session.event import ToolCallChanged
from tests.interop.bounds import bounded, program
from tests.interop.official_client import EVERYTHING, OfficialClient, text
from tests.interop.our_client import Record, driving

MAIN = "import sys; from parley.cli.main import main; sys.exit(main())"
BRIDGE = [sys.executable, "-c", MAIN, "bridge", "--"]
OURS = Settings(versions=(2,))


def test_a_client_of_version_2_drives_the_official_agent() -> None:
    async def scenario() -> None:
        record = Record()
        async with driving([*BRIDGE, *program("official_agent.py")], record, OURS) as agent:
            assert agent.profile.version == 2
            session = await agent.new_session("/project")
            turn = session.prompt("everything")
            assert (await turn).stop_reason == "max_tokens"
            assert turn.text == "Hello"
            assert session.state.plans["main"]
            call = session.state.tool_calls["call-1"]
            assert (call.title, call.status, len(call.content)) == ("Edit a file", "completed", 2)
            assert await session.ask("permission") == "y"
            assert len(record.asked) == 1
            assert "42" in await session.ask("extensions")
            turn = session.prompt("fail")
            assert (await turn).stop_reason == "error"

    bounded(scenario())


def test_a_client_of_version_2_cancels_the_official_agent() -> None:
    async def scenario() -> None:
        async with driving([*BRIDGE, *program("official_agent.py")], None, OURS) as agent:
            session = await agent.new_session("/project")
            turn = session.prompt("wait")
            async for event in turn:
                if isinstance(event, ToolCallChanged) and event.id == "call-w":
                    turn.cancel()
            assert turn.result().stop_reason == "cancelled"
            assert session.state.tool_calls["call-w"].status == "cancelled"
            assert await session.ask("none") == "nothing"

    bounded(scenario())


def test_the_official_client_drives_an_agent_of_version_2() -> None:
    async def scenario() -> None:
        client = OfficialClient()
        command = [*BRIDGE, *program("parley_agent.py")]
        async with acp.spawn_agent_process(client, *command) as (agent, process):
            answer = await agent.initialize(1, client_capabilities=EVERYTHING)
            assert answer.protocol_version == 1
            session = await agent.new_session("/project")
            assert session.modes is not None
            ended = await agent.prompt(session.session_id, text("permission"))
            assert ended.stop_reason == "end_turn"
            assert client.said() != ""
        assert process.returncode == 0

    bounded(scenario())
