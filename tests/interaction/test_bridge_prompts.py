"""Turns through a bridge: when they begin, whose messages are whose, and how they end."""

import itertools
from typing import Any

import pytest

from tests.protocol.bridging import DIRECTIONS, TEXT, Stage, bridged, updates
from tests.sdk.stage import run

both = pytest.mark.parametrize(("client", "agent"), DIRECTIONS)
OTHER = [{"type": "text", "text": "from somebody else"}]


def _kinds(stage: Stage) -> list[str]:
    return [each["sessionUpdate"] for each in updates(stage)]


# The course of a turn.


def test_a_turn_of_version_1_ends_with_the_answer_behind_all_updates() -> None:
    async def scenario() -> None:
        async with bridged(1, 2) as stage:
            prompt_id = stage.prompt(_meta={"traceparent": "00-1"})
            request = await stage.prompted()
            assert request["params"] == {
                "sessionId": "s",
                "prompt": TEXT,
                "_meta": {"traceparent": "00-1"},
            }
            stage.say("one")
            stage.say("two")
            stage.finish(request, _meta={"b": 2})
            answer = await stage.ended(prompt_id)
            assert answer == {"stopReason": "end_turn", "_meta": {"b": 2}}
            assert _kinds(stage) == ["agent_message_chunk", "agent_message_chunk"]
            assert stage.client.seen[-1]["id"] == prompt_id
            assert stage.losses == []

    run(scenario())


def test_a_turn_of_version_2_has_an_answer_a_message_and_states() -> None:
    async def scenario() -> None:
        async with bridged(2, 1) as stage:
            prompt_id = stage.prompt(_meta={"traceparent": "00-1"})
            request = await stage.prompted()
            assert request["params"]["_meta"] == {"traceparent": "00-1"}
            stage.say("one")
            stage.finish(request)
            await stage.ended(prompt_id)
            answer, *told = [m for m in stage.client.seen if m.get("id") != 101][1:]
            message_id = answer["result"]["messageId"]
            assert [each["params"]["update"] for each in told] == [
                {"sessionUpdate": "user_message", "messageId": message_id, "content": TEXT},
                {"sessionUpdate": "state_update", "state": "running"},
                {
                    "sessionUpdate": "agent_message_chunk",
                    "messageId": "a",
                    "content": {"type": "text", "text": "one"},
                },
                {"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"},
            ]
            assert stage.losses == []

    run(scenario())


def _orders() -> list[tuple[str, ...]]:
    """Every order in which an agent may say that it works on a prompt, its end being last."""
    events = ("answer", "echo", "running")
    return [(*order, "idle") for order in itertools.permutations(events)]


@pytest.mark.parametrize("earlier", [False, True])
@pytest.mark.parametrize("order", _orders(), ids=" ".join)
def test_the_end_of_a_turn_is_found_in_every_order(order: tuple[str, ...], earlier: bool) -> None:
    async def scenario() -> None:
        async with bridged(1, 2) as stage:
            prompt_id = stage.prompt()
            request = await stage.agent.request("session/prompt")
            if earlier:  # The end of other work, just before the message was inserted.
                stage.update("state_update", state="idle", stopReason="max_tokens")
            for each in order:
                match each:
                    case "answer":
                        stage.agent.reply(request, {"messageId": "m"})
                    case "echo":
                        stage.update("user_message", messageId="m", content=TEXT)
                    case "running":
                        stage.update("state_update", state="running")
                    case _:
                        stage.say("done")
                        stage.finish(request)
            assert (await stage.ended(prompt_id))["stopReason"] == "end_turn"
            assert _kinds(stage) == ["agent_message_chunk"]

    run(scenario())


@pytest.mark.parametrize("generation", ["id", "nothing", "reason"])
def test_three_generations_of_agents_answer_prompts_in_their_ways(generation: str) -> None:
    async def scenario() -> None:
        async with bridged(1, 2) as stage:
            for _ in range(2):
                prompt_id = stage.prompt()
                request = await stage.agent.request("session/prompt")
                if generation == "reason":
                    stage.say("hello")
                    stage.agent.reply(request, {"stopReason": "max_tokens"})
                else:
                    message = {"messageId": f"m{request['id']}"}
                    stage.agent.reply(request, message if generation == "id" else {})
                    stage.update("user_message", content=TEXT, **message)
                    stage.update("state_update", state="running")
                    stage.say("hello")
                    stage.finish(request, "max_tokens")
                assert (await stage.ended(prompt_id))["stopReason"] == "max_tokens"
            assert _kinds(stage) == ["agent_message_chunk"] * 2

    run(scenario())


@both
def test_prompts_wait_for_their_turn_in_order(client: int, agent: int) -> None:
    async def scenario() -> None:
        async with bridged(client, agent) as stage:
            ids = [stage.prompt([{"type": "text", "text": str(n)}]) for n in range(3)]
            for n, prompt_id in enumerate(ids):
                request = await stage.prompted()
                assert request["params"]["prompt"][0]["text"] == str(n)
                await stage.client.error("no/such")
                assert stage.agent.seen[-1] is request
                stage.finish(request)
                await stage.ended(prompt_id)

    run(scenario())


@both
def test_blocks_that_the_agent_does_not_take_are_refused(client: int, agent: int) -> None:
    async def scenario() -> None:
        async with bridged(client, agent) as stage:
            for block in (
                {"type": "image", "data": "AAAA", "mimeType": "image/png"},
                {"type": "_hologram"},
            ):
                answer = await stage.client.answer(stage.prompt([block]))
                assert answer["error"]["code"] == -32602
            assert stage.agent.seen[-1]["method"] == "session/new"

    run(scenario())


def test_blocks_go_through_with_what_both_versions_can_say() -> None:
    blocks: list[dict[str, Any]] = [
        {"type": "text", "text": "a", "annotations": {"priority": 0.5, "audience": ["user"]}},
        {"type": "image", "data": "AAAA", "mimeType": "image/png", "uri": "file:///a.png"},
        {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
        {"type": "resource_link", "uri": "file:///a", "name": "a", "size": 3},
        {"type": "resource", "resource": {"uri": "file:///a", "text": "b"}, "_meta": {"a": 1}},
    ]

    async def scenario() -> None:
        for client, agent in DIRECTIONS:
            prompt = {"image": True, "audio": True, "embeddedContext": True}
            can = {"agentCapabilities": {"promptCapabilities": prompt}}
            if agent == 2:
                can = {"capabilities": {"session": {"prompt": {key: {} for key in prompt}}}}
            async with bridged(client, agent, answers=can) as stage:
                stage.prompt(blocks)
                request = await stage.prompted()
                assert request["params"]["prompt"] == blocks
                stage.finish(request)
                assert stage.losses == []

    run(scenario())


# Messages of the user.


def test_the_echo_is_swallowed_and_messages_of_others_are_told() -> None:
    async def scenario() -> None:
        async with bridged(1, 2) as stage:
            prompt_id = stage.prompt()
            request = await stage.agent.request("session/prompt")
            stage.update("user_message", messageId="x", content=OTHER)
            stage.agent.reply(request, {"messageId": "m"})
            stage.update("user_message", messageId="m", content=TEXT)
            stage.update("user_message", messageId="y", content=TEXT)
            stage.update("state_update", state="running")
            stage.finish(request)
            await stage.ended(prompt_id)
            told = [(each["messageId"], each["content"]["text"]) for each in updates(stage)]
            assert told == [("x", "from somebody else"), ("y", "go")]

    run(scenario())


def test_an_echo_in_pieces_is_swallowed() -> None:
    async def scenario() -> None:
        async with bridged(1, 2) as stage:
            prompt_id = stage.prompt([{"type": "text", "text": "go on\n"}])
            request = await stage.agent.request("session/prompt")
            for piece in ("go ", "on"):
                content = {"type": "text", "text": piece}
                stage.update("user_message_chunk", messageId="m", content=content)
            stage.agent.reply(request, {"messageId": "m"})
            stage.update("state_update", state="running")
            stage.finish(request)
            await stage.ended(prompt_id)
            assert _kinds(stage) == []

    run(scenario())


def test_an_agent_of_version_1_that_repeats_the_prompt_does_not_double_it() -> None:
    async def scenario() -> None:
        async with bridged(2, 1) as stage:
            prompt_id = stage.prompt()
            request = await stage.prompted()
            stage.update("user_message_chunk", content=TEXT[0])
            stage.update("user_message_chunk", content=OTHER[0])
            stage.finish(request)
            await stage.ended(prompt_id)
            assert [each["content"] for each in updates(stage, "user_message")] == [TEXT]
            chunks = updates(stage, "user_message_chunk")
            assert [each["content"] for each in chunks] == OTHER

    run(scenario())


# How turns end.

REASONS = ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"]


@both
@pytest.mark.parametrize("reason", REASONS)
def test_the_reasons_of_both_versions_stay_what_they_are(
    client: int, agent: int, reason: str
) -> None:
    async def scenario() -> None:
        async with bridged(client, agent) as stage:
            prompt_id = stage.prompt()
            stage.finish(await stage.prompted(), reason)
            assert (await stage.ended(prompt_id))["stopReason"] == reason
            assert stage.losses == []

    run(scenario())


def test_the_reason_error_is_an_error_in_version_1() -> None:
    async def scenario() -> None:
        async with bridged(1, 2) as stage:
            error = {"code": -32055, "message": "on fire", "data": {"model": "m"}}
            for given, seen in (
                ({"error": error}, error),
                ({}, {"code": -32603, "message": "the agent gave no details"}),
            ):
                prompt_id = stage.prompt()
                stage.finish(await stage.prompted(), "error", **given)
                assert (await stage.client.answer(prompt_id))["error"] == seen
            assert stage.losses == []

    run(scenario())


def test_an_error_after_the_insertion_is_the_reason_error_in_version_2() -> None:
    async def scenario() -> None:
        async with bridged(2, 1) as stage:
            prompt_id = stage.prompt()
            request = await stage.prompted()
            stage.say("so far")
            error = {"code": -32055, "message": "on fire", "data": {"model": "m"}}
            stage.agent.send({"id": request["id"], "error": error})
            idle = await stage.ended(prompt_id)
            assert (idle["stopReason"], idle["error"]) == ("error", error)

    run(scenario())


def test_a_prompt_that_an_agent_of_version_2_does_not_insert_is_an_error() -> None:
    async def scenario() -> None:
        async with bridged(1, 2) as stage:
            prompt_id = stage.prompt()
            stage.agent.refuse(await stage.agent.request("session/prompt"), -32000, "log in")
            error = (await stage.client.answer(prompt_id))["error"]
            assert error == {"code": -32000, "message": "log in"}
            prompt_id = stage.prompt()
            stage.finish(await stage.prompted())
            assert (await stage.ended(prompt_id))["stopReason"] == "end_turn"

    run(scenario())


def test_a_reason_that_version_1_does_not_know_is_marked_and_lost() -> None:
    async def scenario() -> None:
        async with bridged(1, 2) as stage:
            for reason, answer, loss in (
                (
                    "_bored",
                    {"stopReason": "end_turn", "_meta": {"acpBridge": {"stopReason": "_bored"}}},
                    "stop_reason",
                ),
                (None, {"stopReason": "end_turn"}, "idle.stop_reason"),
            ):
                stage.lost.clear()
                prompt_id = stage.prompt()
                stage.finish(await stage.prompted(), reason)
                assert await stage.ended(prompt_id) == answer
                assert stage.losses == [loss]

    run(scenario())


USAGE = {"totalTokens": 5, "inputTokens": 2, "outputTokens": 3}


@pytest.mark.parametrize("unstable", [False, True])
def test_the_tokens_of_a_turn_go_to_version_1(unstable: bool) -> None:
    async def scenario() -> None:
        async with bridged(1, 2, unstable=unstable) as stage:
            prompt_id = stage.prompt()
            stage.finish(await stage.prompted(), usage=USAGE)
            answer = await stage.ended(prompt_id)
            assert (answer if unstable else answer["_meta"])["usage"] == USAGE
            assert stage.losses == []

    run(scenario())


@pytest.mark.parametrize("unstable", [False, True])
def test_the_tokens_of_a_turn_go_to_version_2_with_the_switch(unstable: bool) -> None:
    async def scenario() -> None:
        async with bridged(2, 1, unstable=unstable) as stage:
            prompt_id = stage.prompt()
            stage.finish(await stage.prompted(), usage=USAGE)
            idle = await stage.ended(prompt_id)
            assert idle.get("usage") == (USAGE if unstable else None)
            assert stage.losses == ([] if unstable else ["state.usage"])

    run(scenario())


# What happens beside turns.


def test_work_that_nobody_prompted_is_told_without_its_state() -> None:
    async def scenario() -> None:
        async with bridged(1, 2) as stage:
            stage.update("state_update", state="running")
            stage.say("I had an idea")
            stage.update("state_update", state="idle", stopReason="end_turn")
            await stage.sync()
            assert _kinds(stage) == ["agent_message_chunk"]
            assert stage.losses == ["state.unprompted"]
            prompt_id = stage.prompt()
            stage.finish(await stage.prompted())
            await stage.ended(prompt_id)
            stage.say("and another one")
            await stage.sync()
            assert stage.losses == ["state.unprompted"] * 2

    run(scenario())


def test_background_work_is_lost_once_for_each_list() -> None:
    async def scenario() -> None:
        async with bridged(1, 2) as stage:
            background = [{"type": "tool_call", "toolCallId": "t"}]
            prompt_id = stage.prompt()
            request = await stage.prompted()
            stage.update("state_update", state="running", background=background)
            stage.finish(request, background=background)
            await stage.ended(prompt_id)
            assert stage.losses == ["state.background"]

    run(scenario())


def test_what_an_agent_of_version_1_says_after_its_answer_is_passed_on() -> None:
    async def scenario() -> None:
        async with bridged(2, 1) as stage:
            prompt_id = stage.prompt()
            stage.finish(await stage.prompted())
            await stage.ended(prompt_id)
            stage.say("by the way")
            await stage.sync()
            assert _kinds(stage)[-2:] == ["state_update", "agent_message_chunk"]
            assert stage.losses == []

    run(scenario())


def test_states_of_an_agent_of_version_2_reach_a_client_of_version_2() -> None:
    async def scenario() -> None:
        async with bridged(2, 2) as stage:
            background = [{"type": "tool_call", "toolCallId": "t"}]
            stage.update("state_update", state="running")
            stage.update("state_update", state="idle", background=background)
            await stage.sync()
            assert [each["state"] for each in updates(stage)] == ["running", "idle"]
            assert updates(stage)[-1]["background"] == background
            assert stage.losses == []

    run(scenario())
