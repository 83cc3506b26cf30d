"""An agent and a client joined in one process."""

import asyncio

import pytest

from parley.protocol.settings import Settings
from parley.sdk.agent import Agent
from parley.sdk.client import Client
from parley.sdk.turn import Turn
from parley.testing import pair


def echo() -> Agent:
    agent = Agent("echo")

    @agent.prompt
    async def say_back(turn: Turn) -> None:
        await turn.say(turn.text)

    return agent


@pytest.mark.parametrize("version", [1, 2])
def test_a_client_talks_to_an_agent_in_the_version_that_was_chosen(version: int) -> None:
    async def run() -> tuple[int, str]:
        async with pair(echo(), version=version) as agent:
            session = await agent.new_session("/home/user")
            return agent.profile.version, await session.ask("Hello")

    assert asyncio.run(run()) == (version, "Hello")


def test_the_settings_win_over_the_version() -> None:
    async def run() -> int:
        async with pair(echo(), Client("mine"), settings=Settings(versions=(1, 2))) as agent:
            return agent.profile.version

    assert asyncio.run(run()) == 2


def test_a_test_that_fails_inside_fails_with_its_own_error() -> None:
    async def run() -> None:
        async with pair(echo()):
            raise KeyError("mine")

    with pytest.raises(KeyError):
        asyncio.run(run())
