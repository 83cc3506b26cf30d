"""An agent of version 2, as a client drives it: what is sent, and what is refused before."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from parley.errors import (
    InvalidParams,
    LocalProtocolError,
    RemoteProtocolError,
    RequestTimeout,
    VersionMismatch,
)
from parley.protocol.connect import RemoteAgent, connect
from parley.protocol.endpoint import Endpoint
from parley.protocol.settings import Settings
from parley.protocol.v2.client_side import ClientSide
from parley.session.content import Image, Text
from parley.session.option import Toggle
from parley.session.profile import (
    UNKNOWN,
    AgentLogin,
    ClientCapabilities,
    OtherLogin,
    TerminalLogin,
)
from parley.session.role import (
    AcpServer,
    HttpServer,
    Prompt,
    SessionInfo,
    SessionPage,
    SessionRequest,
    SessionSetup,
    StdioServer,
    SystemPrompt,
)
from parley.transport.memory import memory_pair
from tests.protocol.v2.roles import ScriptedClient
from tests.protocol.v2.wire import BOUND, Json, RawPeer, driven, opened

UNSTABLE = Settings(versions=(2,), unstable=True)
WHERE = SessionRequest("/w")
LOUD = {"type": "boolean", "configId": "loud", "name": "Loud", "currentValue": False}
LOGINS = [
    {"type": "agent", "methodId": "key", "name": "Key"},
    {"type": "terminal", "methodId": "tty", "name": "T", "env": [{"name": "A", "value": "1"}]},
    {"type": "_own", "methodId": "own", "name": "Own"},
    {"type": "future", "methodId": "new", "name": "New"},
]


async def both(call: Awaitable[Any], peer: RawPeer, method: str, result: Any) -> tuple[Any, Json]:
    """What the caller gets, and what the agent was sent."""
    value, params = await asyncio.gather(call, peer.serve(method, result))
    return value, params


def test_the_client_introduces_itself_in_the_form_of_version_2() -> None:
    """NEG-01, V2-INIT-01, V2-INIT-02"""

    async def scenario() -> None:
        can = ClientCapabilities(
            read_files=True, terminals=True, terminal_login=True, elicitation_form=True
        )
        async with driven(ScriptedClient(can)) as (_, peer):
            assert peer.seen[0]["params"] == {
                "protocolVersion": 2,
                "info": {"name": "scripted", "version": "1"},
                "capabilities": {"auth": {"terminal": {}}, "elicitation": {"form": {}}},
            }

    asyncio.run(scenario())


def test_the_profile_says_what_the_agent_advertised() -> None:
    """V2-INIT-03, V2-INIT-07"""

    async def scenario() -> None:
        session = {
            "prompt": {"image": {}, "audio": True, "embeddedContext": None},
            "mcp": {"http": {}},
            "delete": {},
        }
        members = {"capabilities": {"session": session}, "authMethods": [*LOGINS, 5]}
        async with driven(ScriptedClient(), **members) as (agent, _):
            can = agent.profile.capabilities
            assert (can.image, can.audio, can.embedded_context) == (True, False, False)
            assert (can.mcp_stdio, can.mcp_http, can.delete, can.fork) == (False, True, True, False)
            assert (can.load, can.resume, can.list, can.close) == (True,) * 4
            assert can.logout
            assert agent.profile.version == 2
            assert agent.profile.logins == (
                AgentLogin("key", "Key"),
                TerminalLogin("tty", "T", env={"A": "1"}),
                OtherLogin("own", "Own", "_own", LOGINS[2]),
                OtherLogin("new", "New", "future", LOGINS[3]),
            )

    asyncio.run(scenario())


def test_an_agent_without_a_name_is_an_unknown_one() -> None:
    async def scenario() -> None:
        async with driven(ScriptedClient(), info=None) as (agent, _):
            assert agent.profile.info == UNKNOWN
            assert agent.endpoint.connection.faults.total() == 1

    asyncio.run(scenario())


def test_the_older_form_of_the_answer_is_understood_and_counted() -> None:
    """SEE-07"""

    async def scenario() -> None:
        members = {
            "info": None,
            "agentInfo": {"name": "old", "version": "1"},
            "authMethods": [{"id": "key", "name": "Key"}],
        }
        async with driven(ScriptedClient(), **members) as (agent, _):
            assert agent.profile.info.name == "old"
            assert agent.profile.logins == (AgentLogin("key", "Key"),)
            assert agent.endpoint.dialects == {"v2-2026-06": 1}

    asyncio.run(scenario())


async def initialized(reply: Callable[[RawPeer, Json], None]) -> Any:
    """What a side of version 2 alone makes of an answer to `initialize`."""
    ours, theirs = memory_pair()
    peer, client = RawPeer(theirs), ScriptedClient()

    async def answer() -> None:
        reply(peer, await peer.requested("initialize"))

    async with asyncio.timeout(BOUND), Endpoint(ours) as endpoint, asyncio.TaskGroup() as group:
        group.create_task(answer())
        side = ClientSide(endpoint, client, Settings(deadline=BOUND))
        return await side.initialize(client)


def test_an_agent_of_version_1_is_recognised_before_its_answer_is_read() -> None:
    """NEG-08"""
    old = {"protocolVersion": 1, "agentCapabilities": {}, "info": 5}
    assert asyncio.run(initialized(lambda p, r: p.reply(r, old))).version == 1
    # Some agents of version 1 repeat the version they are asked for.
    mixed = {"protocolVersion": 2, "agentCapabilities": {}}
    assert asyncio.run(initialized(lambda p, r: p.reply(r, mixed))).version == 1
    mismatch = {"requested": 2, "supported": [1]}
    profile = asyncio.run(initialized(lambda p, r: p.fail(r, -32022, data=mismatch)))
    assert profile.version == 1


@pytest.mark.parametrize(
    "result",
    [
        {"protocolVersion": 3, "info": {"name": "x", "version": "1"}},
        {"info": {"name": "x", "version": "1"}},
        [],
        None,
    ],
)
def test_an_answer_of_an_unknown_version_is_refused(result: Any) -> None:
    """NEG-07"""
    with pytest.raises(ExceptionGroup) as caught:
        asyncio.run(initialized(lambda p, r: p.reply(r, result)))
    assert caught.group_contains(RemoteProtocolError)


def test_an_agent_that_speaks_nothing_we_do_is_refused() -> None:
    mismatch = {"requested": 2, "supported": [7]}
    with pytest.raises(ExceptionGroup) as caught:
        asyncio.run(initialized(lambda p, r: p.fail(r, -32022, data=mismatch)))
    assert caught.group_contains(VersionMismatch)


def test_a_client_of_version_2_alone_does_not_go_on_with_version_1() -> None:
    async def scenario() -> None:
        ours, theirs = memory_pair()
        peer = RawPeer(theirs)
        async with asyncio.timeout(BOUND), asyncio.TaskGroup() as group:
            group.create_task(peer.accept(protocolVersion=1))
            with pytest.raises(RemoteProtocolError):
                async with connect(ours, ScriptedClient(), Settings(versions=(2,))):
                    pass

    asyncio.run(scenario())


def test_logging_in_names_a_login_that_was_offered() -> None:
    """V2-AUTH-02, V2-AUTH-05, V2-AUTH-07"""

    async def scenario() -> None:
        async with driven(ScriptedClient(), authMethods=LOGINS) as (agent, peer):
            for id in ("key", "own"):
                _, params = await both(agent.login(id), peer, "auth/login", {})
                assert params == {"methodId": id}
            for id in ("tty", "new", "nope"):
                with pytest.raises(LocalProtocolError):
                    await agent.login(id)
            await both(agent.logout(), peer, "auth/logout", None)  # SEE-04
            assert await peer.settled() == []

    asyncio.run(scenario())


def test_an_agent_without_logins_is_not_asked_to_log_in_or_out() -> None:
    """V2-AUTH-02"""

    async def scenario() -> None:
        async with driven(ScriptedClient()) as (agent, peer):
            with pytest.raises(LocalProtocolError):
                await agent.login("key")
            with pytest.raises(LocalProtocolError):
                await agent.logout()
            assert await peer.settled() == []

    asyncio.run(scenario())


FULL = SessionRequest(
    "/w",
    ("/v",),
    (
        StdioServer("a", "/bin/a", ("-x",), {"K": "v"}),
        HttpServer("b", "https://b", (("H", "v"),)),
        AcpServer("c", "id"),
    ),
    SystemPrompt((Text("be kind"),), "override"),
    {"traceparent": "x"},
)
FULL_AS_SENT: Json = {
    "cwd": "/w",
    "additionalDirectories": ["/v"],
    "mcpServers": [
        {
            "type": "stdio",
            "name": "a",
            "command": "/bin/a",
            "args": ["-x"],
            "env": [{"name": "K", "value": "v"}],
        },
        {
            "type": "http",
            "name": "b",
            "url": "https://b",
            "headers": [{"name": "H", "value": "v"}],
        },
        {"type": "acp", "name": "c", "serverId": "id"},
    ],
    "systemPrompt": {"mode": "override", "content": [{"type": "text", "text": "be kind"}]},
    "_meta": {"traceparent": "x"},
}


def test_sessions_are_opened_with_everything_the_agent_can_take() -> None:
    """V2-SES-01, V2-MCP-01, V2-DIR-01"""

    async def scenario() -> None:
        session = {
            "mcp": {"stdio": {}, "http": {}, "acp": {}},
            "additionalDirectories": {},
            "systemPrompt": {"mode": {"override": {}}},
            "fork": {},
        }
        can = {"session": session}
        answer = {"configOptions": [LOUD], "availableCommands": None}
        options = (Toggle("loud", "Loud", False),)
        async with driven(ScriptedClient(), UNSTABLE, capabilities=can) as (agent, peer):
            new = {"sessionId": "s1", **answer}
            setup, params = await both(agent.new_session(FULL), peer, "session/new", new)
            assert (setup, params) == (SessionSetup("s1", options), FULL_AS_SENT)
            load = agent.load_session("s2", FULL)
            setup, params = await both(load, peer, "session/resume", answer)
            start = {"sessionId": "s2", "replayFrom": {"type": "start"}, **FULL_AS_SENT}
            assert (setup, params) == (SessionSetup("s2", options), start)
            resume = agent.resume_session("s3", FULL)
            setup, params = await both(resume, peer, "session/resume", {})
            assert (setup, params) == (SessionSetup("s3"), {"sessionId": "s3", **FULL_AS_SENT})
            fork = agent.fork_session("s1", FULL)
            setup, params = await both(fork, peer, "session/fork", {"sessionId": "s4"})
            assert (setup, params) == (SessionSetup("s4"), {"sessionId": "s1", **FULL_AS_SENT})

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "request_",
    [
        SessionRequest("relative"),
        SessionRequest("file:///w"),
        SessionRequest("/w", ("/v",)),
        SessionRequest("/w", (), (StdioServer("a", "/a"),)),  # V2-MCP-02
        SessionRequest("/w", (), (HttpServer("a", "https://a"),)),
        SessionRequest("/w", (), (HttpServer("a", "https://a", sse=True),)),
        SessionRequest("/w", (), (AcpServer("a", "id"),)),
        SessionRequest("/w", system_prompt=SystemPrompt((Text("x"),))),
    ],
)
def test_what_the_agent_cannot_open_is_not_sent(request_: SessionRequest) -> None:
    async def scenario() -> None:
        async with driven(ScriptedClient()) as (agent, peer):
            for opening in (
                agent.new_session(request_),
                agent.load_session("s", request_),
                agent.resume_session("s", request_),
                agent.fork_session("s", request_),
            ):
                with pytest.raises(LocalProtocolError):
                    await opening
            assert await peer.settled() == []

    asyncio.run(scenario())


def test_an_agent_without_sessions_is_not_asked_for_any() -> None:
    """V2-INIT-05"""

    async def scenario() -> None:
        async with driven(ScriptedClient(), capabilities={"session": None}) as (agent, peer):
            assert not agent.profile.capabilities.resume
            for call in (
                agent.new_session(WHERE),
                agent.list_sessions(),
                agent.close_session("s1"),
                agent.delete_session("s1"),
            ):
                with pytest.raises(LocalProtocolError):
                    await call
            assert await peer.settled() == []

    asyncio.run(scenario())


def test_pages_of_sessions_are_followed_by_their_cursor() -> None:
    """V2-LST-02"""

    async def scenario() -> None:
        async with driven(ScriptedClient()) as (agent, peer):
            info = {"sessionId": "a", "cwd": "/w", "title": None, "updatedAt": "2026-01-01"}
            result = {"sessions": [info, {"cwd": 5}], "nextCursor": ""}
            page, params = await both(agent.list_sessions(cwd="/w"), peer, "session/list", result)
            assert params == {"cwd": "/w"}
            found = SessionInfo("a", "/w", updated_at="2026-01-01")
            assert page == SessionPage((found,), "")
            last, params = await both(
                agent.list_sessions(cursor=page.next_cursor), peer, "session/list", {"sessions": []}
            )
            assert (params, last.next_cursor) == ({"cursor": ""}, None)
            with pytest.raises(LocalProtocolError):
                await agent.list_sessions(cwd="w")
            with pytest.raises(LocalProtocolError):
                await agent.list_sessions(archived="only")

    asyncio.run(scenario())


def test_closing_and_deleting_what_is_not_there_succeeds() -> None:
    """V2-CLO-05, V2-DEL-01, V2-DEL-02"""

    async def scenario() -> None:
        async def gone(peer: RawPeer, method: str) -> None:
            peer.fail(await peer.requested(method), -32002)

        can = {"session": {"delete": {}}}
        async with driven(ScriptedClient(), capabilities=can) as (agent, peer):
            await asyncio.gather(agent.close_session("s1"), gone(peer, "session/close"))
            await asyncio.gather(agent.delete_session("s1"), gone(peer, "session/delete"))
        async with driven(ScriptedClient()) as (agent, peer):
            with pytest.raises(LocalProtocolError):
                await agent.delete_session("s1")
            assert await peer.settled() == []

    asyncio.run(scenario())


def test_a_prompt_the_agent_cannot_take_is_not_sent() -> None:
    """V2-PRM-01, V2-PRM-22"""

    async def scenario() -> None:
        async with driven(ScriptedClient()) as (agent, peer):
            with pytest.raises(LocalProtocolError):
                await agent.prompt("s1", Prompt((Text("hi"),)))
            await opened(agent, peer)
            for content in ((), (Image("", "image/png"),)):
                with pytest.raises(LocalProtocolError):
                    await agent.prompt("s1", Prompt(content))
            assert await peer.settled() == []

    asyncio.run(scenario())


def test_errors_of_the_agent_reach_the_caller() -> None:
    async def scenario() -> None:
        async def wrong(peer: RawPeer) -> None:
            peer.fail(await peer.requested("session/new"), -32602)

        async def bad(peer: RawPeer) -> None:
            peer.reply(await peer.requested("session/new"), {"sessionId": 5})

        async def caught(agent: RemoteAgent, error: type[Exception]) -> None:
            with pytest.raises(error):
                await agent.new_session(WHERE)

        settings = Settings(versions=(2,), deadline=0.05)
        async with driven(ScriptedClient(), settings) as (agent, peer):
            await asyncio.gather(caught(agent, InvalidParams), wrong(peer))
            await asyncio.gather(caught(agent, RemoteProtocolError), bad(peer))
            await caught(agent, RequestTimeout)

    asyncio.run(scenario())
