"""Initialising, logging in, and methods nobody planned, on the agent's side of version 2."""

import asyncio
from typing import Any

import pytest

from parley.protocol.settings import Settings
from parley.session.profile import (
    AgentCapabilities,
    AgentLogin,
    ClientCapabilities,
    OtherLogin,
    TerminalLogin,
)
from tests.protocol.v2.roles import ScriptedAgent
from tests.protocol.v2.wire import Json, served, text

KEY = AgentLogin("key", "Key", "With a key")
TERMINAL = TerminalLogin("tty", "Terminal", args=("login",), env={"A": "1"})
UNSTABLE = Settings(versions=(2,), unstable=True)
EVERYTHING = AgentCapabilities(
    delete=True,
    fork=True,
    additional_directories=True,
    image=True,
    audio=True,
    embedded_context=True,
    mcp_http=True,
    mcp_acp=True,
    archive=True,
    status=True,
    title=True,
    system_prompt=True,
    system_prompt_override=True,
    auth_status=True,
    providers=True,
)


def test_the_answer_names_the_agent_and_what_it_can() -> None:
    """V2-INIT-01, V2-INIT-02, V2-INIT-08"""

    async def scenario() -> None:
        async with served(ScriptedAgent(capabilities=EVERYTHING)) as peer:
            assert await peer.initialize() == {
                "protocolVersion": 2,
                "info": {"name": "scripted", "version": "1"},
                "capabilities": {
                    "session": {
                        "prompt": {"image": {}, "audio": {}, "embeddedContext": {}},
                        "mcp": {"stdio": {}, "http": {}},
                        "delete": {},
                        "additionalDirectories": {},
                    }
                },
            }

    asyncio.run(scenario())


def test_the_unstable_part_is_advertised_only_where_it_is_spoken() -> None:
    """NEG-17, V2-SDK-01"""

    async def scenario() -> None:
        async with served(ScriptedAgent(capabilities=EVERYTHING), UNSTABLE) as peer:
            can = (await peer.initialize())["capabilities"]
            assert can["auth"] == {"status": {}}
            assert can["providers"] == {}
            assert can["session"]["systemPrompt"] == {"mode": {"override": {}}}
            assert can["session"]["mcp"]["acp"] == {}
            assert {"fork", "archive", "status", "title"} <= can["session"].keys()

    asyncio.run(scenario())


def test_the_application_learns_what_the_client_can() -> None:
    async def scenario() -> None:
        agent = ScriptedAgent()
        capabilities = {"auth": {"terminal": {}}, "elicitation": {"form": {}, "url": None}}
        async with served(agent) as peer:
            await peer.initialize(capabilities=capabilities, _meta={"a": 1})
            profile = agent.client.profile
            assert profile.capabilities == ClientCapabilities(
                terminal_login=True,
                elicitation_form=True,
                boolean_options=True,
                notices=True,
                compaction=True,
                plans=True,
                subagents=True,
            )
            assert (profile.version, profile.info.name, profile.meta) == (2, "raw", {"a": 1})

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("members", "name"),
    [
        ({"info": {"name": "x", "version": "1"}}, "x"),
        ({"clientInfo": {"name": "old", "version": "1"}}, "old"),
        ({"info": {"name": 5}, "clientInfo": {"name": "old", "version": "1"}}, "old"),
        ({"info": 7}, "unknown"),
        ({}, "unknown"),
        ({"capabilities": 9, "future": [1]}, "unknown"),
    ],
)
def test_what_cannot_be_read_of_an_initialize_is_left_out(members: Json, name: str) -> None:
    """NEG-11, SEE-07"""

    async def scenario() -> None:
        agent = ScriptedAgent()
        async with served(agent) as peer:
            answer = await peer.call("initialize", {"protocolVersion": 9, **members})
            assert answer["protocolVersion"] == 2
            assert agent.client.profile.info.name == name

    asyncio.run(scenario())


def test_metadata_of_the_wrong_type_is_no_metadata() -> None:
    async def scenario() -> None:
        agent = ScriptedAgent()
        async with served(agent) as peer:
            await peer.initialize(_meta=5)
            assert agent.client.profile.meta is None

    asyncio.run(scenario())


def test_initialize_may_be_repeated_until_the_first_other_request() -> None:
    """NEG-13, NEG-14"""

    async def scenario() -> None:
        agent = ScriptedAgent()
        async with served(agent) as peer:
            await peer.initialize(capabilities={"elicitation": {"form": {}}})
            await peer.initialize(capabilities={"elicitation": {"url": {}}})
            can = agent.client.profile.capabilities
            assert (can.elicitation_form, can.elicitation_url) == (False, True)
            # A failed repetition leaves the former in force.
            assert await peer.refused("initialize", {"protocolVersion": "2"}) == -32602
            assert (await peer.call("session/new", {"cwd": "/w"}))["sessionId"] == "s1"
            assert await peer.refused("initialize", {"protocolVersion": 2}) == -32600
            assert "messageId" in await peer.call(
                "session/prompt", {"sessionId": "s1", "prompt": [text("hi")]}
            )

    asyncio.run(scenario())


def test_an_extension_counts_as_another_request() -> None:
    """NEG-14"""

    async def scenario() -> None:
        async with served(ScriptedAgent()) as peer:
            await peer.initialize()
            await peer.call("_x/y", {})
            assert await peer.refused("initialize", {"protocolVersion": 2}) == -32600

    asyncio.run(scenario())


def test_nothing_works_before_initialize() -> None:
    """NEG-12"""

    async def scenario() -> None:
        agent = ScriptedAgent()
        async with served(agent) as peer:
            assert await peer.refused("session/new", {"cwd": "/w"}) == -32600
            peer.tell("session/cancel", {"sessionId": "s1"})
            assert await peer.open() == "s1"

    asyncio.run(scenario())


@pytest.mark.parametrize("id", [None, 1.5, {}])
def test_ids_are_strings_or_integers(id: Any) -> None:
    """RPC-16, RPC-17"""

    async def scenario() -> None:
        async with served(ScriptedAgent()) as peer:
            await peer.initialize()
            peer.send({"id": id, "method": "session/list"})
            answer = await peer.read()
            assert (answer["id"], answer["error"]["code"]) == (None, -32600)

    asyncio.run(scenario())


def test_logins_in_a_terminal_are_for_clients_that_have_one() -> None:
    """V2-AUTH-03, V2-AUTH-06, V2-AUTH-08"""

    async def scenario() -> None:
        agent = ScriptedAgent(logins=(KEY, TERMINAL, OtherLogin("o", "Odd", "_odd", {"x": 1})))
        key = {"type": "agent", "methodId": "key", "name": "Key", "description": "With a key"}
        odd = {"type": "_odd", "methodId": "o", "name": "Odd", "x": 1}
        terminal = {
            "type": "terminal",
            "methodId": "tty",
            "name": "Terminal",
            "args": ["login"],
            "env": [{"name": "A", "value": "1"}],
        }
        async with served(agent) as peer:
            assert (await peer.initialize())["authMethods"] == [key, odd]
            can = {"auth": {"terminal": {}}}
            answer = await peer.initialize(capabilities=can)
            assert answer["authMethods"] == [key, terminal, odd]

    asyncio.run(scenario())


def test_logging_in_and_out_goes_to_the_application() -> None:
    """V2-AUTH-01, V2-AUTH-07"""

    async def scenario() -> None:
        agent = ScriptedAgent(logins=(KEY, TERMINAL))
        async with served(agent) as peer:
            await peer.initialize(capabilities={"auth": {"terminal": {}}})
            assert await peer.call("auth/login", {"methodId": "key"}) == {}
            assert await peer.call("auth/logout") == {}
            assert agent.asked == [("login", "key"), ("logout",)]
            assert await peer.refused("auth/login", {"methodId": "tty"}) == -32602
            assert await peer.refused("auth/login", {"methodId": "nope"}) == -32602

    asyncio.run(scenario())


def test_an_agent_without_logins_has_no_methods_for_them() -> None:
    """V2-AUTH-02, V2-INIT-09"""

    async def scenario() -> None:
        async with served(ScriptedAgent()) as peer:
            assert "authMethods" not in await peer.initialize()
            assert await peer.refused("auth/login", {"methodId": "key"}) == -32601
            assert await peer.refused("auth/logout") == -32601

    asyncio.run(scenario())


def test_an_application_that_cannot_log_out_says_that_it_failed() -> None:
    async def scenario() -> None:
        async with served(ScriptedAgent(logins=(KEY,), missing=("logout",))) as peer:
            await peer.initialize()
            assert await peer.refused("auth/logout") == -32603

    asyncio.run(scenario())


def test_extensions_reach_the_application() -> None:
    """EXT-06, EXT-07, EXT-08, EXT-09, EXT-16"""

    async def scenario() -> None:
        agent = ScriptedAgent()
        async with served(agent) as peer:
            await peer.initialize()
            assert await peer.call("_x/y", {"a": 1}) == {"echo": {"a": 1}}
            assert await peer.call("_x/y") == {"echo": None}
            for method in ("_no/such", "no/such", "fs/read_text_file", "proxy/initialize"):
                assert await peer.refused(method, {}) == -32601
            for method in ("_x/note", "$/nope", "future/thing"):
                peer.tell(method, {"b": 2})
            assert await peer.settled() == []
            assert [entry for entry in agent.asked if entry[0] == "tell"] == [
                ("tell", "_x/note", {"b": 2})
            ]

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "method",
    [
        "auth/status",
        "providers/list",
        "session/archive",
        "session/unarchive",
        "session/status",
        "session/fork",
    ],
)
def test_unstable_methods_are_unknown_where_they_are_not_spoken(method: str) -> None:
    """NEG-17"""

    async def scenario() -> None:
        async with served(ScriptedAgent(capabilities=EVERYTHING)) as peer:
            await peer.initialize()
            params = {"sessionId": "s1", "cwd": "/w"}
            assert await peer.refused(method, params) == -32601

    asyncio.run(scenario())


def test_unstable_methods_go_to_the_application_as_they_are() -> None:
    class Agent(ScriptedAgent):
        async def call(self, method: str, params: Any) -> Any:
            self.asked.append((method, params))
            return {"state": "unknown"} if method == "auth/status" else None

    async def scenario() -> None:
        agent = Agent(capabilities=EVERYTHING)
        async with served(agent, UNSTABLE) as peer:
            await peer.open()
            assert await peer.call("auth/status") == {"state": "unknown"}
            # V1-U-06: an open session is closed before it is archived.
            assert await peer.call("session/archive", {"sessionId": "s1"}) == {}
            assert await peer.call("session/archive", {"sessionId": "old"}) == {}
            assert agent.asked[1:] == [
                ("auth/status", None),
                ("close_session", "s1"),
                ("session/archive", {"sessionId": "s1"}),
                ("session/archive", {"sessionId": "old"}),
            ]
            note = {"serverId": "a", "requestId": "b", "method": "c"}
            peer.tell("mcp/message", note)
            await peer.call("auth/status")
            assert ("tell", "mcp/message", note) in agent.asked
            peer.ask("session/list", {"archived": "only"})
            await peer.settled()
            assert ("list_sessions", None, None, "only") in agent.asked

    asyncio.run(scenario())


def test_the_older_names_of_methods_are_understood_and_counted() -> None:
    """SEE-05"""

    async def scenario() -> None:
        agent = ScriptedAgent(logins=(KEY,))
        async with served(agent) as peer:
            await peer.initialize()
            for method, today, params in (
                ("authenticate", "auth/login", {"methodId": "key"}),
                ("logout", "auth/logout", {}),
                ("session/load", "session/resume", {"sessionId": "old", "cwd": "/w"}),
            ):
                id = peer.ask(method, params, today=today)
                assert (await peer.answer(id))["result"] == {}
            assert agent.names() == ["login", "logout", "load_session"]
            assert peer.updates()[-1]["state"] == "idle"

    asyncio.run(scenario())


def test_an_option_value_without_a_type_is_understood() -> None:
    async def scenario() -> None:
        agent = ScriptedAgent()
        async with served(agent) as peer:
            await peer.open()
            for value in ("small", True):
                params = {"sessionId": "s1", "configId": "x", "value": value}
                await peer.call("session/set_config_option", params)
            assert [entry[-1] for entry in agent.asked[1:]] == ["small", True]

    asyncio.run(scenario())


def test_wrong_parameters_say_where_and_never_what() -> None:
    """RPC-09, RPC-29"""

    async def scenario() -> None:
        async with served(ScriptedAgent()) as peer:
            await peer.initialize()
            server = {"type": "stdio", "name": "a", "command": 5, "env": [{"name": "SECRET"}]}
            id = peer.ask("session/new", {"cwd": "/w", "mcpServers": [server]})
            error = (await peer.answer(id))["error"]
            assert error["code"] == -32602
            assert "SECRET" not in str(error)

    asyncio.run(scenario())
