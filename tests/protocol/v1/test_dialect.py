"""Older forms are understood and counted, one by one and over the wire."""

import asyncio
from typing import Any

import pytest

from parley.protocol.settings import Settings
from parley.protocol.v1.dialect import (
    flat_outcome,
    mode_by_page,
    servers_by_name,
    update_by_type,
    usage_in_meta,
    without_servers,
)
from parley.session.event import TurnUsage
from parley.session.option import Choice, Select, Toggle
from parley.session.role import HttpServer, SessionSetup, StdioServer
from parley.transport.memory import memory_pair
from tests.protocol.v1.roles import CLIENT, TestAgent, serving
from tests.protocol.wire import BOUND, RawPeer

MODEL = Select(
    "m", "Model", "small", (Choice("small", "Small"), Choice("big", "Big")), category="model"
)


def _counted(agent: TestAgent, *calls: tuple[str, Any]) -> tuple[list[Any], dict[str, int]]:
    """The results of calls, and how often which dialect was used."""

    async def main() -> tuple[list[Any], dict[str, int]]:
        ours, theirs = memory_pair()
        async with asyncio.timeout(BOUND), serving(agent, ours, Settings()) as endpoint:
            peer = RawPeer(theirs)
            await peer.result("initialize", CLIENT)
            results = [await peer.result(method, params) for method, params in calls]
            return results, dict(endpoint.dialects)

    return asyncio.run(main())


def test_a_session_opens_without_a_list_of_servers_iac_05() -> None:
    agent = TestAgent()
    _, used = _counted(
        agent,
        ("session/new", {"cwd": "/work"}),
        ("session/load", {"cwd": "/work", "sessionId": "s1"}),
    )
    assert used == {"mcpServers missing": 2}
    assert agent.calls[0][1].mcp_servers == ()


def test_nothing_is_counted_when_the_modern_form_is_used() -> None:
    _, used = _counted(TestAgent(), ("session/new", {"cwd": "/work", "mcpServers": None}))
    assert used == {}


def test_servers_may_be_an_object() -> None:
    agent = TestAgent()
    servers = {
        "a": {"command": "/a", "args": ["x"], "env": {"K": "V"}},
        "b": {"type": "stdio", "command": "/b"},
        "c": {"url": "http://c", "headers": {"H": "1"}},
        "d": {"type": "sse", "url": "http://d", "headers": [{"name": "H", "value": "2"}]},
    }
    _, used = _counted(agent, ("session/new", {"cwd": "/work", "mcpServers": servers}))
    assert used == {"mcpServers as an object": 1}
    assert agent.calls[0][1].mcp_servers == (
        StdioServer("a", "/a", ("x",), {"K": "V"}),
        StdioServer("b", "/b"),
        HttpServer("c", "http://c", (("H", "1"),)),
        HttpServer("d", "http://d", (("H", "2"),), sse=True),
    )


def test_a_server_that_is_no_object_is_left_to_be_refused() -> None:
    params: dict[str, Any] = {"mcpServers": {"a": 5}}
    assert servers_by_name(params) == "mcpServers as an object"
    assert params == {"mcpServers": [5]}
    assert servers_by_name({"mcpServers": []}) is None
    assert without_servers({"mcpServers": []}) is None


def test_older_names_of_methods_are_answered_see_01_iac_15_16() -> None:
    agent = TestAgent(setup=SessionSetup("s1", (MODEL,)))
    agent.on_set = lambda option_id, value: (MODEL,)
    results, used = _counted(
        agent,
        ("session/new", {"cwd": "/work", "mcpServers": []}),
        ("sessions/list", {"cwd": "/work"}),
        ("config/set", {"sessionId": "s1", "configId": "m", "value": "big"}),
        ("session/set_model", {"sessionId": "s1", "modelId": "big"}),
    )
    assert used == {"sessions/list": 1, "config/set": 1, "session/set_model": 1}
    assert results[1] == {"sessions": []}
    assert results[3] == {}
    assert agent.calls[2:] == [("set", "m", "big"), ("set", "m", "big")]


def test_a_boolean_needs_no_type_iac_16() -> None:
    from_web = TestAgent(setup=SessionSetup("s1", (MODEL, Toggle("w", "Web", current=False))))
    from_web.on_set = lambda option_id, value: ()
    _, used = _counted(
        from_web,
        ("session/new", {"cwd": "/work", "mcpServers": []}),
        ("config/set", {"sessionId": "s1", "configId": "w", "value": True}),
    )
    assert from_web.calls[-1] == ("set", "w", True)
    assert used == {"config/set": 1, "boolean value without a type": 1}


@pytest.mark.parametrize(
    ("update", "repaired"),
    [
        (
            {"type": "agent_message_chunk", "text": "x"},
            {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "x"}},
        ),
        ({"type": "plan", "entries": []}, {"sessionUpdate": "plan", "entries": []}),
    ],
)
def test_an_update_may_carry_its_tag_in_type(update: Any, repaired: Any) -> None:
    params = {"update": update}
    assert update_by_type(params) == "update with `type`"
    assert params == {"update": repaired}


@pytest.mark.parametrize("params", [{}, {"update": 5}, {"update": {"sessionUpdate": "x"}}])
def test_other_updates_are_left_as_they_are(params: Any) -> None:
    assert update_by_type(params) is None
    assert mode_by_page(params) is None


def test_a_mode_may_have_the_name_of_the_page() -> None:
    params = {"update": {"sessionUpdate": "current_mode_update", "modeId": "code"}}
    assert mode_by_page(params) == "`modeId` of a changed mode"
    assert params["update"] == {"sessionUpdate": "current_mode_update", "currentModeId": "code"}


def test_an_outcome_that_is_no_word_of_the_seeds_stays_what_it_is() -> None:
    answer = {"outcome": "approved", "optionId": "yes"}
    assert flat_outcome(answer) is None
    assert answer == {"outcome": "approved", "optionId": "yes"}


@pytest.mark.parametrize(
    ("meta", "usage"),
    [
        (None, None),
        ({}, None),
        ({"usage": 5}, None),
        ({"usage": {"inputTokens": 1}}, None),
        ({"usage": {"inputTokens": -1, "outputTokens": 1}}, None),
        ({"usage": {"inputTokens": "1", "outputTokens": 1}}, None),
        ({"usage": {"inputTokens": 1, "outputTokens": 2}}, TurnUsage(3, 1, 2)),
        (
            {"usage": {"input_tokens": 1, "output_tokens": 2, "total_tokens": 9}},
            TurnUsage(9, 1, 2),
        ),
        (
            {
                "usage": {
                    "inputTokens": 1,
                    "outputTokens": 2,
                    "totalTokens": 3,
                    "thoughtTokens": 4,
                    "cachedReadTokens": 5,
                    "cachedWriteTokens": 6,
                }
            },
            TurnUsage(3, 1, 2, 4, 5, 6),
        ),
    ],
)
def test_usage_is_read_from_meta_in_either_spelling_iac_11(meta: Any, usage: Any) -> None:
    assert usage_in_meta(meta) == usage
