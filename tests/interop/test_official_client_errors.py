"""The client of the official Python SDK and our agent, when something is wrong."""

import asyncio

import acp
import pytest

from tests.interop.bounds import bounded
from tests.interop.official_client import OfficialClient, official, official_session, text

UNKNOWN = {"sessionId": "unknown"}
SSE = {"type": "sse", "name": "not advertised", "url": "https://example.org", "headers": []}
BAD_REQUESTS = [
    ("session/prompt", {"sessionId": "unknown", "prompt": []}, -32002),
    ("session/load", {"sessionId": "unknown", "cwd": "/", "mcpServers": []}, -32002),
    ("session/resume", {"sessionId": "unknown", "cwd": "/"}, -32002),
    ("session/set_mode", {"sessionId": "unknown", "modeId": "ask"}, -32002),
    ("session/set_config_option", {**UNKNOWN, "configId": "m", "value": "x"}, -32002),
    ("session/new", {"cwd": "relative", "mcpServers": []}, -32602),
    ("session/new", {"cwd": 5, "mcpServers": []}, -32602),
    ("session/new", {"cwd": "/", "mcpServers": [SSE]}, -32602),
    ("session/list", {"cursor": "made up"}, -32602),
    ("authenticate", {"methodId": "made up"}, -32602),
    ("session/fork", {"sessionId": "stored", "cwd": "/"}, -32601),
    ("made/up", {}, -32601),
    ("_made/up", {}, -32601),
]


def test_nothing_works_before_initialize_and_everything_after_it() -> None:
    async def scenario() -> None:
        async with official(OfficialClient()) as agent:
            with pytest.raises(acp.RequestError) as refused:
                await agent.new_session("/project")
            assert refused.value.code == -32600
            await agent.initialize(1)
            assert (await agent.new_session("/project")).session_id

    bounded(scenario())


def test_each_bad_request_gets_the_error_it_deserves() -> None:
    async def scenario() -> None:
        async with official(OfficialClient()) as agent:
            await agent.initialize(1)
            for method, params, code in BAD_REQUESTS:
                with pytest.raises(acp.RequestError) as refused:
                    await agent._conn.send_request(method, params)
                assert (method, params, refused.value.code) == (method, params, code)
            assert (await agent.new_session("/project")).session_id

    bounded(scenario())


def test_a_mode_or_a_value_that_is_not_offered_changes_nothing() -> None:
    async def scenario() -> None:
        client = OfficialClient()
        async with official_session(client) as (agent, session):
            for attempt in (
                agent.set_session_mode(session, "made up"),
                agent.set_config_option("mode", session, "made up"),
                agent.set_config_option("quiet", session, "perhaps"),
                agent.set_config_option("made up", session, "x"),
            ):
                with pytest.raises(acp.RequestError) as refused:
                    await attempt
                assert refused.value.code == -32602
            await agent.prompt(session, text("about"))
        assert "['ask', 'small', False]" in client.said()

    bounded(scenario())


def test_an_option_that_the_author_refuses_keeps_its_value() -> None:
    async def scenario() -> None:
        client = OfficialClient()
        async with official_session(client) as (agent, session):
            await agent.set_config_option("quiet", session, True)
            with pytest.raises(acp.RequestError) as refused:
                await agent.set_config_option("model", session, "big")
            assert (refused.value.code, str(refused.value)) == (
                -32602,
                "Invalid params: the big model is not quiet",
            )
            await agent.prompt(session, text("about"))
        assert "['ask', 'small', True]" in client.said()

    bounded(scenario())


def test_a_failing_turn_is_an_error_that_tells_no_secret() -> None:
    async def scenario() -> None:
        async with official_session(OfficialClient()) as (agent, session):
            with pytest.raises(acp.RequestError) as failed:
                await agent.prompt(session, text("fail"))
            assert failed.value.code == -32603
            assert "secret" not in f"{failed.value} {failed.value.data}"
            with pytest.raises(acp.RequestError) as failed:
                await agent.prompt(session, text("login"))
            assert failed.value.code == -32000
            assert (await agent.prompt(session, text("refuse"))).stop_reason == "refusal"

    bounded(scenario())


def test_a_cancelled_turn_ends_as_cancelled_and_its_tool_call_too() -> None:
    async def scenario() -> None:
        client = OfficialClient()
        async with official_session(client) as (agent, session):
            async with asyncio.TaskGroup() as group:
                turn = group.create_task(agent.prompt(session, text("wait")))
                await client.until("agent_message_chunk")
                waiting = group.create_task(agent.prompt(session, text("everything")))
                # The second prompt is on its way before the notification.
                await asyncio.sleep(0)
                await agent.cancel(session)
            assert turn.result().stop_reason == "cancelled"
            assert waiting.result().stop_reason == "cancelled"
            assert client.updates[-1].tool_call_id == "call-w"
            assert client.updates[-1].status == "failed"  # Version 1 has no word for cancelled.
            assert (await agent.prompt(session, text("refuse"))).stop_reason == "refusal"

    bounded(scenario())


def test_closing_a_session_ends_its_turn_first() -> None:
    async def scenario() -> None:
        client = OfficialClient()
        async with official_session(client, unstable=True) as (agent, session):
            async with asyncio.TaskGroup() as group:
                turn = group.create_task(agent.prompt(session, text("wait")))
                await client.until("agent_message_chunk")
                await agent.close_session(session)
            assert turn.result().stop_reason == "cancelled"

    bounded(scenario())


def test_cancelling_while_a_question_is_open_answers_the_prompt() -> None:
    async def scenario() -> None:
        class Slow(OfficialClient):
            async def request_permission(self, *args: object, **rest: object) -> object:
                self.asked.append(("permission", None))
                self.arrived.set()
                return await asyncio.get_running_loop().create_future()

        client = Slow()
        async with official_session(client) as (agent, session):
            async with asyncio.TaskGroup() as group:
                turn = group.create_task(agent.prompt(session, text("permission")))
                while not client.asked:
                    client.arrived.clear()
                    await client.arrived.wait()
                await agent.cancel(session)
            # The question is taken back by a notification that the SDK does not know.
            assert turn.result().stop_reason == "cancelled"
            assert (await agent.prompt(session, text("refuse"))).stop_reason == "refusal"

    bounded(scenario())


def test_w08_an_agent_that_fails_often_does_not_fill_a_stderr_that_nobody_reads() -> None:
    async def scenario() -> None:
        async with official_session(OfficialClient()) as (agent, session):
            for _ in range(300):
                with pytest.raises(acp.RequestError):
                    await agent.prompt(session, text("fail"))

    bounded(scenario())


def test_w13_a_stop_reason_that_version_1_lacks_is_one_that_the_client_knows() -> None:
    async def scenario() -> None:
        async with official_session(OfficialClient()) as (agent, session):
            answer = await agent.prompt(session, text("strange"))
            assert answer.stop_reason == "end_turn"

    bounded(scenario())
