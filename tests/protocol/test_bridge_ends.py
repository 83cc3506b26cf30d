"""The two ends of a bridge: whoever goes first, the other is told, and nothing waits for ever."""

import asyncio
from typing import Any

import pytest

from parley.errors import ConnectionLost
from tests.protocol.bridging import ALL_WAYS, DIRECTIONS, Stage, bridged, raw_bridge, updates
from tests.protocol.wire import BOUND
from tests.sdk.stage import run

every = pytest.mark.parametrize(("client", "agent"), ALL_WAYS)
both = pytest.mark.parametrize(("client", "agent"), DIRECTIONS)
PERMISSION: dict[int, dict[str, Any]] = {
    1: {"toolCall": {"toolCallId": "t"}},
    2: {"title": "T", "subject": {"type": "tool_call", "toolCall": {"toolCallId": "t"}}},
}


async def _end(stage: Stage) -> Any:
    assert stage.end is not None
    async with asyncio.timeout(BOUND):
        return await stage.end


async def _is_closed(stage: Stage) -> bool:
    async with asyncio.timeout(BOUND):
        while await stage.client_wire.receive():
            pass
    return True


@every
def test_a_client_that_leaves_takes_the_agent_along(client: int, agent: int) -> None:
    async def scenario() -> None:
        async with bridged(client, agent) as stage:
            await stage.client.close()
            assert await _end(stage) is None
            while await stage.agent_wire.receive():
                pass  # Until the end, which comes.

    run(scenario())


@both
def test_a_client_that_leaves_in_a_turn_cancels_it(client: int, agent: int) -> None:
    async def scenario() -> None:
        async with bridged(client, agent) as stage:
            stage.prompt()
            stage.prompt()
            await stage.prompted()
            params = {"sessionId": "s", "options": [], **PERMISSION[agent]}
            params["options"] = [{"optionId": "y", "name": "Y", "kind": "allow_once"}]
            stage.agent.ask("session/request_permission", params)
            await stage.client.request("session/request_permission")
            await stage.client.close()
            await stage.agent.request("session/cancel")
            assert await _end(stage) is None

    run(scenario())


@both
def test_an_agent_that_dies_fails_the_turn_and_what_waits_behind_it(
    client: int, agent: int
) -> None:
    async def scenario() -> None:
        async with bridged(client, agent) as stage:
            running, *waiting = stage.prompt(), stage.prompt(), stage.prompt()
            await stage.prompted()
            stage.say("so far")
            await stage.sync()
            listing = stage.client.ask("session/list", {}) if agent == 2 else None
            if listing is not None:
                await stage.agent.request("session/list")
            stage.agent_wire.break_("the agent is on fire")
            ended = await stage.ended(running)
            error = ended["error"]
            assert ended.get("stopReason", "error") == "error"
            assert error["code"] == -32603
            assert "the agent is on fire" in error["data"]["acpBridge"]["problem"]
            for each in waiting:
                ended = await stage.ended(each)
                assert ended.get("stopReason", "error") == "error"
            if listing is not None:
                assert "error" in await stage.client.answer(listing)
            assert await _is_closed(stage)
            end = await _end(stage)
            assert isinstance(end, ConnectionLost)
            assert str(end) == "the agent is on fire"

    run(scenario())


@both
def test_an_agent_that_dies_gives_up_its_questions(client: int, agent: int) -> None:
    async def scenario() -> None:
        async with bridged(client, agent) as stage:
            options = [{"optionId": "y", "name": "Y", "kind": "allow_once"}]
            params = {"sessionId": "s", "options": options, **PERMISSION[agent]}
            stage.agent.ask("session/request_permission", params)
            request = await stage.client.request("session/request_permission")
            stage.agent_wire.break_()
            note = await stage.client.request("$/cancel_request")
            assert note["params"] == {"requestId": request["id"]}
            assert await _is_closed(stage)

    run(scenario())


@every
def test_an_agent_that_leaves_between_turns_ends_the_connection(client: int, agent: int) -> None:
    async def scenario() -> None:
        async with bridged(client, agent) as stage:
            await stage.agent.close()
            assert await _is_closed(stage)
            assert "ended the connection" in str(await _end(stage))

    run(scenario())


def test_a_prompt_that_waits_for_unprompted_work_fails_with_the_agent() -> None:
    async def scenario() -> None:
        async with bridged(1, 2) as stage:
            stage.update("state_update", state="running")
            await stage.sync()
            prompt_id = stage.prompt()
            await stage.client.error("no/such")
            stage.agent_wire.break_("gone")
            assert "gone" in (await stage.client.answer(prompt_id))["error"]["message"]

    run(scenario())


def test_a_client_that_never_initialises_costs_no_agent() -> None:
    async def scenario() -> None:
        async with raw_bridge(1, 2) as stage:
            assert (await stage.client.error("session/list", {}))["code"] == -32600
            await stage.client.close()
            assert await _end(stage) is None
            assert stage.agent.seen == []

    run(scenario())


@every
def test_a_bridge_that_is_cancelled_lets_go_of_both_ends(client: int, agent: int) -> None:
    async def scenario() -> None:
        async with bridged(client, agent) as stage:
            stage.prompt()
            await stage.prompted()
            assert stage.end is not None
            stage.end.cancel()
            assert await _is_closed(stage)
            while await stage.agent_wire.receive():
                pass

    run(scenario())


def test_a_client_that_does_not_read_slows_the_agent_down_and_loses_nothing() -> None:
    async def scenario() -> None:
        async with bridged(1, 2) as stage:
            prompt_id = stage.prompt()
            request = await stage.prompted()
            for number in range(300):
                stage.say(f"{number} " + "x" * 1000)
            stage.finish(request)
            assert (await stage.ended(prompt_id))["stopReason"] == "end_turn"
            said = [each["content"]["text"].split()[0] for each in updates(stage)]
            assert said == [str(number) for number in range(300)]

    run(scenario())
