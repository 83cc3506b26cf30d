"""What crosses the wire in a session: content unchanged, commands as text, no empty words."""

import json
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from parley.sdk.agent import Agent
from parley.sdk.client import Client
from parley.sdk.conversation import AgentConnection
from parley.sdk.tasks import Tasks
from parley.sdk.turn import Session, Turn
from parley.session.content import Link
from parley.session.option import Choice, Command, Select, Toggle
from parley.transport.memory import memory_pair
from parley.transport.tap import TappedFrame, TapTransport
from tests.sdk.stage import (
    VERSIONS,
    end_of_turn,
    joined,
    new_session,
    prompt_params,
    run,
    served,
    settings_for,
)

both = pytest.mark.parametrize("version", VERSIONS)

ANNOTATIONS = {"audience": ["user"], "priority": 0.5, "lastModified": "2026-01-01T00:00:00Z"}
FROM_MCP: list[dict[str, Any]] = [
    {"type": "text", "text": "é \u2028 text", "annotations": ANNOTATIONS, "_meta": {"a": [1]}},
    {"type": "image", "data": "AAECAw==", "mimeType": "image/png", "annotations": ANNOTATIONS},
    {"type": "audio", "data": "AAECAw==", "mimeType": "audio/wav", "_meta": {"b": None}},
    {
        "type": "resource_link",
        "uri": "file:///a",
        "name": "a",
        "title": "A",
        "description": "About a",
        "mimeType": "text/plain",
        "size": 2**40,
    },
    {"type": "resource", "resource": {"uri": "file:///b", "mimeType": "text/x", "text": "b"}},
    {"type": "resource", "resource": {"uri": "file:///c", "blob": "AAECAw=="}},
]


@both
def test_content_of_an_mcp_server_is_passed_on_unchanged(version: int) -> None:
    agent = Agent("echo", image=True, audio=True, embedded_context=True)

    @agent.prompt
    async def answer(turn: Turn) -> None:
        async with turn.tool("Call a server") as tool:
            for block in turn.prompt:
                await tool.content(block)
                await turn.say(block)

    async def scenario() -> None:
        async with served(agent, version) as peer:
            session_id = await new_session(peer)
            asked = peer.ask("session/prompt", {"sessionId": session_id, "prompt": FROM_MCP})
            await end_of_turn(peer, version, asked)
            updates = peer.updates()
        said = [each["content"] for each in updates if "message_chunk" in each["sessionUpdate"]]
        # V1-CNT-01, V1-CNT-05
        assert [each for each in said if isinstance(each, dict)] == FROM_MCP
        assert _shown(updates) == FROM_MCP

    run(scenario())


def _shown(updates: list[dict[str, Any]]) -> list[Any]:
    """What the tool call shows at the end: whole lists in version 1, chunks in version 2."""
    chunks = [u["content"] for u in updates if u["sessionUpdate"] == "tool_call_content_chunk"]
    lists = [u["content"] for u in updates if "tool_call" in u["sessionUpdate"] and "content" in u]
    shown = chunks or lists[-1]
    return [each["content"] for each in shown]


@both
def test_a_command_is_text_in_a_prompt_among_other_blocks(version: int) -> None:
    agent = Agent("test", commands=[Command("plan", "Plans", "what")])
    seen: list[Any] = []

    @agent.prompt
    async def answer(turn: Turn) -> None:
        seen.append((turn.text, turn.prompt))
        await turn.say("planned")

    async def scenario() -> None:
        async with joined(agent, version) as connection:
            session = await connection.new_session("/")
            link = Link("file:///a", "a")
            # V1-CMD-03, V1-CMD-04
            assert await session.ask(["/plan a trip", link]) == "planned"
            assert [(text, content[1:]) for text, content in seen] == [("/plan a trip", (link,))]

    run(scenario())


def test_a_command_that_the_agent_handles_itself_has_the_life_of_any_turn() -> None:
    agent = Agent("test", commands=[Command("help", "Helps")])

    @agent.prompt
    async def answer(turn: Turn) -> None:
        assert turn.text == "/help"

    async def scenario() -> None:
        async with served(agent, 2) as peer:
            session_id = await new_session(peer)
            asked = peer.ask("session/prompt", prompt_params(session_id, "/help"))
            # V2-CMD-03
            assert await end_of_turn(peer, 2, asked) == "end_turn"
            states = [each["state"] for each in peer.updates() if "state" in each]
            assert states == ["running", "idle"]

    run(scenario())


def _talkative() -> Agent:
    """An agent that uses what an agent can say, and leaves out what it may leave out."""
    mode = Select("mode", "Mode", "ask", (Choice("ask", "Ask"),), category="mode")
    agent = Agent(
        "talkative", options=[mode, Toggle("web", "Web", False)], commands=[Command("a", "A")]
    )

    @agent.resume_session
    async def resume(session: Session) -> None: ...

    @agent.prompt
    async def answer(turn: Turn) -> None:
        await turn.think("hm")
        await turn.say("yes")
        await turn.plan(["one"])
        await turn.title("Title")
        await turn.usage(1, 2)
        await turn.notice("Careful")
        async with turn.tool("Edit", kind="edit", locations=["a"]) as tool:
            await tool.ask()
            await tool.diff("a", None, "new\n")
            await tool.update(output=[1])
        screen = await turn.terminal("make")
        await screen.write(b"ok")
        await screen.exit(0)

    return agent


async def _recorded(
    version: int, drive: Callable[[AgentConnection], Awaitable[None]]
) -> list[dict[str, Any]]:
    """Everything that both sides of a conversation sent."""
    frames: list[dict[str, Any]] = []

    def record(frame: TappedFrame) -> None:
        if frame.direction == "out":
            assert isinstance(frame.frame, bytes)
            frames.append(json.loads(frame.frame))

    near, far = memory_pair()
    settings = settings_for(version)
    async with Tasks() as tasks:
        serving = tasks.start(_talkative().serve(TapTransport(far, record), settings))
        client = Client("test", permission="allow")
        async with client.connect(TapTransport(near, record), settings=settings) as connection:
            await drive(connection)
        await serving
    return frames


@both
def test_what_is_absent_is_omitted_and_never_null(version: int) -> None:
    async def drive(connection: AgentConnection) -> None:
        session = await connection.new_session("/")
        await session.prompt("go")
        await session.set_option("web", True)
        await session.close()
        await (await connection.resume_session(session.id, "/")).prompt("again")

    async def scenario() -> None:
        frames = await _recorded(version, drive)
        assert len(frames) > 30
        # DEC-14, DEC-15: nothing here was cleared, so no null has a meaning.
        assert [path for frame in frames for path in _nulls(frame)] == []

    run(scenario())


def _nulls(value: Any, path: str = "") -> Iterator[str]:
    if value is None:
        yield path
    elif isinstance(value, dict):
        for key, member in value.items():
            yield from _nulls(member, f"{path}.{key}")
    elif isinstance(value, list):
        for item in value:
            yield from _nulls(item, f"{path}[]")
