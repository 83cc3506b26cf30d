"""A strict bridge: whoever waits for what would be lost is told so, and everything else goes on."""

from typing import Any

import pytest

from tests.protocol.bridging import INITIALIZE, NEW, Stage, bridged, raw_bridge, updates
from tests.sdk.stage import run

ODD_OPTION = {"type": "_odd", "configId": "o", "name": "O"}
ODD_COMMAND = {"type": "_odd", "name": "a", "description": "A"}
EMPTY = {"type": "select", "id": "o", "name": "O", "currentValue": "a", "options": []}
YES = {"optionId": "y", "name": "Yes", "kind": "allow_once"}


def _loss(answer: dict[str, Any]) -> str:
    return answer["error"]["data"]["acpBridge"]["loss"]


async def _is_usable(stage: Stage) -> None:
    prompt_id = stage.prompt()
    stage.finish(await stage.prompted())
    assert (await stage.ended(prompt_id))["stopReason"] == "end_turn"


@pytest.mark.parametrize("method", ["session/new", "session/load", "session/resume"])
@pytest.mark.parametrize(
    ("members", "name"),
    [
        ({"configOptions": [ODD_OPTION]}, "option.type"),
        ({"availableCommands": [ODD_COMMAND]}, "command.kind"),
    ],
)
def test_a_session_that_cannot_be_told_whole_is_not_opened(
    method: str, members: Any, name: str
) -> None:
    async def scenario() -> None:
        async with raw_bridge(1, 2, strict=True) as stage:
            await stage.initialize()
            asked = stage.client.ask(method, {"sessionId": "s", **NEW})
            request = await stage.agent.request(method.replace("load", "resume"))
            stage.agent.reply(request, {"sessionId": "s", **members})
            assert _loss(await stage.client.answer(asked)) == name
            error = (await stage.client.answer(stage.prompt()))["error"]
            assert error["code"] == -32002
            await stage.open()
            await _is_usable(stage)

    run(scenario())


@pytest.mark.parametrize("method", ["session/new", "session/resume"])
def test_neither_is_one_of_version_1(method: str) -> None:
    async def scenario() -> None:
        can = {"agentCapabilities": {"sessionCapabilities": {"resume": {}}}}
        async with raw_bridge(2, 1, strict=True) as stage:
            await stage.initialize(**can)
            asked = stage.client.ask(method, {"sessionId": "s", "cwd": "/a"})
            request = await stage.agent.request(method)
            stage.agent.reply(request, {"sessionId": "s", "configOptions": [EMPTY]})
            assert _loss(await stage.client.answer(asked)) == "option.choices"
            error = (await stage.client.answer(stage.prompt()))["error"]
            assert error["code"] == -32002
            await stage.open()
            await _is_usable(stage)

    run(scenario())


def test_a_history_that_cannot_be_told_whole_fails_the_request_for_it() -> None:
    async def scenario() -> None:
        async with raw_bridge(1, 2, strict=True) as stage:
            await stage.initialize()
            asked = stage.client.ask("session/load", {"sessionId": "s", **NEW})
            request = await stage.agent.request("session/resume")
            stage.update("tool_call_update", toolCallId="t", title="T", status="paused")
            stage.agent.reply(request, {})
            assert _loss(await stage.client.answer(asked)) == "tool_call.status"

    run(scenario())


def test_what_is_said_before_a_session_is_known_cannot_fail_it() -> None:
    async def scenario() -> None:
        async with raw_bridge(1, 2, strict=True) as stage:
            await stage.initialize()
            asked = stage.client.ask("session/new", NEW)
            request = await stage.agent.request("session/new")
            stage.update("tool_call_update", toolCallId="t", title="T", status="paused")
            stage.agent.reply(request, {"sessionId": "s"})
            assert "result" in await stage.client.answer(asked)
            await stage.sync()
            assert updates(stage)[-1]["status"] == "in_progress"
            assert "tool_call.status" in stage.losses
            await _is_usable(stage)

    run(scenario())


@pytest.mark.parametrize(
    ("client", "agent", "prompt", "name"),
    [
        (
            2,
            1,
            {
                "type": "resource_link",
                "uri": "file:///a",
                "name": "a",
                "icons": [{"src": "https://example.com/i.png"}],
            },
            "content.icons",
        ),
        (
            1,
            2,
            {"type": "text", "text": "a", "annotations": {"priority": 7}},
            "annotations.priority",
        ),
    ],
)
def test_a_prompt_that_cannot_be_told_whole_is_not_sent(
    client: int, agent: int, prompt: Any, name: str
) -> None:
    async def scenario() -> None:
        async with bridged(client, agent, strict=True) as stage:
            prompt_id = stage.prompt([prompt])
            assert _loss(await stage.ended(prompt_id)) == name
            assert stage.agent.seen[-1]["method"] == "session/new"
            await _is_usable(stage)

    run(scenario())


def test_a_question_that_cannot_be_told_whole_is_not_asked_and_fails_the_turn() -> None:
    async def scenario() -> None:
        async with bridged(1, 2, strict=True) as stage:
            prompt_id = stage.prompt()
            request = await stage.prompted()
            subject = {"type": "command", "command": "make", "cwd": "/a"}
            params = {"sessionId": "s", "title": "T", "options": [YES], "subject": subject}
            answer = await stage.agent.call("session/request_permission", params)
            assert _loss(answer) == "permission.subject"
            await stage.agent.request("session/cancel")
            stage.finish(request, "cancelled")
            assert _loss(await stage.ended(prompt_id)) == "permission.subject"
            assert "session/request_permission" not in str(stage.client.seen)
            # Outside a turn the agent alone is told.
            answer = await stage.agent.call("session/request_permission", params)
            assert _loss(answer) == "permission.subject"
            await _is_usable(stage)

    run(scenario())


@pytest.mark.parametrize("reason", ["_bored", None])
def test_an_end_that_cannot_be_told_whole_is_an_error_in_version_1(reason: str | None) -> None:
    async def scenario() -> None:
        async with bridged(1, 2, strict=True) as stage:
            prompt_id = stage.prompt()
            stage.finish(await stage.prompted(), reason)
            name = "stop_reason" if reason else "idle.stop_reason"
            assert _loss(await stage.ended(prompt_id)) == name
            await _is_usable(stage)

    run(scenario())


def test_an_end_that_cannot_be_told_whole_is_an_error_in_version_2() -> None:
    async def scenario() -> None:
        async with bridged(2, 1, strict=True) as stage:
            usage = {"totalTokens": 5, "inputTokens": 2, "outputTokens": 3}
            prompt_id = stage.prompt()
            stage.finish(await stage.prompted(), usage=usage)
            idle = await stage.ended(prompt_id)
            assert idle["stopReason"] == "error"
            assert _loss(idle) == "state.usage"
            await _is_usable(stage)

    run(scenario())


def test_a_turn_that_was_cancelled_does_not_fail_for_how_its_tool_calls_end() -> None:
    async def scenario() -> None:
        async with bridged(1, 2, strict=True) as stage:
            for status in (None, "cancelled"):  # Ended by the bridge, or by the agent.
                prompt_id = stage.prompt()
                request = await stage.prompted()
                stage.update("tool_call_update", toolCallId="t", title="T", status="in_progress")
                await stage.sync()
                stage.client.note("session/cancel", {"sessionId": "s"})
                await stage.agent.request("session/cancel")
                if status is not None:
                    stage.update("tool_call_update", toolCallId="t", status=status)
                stage.finish(request, "cancelled")
                assert await stage.ended(prompt_id) == {"stopReason": "cancelled"}
            assert stage.losses == ["tool_call.status"] * 2
            await _is_usable(stage)

    run(scenario())


def test_what_happens_outside_a_turn_is_told_as_well_as_it_can_be() -> None:
    async def scenario() -> None:
        async with bridged(1, 2, strict=True) as stage:
            stage.update("tool_call_update", toolCallId="t", title="T", status="paused")
            await stage.sync()
            assert updates(stage)[-1]["status"] == "in_progress"
            assert stage.losses == ["state.unprompted", "tool_call.status"]
            await _is_usable(stage)

    run(scenario())


def test_an_agent_that_cannot_be_shown_whole_is_refused() -> None:
    async def scenario() -> None:
        async with raw_bridge(1, 2, strict=True) as stage:
            asked = stage.client.ask("initialize", INITIALIZE[1])
            await stage.answer_initialize(
                authMethods=[{"type": "_odd", "methodId": "x", "name": "X"}]
            )
            assert _loss(await stage.client.answer(asked)) == "login.type"

    run(scenario())


def test_a_list_that_would_be_made_up_is_refused() -> None:
    async def scenario() -> None:
        async with bridged(2, 1, strict=True) as stage:
            assert _loss(await stage.client.call("session/list", {})) == "session.list"
            await _is_usable(stage)

    run(scenario())


@pytest.mark.parametrize("method", ["session/set_config_option", "session/set_mode"])
def test_a_list_of_options_that_cannot_be_told_whole_fails_the_request(method: str) -> None:
    mode = {
        "type": "select",
        "configId": "m",
        "name": "M",
        "category": "mode",
        "currentValue": "a",
        "options": [{"value": "a", "name": "A"}, {"value": "b", "name": "B"}],
    }

    async def scenario() -> None:
        async with bridged(1, 2, strict=True, session={"configOptions": [mode]}) as stage:
            params = {"sessionId": "s", "configId": "m", "value": "b"}
            if method == "session/set_mode":
                params = {"sessionId": "s", "modeId": "b"}
            asked = stage.client.ask(method, params)
            request = await stage.agent.request("session/set_config_option")
            stage.agent.reply(request, {"configOptions": [mode, ODD_OPTION]})
            assert _loss(await stage.client.answer(asked)) == "option.type"
            await _is_usable(stage)

    run(scenario())
