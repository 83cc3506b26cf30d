"""How a conversation through a bridge begins: two introductions, one after the other."""

import asyncio
from typing import Any

import pytest

from parley.errors import ConnectionLost
from parley.protocol.bridge import bridge
from parley.rpc.transport import Transport
from parley.transport.memory import memory_pair
from tests.protocol.bridging import ALL_WAYS, DIRECTIONS, INITIALIZE, raw_bridge
from tests.protocol.wire import RawPeer
from tests.sdk.stage import run

both = pytest.mark.parametrize(("client", "agent"), DIRECTIONS)
SESSIONS = {"session": {}}


@pytest.mark.parametrize(("client", "agent"), ALL_WAYS)
def test_the_client_waits_for_the_agent(client: int, agent: int) -> None:
    async def scenario() -> None:
        async with raw_bridge(client, agent) as stage:
            asked = stage.client.ask("initialize", INITIALIZE[client])
            await stage.client.error("session/list", {})
            assert "result" not in str(stage.client.seen)
            await stage.answer_initialize()
            answer = await stage.client.answer(asked)
            assert answer["result"]["protocolVersion"] == client

    run(scenario())


def test_a_client_of_version_1_is_introduced_to_an_agent_of_version_2() -> None:
    async def scenario() -> None:
        async with raw_bridge(1, 2) as stage:
            asked = stage.client.ask(
                "initialize",
                {
                    "protocolVersion": 1,
                    "clientInfo": {"name": "ed", "version": "7", "title": "Ed"},
                    "clientCapabilities": {
                        "fs": {"readTextFile": True, "writeTextFile": True},
                        "terminal": True,
                        "auth": {"terminal": True},
                        "elicitation": {"form": {}, "url": {}},
                        "session": {"notices": {}, "configOptions": {"boolean": {}}},
                    },
                    "_meta": {"traceparent": "00-1"},
                },
            )
            params = await stage.answer_initialize()
            await stage.client.answer(asked)
            assert params == {
                "protocolVersion": 2,
                "info": {"name": "ed", "version": "7", "title": "Ed"},
                # Files and terminals of the client have no word in version 2.
                "capabilities": {"auth": {"terminal": {}}, "elicitation": {"form": {}, "url": {}}},
                "_meta": {"traceparent": "00-1"},
            }

    run(scenario())


def test_a_client_without_a_name_is_introduced_as_unknown() -> None:
    async def scenario() -> None:
        async with raw_bridge(1, 2) as stage:
            stage.client.ask("initialize", {"protocolVersion": 1})
            params = await stage.answer_initialize()
            assert params["info"] == {"name": "unknown", "version": "unknown"}

    run(scenario())


def test_a_client_of_version_2_is_introduced_to_an_agent_of_version_1() -> None:
    async def scenario() -> None:
        async with raw_bridge(2, 1) as stage:
            capabilities = {"auth": {"terminal": {}}, "elicitation": {"form": {}}}
            info = {"name": "ed", "version": "7"}
            stage.client.ask(
                "initialize", {"protocolVersion": 2, "info": info, "capabilities": capabilities}
            )
            params = await stage.answer_initialize()
            can = params["clientCapabilities"]
            assert params["clientInfo"] == info
            assert can["fs"] == {"readTextFile": False, "writeTextFile": False}
            assert can["terminal"] is False
            assert can["auth"] == {"terminal": True}
            assert can["elicitation"] == {"form": {}}
            # What every client of version 2 can do.
            baseline = {"configOptions": {"boolean": {}}, "notices": {}, "compaction": {}}
            assert can["session"] == baseline
            assert "plan" not in can

    run(scenario())


def test_what_is_unstable_is_offered_with_the_switch() -> None:
    async def scenario() -> None:
        async with raw_bridge(2, 1, unstable=True) as stage:
            stage.client.ask("initialize", INITIALIZE[2])
            assert (await stage.answer_initialize())["clientCapabilities"]["plan"] == {}

    run(scenario())


def test_an_agent_of_version_2_is_shown_to_a_client_of_version_1() -> None:
    async def scenario() -> None:
        async with raw_bridge(1, 2) as stage:
            answer = await stage.initialize(
                {"clientCapabilities": {"auth": {"terminal": True}}},
                info={"name": "agent", "version": "3"},
                capabilities={
                    "session": {
                        "prompt": {"image": {}, "embeddedContext": {}},
                        "mcp": {"stdio": {}, "http": {}},
                        "delete": {},
                        "additionalDirectories": {},
                    }
                },
                authMethods=[
                    {"type": "agent", "methodId": "web", "name": "Web"},
                    {
                        "type": "terminal",
                        "methodId": "tty",
                        "name": "Tty",
                        "args": ["login"],
                        "env": [{"name": "A", "value": "1"}],
                    },
                    {"type": "_other", "methodId": "x", "name": "X"},
                ],
            )
            can = answer["agentCapabilities"]
            assert answer["protocolVersion"] == 1
            assert answer["agentInfo"] == {"name": "agent", "version": "3"}
            assert can["loadSession"] is True
            assert can["sessionCapabilities"] == {
                name: {} for name in ("list", "resume", "close", "delete", "additionalDirectories")
            }
            assert can["promptCapabilities"] == {
                "image": True,
                "audio": False,
                "embeddedContext": True,
            }
            assert can["mcpCapabilities"] == {"http": True, "sse": False}
            assert can["auth"] == {"logout": {}}
            # A login of a kind that version 1 does not know would be taken for one of the agent.
            assert answer["authMethods"] == [
                {"id": "web", "name": "Web"},
                {
                    "type": "terminal",
                    "id": "tty",
                    "name": "Tty",
                    "args": ["login"],
                    "env": {"A": "1"},
                },
            ]
            assert stage.losses == ["login.type"]

    run(scenario())


def test_a_login_in_a_terminal_is_only_for_clients_that_have_one() -> None:
    async def scenario() -> None:
        async with raw_bridge(1, 2) as stage:
            login = {"type": "terminal", "methodId": "tty", "name": "Tty"}
            answer = await stage.initialize(authMethods=[login])
            assert answer["authMethods"] == []
            assert stage.losses == []

    run(scenario())


def test_an_agent_of_version_1_is_shown_to_a_client_of_version_2() -> None:
    async def scenario() -> None:
        async with raw_bridge(2, 1) as stage:
            answer = await stage.initialize(
                {"capabilities": {"auth": {"terminal": {}}}},
                agentInfo={"name": "agent", "version": "3"},
                agentCapabilities={
                    "promptCapabilities": {"image": True},
                    "mcpCapabilities": {"http": True, "sse": True},
                    "sessionCapabilities": {"delete": {}},
                },
                authMethods=[
                    {"id": "web", "name": "Web"},
                    {"type": "terminal", "id": "tty", "name": "Tty", "env": {"A": "1"}},
                ],
            )
            assert answer == {
                "protocolVersion": 2,
                "info": {"name": "agent", "version": "3"},
                "capabilities": {
                    "session": {
                        "prompt": {"image": {}},
                        "mcp": {"stdio": {}, "http": {}},
                        "delete": {},
                    }
                },
                "authMethods": [
                    {"type": "agent", "methodId": "web", "name": "Web"},
                    {
                        "type": "terminal",
                        "methodId": "tty",
                        "name": "Tty",
                        "env": [{"name": "A", "value": "1"}],
                    },
                ],
            }
            assert stage.losses == []

    run(scenario())


def test_an_agent_without_a_name_is_shown_as_unknown() -> None:
    async def scenario() -> None:
        async with raw_bridge(2, 1) as stage:
            assert (await stage.initialize())["info"] == {"name": "unknown", "version": "unknown"}

    run(scenario())


def test_an_agent_without_sessions_is_refused_to_a_client_of_version_1() -> None:
    async def scenario() -> None:
        async with raw_bridge(1, 2) as stage:
            asked = stage.client.ask("initialize", INITIALIZE[1])
            await stage.answer_initialize(capabilities={})
            error = (await stage.client.answer(asked))["error"]
            assert error["code"] == -32603
            assert error["data"] == {
                "acpBridge": {"problem": "the agent has no sessions, which version 1 cannot say"}
            }

    run(scenario())


@both
def test_an_agent_that_refuses_is_heard(client: int, agent: int) -> None:
    async def scenario() -> None:
        async with raw_bridge(client, agent) as stage:
            asked = stage.client.ask("initialize", INITIALIZE[client])
            stage.agent.refuse(await stage.agent.request("initialize"), -32000, "log in first")
            error = (await stage.client.answer(asked))["error"]
            assert error == {"code": -32000, "message": "log in first"}

    run(scenario())


@both
def test_an_agent_that_dies_on_the_way_is_an_error(client: int, agent: int) -> None:
    async def scenario() -> None:
        async with raw_bridge(client, agent) as stage:
            asked = stage.client.ask("initialize", INITIALIZE[client])
            await stage.agent.request("initialize")
            stage.agent_wire.break_("the agent is on fire")
            error = (await stage.client.answer(asked))["error"]
            assert error["code"] == -32603
            assert "the agent is on fire" in error["data"]["acpBridge"]["problem"]

    run(scenario())


def test_an_agent_that_cannot_be_opened_is_an_error_and_may_be_tried_again() -> None:
    async def scenario() -> None:
        near, far = memory_pair()
        left, right = memory_pair()
        opened: list[Transport] = [left]

        async def reach() -> Transport:
            if opened:
                raise ConnectionLost(f"cannot start `agent` ({len(opened)})")
            return left

        client, agent = RawPeer(near), RawPeer(right)
        async with asyncio.TaskGroup() as group:
            group.create_task(bridge(far, reach))
            error = await client.error("initialize", INITIALIZE[1])
            assert error["message"] == "Internal error: cannot start `agent` (1)"
            opened.clear()
            asked = client.ask("initialize", INITIALIZE[1])
            agent.reply(
                await agent.request("initialize"),
                {
                    "protocolVersion": 2,
                    "info": {"name": "a", "version": "1"},
                    "capabilities": SESSIONS,
                },
            )
            assert (await client.answer(asked))["result"]["protocolVersion"] == 1
            await near.aclose()

    run(scenario())


@pytest.mark.parametrize("agent", [1, 2])
def test_initialising_again_is_answered_from_what_the_agent_said(agent: int) -> None:
    async def scenario() -> None:
        async with raw_bridge(2, agent) as stage:
            first = await stage.initialize()
            asked = len(stage.agent.seen)
            # NEG-13: allowed until the first other request. The agent is not asked again.
            assert await stage.client.result("initialize", INITIALIZE[2]) == first
            other = {**INITIALIZE[2], "capabilities": {"elicitation": {"form": {}}}}
            assert (await stage.client.error("initialize", other))["code"] == -32600
            await stage.open()
            sent = [message["method"] for message in stage.agent.seen[asked:]]
            assert sent == ["session/new"]
            request_id = stage.prompt()
            stage.finish(await stage.prompted())
            assert (await stage.ended(request_id))["stopReason"] == "end_turn"

    run(scenario())


def test_a_second_initialize_while_the_first_waits_is_refused() -> None:
    async def scenario() -> None:
        async with raw_bridge(2, 1) as stage:
            first = stage.client.ask("initialize", INITIALIZE[2])
            await stage.agent.request("initialize")
            other: dict[str, Any] = {**INITIALIZE[2], "capabilities": {"auth": {"terminal": {}}}}
            for again in (INITIALIZE[2], other):
                assert (await stage.client.error("initialize", again))["code"] == -32600
            stage.agent.reply(stage.agent.seen[-1], {"protocolVersion": 1})
            stage.agent.reply(await stage.agent.request("initialize"), {"protocolVersion": 1})
            assert "result" in await stage.client.answer(first)

    run(scenario())
