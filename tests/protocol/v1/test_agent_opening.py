"""How sessions begin and end, as a client that writes JSON by hand sees it."""

import asyncio
from typing import Any

import pytest

from parley.errors import RpcError
from parley.session.content import Text
from parley.session.event import ChunkAdded, MessageChanged, PlanChanged, ToolCallChanged
from parley.session.option import Command, PlanEntry, PlanItems
from parley.session.profile import (
    AgentCapabilities,
    AgentProfile,
)
from parley.session.role import (
    ClientRole,
    Ending,
    Prompt,
    SessionInfo,
    SessionPage,
    SessionRequest,
    SessionSetup,
    StdioServer,
)
from tests.protocol.v1.roles import HELLO, NEW, TestAgent, kinds, run_agent
from tests.protocol.wire import RawPeer


def test_events_of_a_new_session_follow_the_answer_that_names_it() -> None:
    agent = TestAgent(setup=SessionSetup("s1", commands=(Command("plan", "Plans"),)))
    agent.history = [ChunkAdded("agent", Text("early"))]

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        assert peer.updates() == []
        await peer.request("session/update")
        await peer.request("session/update")
        assert kinds(peer) == ["available_commands_update", "agent_message_chunk"]  # V1-CMD-01

    run_agent(scenario, agent)


def test_a_loaded_session_is_replayed_before_its_answer_v1_load_02_03() -> None:
    agent = TestAgent(setup=SessionSetup("s1", commands=(Command("plan", "Plans"),)))
    agent.history = [
        ChunkAdded("user", Text("q"), "m1"),
        ChunkAdded("thought", Text("t"), "m2"),
        ChunkAdded("agent", Text("a"), "m3"),
        ToolCallChanged("t1", title="Read", status="completed"),
    ]

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/load", {"sessionId": "s1", **NEW})
        assert kinds(peer) == [
            "user_message_chunk",
            "agent_thought_chunk",
            "agent_message_chunk",
            "tool_call",
        ]  # V1-LOAD-04
        assert peer.updates()[0]["messageId"] == "m1"  # V1-LOAD-05
        await peer.request("session/update")
        assert kinds(peer)[-1] == "available_commands_update"
        assert (await peer.result("session/prompt", HELLO)) == {"stopReason": "end_turn"}

    run_agent(scenario, agent)


def test_a_session_that_is_loaded_again_is_replayed_as_before() -> None:
    agent = TestAgent()
    agent.history = [
        MessageChanged("user", "m1", (Text("q"),)),
        ChunkAdded("agent", Text("a"), "m2"),
        ToolCallChanged("t1", title="Read", status="completed"),
        PlanChanged("main", PlanItems((PlanEntry("first"),))),
    ]

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/load", {"sessionId": "s1", **NEW})
        first = peer.updates()
        assert len(first) == 4
        await peer.result("session/load", {"sessionId": "s1", **NEW})
        assert peer.updates() == first * 2

    run_agent(scenario, agent)


def test_a_load_that_fails_leaves_no_session_behind_v1_load_08() -> None:
    agent = TestAgent()
    agent.failure = RpcError(-32002, "Resource not found")

    async def scenario(peer: RawPeer) -> None:
        answer = await peer.error("session/load", {"sessionId": "s1", **NEW})
        assert answer["code"] == -32002
        assert (await peer.error("session/prompt", HELLO))["code"] == -32002  # V1-PRM-15
        agent.failure = None
        await peer.result("session/load", {"sessionId": "s1", **NEW})
        agent.failure = RpcError(-32002, "Resource not found")
        await peer.error("session/load", {"sessionId": "s1", **NEW})
        assert await peer.result("session/prompt", HELLO)

    run_agent(scenario, agent)


def test_a_resumed_session_sends_nothing_before_its_answer_v1_res_02() -> None:
    agent = TestAgent()
    agent.history = [ChunkAdded("agent", Text("later"))]

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/resume", {"sessionId": "s1", "cwd": "/work"})
        assert peer.updates() == []
        await peer.request("session/update")

    run_agent(scenario, agent)


def test_what_a_session_is_opened_with_reaches_the_agent() -> None:
    agent = TestAgent()

    async def scenario(peer: RawPeer) -> None:
        await peer.result(
            "session/new",
            {
                "cwd": "/work",
                "additionalDirectories": ["/more"],
                "mcpServers": [
                    {"name": "m", "command": "/m", "args": ["-x"], "env": []},
                    {"type": "http", "name": "h", "url": "http://h", "headers": []},
                ],
                "_meta": {"traceparent": "00"},
            },
        )
        request = agent.calls[0][1]
        assert isinstance(request, SessionRequest)
        assert request.additional_directories == ("/more",)
        assert request.mcp_servers[0] == StdioServer("m", "/m", ("-x",))
        assert request.meta == {"traceparent": "00"}  # EXT-04

    run_agent(scenario, agent)


@pytest.mark.parametrize(
    "params",
    [
        {"cwd": "work", "mcpServers": []},  # V1-SES-02
        {"cwd": 5, "mcpServers": []},  # DEC-04
        {"cwd": "/work", "mcpServers": "x"},  # DEC-03
        {"cwd": "/work", "mcpServers": [{"name": "m"}]},  # DEC-05
        {"cwd": "/work", "mcpServers": [{"type": "ftp", "name": "m", "url": "u"}]},
        {"cwd": "/work", "mcpServers": [], "additionalDirectories": ["more"]},  # V1-DIR-02
        {"cwd": "/work", "mcpServers": [], "additionalDirectories": [""]},
    ],
)
def test_a_session_is_not_opened_with_what_is_malformed(params: dict[str, Any]) -> None:
    agent = TestAgent()

    async def scenario(peer: RawPeer) -> None:
        assert (await peer.error("session/new", params))["code"] == -32602
        assert agent.calls == []
        assert await peer.result("session/new", NEW)

    run_agent(scenario, agent)


@pytest.mark.parametrize(
    "extra",
    [
        {"additionalDirectories": ["/more"]},  # V1-DIR-05
        {"mcpServers": [{"type": "http", "name": "h", "url": "http://h", "headers": []}]},
        {"mcpServers": [{"type": "sse", "name": "h", "url": "http://h", "headers": []}]},
        {"mcpServers": [{"type": "acp", "name": "h", "serverId": "x"}]},  # MCA-01
    ],
)
def test_what_the_agent_did_not_advertise_is_refused_not_dropped(extra: dict[str, Any]) -> None:
    agent = TestAgent(profile=AgentProfile())

    async def scenario(peer: RawPeer) -> None:
        assert (await peer.error("session/new", {**NEW, **extra}))["code"] == -32602
        assert agent.calls == []

    run_agent(scenario, agent)


def test_sessions_are_listed_v1_lst_02_08() -> None:
    agent = TestAgent()
    info = SessionInfo("s1", "/work", "Title", "2026-01-01T00:00:00Z", ("/more",), archived=True)
    agent.pages = SessionPage((info,), "next")

    async def scenario(peer: RawPeer) -> None:
        page = await peer.result("session/list", {"cwd": "/work", "cursor": "c"})
        assert page == {
            "sessions": [
                {
                    "sessionId": "s1",
                    "cwd": "/work",
                    "title": "Title",
                    "updatedAt": "2026-01-01T00:00:00Z",
                    "additionalDirectories": ["/more"],
                }
            ],
            "nextCursor": "next",
        }
        assert agent.calls == [("list", {"cwd": "/work", "cursor": "c", "archived": None})]
        assert (await peer.error("session/list", {"cwd": "work"}))["code"] == -32602
        agent.pages = SessionPage()
        assert await peer.result("session/list") == {"sessions": []}

    run_agent(scenario, agent)


def test_closing_ends_the_turn_first_v1_clo_02() -> None:
    started = asyncio.Event()

    async def wait(client: ClientRole, session_id: str, prompt: Prompt) -> Ending:
        started.set()
        await asyncio.Event().wait()
        return Ending()

    agent = TestAgent(wait)

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        first, second = peer.ask("session/prompt", HELLO), peer.ask("session/prompt", HELLO)
        await started.wait()
        closing = peer.ask("session/close", {"sessionId": "s1"})
        await peer.answer(closing)
        answers = {m["id"]: m.get("result") for m in peer.seen if "id" in m}
        assert answers[first] == answers[second] == {"stopReason": "cancelled"}
        assert peer.seen[-1] == {"jsonrpc": "2.0", "id": closing, "result": {}}
        assert agent.calls[-1] == ("close", "s1")
        assert (await peer.error("session/prompt", HELLO))["code"] == -32002

    run_agent(scenario, agent)


def test_no_prompt_is_taken_while_a_session_is_closed() -> None:
    closing = asyncio.Event()
    go_on = asyncio.Event()

    class Slow(TestAgent):
        async def close_session(self, session_id: str) -> None:
            closing.set()
            await go_on.wait()

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        id_ = peer.ask("session/close", {"sessionId": "s1"})
        await closing.wait()
        assert (await peer.error("session/prompt", HELLO))["code"] == -32002
        go_on.set()
        assert (await peer.answer(id_))["result"] == {}

    run_agent(scenario, Slow())


def test_deleting_ends_the_session_and_is_quiet_about_missing_ones_v1_del_03() -> None:
    agent = TestAgent()

    async def scenario(peer: RawPeer) -> None:
        await peer.result("session/new", NEW)
        assert await peer.result("session/delete", {"sessionId": "s1"}) == {}
        assert await peer.result("session/delete", {"sessionId": "s1"}) == {}
        assert agent.calls[-2:] == [("delete", "s1"), ("delete", "s1")]
        assert (await peer.error("session/prompt", HELLO))["code"] == -32002

    run_agent(scenario, agent)


def test_what_is_not_advertised_does_not_exist() -> None:
    agent = TestAgent(profile=AgentProfile(capabilities=AgentCapabilities()))

    async def scenario(peer: RawPeer) -> None:
        for method in ("session/close", "session/delete"):
            assert (await peer.error(method, {"sessionId": "s1"}))["code"] == -32601
        assert agent.calls == []

    run_agent(scenario, agent)
