"""What an agent asks of its client, as a client that writes JSON by hand sees it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from parley.errors import LocalProtocolError
from parley.protocol.settings import Settings
from parley.session.content import ContentItem, Text
from parley.session.event import ChunkAdded, ToolCallChanged
from parley.session.question import (
    Accepted,
    Cancelled,
    Chosen,
    CommandSubject,
    Declined,
    Dismissed,
    FormQuestion,
    OtherQuestion,
    OtherSubject,
    PermissionOption,
    PermissionQuestion,
    RequestScope,
    SessionScope,
    ToolCallSubject,
    UrlQuestion,
    decide,
)
from parley.session.role import ClientRole, Ending, Prompt
from tests.protocol.v1.roles import CLIENT, HELLO, NEW, Losses, TestAgent, kinds, run_agent
from tests.protocol.wire import RawPeer

OPTIONS = (
    PermissionOption("yes", "Yes", "allow_once"),
    PermissionOption("always", "Always", "allow_always"),
    PermissionOption("no", "No", "reject_once"),
)
CALL = ToolCallChanged("t1", title="Edit a file", kind="edit", status="pending")
QUESTION = PermissionQuestion("Edit a file", OPTIONS, ToolCallSubject(CALL))


class Asking:
    """A turn that asks once and keeps the answer."""

    def __init__(self, ask: Callable[[ClientRole], Awaitable[Any]]) -> None:
        self._ask = ask
        self.answer: Any = None

    async def __call__(self, client: ClientRole, session_id: str, prompt: Prompt) -> Ending:
        self.answer = await self._ask(client)
        return Ending()


async def _asked(peer: RawPeer, method: str = "session/request_permission") -> dict[str, Any]:
    """Open a session, prompt, and wait for what is asked."""
    await peer.result("session/new", NEW)
    peer.ask("session/prompt", HELLO)
    return await peer.request(method)


async def _finished(peer: RawPeer) -> dict[str, Any]:
    return await peer.until(lambda message: "stopReason" in message.get("result", {}))


def _exchange(
    question: PermissionQuestion, reply: Callable[[RawPeer, dict[str, Any]], None]
) -> tuple[Any, RawPeer, list[str]]:
    """Ask, let the raw client reply, and return the answer, the wire and the losses."""
    turn = Asking(lambda client: client.ask("s1", question))
    losses = Losses()
    wire: list[RawPeer] = []

    async def scenario(peer: RawPeer) -> None:
        wire.append(peer)
        reply(peer, await _asked(peer))
        await _finished(peer)

    run_agent(scenario, TestAgent(turn), Settings(on_loss=losses.append))
    return turn.answer, wire[0], losses.names()


def _selects(option_id: str) -> Callable[[RawPeer, dict[str, Any]], None]:
    outcome = {"outcome": {"outcome": "selected", "optionId": option_id}}
    return lambda peer, request: peer.reply(request, outcome)


def test_a_permission_is_asked_with_the_tool_call_and_the_options_v1_per_02() -> None:
    answer, peer, losses = _exchange(QUESTION, _selects("yes"))
    assert answer == Chosen("yes")
    assert decide(OPTIONS, answer)
    request = next(m for m in peer.seen if m.get("method") == "session/request_permission")
    assert request["params"] == {
        "sessionId": "s1",
        "toolCall": {
            "toolCallId": "t1",
            "title": "Edit a file",
            "kind": "edit",
            "status": "pending",
        },
        "options": [
            {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
            {"optionId": "always", "name": "Always", "kind": "allow_always"},
            {"optionId": "no", "name": "No", "kind": "reject_once"},
        ],
    }
    # V1-PRM-12: the call was reported before it was asked about; the turn closes it.
    assert kinds(peer) == ["tool_call", "tool_call_update"]
    assert losses == []


REFUSALS: list[Any] = [
    None,
    {},
    [],
    "selected",
    "yes",
    5,
    True,
    {"outcome": None},
    {"outcome": {}},
    {"outcome": []},
    {"outcome": True},
    {"outcome": "yes"},
    {"outcome": "allow_once"},
    {"outcome": "approved", "optionId": "yes"},
    {"outcome": "selected"},
    {"outcome": "selected", "optionId": None},
    {"outcome": "selected", "optionId": 5},
    {"outcome": "allowed"},
    {"outcome": "allowed", "option_id": "nope"},
    {"outcome": "denied"},
    {"outcome": "denied", "option_id": "yes"},
    {"outcome": "cancelled"},
    {"outcome": "cancelled", "optionId": "yes"},
    {"outcome": {"outcome": "cancelled"}},
    {"outcome": {"outcome": "cancelled", "optionId": "yes"}},
    {"outcome": {"outcome": "selected"}},
    {"outcome": {"outcome": "selected", "optionId": None}},
    {"outcome": {"outcome": "selected", "optionId": ""}},
    {"outcome": {"outcome": "selected", "optionId": "nope"}},
    {"outcome": {"outcome": "selected", "optionId": "no"}},
    {"outcome": {"outcome": "selected", "optionId": "Yes"}},
    {"outcome": {"outcome": "selected", "optionId": ["yes"]}},
    {"outcome": {"outcome": "selected", "option_id": "yes"}},
    {"outcome": {"outcome": "allowed", "optionId": "yes"}},
    {"outcome": {"outcome": "_x", "optionId": "yes"}},
    {"outcome": {"outcome": 1, "optionId": "yes"}},
    {"outcome": {"optionId": "yes"}},
    {"optionId": "yes"},
    {"option_id": "yes"},
    {"selected": "yes"},
    {"outcome": {"selected": {"optionId": "yes"}}},
    {"_meta": {"outcome": "selected", "optionId": "yes"}},
]


@pytest.mark.parametrize("result", REFUSALS, ids=str)
def test_an_answer_that_is_not_a_clear_yes_is_a_no_v1_per_05(result: Any) -> None:
    answer, _, _ = _exchange(QUESTION, lambda peer, request: peer.reply(request, result))
    assert not decide(OPTIONS, answer)


@pytest.mark.parametrize("code", [-32603, -32601, -32800, -32000, 1])
def test_an_error_is_not_an_approval_v1_per_06(code: int) -> None:
    answer, _, _ = _exchange(QUESTION, lambda peer, request: peer.refuse(request, code))
    assert answer == Dismissed()


def test_an_answer_in_no_envelope_is_not_an_approval() -> None:
    def broken(peer: RawPeer, request: dict[str, Any]) -> None:
        outcome = {"outcome": {"outcome": "selected", "optionId": "yes"}}
        peer.send({"id": request["id"], "result": outcome, "error": {"code": 1, "message": "m"}})

    answer, _, _ = _exchange(QUESTION, broken)
    assert answer == Dismissed()


@pytest.mark.parametrize(
    "result",
    [
        {"outcome": {"outcome": "selected", "optionId": "yes"}},
        {"outcome": "selected", "optionId": "yes"},
        {"outcome": "allowed", "option_id": "yes"},
        {"outcome": "allowed", "optionId": "yes"},
    ],
    ids=str,
)
def test_a_yes_is_understood_in_every_form_of_the_seeds_iac_23(result: Any) -> None:
    answer, _, _ = _exchange(QUESTION, lambda peer, request: peer.reply(request, result))
    assert decide(OPTIONS, answer).allowed


def test_silence_is_not_an_approval() -> None:
    turn = Asking(lambda client: client.ask("s1", QUESTION))

    async def scenario(peer: RawPeer) -> None:
        await _asked(peer)
        await _finished(peer)

    run_agent(scenario, TestAgent(turn), Settings(question_deadline=0.01))
    assert turn.answer == Dismissed()


def test_a_question_whose_options_vanish_is_not_asked() -> None:
    question = PermissionQuestion("?", (PermissionOption("a", "A", "_allow_today"),))
    turn = Asking(lambda client: client.ask("s1", question))
    losses = Losses()

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        await peer.result("session/prompt", HELLO)
        assert len(peer.seen) == 3

    run_agent(scenario, TestAgent(turn), Settings(on_loss=losses.append))
    assert turn.answer == Dismissed()
    assert losses.names() == ["permission.option"]


def test_a_title_and_a_description_last_as_long_as_the_question() -> None:
    item = ContentItem(Text("shown"))
    call = ToolCallChanged("t1", title="Edit", content=(item,))
    question = PermissionQuestion("May I edit?", OPTIONS, ToolCallSubject(call), "It is small.")
    _, peer, _ = _exchange(question, _selects("yes"))
    shown = {"type": "content", "content": {"type": "text", "text": "shown"}}
    small = {"type": "content", "content": {"type": "text", "text": "It is small."}}
    request = next(m for m in peer.seen if m.get("method") == "session/request_permission")
    assert request["params"]["toolCall"] == {
        "toolCallId": "t1",
        "title": "May I edit?",
        "content": [shown, small],
    }
    assert peer.updates()[1] == {
        "sessionUpdate": "tool_call_update",
        "toolCallId": "t1",
        "title": "Edit",
        "content": [shown],
    }


def test_a_question_about_a_call_that_is_known_says_only_what_is_new() -> None:
    async def turn(client: ClientRole, session_id: str, prompt: Prompt) -> Ending:
        client.emit(session_id, CALL)
        subject = ToolCallSubject(ToolCallChanged("t1", raw_input={"a": 1}))
        await client.ask(session_id, PermissionQuestion("Edit a file", OPTIONS, subject))
        same = ToolCallSubject(ToolCallChanged("t1"))
        await client.ask(session_id, PermissionQuestion("Edit a file", OPTIONS, same))
        client.emit(session_id, ToolCallChanged("t1", status="completed"))
        return Ending()

    async def scenario(peer: RawPeer) -> None:
        _selects("yes")(peer, await _asked(peer))
        _selects("yes")(peer, await peer.request("session/request_permission"))
        await _finished(peer)
        assert kinds(peer) == ["tool_call", "tool_call_update", "tool_call_update"]
        assert peer.updates()[1]["rawInput"] == {"a": 1}

    run_agent(scenario, TestAgent(turn))


@pytest.mark.parametrize(("option_id", "status"), [("yes", "completed"), ("no", "failed")])
def test_a_question_about_a_command_gets_a_call_of_its_own(option_id: str, status: str) -> None:
    question = PermissionQuestion("Run it?", OPTIONS, CommandSubject("make", "/work"))
    _, peer, losses = _exchange(question, _selects(option_id))
    first, last = peer.updates()
    assert first == {
        "sessionUpdate": "tool_call",
        "toolCallId": "permission-1",
        "title": "Run it?",
        "kind": "execute",
        "status": "pending",
        "rawInput": {"command": "make", "cwd": "/work"},
    }
    request = next(m for m in peer.seen if m.get("method") == "session/request_permission")
    text = request["params"]["toolCall"]["content"][0]["content"]["text"]
    assert text == "`make` in `/work`"
    assert (last["toolCallId"], last["status"]) == ("permission-1", status)
    assert losses == ["permission.subject"]


def test_a_command_of_a_tool_call_is_asked_about_with_that_call() -> None:
    subject = CommandSubject("make", "/work", tool_call_id="t9")
    _, peer, _ = _exchange(PermissionQuestion("Run it?", OPTIONS, subject), _selects("yes"))
    assert peer.updates()[0]["toolCallId"] == "t9"
    assert peer.updates()[1]["title"] == "Run it?"


@pytest.mark.parametrize("subject", [None, OtherSubject("_x", {"type": "_x", "a": 1})])
def test_a_question_about_anything_else_gets_a_call_too(subject: Any) -> None:
    _, peer, losses = _exchange(PermissionQuestion("Well?", OPTIONS, subject), _selects("yes"))
    assert peer.updates()[0]["kind"] == "other"
    assert losses == ["permission.subject"]


def test_cancelling_gives_up_the_question_v1_cnc_09() -> None:
    turn = Asking(lambda client: client.ask("s1", PermissionQuestion("Well?", OPTIONS)))

    async def scenario(peer: RawPeer) -> None:
        request = await _asked(peer)
        peer.note("session/cancel", {"sessionId": "s1"})
        note = await peer.request("$/cancel_request")
        assert note["params"] == {"requestId": request["id"]}
        assert (await _finished(peer))["result"] == {"stopReason": "cancelled"}
        assert peer.updates()[-1]["_meta"] == {"acpBridge": {"status": "cancelled"}}

    run_agent(scenario, TestAgent(turn))


def test_a_session_may_end_while_a_question_is_open() -> None:
    agent = TestAgent()
    minimal = {"protocolVersion": 1}

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        async with asyncio.TaskGroup() as group:
            asked = group.create_task(agent.client.ask("s1", QUESTION))
            request = await peer.request("session/request_permission")
            assert await peer.result("session/close", {"sessionId": "s1"}) == {}
            seen = len(peer.seen)
            _selects("yes")(peer, request)
        assert asked.result() == Chosen("yes")
        await peer.error("_alive")
        assert len(peer.seen) == seen + 1

    run_agent(scenario, agent, initialize=minimal)


def test_a_session_that_is_not_open_has_no_events_and_no_questions() -> None:
    agent = TestAgent()

    async def scenario(peer: RawPeer) -> None:
        with pytest.raises(LocalProtocolError):
            agent.client.emit("nope", ChunkAdded("agent", Text("x")))
        with pytest.raises(LocalProtocolError):
            await agent.client.ask("nope", QUESTION)
        with pytest.raises(LocalProtocolError):
            await agent.client.elicit(FormQuestion("?", {}, SessionScope("nope")))
        assert len(peer.seen) == 1

    run_agent(scenario, agent)


# Elicitations.

SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string", "format": "email"}},
    "required": ["name"],
}
FORM = FormQuestion("Who?", SCHEMA, SessionScope("s1", "t1"))
URL = UrlQuestion("Look", "https://example.com", "e1", RequestScope(7))


def _elicit(question: Any, reply: Any, initialize: Any = CLIENT) -> tuple[Any, list[str]]:
    turn = Asking(lambda client: client.elicit(question))
    losses = Losses()

    async def scenario(peer: RawPeer) -> None:
        if reply is None:
            await peer.result("session/new", NEW)
            await peer.result("session/prompt", HELLO)
            assert len(peer.seen) == 3
            return
        peer.send({"id": (await _asked(peer, "elicitation/create"))["id"], **reply})
        await _finished(peer)

    run_agent(scenario, TestAgent(turn), Settings(on_loss=losses.append), initialize)
    return turn.answer, losses.names()


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ({"result": {"action": "accept", "content": {"name": "x"}}}, Accepted({"name": "x"})),
        ({"result": {"action": "accept"}}, Accepted()),
        ({"result": {"action": "decline"}}, Declined()),
        ({"result": {"action": "cancel"}}, Cancelled()),
        ({"result": {"action": "_x", "content": {"name": "x"}}}, Cancelled()),
        ({"result": {"content": {"name": "x"}}}, Cancelled()),
        ({"result": None}, Cancelled()),
        ({"error": {"code": -32603, "message": "no"}}, Cancelled()),
    ],
)
def test_only_an_acceptance_accepts_v1_eli_11_12(reply: Any, answer: Any) -> None:
    assert _elicit(FORM, reply)[0] == answer


@pytest.mark.parametrize("question", [FORM, URL, OtherQuestion("?", "voice", {})])
@pytest.mark.parametrize(
    "capabilities", [{}, {"elicitation": {}}, {"elicitation": {"form": None, "url": None}}]
)
def test_a_mode_that_was_not_advertised_is_not_asked_for_v1_eli_01_02(
    question: Any, capabilities: Any
) -> None:
    initialize = {"protocolVersion": 1, "clientCapabilities": capabilities}
    answer, losses = _elicit(question, None, initialize)
    assert answer == Cancelled()
    assert losses == ["elicitation.mode"]


def test_a_format_that_is_not_listed_is_dropped_v1_eli_19() -> None:
    schema = {"properties": {"a": {"type": "string", "format": "x"}, "b": {"type": "boolean"}}}
    accept = {"result": {"action": "accept"}}
    assert _elicit(FormQuestion("?", schema, RequestScope(1)), accept)[1] == ["elicitation.format"]


def test_a_schema_that_is_none_is_our_own_mistake() -> None:
    agent = TestAgent()

    async def scenario(peer: RawPeer) -> None:
        for schema in ({"properties": {"a": 5}}, {"properties": 5}):
            with pytest.raises(LocalProtocolError):
                await agent.client.elicit(FormQuestion("?", schema, RequestScope(1)))
        assert len(peer.seen) == 1

    run_agent(scenario, agent)


def test_a_url_is_completed_once_and_only_after_it_was_accepted_v1_eli_13_14() -> None:
    agent = TestAgent()

    async def scenario(peer: RawPeer) -> None:
        client = agent.client
        client.complete_elicitation("e1")
        async with asyncio.TaskGroup() as group:
            asked = group.create_task(client.elicit(URL))
            request = await peer.request("elicitation/create")
            assert request["params"] == {
                "mode": "url",
                "message": "Look",
                "url": "https://example.com",
                "elicitationId": "e1",
                "requestId": 7,
            }
            with pytest.raises(LocalProtocolError):
                await client.elicit(URL)
            peer.reply(request, {"action": "accept"})
        assert asked.result() == Accepted()
        client.complete_elicitation("e1")
        client.complete_elicitation("e1")
        note = await peer.request("elicitation/complete")
        assert note["params"] == {"elicitationId": "e1"}
        await peer.error("_alive")
        assert [m for m in peer.seen if m.get("method") == "elicitation/complete"] == [note]
        async with asyncio.TaskGroup() as group:
            group.create_task(client.elicit(URL))
            peer.reply(await peer.request("elicitation/create"), {"action": "decline"})
        client.complete_elicitation("e1")
        await peer.error("_alive")
        assert [m for m in peer.seen if m.get("method") == "elicitation/complete"] == [note]

    run_agent(scenario, agent)


# Extensions and flow.


def test_extensions_of_the_client_can_be_called_ext_06() -> None:
    agent = TestAgent()

    async def scenario(peer: RawPeer) -> None:
        async with asyncio.TaskGroup() as group:
            called = group.create_task(agent.client.call("_x", {"a": 1}))
            peer.reply(await peer.request("_x"), {"b": 2})
        assert called.result() == {"b": 2}
        agent.client.tell("_y", [1])
        assert (await peer.request("_y"))["params"] == [1]
        with pytest.raises(LocalProtocolError):
            await agent.client.call("x", {})
        with pytest.raises(LocalProtocolError):
            agent.client.tell("x", {})

    run_agent(scenario, agent)


def test_an_agent_notices_that_its_client_is_behind() -> None:
    agent = TestAgent()

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        assert not agent.client.blocked
        while not agent.client.blocked:
            agent.client.emit("s1", ChunkAdded("agent", Text("x" * 10_000)))
        async with asyncio.TaskGroup() as group:
            group.create_task(agent.client.drain())
            await peer.next()
        assert not agent.client.blocked

    run_agent(scenario, agent)
