"""Prompts of a client: accepted, attributed, cancelled, over."""

import asyncio
from typing import Any

import pytest

from parley.errors import InvalidParams, RequestCancelled, TransportError
from parley.protocol.settings import Loss, Settings
from parley.session.content import Annotations, Text
from parley.session.event import (
    ChunkAdded,
    Failure,
    MessageChanged,
    StateChanged,
    ToolCallChanged,
)
from parley.session.question import Dismissed, PermissionAnswer, PermissionQuestion
from parley.session.role import Ending, Prompt
from tests.protocol.v2.roles import ScriptedClient
from tests.protocol.v2.wire import Json, RawPeer, driven, opened, text

HELLO = Prompt((Text("hi"),))
ECHO = {"sessionUpdate": "user_message", "messageId": "m1", "content": [text("hi")]}


def state(name: str, **members: Any) -> Json:
    return {"sessionUpdate": "state_update", "state": name, **members}


def chunk(words: str, message_id: str = "a1") -> Json:
    return {"sessionUpdate": "agent_message_chunk", "messageId": message_id, "content": text(words)}


REFUSED = state("idle", stopReason="refusal")


async def turn(client: ScriptedClient, *play: Json | str, **settings: Any) -> Ending:
    """A prompt, and what the agent sends for it: updates, and `answer` as {messageId}."""
    options = Settings(versions=(2,), **settings)
    async with driven(client, options) as (agent, peer), asyncio.TaskGroup() as group:
        await opened(agent, peer)
        prompting = group.create_task(agent.prompt("s1", HELLO))
        request = await peer.requested("session/prompt")
        assert request["params"] == {"sessionId": "s1", "prompt": [text("hi")]}
        for step in play:
            if step == "answer":
                peer.reply(request, {"messageId": "m1"})
            elif isinstance(step, dict):
                peer.update(step)
        return await prompting


@pytest.mark.parametrize(
    "play",
    [
        ("answer", ECHO, state("running"), chunk("x"), state("idle", stopReason="refusal")),
        (ECHO, "answer", state("running"), chunk("x"), state("idle", stopReason="refusal")),
        (state("running"), ECHO, chunk("x"), state("idle", stopReason="refusal"), "answer"),
        (
            state("idle"),
            "answer",
            state("idle"),
            ECHO,
            chunk("x"),
            state("idle", stopReason="refusal"),
        ),
    ],
)
def test_a_turn_ends_when_the_agent_rests_and_after_its_updates(play: tuple[Any, ...]) -> None:
    """V2-PRM-04, V2-PRM-10, RPC-27"""
    client = ScriptedClient()
    assert asyncio.run(turn(client, *play)) == Ending("refusal")
    assert client.of(ChunkAdded) == [ChunkAdded("agent", Text("x"), "a1")]
    assert client.of(MessageChanged) == [MessageChanged("user", "m1", (Text("hi"),))]
    assert client.of(StateChanged)[-1] == StateChanged("idle", "refusal")


@pytest.mark.parametrize(
    ("members", "ending"),
    [
        ({"stopReason": "end_turn"}, Ending("end_turn")),
        ({"stopReason": "_later"}, Ending("_later")),  # V2-PRM-23
        ({"stopReason": "future"}, Ending("future")),
        ({}, Ending("end_turn")),
        ({"stopReason": None}, Ending("end_turn")),
        ({"stopReason": 5}, Ending("end_turn")),  # V2-PRM-11
        (
            {"stopReason": "error", "error": {"code": 7, "message": "no", "data": [1]}},
            Ending("error", failure=Failure(7, "no", [1])),
        ),
        (
            {"stopReason": "error"},
            Ending("error", failure=Failure(-32603, "the agent gave no details")),
        ),
        ({"stopReason": "refusal", "error": {"code": 7, "message": "no"}}, Ending("refusal")),
        ({"stopReason": "end_turn", "_meta": {"a": 1}}, Ending("end_turn", meta={"a": 1})),
    ],
)
def test_the_ending_says_why(members: Json, ending: Ending) -> None:
    losses: list[Loss] = []
    play = ("answer", ECHO, state("running"), state("idle", **members))
    assert asyncio.run(turn(ScriptedClient(), *play, on_loss=losses.append)) == ending
    reported = isinstance(members.get("stopReason"), str)
    assert [loss.what for loss in losses] == ([] if reported else ["idle.stop_reason"])


def test_a_state_nobody_knows_is_not_the_end() -> None:
    """V2-PRM-20"""
    client = ScriptedClient()
    play = ("answer", ECHO, state("_paused"), state("future"), state("idle", stopReason="end_turn"))
    asyncio.run(turn(client, *play))
    assert [event.state for event in client.of(StateChanged)] == ["_paused", "future", "idle"]


def test_an_older_answer_without_an_id_takes_the_first_new_message() -> None:
    """SEE-06: the draft of August"""

    async def scenario() -> None:
        client = ScriptedClient()
        async with driven(client) as (agent, peer), asyncio.TaskGroup() as group:
            await opened(agent, peer)
            peer.update({**ECHO, "messageId": "m0"})
            await peer.settled()
            prompting = group.create_task(agent.prompt("s1", HELLO))
            peer.reply(await peer.requested("session/prompt"), {})
            peer.update({**ECHO, "messageId": "m0"})  # Known before, so it is not the echo.
            peer.update(ECHO)
            peer.update(state("running"))
            peer.update(state("idle", stopReason="max_tokens"))
            assert await prompting == Ending("max_tokens")
            assert agent.endpoint.dialects == {"v2-2026-08": 1}

    asyncio.run(scenario())


def test_an_older_answer_with_a_stop_reason_is_the_end() -> None:
    """SEE-06: the draft of June"""

    async def scenario() -> None:
        client = ScriptedClient()
        async with driven(client) as (agent, peer):
            await opened(agent, peer)
            for _ in range(2):
                ending, _ = await asyncio.gather(
                    agent.prompt("s1", HELLO),
                    peer.serve("session/prompt", {"stopReason": "end_turn"}),
                )
                assert ending == Ending("end_turn")
            assert agent.endpoint.dialects == {"v2-2026-06": 2}
            # From the second prompt on the client tells the application what the agent does not.
            assert client.events == [
                ("s1", StateChanged("idle", "end_turn")),
                ("s1", MessageChanged("user", "prompt-1", (Text("hi"),))),
                ("s1", StateChanged("running")),
                ("s1", StateChanged("idle", "end_turn")),
            ]

    asyncio.run(scenario())


@pytest.mark.parametrize("result", [None, [], 5, "x", {"messageId": 5}])
def test_an_answer_of_no_known_shape_is_an_acceptance(result: Any) -> None:
    async def scenario() -> None:
        async with driven(ScriptedClient()) as (agent, peer), asyncio.TaskGroup() as group:
            await opened(agent, peer)
            prompting = group.create_task(agent.prompt("s1", HELLO))
            peer.reply(await peer.requested("session/prompt"), result)
            peer.update(ECHO)
            peer.update(state("idle", stopReason="end_turn"))
            assert await prompting == Ending("end_turn")

    asyncio.run(scenario())


def test_an_error_means_that_the_prompt_was_not_inserted() -> None:
    """V2-PRM-05"""

    async def scenario() -> None:
        async def refuse(peer: RawPeer, code: int) -> None:
            peer.fail(await peer.requested("session/prompt"), code)

        async def raising(error: type[Exception]) -> None:
            with pytest.raises(error):
                await agent.prompt("s1", HELLO)

        client = ScriptedClient()
        async with driven(client) as (agent, peer):
            await opened(agent, peer)
            await asyncio.gather(raising(InvalidParams), refuse(peer, -32602))
            await asyncio.gather(raising(RequestCancelled), refuse(peer, -32800))
            assert client.events == []

    asyncio.run(scenario())


def test_what_a_prompt_cannot_say_is_told() -> None:
    async def scenario() -> None:
        losses: list[Loss] = []
        settings = Settings(versions=(2,), on_loss=losses.append)
        content = (Text("hi", Annotations(priority=2.0)),)
        async with driven(ScriptedClient(), settings) as (agent, peer):
            await opened(agent, peer)
            _, params = await asyncio.gather(
                agent.prompt("s1", Prompt(content)),
                peer.serve("session/prompt", {"stopReason": "end_turn"}),
            )
            assert params["prompt"] == [{"type": "text", "text": "hi", "annotations": {}}]
            assert [(loss.what, loss.session_id) for loss in losses] == [
                ("annotations.priority", "s1")
            ]

    asyncio.run(scenario())


def test_two_prompts_may_end_with_one_rest() -> None:
    """V2-PRM-16"""

    async def scenario() -> None:
        async with driven(ScriptedClient()) as (agent, peer), asyncio.TaskGroup() as group:
            await opened(agent, peer)
            first = group.create_task(agent.prompt("s1", HELLO))
            one = await peer.requested("session/prompt")
            peer.reply(one, {"messageId": "m1"})
            peer.update(ECHO)
            peer.update(state("running"))
            second = group.create_task(agent.prompt("s1", HELLO))
            two = await peer.requested("session/prompt")
            peer.reply(two, {"messageId": "m2"})
            peer.update({**ECHO, "messageId": "m2"})
            peer.update(state("idle", stopReason="end_turn"))
            assert await first == await second == Ending("end_turn")

    asyncio.run(scenario())


def test_cancelling_ends_the_turn_with_the_next_rest() -> None:
    """V2-CNC-09"""

    async def scenario() -> None:
        client = ScriptedClient()
        async with driven(client) as (agent, peer), asyncio.TaskGroup() as group:
            await opened(agent, peer)
            prompting = group.create_task(agent.prompt("s1", HELLO))
            peer.reply(await peer.requested("session/prompt"), {"messageId": "m1"})
            jobs = [{"type": "tool_call", "toolCallId": "b1"}]
            peer.update(ECHO)
            peer.update(state("running", background=jobs))
            for id, status in (("t1", "in_progress"), ("t2", "completed"), ("b1", "in_progress")):
                peer.update(
                    {"sessionUpdate": "tool_call_update", "toolCallId": id, "status": status}
                )
            # What is said of a tool call that is over does not begin it anew.
            peer.update({"sessionUpdate": "tool_call_update", "toolCallId": "t2", "title": "late"})
            for id in ("t2", "t3"):
                item = {"type": "content", "content": text("x")}
                chunk = {"sessionUpdate": "tool_call_content_chunk", "content": item}
                peer.update({**chunk, "toolCallId": id})
            await peer.settled()
            client.events.clear()
            await agent.cancel("s1")
            assert (await peer.settled())[0]["params"] == {"sessionId": "s1"}
            # Shown as cancelled at once, unless it is background work.
            assert client.events == [
                ("s1", ToolCallChanged(id, status="cancelled")) for id in ("t1", "t3")
            ]
            peer.update(state("idle"))
            assert await prompting == Ending("cancelled")

    asyncio.run(scenario())


def test_cancelling_an_idle_session_waits_for_nothing() -> None:
    """V2-CNC-10"""

    async def scenario() -> None:
        client = ScriptedClient()
        async with driven(client) as (agent, peer):
            await opened(agent, peer)
            peer.update({"sessionUpdate": "tool_call_update", "toolCallId": "t1"})
            await peer.settled()
            client.events.clear()
            await agent.cancel("s1")
            assert len(await peer.settled()) == 1
            assert client.events == []

    asyncio.run(scenario())


def test_a_prompt_that_is_withdrawn_by_cancelling_ends_as_cancelled() -> None:
    async def scenario() -> None:
        async with driven(ScriptedClient()) as (agent, peer), asyncio.TaskGroup() as group:
            await opened(agent, peer)
            prompting = group.create_task(agent.prompt("s1", HELLO))
            request = await peer.requested("session/prompt")
            await agent.cancel("s1")
            await peer.settled()
            peer.fail(request, -32800)
            assert await prompting == Ending("cancelled")

    asyncio.run(scenario())


def test_cancelling_the_waiting_task_cancels_the_turn_and_its_questions() -> None:
    """V2-CNC-06"""

    async def scenario() -> None:
        client = ScriptedClient()
        dismissed: list[PermissionAnswer] = []

        async def answer(question: PermissionQuestion) -> PermissionAnswer:
            try:
                await asyncio.Event().wait()
            finally:
                dismissed.append(Dismissed())
            raise AssertionError

        client.answer = answer
        async with driven(client) as (agent, peer), asyncio.TaskGroup() as group:
            await opened(agent, peer)
            prompting = group.create_task(agent.prompt("s1", HELLO))
            request = await peer.requested("session/prompt")
            peer.reply(request, {"messageId": "m1"})
            peer.update(ECHO)
            peer.update(state("running"))
            options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
            params = {"sessionId": "s1", "title": "?", "options": options}
            question = peer.ask("session/request_permission", params)
            await client.asked.wait()
            prompting.cancel()
            await peer.until(lambda m: m.get("method") == "session/cancel")
            outcome = (await peer.answer(question))["result"]["outcome"]
            assert outcome == {"outcome": "cancelled"}
            assert dismissed == [Dismissed()]
            await asyncio.wait([prompting])
            assert prompting.cancelled()

    asyncio.run(scenario())


def test_a_waiting_prompt_that_is_given_up_leaves_the_running_one_alone() -> None:
    async def scenario() -> None:
        async with driven(ScriptedClient()) as (agent, peer), asyncio.TaskGroup() as group:
            await opened(agent, peer)
            first = group.create_task(agent.prompt("s1", HELLO))
            peer.reply(await peer.requested("session/prompt"), {"messageId": "m1"})
            second = group.create_task(agent.prompt("s1", HELLO))
            waiting = await peer.requested("session/prompt")
            second.cancel()
            sent = await peer.settled()
            assert [(m["method"], m["params"]) for m in sent] == [
                ("$/cancel_request", {"requestId": waiting["id"]})
            ]
            peer.update(ECHO)
            peer.update(state("idle", stopReason="end_turn"))
            assert await first == Ending("end_turn")

    asyncio.run(scenario())


def test_closing_the_session_ends_what_the_agent_left_open() -> None:
    async def scenario() -> None:
        async with driven(ScriptedClient()) as (agent, peer), asyncio.TaskGroup() as group:
            await opened(agent, peer)
            prompting = group.create_task(agent.prompt("s1", HELLO))
            peer.reply(await peer.requested("session/prompt"), {"messageId": "m1"})
            await peer.settled()
            await asyncio.gather(agent.close_session("s1"), peer.serve("session/close", {}))
            assert await prompting == Ending("cancelled")

    asyncio.run(scenario())


def test_the_end_of_the_connection_ends_the_wait() -> None:
    """RPC-26"""

    async def scenario() -> None:
        async with driven(ScriptedClient()) as (agent, peer), asyncio.TaskGroup() as group:
            await opened(agent, peer)

            async def prompting() -> None:
                with pytest.raises(TransportError):
                    await agent.prompt("s1", HELLO)

            group.create_task(prompting())
            peer.reply(await peer.requested("session/prompt"), {"messageId": "m1"})
            await peer.settled()
            await peer.transport.aclose()

    asyncio.run(scenario())
