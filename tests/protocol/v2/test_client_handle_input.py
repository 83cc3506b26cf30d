"""How an agent asks a client for input, and what counts as an acceptance."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from parley.session.question import (
    Accepted,
    Cancelled,
    Declined,
    Elicitation,
    FormQuestion,
    OtherQuestion,
    RequestScope,
    SessionScope,
    UrlQuestion,
)
from parley.session.role import Ending, Prompt
from tests.protocol.v2.roles import ScriptedAgent
from tests.protocol.v2.wire import Json, RawPeer, served, text

HELLO = {"sessionId": "s1", "prompt": [text("hi")]}
FORM = FormQuestion("Name?", {"properties": {"a": {"type": "string"}}}, SessionScope("s1"))
LINK = UrlQuestion("Go there", "https://example.com", "e1", SessionScope("s1"))
BOTH = {"elicitation": {"form": {}, "url": {}}}


async def elicited(
    capabilities: Json, question: Elicitation, reply: Callable[[RawPeer, Json], None] | None
) -> tuple[Any, list[Json]]:
    """The answer to a question outside a turn, and what went over the wire for it."""
    agent = ScriptedAgent()
    async with served(agent) as peer:
        await peer.initialize(capabilities=capabilities)
        await peer.call("session/new", {"cwd": "/w"})
        async with asyncio.TaskGroup() as group:
            asked = group.create_task(agent.client.elicit(question))
            if reply is not None:
                reply(peer, await peer.requested("elicitation/create"))
            answer = await asked
        sent = await peer.settled()
        if isinstance(question, UrlQuestion):
            agent.client.complete_elicitation(question.elicitation_id)
            agent.client.complete_elicitation(question.elicitation_id)
            sent += await peer.settled()
        return answer, sent


def test_a_form_is_asked_for_and_its_answer_comes_back() -> None:
    """V2-ELI-02"""
    requests: list[Json] = []

    def reply(peer: RawPeer, request: Json) -> None:
        requests.append(request["params"])
        peer.reply(request, {"action": "accept", "content": {"a": "b"}})

    answer, _ = asyncio.run(elicited(BOTH, FORM, reply))
    assert answer == Accepted({"a": "b"})
    assert requests == [
        {
            "mode": "form",
            "message": "Name?",
            "sessionId": "s1",
            "requestedSchema": {"type": "object", "properties": {"a": {"type": "string"}}},
        }
    ]


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ({"action": "decline"}, Declined()),
        ({"action": "cancel"}, Cancelled()),
        ({"action": "_later"}, Cancelled()),
        ({"action": "Accept", "content": {"a": 1}}, Cancelled()),
        ({"action": 5}, Cancelled()),
        ({}, Cancelled()),
        ("accept", Cancelled()),
    ],
)
def test_only_accept_is_an_acceptance(result: Any, expected: Any) -> None:
    """V2-ELI-03"""
    answer, _ = asyncio.run(elicited(BOTH, FORM, lambda p, r: p.reply(r, result)))
    assert answer == expected


def test_an_error_is_a_cancellation() -> None:
    answer, _ = asyncio.run(elicited(BOTH, FORM, lambda p, r: p.fail(r, -32603)))
    assert answer == Cancelled()


@pytest.mark.parametrize(
    ("capabilities", "question"),
    [
        ({}, FORM),
        ({"elicitation": {}}, FORM),
        ({"elicitation": {"form": None, "url": None}}, FORM),
        ({"elicitation": {"form": True}}, FORM),  # V2-INIT-03
        ({"elicitation": {"url": {}}}, FORM),
        ({"elicitation": {"form": {}}}, LINK),
        (BOTH, OtherQuestion("?", "_voice", {}, SessionScope("s1"))),
        (BOTH, FormQuestion("?", {"properties": {"a": 5}}, SessionScope("s1"))),
        (BOTH, FormQuestion("?", {}, RequestScope(None))),
    ],
)
def test_what_the_client_cannot_do_is_not_asked(capabilities: Json, question: Elicitation) -> None:
    """V1-ELI-01, V1-ELI-02, V2-ELI-01"""
    answer, sent = asyncio.run(elicited(capabilities, question, None))
    assert (answer, sent) == (Cancelled(), [])


def test_the_end_of_what_a_link_was_about_is_told_once() -> None:
    """V1-ELI-14, V1-ELI-20"""
    _, sent = asyncio.run(elicited(BOTH, LINK, lambda p, r: p.reply(r, {"action": "accept"})))
    assert [message["params"] for message in sent] == [{"elicitationId": "e1"}]
    _, sent = asyncio.run(elicited(BOTH, LINK, lambda p, r: p.reply(r, {"action": "decline"})))
    assert sent == []


def test_one_id_is_not_used_for_two_open_links() -> None:
    """V1-ELI-13"""

    async def scenario() -> None:
        agent = ScriptedAgent()
        async with served(agent) as peer, asyncio.TaskGroup() as group:
            await peer.initialize(capabilities=BOTH)
            await peer.call("session/new", {"cwd": "/w"})
            first = group.create_task(agent.client.elicit(LINK))
            request = await peer.requested("elicitation/create")
            assert await agent.client.elicit(LINK) == Cancelled()
            peer.reply(request, {"action": "accept"})
            assert await first == Accepted()

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("scope", "states"),
    [
        (SessionScope("s1", "t1"), ["running", "requires_action", "running", "idle"]),
        (RequestScope(7), ["running", "idle"]),  # V2-ELI-05
    ],
)
def test_input_for_a_session_requires_action_and_input_for_a_request_does_not(
    scope: Any, states: list[str]
) -> None:
    async def work(agent: ScriptedAgent, session_id: str, prompt: Prompt) -> Ending:
        await agent.client.elicit(FormQuestion("?", {}, scope))
        return Ending()

    async def scenario() -> None:
        async with served(ScriptedAgent(work)) as peer:
            await peer.initialize(capabilities=BOTH)
            await peer.call("session/new", {"cwd": "/w"})
            peer.ask("session/prompt", HELLO)
            peer.reply(await peer.requested("elicitation/create"), {"action": "cancel"})
            await peer.state("idle")
            assert [u["state"] for u in peer.updates() if "state" in u] == states

    asyncio.run(scenario())


def test_cancelled_work_cancels_its_input() -> None:
    """V2-ELI-04"""

    async def work(agent: ScriptedAgent, session_id: str, prompt: Prompt) -> Ending:
        await agent.client.elicit(LINK)
        return Ending()

    async def scenario() -> None:
        agent = ScriptedAgent(work)
        async with served(agent) as peer:
            await peer.initialize(capabilities=BOTH)
            await peer.call("session/new", {"cwd": "/w"})
            peer.ask("session/prompt", HELLO)
            request = await peer.requested("elicitation/create")
            peer.tell("session/cancel", {"sessionId": "s1"})
            await peer.state("idle")
            notes = [m["params"] for m in peer.seen if m.get("method") == "$/cancel_request"]
            assert notes == [{"requestId": request["id"]}]

    asyncio.run(scenario())
