"""What the tests of the SDK share: bounded scenarios, a pair, a raw peer at either end."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from parley.protocol.settings import Settings
from parley.sdk.agent import Agent
from parley.sdk.client import Client
from parley.sdk.conversation import AgentConnection
from parley.sdk.tasks import Tasks
from parley.transport.memory import memory_pair
from parley.transport.tap import TapTransport
from tests.protocol.wire import Judge, RawPeer

BOUND = 5.0
"""Seconds that any scenario may take."""
VERSIONS = (1, 2)
INITIALIZE = {
    1: {"protocolVersion": 1, "clientCapabilities": {}},
    2: {"protocolVersion": 2, "info": {"name": "raw", "version": "1"}, "capabilities": {}},
}
INITIALIZED = {
    1: {"protocolVersion": 1, "agentCapabilities": {"loadSession": True}},
    2: {
        "protocolVersion": 2,
        "info": {"name": "raw", "version": "1"},
        "capabilities": {"session": {}},
    },
}


def run(scenario: Coroutine[Any, Any, None]) -> None:
    """Run a scenario to its end, within the bound."""

    async def bounded() -> None:
        async with asyncio.timeout(BOUND):
            await scenario

    asyncio.run(bounded())


def settings_for(version: int, **choices: Any) -> Settings:
    return Settings(versions=(version,), deadline=BOUND, **choices)


@asynccontextmanager
async def joined(
    agent: Agent, version: int, client: Client | None = None, **choices: Any
) -> AsyncGenerator[AgentConnection]:
    """An agent and a client over memory; the block gets the agent as the client sees it."""
    settings = settings_for(version, **choices)
    near, far = memory_pair()
    async with Tasks() as tasks:
        serving = tasks.start(agent.serve(far, settings))
        async with (client or Client("test")).connect(near, settings=settings) as connection:
            yield connection
        await serving


@asynccontextmanager
async def served(agent: Agent, version: int, **choices: Any) -> AsyncGenerator[RawPeer]:
    """An agent and a raw client that is initialized; all that the agent sends is judged."""
    near, far = memory_pair()
    judge = Judge(version, extras=("models",))
    tapped = TapTransport(far, judge.record)
    async with Tasks() as tasks:
        serving = tasks.start(agent.serve(tapped, Settings(deadline=BOUND, **choices)))
        peer = RawPeer(near)
        await peer.result("initialize", INITIALIZE[version])
        yield peer
        await near.aclose()
        await serving
    assert judge.problems == []


async def new_session(peer: RawPeer) -> str:
    answer = await peer.result("session/new", {"cwd": "/", "mcpServers": []})
    return answer["sessionId"]


def prompt_params(session_id: str, text: str = "go") -> dict[str, Any]:
    return {"sessionId": session_id, "prompt": [{"type": "text", "text": text}]}


async def end_of_turn(peer: RawPeer, version: int, prompt_id: int) -> str | None:
    """Wait for the end of a turn; its stop reason."""
    if version == 1:
        answer = await peer.answer(prompt_id)
        return answer["result"]["stopReason"] if "result" in answer else "error"
    idle = await peer.until(
        lambda m: (
            m.get("method") == "session/update" and m["params"]["update"].get("state") == "idle"
        )
    )
    return idle["params"]["update"].get("stopReason")


class RawAgent:
    """A raw agent that a client of ours is connected to."""

    def __init__(self, peer: RawPeer, version: int) -> None:
        self.peer = peer
        self.version = version

    async def begin(self) -> None:
        """Answer `initialize`."""
        request = await self.peer.request("initialize")
        self.peer.reply(request, INITIALIZED[self.version])

    async def open(self, session_id: str = "s") -> None:
        """Answer the request for a new session."""
        self.peer.reply(await self.peer.request("session/new"), {"sessionId": session_id})

    async def prompted(self) -> dict[str, Any]:
        """The next prompt, accepted where a version does that at once."""
        request = await self.peer.request("session/prompt")
        if self.version == 2:
            message_id = f"m{request['id']}"
            self.peer.reply(request, {"messageId": message_id})
            content = request["params"]["prompt"]
            echo = {"sessionUpdate": "user_message", "messageId": message_id, "content": content}
            self.update(echo, request)
            self.update({"sessionUpdate": "state_update", "state": "running"}, request)
        return request

    def update(self, update: dict[str, Any], request: dict[str, Any]) -> None:
        session_id = request["params"]["sessionId"]
        self.peer.note("session/update", {"sessionId": session_id, "update": update})

    def say(self, text: str, request: dict[str, Any]) -> None:
        chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
        if self.version == 2:
            chunk["messageId"] = "a"
        self.update(chunk, request)

    def finish(self, request: dict[str, Any], reason: str = "end_turn") -> None:
        if self.version == 1:
            self.peer.reply(request, {"stopReason": reason})
        else:
            idle = {"sessionUpdate": "state_update", "state": "idle", "stopReason": reason}
            self.update(idle, request)


@asynccontextmanager
async def driven(
    version: int, client: Client | None = None, **choices: Any
) -> AsyncGenerator[tuple[AgentConnection, RawAgent]]:
    """A client of ours and a raw agent that has answered `initialize`."""
    near, far = memory_pair()
    raw = RawAgent(RawPeer(far), version)
    settings = settings_for(version, **choices)
    async with Tasks() as tasks:
        beginning = tasks.start(raw.begin())
        async with (client or Client("test")).connect(near, settings=settings) as connection:
            await beginning
            yield connection, raw
