"""What an agent asks of a client, and what counts as a yes."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from parley.errors import LocalProtocolError, RpcError
from parley.protocol.settings import Loss, Settings
from parley.session.content import Text
from parley.session.event import BackgroundWork, ChunkAdded, StateChanged, ToolCallChanged
from parley.session.question import (
    CommandSubject,
    Dismissed,
    PermissionOption,
    PermissionQuestion,
    Subject,
    ToolCallSubject,
    decide,
)
from parley.session.role import Ending, Prompt
from tests.protocol.v2.roles import ScriptedAgent
from tests.protocol.v2.wire import Json, RawPeer, served, text

HELLO = {"sessionId": "s1", "prompt": [text("hi")]}
OPTIONS = (
    PermissionOption("yes", "Yes", "allow_once"),
    PermissionOption("ever", "Always", "allow_always"),
    PermissionOption("no", "No", "reject_once"),
    PermissionOption("odd", "Odd", "_odd"),
)
TOOL = ToolCallChanged("t1", title="rm", status="pending")
QUESTION = PermissionQuestion("May I?", OPTIONS, ToolCallSubject(TOOL))


def asking(question: PermissionQuestion) -> ScriptedAgent:
    """An agent that asks in its turn and keeps the answer."""

    async def work(agent: ScriptedAgent, session_id: str, prompt: Prompt) -> Ending:
        agent.asked.append(("answer", await agent.client.ask(session_id, question)))
        return Ending()

    return ScriptedAgent(work)


async def during_a_question(agent: ScriptedAgent, then: Callable[[RawPeer, Json], None]) -> None:
    """Prompt, wait for the question, do something, wait for the end."""
    async with served(agent) as peer:
        await peer.open()
        peer.ask("session/prompt", HELLO)
        request = await peer.requested("session/request_permission")
        then(peer, request)
        await peer.state("idle")
        agent.asked.append(("states", [u["state"] for u in peer.updates() if "state" in u]))


def answer_of(agent: ScriptedAgent) -> Any:
    return next(entry[1] for entry in agent.asked if entry[0] == "answer")


def states_of(agent: ScriptedAgent) -> Any:
    return next(entry[1] for entry in agent.asked if entry[0] == "states")


def selected(option_id: Any) -> Json:
    return {"outcome": {"outcome": "selected", "optionId": option_id}}


def test_an_offered_option_that_allows_is_a_yes() -> None:
    agent = asking(QUESTION)
    asyncio.run(during_a_question(agent, lambda p, r: p.reply(r, selected("ever"))))
    decision = decide(OPTIONS, answer_of(agent))
    assert (decision.allowed, decision.always) == (True, True)


NOT_A_YES: list[Any] = [
    selected("no"),
    selected("odd"),
    selected("nope"),
    selected("Yes"),
    selected(""),
    selected(None),
    selected(5),
    selected(["yes"]),
    selected({"id": "yes"}),
    {"outcome": {"outcome": "cancelled"}},
    {"outcome": {"outcome": "cancelled", "optionId": "yes"}},
    {"outcome": {"outcome": "_approved", "optionId": "yes"}},
    {"outcome": {"outcome": "allowed", "optionId": "yes"}},
    {"outcome": {"outcome": "allow_once", "optionId": "yes"}},
    {"outcome": {"outcome": "Selected", "optionId": "yes"}},
    {"outcome": {"outcome": "selected"}},
    {"outcome": {"outcome": "selected", "option_id": "yes"}},
    {"outcome": {"outcome": True, "optionId": "yes"}},
    {"outcome": {"optionId": "yes"}},
    {"outcome": {}},
    {"outcome": "selected", "optionId": "yes"},
    {"outcome": "allowed", "option_id": "yes"},
    {"outcome": "yes"},
    {"outcome": ["selected", "yes"]},
    {"outcome": None},
    {"outcome": True},
    {"optionId": "yes"},
    {"selected": "yes"},
    {"approved": True},
    {},
    [],
    "yes",
    True,
    1,
    None,
]


@pytest.mark.parametrize("result", NOT_A_YES)
def test_every_other_answer_is_a_no(result: Any) -> None:
    """V2-PER-07, V2-PER-08, V2-PER-09"""
    agent = asking(QUESTION)
    asyncio.run(during_a_question(agent, lambda p, r: p.reply(r, result)))
    assert not decide(OPTIONS, answer_of(agent)).allowed


@pytest.mark.parametrize("code", [-32603, -32601, -32800, -32000, 1])
def test_an_error_is_a_no(code: int) -> None:
    agent = asking(QUESTION)
    asyncio.run(during_a_question(agent, lambda p, r: p.fail(r, code, "yes", {"optionId": "yes"})))
    assert answer_of(agent) == Dismissed()


def test_a_person_who_takes_too_long_has_not_allowed_anything() -> None:
    async def scenario() -> None:
        agent = asking(QUESTION)
        settings = Settings(versions=(2,), question_deadline=0.01)
        async with served(agent, settings) as peer:
            await peer.open()
            peer.ask("session/prompt", HELLO)
            request = await peer.requested("session/request_permission")
            await peer.state("idle")
            assert answer_of(agent) == Dismissed()
            cancelled = {"requestId": request["id"]}
            assert [m["params"] for m in peer.seen if m.get("method") == "$/cancel_request"] == [
                cancelled
            ]
            # V2-PRM-25: an answer that comes later changes nothing.
            peer.reply(request, selected("yes"))
            assert await peer.settled() == []

    asyncio.run(scenario())


def test_cancelling_the_turn_cancels_the_question_at_the_client() -> None:
    """V2-CNC-04, V2-CNC-05"""

    async def scenario() -> None:
        agent = asking(QUESTION)
        async with served(agent) as peer:
            await peer.open()
            peer.ask("session/prompt", HELLO)
            request = await peer.requested("session/request_permission")
            peer.tell("session/cancel", {"sessionId": "s1"})
            idle = await peer.state("idle")
            assert idle["stopReason"] == "cancelled"
            notes = [m["params"] for m in peer.seen if m.get("method") == "$/cancel_request"]
            assert notes == [{"requestId": request["id"]}]
            states = [u["state"] for u in peer.updates() if "state" in u]
            assert states == ["running", "requires_action", "idle"]  # V2-PRM-18
            assert [u["status"] for u in peer.updates() if "toolCallId" in u] == ["cancelled"]

    asyncio.run(scenario())


def test_the_session_requires_action_while_only_the_person_can_go_on() -> None:
    """V2-PRM-17, V2-PRM-18, V2-PER-11"""
    agent = asking(QUESTION)
    asyncio.run(during_a_question(agent, lambda p, r: p.reply(r, selected("yes"))))
    assert states_of(agent) == ["running", "requires_action", "running", "idle"]


def test_other_work_in_progress_keeps_the_session_running() -> None:
    """V2-PRM-19"""

    async def scenario() -> None:
        enough = asyncio.Event()

        async def work(agent: ScriptedAgent, session_id: str, prompt: Prompt) -> Ending:
            emit = agent.client.emit
            emit(session_id, ToolCallChanged("t2", title="other", status="in_progress"))
            async with asyncio.TaskGroup() as group:
                group.create_task(agent.client.ask(session_id, QUESTION))
                await enough.wait()
                emit(session_id, ToolCallChanged("t2", status="completed"))
            return Ending()

        async with served(ScriptedAgent(work)) as peer:
            await peer.open()
            peer.ask("session/prompt", HELLO)
            request = await peer.requested("session/request_permission")
            assert [u["state"] for u in peer.updates() if "state" in u] == ["running"]
            enough.set()
            await peer.state("requires_action")
            peer.reply(request, selected("yes"))
            await peer.state("running")

    asyncio.run(scenario())


def test_a_question_of_background_work_does_not_touch_the_state() -> None:
    """V2-ELI-05"""

    async def scenario() -> None:
        agent = ScriptedAgent()
        async with served(agent) as peer, asyncio.TaskGroup() as group:
            await peer.open()
            agent.client.emit("s1", StateChanged("idle", background=(BackgroundWork("_j", "1"),)))
            await peer.state("idle")
            asked = group.create_task(agent.client.ask("s1", QUESTION))
            request = await peer.requested("session/request_permission")
            peer.reply(request, selected("yes"))
            assert decide(OPTIONS, await asked).allowed
            assert await peer.settled() == []

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("subject", "sent"),
    [
        (None, None),
        (
            ToolCallSubject(TOOL),
            {
                "type": "tool_call",
                "toolCall": {"toolCallId": "t1", "title": "rm", "status": "pending"},
            },
        ),
        (
            CommandSubject("rm -rf x", "/w", "t1", "term"),
            {
                "type": "command",
                "command": "rm -rf x",
                "cwd": "/w",
                "toolCallId": "t1",
                "terminalId": "term",
            },
        ),
        (CommandSubject("ls", "relative"), None),
    ],
)
def test_a_question_says_what_it_is_about(subject: Subject | None, sent: Json | None) -> None:
    """V2-PER-01, V2-PER-04"""
    agent = asking(PermissionQuestion("May I?", OPTIONS, subject, "Because."))
    requests: list[Json] = []

    def then(peer: RawPeer, request: Json) -> None:
        requests.append(request["params"])
        peer.reply(request, selected("yes"))

    asyncio.run(during_a_question(agent, then))
    assert requests[0]["title"] == "May I?"
    assert requests[0]["description"] == "Because."
    assert requests[0].get("subject") == sent


@pytest.mark.parametrize("options", [(), (OPTIONS[0], OPTIONS[0])])
def test_a_question_without_distinct_options_is_not_asked(
    options: tuple[PermissionOption, ...],
) -> None:
    """V2-PER-01"""

    async def scenario() -> None:
        agent = asking(PermissionQuestion("?", options))
        losses: list[Loss] = []
        settings = Settings(versions=(2,), on_loss=losses.append)
        async with served(agent, settings) as peer:
            await peer.open()
            peer.ask("session/prompt", HELLO)
            await peer.state("idle")
            assert answer_of(agent) == Dismissed()
            assert [(loss.what, loss.session_id) for loss in losses] == [
                ("permission.options", "s1")
            ]

    asyncio.run(scenario())


def test_nothing_is_asked_for_a_session_that_is_not_open() -> None:
    async def scenario() -> None:
        agent = ScriptedAgent()
        async with served(agent) as peer:
            await peer.initialize()
            assert await agent.client.ask("nope", QUESTION) == Dismissed()
            assert await peer.settled() == []
            with pytest.raises(LocalProtocolError):
                agent.client.emit("nope", ChunkAdded("agent", Text("x")))

    asyncio.run(scenario())


def test_extensions_reach_the_client_and_other_methods_are_refused() -> None:
    """EXT-06, EXT-07"""

    async def scenario() -> None:
        agent = ScriptedAgent()
        settings = Settings(versions=(2,), unstable=True)
        async with served(agent, settings) as peer, asyncio.TaskGroup() as group:
            await peer.initialize()
            called = group.create_task(agent.client.call("_x/y", {"a": 1}))
            request = await peer.requested("_x/y")
            assert request["params"] == {"a": 1}
            peer.reply(request, [1, 2])
            assert await called == [1, 2]
            failing = group.create_task(failed(agent.client.call("_x/y", None)))
            peer.fail(await peer.requested("_x/y"), -32601)
            assert (await failing).code == -32601
            agent.client.tell("_x/note", {"b": 2})
            agent.client.tell("auth/status_update", {"state": "unknown"})
            first, second = await peer.settled()
            assert (first["params"], second["method"]) == ({"b": 2}, "auth/status_update")
            with pytest.raises(LocalProtocolError):
                await agent.client.call("session/list", {})
            with pytest.raises(LocalProtocolError):
                agent.client.tell("session/update", {})

    async def failed(call: Awaitable[Any]) -> RpcError:
        with pytest.raises(RpcError) as caught:
            await call
        return caught.value

    asyncio.run(scenario())


def test_a_client_that_does_not_read_is_waited_for() -> None:
    async def scenario() -> None:
        agent = ScriptedAgent()
        async with served(agent) as peer:
            await peer.open()
            assert not agent.client.blocked
            while not agent.client.blocked:
                agent.client.emit("s1", ChunkAdded("agent", Text("x" * 1000), "a1"))
            async with asyncio.TaskGroup() as group:
                drained = group.create_task(agent.client.drain())
                await peer.settled()
                await drained
            assert not agent.client.blocked
            assert (agent.client.files, agent.client.terminals) == (None, None)

    asyncio.run(scenario())
