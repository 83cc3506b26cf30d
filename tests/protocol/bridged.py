"""A bridge between two ends that write JSON by hand."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from parley.protocol.bridge import bridge
from parley.protocol.settings import Loss, Settings
from parley.rpc.transport import Transport
from parley.transport.memory import MemoryTransport, memory_pair
from tests.protocol.wire import RawPeer

INITIALIZE: dict[int, dict[str, Any]] = {
    1: {"protocolVersion": 1, "clientCapabilities": {}},
    2: {"protocolVersion": 2, "info": {"name": "editor", "version": "1"}},
}
SESSION_2: dict[str, Any] = {"session": {"mcp": {"stdio": {}}}}


def agent_answer(version: int, **capabilities: Any) -> dict[str, Any]:
    """What an agent of a version answers to `initialize`."""
    if version == 1:
        return {"protocolVersion": 1, "agentCapabilities": capabilities}
    info = {"name": "agent", "version": "2"}
    return {"protocolVersion": 2, "info": info, "capabilities": capabilities or SESSION_2}


@dataclass
class Bridged:
    """Both ends of a bridge, as the test plays them."""

    client: RawPeer
    agent: RawPeer
    agent_wire: MemoryTransport
    client_version: int
    agent_version: int
    losses: list[Loss] = field(default_factory=list[Loss])

    @property
    def lost(self) -> list[str]:
        return [loss.what for loss in self.losses]

    async def initialize(self, **capabilities: Any) -> dict[str, Any]:
        """Introduce both; the answer that the client gets."""
        asked = self.client.ask("initialize", INITIALIZE[self.client_version])
        first = await self.agent.request("initialize")
        self.agent.reply(first, agent_answer(self.agent_version, **capabilities))
        if self.agent_version == 1:
            # The bridge speaks both, so it asks again in the form of version 1.
            again = await self.agent.request("initialize")
            self.agent.reply(again, agent_answer(1, **capabilities))
        return await self.client.answer(asked)

    async def open(self, setup: dict[str, Any] | None = None, **capabilities: Any) -> Any:
        """Introduce both and open the session `s`; the result that the client gets."""
        await self.initialize(**capabilities)
        asked = self.client.ask("session/new", {"cwd": "/", "mcpServers": []})
        request = await self.agent.request("session/new")
        self.agent.reply(request, {"sessionId": "s", **(setup or {})})
        return (await self.client.answer(asked))["result"]

    async def prompt(self, text: str = "hi") -> tuple[int, dict[str, Any]]:
        """Send a prompt; its id, and the request as the agent gets it."""
        prompt = [{"type": "text", "text": text}]
        asked = self.client.ask("session/prompt", {"sessionId": "s", "prompt": prompt})
        return asked, await self.agent.request("session/prompt")

    def tell(self, **update: Any) -> None:
        """Let the agent report something."""
        self.agent.note("session/update", {"sessionId": "s", "update": update})

    async def told(self, kind: str) -> dict[str, Any]:
        """The next update of this kind that the client gets."""

        def wanted(message: dict[str, Any]) -> bool:
            update = message.get("params", {}).get("update", {})
            return message.get("method") == "session/update" and update["sessionUpdate"] == kind

        return (await self.client.until(wanted))["params"]["update"]

    async def begin(self) -> tuple[int, dict[str, Any]]:
        """A turn that runs: the id of the client's prompt and the agent's request."""
        asked, request = await self.prompt()
        if self.agent_version == 2:
            self.agent.reply(request, {"messageId": "m"})
            echo = [{"type": "text", "text": "hi"}]
            self.tell(sessionUpdate="user_message", messageId="m", content=echo)
            self.tell(sessionUpdate="state_update", state="running")
        return asked, request

    def finish(self, request: dict[str, Any], reason: str = "end_turn") -> None:
        """Let the agent end the turn."""
        if self.agent_version == 2:
            self.tell(sessionUpdate="state_update", state="idle", stopReason=reason)
        else:
            self.agent.reply(request, {"stopReason": reason})

    async def ended(self, asked: int) -> str | None:
        """Why the turn ended, as the client learns it."""
        if self.client_version == 1:
            return (await self.client.answer(asked))["result"]["stopReason"]
        while (state := await self.told("state_update"))["state"] != "idle":
            pass
        return state.get("stopReason")


@asynccontextmanager
async def bridged(
    client_version: int, *, strict: bool = False, unstable: bool = False
) -> AsyncGenerator[Bridged]:
    """A client of a version, a bridge, and an agent of the other version."""
    near, far = memory_pair()
    left, right = memory_pair()
    ends = Bridged(RawPeer(near), RawPeer(right), right, client_version, 3 - client_version)

    async def reach() -> Transport:
        return left

    settings = Settings(unstable=unstable, on_loss=ends.losses.append, deadline=2)
    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        running = group.create_task(bridge(far, reach, settings, strict=strict))
        yield ends
        await near.aclose()
        await running
