"""Opening, finding, changing and closing sessions, as a client of version 2 sees it."""

import asyncio
from typing import Any

import pytest

from parley.protocol.settings import Settings
from parley.session.content import Text
from parley.session.event import (
    ChunkAdded,
    InfoChanged,
    MessageChanged,
    OptionsChanged,
    StateChanged,
    ToolCallChanged,
)
from parley.session.option import Choice, Command, Select, Toggle
from parley.session.profile import AgentCapabilities
from parley.session.role import (
    Ending,
    HttpServer,
    Prompt,
    SessionRequest,
    SessionSetup,
    StdioServer,
)
from tests.protocol.v2.roles import ScriptedAgent, never
from tests.protocol.v2.wire import Json, served, text, update_of

HELLO = {"sessionId": "s1", "prompt": [text("hi")]}
MODEL = Select("model", "Model", "big", (Choice("big", "Big"), Choice("small", "Small")))
LOUD = Toggle("loud", "Loud", False)
ALL = AgentCapabilities(
    delete=True, additional_directories=True, mcp_stdio=True, mcp_http=True, fork=True
)
UNSTABLE = Settings(versions=(2,), unstable=True)


def test_a_new_session_gets_what_it_is_opened_with() -> None:
    """V2-SES-01, V2-SES-03, V2-MCP-04"""

    async def scenario() -> None:
        agent = ScriptedAgent(capabilities=ALL)
        agent.setup = SessionSetup("s1", (MODEL, LOUD), (Command("help", "Helps"),))
        servers = [
            {"type": "stdio", "name": "a", "command": "/bin/a"},
            {"type": "http", "name": "b", "url": "https://b"},
        ]
        async with served(agent) as peer:
            await peer.initialize()
            params = {"cwd": "/w", "mcpServers": servers, "additionalDirectories": ["/v"]}
            answer = await peer.call("session/new", params)
            assert [option["configId"] for option in answer["configOptions"]] == ["model", "loud"]
            assert answer["availableCommands"] == [
                {"type": "command", "name": "help", "description": "Helps"}
            ]
        given = (StdioServer("a", "/bin/a"), HttpServer("b", "https://b"))
        assert agent.asked == [("new_session", SessionRequest("/w", ("/v",), given))]

    asyncio.run(scenario())


def test_what_is_said_before_the_answer_is_held_until_behind_it() -> None:
    """V2-SES-02"""

    async def scenario() -> None:
        agent = ScriptedAgent()
        agent.early = (ChunkAdded("agent", Text("welcome"), "a1"), OptionsChanged((LOUD,)))
        async with served(agent) as peer:
            await peer.open()
            await peer.updated("config_option_update")
            kinds = [update_of(m).get("sessionUpdate", "answer") for m in peer.seen[1:]]
            assert kinds == ["answer", "agent_message_chunk", "config_option_update"]

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"cwd": 5},
        {"cwd": "relative"},
        {"cwd": "file:///w"},
        {"cwd": "/w", "additionalDirectories": ["/v"]},  # V2-DIR-01: not advertised
        {"cwd": "/w", "mcpServers": "x"},  # DEC-03
        {"cwd": "/w", "mcpServers": [{"type": "http", "name": "a", "url": "https://a"}]},
        {"cwd": "/w", "mcpServers": [{"type": "sse", "name": "a", "url": "https://a"}]},
        {"cwd": "/w", "mcpServers": [{"type": "_x", "name": "a"}]},  # V2-MCP-03
        {"cwd": "/w", "mcpServers": [{"name": "a", "command": "/a"}]},  # V2-MCP-01
        {"cwd": "/w", "mcpServers": [{"type": "stdio", "name": "a"}]},  # DEC-05
        {
            "cwd": "/w",
            "mcpServers": [
                {"type": "stdio", "name": "a", "command": "/a"},
                {"type": "stdio", "name": "a", "command": "/b"},  # V2-MCP-06
            ],
        },
    ],
)
def test_a_session_that_cannot_be_opened_so_is_refused(params: Json) -> None:
    async def scenario() -> None:
        agent = ScriptedAgent()
        async with served(agent) as peer:
            await peer.initialize()
            assert await peer.refused("session/new", params) == -32602
            assert agent.asked == []

    asyncio.run(scenario())


def test_null_lists_are_empty_lists() -> None:
    """DEC-03"""

    async def scenario() -> None:
        async with served(ScriptedAgent()) as peer:
            await peer.initialize()
            params = {"cwd": "/w", "mcpServers": None, "additionalDirectories": None}
            assert (await peer.call("session/new", params))["sessionId"] == "s1"

    asyncio.run(scenario())


def test_history_is_replayed_before_the_state_and_the_state_before_the_answer() -> None:
    """V2-RES-01, V2-RES-03, V2-RES-04, V2-RES-05"""

    async def scenario() -> None:
        agent = ScriptedAgent()
        agent.setup = SessionSetup("s1", (LOUD,))
        agent.history = (
            MessageChanged("user", "u1", (Text("hi"),)),
            ChunkAdded("agent", Text("hello")),
            StateChanged("running"),
            ChunkAdded("agent", Text("again")),
            StateChanged("idle", "end_turn"),
        )
        start = {"type": "start"}
        async with served(agent) as peer:
            await peer.initialize()
            params = {"sessionId": "old", "cwd": "/w", "replayFrom": start}
            answer = await peer.call("session/resume", params)
            assert [option["configId"] for option in answer["configOptions"]] == ["loud"]
            seen = [update_of(m).get("sessionUpdate", "answer") for m in peer.seen[1:]]
            chunks = ["agent_message_chunk"] * 2
            assert seen == ["user_message", *chunks, "state_update", "answer"]
            first = peer.updates()
            assert first[-1] == {
                "sessionUpdate": "state_update",
                "state": "idle",
                "stopReason": "end_turn",
            }
            # A second replay names the same messages.
            peer.seen.clear()
            await peer.call("session/resume", params)
            assert peer.updates() == first

    asyncio.run(scenario())


@pytest.mark.parametrize("params", [{}, {"replayFrom": None}])
def test_without_replay_only_the_state_comes_before_the_answer(params: Json) -> None:
    """V2-RES-02, V2-RES-05"""

    async def scenario() -> None:
        agent = ScriptedAgent()
        agent.history = (ChunkAdded("agent", Text("hello")),)
        async with served(agent) as peer:
            await peer.initialize()
            await peer.call("session/resume", {"sessionId": "old", "cwd": "/w", **params})
            assert peer.updates() == [{"sessionUpdate": "state_update", "state": "idle"}]
            assert agent.names() == ["resume_session"]
            # Messages that were counted before may be remembered by the client.
            agent.client.emit("old", ChunkAdded("agent", Text("new")))
            chunk = await peer.updated("agent_message_chunk")
            assert chunk["messageId"] != "unnamed-agent-1"

    asyncio.run(scenario())


@pytest.mark.parametrize("cursor", [{"type": "_x"}, {"type": "start2"}, 5, {}, "start"])
def test_an_unknown_place_to_replay_from_is_refused(cursor: Any) -> None:
    """V2-RES-07"""

    async def scenario() -> None:
        agent = ScriptedAgent()
        async with served(agent) as peer:
            await peer.initialize()
            params = {"sessionId": "old", "cwd": "/w", "replayFrom": cursor}
            assert await peer.refused("session/resume", params) == -32602
            assert agent.asked == []

    asyncio.run(scenario())


@pytest.mark.parametrize("missing", [(), ("load_session", "resume_session")])
@pytest.mark.parametrize("replay", [None, {"type": "start"}])
def test_an_unknown_session_is_named_and_nothing_is_left_of_it(
    missing: tuple[str, ...], replay: Json | None
) -> None:
    """V2-RES-10"""

    async def scenario() -> None:
        async with served(ScriptedAgent(missing=missing)) as peer:
            await peer.initialize()
            params = {"sessionId": "nope", "cwd": "/w", "replayFrom": replay}
            error = (await peer.answer(peer.ask("session/resume", params)))["error"]
            assert (error["code"], error["data"]) == (-32002, {"sessionId": "nope"})
            prompt = {"sessionId": "nope", "prompt": [text("hi")]}
            assert await peer.refused("session/prompt", prompt) == -32002
            assert peer.updates() == []

    asyncio.run(scenario())


def test_an_agent_that_can_only_load_resumes_without_its_history() -> None:
    async def scenario() -> None:
        agent = ScriptedAgent(missing=("resume_session",))
        agent.history = (ChunkAdded("agent", Text("hello")), ToolCallChanged("t1", title="x"))
        async with served(agent) as peer:
            await peer.initialize()
            await peer.call("session/resume", {"sessionId": "old", "cwd": "/w"})
            assert peer.updates() == [{"sessionUpdate": "state_update", "state": "idle"}]
            agent.client.emit("old", ChunkAdded("agent", Text("heard again")))
            await peer.updated("agent_message_chunk")

    asyncio.run(scenario())


def test_a_session_that_is_open_here_can_be_resumed_while_it_works() -> None:
    """V2-RES-06"""

    async def scenario() -> None:
        agent = ScriptedAgent(never, missing=("resume_session", "load_session"))
        agent.setup = SessionSetup("s1", (LOUD,))
        async with served(agent) as peer:
            await peer.open()
            await peer.call("session/prompt", HELLO)
            await peer.state("running")
            answer = await peer.call("session/resume", {"sessionId": "s1", "cwd": "/w"})
            assert [option["configId"] for option in answer["configOptions"]] == ["loud"]
            assert peer.updates()[-1]["state"] == "running"
            params = {"sessionId": "s1", "cwd": "/w", "replayFrom": {"type": "start"}}
            assert await peer.refused("session/resume", params) == -32602
            await peer.call("session/close", {"sessionId": "s1"})

    asyncio.run(scenario())


def test_sessions_are_listed_by_the_application() -> None:
    """V2-LST-01"""

    async def scenario() -> None:
        agent = ScriptedAgent()
        agent.stored = {"a": "/w", "b": "/w/sub", "c": "relative"}
        async with served(agent) as peer:
            await peer.initialize()
            everything = await peer.call("session/list")
            assert [info["sessionId"] for info in everything["sessions"]] == ["a", "b"]
            some = await peer.call("session/list", {"cwd": "/w", "cursor": ""})
            assert [info["sessionId"] for info in some["sessions"]] == ["a"]
            assert agent.asked[-1] == ("list_sessions", "/w", "", None)  # V2-LST-02
            assert await peer.refused("session/list", {"cwd": "w"}) == -32602
            assert await peer.refused("session/list", {"cursor": 5}) == -32602

    asyncio.run(scenario())


def test_an_application_that_keeps_no_list_names_what_is_open() -> None:
    """V2-INIT-04"""

    async def scenario() -> None:
        agent = ScriptedAgent(missing=("list_sessions",))
        async with served(agent) as peer:
            await peer.open()
            agent.client.emit("s1", InfoChanged("A title", "2026-01-01T00:00:00Z"))
            agent.client.emit("s1", InfoChanged())
            assert (await peer.call("session/list"))["sessions"] == [
                {
                    "sessionId": "s1",
                    "cwd": "/w",
                    "title": "A title",
                    "updatedAt": "2026-01-01T00:00:00Z",
                }
            ]
            assert (await peer.call("session/list", {"cwd": "/v"}))["sessions"] == []
            assert await peer.refused("session/list", {"cursor": "x"}) == -32602

    asyncio.run(scenario())


@pytest.mark.parametrize("missing", [(), ("close_session",)])
def test_closing_ends_the_work_first_and_then_nothing_is_sent(missing: tuple[str, ...]) -> None:
    """V2-CLO-01, V2-CLO-02, V2-CLO-03, V2-CLO-06"""

    async def scenario() -> None:
        agent = ScriptedAgent(never, missing=missing)
        async with served(agent) as peer:
            await peer.open()
            await peer.call("session/prompt", HELLO)
            await peer.state("running")
            waiting = peer.ask("session/prompt", HELLO)
            await peer.settled()
            await peer.call("session/close", {"sessionId": "s1"})
            assert peer.updates()[-1]["stopReason"] == "cancelled"
            assert (await peer.answer(waiting))["error"]["code"] == -32800
            assert "close_session" in agent.names()
            assert await peer.settled() == []
            assert await peer.refused("session/prompt", HELLO) == -32002
            # V2-CLO-04
            assert await peer.call("session/close", {"sessionId": "s1"}) == {}
            assert await peer.call("session/close", {"sessionId": "nope"}) == {}

    asyncio.run(scenario())


def test_a_turn_that_does_not_end_does_not_keep_a_session_open() -> None:
    async def scenario() -> None:
        over = asyncio.Event()

        async def stubborn(agent: ScriptedAgent, session_id: str, prompt: Prompt) -> Ending:
            agent.client.emit(session_id, ToolCallChanged("t1", title="x"))
            while not over.is_set():
                try:
                    await over.wait()
                except asyncio.CancelledError:
                    agent.began.set()
            return Ending()

        agent = ScriptedAgent(stubborn)
        async with served(agent, Settings(versions=(2,), deadline=0.02)) as peer:
            await peer.open()
            await peer.call("session/prompt", HELLO)
            await peer.updated("tool_call_update")
            await peer.call("session/close", {"sessionId": "s1"})
            over.set()
            assert await peer.settled() == []

    asyncio.run(scenario())


def test_a_prompt_that_comes_while_a_session_is_closed_is_withdrawn() -> None:
    async def scenario() -> None:
        gate = asyncio.Event()

        class Slow(ScriptedAgent):
            async def close_session(self, session_id: str) -> None:
                await gate.wait()

        async with served(Slow()) as peer:
            await peer.open()
            closing = peer.ask("session/close", {"sessionId": "s1"})
            assert await peer.refused("session/prompt", HELLO) == -32800
            gate.set()
            assert (await peer.answer(closing))["result"] == {}

    asyncio.run(scenario())


def test_deleting_closes_first_and_what_is_missing_is_deleted() -> None:
    """V2-DEL-02"""

    async def scenario() -> None:
        agent = ScriptedAgent(never, capabilities=ALL)
        async with served(agent) as peer:
            await peer.initialize()
            await peer.call("session/resume", {"sessionId": "old", "cwd": "/w"})
            await peer.call("session/prompt", {"sessionId": "old", "prompt": [text("hi")]})
            assert await peer.call("session/delete", {"sessionId": "old"}) == {}
            assert peer.updates()[-1]["stopReason"] == "cancelled"
            assert agent.names()[-2:] == ["close_session", "delete_session"]
            assert await peer.call("session/delete", {"sessionId": "old"}) == {}

    asyncio.run(scenario())


def test_deleting_is_unknown_where_it_is_not_advertised() -> None:
    async def scenario() -> None:
        async with served(ScriptedAgent()) as peer:
            await peer.initialize()
            assert await peer.refused("session/delete", {"sessionId": "old"}) == -32601

    asyncio.run(scenario())


def test_a_session_is_forked_where_that_is_spoken() -> None:
    async def scenario() -> None:
        agent = ScriptedAgent(capabilities=ALL)
        async with served(agent, UNSTABLE) as peer:
            await peer.initialize()
            fork = {"sessionId": "old", "cwd": "/w"}
            assert (await peer.call("session/fork", fork))["sessionId"] == "forked"
            assert await peer.refused("session/fork", {**fork, "sessionId": "nope"}) == -32002
            prompt = {"sessionId": "forked", "prompt": [text("hi")]}
            assert "messageId" in await peer.call("session/prompt", prompt)
        async with served(ScriptedAgent(capabilities=ALL)) as peer:
            await peer.initialize()
            assert await peer.refused("session/fork", fork) == -32601  # NEG-17

    asyncio.run(scenario())


def test_a_system_prompt_reaches_only_who_asked_for_it() -> None:
    async def scenario() -> None:
        can = AgentCapabilities(system_prompt=True)
        prompt = {"mode": "append", "content": [text("be kind")]}
        agent = ScriptedAgent(capabilities=can)
        async with served(agent, UNSTABLE) as peer:
            await peer.initialize()
            await peer.call("session/new", {"cwd": "/w", "systemPrompt": prompt})
            assert agent.asked[0][1].system_prompt.content == (Text("be kind"),)
            override = {"cwd": "/w", "systemPrompt": {**prompt, "mode": "override"}}
            assert await peer.refused("session/new", override) == -32602
            nothing = {"cwd": "/w", "systemPrompt": {**prompt, "content": []}}
            assert await peer.refused("session/new", nothing) == -32602
        agent = ScriptedAgent()
        async with served(agent) as peer:
            await peer.initialize()
            await peer.call("session/new", {"cwd": "/w", "systemPrompt": prompt})
            assert agent.asked[0][1].system_prompt is None

    asyncio.run(scenario())


def test_a_request_that_is_cancelled_opens_nothing() -> None:
    async def scenario() -> None:
        class Slow(ScriptedAgent):
            async def new_session(self, request: SessionRequest) -> SessionSetup:
                self.client.emit("s1", ChunkAdded("agent", Text("lost")))
                self.began.set()
                return await never()

        agent = Slow()
        async with served(agent) as peer:
            await peer.initialize()
            id = peer.ask("session/new", {"cwd": "/w"})
            await agent.began.wait()
            peer.tell("$/cancel_request", {"requestId": id})
            assert (await peer.answer(id))["error"]["code"] == -32800
            assert await peer.settled() == []

    asyncio.run(scenario())
