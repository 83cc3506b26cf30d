"""What an agent asks of a client: permissions and input."""

import asyncio
from typing import Any

import pytest

from parley.session.content import ContentItem, DiffItem, FileChange, Patch, Text
from parley.session.event import ToolCallChanged
from parley.session.profile import ClientCapabilities
from parley.session.question import (
    Accepted,
    Cancelled,
    CommandSubject,
    Declined,
    FormQuestion,
    OtherSubject,
    PermissionAnswer,
    PermissionOption,
    PermissionQuestion,
    RequestScope,
    SessionScope,
    ToolCallSubject,
    UrlQuestion,
)
from tests.protocol.v2.roles import ScriptedClient, never
from tests.protocol.v2.wire import Json, RawPeer, driven, opened, text

OPTIONS = [
    {"optionId": "y", "name": "Yes", "kind": "allow_once"},
    {"optionId": "o", "name": "Odd", "kind": "_odd"},
]
ASK: Json = {"sessionId": "s1", "title": "May I?", "options": OPTIONS}
NEUTRAL = (PermissionOption("y", "Yes", "allow_once"), PermissionOption("o", "Odd", "_odd"))
METHOD = "session/request_permission"


def test_a_tool_call_is_part_of_the_session_before_the_question_is_asked() -> None:
    """V2-PER-02, V2-PER-03, V2-PER-10"""

    async def scenario() -> None:
        client = ScriptedClient()
        seen: list[Any] = []

        async def answer(question: PermissionQuestion) -> PermissionAnswer:
            seen.extend(client.events)
            return await ScriptedClient().answer(question)

        client.answer = answer
        async with driven(client) as (agent, peer):
            await opened(agent, peer)
            call = {"toolCallId": "t1", "title": "rm", "kind": "delete"}
            subject = {"type": "tool_call", "toolCall": call, "_meta": {"a": 1}}
            outcome = await peer.call(METHOD, {**ASK, "subject": subject, "description": "why"})
            assert outcome == {"outcome": {"outcome": "selected", "optionId": "y"}}
            changed = ToolCallChanged("t1", title="rm", kind="delete")
            assert seen == [("s1", changed)]
            assert client.questions == [
                PermissionQuestion("May I?", NEUTRAL, ToolCallSubject(changed, {"a": 1}), "why")
            ]

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("sent", "subject"),
    [
        (None, None),
        (
            {"type": "command", "command": "ls", "cwd": "/w", "toolCallId": None},
            CommandSubject("ls", "/w"),
        ),
        (
            {"type": "command", "command": "ls", "cwd": "/w", "terminalId": "x"},
            CommandSubject("ls", "/w", None, "x"),
        ),
        ({"type": "_x", "a": [1]}, OtherSubject("_x", {"type": "_x", "a": [1]})),
    ],
)
def test_other_subjects_are_shown_as_they_are(sent: Any, subject: Any) -> None:
    """V2-PER-04, V2-PER-05, V2-PER-06"""

    async def scenario() -> None:
        client = ScriptedClient()
        async with driven(client) as (agent, peer):
            await opened(agent, peer)
            await peer.call(METHOD, {**ASK, "subject": sent})
            assert client.questions == [PermissionQuestion("May I?", NEUTRAL, subject)]
            assert client.events == []

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "params",
    [
        {**ASK, "options": []},
        {**ASK, "title": 5},
        {"sessionId": "s1", "options": OPTIONS},
        {**ASK, "subject": {"type": "command"}},
    ],
)
def test_a_malformed_question_is_refused(params: Json) -> None:
    async def scenario() -> None:
        client = ScriptedClient()
        async with driven(client) as (agent, peer):
            await opened(agent, peer)
            assert await peer.refused(METHOD, params) == -32602
            assert client.questions == []

    asyncio.run(scenario())


def test_a_question_in_the_older_form_is_understood() -> None:
    """SEE-08, and a diff of the older form within it"""

    async def scenario() -> None:
        client = ScriptedClient()
        async with driven(client) as (agent, peer):
            await opened(agent, peer)
            diff = {"type": "diff", "path": "/w/x", "oldText": "a\n", "newText": "b\n"}
            call = {"toolCallId": "t1", "title": "edit", "content": [diff]}
            old = {"sessionId": "s1", "toolCall": call, "options": OPTIONS}
            await peer.call(METHOD, old)
            del call["title"]
            await peer.call(METHOD, old)
            assert [q.title for q in client.questions] == ["edit", "Permission required"]
            (item,) = client.of(ToolCallChanged)[0].content
            assert item.changes == (FileChange("modify", "/w/x", file_type="text"),)
            assert isinstance(item, DiffItem)
            assert isinstance(item.patch, Patch)
            assert "-a\n+b\n" in item.patch.text
            assert agent.endpoint.dialects == {"v2-2026-06": 2}

    asyncio.run(scenario())


def test_a_question_that_the_agent_cancels_has_an_outcome() -> None:
    """CAN-10"""

    async def scenario() -> None:
        client = ScriptedClient()
        client.answer = never
        async with driven(client) as (agent, peer):
            await opened(agent, peer)
            id = peer.ask(METHOD, ASK)
            await client.asked.wait()
            peer.tell("$/cancel_request", {"requestId": id})
            assert (await peer.answer(id))["result"] == {"outcome": {"outcome": "cancelled"}}
            # The connection goes on.
            client.answer = ScriptedClient().answer
            assert (await peer.call(METHOD, ASK))["outcome"]["outcome"] == "selected"

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("subject", "ended"),
    [
        (None, True),
        ({"type": "tool_call", "toolCall": {"toolCallId": "t1"}}, True),
        ({"type": "tool_call", "toolCall": {"toolCallId": "b1"}}, False),
        ({"type": "command", "command": "x", "cwd": "/w", "toolCallId": "b1"}, False),
        ({"type": "command", "command": "x", "cwd": "/w", "terminalId": "term"}, False),
        ({"type": "command", "command": "x", "cwd": "/w"}, True),
    ],
)
def test_cancelling_leaves_the_questions_of_background_work_open(subject: Any, ended: bool) -> None:
    """V2-CNC-06"""

    async def scenario() -> None:
        client = ScriptedClient()
        client.answer = never
        async with driven(client) as (agent, peer):
            await opened(agent, peer)
            jobs = [
                {"type": "tool_call", "toolCallId": "b1"},
                {"type": "terminal", "terminalId": "term"},
                {"type": "_x"},  # V2-BGW-05
            ]
            running = {"sessionUpdate": "state_update", "state": "running", "background": jobs}
            peer.update(running)
            id = peer.ask(METHOD, {**ASK, "subject": subject})
            await client.asked.wait()
            await agent.cancel("s1")
            await peer.settled()
            assert bool([m for m in peer.seen if m.get("id") == id and "result" in m]) is ended
            peer.tell("$/cancel_request", {"requestId": id})
            await peer.answer(id)

    asyncio.run(scenario())


def test_cancelling_an_idle_session_leaves_its_questions_open() -> None:
    async def scenario() -> None:
        client = ScriptedClient()
        client.answer = never
        async with driven(client) as (agent, peer):
            await opened(agent, peer)
            id = peer.ask(METHOD, ASK)
            await client.asked.wait()
            await agent.cancel("s1")
            sent = await peer.settled()
            assert [m["method"] for m in sent] == ["session/cancel"]
            peer.tell("$/cancel_request", {"requestId": id})
            await peer.answer(id)

    asyncio.run(scenario())


FORM: Json = {
    "mode": "form",
    "message": "Name?",
    "sessionId": "s1",
    "requestedSchema": {"type": "object", "properties": {"a": {"type": "string"}}},
}
LINK: Json = {
    "mode": "url",
    "message": "Go",
    "requestId": 4,
    "elicitationId": "e1",
    "url": "https://example.com",
}


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        (Accepted({"a": "b"}), {"action": "accept", "content": {"a": "b"}}),
        (Accepted(), {"action": "accept"}),
        (Declined(), {"action": "decline"}),
        (Cancelled({"m": 1}), {"action": "cancel", "_meta": {"m": 1}}),
    ],
)
def test_input_is_asked_for_and_answered(answer: Any, result: Json) -> None:
    """V1-ELI-11, V2-ELI-01"""

    async def scenario() -> None:
        client = ScriptedClient(ClientCapabilities(elicitation_form=True, elicitation_url=True))
        client.input = answer
        async with driven(client) as (_, peer):
            assert await peer.call("elicitation/create", FORM) == result
            assert await peer.call("elicitation/create", LINK) == result
            schema = {"type": "object", "properties": {"a": {"type": "string"}}}
            assert client.questions == [
                FormQuestion("Name?", schema, SessionScope("s1")),
                UrlQuestion("Go", "https://example.com", "e1", RequestScope(4)),
            ]

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("capabilities", "params"),
    [
        (ClientCapabilities(), FORM),
        (ClientCapabilities(elicitation_url=True), FORM),
        (ClientCapabilities(elicitation_form=True), LINK),
        (ClientCapabilities(elicitation_form=True), {**FORM, "mode": "_voice"}),
        (ClientCapabilities(elicitation_form=True), {**FORM, "requestId": 4}),  # V2-ELI-02
    ],
)
def test_a_way_of_asking_that_was_not_advertised_is_refused(
    capabilities: ClientCapabilities, params: Json
) -> None:
    """V1-ELI-03"""

    async def scenario() -> None:
        client = ScriptedClient(capabilities)
        async with driven(client) as (_, peer):
            assert await peer.refused("elicitation/create", params) == -32602
            assert client.questions == []

    asyncio.run(scenario())


def test_only_an_open_link_is_completed_and_once() -> None:
    """V1-ELI-15"""

    async def scenario() -> None:
        client = ScriptedClient(ClientCapabilities(elicitation_url=True))
        async with driven(client) as (_, peer):
            done = {"elicitationId": "e1"}
            peer.tell("elicitation/complete", done)
            await peer.call("elicitation/create", LINK)
            peer.tell("elicitation/complete", done)
            peer.tell("elicitation/complete", done)
            await peer.settled()
            assert client.told == [("complete", "e1")]

    asyncio.run(scenario())


def test_input_that_the_agent_cancels_is_a_cancelled_request() -> None:
    async def scenario() -> None:
        asked = asyncio.Event()

        class Client(ScriptedClient):
            async def elicit(self, question: Any) -> Any:
                asked.set()
                return await never()

        async with driven(Client(ClientCapabilities(elicitation_form=True))) as (_, peer):
            id = peer.ask("elicitation/create", FORM)
            await asked.wait()
            peer.tell("$/cancel_request", {"requestId": id})
            assert (await peer.answer(id))["error"]["code"] == -32800

    asyncio.run(scenario())


def test_content_of_a_subject_is_read_like_that_of_an_update() -> None:
    async def scenario(peer: RawPeer, client: ScriptedClient) -> None:
        content = [{"type": "content", "content": text("x")}, {"type": "content"}]
        call = {"toolCallId": "t1", "content": content}
        subject = {"type": "tool_call", "toolCall": call}
        await peer.call(METHOD, {**ASK, "subject": subject})
        assert client.of(ToolCallChanged)[0].content == (ContentItem(Text("x")),)

    async def run() -> None:
        client = ScriptedClient()
        async with driven(client) as (_, peer):
            await scenario(peer, client)

    asyncio.run(run())
