"""A client of version 1 in front of an agent that writes JSON by hand, and of one of ours."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parley.errors import LocalProtocolError, RemoteProtocolError
from parley.protocol.endpoint import Endpoint
from parley.protocol.settings import Settings
from parley.protocol.v1.client_side import ClientSide
from parley.session.content import DiffItem, FileChange, Text
from parley.session.event import (
    ChunkAdded,
    CommandsChanged,
    Event,
    InfoChanged,
    MessageChanged,
    NoticeGiven,
    OptionsChanged,
    PlanChanged,
    StateChanged,
    ToolCallChanged,
    UsageChanged,
)
from parley.session.option import Choice, Command, PlanEntry, PlanItems, Select, Toggle
from parley.session.profile import (
    AgentCapabilities,
    AgentLogin,
    ClientCapabilities,
    Implementation,
    OtherLogin,
    TerminalLogin,
)
from parley.session.question import (
    Chosen,
    FormQuestion,
    PermissionOption,
    PermissionQuestion,
    SessionScope,
    ToolCallSubject,
    UrlQuestion,
    decide,
)
from parley.session.role import (
    AcpServer,
    ClientRole,
    Ending,
    Prompt,
    SessionInfo,
    SessionPage,
    SessionRequest,
    SessionSetup,
    StdioServer,
    SystemPrompt,
)
from parley.transport.memory import memory_pair
from parley.transport.tap import TapTransport
from tests.protocol.v1.roles import (
    TestAgent,
    TestClient,
    answering,
    both,
    client_on_wire,
    opened,
    run_client,
    serving,
)
from tests.protocol.wire import BOUND, Judge, RawPeer

# Initialising.


def test_a_client_introduces_itself_v1_init_01_03_10() -> None:
    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        assert agent.seen[0]["params"] == {
            "protocolVersion": 1,
            "clientInfo": {"name": "client", "version": "1"},
            "clientCapabilities": {
                "fs": {"readTextFile": True, "writeTextFile": True},
                "terminal": True,
                "auth": {"terminal": True},
                "session": {
                    "compaction": {},
                    "configOptions": {"boolean": {}},
                    "notices": {},
                },
                "elicitation": {"form": {}, "url": {}},
            },
        }
        profile = side.profile
        assert profile.version == 1
        assert profile.info == Implementation("raw", "1")
        assert profile.capabilities.load
        assert profile.capabilities.logout
        assert profile.logins == (
            AgentLogin("key", "Key"),  # V1-AUTH-04
            TerminalLogin("tty", "Terminal", args=("login",)),
            OtherLogin(
                "env", "Variable", "env_var", {"type": "env_var", "id": "env", "name": "Variable"}
            ),
        )

    run_client(scenario)


def test_an_agent_that_says_nothing_of_itself_can_do_nothing_v1_init_12() -> None:
    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        assert side.profile.capabilities == AgentCapabilities()
        assert side.profile.info.label == "unknown"

    run_client(scenario, TestClient(ClientCapabilities()), answer={"protocolVersion": 1})


def test_unstable_capabilities_are_told_with_the_switch_on() -> None:
    client = TestClient(ClientCapabilities(plans=True, subagents=True))

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        can = agent.seen[0]["params"]["clientCapabilities"]
        assert (can["plan"], can["subagents"]) == ({}, {})

    run_client(scenario, client, Settings(unstable=True))

    async def without(side: ClientSide, agent: RawPeer) -> None:
        can = agent.seen[0]["params"]["clientCapabilities"]
        assert "plan" not in can
        assert "subagents" not in can

    run_client(without, client)


def test_another_version_is_refused_neg_07() -> None:
    async def main() -> None:
        with pytest.raises(RemoteProtocolError):
            async with client_on_wire(TestClient(), answer={"protocolVersion": 2}):
                pass

    asyncio.run(main())


def test_an_answer_to_another_initialize_can_stand_in() -> None:
    async def main() -> None:
        ours, theirs = memory_pair()
        async with asyncio.timeout(BOUND), Endpoint(ours) as endpoint:
            side = ClientSide(endpoint, TestClient(), Settings())
            side.assume_initialized()
            assert side.profile.capabilities == AgentCapabilities()
            answer = b'{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}'
            side.assume_initialized(answer)
            assert side.profile.capabilities.load
            with pytest.raises(RemoteProtocolError):
                side.assume_initialized(b"[]")
            agent = RawPeer(theirs)
            await opened(side, agent)

    asyncio.run(main())


# Refusing.

EMPTY = {"protocolVersion": 1}
WORK = SessionRequest("/work")
REFUSED: list[Callable[[ClientSide], Awaitable[Any]]] = [
    lambda side: side.login("nope"),  # V1-AUTH-01
    lambda side: side.logout(),  # V1-AUTH-11
    lambda side: side.load_session("s1", WORK),  # V1-LOAD-01
    lambda side: side.resume_session("s1", WORK),  # V1-RES-01
    lambda side: side.list_sessions(),  # V1-LST-01
    lambda side: side.close_session("s1"),  # V1-CLO-01
    lambda side: side.delete_session("s1"),  # V1-DEL-01
    lambda side: side.set_option("s1", "mode", "code"),
    lambda side: side.cancel_tool_call("s1", "t1"),
    lambda side: side.cancel_terminal("s1", "t1"),
    lambda side: side.call("x/y", {}),
    lambda side: side.new_session(SessionRequest("/w", mcp_servers=(AcpServer("a", "x"),))),
]


@pytest.mark.parametrize("call", REFUSED)
def test_what_was_not_advertised_is_refused_before_it_is_sent(
    call: Callable[[ClientSide], Awaitable[Any]],
) -> None:
    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        with pytest.raises(LocalProtocolError):
            await call(side)
        with pytest.raises(LocalProtocolError):
            side.tell("x/y", {})
        assert len(agent.seen) == 1

    run_client(scenario, answer=EMPTY)


@pytest.mark.parametrize("login", ["tty", "env"])
def test_a_login_that_the_agent_does_not_carry_out_is_not_asked_for_v1_auth_06_dec_17(
    login: str,
) -> None:
    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        with pytest.raises(LocalProtocolError):
            await side.login(login)
        assert len(agent.seen) == 1

    run_client(scenario)


def test_logins_and_logouts_are_sent_see_04() -> None:
    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        for empty in (None, {}):
            params = await both(answering(agent, "authenticate", empty), side.login("key"))
            assert params == {"methodId": "key"}
            await both(side.logout(), answering(agent, "logout", empty))

    run_client(scenario)


def test_system_prompts_are_for_agents_that_take_them_v1_u_13() -> None:
    def request(mode: str, *text: str) -> SessionRequest:
        content = tuple(Text(part) for part in text)
        return SessionRequest("/work", system_prompt=SystemPrompt(content, mode))

    can = {"agentCapabilities": {"sessionCapabilities": {"systemPrompt": {}}}}

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        for refused in (request("override", "x"), request("append")):
            with pytest.raises(LocalProtocolError):
                await side.new_session(refused)
        answer = answering(agent, "session/new", {"sessionId": "s1"})
        params = await both(answer, side.new_session(request("append", "x")))
        assert params["systemPrompt"] == {
            "mode": "append",
            "content": [{"type": "text", "text": "x"}],
        }

    run_client(scenario, settings=Settings(unstable=True), answer={**EMPTY, **can})


def test_a_relative_command_of_a_server_is_warned_about_v1_mcp_07(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        request = SessionRequest("/work", mcp_servers=(StdioServer("a", "npx"),))
        await both(side.new_session(request), answering(agent, "session/new", {"sessionId": "s1"}))

    with caplog.at_level(logging.WARNING, "parley.protocol"):
        run_client(scenario)
    assert "not an absolute path" in caplog.text


# Listing and extensions.


def test_pages_of_sessions_are_read_v1_lst_04_05() -> None:
    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        cursor = "\x00 odd ☃"
        entry = {
            "sessionId": "s1",
            "cwd": "/work",
            "title": "T",
            "updatedAt": "2026-01-01T00:00:00Z",
            "additionalDirectories": ["/more"],
        }
        answer = {"sessions": [{"bad": 1}, entry], "nextCursor": cursor}
        page = await both(side.list_sessions(), answering(agent, "session/list", answer))
        info = SessionInfo("s1", "/work", "T", "2026-01-01T00:00:00Z", ("/more",))
        assert page == SessionPage((info,), cursor)
        listed = side.list_sessions(cwd="/work", cursor=cursor)
        params = await both(answering(agent, "session/list", {"sessions": []}), listed)
        assert params == {"cwd": "/work", "cursor": cursor}
        with pytest.raises(LocalProtocolError):
            await side.list_sessions(archived="only")

    run_client(scenario)


def test_extensions_of_the_agent_can_be_called_ext_06() -> None:
    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        assert await both(side.call("_x", {"a": 1}), answering(agent, "_x", [2])) == [2]
        side.tell("_y", None)
        assert (await agent.request("_y"))["params"] is None

    run_client(scenario)


# Both sides of ours against each other.

OPTIONS = (
    Select("mode", "Mode", "ask", (Choice("ask", "Ask"), Choice("code", "Code")), category="mode"),
    Toggle("web", "Web", current=False),
)
EVENTS: list[Event] = [
    ChunkAdded("thought", Text("hm"), "m1"),
    ChunkAdded("agent", Text("yes"), "m2"),
    ToolCallChanged(
        "t1",
        title="Edit",
        kind="edit",
        status="in_progress",
        content=(DiffItem((FileChange("modify", "/a", old_text="x", new_text="y"),)),),
    ),
    ToolCallChanged("t1", status="completed"),
    PlanChanged("main", PlanItems((PlanEntry("a"), PlanEntry("b", "high", "completed")))),
    CommandsChanged((Command("plan", "Plans", "what"),)),
    InfoChanged(title="A title"),
    UsageChanged(1, 2),
    NoticeGiven("Note", "warning"),
    OptionsChanged(OPTIONS),
]


CLIENT_FLAGS = [
    name
    for name in ClientCapabilities.__struct_fields__
    if name not in ("plans", "subagents", "meta")
]


@settings(max_examples=60, deadline=None)
@given(st.sets(st.sampled_from(CLIENT_FLAGS)))
def test_every_combination_of_what_a_client_can_do_works_v1_init_06(able: set[str]) -> None:
    async def turn(client: ClientRole, session_id: str, prompt: Prompt) -> Ending:
        for event in EVENTS:
            client.emit(session_id, event)
        await client.elicit(FormQuestion("?", {}, SessionScope(session_id)))
        await client.elicit(UrlQuestion("?", "https://a", "e", SessionScope(session_id)))
        if client.files is not None and client.files.can_write:
            await client.files.write(session_id, "/a", "x")
        if client.terminals is not None:
            async with await client.terminals.create(session_id, "make"):
                pass
        return Ending()

    client = TestClient(ClientCapabilities(**dict.fromkeys(able, True)))
    problems = asyncio.run(_talk(TestAgent(turn, setup=SessionSetup("s1", OPTIONS)), client))
    assert problems == []
    assert len(client.questions) == len(able & {"elicitation_form", "elicitation_url"})
    assert client.terminals is not None
    assert len(client.terminals.made) == ("terminals" in able)


async def _talk(agent: TestAgent, client: TestClient) -> list[str]:
    """One turn between two sides of ours, and what is wrong with what they sent."""
    ours, theirs = memory_pair()
    told, asked = Judge(1, extras=("models",)), Judge(1)
    async with (
        asyncio.timeout(BOUND),
        serving(agent, TapTransport(ours, told.record), Settings()),
        Endpoint(TapTransport(theirs, asked.record)) as endpoint,
    ):
        side = ClientSide(endpoint, client, Settings())
        await side.initialize(client)
        await side.new_session(WORK)
        assert await side.prompt("s1", Prompt((Text("go"),))) == Ending()
    return told.problems + asked.problems


def test_what_an_agent_reports_is_what_its_client_sees() -> None:
    async def turn(client: ClientRole, session_id: str, prompt: Prompt) -> Ending:
        for event in EVENTS:
            client.emit(session_id, event)
        option = PermissionOption("y", "Yes", "allow_always")
        subject = ToolCallSubject(ToolCallChanged("t2", title="Run"))
        question = PermissionQuestion("Run", (option,), subject)
        assert decide((option,), await client.ask(session_id, question)).always
        assert client.files is not None
        await client.files.write(session_id, "/a", "1\n2\n")
        assert await client.files.read(session_id, "/a", line=2) == "2\n"
        assert client.terminals is not None
        async with await client.terminals.create(session_id, "make") as terminal:
            await terminal.kill()
            assert (await terminal.wait()).signal == "SIGKILL"
        client.emit(session_id, ToolCallChanged("t2", status="completed"))
        return Ending("max_tokens")

    agent = TestAgent(turn, setup=SessionSetup("s1", OPTIONS))
    agent.on_set = lambda option_id, value: OPTIONS
    client = TestClient()
    client.answer = Chosen("y")

    async def main() -> None:
        ours, theirs = memory_pair()
        judge = Judge(1, extras=("models",))
        transport = TapTransport(ours, judge.record)
        async with (
            asyncio.timeout(BOUND),
            serving(agent, transport, Settings()),
            Endpoint(theirs) as endpoint,
        ):
            side = ClientSide(endpoint, client, Settings())
            await side.initialize(client)
            setup = await side.new_session(WORK)
            assert setup == SessionSetup("s1", OPTIONS)
            assert await side.set_option("s1", "web", value=True) == OPTIONS
            ending = await side.prompt("s1", Prompt((Text("go"),), "u1"))
            assert ending == Ending("max_tokens")
            assert endpoint.dialects == {}
        assert judge.problems == []
        assert judge.judged > 10

    asyncio.run(main())
    assert client.terminals is not None
    assert [terminal.released for terminal in client.terminals.made] == [1]
    run = ToolCallChanged("t2", title="Run")
    assert client.events == [
        MessageChanged("user", "u1", (Text("go"),)),
        StateChanged("running"),
        *EVENTS,
        run,
        run,
        ToolCallChanged("t2", status="completed"),
        StateChanged("idle", "max_tokens"),
    ]
