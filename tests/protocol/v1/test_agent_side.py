"""An agent of version 1 in front of a client that writes JSON by hand."""

from typing import Any

import pytest

from parley.errors import AuthRequired
from parley.protocol.settings import Settings
from parley.session.profile import (
    AgentLogin,
    AgentProfile,
    Implementation,
    OtherLogin,
    TerminalLogin,
)
from tests.protocol.v1.roles import CLIENT, HELLO, NEW, Losses, TestAgent, run_agent
from tests.protocol.wire import RawPeer

# Initialising.


def test_an_agent_introduces_itself_with_what_it_can_do_v1_init_02_04_11() -> None:
    agent = TestAgent()

    async def scenario(peer: RawPeer) -> None:
        answer = await peer.result("initialize", CLIENT)
        assert answer["protocolVersion"] == 1
        assert answer["agentInfo"] == {"name": "tested", "version": "1"}
        can = answer["agentCapabilities"]
        assert can["loadSession"] is True
        assert can["promptCapabilities"]["image"] is True
        assert set(can["sessionCapabilities"]) == {
            "list",
            "delete",
            "additionalDirectories",
            "resume",
            "close",
        }
        assert can["auth"] == {"logout": {}}
        assert agent.client.profile.capabilities.elicitation_url

    run_agent(scenario, agent, initialize=None)


def test_capabilities_that_are_absent_count_as_missing_v1_init_05_12() -> None:
    agent = TestAgent(profile=AgentProfile())

    async def scenario(peer: RawPeer) -> None:
        await peer.result("initialize", {"protocolVersion": 1})
        assert agent.client.profile.capabilities == type(agent.client.profile.capabilities)()
        assert agent.client.files is None
        assert agent.client.terminals is None
        assert await peer.result("session/new", NEW) == {"sessionId": "s1"}  # V1-INIT-07
        assert await peer.result("session/prompt", HELLO) == {"stopReason": "end_turn"}

    run_agent(scenario, agent, initialize=None)


def test_capabilities_of_a_client_that_asked_for_version_2_are_read_neg_18() -> None:
    agent = TestAgent()

    async def scenario(peer: RawPeer) -> None:
        newer = {
            "protocolVersion": 2,
            "info": {"name": "new", "version": "2", "title": "New"},
            "capabilities": {"elicitation": {"form": {}}, "auth": {"terminal": {}}},
        }
        assert (await peer.result("initialize", newer))["protocolVersion"] == 1
        profile = agent.client.profile
        assert profile.info == Implementation("new", "2", "New")
        assert profile.capabilities.elicitation_form
        assert profile.capabilities.terminal_login
        assert not profile.capabilities.elicitation_url
        assert profile.capabilities.boolean_options

    run_agent(scenario, agent, initialize=None)


def test_an_initialize_that_cannot_be_read_is_invalid() -> None:
    async def scenario(peer: RawPeer) -> None:
        assert (await peer.error("initialize", {"protocolVersion": "1"}))["code"] == -32602

    run_agent(scenario, TestAgent(), initialize=None)


# Authentication.

LOGINS = (
    AgentLogin("key", "Key"),
    TerminalLogin("tty", "Terminal", args=("login",), env={"A": "1"}),
    OtherLogin("web", "Web", "oauth", {"type": "oauth", "id": "web", "name": "Web"}),
)


def test_logins_in_a_terminal_are_for_clients_that_have_one_v1_auth_05() -> None:
    losses = Losses()
    settings = Settings(on_loss=losses.append)
    agent = TestAgent(profile=AgentProfile(logins=LOGINS))

    async def scenario(peer: RawPeer) -> None:
        with_terminal = await peer.result("initialize", CLIENT)
        assert with_terminal["authMethods"] == [
            {"id": "key", "name": "Key"},
            {
                "type": "terminal",
                "id": "tty",
                "name": "Terminal",
                "args": ["login"],
                "env": {"A": "1"},
            },
        ]

    run_agent(scenario, agent, settings, initialize=None)
    assert losses.names() == ["login.type"]

    async def without(peer: RawPeer) -> None:
        methods = (await peer.result("initialize", {"protocolVersion": 1}))["authMethods"]
        assert [method["id"] for method in methods] == ["key"]

    run_agent(without, agent, initialize=None)


@pytest.mark.parametrize("method_id", ["nope", "tty", "web"])
def test_only_a_login_of_the_agent_itself_can_be_asked_for_v1_auth_01(method_id: str) -> None:
    agent = TestAgent(profile=AgentProfile(logins=LOGINS))

    async def scenario(peer: RawPeer) -> None:
        assert (await peer.error("authenticate", {"methodId": method_id}))["code"] == -32602
        assert agent.calls == []
        assert await peer.result("authenticate", {"methodId": "key"}) == {}  # V1-AUTH-14
        assert await peer.result("logout") == {}  # RPC-25
        assert agent.calls == [("login", "key"), ("logout",)]

    run_agent(scenario, agent)


def test_a_session_can_be_refused_until_there_is_a_login_v1_auth_03() -> None:
    agent = TestAgent()
    agent.failure = AuthRequired()

    async def scenario(peer: RawPeer) -> None:
        assert (await peer.error("session/new", NEW))["code"] == -32000
        agent.failure = None
        assert await peer.result("session/new", NEW) == {"sessionId": "s1"}  # V1-AUTH-02

    run_agent(scenario, agent)


# Extensions.


def test_extensions_reach_the_agent_and_others_do_not_ext_06_08() -> None:
    agent = TestAgent()
    agent.on_call = lambda method, params: {"got": params}

    async def scenario(peer: RawPeer) -> None:
        assert await peer.result("_x/y", {"a": 1}) == {"got": {"a": 1}}
        assert await peer.result("_x/y") == {"got": None}
        agent.on_call = None
        assert (await peer.error("_nope"))["code"] == -32601
        assert (await peer.error("no/such"))["code"] == -32601
        peer.note("_told", {"b": 2})
        peer.note("future/thing", {})
        peer.note("$/x")
        await peer.error("no/such")
        assert [call for call in agent.calls if call[0] == "tell"] == [("tell", "_told", {"b": 2})]

    run_agent(scenario, agent)


UNSTABLE = [
    ("session/fork", {"sessionId": "s1", "cwd": "/work"}),
    ("session/archive", {"sessionId": "s1"}),
    ("session/status", {"sessionId": "s1"}),
    ("auth/status", {}),
    ("providers/list", {}),
]


@pytest.mark.parametrize(("method", "params"), UNSTABLE)
def test_unstable_methods_are_unknown_without_the_switch_v1_u_01(
    method: str, params: dict[str, Any]
) -> None:
    agent = TestAgent()

    async def scenario(peer: RawPeer) -> None:
        assert (await peer.error(method, params))["code"] == -32601
        assert agent.calls == []

    run_agent(scenario, agent)


def test_unstable_methods_reach_the_agent_with_the_switch_on() -> None:
    agent = TestAgent()
    agent.on_call = lambda method, params: {"status": "open"}

    async def scenario(peer: RawPeer) -> None:
        assert await peer.result("session/fork", {"sessionId": "s0", "cwd": "/work"}) == {
            "sessionId": "s1"
        }  # V1-U-04
        assert await peer.result("session/status", {"sessionId": "s1"}) == {"status": "open"}
        message = {"serverId": "m", "requestId": "r", "method": "x"}
        peer.note("mcp/message", message)
        prompt = {"mode": "append", "content": [{"type": "text", "text": "be brief"}]}
        error = await peer.error("session/new", {**NEW, "systemPrompt": prompt})
        assert error["code"] == -32602  # V1-U-13
        assert agent.calls[1:] == [
            ("call", "session/status", {"sessionId": "s1"}),
            ("tell", "mcp/message", message),
        ]

    run_agent(scenario, agent, Settings(unstable=True))


def test_a_system_prompt_is_not_there_without_the_switch() -> None:
    agent = TestAgent()

    async def scenario(peer: RawPeer) -> None:
        prompt = {"mode": "append", "content": [{"type": "text", "text": "be brief"}]}
        await peer.result("session/new", {**NEW, "systemPrompt": prompt})
        assert agent.calls[0][1].system_prompt is None

    run_agent(scenario, agent)
