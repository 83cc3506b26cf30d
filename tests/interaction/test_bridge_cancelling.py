"""Cancelling through a bridge: at every step of a turn, with any number of open questions."""

from typing import Any

import pytest

from tests.protocol.bridging import DIRECTIONS, Stage, bridged, updates
from tests.sdk.stage import run

both = pytest.mark.parametrize(("client", "agent"), DIRECTIONS)
OPTIONS = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
CANCELLED = {"outcome": {"outcome": "cancelled"}}


def _ask(stage: Stage, number: int) -> int:
    """Let the agent ask about a tool call; the id of its request."""
    call = {"toolCallId": f"t{number}", "title": "Run"}
    subject: dict[str, Any] = {"toolCall": call}
    if stage.versions[1] == 2:
        subject = {"title": "Run", "subject": {"type": "tool_call", "toolCall": call}}
    params = {"sessionId": "s", "options": OPTIONS, **subject}
    return stage.agent.ask("session/request_permission", params)


async def _asked(stage: Stage) -> dict[str, Any]:
    return await stage.client.request("session/request_permission")


def _cancel(stage: Stage) -> None:
    stage.client.note("session/cancel", {"sessionId": "s"})


async def _is_usable(stage: Stage) -> None:
    prompt_id = stage.prompt()
    stage.finish(await stage.prompted())
    assert (await stage.ended(prompt_id))["stopReason"] == "end_turn"


@both
@pytest.mark.parametrize("step", ["sent", "accepted", "spoken", "in a tool call"])
def test_a_turn_is_cancelled_at_every_step(client: int, agent: int, step: str) -> None:
    async def scenario() -> None:
        async with bridged(client, agent) as stage:
            prompt_id = stage.prompt()
            if step == "sent":
                request = await stage.agent.request("session/prompt")
            else:
                request = await stage.prompted()
            if step in ("spoken", "in a tool call"):
                stage.say("hm")
            if step == "in a tool call":
                kind = "tool_call" if agent == 1 else "tool_call_update"
                stage.update(kind, toolCallId="t", title="Run", status="in_progress")
            await stage.sync()
            _cancel(stage)
            note = await stage.agent.request("session/cancel")
            assert note["params"] == {"sessionId": "s"}
            if step == "sent" and agent == 2:
                stage.agent.refuse(request, -32800, "withdrawn")
            else:
                stage.say("last words")
                stage.finish(request, "cancelled")
            ended = await stage.ended(prompt_id)
            assert ended["stopReason"] == "cancelled"
            if step == "in a tool call":
                last = updates(stage, "tool_call_update")[-1]
                assert last["status"] == ("failed" if client == 1 else "cancelled")
                assert stage.losses == (["tool_call.status"] if client == 1 else [])
            await _is_usable(stage)

    run(scenario())


@both
def test_the_end_waits_for_what_the_agent_still_says(client: int, agent: int) -> None:
    async def scenario() -> None:
        async with bridged(client, agent) as stage:
            prompt_id = stage.prompt()
            request = await stage.prompted()
            await stage.sync()
            _cancel(stage)
            await stage.agent.request("session/cancel")
            await stage.client.error("no/such")
            said = [str(message) for message in stage.client.seen]
            assert not any("stopReason" in each for each in said)
            stage.say("last words")
            stage.finish(request, "cancelled")
            await stage.ended(prompt_id)
            assert updates(stage, "agent_message_chunk") != []

    run(scenario())


def test_a_tool_call_that_the_agent_itself_ends_as_cancelled_is_lost_once() -> None:
    async def scenario() -> None:
        async with bridged(1, 2) as stage:
            prompt_id = stage.prompt()
            request = await stage.prompted()
            stage.update("tool_call_update", toolCallId="t", title="Run", status="in_progress")
            await stage.sync()
            _cancel(stage)
            await stage.agent.request("session/cancel")
            stage.update("tool_call_update", toolCallId="t", status="cancelled")
            stage.finish(request, "cancelled")
            await stage.ended(prompt_id)
            assert stage.losses == ["tool_call.status"]
            assert updates(stage)[-1]["_meta"] == {"acpBridge": {"status": "cancelled"}}

    run(scenario())


@both
@pytest.mark.parametrize("questions", [0, 1, 2, 3])
def test_open_questions_are_answered_as_cancelled(client: int, agent: int, questions: int) -> None:
    async def scenario() -> None:
        async with bridged(client, agent) as stage:
            prompt_id = stage.prompt()
            request = await stage.prompted()
            asked = [_ask(stage, number) for number in range(questions)]
            shown = [await _asked(stage) for _ in asked]
            await stage.sync()
            _cancel(stage)
            await stage.agent.request("session/cancel")
            for each in asked:
                assert (await stage.agent.answer(each))["result"] == CANCELLED
            withdrawn = [await stage.client.request("$/cancel_request") for _ in shown]
            ids = {note["params"]["requestId"] for note in withdrawn}
            assert ids == {each["id"] for each in shown}
            for each in shown:  # A late answer is dropped.
                stage.client.reply(each, {"outcome": {"outcome": "selected", "optionId": "y"}})
            stage.finish(request, "cancelled")
            assert (await stage.ended(prompt_id))["stopReason"] == "cancelled"
            answers = [m for m in stage.agent.seen if m.get("id") in asked and "result" in m]
            assert len(answers) == questions
            await _is_usable(stage)

    run(scenario())


@both
def test_an_answer_that_comes_before_the_cancellation_counts(client: int, agent: int) -> None:
    async def scenario() -> None:
        async with bridged(client, agent) as stage:
            prompt_id = stage.prompt()
            request = await stage.prompted()
            question = _ask(stage, 1)
            chosen = {"outcome": {"outcome": "selected", "optionId": "y"}}
            stage.client.reply(await _asked(stage), chosen)
            _cancel(stage)
            assert (await stage.agent.answer(question))["result"] == chosen
            stage.finish(request, "cancelled")
            assert (await stage.ended(prompt_id))["stopReason"] == "cancelled"

    run(scenario())


def test_a_question_after_the_cancellation_is_not_put_to_a_person_by_version_1() -> None:
    async def scenario() -> None:
        async with bridged(2, 1) as stage:
            prompt_id = stage.prompt()
            request = await stage.prompted()
            _cancel(stage)
            await stage.agent.request("session/cancel")
            assert (await stage.agent.answer(_ask(stage, 1)))["result"] == CANCELLED
            stage.finish(request, "cancelled")
            await stage.ended(prompt_id)
            methods = [message.get("method") for message in stage.client.seen]
            assert "session/request_permission" not in methods

    run(scenario())


@both
def test_a_question_that_the_agent_gives_up_is_given_up_at_the_client(
    client: int, agent: int
) -> None:
    async def scenario() -> None:
        async with bridged(client, agent) as stage:
            prompt_id = stage.prompt()
            request = await stage.prompted()
            question = _ask(stage, 1)
            shown = await _asked(stage)
            stage.agent.note("$/cancel_request", {"requestId": question})
            note = await stage.client.request("$/cancel_request")
            assert note["params"] == {"requestId": shown["id"]}
            await stage.agent.answer(question)
            stage.finish(request)
            assert (await stage.ended(prompt_id))["stopReason"] == "end_turn"

    run(scenario())


@both
def test_prompts_that_wait_are_withdrawn(client: int, agent: int) -> None:
    async def scenario() -> None:
        async with bridged(client, agent) as stage:
            running = stage.prompt()
            request = await stage.prompted()
            waiting = [stage.prompt(), stage.prompt()]
            await stage.client.error("no/such")
            _cancel(stage)
            await stage.agent.request("session/cancel")
            for each in waiting:  # At once, before the running turn has ended.
                answer = await stage.client.answer(each)
                if client == 1:
                    assert answer["result"] == {"stopReason": "cancelled"}
                else:
                    assert answer["error"]["code"] == -32800
            stage.finish(request, "cancelled")
            assert (await stage.ended(running))["stopReason"] == "cancelled"
            await _is_usable(stage)
            prompts = [m for m in stage.agent.seen if m.get("method") == "session/prompt"]
            assert len(prompts) == 2

    run(scenario())


@both
def test_one_prompt_that_waits_is_withdrawn_alone(client: int, agent: int) -> None:
    async def scenario() -> None:
        async with bridged(client, agent) as stage:
            running, waiting, last = stage.prompt(), stage.prompt(), stage.prompt()
            request = await stage.prompted()
            stage.client.note("$/cancel_request", {"requestId": waiting})
            assert (await stage.client.answer(waiting))["error"]["code"] == -32800
            stage.finish(request)
            await stage.ended(running)
            stage.finish(await stage.prompted())
            assert (await stage.ended(last))["stopReason"] == "end_turn"
            methods = [message.get("method") for message in stage.agent.seen]
            assert "session/cancel" not in methods

    run(scenario())


def test_a_prompt_of_version_1_that_is_cancelled_as_a_request_ends_the_turn() -> None:
    async def scenario() -> None:
        async with bridged(1, 2) as stage:
            prompt_id = stage.prompt()
            request = await stage.prompted()
            await stage.sync()
            stage.client.note("$/cancel_request", {"requestId": prompt_id})
            await stage.agent.request("session/cancel")
            stage.finish(request, "cancelled")
            assert (await stage.client.answer(prompt_id))["error"]["code"] == -32800
            await _is_usable(stage)

    run(scenario())


def test_an_error_of_an_agent_of_version_1_after_the_cancellation_is_the_cancellation() -> None:
    async def scenario() -> None:
        async with bridged(2, 1) as stage:
            prompt_id = stage.prompt()
            request = await stage.prompted()
            await stage.sync()
            _cancel(stage)
            await stage.agent.request("session/cancel")
            stage.agent.refuse(request, -32603, "AbortError")
            assert (await stage.ended(prompt_id))["stopReason"] == "cancelled"

    run(scenario())


@both
def test_an_agent_that_never_ends_a_cancelled_turn_is_left_behind(client: int, agent: int) -> None:
    async def scenario() -> None:
        async with bridged(client, agent, deadline=0.05) as stage:
            prompt_id = stage.prompt()
            await stage.prompted()
            await stage.sync()
            _cancel(stage)
            assert (await stage.ended(prompt_id))["stopReason"] == "cancelled"

    run(scenario())


@both
def test_cancelling_where_nothing_runs_is_not_passed_on(client: int, agent: int) -> None:
    async def scenario() -> None:
        async with bridged(client, agent) as stage:
            _cancel(stage)
            stage.client.note("session/cancel", {"sessionId": "unknown"})
            await _is_usable(stage)
            methods = [message.get("method") for message in stage.agent.seen]
            assert "session/cancel" not in methods

    run(scenario())


@pytest.mark.parametrize("client", [1, 2])
def test_work_that_nobody_prompted_can_be_cancelled(client: int) -> None:
    async def scenario() -> None:
        async with bridged(client, 2) as stage:
            stage.update("state_update", state="running")
            await stage.sync()
            _cancel(stage)
            await stage.agent.request("session/cancel")
            stage.update("state_update", state="idle", stopReason="cancelled")
            await _is_usable(stage)

    run(scenario())


def test_a_prompt_that_waits_for_such_work_is_cancelled_with_it() -> None:
    async def scenario() -> None:
        async with bridged(1, 2) as stage:
            stage.update("state_update", state="running")
            await stage.sync()
            prompt_id = stage.prompt()
            await stage.client.error("no/such")
            _cancel(stage)
            await stage.agent.request("session/cancel")
            stage.update("state_update", state="idle", stopReason="cancelled")
            assert (await stage.ended(prompt_id))["stopReason"] == "cancelled"
            assert stage.agent.seen[-1]["method"] == "session/cancel"
            await _is_usable(stage)

    run(scenario())


@both
def test_any_other_request_is_cancelled_under_the_id_that_the_agent_knows(
    client: int, agent: int
) -> None:
    async def scenario() -> None:
        can = {"agentCapabilities": {"sessionCapabilities": {"list": {}}}} if agent == 1 else {}
        async with bridged(client, agent, answers=can) as stage:
            asked = stage.client.ask("session/list", {})
            request = await stage.agent.request("session/list")
            stage.client.note("$/cancel_request", {"requestId": 4711})
            stage.client.note("$/cancel_request", {"requestId": asked})
            note = await stage.agent.request("$/cancel_request")
            assert note["params"] == {"requestId": request["id"]}
            assert (await stage.client.answer(asked))["error"]["code"] == -32800

    run(scenario())
