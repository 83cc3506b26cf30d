"""Each error code is given for what it stands for, in both versions."""

import asyncio
from typing import Any

import pytest

from parley.errors import AuthRequired
from parley.sdk.agent import Agent
from parley.sdk.turn import Session, Turn
from tests.protocol.wire import RawPeer
from tests.sdk.stage import VERSIONS, prompt_params, run, served

NEW = {"cwd": "/", "mcpServers": []}


def _agent() -> Agent:
    agent = Agent("test")

    @agent.prompt
    async def answer(turn: Turn) -> None: ...

    @agent.new_session
    async def prepare(session: Session) -> None:
        raise AuthRequired

    @agent.method("_x/fail")
    async def fail(params: Any) -> None:
        raise ZeroDivisionError

    @agent.method("_x/wait")
    async def wait(params: Any) -> None:
        await asyncio.Event().wait()

    return agent


async def _raw(peer: RawPeer, frame: bytes) -> dict[str, Any]:
    peer._transport.send(frame)  # pyright: ignore
    return (await peer.until(lambda message: "error" in message))["error"]


async def _cancelled(peer: RawPeer) -> dict[str, Any]:
    asked = peer.ask("_x/wait", {})
    peer.note("$/cancel_request", {"requestId": asked})
    return (await peer.answer(asked))["error"]


@pytest.mark.parametrize("version", VERSIONS)
def test_every_code_is_provoked(version: int) -> None:
    async def scenario() -> None:
        async with served(_agent(), version) as peer:
            unknown = await peer.error("session/prompt", prompt_params("nope"))
            errors = {  # V2-ERR-01, IAC-25
                -32700: await _raw(peer, b'{"jsonrpc":'),
                -32600: await _raw(peer, b'{"jsonrpc":"2.0","id":1,"method":5}'),
                -32601: await peer.error("no/such"),
                -32602: await peer.error("session/new", {"cwd": 5}),
                -32603: await peer.error("_x/fail"),
                -32800: await _cancelled(peer),
                -32000: await peer.error("session/new", NEW),
                -32002: unknown,
            }
            assert {code: error["code"] for code, error in errors.items()} == {
                code: code for code in errors
            }
            assert unknown["data"] == {"sessionId": "nope"}

    run(scenario())
