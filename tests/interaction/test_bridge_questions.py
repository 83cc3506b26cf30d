"""Questions to a person through a bridge: what is asked, and what an answer means."""

from typing import Any

import pytest

from tests.protocol.bridging import DIRECTIONS, Stage, bridged, raw_bridge, updates
from tests.sdk.stage import run

both = pytest.mark.parametrize(("client", "agent"), DIRECTIONS)
YES = {"optionId": "y", "name": "Yes", "kind": "allow_once"}
NO = {"optionId": "n", "name": "No", "kind": "reject_once"}
SELECTED = {"outcome": {"outcome": "selected", "optionId": "y"}}
CANCELLED = {"outcome": {"outcome": "cancelled"}}
CALL: dict[str, Any] = {"toolCallId": "t", "title": "Run", "kind": "execute", "status": "pending"}


def _ask(stage: Stage, **members: Any) -> int:
    params = {"sessionId": "s", "options": [YES, NO], **members}
    return stage.agent.ask("session/request_permission", params)


async def _asked(stage: Stage) -> dict[str, Any]:
    return await stage.client.request("session/request_permission")


# From version 2 to version 1.


def test_a_question_about_a_tool_call_goes_to_version_1_and_the_call_gets_its_words_back() -> None:
    async def scenario() -> None:
        async with bridged(1, 2) as stage:
            prompt_id = stage.prompt()
            turn = await stage.prompted()
            stage.update("tool_call_update", **CALL)
            question = _ask(
                stage,
                title="May I?",
                description="It is quick.",
                subject={"type": "tool_call", "toolCall": {**CALL, "rawInput": {"a": 1}}},
                _meta={"traceparent": "00-1"},
            )
            request = await _asked(stage)
            told = {"type": "content", "content": {"type": "text", "text": "It is quick."}}
            assert request["params"] == {
                "sessionId": "s",
                "toolCall": {**CALL, "title": "May I?", "rawInput": {"a": 1}, "content": [told]},
                "options": [YES, NO],
                "_meta": {"traceparent": "00-1"},
            }
            stage.client.reply(request, SELECTED)
            assert (await stage.agent.answer(question))["result"] == SELECTED
            stage.update("tool_call_update", toolCallId="t", status="completed")
            stage.finish(turn)
            await stage.ended(prompt_id)
            first, second, restored, _ = updates(stage)
            assert first["sessionUpdate"] == "tool_call"
            assert second["rawInput"] == {"a": 1}
            assert (restored["title"], restored["content"]) == ("Run", [])
            assert stage.losses == []

    run(scenario())


@pytest.mark.parametrize("tool_call_id", [None, "t"])
def test_a_question_about_a_command_becomes_one_about_a_tool_call(
    tool_call_id: str | None,
) -> None:
    async def scenario() -> None:
        async with bridged(1, 2) as stage:
            subject = {"type": "command", "command": "make", "cwd": "/a"}
            if tool_call_id is not None:
                subject["toolCallId"] = tool_call_id
            question = _ask(stage, title="Run it?", subject=subject)
            request = await _asked(stage)
            call = request["params"]["toolCall"]
            assert call["toolCallId"] == (tool_call_id or "permission-1")
            assert (call["kind"], call["title"]) == ("execute", "Run it?")
            assert call["rawInput"] == {"command": "make", "cwd": "/a"}
            assert call["content"][-1]["content"]["text"] == "`make` in `/a`"
            stage.client.reply(request, SELECTED)
            assert (await stage.agent.answer(question))["result"] == SELECTED
            await stage.sync()
            assert stage.losses == ["permission.subject"]
            if tool_call_id is None:
                assert updates(stage)[-1]["status"] == "completed"

    run(scenario())


@pytest.mark.parametrize("subject", [None, {"type": "_planet", "name": "Mars"}])
def test_a_question_about_anything_else_becomes_one_about_a_tool_call(subject: Any) -> None:
    async def scenario() -> None:
        async with bridged(1, 2) as stage:
            question = _ask(stage, title="Really?", **({"subject": subject} if subject else {}))
            request = await _asked(stage)
            call = request["params"]["toolCall"]
            assert (call["kind"], call["title"]) == ("other", "Really?")
            assert call.get("_meta") == ({"subject": subject} if subject else None)
            stage.client.refuse(request)
            # An error is no approval.
            assert (await stage.agent.answer(question))["result"] == CANCELLED
            await stage.sync()
            assert updates(stage)[-1]["status"] == "failed"
            assert stage.losses == ["permission.subject"]

    run(scenario())


def test_options_that_version_1_does_not_know_are_left_out() -> None:
    async def scenario() -> None:
        async with bridged(1, 2) as stage:
            stage.prompt()
            await stage.prompted()
            odd = {"optionId": "m", "name": "Maybe", "kind": "_maybe"}
            subject = {"type": "tool_call", "toolCall": CALL}
            question = _ask(stage, title="May I?", subject=subject, options=[odd, YES])
            request = await _asked(stage)
            assert request["params"]["options"] == [YES]
            stage.client.reply(request, SELECTED)
            await stage.agent.answer(question)
            assert stage.losses == ["permission.option"]
            # None is left: nobody is asked, and nothing is approved.
            question = _ask(stage, title="May I?", subject=subject, options=[odd])
            assert (await stage.agent.answer(question))["result"] == CANCELLED
            assert stage.losses == ["permission.option"] * 2

    run(scenario())


# From version 1 to version 2.


def test_a_question_about_a_tool_call_goes_to_version_2() -> None:
    async def scenario() -> None:
        async with bridged(2, 1) as stage:
            prompt_id = stage.prompt()
            turn = await stage.prompted()
            call = {**CALL, "content": None, "rawInput": {"a": 1}}
            question = _ask(stage, toolCall=call, _meta={"traceparent": "00-1"})
            request = await _asked(stage)
            del call["content"]
            assert request["params"] == {
                "sessionId": "s",
                "title": "Run",
                "subject": {"type": "tool_call", "toolCall": call},
                "options": [YES, NO],
                "_meta": {"traceparent": "00-1"},
            }
            states = [each["state"] for each in updates(stage, "state_update")]
            assert states == ["running", "requires_action"]
            stage.client.reply(request, {**SELECTED, "_meta": {"b": 2}})
            assert (await stage.agent.answer(question))["result"] == {**SELECTED, "_meta": {"b": 2}}
            await stage.sync()
            assert updates(stage, "state_update")[-1]["state"] == "running"
            stage.finish(turn)
            await stage.ended(prompt_id)

    run(scenario())


def test_a_question_without_a_title_has_that_of_its_call_or_one_of_its_own() -> None:
    async def scenario() -> None:
        async with bridged(2, 1) as stage:
            _ask(stage, toolCall={"toolCallId": "x"})
            assert (await _asked(stage))["params"]["title"] == "Permission required"
            stage.update("tool_call", **CALL)
            _ask(stage, toolCall={"toolCallId": "t"})
            assert (await _asked(stage))["params"]["title"] == "Run"

    run(scenario())


@pytest.mark.parametrize(
    "answer",
    [
        CANCELLED,
        {"outcome": {"outcome": "selected", "optionId": "never offered"}},
        {"outcome": {"outcome": "_perhaps"}},
        None,
    ],
)
def test_whatever_is_no_choice_is_cancelled_in_version_1(answer: Any) -> None:
    async def scenario() -> None:
        async with bridged(2, 1) as stage:
            question = _ask(stage, toolCall=CALL)
            request = await _asked(stage)
            if answer is None:
                stage.client.refuse(request)
            else:
                stage.client.reply(request, answer)
            assert (await stage.agent.answer(question))["result"] == CANCELLED

    run(scenario())


def test_a_question_without_options_is_answered_by_the_bridge() -> None:
    async def scenario() -> None:
        async with bridged(2, 1) as stage:
            question = _ask(stage, toolCall=CALL, options=[])
            assert (await stage.agent.answer(question))["result"] == CANCELLED
            twice = _ask(stage, toolCall=CALL, options=[YES, YES])
            assert (await stage.agent.answer(twice))["result"] == CANCELLED
            assert stage.losses == ["permission.options"]

    run(scenario())


@both
def test_a_question_about_a_session_that_is_not_open_is_not_allowed(
    client: int, agent: int
) -> None:
    async def scenario() -> None:
        async with bridged(client, agent) as stage:
            subject: dict[str, Any] = {"toolCall": CALL}
            if agent == 2:
                subject = {"title": "T", "subject": {"type": "tool_call", "toolCall": CALL}}
            answer = await stage.agent.answer(_ask(stage, sessionId="strange", **subject))
            assert answer.get("result", CANCELLED) == CANCELLED

    run(scenario())


# Input.

FORM = {"type": "object", "properties": {"name": {"type": "string"}}}
CAN: dict[int, dict[str, Any]] = {
    1: {"clientCapabilities": {"elicitation": {"form": {}, "url": {}}}},
    2: {"capabilities": {"elicitation": {"form": {}, "url": {}}}},
}


def _form(**members: Any) -> dict[str, Any]:
    return {"mode": "form", "message": "Who?", "requestedSchema": FORM, **members}


@both
@pytest.mark.parametrize(
    "answer",
    [
        {"action": "accept", "content": {"name": "me"}},
        {"action": "accept", "content": {"name": "me"}, "_meta": {"b": 2}},
        {"action": "decline"},
        {"action": "cancel"},
    ],
)
def test_a_form_goes_through_and_so_does_its_answer(client: int, agent: int, answer: Any) -> None:
    async def scenario() -> None:
        async with bridged(client, agent, asks=CAN[client]) as stage:
            params = _form(sessionId="s", toolCallId="t", _meta={"a": 1})
            question = stage.agent.ask("elicitation/create", params)
            request = await stage.client.request("elicitation/create")
            assert request["params"] == params
            stage.client.reply(request, answer)
            assert (await stage.agent.answer(question))["result"] == answer
            assert stage.losses == []

    run(scenario())


def test_a_form_of_version_1_is_made_whole_and_has_one_scope() -> None:
    async def scenario() -> None:
        async with bridged(2, 1, asks=CAN[2]) as stage:
            bare = {"mode": "form", "message": "Who?", "requestedSchema": {}}
            stage.agent.ask("elicitation/create", {**bare, "sessionId": "s", "requestId": 5})
            request = await stage.client.request("elicitation/create")
            assert request["params"] == {
                **bare,
                "sessionId": "s",
                "requestedSchema": {"type": "object", "properties": {}},
            }

    run(scenario())


@both
def test_an_answer_that_nobody_knows_is_none(client: int, agent: int) -> None:
    async def scenario() -> None:
        async with bridged(client, agent, asks=CAN[client]) as stage:
            question = stage.agent.ask("elicitation/create", _form(sessionId="s"))
            request = await stage.client.request("elicitation/create")
            stage.client.reply(request, {"action": "_shrug"})
            assert (await stage.agent.answer(question))["result"] == {"action": "cancel"}
            assert stage.losses == ["elicitation.action"]

    run(scenario())


@both
def test_a_link_is_put_under_the_id_that_the_client_knows_and_is_completed_once(
    client: int, agent: int
) -> None:
    async def scenario() -> None:
        async with raw_bridge(client, agent) as stage:
            key = "methodId" if agent == 2 else "id"
            login = {"type": "agent", key: "web", "name": "Web"}
            await stage.initialize(CAN[client], authMethods=[login])
            names = {1: "authenticate", 2: "auth/login"}
            logging_in = stage.client.ask(names[client], {"methodId": "web"})
            request = await stage.agent.request(names[agent])
            link = {
                "mode": "url",
                "message": "Go",
                "url": "https://example.com",
                "elicitationId": "e",
                "requestId": request["id"],
            }
            question = stage.agent.ask("elicitation/create", link)
            shown = await stage.client.request("elicitation/create")
            assert shown["params"] == {**link, "requestId": logging_in}
            stage.client.reply(shown, {"action": "accept"})
            await stage.agent.answer(question)
            for elicitation_id in ("unknown", "e", "e"):
                stage.agent.note("elicitation/complete", {"elicitationId": elicitation_id})
            note = await stage.client.request("elicitation/complete")
            assert note["params"] == {"elicitationId": "e"}
            stage.agent.reply(request, {})
            assert "result" in await stage.client.answer(logging_in)
            completed = [m for m in stage.client.seen if m.get("method") == "elicitation/complete"]
            assert len(completed) == 1
            # The login is over, so a question about it belongs to nothing.
            late = stage.agent.ask("elicitation/create", {**link, "elicitationId": "f"})
            assert (await stage.agent.answer(late))["result"] == {"action": "cancel"}
            assert stage.losses == ["elicitation.scope"]

    run(scenario())


@both
def test_a_mode_that_the_client_does_not_offer_is_not_asked_for(client: int, agent: int) -> None:
    async def scenario() -> None:
        async with bridged(client, agent) as stage:
            error = await stage.agent.error("elicitation/create", _form(sessionId="s"))
            assert error["code"] == -32602

    run(scenario())


def test_a_format_that_version_1_does_not_list_is_dropped() -> None:
    async def scenario() -> None:
        async with bridged(1, 2, asks=CAN[1]) as stage:
            schema = {**FORM, "properties": {"n": {"type": "string", "format": "_odd"}}}
            params = _form(sessionId="s", requestedSchema=schema)
            stage.agent.ask("elicitation/create", params)
            request = await stage.client.request("elicitation/create")
            shown = request["params"]["requestedSchema"]
            assert shown["properties"] == {"n": {"type": "string"}}
            assert stage.losses == ["elicitation.format"]

    run(scenario())
