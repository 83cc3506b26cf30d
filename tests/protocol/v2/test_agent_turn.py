"""Prompts, as a client of version 2 sees them on the wire."""

import asyncio
from typing import Any

import pytest

from parley.errors import AuthRequired, InternalError
from parley.protocol.settings import Settings
from parley.session.content import Text
from parley.session.event import (
    BackgroundWork,
    ChunkAdded,
    Failure,
    MessageChanged,
    StateChanged,
    ToolCallChanged,
    TurnUsage,
)
from parley.session.profile import AgentCapabilities
from parley.session.role import Ending, Prompt
from tests.protocol.v2.roles import ScriptedAgent, never
from tests.protocol.v2.wire import RawPeer, served, text, update_of

HELLO = {"sessionId": "s1", "prompt": [text("hi")]}


def shape(peer: RawPeer) -> list[Any]:
    """What was received, in short: answers by their member names, updates by their kind."""
    found: list[Any] = []
    for message in peer.seen:
        update = update_of(message)
        if update:
            found.append(update.get("state") or update["sessionUpdate"])
        elif "result" in message:
            found.append(sorted(message["result"]))
        elif "error" in message:
            found.append(message["error"]["code"])
        else:
            found.append(message["method"])
    return found


def test_a_turn_is_answer_then_message_then_running_then_updates_then_idle() -> None:
    """V2-PRM-02, V2-PRM-03, V2-PRM-04, V2-PRM-07, V2-PRM-08, V2-PRM-09"""

    async def scenario() -> None:
        async with served(ScriptedAgent()) as peer:
            await peer.open()
            peer.seen.clear()
            peer.ask("session/prompt", HELLO)
            idle = await peer.state("idle")
            assert shape(peer) == [
                ["messageId"],
                "user_message",
                "running",
                "agent_message_chunk",
                "idle",
            ]
            assert idle["stopReason"] == "end_turn"
            answer, message = peer.seen[0]["result"], update_of(peer.seen[1])
            assert message["messageId"] == answer["messageId"]
            assert message["content"] == [text("hi")]

    asyncio.run(scenario())


def test_the_answer_does_not_wait_for_the_work() -> None:
    """V2-PRM-02"""

    async def scenario() -> None:
        async with served(ScriptedAgent(never)) as peer:
            await peer.open()
            assert "messageId" in await peer.call("session/prompt", HELLO)
            peer.tell("session/cancel", {"sessionId": "s1"})
            assert (await peer.state("idle"))["stopReason"] == "cancelled"

    asyncio.run(scenario())


class KeepingAgent(ScriptedAgent):
    """Keeps prompts before the client is told of them, and can be full."""

    full = False

    async def insert(self, session_id: str, prompt: Prompt) -> None:
        if self.full:
            raise InternalError("Internal error: the disk is full")
        self.asked.append(("insert", session_id, prompt))


def test_an_agent_that_keeps_its_prompts_does_so_before_the_answer() -> None:
    async def scenario() -> None:
        agent = KeepingAgent()
        async with served(agent) as peer:
            await peer.open()
            peer.seen.clear()
            agent.full = True
            peer.ask("session/prompt", HELLO)
            await peer.until(lambda message: "error" in message)
            assert shape(peer) == [-32603]
            agent.full = False
            answer = await peer.call("session/prompt", HELLO)
            await peer.state("idle")
            inserted, prompted = agent.asked[-2:]
            assert inserted == ("insert", "s1", prompted[-1])
            assert prompted[-1].message_id == answer["messageId"]

    asyncio.run(scenario())


def test_the_application_gets_the_id_under_which_the_message_was_inserted() -> None:
    async def scenario() -> None:
        agent = ScriptedAgent()
        async with served(agent) as peer:
            await peer.open()
            answer = await peer.call("session/prompt", {**HELLO, "_meta": {"traceparent": "x"}})
            await peer.state("idle")
            _, _, prompt = agent.asked[-1]
            assert prompt == Prompt((Text("hi"),), answer["messageId"], {"traceparent": "x"})

    asyncio.run(scenario())


def test_an_application_that_echoes_the_message_itself_does_not_double_it() -> None:
    async def work(agent: ScriptedAgent, session_id: str, prompt: Prompt) -> Ending:
        assert prompt.message_id is not None
        echo = MessageChanged("user", prompt.message_id, prompt.content)
        agent.client.emit(session_id, echo)
        return Ending()

    async def scenario() -> None:
        async with served(ScriptedAgent(work)) as peer:
            await peer.open()
            peer.ask("session/prompt", HELLO)
            await peer.state("idle")
            assert shape(peer).count("user_message") == 1

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("prompt", "code"),
    [
        ([], -32602),  # V2-PRM-01
        ([{"type": "image", "data": "", "mimeType": "image/png"}], -32602),  # V2-PRM-22
        ([{"type": "audio", "data": "", "mimeType": "audio/wav"}], -32602),
        ([{"type": "resource", "resource": {"uri": "file:///x", "text": ""}}], -32602),
        ([{"type": "_hologram"}], -32602),
        ([{"type": "future"}], -32602),
        ([{"type": "text"}], -32602),  # DEC-07
        ("hi", -32602),  # DEC-04
    ],
)
def test_a_prompt_that_is_refused_leaves_no_trace(prompt: Any, code: int) -> None:
    """V2-PRM-05"""

    async def scenario() -> None:
        agent = ScriptedAgent()
        async with served(agent) as peer:
            await peer.open()
            assert (
                await peer.refused("session/prompt", {"sessionId": "s1", "prompt": prompt}) == code
            )
            assert await peer.settled() == []
            assert peer.updates() == []
            assert "prompt" not in agent.names()

    asyncio.run(scenario())


def test_content_that_was_advertised_is_accepted() -> None:
    async def scenario() -> None:
        can = AgentCapabilities(image=True, audio=True, embedded_context=True)
        blocks = [
            {"type": "image", "data": "", "mimeType": "image/png"},
            {"type": "audio", "data": "", "mimeType": "audio/wav"},
            {"type": "resource", "resource": {"uri": "file:///x", "text": ""}},
            {"type": "resource_link", "uri": "file:///x", "name": "x"},
        ]
        async with served(ScriptedAgent(capabilities=can)) as peer:
            await peer.open()
            assert "messageId" in await peer.call(
                "session/prompt", {"sessionId": "s1", "prompt": blocks}
            )

    asyncio.run(scenario())


def test_a_prompt_for_an_unknown_session_names_the_session() -> None:
    async def scenario() -> None:
        async with served(ScriptedAgent()) as peer:
            await peer.initialize()
            id = peer.ask("session/prompt", {"sessionId": "nope", "prompt": [text("hi")]})
            error = (await peer.answer(id))["error"]
            assert (error["code"], error["data"]) == (-32002, {"sessionId": "nope"})

    asyncio.run(scenario())


async def _raise_rpc(agent: ScriptedAgent, session_id: str, prompt: Prompt) -> Ending:
    raise AuthRequired("log in first", {"hint": "x"})


async def _raise_anything(agent: ScriptedAgent, session_id: str, prompt: Prompt) -> Ending:
    raise ValueError("a secret")


async def _end_with_error(agent: ScriptedAgent, session_id: str, prompt: Prompt) -> Ending:
    return Ending("error", failure=Failure(7, "out of tokens"))


async def _end_without_details(agent: ScriptedAgent, session_id: str, prompt: Prompt) -> Ending:
    return Ending("error")


@pytest.mark.parametrize(
    ("work", "error"),
    [
        (_raise_rpc, {"code": -32000, "message": "log in first", "data": {"hint": "x"}}),
        (_raise_anything, {"code": -32603, "message": "Internal error"}),
        (_end_with_error, {"code": 7, "message": "out of tokens"}),
        (_end_without_details, {"code": -32603, "message": "the agent gave no details"}),
    ],
)
def test_a_turn_that_fails_ends_idle_with_the_error(work: Any, error: dict[str, Any]) -> None:
    """V2-PRM-06, V2-PRM-24, RPC-29"""

    async def scenario() -> None:
        async with served(ScriptedAgent(work)) as peer:
            await peer.open()
            assert "messageId" in await peer.call("session/prompt", HELLO)
            idle = await peer.state("idle")
            assert (idle["stopReason"], idle["error"]) == ("error", error)
            # The session goes on.
            assert "messageId" in await peer.call("session/prompt", HELLO)

    asyncio.run(scenario())


@pytest.mark.parametrize(("unstable", "sent"), [(True, 3), (False, None)])
def test_usage_is_told_where_the_unstable_part_is_spoken(unstable: bool, sent: int | None) -> None:
    async def work(agent: ScriptedAgent, session_id: str, prompt: Prompt) -> Ending:
        return Ending("max_tokens", TurnUsage(3, 1, 2))

    async def scenario() -> None:
        settings = Settings(versions=(2,), unstable=unstable)
        async with served(ScriptedAgent(work), settings) as peer:
            await peer.open()
            peer.ask("session/prompt", HELLO)
            idle = await peer.state("idle")
            assert idle["stopReason"] == "max_tokens"
            assert idle.get("usage", {}).get("totalTokens") == sent

    asyncio.run(scenario())


def test_prompts_wait_for_their_turn_and_are_inserted_in_order() -> None:
    """V2-PRM-16"""

    async def scenario() -> None:
        gate = asyncio.Event()

        async def work(agent: ScriptedAgent, session_id: str, prompt: Prompt) -> Ending:
            await gate.wait()
            return Ending()

        agent = ScriptedAgent(work)
        async with served(agent) as peer:
            await peer.open()
            peer.seen.clear()
            first, second = peer.ask("session/prompt", HELLO), peer.ask("session/prompt", HELLO)
            await peer.state("running")
            assert await peer.settled() == []
            gate.set()
            await peer.state("idle")
            await peer.state("idle")
            answers = [message["id"] for message in peer.seen if "result" in message]
            assert answers == [first, second]
            turn = [["messageId"], "user_message", "running"]
            assert shape(peer) == [*turn, -32601, "idle", *turn, "idle"]

    asyncio.run(scenario())


def test_cancelling_ends_the_turn_and_withdraws_what_waits() -> None:
    """V2-CNC-01, V2-CNC-03, V2-CNC-07"""

    async def work(agent: ScriptedAgent, session_id: str, prompt: Prompt) -> Ending:
        agent.client.emit(session_id, ToolCallChanged("t1", title="x", status="in_progress"))
        agent.began.set()
        try:
            await asyncio.Event().wait()
        finally:
            agent.client.emit(session_id, ChunkAdded("agent", Text("late"), "a1"))
        raise AssertionError

    async def scenario() -> None:
        agent = ScriptedAgent(work)
        async with served(agent) as peer:
            await peer.open()
            peer.seen.clear()
            peer.ask("session/prompt", HELLO)
            waiting = peer.ask("session/prompt", HELLO)
            await peer.updated("tool_call_update")
            peer.tell("session/cancel", {"sessionId": "s1"})
            idle = await peer.state("idle")
            assert idle["stopReason"] == "cancelled"
            assert [u.get("status") for u in peer.updates() if "toolCallId" in u] == [
                "in_progress",
                "cancelled",
            ]
            assert shape(peer)[-3:] == ["agent_message_chunk", "tool_call_update", "idle"]
            assert (await peer.answer(waiting))["error"]["code"] == -32800
            # Later prompts are unaffected.
            agent.work = ScriptedAgent().work
            peer.ask("session/prompt", HELLO)
            assert (await peer.state("idle"))["stopReason"] == "end_turn"

    asyncio.run(scenario())


def test_an_abort_that_raises_still_ends_as_cancelled() -> None:
    """V2-CNC-02"""

    async def work(agent: ScriptedAgent, session_id: str, prompt: Prompt) -> Ending:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise ValueError("the tool broke") from None
        return Ending()

    async def scenario() -> None:
        async with served(ScriptedAgent(work)) as peer:
            await peer.open()
            peer.ask("session/prompt", HELLO)
            await peer.state("running")
            peer.tell("session/cancel", {"sessionId": "s1"})
            idle = await peer.state("idle")
            assert idle["stopReason"] == "cancelled"
            assert "error" not in idle

    asyncio.run(scenario())


def test_cancelling_without_work_or_without_a_session_is_quiet() -> None:
    """V2-CNC-10"""

    async def scenario() -> None:
        async with served(ScriptedAgent()) as peer:
            await peer.open()
            peer.tell("session/cancel", {"sessionId": "s1"})
            peer.tell("session/cancel", {"sessionId": "nope"})
            peer.tell("session/cancel", {"sessionId": 5})
            assert await peer.settled() == []

    asyncio.run(scenario())


def test_one_waiting_prompt_can_be_withdrawn_alone() -> None:
    async def scenario() -> None:
        agent = ScriptedAgent(never)
        async with served(agent) as peer:
            await peer.open()
            peer.ask("session/prompt", HELLO)
            waiting = peer.ask("session/prompt", HELLO)
            await peer.state("running")
            peer.tell("$/cancel_request", {"requestId": waiting})
            assert (await peer.answer(waiting))["error"]["code"] == -32800
            assert await peer.settled() == []  # The turn that runs goes on.

    asyncio.run(scenario())


def test_a_tool_call_that_is_left_open_gets_a_final_status() -> None:
    async def work(agent: ScriptedAgent, session_id: str, prompt: Prompt) -> Ending:
        agent.client.emit(session_id, ToolCallChanged("t1", title="x"))
        return Ending()

    async def scenario() -> None:
        async with served(ScriptedAgent(work)) as peer:
            await peer.open()
            peer.ask("session/prompt", HELLO)
            await peer.state("idle")
            assert [u.get("status") for u in peer.updates() if "toolCallId" in u] == [
                None,
                "failed",
            ]

    asyncio.run(scenario())


def test_background_work_survives_the_end_and_the_cancelling_of_a_turn() -> None:
    """V2-CNC-08, V2-BGW-01"""

    async def work(agent: ScriptedAgent, session_id: str, prompt: Prompt) -> Ending:
        agent.client.emit(session_id, ToolCallChanged("t1", title="x", status="in_progress"))
        jobs = (BackgroundWork("tool_call", "t1"),)
        agent.client.emit(session_id, StateChanged("running", background=jobs))
        agent.began.set()
        await asyncio.Event().wait()
        return Ending()

    async def scenario() -> None:
        async with served(ScriptedAgent(work)) as peer:
            await peer.open()
            peer.ask("session/prompt", HELLO)
            jobs = [{"type": "tool_call", "toolCallId": "t1"}]
            await peer.state("running")
            assert (await peer.state("running"))["background"] == jobs
            peer.tell("session/cancel", {"sessionId": "s1"})
            idle = await peer.state("idle")
            assert (idle["stopReason"], idle["background"]) == ("cancelled", jobs)
            assert [u["status"] for u in peer.updates() if "toolCallId" in u] == ["in_progress"]

    asyncio.run(scenario())


def test_while_a_turn_runs_the_application_cannot_end_it_by_a_state() -> None:
    async def work(agent: ScriptedAgent, session_id: str, prompt: Prompt) -> Ending:
        agent.client.emit(session_id, StateChanged("idle", "end_turn"))
        agent.client.emit(session_id, StateChanged("_pondering"))
        return Ending("refusal")

    async def scenario() -> None:
        async with served(ScriptedAgent(work)) as peer:
            await peer.open()
            peer.ask("session/prompt", HELLO)
            assert (await peer.state("idle"))["stopReason"] == "refusal"
            assert [u["state"] for u in peer.updates() if "state" in u] == ["running", "idle"]

    asyncio.run(scenario())


def test_outside_a_turn_the_application_reports_work_of_its_own() -> None:
    """V2-PRM-13, V2-PRM-14"""

    async def scenario() -> None:
        agent = ScriptedAgent()
        async with served(agent) as peer:
            await peer.open()
            agent.client.emit("s1", StateChanged("running"))
            await peer.state("running")
            agent.client.emit("s1", StateChanged("idle", "end_turn"))
            await peer.state("idle")
            agent.client.emit("s1", ChunkAdded("agent", Text("by the way"), "a9"))
            await peer.updated("agent_message_chunk")

    asyncio.run(scenario())


def test_the_end_of_the_connection_ends_the_turn() -> None:
    async def scenario() -> None:
        ended = asyncio.Event()

        async def work(agent: ScriptedAgent, session_id: str, prompt: Prompt) -> Ending:
            try:
                await asyncio.Event().wait()
            finally:
                agent.client.emit(session_id, ChunkAdded("agent", Text("nobody hears"), "a1"))
                ended.set()
            return Ending()

        async with served(ScriptedAgent(work)) as peer:
            await peer.open()
            peer.ask("session/prompt", HELLO)
            await peer.state("running")
        assert ended.is_set()

    asyncio.run(scenario())
