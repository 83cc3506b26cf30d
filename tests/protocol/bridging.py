"""A bridge between a raw client and a raw agent; whatever the bridge sends is judged."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from parley.errors import TransportError
from parley.protocol.bridge import bridge
from parley.protocol.settings import Loss, Settings
from parley.rpc.transport import Transport
from parley.transport.memory import MemoryTransport, memory_pair
from parley.transport.tap import TapTransport
from tests.protocol.wire import BOUND, Judge, RawPeer

DIRECTIONS = ((1, 2), (2, 1))
"""The version of the client, and that of the agent."""
ALL_WAYS = ((1, 1), (1, 2), (2, 1), (2, 2))

INITIALIZE: dict[int, dict[str, Any]] = {
    1: {"protocolVersion": 1, "clientCapabilities": {}},
    2: {"protocolVersion": 2, "info": {"name": "raw", "version": "1"}, "capabilities": {}},
}
INITIALIZED: dict[int, dict[str, Any]] = {
    1: {"protocolVersion": 1, "agentCapabilities": {}},
    2: {
        "protocolVersion": 2,
        "info": {"name": "raw", "version": "1"},
        "capabilities": {"session": {}},
    },
}
NEW: dict[str, Any] = {"cwd": "/project", "mcpServers": []}
TEXT = [{"type": "text", "text": "go"}]


@dataclass
class Stage:
    """Both ends of a bridge that runs."""

    client: RawPeer
    agent: RawPeer
    versions: tuple[int, int]
    client_wire: MemoryTransport
    agent_wire: MemoryTransport
    lost: list[Loss] = field(default_factory=list[Loss])
    end: "asyncio.Task[TransportError | None] | None" = None

    @property
    def losses(self) -> list[str]:
        return [loss.what for loss in self.lost]

    async def initialize(self, asks: dict[str, Any] | None = None, **answers: Any) -> Any:
        """Let the client ask and the agent answer with these members more; the answer."""
        asked = self.client.ask("initialize", {**INITIALIZE[self.versions[0]], **(asks or {})})
        await self.answer_initialize(**answers)
        return (await self.client.answer(asked))["result"]

    async def answer_initialize(self, **members: Any) -> dict[str, Any]:
        """The agent's part; an agent of version 1 is asked in the form of version 2 first."""
        version = self.versions[1]
        for _ in range(2 if version == 1 else 1):
            request = await self.agent.request("initialize")
            self.agent.reply(request, {**INITIALIZED[version], **members})
        return request["params"]

    async def open(self, session_id: str = "s", **members: Any) -> Any:
        """A new session; the answer that the client gets."""
        asked = self.client.ask("session/new", NEW)
        request = await self.agent.request("session/new")
        self.agent.reply(request, {"sessionId": session_id, **members})
        return (await self.client.answer(asked))["result"]

    async def passed(self, method: str, params: Any, result: Any = None, to: str = "") -> Any:
        """Let a request of the client pass; what the agent was asked, and the client's answer."""
        asked = self.client.ask(method, params)
        request = await self.agent.request(to or method)
        self.agent.reply(request, {} if result is None else result)
        return request["params"], (await self.client.answer(asked)).get("result")

    def prompt(self, prompt: Any = None, session_id: str = "s", **members: Any) -> int:
        """Send a prompt; its id."""
        params = {"sessionId": session_id, "prompt": prompt or TEXT, **members}
        return self.client.ask("session/prompt", params)

    async def prompted(self, echo: bool = True) -> dict[str, Any]:
        """The next prompt at the agent, accepted where a version does that at once."""
        request = await self.agent.request("session/prompt")
        if self.versions[1] == 2:
            message_id = f"m{request['id']}"
            self.agent.reply(request, {"messageId": message_id})
            if echo:
                self.update(
                    "user_message", messageId=message_id, content=request["params"]["prompt"]
                )
            self.update("state_update", state="running")
        return request

    def update(self, kind: str, /, session_id: str = "s", **members: Any) -> None:
        """Let the agent report something."""
        update = {"sessionUpdate": kind, **members}
        self.agent.note("session/update", {"sessionId": session_id, "update": update})

    def say(self, text: str, message_id: str = "a") -> None:
        content = {"type": "text", "text": text}
        self.update("agent_message_chunk", content=content, messageId=message_id)

    def finish(self, request: dict[str, Any], reason: str | None = "end_turn", **more: Any) -> None:
        """Let the agent end the turn."""
        members = more if reason is None else {"stopReason": reason, **more}
        if self.versions[1] == 1:
            self.agent.reply(request, members)
        else:
            self.update("state_update", state="idle", **members)

    async def ended(self, prompt_id: int) -> dict[str, Any]:
        """How the turn ended for the client: the answer, or the idle state."""
        answer = await self.client.answer(prompt_id)
        if self.versions[0] == 1 or "error" in answer:
            return answer.get("result", answer)
        idle = await self.client.until(lambda m: update_in(m).get("state") == "idle")
        return update_in(idle)

    async def sync(self) -> None:
        """Wait until everything that the agent has sent before went through."""
        self.agent.note("_passed", {})
        await self.client.request("_passed")


def update_in(message: dict[str, Any]) -> dict[str, Any]:
    """The update in a message, or nothing."""
    return message["params"]["update"] if message.get("method") == "session/update" else {}


def updates(stage: Stage, *kinds: str) -> list[dict[str, Any]]:
    """What the client was told so far, of these kinds."""
    found = stage.client.updates()
    return [each for each in found if not kinds or each["sessionUpdate"] in kinds]


@asynccontextmanager
async def raw_bridge(
    client_version: int, agent_version: int, *, strict: bool = False, **choices: Any
) -> AsyncGenerator[Stage]:
    """A bridge whose client has not said a word yet."""
    near, far = memory_pair()
    left, right = memory_pair()
    judges = (
        Judge(client_version, unstable=choices.get("unstable", False), extras=("models",)),
        # An agent of version 1 is asked in the form of version 2 first.
        Judge(
            agent_version,
            unstable=choices.get("unstable", False),
            extras=("info", "capabilities"),
            methods=("session/set_model",),
        ),
    )
    stage = Stage(RawPeer(near), RawPeer(right), (client_version, agent_version), near, right)
    settings = Settings(**{"deadline": BOUND, "on_loss": stage.lost.append, **choices})

    async def reach() -> Transport:
        return TapTransport(left, judges[1].record)

    async with asyncio.timeout(4 * BOUND), asyncio.TaskGroup() as group:
        stage.end = group.create_task(
            bridge(TapTransport(far, judges[0].record), reach, settings, strict=strict)
        )
        yield stage
        # Without its agent a turn that still runs is over at once.
        await right.aclose()
        await near.aclose()
    assert [problem for judge in judges for problem in judge.problems] == []


@asynccontextmanager
async def bridged(
    client_version: int,
    agent_version: int,
    *,
    asks: dict[str, Any] | None = None,
    answers: dict[str, Any] | None = None,
    session: dict[str, Any] | None = None,
    **choices: Any,
) -> AsyncGenerator[Stage]:
    """A bridge with the session `s` open at both ends."""
    async with raw_bridge(client_version, agent_version, **choices) as stage:
        await stage.initialize(asks, **(answers or {}))
        await stage.open(**(session or {}))
        yield stage
