"""A bridge between the versions, in front of two ends that write JSON by hand."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from parley.errors import ConnectionLost
from parley.protocol.bridge import bridge
from parley.protocol.settings import Settings
from parley.rpc.transport import Transport
from parley.transport.memory import memory_pair
from tests.protocol.bridged import INITIALIZE, Bridged, bridged
from tests.protocol.wire import RawPeer

BOTH = pytest.mark.parametrize("version", [1, 2])


def run(version: int, scenario: Callable[[Bridged], Awaitable[None]], **options: Any) -> None:
    async def whole() -> None:
        async with bridged(version, **options) as ends:
            await scenario(ends)

    asyncio.run(whole())


# Introductions.


def test_a_client_of_version_1_learns_what_an_agent_of_version_2_can_do() -> None:
    async def scenario(ends: Bridged) -> None:
        session = {"prompt": {"image": {}}, "mcp": {"stdio": {}, "http": {}}, "delete": {}}
        answer = (await ends.initialize(session=session))["result"]
        assert answer["protocolVersion"] == 1
        can = answer["agentCapabilities"]
        assert can["loadSession"] is True
        assert can["promptCapabilities"]["image"] is True
        assert can["mcpCapabilities"] == {"http": True, "sse": False}
        assert {"list", "resume", "close", "delete"} <= can["sessionCapabilities"].keys()
        assert answer["agentInfo"] == {"name": "agent", "version": "2"}

    run(1, scenario)


def test_a_client_of_version_2_learns_what_an_agent_of_version_1_can_do() -> None:
    async def scenario(ends: Bridged) -> None:
        prompt = {"image": True, "embeddedContext": True}
        answer = (await ends.initialize(loadSession=True, promptCapabilities=prompt))["result"]
        assert answer["protocolVersion"] == 2
        session = answer["capabilities"]["session"]
        assert session["prompt"].keys() == {"image", "embeddedContext"}
        assert session["mcp"].keys() == {"stdio"}
        asked = ends.agent.seen[-1]["params"]
        assert asked["protocolVersion"] == 1
        # What version 2 has as a matter of course is announced to the agent of version 1.
        assert asked["clientCapabilities"]["session"].keys() >= {"notices", "compaction"}
        assert asked["clientCapabilities"].get("terminal", False) is False

    run(2, scenario)


def test_an_agent_without_sessions_cannot_serve_a_client_of_version_1() -> None:
    async def scenario(ends: Bridged) -> None:
        asked = ends.client.ask("initialize", INITIALIZE[1])
        request = await ends.agent.request("initialize")
        info = {"name": "a", "version": "1"}
        ends.agent.reply(request, {"protocolVersion": 2, "info": info, "capabilities": {}})
        assert "error" in await ends.client.answer(asked)

    run(1, scenario)


def test_an_agent_that_cannot_be_started_is_named_to_the_client() -> None:
    async def scenario() -> None:
        near, far = memory_pair()
        client = RawPeer(near)

        async def reach() -> Transport:
            raise ConnectionLost("cannot start `no-such-agent`")

        async with asyncio.timeout(5), asyncio.TaskGroup() as group:
            running = group.create_task(bridge(far, reach, Settings()))
            error = (await client.answer(client.ask("initialize", INITIALIZE[1])))["error"]
            assert "no-such-agent" in error["message"]
            await near.aclose()
            await running

    asyncio.run(scenario())


# Turns.


@BOTH
@pytest.mark.parametrize(
    "reason", ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"]
)
def test_a_turn_ends_with_the_reason_of_the_agent(version: int, reason: str) -> None:
    async def scenario(ends: Bridged) -> None:
        await ends.open()
        asked, request = await ends.begin()
        chunk = {"type": "text", "text": "hello"}
        ends.tell(sessionUpdate="agent_message_chunk", messageId="a", content=chunk)
        ends.finish(request, reason)
        assert (await ends.told("agent_message_chunk"))["content"] == chunk
        assert await ends.ended(asked) == reason
        assert ends.losses == []

    run(version, scenario)


def test_the_echo_of_a_prompt_is_swallowed_but_what_others_said_is_not() -> None:
    async def scenario(ends: Bridged) -> None:
        await ends.open()
        asked, request = await ends.begin()
        other = [{"type": "text", "text": "from another window"}]
        ends.tell(sessionUpdate="user_message", messageId="other", content=other)
        ends.finish(request)
        await ends.ended(asked)
        texts = [
            each["params"]["update"]["content"]["text"]
            for each in ends.client.seen
            if each.get("params", {}).get("update", {}).get("sessionUpdate") == "user_message_chunk"
        ]
        assert texts == ["from another window"]

    run(1, scenario)


def test_an_error_of_a_turn_is_an_error_answer_in_version_1() -> None:
    async def scenario(ends: Bridged) -> None:
        await ends.open()
        asked, _ = await ends.begin()
        error = {"code": -32001, "message": "out of credit", "data": {"left": 0}}
        ends.tell(sessionUpdate="state_update", state="idle", stopReason="error", error=error)
        assert (await ends.client.answer(asked))["error"] == error

    run(1, scenario)


def test_an_error_answer_of_version_1_ends_the_work_with_an_error() -> None:
    async def scenario(ends: Bridged) -> None:
        await ends.open()
        asked, request = await ends.begin()
        chunk = {"type": "text", "text": "x"}
        ends.tell(sessionUpdate="agent_message_chunk", content=chunk)
        await ends.told("agent_message_chunk")
        ends.agent.refuse(request, -32001, "out of credit")
        while (state := await ends.told("state_update"))["state"] != "idle":
            pass
        assert (state["stopReason"], state["error"]["message"]) == ("error", "out of credit")
        assert "messageId" in (await ends.client.answer(asked))["result"]

    run(2, scenario)


# Cancelling, with questions that are open.


def _question(version: int, number: int) -> dict[str, Any]:
    options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]
    call = {"toolCallId": f"t{number}", "title": "Run"}
    if version == 1:
        return {"sessionId": "s", "toolCall": call, "options": options}
    subject = {"type": "tool_call", "toolCall": call}
    return {"sessionId": "s", "title": "Run?", "subject": subject, "options": options}


@BOTH
@pytest.mark.parametrize("questions", [0, 1, 3])
def test_cancelling_settles_every_question_and_ends_the_turn(version: int, questions: int) -> None:
    async def scenario(ends: Bridged) -> None:
        await ends.open()
        asked, request = await ends.begin()
        ids = [
            ends.agent.ask("session/request_permission", _question(ends.agent_version, number))
            for number in range(questions)
        ]
        for _ in range(questions):
            await ends.client.request("session/request_permission")
        ends.client.note("session/cancel", {"sessionId": "s"})
        await ends.agent.request("session/cancel")
        for id_ in ids:
            answer = await ends.agent.answer(id_)
            assert answer.get("result", {}).get("outcome", {}).get("outcome") != "selected"
        ends.finish(request, "cancelled")
        assert await ends.ended(asked) == "cancelled"

    run(version, scenario)


@BOTH
def test_the_answer_to_a_question_reaches_the_agent(version: int) -> None:
    async def scenario(ends: Bridged) -> None:
        await ends.open()
        asked, request = await ends.begin()
        question = ends.agent.ask("session/request_permission", _question(ends.agent_version, 1))
        shown = await ends.client.request("session/request_permission")
        chosen = {"outcome": {"outcome": "selected", "optionId": "yes"}}
        ends.client.reply(shown, chosen)
        assert (await ends.agent.answer(question))["result"] == chosen
        ends.finish(request)
        assert await ends.ended(asked) == "end_turn"

    run(version, scenario)


# Options.


def test_an_option_of_the_mode_is_a_mode_in_version_1() -> None:
    async def scenario(ends: Bridged) -> None:
        choices = [{"value": "ask", "name": "Ask"}, {"value": "code", "name": "Code"}]
        option = {
            "type": "select",
            "configId": "mode",
            "category": "mode",
            "name": "Mode",
            "currentValue": "ask",
            "options": choices,
        }
        setup = await ends.open({"configOptions": [option]})
        assert setup["modes"]["currentModeId"] == "ask"
        assert setup["configOptions"][0]["id"] == "mode"
        asked = ends.client.ask("session/set_mode", {"sessionId": "s", "modeId": "code"})
        request = await ends.agent.request("session/set_config_option")
        assert request["params"] == {
            "sessionId": "s",
            "configId": "mode",
            "type": "id",
            "value": "code",
        }
        ends.agent.reply(request, {"configOptions": [{**option, "currentValue": "code"}]})
        assert (await ends.client.answer(asked))["result"] == {}

    run(1, scenario)


def test_the_modes_of_version_1_are_an_option_in_version_2() -> None:
    async def scenario(ends: Bridged) -> None:
        modes = {
            "currentModeId": "ask",
            "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}],
        }
        setup = await ends.open({"modes": modes})
        (option,) = setup["configOptions"]
        assert (option["category"], option["currentValue"]) == ("mode", "ask")
        params = {"sessionId": "s", "configId": option["configId"], "type": "id", "value": "code"}
        asked = ends.client.ask("session/set_config_option", params)
        request = await ends.agent.request("session/set_mode")
        assert request["params"] == {"sessionId": "s", "modeId": "code"}
        ends.agent.reply(request, {})
        (now,) = (await ends.client.answer(asked))["result"]["configOptions"]
        assert now["currentValue"] == "code"

    run(2, scenario)


# Sessions.


def test_an_agent_that_can_only_load_is_resumed_without_its_history() -> None:
    async def scenario(ends: Bridged) -> None:
        await ends.initialize(loadSession=True)
        asked = ends.client.ask("session/resume", {"sessionId": "s", "cwd": "/"})
        request = await ends.agent.request("session/load")
        ends.tell(sessionUpdate="agent_message_chunk", content={"type": "text", "text": "old"})
        ends.agent.reply(request, None)
        assert "result" in await ends.client.answer(asked)
        kinds = [
            each["params"]["update"]["sessionUpdate"]
            for each in ends.client.seen
            if each.get("method") == "session/update"
        ]
        assert kinds == ["state_update"]

    run(2, scenario)


def test_an_agent_that_cannot_go_on_with_a_session_says_so() -> None:
    async def scenario(ends: Bridged) -> None:
        await ends.initialize()
        asked = ends.client.ask("session/resume", {"sessionId": "lost", "cwd": "/"})
        assert (await ends.client.answer(asked))["error"]["code"] == -32002

    run(2, scenario)


def test_sessions_of_an_agent_that_lists_none_are_those_of_this_connection() -> None:
    async def scenario(ends: Bridged) -> None:
        await ends.open()
        page = (await ends.client.answer(ends.client.ask("session/list", {})))["result"]
        assert [each["sessionId"] for each in page["sessions"]] == ["s"]
        assert ends.lost == ["session.list"]
        closed = await ends.client.answer(ends.client.ask("session/close", {"sessionId": "s"}))
        assert closed["result"] == {}

    run(2, scenario)


def test_logging_in_and_out_has_another_name_in_each_version() -> None:
    async def scenario(ends: Bridged) -> None:
        asked = ends.client.ask("initialize", INITIALIZE[1])
        request = await ends.agent.request("initialize")
        method = {"type": "agent", "methodId": "key", "name": "Key"}
        answer = {
            "protocolVersion": 2,
            "info": {"name": "a", "version": "1"},
            "capabilities": {"session": {}},
            "authMethods": [method, {"type": "_odd", "methodId": "x", "name": "X"}],
        }
        ends.agent.reply(request, answer)
        got = (await ends.client.answer(asked))["result"]
        # A type nobody knows would be taken for a login by the agent (DEC-17).
        assert [each["id"] for each in got["authMethods"]] == ["key"]
        asked = ends.client.ask("authenticate", {"methodId": "key"})
        request = await ends.agent.request("auth/login")
        assert request["params"] == {"methodId": "key"}
        ends.agent.reply(request, {})
        assert (await ends.client.answer(asked))["result"] == {}
        asked = ends.client.ask("logout", {})
        ends.agent.reply(await ends.agent.request("auth/logout"), {})
        assert (await ends.client.answer(asked))["result"] == {}

    run(1, scenario)


# Extensions, ends and losses.


@BOTH
def test_extensions_pass_both_ways(version: int) -> None:
    async def scenario(ends: Bridged) -> None:
        await ends.open()
        asked = ends.client.ask("_x/y", {"a": 1})
        request = await ends.agent.request("_x/y")
        assert request["params"] == {"a": 1}
        ends.agent.reply(request, {"b": 2})
        assert (await ends.client.answer(asked))["result"] == {"b": 2}
        asked = ends.agent.ask("_z", {"c": 3})
        ends.client.reply(await ends.client.request("_z"), {"d": 4})
        assert (await ends.agent.answer(asked))["result"] == {"d": 4}
        ends.client.note("_n", {"e": 5})
        assert (await ends.agent.request("_n"))["params"] == {"e": 5}
        ends.agent.note("_m", {"f": 6})
        assert (await ends.client.request("_m"))["params"] == {"f": 6}

    run(version, scenario)


@BOTH
def test_a_turn_of_an_agent_that_dies_ends_with_an_error(version: int) -> None:
    async def scenario(ends: Bridged) -> None:
        await ends.open()
        asked, _ = await ends.begin()
        chunk = {"type": "text", "text": "x"}
        ends.tell(sessionUpdate="agent_message_chunk", messageId="a", content=chunk)
        await ends.told("agent_message_chunk")
        await ends.agent_wire.aclose()
        if version == 1:
            assert "error" in await ends.client.answer(asked)
        else:
            assert await ends.ended(asked) == "error"

    run(version, scenario)


def test_a_strict_bridge_ends_the_turn_and_names_the_loss() -> None:
    async def scenario(ends: Bridged) -> None:
        await ends.open()
        asked, _ = await ends.begin()
        ends.tell(sessionUpdate="tool_call_update", toolCallId="t", title="T", status="paused")
        await ends.agent.request("session/cancel")
        ends.tell(sessionUpdate="state_update", state="idle", stopReason="cancelled")
        error = (await ends.client.answer(asked))["error"]
        assert error["data"]["acpBridge"]["loss"] == "tool_call.status"
        # The session can be used again.
        asked, request = await ends.begin()
        ends.finish(request)
        assert await ends.ended(asked) == "end_turn"

    run(1, scenario, strict=True)


def test_a_bridge_that_is_not_strict_goes_on_and_reports_the_loss() -> None:
    async def scenario(ends: Bridged) -> None:
        await ends.open()
        asked, request = await ends.begin()
        ends.tell(sessionUpdate="tool_call_update", toolCallId="t", title="T", status="paused")
        assert (await ends.told("tool_call"))["status"] == "in_progress"
        ends.finish(request)
        assert await ends.ended(asked) == "end_turn"
        assert [(loss.what, loss.session_id) for loss in ends.losses] == [("tool_call.status", "s")]

    run(1, scenario)
