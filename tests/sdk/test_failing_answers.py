"""A client whose handlers of questions fail: the agent is refused, and everything goes on."""

import asyncio
from typing import Any

import pytest

from parley.sdk.agent import Agent
from parley.sdk.client import Client
from parley.sdk.turn import Turn
from parley.testing import pair


async def fail(*_: Any) -> Any:
    raise RuntimeError("no screen")


async def invent(*_: Any) -> str:
    return "an option nobody offered"


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("handler", [fail, invent])
def test_a_permission_handler_that_fails_is_a_refusal(version: int, handler: Any) -> None:
    agent, ran = Agent("asking"), list[str]()

    @agent.prompt
    async def ask(turn: Turn) -> None:
        async with turn.tool("Delete everything", kind="delete") as tool:
            if await tool.ask():
                ran.append("deleted")
        await turn.say("done")

    async def scenario() -> str:
        async with pair(agent, Client("x", permission=handler), version=version) as connection:
            session = await connection.new_session("/")
            return await session.ask("go")

    async def bounded() -> str:
        async with asyncio.timeout(5):
            return await scenario()

    assert asyncio.run(bounded()) == "done"
    assert ran == []


@pytest.mark.parametrize("version", [1, 2])
def test_an_elicitation_handler_that_fails_gives_no_values(version: int) -> None:
    agent, given = Agent("asking"), list[Any]()

    @agent.prompt
    async def ask(turn: Turn) -> None:
        properties = {"name": {"type": "string"}}
        given.append(await turn.form("Who?", {"type": "object", "properties": properties}))

    async def scenario() -> None:
        client = Client("x")
        client.elicitation(fail)
        async with (
            asyncio.timeout(5),
            pair(agent, client, version=version) as connection,
        ):
            session = await connection.new_session("/")
            await session.prompt("go")

    asyncio.run(scenario())
    assert given == [None]
