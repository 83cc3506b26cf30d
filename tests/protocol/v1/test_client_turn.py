"""Prompts as a client of version 1 sees them, in front of an agent that writes JSON by hand."""

import asyncio
from typing import Any

import pytest

from parley.errors import ConnectionClosed, LocalProtocolError, RemoteProtocolError, TransportError
from parley.protocol.v1.client_side import ClientSide
from parley.session.content import Audio, Block, Image, Link, OtherBlock, Resource, Text
from parley.session.event import (
    ChunkAdded,
    Failure,
    MessageChanged,
    StateChanged,
    ToolCallChanged,
    TurnUsage,
)
from parley.session.role import Ending, Prompt
from tests.protocol.v1.roles import (
    TestClient,
    answering,
    both,
    client_on_wire,
    opened,
    run_client,
)
from tests.protocol.wire import RawPeer

HELLO = Prompt((Text("hello"),), "u1")


def _update(agent: RawPeer, **update: Any) -> None:
    agent.note("session/update", {"sessionId": "s1", "update": update})


def _chunk(agent: RawPeer, text: str, kind: str = "agent_message_chunk") -> None:
    _update(agent, sessionUpdate=kind, content={"type": "text", "text": text})


def test_an_application_sees_a_whole_turn_before_the_prompt_returns() -> None:
    client = TestClient()

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)

        async def answer() -> None:
            request = await agent.request("session/prompt")
            assert request["params"] == {
                "sessionId": "s1",
                "prompt": [{"type": "text", "text": "hello"}],
            }
            for index in range(1000):
                _chunk(agent, str(index))
            agent.reply(request, {"stopReason": "end_turn"})

        assert await both(side.prompt("s1", HELLO), answer()) == Ending()
        assert client.events[:2] == [
            MessageChanged("user", "u1", (Text("hello"),)),
            StateChanged("running"),
        ]
        chunks = [e.content for e in client.events if isinstance(e, ChunkAdded)]
        assert chunks == [Text(str(index)) for index in range(1000)]
        assert client.events[-1] == StateChanged("idle", "end_turn")

    run_client(scenario, client)


@pytest.mark.parametrize(
    ("answer", "usage"),
    [
        (
            {"usage": {"totalTokens": 3, "inputTokens": 1, "outputTokens": 2}},
            TurnUsage(3, 1, 2),
        ),
        ({"_meta": {"usage": {"input_tokens": 1, "output_tokens": 2}}}, TurnUsage(3, 1, 2)),
        ({}, None),
    ],
)
def test_the_tokens_of_a_turn_are_read_where_they_are(answer: Any, usage: Any) -> None:
    client = TestClient()

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)
        reply = {"stopReason": "max_tokens", **answer}
        ending = await both(
            side.prompt("s1", Prompt((Text("x"),))), answering(agent, "session/prompt", reply)
        )
        assert (ending.stop_reason, ending.usage) == ("max_tokens", usage)
        assert client.events[-1] == StateChanged("idle", "max_tokens", usage=usage)

    run_client(scenario, client)


def test_an_error_ends_the_turn_and_can_be_told_apart_v1_auth_13() -> None:
    client = TestClient()

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)

        async def refuse() -> None:
            agent.refuse(await agent.request("session/prompt"), -32000, "log in")

        ending = await both(side.prompt("s1", HELLO), refuse())
        failure = Failure(-32000, "log in")
        assert ending == Ending("error", failure=failure)
        assert client.events[-1] == StateChanged("idle", "error", failure)

    run_client(scenario, client)


def test_an_answer_of_the_wrong_shape_is_the_fault_of_the_agent() -> None:
    client = TestClient()

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)
        with pytest.raises(RemoteProtocolError):
            await both(side.prompt("s1", HELLO), answering(agent, "session/prompt", {}))
        last = client.events[-1]
        assert isinstance(last, StateChanged)
        assert (last.state, last.stop_reason) == ("idle", "error")

    run_client(scenario, client)


def test_a_connection_that_ends_ends_the_turn() -> None:
    client = TestClient()

    async def main() -> None:
        async with client_on_wire(client) as (side, agent):
            await opened(side, agent)

            async def leave() -> None:
                await agent.request("session/prompt")
                await agent.close()

            with pytest.raises(TransportError):
                await both(side.prompt("s1", HELLO), leave())
            with pytest.raises(ConnectionClosed):
                await side.prompt("s1", HELLO)
        assert isinstance(client.events[-1], StateChanged)
        assert client.events[-1].state == "idle"

    asyncio.run(main())


def test_a_session_can_be_prompted_again_v1_prm_13() -> None:
    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)
        for _ in range(2):
            answer = answering(agent, "session/prompt", {"stopReason": "end_turn"})
            assert await both(side.prompt("s1", HELLO), answer) == Ending()

    run_client(scenario)


def test_a_prompt_behind_another_keeps_the_session_running() -> None:
    client = TestClient()

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)
        async with asyncio.TaskGroup() as group:
            one = group.create_task(side.prompt("s1", HELLO))
            first = await agent.request("session/prompt")
            two = group.create_task(side.prompt("s1", HELLO))
            second = await agent.request("session/prompt")
            agent.reply(first, {"stopReason": "end_turn"})
            await one
            agent.reply(second, {"stopReason": "refusal"})
        assert two.result() == Ending("refusal")
        states = [(e.state, e.stop_reason) for e in client.events if isinstance(e, StateChanged)]
        assert states == [
            ("running", None),
            ("running", None),
            ("idle", "end_turn"),
            ("running", None),
            ("idle", "refusal"),
        ]

    run_client(scenario, client)


# Cancelling.


def test_cancelling_marks_open_calls_and_answers_questions_v1_cnc_02_03() -> None:
    client = TestClient()
    client.hold.clear()

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)
        async with asyncio.TaskGroup() as group:
            prompting = group.create_task(side.prompt("s1", HELLO))
            request = await agent.request("session/prompt")
            _update(agent, sessionUpdate="tool_call", toolCallId="t1", title="Run")
            done = {"toolCallId": "t2", "title": "Read", "status": "completed"}
            _update(agent, sessionUpdate="tool_call", **done)
            permission = {
                "sessionId": "s1",
                "toolCall": {"toolCallId": "t1"},
                "options": [{"optionId": "y", "name": "Yes", "kind": "allow_once"}],
            }
            asked = [agent.ask("session/request_permission", permission) for _ in range(2)]
            await client.asked.wait()
            await side.cancel("s1")
            assert (await agent.request("session/cancel"))["params"] == {"sessionId": "s1"}
            # One that crossed the cancel on its way is not shown to anybody.
            asked.append(agent.ask("session/request_permission", permission))
            for id_ in asked:
                result = (await agent.answer(id_))["result"]
                assert result == {"outcome": {"outcome": "cancelled"}}
            assert ToolCallChanged("t1", status="cancelled") in client.events
            assert ToolCallChanged("t2", status="cancelled") not in client.events
            late = {"toolCallId": "t1", "status": "in_progress"}
            _update(agent, sessionUpdate="tool_call_update", **late)  # V1-CNC-07
            agent.reply(request, {"stopReason": "cancelled"})
        assert prompting.result() == Ending("cancelled")
        assert client.events[-2:] == [
            ToolCallChanged("t1", status="cancelled"),
            StateChanged("idle", "cancelled"),
        ]
        assert len(client.questions) <= 2

    run_client(scenario, client)


def test_an_agent_that_fails_when_it_is_cancelled_was_cancelled() -> None:
    client = TestClient()

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)
        async with asyncio.TaskGroup() as group:
            prompting = group.create_task(side.prompt("s1", HELLO))
            request = await agent.request("session/prompt")
            await side.cancel("s1")
            await agent.request("session/cancel")
            agent.refuse(request)
        assert prompting.result() == Ending("cancelled")

    run_client(scenario, client)


def test_cancelling_the_task_cancels_the_turn() -> None:
    client = TestClient()
    client.hold.clear()

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)
        async with asyncio.TaskGroup() as group:
            prompting = group.create_task(side.prompt("s1", HELLO))
            await agent.request("session/prompt")
            permission = {
                "sessionId": "s1",
                "toolCall": {"toolCallId": "t1", "title": "Run"},
                "options": [{"optionId": "y", "name": "Yes", "kind": "allow_once"}],
            }
            id_ = agent.ask("session/request_permission", permission)
            await client.asked.wait()
            prompting.cancel()
            await agent.request("session/cancel")
            assert (await agent.answer(id_))["result"] == {"outcome": {"outcome": "cancelled"}}
        assert prompting.cancelled()
        assert client.events[-1] == StateChanged("idle", "cancelled")
        assert ToolCallChanged("t1", status="cancelled") in client.events

    run_client(scenario, client)


def test_cancelling_an_idle_session_is_sent_and_does_no_harm() -> None:
    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)
        await side.cancel("s1")
        await side.cancel("never-heard-of")
        answer = answering(agent, "session/prompt", {"stopReason": "end_turn"})
        assert await both(side.prompt("s1", HELLO), answer) == Ending()

    run_client(scenario)


# What may be sent.

CHECKED: list[tuple[str, Block]] = [
    ("image", Image("AA==", "image/png")),
    ("audio", Audio("AA==", "audio/wav")),
    ("embeddedContext", Resource("file:///a", text="x")),
]


@pytest.mark.parametrize(("capability", "block"), CHECKED)
def test_a_block_is_sent_if_the_agent_takes_it_v1_prm_02(capability: str, block: Block) -> None:
    async def without(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)
        with pytest.raises(LocalProtocolError):
            await side.prompt("s1", Prompt((block,)))
        assert [m["method"] for m in agent.seen] == ["initialize", "session/new"]

    run_client(without, answer={"protocolVersion": 1})

    async def with_it(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)
        answer = answering(agent, "session/prompt", {"stopReason": "end_turn"})
        prompt = Prompt((block, Link("file:///a", "a"), Text("x")))
        assert await both(side.prompt("s1", prompt), answer) == Ending()

    can = {"agentCapabilities": {"promptCapabilities": {capability: True}}}
    run_client(with_it, answer={"protocolVersion": 1, **can})


def test_a_block_nobody_knows_and_a_session_nobody_opened_are_refused_v1_prm_01() -> None:
    client = TestClient()

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        with pytest.raises(LocalProtocolError):
            await side.prompt("s1", HELLO)
        await opened(side, agent)
        with pytest.raises(LocalProtocolError):
            await side.prompt("s1", Prompt((OtherBlock("_x", {}),)))
        assert client.events == []

    run_client(scenario, client)


def test_an_agent_that_repeats_the_prompt_is_not_heard_twice() -> None:
    client = TestClient()

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)

        async def answer() -> None:
            request = await agent.request("session/prompt")
            for text in ("hel", "lo", "also this"):
                _chunk(agent, text, "user_message_chunk")
            agent.reply(request, {"stopReason": "end_turn"})

        await both(side.prompt("s1", HELLO), answer())
        chunks = [e for e in client.events if isinstance(e, ChunkAdded)]
        assert chunks == [ChunkAdded("user", Text("also this"))]

    run_client(scenario, client)
