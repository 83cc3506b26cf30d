"""A turn at an agent that is hard to end: it is seen out, and not for ever."""

import asyncio
from typing import Any, cast

import pytest

from parley.errors import ConnectionLost, LocalProtocolError
from parley.protocol.bridge_client import BridgedClient, Turn
from parley.protocol.bridge_loss import LossGate, LossRefused
from parley.protocol.bridge_turn import BridgedTurn
from parley.protocol.settings import Loss
from parley.session.content import Text
from parley.session.role import Ending, Prompt

PROMPT = Prompt((Text("go"),))


class Agent:
    """Ends a turn in the way that a test chooses, and never says more than that."""

    def __init__(self, end: Ending | Exception | None = None) -> None:
        self.end = end
        self.begun = asyncio.Event()
        self.told = asyncio.Event()
        self.ended = asyncio.Event()
        self.problem: Exception | None = None

    async def prompt(self, session_id: str, prompt: Prompt) -> Ending:
        self.begun.set()
        await self.ended.wait()
        if isinstance(self.end, Ending):
            return self.end
        raise self.end or AssertionError

    async def cancel(self, session_id: str) -> None:
        self.told.set()
        if self.problem is not None:
            raise self.problem


def _turn(agent: Agent, patience: float = 5.0) -> tuple[BridgedTurn, Turn]:
    client = BridgedClient(LossGate(None, strict=False))
    return BridgedTurn(cast("Any", agent), client, "s", patience), Turn(PROMPT)


def _run(scenario: Any) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(5):
            await scenario()

    asyncio.run(bounded())


@pytest.mark.parametrize("end", [Ending("max_tokens"), ConnectionLost("gone")])
def test_the_outcome_is_the_ending_or_the_trouble(end: Ending | Exception) -> None:
    async def scenario() -> None:
        agent = Agent(end)
        agent.ended.set()
        running, turn = _turn(agent)
        assert await running.run(PROMPT, turn) is end

    _run(scenario)


def test_whoever_cancels_waits_for_the_agent() -> None:
    async def scenario() -> None:
        agent = Agent(Ending("cancelled"))
        running, turn = _turn(agent)
        async with asyncio.TaskGroup() as group:
            task = group.create_task(running.run(PROMPT, turn))
            await agent.begun.wait()
            task.cancel()
            await agent.told.wait()
            await asyncio.sleep(0)
            assert not task.done()
            agent.ended.set()
        assert task.cancelled()

    _run(scenario)


@pytest.mark.parametrize("problem", [None, LocalProtocolError("not open")])
def test_an_agent_that_does_not_end_is_left_behind(problem: Exception | None) -> None:
    async def scenario() -> None:
        agent = Agent()
        agent.problem = problem
        running, turn = _turn(agent, patience=0.01)
        async with asyncio.TaskGroup() as group:
            task = group.create_task(running.run(PROMPT, turn))
            await agent.begun.wait()
            task.cancel()
        assert task.cancelled()

    _run(scenario)


def test_who_cancels_twice_does_not_wait() -> None:
    async def scenario() -> None:
        agent = Agent()
        running, turn = _turn(agent)
        async with asyncio.TaskGroup() as group:
            task = group.create_task(running.run(PROMPT, turn))
            await agent.begun.wait()
            task.cancel()
            await agent.told.wait()
            task.cancel()
        assert task.cancelled()

    _run(scenario)


def test_a_loss_that_is_refused_ends_the_turn_at_the_agent() -> None:
    async def scenario() -> None:
        agent = Agent(Ending("cancelled"))
        running, turn = _turn(agent)
        async with asyncio.TaskGroup() as group:
            task = group.create_task(running.run(PROMPT, turn))
            await agent.begun.wait()
            refused = LossRefused(Loss("diff", "a diff"))
            turn.refuse(refused)
            await agent.told.wait()
            agent.ended.set()
            assert await task is refused

    _run(scenario)
