"""Options, cancelling parts of the work, and extensions, as a client drives them."""

import asyncio
from collections.abc import Awaitable
from typing import Any

import pytest

from parley.errors import LocalProtocolError
from parley.protocol.settings import Settings
from tests.protocol.v2.roles import ScriptedClient
from tests.protocol.v2.wire import Json, RawPeer, driven, opened

UNSTABLE = Settings(versions=(2,), unstable=True)
MODEL = {
    "type": "select",
    "configId": "model",
    "name": "Model",
    "currentValue": "big",
    "options": [{"value": "big", "name": "Big"}, {"value": "small", "name": "Small"}],
}
LOUD = {"type": "boolean", "configId": "loud", "name": "Loud", "currentValue": False}


async def both(call: Awaitable[Any], peer: RawPeer, method: str, result: Any) -> tuple[Any, Json]:
    """What the caller gets, and what the agent was sent."""
    value, params = await asyncio.gather(call, peer.serve(method, result))
    return value, params


def test_an_option_is_set_to_a_value_that_is_offered() -> None:
    """V2-CFG-01, V2-CFG-04"""

    async def scenario() -> None:
        async with driven(ScriptedClient()) as (agent, peer):
            await opened(agent, peer, configOptions=[MODEL, LOUD])
            method, result = "session/set_config_option", {"configOptions": [LOUD]}
            for id, value in (("model", 5), ("nope", "big"), ("loud", "yes"), ("model", "huge")):
                with pytest.raises(LocalProtocolError):
                    await agent.set_option("s1", id, value)  # type: ignore[arg-type]
            setting = agent.set_option("s1", "loud", True)
            options, params = await both(setting, peer, method, {"configOptions": [MODEL]})
            assert params == {
                "sessionId": "s1",
                "configId": "loud",
                "type": "boolean",
                "value": True,
            }
            assert [option.id for option in options] == ["model"]
            setting = agent.set_option("s1", "model", "small")
            _, params = await both(setting, peer, method, result)
            assert params == {
                "sessionId": "s1",
                "configId": "model",
                "type": "id",
                "value": "small",
            }
            with pytest.raises(LocalProtocolError):
                await agent.set_option("s2", "model", "small")

    asyncio.run(scenario())


def test_only_what_says_so_is_cancelled_alone() -> None:
    """V2-TCX-01, V2-TCX-05"""

    async def scenario() -> None:
        async with driven(ScriptedClient()) as (agent, peer):
            await opened(agent, peer)
            tool: Json = {"sessionUpdate": "tool_call_update", "toolCallId": "t1"}
            shell: Json = {"sessionUpdate": "terminal_update", "terminalId": "x"}
            yes: Json = {"capabilities": {"cancel": {}}}

            async def refused() -> None:
                await peer.settled()
                for cancel in (
                    agent.cancel_tool_call("s1", "t1"),
                    agent.cancel_terminal("s1", "x"),
                ):
                    with pytest.raises(LocalProtocolError):
                        await cancel

            await refused()
            peer.update({**tool, **yes})
            peer.update({**shell, **yes})
            await peer.settled()
            await both(agent.cancel_tool_call("s1", "t1"), peer, "tool_call/cancel", {})
            await both(agent.cancel_terminal("s1", "x"), peer, "terminal/cancel", {})
            for no in (None, {}, {"cancel": None}, 5, {"cancel": True}):
                peer.update({**tool, **yes})
                peer.update({**shell, **yes})
                peer.update({**tool, "capabilities": no})
                peer.update({**shell, "capabilities": no})
                await refused()
            peer.update({**tool, **yes})
            peer.update({**shell, **yes})
            peer.update({**tool, "status": "failed"})
            peer.update({**shell, "exitStatus": {}})
            await refused()

    asyncio.run(scenario())


def test_extensions_go_both_ways_and_other_methods_are_refused() -> None:
    """EXT-06, EXT-07, EXT-08, EXT-09"""

    async def scenario() -> None:
        client = ScriptedClient()
        async with driven(client) as (agent, peer):
            value, params = await both(agent.call("_x/y", {"a": 1}), peer, "_x/y", [2])
            assert (value, params) == ([2], {"a": 1})
            agent.tell("_x/note", {"b": 1})
            assert [m["method"] for m in await peer.settled()] == ["_x/note"]
            for method in ("session/list", "auth/status"):
                with pytest.raises(LocalProtocolError):
                    await agent.call(method, {})
            with pytest.raises(LocalProtocolError):
                agent.tell("session/cancel", {})
            assert await peer.call("_x/z", {"c": 1}) == {"echo": {"c": 1}}
            peer.tell("_x/told", {"d": 1})
            peer.tell("future/thing")
            for method in ("_no/such", "fs/read_text_file", "terminal/create", "mcp/message"):
                assert await peer.refused(method, {}) == -32601
            assert client.told == [("_x/told", {"d": 1})]

    asyncio.run(scenario())


def test_unstable_methods_need_the_switch_and_the_capability() -> None:
    async def scenario() -> None:
        can = {"session": {"archive": {}}}
        client = ScriptedClient()
        async with driven(client, UNSTABLE, capabilities=can) as (agent, peer):
            archive = agent.call("session/archive", {"sessionId": "s1"})
            assert (await both(archive, peer, "session/archive", {}))[0] == {}
            with pytest.raises(LocalProtocolError):
                await agent.call("auth/status", {})
            listing = agent.list_sessions(archived="only")
            _, params = await both(listing, peer, "session/list", {"sessions": []})
            assert params == {"archived": "only"}
            note = {"serverId": "a", "requestId": "b", "method": "c"}
            agent.tell("mcp/message", note)
            assert (await peer.settled())[0]["params"] == note
            peer.tell("auth/status_update", {"state": "unknown"})
            id = peer.ask("mcp/message", note, today="_mcp")
            assert (await peer.answer(id))["result"] == {"echo": note}
            assert client.told == [("auth/status_update", {"state": "unknown"})]

    asyncio.run(scenario())
