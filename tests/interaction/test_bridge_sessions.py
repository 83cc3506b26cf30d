"""Sessions through a bridge: opened, found again, closed, and what is made up on the way."""

from typing import Any

import pytest

from tests.protocol.bridging import DIRECTIONS, NEW, bridged, raw_bridge, update_in, updates
from tests.sdk.stage import run

both = pytest.mark.parametrize(("client", "agent"), DIRECTIONS)
STDIO = {
    "name": "files",
    "command": "/bin/files",
    "args": ["-v"],
    "env": [{"name": "A", "value": "1"}],
}
HTTP = {"type": "http", "name": "web", "url": "https://example.com", "headers": []}
SAID = {"content": {"type": "text", "text": "earlier"}}


def _can(**session: Any) -> dict[str, Any]:
    """The answer of an agent of version 1 that can do this with sessions."""
    load = session.pop("load", False)
    return {"agentCapabilities": {"loadSession": load, "sessionCapabilities": session}}


# New sessions, and what they are opened with.


def test_servers_get_their_types_on_the_way_to_version_2() -> None:
    async def scenario() -> None:
        async with raw_bridge(1, 2) as stage:
            mcp = {"stdio": {}, "http": {}}
            await stage.initialize(
                capabilities={"session": {"mcp": mcp, "additionalDirectories": {}}}
            )
            params = {
                "cwd": "/a",
                "mcpServers": [STDIO, HTTP],
                "additionalDirectories": ["/b"],
                "_meta": {"traceparent": "00-1"},
            }
            asked, answer = await stage.passed("session/new", params, {"sessionId": "s"})
            assert asked == {**params, "mcpServers": [{"type": "stdio", **STDIO}, HTTP]}
            assert answer["sessionId"] == "s"

    run(scenario())


def test_servers_lose_their_types_on_the_way_to_version_1() -> None:
    async def scenario() -> None:
        async with raw_bridge(2, 1) as stage:
            await stage.initialize(agentCapabilities={"mcpCapabilities": {"http": True}})
            bare = {"type": "stdio", "name": "n", "command": "/bin/n"}
            web = {"type": "http", "name": "web", "url": "https://example.com"}
            params = {"cwd": "/a", "mcpServers": [bare, web], "_meta": {"a": 1}}
            asked, _ = await stage.passed("session/new", params, {"sessionId": "s"})
            assert asked == {
                "cwd": "/a",
                "mcpServers": [{"name": "n", "command": "/bin/n", "args": [], "env": []}, HTTP],
                "_meta": {"a": 1},
            }
            assert stage.losses == []

    run(scenario())


def test_the_list_of_servers_may_be_missing_in_version_2_but_not_in_version_1() -> None:
    async def scenario() -> None:
        async with raw_bridge(2, 1) as stage:
            await stage.initialize()
            asked, _ = await stage.passed("session/new", {"cwd": "/a"}, {"sessionId": "s"})
            assert asked == {"cwd": "/a", "mcpServers": []}

    run(scenario())


@pytest.mark.parametrize("method", ["session/new", "session/load", "session/resume"])
def test_a_server_on_stdio_is_refused_where_the_agent_runs_none(method: str) -> None:
    async def scenario() -> None:
        async with raw_bridge(1, 2) as stage:
            await stage.initialize()
            params = {"cwd": "/a", "mcpServers": [STDIO], "sessionId": "s"}
            error = await stage.client.error(method, params)
            assert (error["code"], error["data"]) == (-32602, {"path": "mcpServers"})
            assert stage.losses == ["mcp.stdio"]
            assert [m["method"] for m in stage.agent.seen] == ["initialize"]

    run(scenario())


@both
@pytest.mark.parametrize("kind", ["sse", "_carrier_pigeon"])
def test_a_server_over_another_transport_is_refused(client: int, agent: int, kind: str) -> None:
    async def scenario() -> None:
        async with raw_bridge(client, agent) as stage:
            await stage.initialize()
            params = {"cwd": "/a", "mcpServers": [{**HTTP, "type": kind}]}
            assert (await stage.client.error("session/new", params))["code"] == -32602

    run(scenario())


@both
def test_directories_that_the_agent_does_not_take_are_refused(client: int, agent: int) -> None:
    async def scenario() -> None:
        async with raw_bridge(client, agent) as stage:
            await stage.initialize()
            params = {**NEW, "additionalDirectories": ["/b"]}
            assert (await stage.client.error("session/new", params))["code"] == -32602

    run(scenario())


@both
def test_the_error_of_the_agent_is_the_error_of_the_request(client: int, agent: int) -> None:
    async def scenario() -> None:
        async with raw_bridge(client, agent) as stage:
            await stage.initialize()
            asked = stage.client.ask("session/new", NEW)
            request = await stage.agent.request("session/new")
            error = {"code": -32000, "message": "log in", "data": {"why": "expired"}}
            stage.agent.send({"id": request["id"], "error": error})
            assert (await stage.client.answer(asked))["error"] == error
            assert "sessionId" in await stage.open()

    run(scenario())


def test_commands_in_the_answer_become_an_update_in_version_1() -> None:
    async def scenario() -> None:
        command = {"type": "command", "name": "plan", "description": "Plans"}
        text = {**command, "name": "ask", "input": {"type": "text", "hint": "what"}}
        async with bridged(1, 2, session={"availableCommands": [command, text]}) as stage:
            await stage.client.until(lambda m: bool(update_in(m)))
            assert updates(stage) == [
                {
                    "sessionUpdate": "available_commands_update",
                    "availableCommands": [
                        {"name": "plan", "description": "Plans"},
                        {"name": "ask", "description": "Plans", "input": {"hint": "what"}},
                    ],
                }
            ]

    run(scenario())


@both
def test_what_is_said_before_the_session_is_known_comes_behind_the_answer(
    client: int, agent: int
) -> None:
    async def scenario() -> None:
        async with raw_bridge(client, agent) as stage:
            await stage.initialize()
            asked = stage.client.ask("session/new", NEW)
            request = await stage.agent.request("session/new")
            stage.update("session_info_update", title="T")
            stage.agent.reply(request, {"sessionId": "s"})
            await stage.client.answer(asked)
            assert updates(stage) == []
            await stage.sync()
            assert [each["title"] for each in updates(stage)] == ["T"]

    run(scenario())


# Sessions that are there already.


def test_loading_is_resuming_from_the_start() -> None:
    async def scenario() -> None:
        async with raw_bridge(1, 2) as stage:
            await stage.initialize()
            asked = stage.client.ask("session/load", {"sessionId": "s", **NEW})
            request = await stage.agent.request("session/resume")
            assert request["params"] == {
                "sessionId": "s",
                "cwd": "/project",
                "replayFrom": {"type": "start"},
            }
            stage.update("user_message", messageId="u", content=[SAID["content"]])
            stage.update("agent_message_chunk", messageId="a", **SAID)
            stage.update("state_update", state="idle")
            stage.agent.reply(request, {})
            assert (await stage.client.answer(asked))["result"] == {}
            # The whole history comes before the answer, and no state in it.
            kinds = [each["sessionUpdate"] for each in updates(stage)]
            assert kinds == ["user_message_chunk", "agent_message_chunk"]
            assert stage.losses == []

    run(scenario())


def test_resuming_from_the_start_is_loading() -> None:
    async def scenario() -> None:
        async with raw_bridge(2, 1) as stage:
            await stage.initialize(**_can(load=True))
            replay = {"sessionId": "s", "cwd": "/project", "replayFrom": {"type": "start"}}
            asked = stage.client.ask("session/resume", replay)
            request = await stage.agent.request("session/load")
            assert request["params"] == {"sessionId": "s", **NEW}
            stage.update("user_message_chunk", **SAID)
            stage.update("agent_message_chunk", **SAID)
            stage.agent.reply(request, None)  # Agents of version 1 answer with null, too.
            assert (await stage.client.answer(asked))["result"] == {}
            kinds = [each["sessionUpdate"] for each in updates(stage)]
            assert kinds == ["user_message_chunk", "agent_message_chunk", "state_update"]
            assert updates(stage)[-1]["state"] == "idle"

    run(scenario())


@both
def test_resuming_is_resuming(client: int, agent: int) -> None:
    async def scenario() -> None:
        async with raw_bridge(client, agent) as stage:
            await stage.initialize(**(_can(resume={}) if agent == 1 else {}))
            asked, _ = await stage.passed("session/resume", {"sessionId": "s", **NEW})
            assert "replayFrom" not in asked
            states = [each["state"] for each in updates(stage, "state_update")]
            assert states == (["idle"] if client == 2 else [])

    run(scenario())


def test_an_agent_that_can_only_load_is_resumed_without_its_history() -> None:
    async def scenario() -> None:
        async with raw_bridge(2, 1) as stage:
            await stage.initialize(**_can(load=True))
            asked = stage.client.ask("session/resume", {"sessionId": "s", "cwd": "/a"})
            request = await stage.agent.request("session/load")
            stage.update("agent_message_chunk", **SAID)
            modes = {"currentModeId": "m", "availableModes": [{"id": "m", "name": "M"}]}
            stage.agent.reply(request, {"modes": modes})
            answer = (await stage.client.answer(asked))["result"]
            assert [each["configId"] for each in answer["configOptions"]] == ["mode"]
            assert [each["sessionUpdate"] for each in updates(stage)] == ["state_update"]
            stage.say("now")
            await stage.sync()
            assert len(updates(stage, "agent_message_chunk")) == 1

    run(scenario())


def test_a_session_that_is_open_can_be_resumed_although_the_agent_cannot() -> None:
    modes = {"currentModeId": "m", "availableModes": [{"id": "m", "name": "M"}]}

    async def scenario() -> None:
        async with bridged(2, 1, session={"modes": modes}) as stage:
            answer = await stage.client.result("session/resume", {"sessionId": "s", "cwd": "/a"})
            assert [each["configId"] for each in answer["configOptions"]] == ["mode"]
            unknown = await stage.client.error("session/resume", {"sessionId": "t", "cwd": "/a"})
            assert (unknown["code"], unknown["data"]) == (-32002, {"sessionId": "t"})
            replay = {"sessionId": "s", "cwd": "/a", "replayFrom": {"type": "start"}}
            assert (await stage.client.error("session/resume", replay))["code"] == -32602

    run(scenario())


def test_an_unknown_place_to_replay_from_is_refused() -> None:
    async def scenario() -> None:
        async with raw_bridge(2, 1) as stage:
            await stage.initialize(**_can(load=True))
            params = {"sessionId": "s", "cwd": "/a", "replayFrom": {"type": "_middle"}}
            assert (await stage.client.error("session/resume", params))["code"] == -32602

    run(scenario())


def test_a_session_that_runs_when_it_is_resumed_keeps_prompts_waiting() -> None:
    async def scenario() -> None:
        async with raw_bridge(1, 2) as stage:
            await stage.initialize()
            asked = stage.client.ask("session/resume", {"sessionId": "s", **NEW})
            request = await stage.agent.request("session/resume")
            stage.update("state_update", state="running")
            stage.agent.reply(request, {})
            await stage.client.answer(asked)
            assert stage.losses == ["state.unprompted"]
            prompt_id = stage.prompt()
            stage.say("still at it")
            await stage.sync()
            await stage.client.error("no/such")
            assert stage.agent.seen[-1]["method"] == "session/resume"
            stage.update("state_update", state="idle", stopReason="end_turn")
            stage.finish(await stage.prompted())
            assert (await stage.ended(prompt_id))["stopReason"] == "end_turn"

    run(scenario())


def test_a_session_may_be_loaded_again_while_a_turn_runs_in_it() -> None:
    async def scenario() -> None:
        async with bridged(1, 2) as stage:
            prompt_id = stage.prompt()
            turn = await stage.prompted()
            asked = stage.client.ask("session/load", {"sessionId": "s", **NEW})
            request = await stage.agent.request("session/resume")
            stage.update("user_message", messageId="u", content=[SAID["content"]])
            stage.agent.reply(request, {})
            assert "result" in await stage.client.answer(asked)
            stage.finish(turn)
            assert (await stage.ended(prompt_id))["stopReason"] == "end_turn"
            assert len(updates(stage, "user_message_chunk")) == 1

    run(scenario())


# Lists.


@both
def test_sessions_are_listed(client: int, agent: int) -> None:
    async def scenario() -> None:
        async with raw_bridge(client, agent) as stage:
            await stage.initialize(**(_can(list={}) if agent == 1 else {}))
            page = {
                "sessions": [{"sessionId": "s", "cwd": "/a", "updatedAt": "2026-01-02T03:04:05Z"}],
                "nextCursor": "n",
                "_meta": {"b": 2},
            }
            params = {"cwd": "/a", "cursor": "c", "_meta": {"a": 1}}
            assert await stage.passed("session/list", params, page) == (params, page)
            assert stage.losses == []

    run(scenario())


def test_what_version_2_does_not_allow_in_a_list_is_put_right_or_left_out() -> None:
    async def scenario() -> None:
        async with raw_bridge(2, 1) as stage:
            await stage.initialize(**_can(list={}))
            sessions = [
                {"sessionId": "a", "cwd": "relative"},
                {"sessionId": "b", "cwd": "/b", "updatedAt": "2026-01-02 03:04"},
                {"sessionId": "c", "cwd": "/c", "updatedAt": "yesterday"},
            ]
            _, answer = await stage.passed("session/list", {}, {"sessions": sessions})
            assert answer["sessions"] == [
                {"sessionId": "b", "cwd": "/b", "updatedAt": "2026-01-02T03:04:00+00:00"},
                {"sessionId": "c", "cwd": "/c"},
            ]
            assert stage.losses == ["session.cwd", "session.updated_at"]

    run(scenario())


def test_without_a_list_of_the_agent_there_is_that_of_the_bridge() -> None:
    async def scenario() -> None:
        async with bridged(2, 1) as stage:
            answer = await stage.client.result("session/list", {})
            assert answer == {"sessions": [{"sessionId": "s", "cwd": "/project"}]}
            assert stage.losses == ["session.list"]
            assert (await stage.client.result("session/list", {"cwd": "/b"})) == {"sessions": []}

    run(scenario())


# The end of a session.


@both
def test_closing_ends_the_turn_first(client: int, agent: int) -> None:
    async def scenario() -> None:
        can = _can(close={}) if agent == 1 else {}
        async with bridged(client, agent, answers=can) as stage:
            prompt_id = stage.prompt()
            request = await stage.prompted()
            closing = stage.client.ask("session/close", {"sessionId": "s", "_meta": {"a": 1}})
            await stage.agent.request("session/cancel")
            stage.say("last words")
            stage.finish(request, "cancelled")
            close = await stage.agent.request("session/close")
            assert close["params"] == {"sessionId": "s", "_meta": {"a": 1}}
            stage.agent.reply(close, {"_meta": {"b": 2}})
            assert (await stage.client.answer(closing))["result"] == {"_meta": {"b": 2}}
            order = [str(message) for message in stage.client.seen]
            last, end, closed = (
                next(i for i, each in enumerate(order) if word in each)
                for word in ("last words", "cancelled", "'b': 2")
            )
            assert last < end < closed
            assert "result" in await stage.client.answer(prompt_id)

    run(scenario())


def test_closing_is_made_up_for_an_agent_that_cannot() -> None:
    async def scenario() -> None:
        async with bridged(2, 1) as stage:
            prompt_id = stage.prompt()
            request = await stage.prompted()
            closing = stage.client.ask("session/close", {"sessionId": "s"})
            await stage.agent.request("session/cancel")
            stage.finish(request, "cancelled")
            assert (await stage.client.answer(closing))["result"] == {}
            assert "result" in await stage.client.answer(prompt_id)
            assert updates(stage, "state_update")[-1]["stopReason"] == "cancelled"
            # What the agent goes on saying is for nobody, and nothing of it is lost.
            stage.say("anybody there?")
            await stage.sync()
            assert updates(stage, "agent_message_chunk") == []
            assert stage.losses == []
            gone = await stage.client.error("session/resume", {"sessionId": "s", "cwd": "/a"})
            assert gone["code"] == -32002
            await stage.open()

    run(scenario())


@both
def test_closing_what_the_agent_does_not_know_succeeds(client: int, agent: int) -> None:
    async def scenario() -> None:
        can = _can(close={}) if agent == 1 else {}
        async with bridged(client, agent, answers=can) as stage:
            closing = stage.client.ask("session/close", {"sessionId": "s"})
            stage.agent.refuse(await stage.agent.request("session/close"), -32002)
            assert (await stage.client.answer(closing))["result"] == {}

    run(scenario())


def test_a_session_is_deleted() -> None:
    async def scenario() -> None:
        for client, agent in DIRECTIONS:
            session = {"session": {"delete": {}}}
            can = _can(delete={}) if agent == 1 else {"capabilities": session}
            async with raw_bridge(client, agent) as stage:
                await stage.initialize(**can)
                asked, _ = await stage.passed("session/delete", {"sessionId": "s"})
                assert asked == {"sessionId": "s"}

    run(scenario())


@both
def test_deleting_is_unknown_where_the_agent_cannot(client: int, agent: int) -> None:
    async def scenario() -> None:
        async with raw_bridge(client, agent) as stage:
            await stage.initialize()
            error = await stage.client.error("session/delete", {"sessionId": "s"})
            assert error["code"] == -32601

    run(scenario())
