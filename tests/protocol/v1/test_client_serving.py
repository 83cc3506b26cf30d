"""What an agent that writes JSON by hand says to a client of version 1."""

import asyncio
from typing import Any

import pytest

from parley.protocol.settings import Settings
from parley.protocol.v1.client_serving import MAX_STRANGERS
from parley.protocol.v1.client_side import ClientSide
from parley.session.content import Text
from parley.session.event import ChunkAdded, OtherHappened, ToolCallChanged
from parley.session.profile import ClientCapabilities
from parley.session.question import (
    Accepted,
    Cancelled,
    Chosen,
    Declined,
    Dismissed,
    FormQuestion,
    OtherAnswer,
    PermissionOption,
    PermissionQuestion,
    RequestScope,
    SessionScope,
    ToolCallSubject,
    UrlQuestion,
)
from parley.session.role import Prompt
from tests.protocol.v1.roles import TestClient, opened, run_client
from tests.protocol.wire import RawPeer

PERMISSION = {
    "sessionId": "s1",
    "toolCall": {"toolCallId": "t1", "title": "Run", "kind": "execute"},
    "options": [{"optionId": "y", "name": "Yes", "kind": "allow_once"}],
}
PROMPT = Prompt((Text("hello"),))
CANCELLED = {"outcome": {"outcome": "cancelled"}}


def _chunk(session_id: str, text: str = "x") -> dict[str, Any]:
    content = {"type": "text", "text": text}
    return {
        "sessionId": session_id,
        "update": {"sessionUpdate": "agent_message_chunk", "content": content},
    }


# Updates.


def test_an_update_nobody_knows_breaks_nothing_dec_09() -> None:
    client = TestClient()

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)
        agent.note("session/update", {"sessionId": "s1", "update": {"sessionUpdate": "future"}})
        agent.note("session/update", {"sessionId": "s1", "update": {"content": 5}})
        agent.note("session/update", {"sessionId": 5})
        agent.note("session/update", _chunk("s1"))
        await agent.error("no/such")
        assert client.events == [
            OtherHappened("future", {"sessionUpdate": "future"}),
            ChunkAdded("agent", Text("x")),
        ]
        assert side.endpoint.connection.faults.total() == 2

    run_client(scenario, client)


def test_older_forms_of_updates_are_understood_and_counted() -> None:
    client = TestClient()

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)
        update = {"type": "agent_message_chunk", "text": "x"}
        agent.note("session/update", {"sessionId": "s1", "update": update})
        mode = {"sessionUpdate": "current_mode_update", "modeId": "code"}
        agent.note("session/update", {"sessionId": "s1", "update": mode})
        await agent.error("no/such")
        assert client.events[0] == ChunkAdded("agent", Text("x"))
        assert len(client.events) == 2
        assert side.endpoint.dialects == {
            "update with `type`": 1,
            "`modeId` of a changed mode": 1,
        }

    run_client(scenario, client)


def test_an_application_that_is_behind_slows_the_agent() -> None:
    client = TestClient()
    client.blocked = True

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        agent.note("session/update", _chunk("s1"))
        await agent.error("no/such")
        assert client.drains == 1

    run_client(scenario, client)


def test_an_agent_cannot_fill_the_memory_with_sessions_nobody_opened() -> None:
    client = TestClient()

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        for index in range(MAX_STRANGERS + 5):
            agent.note("session/update", _chunk(f"child-{index}"))
        await agent.error("no/such")
        assert len(client.events) == MAX_STRANGERS
        assert side.endpoint.connection.faults.total() == 5

    run_client(scenario, client)


# Permissions.


def test_a_permission_is_asked_after_its_call_was_reported_v1_per_07() -> None:
    client = TestClient()
    client.answer = Chosen("y", {"a": 1})

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)
        outcome = {"outcome": "selected", "optionId": "y", "_meta": {"a": 1}}
        assert await agent.result("session/request_permission", PERMISSION) == {
            "outcome": outcome
        }  # V1-PER-03
        change = ToolCallChanged("t1", title="Run", kind="execute")
        assert client.events == [change]
        option = PermissionOption("y", "Yes", "allow_once")
        assert client.questions == [PermissionQuestion("Run", (option,), ToolCallSubject(change))]

    run_client(scenario, client)


def test_a_permission_for_a_known_call_carries_its_title() -> None:
    client = TestClient()

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)
        bare = {**PERMISSION, "toolCall": {"toolCallId": "t1"}}
        await agent.result("session/request_permission", bare)
        call = {"sessionUpdate": "tool_call", "toolCallId": "t1", "title": "Known"}
        agent.note("session/update", {"sessionId": "s1", "update": call})
        await agent.result("session/request_permission", bare)
        titles = [question.title for question in client.questions]
        assert titles == ["Permission required", "Known"]

    run_client(scenario, client)


@pytest.mark.parametrize(
    "answer", [Dismissed(), Chosen("nope"), OtherAnswer("_x", {"outcome": "_x"})]
)
def test_an_answer_that_was_not_offered_is_never_sent(answer: Any) -> None:
    client = TestClient()
    client.answer = answer

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)
        assert await agent.result("session/request_permission", PERMISSION) == CANCELLED

    run_client(scenario, client)


def test_a_question_without_options_is_not_put_to_anybody() -> None:
    client = TestClient()

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)
        empty = {**PERMISSION, "options": []}
        assert await agent.result("session/request_permission", empty) == CANCELLED
        assert client.questions == []
        stranger = {**PERMISSION, "sessionId": "nope"}
        error = await agent.error("session/request_permission", stranger)
        assert error["code"] == -32002

    run_client(scenario, client)


def test_a_question_that_the_agent_gives_up_is_answered_can_03() -> None:
    client = TestClient()
    client.hold.clear()

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)
        id_ = agent.ask("session/request_permission", PERMISSION)
        await client.asked.wait()
        agent.note("$/cancel_request", {"requestId": id_})
        assert (await agent.answer(id_))["error"]["code"] == -32800

    run_client(scenario, client)


def test_an_application_that_fails_does_not_approve() -> None:
    class Failing(TestClient):
        async def ask(self, session_id: str, question: PermissionQuestion) -> Any:
            raise ValueError("secret")

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)
        error = await agent.error("session/request_permission", PERMISSION)
        assert error == {"code": -32603, "message": "Internal error"}

    run_client(scenario, Failing())


# Elicitations.

FORM = {
    "mode": "form",
    "sessionId": "s1",
    "message": "Who?",
    "requestedSchema": {"properties": {"a": {"type": "string", "format": "x"}}},
}
URL = {
    "mode": "url",
    "requestId": 4,
    "message": "Look",
    "url": "https://example.com",
    "elicitationId": "e1",
}


@pytest.mark.parametrize(
    ("answer", "action"),
    [
        (Accepted({"a": "x"}), {"action": "accept", "content": {"a": "x"}}),
        (Declined(), {"action": "decline"}),
        (Cancelled(), {"action": "cancel"}),
    ],
)
def test_a_form_is_put_to_the_person_v1_eli_11(answer: Any, action: Any) -> None:
    client = TestClient()
    client.elicited = answer

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        assert await agent.result("elicitation/create", FORM) == action
        schema = {"type": "object", "properties": {"a": {"type": "string", "format": "x"}}}
        assert client.questions == [FormQuestion("Who?", schema, SessionScope("s1"))]

    run_client(scenario, client)


@pytest.mark.parametrize("params", [FORM, URL, {**FORM, "mode": "voice"}])
def test_a_mode_that_was_not_advertised_is_refused_v1_eli_03(params: Any) -> None:
    client = TestClient(ClientCapabilities())

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        assert (await agent.error("elicitation/create", params))["code"] == -32602
        assert client.questions == []

    run_client(scenario, client)


def test_an_unknown_mode_is_refused_whatever_was_advertised() -> None:
    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        error = await agent.error("elicitation/create", {**FORM, "mode": "voice"})
        assert error["code"] == -32602

    run_client(scenario)


def test_a_visit_is_completed_once_v1_eli_15() -> None:
    client = TestClient()
    client.elicited = Accepted()

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        agent.note("elicitation/complete", {"elicitationId": "e1"})
        await agent.result("elicitation/create", URL)
        question = UrlQuestion("Look", "https://example.com", "e1", RequestScope(4))
        assert client.questions == [question]
        agent.note("elicitation/complete", {"elicitationId": "e1"})
        agent.note("elicitation/complete", {"elicitationId": "e1"})
        client.elicited = Declined()
        await agent.result("elicitation/create", URL)
        agent.note("elicitation/complete", {"elicitationId": "e1"})
        await agent.error("no/such")
        assert client.completed == ["e1"]

    run_client(scenario, client)


def test_cancelling_a_turn_answers_its_forms() -> None:
    client = TestClient()
    client.hold.clear()

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)
        async with asyncio.TaskGroup() as group:
            prompting = group.create_task(side.prompt("s1", PROMPT))
            request = await agent.request("session/prompt")
            id_ = agent.ask("elicitation/create", FORM)
            await client.asked.wait()
            await side.cancel("s1")
            assert (await agent.answer(id_))["result"] == {"action": "cancel"}
            assert await agent.result("elicitation/create", FORM) == {"action": "cancel"}
            agent.reply(request, {"stopReason": "cancelled"})
        assert prompting.result().stop_reason == "cancelled"
        assert len(client.questions) == 1

    run_client(scenario, client)


# Extensions.


def test_extensions_reach_the_application_and_others_do_not_ext_08_09() -> None:
    client = TestClient()

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        assert await agent.result("_x", {"a": 1}) == {"method": "_x"}
        assert await agent.result("_x") == {"method": "_x"}
        agent.note("_y", [1])
        agent.note("auth/status_update", {"state": "authenticated"})
        agent.note("future/thing")
        message = {"serverId": "m", "requestId": "r", "method": "x"}
        assert (await agent.error("mcp/message", message))["code"] == -32601
        assert client.calls == [("_x", {"a": 1}), ("_x", None), ("_y", [1])]

    run_client(scenario, client)


def test_unstable_messages_reach_the_application_with_the_switch_on() -> None:
    client = TestClient()

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        agent.note("auth/status_update", {"state": "authenticated"})
        agent.note("future/thing")
        await agent.error("no/such")
        assert client.calls == [("auth/status_update", {"state": "authenticated"})]

    run_client(scenario, client, Settings(unstable=True))
