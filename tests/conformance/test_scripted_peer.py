"""A scripted agent and a scripted client at the other end of a transport in this process."""

import asyncio

import pytest

from parley.conformance.scenario import ScenarioError
from parley.conformance.scripted_peer import ScriptedAgent, ScriptedClient
from parley.rpc.transport import Transport
from tests.conformance.staging import BOUND_SECONDS, INITIALIZE, scenario

HELLO = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}'


def test_a_scripted_agent_answers_and_reports_after_its_block() -> None:
    async def run() -> None:
        async with ScriptedAgent(scenario(INITIALIZE)) as agent:
            with pytest.raises(RuntimeError, match="still being played"):
                _ = agent.report
            assert not agent.played
            agent.transport.send(HELLO)
            assert await agent.transport.receive() == [
                b'{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}'
            ]
        assert agent.played
        assert agent.report.ok

    asyncio.run(run())


def test_a_scripted_client_drives_an_agent_to_the_end_of_its_script() -> None:
    class Echo:
        async def serve(self, transport: Transport, /) -> None:
            while frames := await transport.receive():
                for frame in frames:
                    assert isinstance(frame, bytes)
                    transport.send(frame.replace(b"_ping", b"_pong"))

    script = scenario(
        {"do": "notify", "method": "_ping", "params": {"n": "${n}"}},
        {"do": "receive", "method": "_pong", "params": {"n": 5}},
        plays="client",
        variables={"n": 0},
    )
    report = asyncio.run(ScriptedClient(script, {"n": 5}).drive(Echo()))
    report.check()


def test_an_agent_may_lose_a_client_that_crashes() -> None:
    class Patient:
        async def serve(self, transport: Transport, /) -> None:
            await transport.receive()
            raise AssertionError("the connection should be lost")

    script = scenario({"do": "crash"}, plays="client")
    asyncio.run(ScriptedClient(script).drive(Patient())).check()


def test_what_the_agent_raises_is_raised() -> None:
    class Broken:
        async def serve(self, transport: Transport, /) -> None:
            raise ValueError("broken")

    script = scenario({"do": "pause", "seconds": 0}, plays="client")
    with pytest.raises(ValueError, match="broken"):
        asyncio.run(ScriptedClient(script).drive(Broken()))


def test_a_script_for_the_other_side_is_refused() -> None:
    with pytest.raises(ScenarioError, match="`test` is for a scripted agent"):
        ScriptedClient(scenario())
    with pytest.raises(ScenarioError, match="`v1/turn-client` is for a scripted client"):
        ScriptedAgent("v1/turn-client")


def test_there_is_nothing_to_wait_for_outside_the_block() -> None:
    async def run() -> None:
        with pytest.raises(RuntimeError, match="as a context manager"):
            await ScriptedAgent(scenario()).finished()

    asyncio.run(run())


def test_a_test_that_fails_inside_the_block_fails_with_its_own_error() -> None:
    async def run() -> None:
        async with asyncio.timeout(BOUND_SECONDS), ScriptedAgent(scenario(INITIALIZE)):
            raise KeyError("mine")

    with pytest.raises(KeyError):
        asyncio.run(run())
