"""The first words of a connection on the agent's side: which version, and when."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from parley.protocol.serve import serve
from parley.protocol.settings import Settings
from parley.sdk.agent import Agent
from parley.sdk.application import Application
from parley.sdk.tasks import Tasks
from parley.sdk.turn import Turn
from parley.transport.memory import memory_pair
from tests.protocol.wire import BOUND, RawPeer
from tests.sdk.stage import INITIALIZE, run

OPEN = {"cwd": "/", "mcpServers": []}


@asynccontextmanager
async def _served(settings: Settings | None = None) -> AsyncGenerator[RawPeer]:
    agent = Agent("test")

    @agent.prompt
    async def answer(turn: Turn) -> None:
        await asyncio.Event().wait()

    near, far = memory_pair()
    async with Tasks() as tasks:
        serving = tasks.start(serve(Application(agent.registry), far, settings))
        yield RawPeer(near)
        await near.aclose()
        async with asyncio.timeout(BOUND):
            await serving


@pytest.mark.parametrize(
    ("versions", "asked", "answered"),
    [
        ((1, 2), 1, 1),
        ((1, 2), 2, 2),
        ((1, 2), 3, 2),
        ((1, 2), 65535, 2),
        ((1,), 2, 1),
        ((1,), 0, 1),
        ((2,), 2, 2),
    ],
)
def test_neg_03_the_newest_version_that_both_know_is_spoken(
    versions: tuple[int, ...], asked: int, answered: int
) -> None:
    async def scenario() -> None:
        async with _served(Settings(versions=versions)) as peer:
            hello = {**INITIALIZE[2], "clientCapabilities": {}, "protocolVersion": asked}
            answer = await peer.result("initialize", hello)
            assert answer["protocolVersion"] == answered

    run(scenario())


@pytest.mark.parametrize("versions", [(2,), (1, 2)])
def test_neg_05_no_common_version_is_an_error_that_lists_ours(versions: tuple[int, ...]) -> None:
    async def scenario() -> None:
        async with _served(Settings(versions=versions)) as peer:
            error = await peer.error("initialize", {**INITIALIZE[2], "protocolVersion": 0})
            assert error["code"] == -32022
            assert error["data"] == {"requested": 0, "supported": list(versions)}
            # The client may try again.
            await peer.result("initialize", INITIALIZE[2])

    run(scenario())


@pytest.mark.parametrize("params", [None, {}, {"protocolVersion": "1"}, {"protocolVersion": -1}])
def test_neg_10_a_version_that_is_no_number_is_refused(params: Any) -> None:
    async def scenario() -> None:
        async with _served() as peer:
            assert (await peer.error("initialize", params))["code"] == -32602

    run(scenario())


def test_neg_12_whatever_comes_before_initialize_is_refused_and_does_no_harm() -> None:
    async def scenario() -> None:
        async with _served() as peer:
            peer.note("session/cancel", {"sessionId": "s"})
            assert (await peer.error("session/new", OPEN))["code"] == -32600
            assert (await peer.error("_x/y", {}))["code"] == -32600
            await peer.result("initialize", INITIALIZE[1])
            await peer.result("session/new", OPEN)

    run(scenario())


def test_neg_15_version_1_may_be_initialized_again_until_the_first_other_request() -> None:
    async def scenario() -> None:
        async with _served() as peer:
            for _ in range(2):
                await peer.result("initialize", INITIALIZE[1])
            await peer.result("session/new", OPEN)
            error = await peer.error("initialize", INITIALIZE[1])
            assert (error["code"], "already" in error["message"]) == (-32600, True)

    run(scenario())


def test_neg_14_version_2_may_be_initialized_again_until_the_first_other_request() -> None:
    async def scenario() -> None:
        async with _served() as peer:
            for _ in range(2):
                await peer.result("initialize", INITIALIZE[2])
            await peer.result("session/new", OPEN)
            assert (await peer.error("initialize", INITIALIZE[2]))["code"] == -32600

    run(scenario())


@pytest.mark.parametrize(("version", "code"), [(1, None), (2, -32600)])
def test_rpc_16_only_version_1_takes_null_ids(version: int, code: int | None) -> None:
    async def scenario() -> None:
        async with _served() as peer:
            await peer.result("initialize", INITIALIZE[version])
            peer.send({"id": None, "method": "session/new", "params": OPEN})
            answer = await peer.until(lambda message: message.get("id", 0) is None)
            assert answer.get("error", {}).get("code") == code

    run(scenario())


@pytest.mark.parametrize("version", [1, 2])
def test_a_prompt_that_waits_when_the_client_goes_holds_nobody_up(version: int) -> None:
    async def scenario() -> None:
        async with _served() as peer:
            await peer.result("initialize", INITIALIZE[version])
            session_id = (await peer.result("session/new", OPEN))["sessionId"]
            prompt = {"sessionId": session_id, "prompt": [{"type": "text", "text": "x"}]}
            for _ in range(2):
                peer.ask("session/prompt", prompt)

    run(scenario())


def test_a_client_that_says_nothing_ends_in_peace() -> None:
    async def scenario() -> None:
        async with _served() as peer:
            assert peer.seen == []

    run(scenario())
