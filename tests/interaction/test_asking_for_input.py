"""Links that a person is asked to visit: nobody else opens them, their own agent completes them."""

import asyncio
from typing import Any

import pytest

from parley.sdk.client import Client
from parley.session.question import Accepted, Declined
from tests.sdk.stage import VERSIONS, driven, run

both = pytest.mark.parametrize("version", VERSIONS)


def _link(url: str) -> dict[str, Any]:
    return {"mode": "url", "message": "Go", "requestId": 4, "elicitationId": "e1", "url": url}


@both
@pytest.mark.parametrize("answer", [Accepted(), Declined()])
def test_a_link_is_shown_whole_and_opened_by_nobody_here(version: int, answer: Any) -> None:
    client = Client("test")
    shown: list[str] = []
    visits: list[int] = []

    @client.elicitation
    async def show(question: Any) -> Any:
        shown.append(question.url)
        return answer

    async def visited(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visits.append(1)
        writer.close()

    async def scenario() -> None:
        async with await asyncio.start_server(visited, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            url = f"http://127.0.0.1:{port}/login?state=x"
            async with driven(version, client) as (_, raw):
                await raw.peer.result("elicitation/create", _link(url))
                await raw.peer.error("no/such")
            # V1-ELI-07, V1-ELI-08: the person decides, with the full address in view.
            assert (shown, visits) == ([url], [])

    run(scenario())


@both
def test_only_the_agent_that_asked_can_say_that_a_visit_is_over(version: int) -> None:
    client = Client("test")
    completed: list[str] = []

    @client.elicitation
    async def show(question: Any) -> Accepted:
        return Accepted()

    client.elicitation_completed(completed.append)

    async def scenario() -> None:
        async with driven(version, client) as (_, one), driven(version, client) as (_, other):
            await one.peer.result("elicitation/create", _link("https://example.com"))
            for raw, known in ((other, []), (one, ["e1"])):
                raw.peer.note("elicitation/complete", {"elicitationId": "e1"})
                await raw.peer.error("no/such")
                # V1-ELI-20: what is open belongs to its connection.
                assert completed == known

    run(scenario())


@both
def test_a_pattern_that_takes_for_ever_is_tried_by_nobody_here(version: int) -> None:
    client = Client("test")
    value = "a" * 40 + "!"

    @client.elicitation
    async def fill_in(question: Any) -> dict[str, Any]:
        return {"name": value}

    async def scenario() -> None:
        name = {"type": "string", "pattern": "^(a+)+$", "default": value}
        schema = {"type": "object", "properties": {"name": name}}
        form = {"mode": "form", "message": "Who?", "requestId": 4, "requestedSchema": schema}
        async with driven(version, client) as (_, raw):
            # V1-ELI-18: bounded, because the bound of a scenario is far below that of the pattern.
            answer = await raw.peer.result("elicitation/create", form)
            assert answer == {"action": "accept", "content": {"name": value}}

    run(scenario())
