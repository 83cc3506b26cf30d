"""How a client opens and ends sessions of an agent that writes JSON by hand."""

import asyncio
from typing import Any

import pytest

from parley.errors import LocalProtocolError, RemoteProtocolError, RpcError
from parley.protocol.settings import Settings
from parley.protocol.v1.client_side import ClientSide
from parley.session.content import Text
from parley.session.event import ChunkAdded, OptionsChanged
from parley.session.option import Choice, Select
from parley.session.role import (
    HttpServer,
    Prompt,
    SessionRequest,
    SessionSetup,
    StdioServer,
    SystemPrompt,
)
from tests.protocol.v1.roles import TestClient, answering, both, opened, run_client
from tests.protocol.wire import RawPeer

WORK = SessionRequest("/work")
MODE = {"id": "mode", "name": "Mode", "type": "select", "category": "mode"}


def test_a_session_is_opened_with_everything_given() -> None:
    request = SessionRequest(
        "/work",
        ("/more", "/work", "/more"),
        (
            StdioServer("a", "/a", ("x",), {"K": "V"}),
            HttpServer("b", "http://b", (("H", "1"),)),
            HttpServer("c", "http://c", sse=True),
        ),
        meta={"traceparent": "00"},
    )

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        answer = {"sessionId": "s1", "_meta": {"a": 1}}
        setup = await both(side.new_session(request), answering(agent, "session/new", answer))
        assert setup == SessionSetup("s1", meta={"a": 1})
        assert agent.seen[-1]["params"] == {
            "cwd": "/work",
            "additionalDirectories": ["/more"],  # V1-DIR-08
            "mcpServers": [
                {
                    "name": "a",
                    "command": "/a",
                    "args": ["x"],
                    "env": [{"name": "K", "value": "V"}],
                },
                {
                    "type": "http",
                    "name": "b",
                    "url": "http://b",
                    "headers": [{"name": "H", "value": "1"}],
                },
                {"type": "sse", "name": "c", "url": "http://c", "headers": []},
            ],
            "_meta": {"traceparent": "00"},
        }

    run_client(scenario)


def test_the_list_of_servers_is_always_there_v1_mcp_06() -> None:
    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)
        assert agent.seen[-1]["params"] == {"cwd": "/work", "mcpServers": []}
        resumed = side.resume_session("s2", WORK)
        params = await both(answering(agent, "session/resume", {}), resumed)
        assert params == {"sessionId": "s2", "cwd": "/work", "mcpServers": []}

    run_client(scenario)


def test_history_arrives_before_a_loaded_session_is_there_v1_load() -> None:
    client = TestClient()

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        async def answer() -> None:
            request = await agent.request("session/load")
            chunk = {
                "sessionUpdate": "user_message_chunk",
                "content": {"type": "text", "text": "q"},
            }
            agent.note("session/update", {"sessionId": "s1", "update": chunk})
            agent.reply(request, None)  # V1-LOAD-09

        setup = await both(side.load_session("s1", WORK), answer())
        assert setup == SessionSetup("s1")
        assert client.events == [ChunkAdded("user", Text("q"))]
        prompted = answering(agent, "session/prompt", {"stopReason": "end_turn"})
        await both(side.prompt("s1", Prompt((Text("x"),))), prompted)  # V1-LOAD-07

    run_client(scenario, client)


def test_a_load_that_fails_opens_nothing() -> None:
    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        async def refuse() -> None:
            agent.refuse(await agent.request("session/load"), -32002)

        with pytest.raises(RpcError):
            await both(side.load_session("s1", WORK), refuse())
        with pytest.raises(LocalProtocolError):
            await side.prompt("s1", Prompt((Text("x"),)))
        await opened(side, agent)
        with pytest.raises(RpcError):
            await both(side.load_session("s1", WORK), refuse())
        prompted = answering(agent, "session/prompt", {"stopReason": "end_turn"})
        await both(side.prompt("s1", Prompt((Text("x"),))), prompted)

    run_client(scenario)


def test_a_session_without_a_name_is_the_fault_of_the_agent() -> None:
    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        for answer in ({"sessionId": ""}, {}, None):
            with pytest.raises(RemoteProtocolError):
                await both(side.new_session(WORK), answering(agent, "session/new", answer))

    run_client(scenario)


def test_a_list_of_options_that_came_meanwhile_is_not_overwritten() -> None:
    client = TestClient()

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        def options(current: str) -> list[dict[str, Any]]:
            choices = [{"value": "a", "name": "A"}, {"value": "b", "name": "B"}]
            return [{**MODE, "currentValue": current, "options": choices}]

        async def answer() -> None:
            request = await agent.request("session/new")
            agent.reply(request, {"sessionId": "s1", "configOptions": options("a")})
            update = {"sessionUpdate": "config_option_update", "configOptions": options("b")}
            agent.note("session/update", {"sessionId": "s1", "update": update})

        setup = await both(side.new_session(WORK), answer())
        choices = (Choice("a", "A"), Choice("b", "B"))
        newest = Select("mode", "Mode", "b", choices, category="mode")
        assert setup.options == (newest,)
        assert client.events == [OptionsChanged((newest,))]

    run_client(scenario, client)


@pytest.mark.parametrize(
    "request_",
    [
        SessionRequest("work"),  # V1-SES-02
        SessionRequest("/work", ("more",)),  # V1-DIR-02
        SessionRequest("/work", ("",)),
        SessionRequest("/work", system_prompt=SystemPrompt((Text("x"),))),  # V1-U-13
    ],
)
def test_what_is_malformed_is_not_sent(request_: SessionRequest) -> None:
    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        with pytest.raises(LocalProtocolError):
            await side.new_session(request_)
        assert len(agent.seen) == 1

    run_client(scenario)


@pytest.mark.parametrize(
    "request_",
    [
        SessionRequest("/work", ("/more",)),  # V1-DIR-01
        SessionRequest("/work", mcp_servers=(HttpServer("b", "http://b"),)),  # V1-MCP-02
        SessionRequest("/work", mcp_servers=(HttpServer("b", "http://b", sse=True),)),
    ],
)
def test_what_the_agent_did_not_advertise_is_not_sent(request_: SessionRequest) -> None:
    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        with pytest.raises(LocalProtocolError):
            await side.new_session(request_)
        assert len(agent.seen) == 1

    run_client(scenario, answer={"protocolVersion": 1})


def test_a_session_is_forked_with_the_switch_on_v1_u_03() -> None:
    can = {"agentCapabilities": {"sessionCapabilities": {"fork": {}}}}

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        forked = side.fork_session("s1", WORK)
        setup = await both(forked, answering(agent, "session/fork", {"sessionId": "s2"}))
        assert setup.session_id == "s2"

    run_client(scenario, settings=Settings(unstable=True), answer={"protocolVersion": 1, **can})

    async def without(side: ClientSide, agent: RawPeer) -> None:
        with pytest.raises(LocalProtocolError):
            await side.fork_session("s1", WORK)

    run_client(without, answer={"protocolVersion": 1, **can})


@pytest.mark.parametrize("how", ["close", "delete"])
def test_a_session_that_is_not_there_counts_as_ended_v1_clo_04(how: str) -> None:
    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)
        end = side.close_session if how == "close" else side.delete_session

        async def refuse(code: int) -> None:
            agent.refuse(await agent.request(f"session/{how}"), code)

        with pytest.raises(RpcError):
            await both(end("s1"), refuse(-32603))
        await both(end("s1"), refuse(-32002))
        with pytest.raises(LocalProtocolError):
            await side.prompt("s1", Prompt((Text("x"),)))
        await both(end("s1"), answering(agent, f"session/{how}", None))

    run_client(scenario)


def test_closing_answers_the_questions_of_the_session() -> None:
    client = TestClient()
    client.hold.clear()

    async def scenario(side: ClientSide, agent: RawPeer) -> None:
        await opened(side, agent)
        permission = {
            "sessionId": "s1",
            "toolCall": {"toolCallId": "t1", "title": "Run"},
            "options": [{"optionId": "y", "name": "Yes", "kind": "allow_once"}],
        }
        id_ = agent.ask("session/request_permission", permission)
        await client.asked.wait()
        async with asyncio.TaskGroup() as group:
            group.create_task(side.close_session("s1"))
            agent.reply(await agent.request("session/close"), {})
        assert (await agent.answer(id_))["result"] == {"outcome": {"outcome": "cancelled"}}

    run_client(scenario, client)
