"""What the agent of a bridge adds to passing everything on, which is little."""

from typing import Any

import pytest

from tests.protocol.bridging import ALL_WAYS, DIRECTIONS, NEW, bridged, raw_bridge
from tests.sdk.stage import run

every = pytest.mark.parametrize(("client", "agent"), ALL_WAYS)


@every
def test_extensions_pass_unchanged_in_both_directions(client: int, agent: int) -> None:
    async def scenario() -> None:
        async with bridged(client, agent) as stage:
            params = {"a": [1, None], "_meta": {"traceparent": "00-1"}}
            result = {"b": {"_meta": {"x": 1}}}
            assert await stage.passed("_x/ask", params, result) == (params, result)
            asked = stage.agent.ask("_x/ask", params)
            request = await stage.client.request("_x/ask")
            assert request["params"] == params
            stage.client.reply(request, result)
            assert (await stage.agent.answer(asked))["result"] == result
            stage.client.note("_x/tell", params)
            assert (await stage.agent.request("_x/tell"))["params"] == params
            stage.agent.note("_x/tell", params)
            assert (await stage.client.request("_x/tell"))["params"] == params

    run(scenario())


@every
def test_the_error_of_an_extension_passes_too(client: int, agent: int) -> None:
    async def scenario() -> None:
        async with bridged(client, agent) as stage:
            error = {"code": -31000, "message": "no", "data": [1]}
            for one, other in ((stage.client, stage.agent), (stage.agent, stage.client)):
                asked = one.ask("_x/ask", {})
                request = await other.request("_x/ask")
                other.send({"id": request["id"], "error": error})
                assert (await one.answer(asked))["error"] == error

    run(scenario())


@every
def test_other_methods_that_nobody_knows_stay_at_the_bridge(client: int, agent: int) -> None:
    async def scenario() -> None:
        async with bridged(client, agent) as stage:
            for peer in (stage.client, stage.agent):
                assert (await peer.error("no/such", {}))["code"] == -32601
                peer.note("no/such", {})
            await stage.sync()
            for peer in (stage.client, stage.agent):
                assert "no/such" not in [message.get("method") for message in peer.seen]

    run(scenario())


@every
def test_an_array_is_answered_by_the_bridge(client: int, agent: int) -> None:
    async def scenario() -> None:
        async with bridged(client, agent) as stage:
            for wire, peer in (
                (stage.client_wire, stage.client),
                (stage.agent_wire, stage.agent),
            ):
                wire.send(b'[{"jsonrpc":"2.0","id":1,"method":"_x"}]')
                answer = await peer.until(lambda m: "error" in m)
                assert (answer["id"], answer["error"]["code"]) == (None, -32600)

    run(scenario())


def test_a_request_of_version_1_without_an_id_of_its_own_gets_one() -> None:
    async def scenario() -> None:
        async with bridged(1, 2) as stage:
            stage.client.send({"id": None, "method": "_x/ask", "params": {}})
            request = await stage.agent.request("_x/ask")
            assert isinstance(request["id"], int)
            stage.agent.reply(request, {"a": 1})
            answer = await stage.client.until(lambda m: "result" in m)
            assert answer == {"jsonrpc": "2.0", "id": None, "result": {"a": 1}}

    run(scenario())


@pytest.mark.parametrize(("client", "agent"), DIRECTIONS)
def test_sessions_fork_with_the_switch(client: int, agent: int) -> None:
    async def scenario() -> None:
        able: dict[str, Any] = {"capabilities": {"session": {"fork": {}}}}
        if agent == 1:
            able = {"agentCapabilities": {"sessionCapabilities": {"fork": {}}}}
        async with raw_bridge(client, agent, unstable=True) as stage:
            await stage.initialize(**able)
            await stage.open()
            params = {"sessionId": "s", **NEW}
            asked, answer = await stage.passed("session/fork", params, {"sessionId": "t"})
            assert (asked["sessionId"], answer["sessionId"]) == ("s", "t")

    run(scenario())


def test_an_unstable_method_that_the_agent_does_not_offer_is_unknown() -> None:
    async def scenario() -> None:
        async with bridged(1, 2, unstable=True) as stage:
            error = await stage.client.error("session/status", {"sessionId": "s"})
            assert error["code"] == -32601

    run(scenario())


def test_single_tool_calls_and_terminals_cannot_be_cancelled_in_version_1() -> None:
    async def scenario() -> None:
        async with bridged(2, 1) as stage:
            stage.update("tool_call", toolCallId="t", title="T")
            await stage.sync()
            for method, key in (
                ("tool_call/cancel", "toolCallId"),
                ("terminal/cancel", "terminalId"),
            ):
                error = await stage.client.error(method, {"sessionId": "s", key: "t"})
                assert error["code"] == -32602

    run(scenario())


def test_single_tool_calls_and_terminals_are_cancelled_where_both_can() -> None:
    async def scenario() -> None:
        async with bridged(2, 2) as stage:
            capabilities = {"capabilities": {"cancel": {}}}
            stage.update("tool_call_update", toolCallId="t", title="T", **capabilities)
            stage.update("terminal_update", terminalId="x", command="make", **capabilities)
            await stage.sync()
            for method, params in (
                ("tool_call/cancel", {"sessionId": "s", "toolCallId": "t"}),
                ("terminal/cancel", {"sessionId": "s", "terminalId": "x"}),
            ):
                assert await stage.passed(method, params) == (params, {})

    run(scenario())


def test_an_agent_of_the_same_version_may_use_the_files_and_terminals_of_the_client() -> None:
    async def scenario() -> None:
        able = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True}
        async with raw_bridge(1, 1) as stage:
            asked = stage.client.ask(
                "initialize", {"protocolVersion": 1, "clientCapabilities": able}
            )
            params = await stage.answer_initialize()
            await stage.client.answer(asked)
            assert params["clientCapabilities"]["fs"] == able["fs"]
            assert params["clientCapabilities"]["terminal"] is True
            await stage.open()
            for method, params, result in (
                ("fs/read_text_file", {"path": "/a"}, {"content": "text"}),
                ("terminal/create", {"command": "make"}, {"terminalId": "x"}),
            ):
                reading = stage.agent.ask(method, {"sessionId": "s", **params})
                request = await stage.client.request(method)
                assert request["params"].items() >= {"sessionId": "s", **params}.items()
                stage.client.reply(request, result)
                answer = (await stage.agent.answer(reading))["result"]
                assert answer.keys() == result.keys()

    run(scenario())


@pytest.mark.parametrize("method", ["fs/read_text_file", "terminal/create"])
@pytest.mark.parametrize(("client", "agent"), DIRECTIONS)
def test_files_and_terminals_are_offered_to_no_agent_of_the_other_version(
    client: int, agent: int, method: str
) -> None:
    async def scenario() -> None:
        able = {"clientCapabilities": {"fs": {"readTextFile": True}, "terminal": True}}
        async with bridged(client, agent, asks=able if client == 1 else None) as stage:
            params = {"sessionId": "s", "path": "/a", "command": "make"}
            assert (await stage.agent.error(method, params))["code"] == -32601

    run(scenario())
