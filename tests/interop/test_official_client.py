"""The client of the official Python SDK drives our agent, over stdio: what works."""

from typing import Any

import acp
import pytest
from acp import schema

from tests.interop.bounds import bounded
from tests.interop.official_client import (
    EVERYTHING,
    OfficialClient,
    official,
    official_session,
    text,
)

COMMON_OPTIONS = ["mode", "model", "quiet"]


def test_initialize_tells_the_client_who_the_agent_is_and_what_it_can() -> None:
    async def scenario() -> None:
        async with official(OfficialClient()) as agent:
            answer = await agent.initialize(
                1,
                client_capabilities=EVERYTHING,
                client_info=schema.Implementation(name="official", version="0.12.1"),
            )
        assert answer.protocol_version == 1
        assert answer.agent_info == schema.Implementation(
            name="parley-interop", title="Parley", version="1.2.3"
        )
        can = answer.agent_capabilities
        assert can is not None
        assert can.load_session
        assert can.prompt_capabilities == schema.PromptCapabilities(
            image=True, audio=True, embedded_context=True
        )
        assert can.mcp_capabilities is not None
        assert (can.mcp_capabilities.http, can.mcp_capabilities.sse) == (True, False)
        sessions = can.session_capabilities
        assert sessions is not None
        assert sessions.list is not None
        assert sessions.resume is not None
        assert sessions.close is not None
        assert sessions.delete is not None
        assert sessions.fork is None  # It is unstable, and was not switched on.
        assert can.auth is not None
        assert can.auth.logout is not None
        assert answer.auth_methods is not None
        assert [method.id for method in answer.auth_methods] == ["key"]

    bounded(scenario())


def test_a_client_that_logs_in_may_open_a_session() -> None:
    async def scenario() -> None:
        async with official(OfficialClient(), "--locked") as agent:
            await agent.initialize(1)
            with pytest.raises(acp.RequestError) as refused:
                await agent.new_session("/project")
            assert refused.value.code == -32000
            assert await agent.authenticate("key") == acp.AuthenticateResponse()
            assert (await agent.new_session("/project")).session_id

    bounded(scenario())


def test_a_new_session_lists_modes_options_and_commands() -> None:
    async def scenario() -> None:
        client = OfficialClient()
        async with official(client) as agent:
            await agent.initialize(1, client_capabilities=EVERYTHING)
            answer = await agent.new_session(
                "/project",
                additional_directories=["/more"],
                mcp_servers=[
                    schema.McpServerStdio(name="local", command="/bin/mcp", args=[], env=[]),
                    schema.HttpMcpServer(
                        type="http",
                        name="remote",
                        url="https://example.org",
                        headers=[schema.HttpHeader(name="A", value="b")],
                    ),
                ],
            )
            assert answer.modes is not None
            assert answer.modes.current_mode_id == "ask"
            assert [mode.id for mode in answer.modes.available_modes] == ["ask", "code"]
            assert answer.config_options is not None
            assert [option.id for option in answer.config_options] == COMMON_OPTIONS
            assert answer.config_options[2].type == "boolean"
            commands = await client.until("available_commands_update")
            assert commands.available_commands[0].name == "greet"
            assert commands.available_commands[0].input.root.hint == "whom"
            await agent.prompt(answer.session_id, text("about"))
            assert "/project ('/more',) {'mcp': ['local', 'remote']}" in client.said()

    bounded(scenario())


def test_a_client_that_knows_no_toggles_gets_a_selection() -> None:
    async def scenario() -> None:
        async with official(OfficialClient()) as agent:
            await agent.initialize(1)
            answer = await agent.new_session("/project")
            assert answer.config_options is not None
            quiet = answer.config_options[2]
            assert (quiet.type, quiet.current_value) == ("select", "false")
            changed = await agent.set_config_option("quiet", answer.session_id, "true")
            assert changed.config_options[2].current_value == "true"

    bounded(scenario())


def test_load_replays_the_history_before_its_answer() -> None:
    async def scenario() -> None:
        client = OfficialClient()
        async with official(client) as agent:
            await agent.initialize(1)
            loaded = await agent.load_session("/project", "stored")
            assert loaded.modes is not None
            await client.until("agent_message_chunk")
            kinds = [update.session_update for update in client.updates[:3]]
            assert kinds == ["user_message_chunk", "agent_thought_chunk", "agent_message_chunk"]
            assert client.updates[0].content.text == "What was said"
            assert client.said() == "What was answered"
            assert (await agent.prompt("stored", text("refuse"))).stop_reason == "refusal"

    bounded(scenario())


def test_resume_opens_a_session_without_its_history() -> None:
    async def scenario() -> None:
        client = OfficialClient()
        async with official(client, unstable=True) as agent:
            await agent.initialize(1)
            resumed = await agent.resume_session("stored", "/project")
            assert resumed.config_options is not None
            await agent.prompt("stored", text("about"))
            assert not [u for u in client.updates if u.session_update == "user_message_chunk"]
            assert "/project" in client.said()

    bounded(scenario())


def test_sessions_are_listed_page_by_page() -> None:
    async def scenario() -> None:
        async with official(OfficialClient()) as agent:
            await agent.initialize(1)
            first = await agent.list_sessions()
            assert [(s.session_id, s.title, s.updated_at) for s in first.sessions] == [
                ("stored", "A stored one", "2026-01-02T03:04:05Z")
            ]
            second = await agent.list_sessions(cwd="/here", cursor=first.next_cursor)
            assert [(s.session_id, s.cwd) for s in second.sessions] == [("older", "/here")]
            assert second.next_cursor is None

    bounded(scenario())


def test_a_closed_session_takes_no_more_prompts() -> None:
    async def scenario() -> None:
        async with official_session(OfficialClient(), unstable=True) as (agent, session):
            assert await agent.close_session(session) == schema.CloseSessionResponse()
            with pytest.raises(acp.RequestError) as refused:
                await agent.prompt(session, text("about"))
            assert (refused.value.code, refused.value.data) == (-32002, {"sessionId": session})
            heard = await agent.ext_method("interop/heard", {})
            assert heard == {"heard": [f"closed {session}"]}

    bounded(scenario())


def test_a_fork_is_a_session_of_its_own() -> None:
    async def scenario() -> None:
        client = OfficialClient()
        async with official_session(client, "--unstable", unstable=True) as (agent, session):
            fork = await agent.fork_session(session, "/project")
            assert fork.session_id != session
            await agent.prompt(fork.session_id, text("about"))
            assert f"'origin': '{session}'" in client.said()

    bounded(scenario())


def test_mode_option_and_toggle_are_set_and_stay_in_step() -> None:
    async def scenario() -> None:
        client = OfficialClient()
        async with official_session(client) as (agent, session):
            await agent.set_session_mode(session, "code")
            update = await client.until("config_option_update")
            assert update.config_options[0].current_value == "code"
            answer = await agent.set_config_option("mode", session, "ask")
            assert answer.config_options[0].current_value == "ask"
            modes = [u for u in client.updates if u.session_update == "current_mode_update"]
            assert [update.current_mode_id for update in modes] == ["code", "ask"]
            answer = await agent.set_config_option("quiet", session, True)
            assert answer.config_options[2].current_value is True
            answer = await agent.set_config_option("model", session, "small")
            assert [option.id for option in answer.config_options] == COMMON_OPTIONS

    bounded(scenario())


def test_the_model_is_set_by_the_method_of_older_clients() -> None:
    async def scenario() -> None:
        client = OfficialClient()
        async with official_session(client) as (agent, session):
            # The SDK has no call for it any more, so the request goes through its connection.
            params = {"sessionId": session, "modelId": "big"}
            assert await agent._conn.send_request("session/set_model", params) == {}
            await agent.prompt(session, text("about"))
            assert "['ask', 'big', False]" in client.said()

    bounded(scenario())


def test_every_block_of_a_prompt_arrives_and_comes_back() -> None:
    async def scenario() -> None:
        client = OfficialClient()
        sent: list[Any] = [
            acp.text_block("blocks größer"),
            acp.image_block("iVBORw0KGgo=", "image/png", uri="file:///a.png"),
            acp.audio_block("UklGRg==", "audio/wav"),
            acp.resource_link_block("a", "file:///a", mime_type="text/plain", size=3),
            acp.resource_block(acp.embedded_text_resource("file:///t", "text")),
            acp.resource_block(acp.embedded_blob_resource("file:///b", "AAEC")),
        ]
        async with official_session(client) as (agent, session):
            assert (await agent.prompt(session, sent)).stop_reason == "end_turn"
        said = [u for u in client.updates if u.session_update == "agent_message_chunk"]
        assert [update.content for update in said] == sent

    bounded(scenario())


def test_every_kind_of_update_is_understood_by_the_client() -> None:
    async def scenario() -> None:
        client = OfficialClient()
        async with official_session(client) as (agent, session):
            assert (await agent.prompt(session, text("everything"))).stop_reason == "end_turn"
        kinds = {update.session_update for update in client.updates}
        assert kinds == {
            "agent_thought_chunk",
            "agent_message_chunk",
            "tool_call",
            "tool_call_update",
            "plan",
            "available_commands_update",
            "config_option_update",
            "current_mode_update",
            "session_info_update",
            "usage_update",
        }
        by_kind = {update.session_update: update for update in client.updates}
        # The SDK has no way to say that it knows notices, so a warning is told as text.
        assert client.said() == "Hello world\n\n[warning] A notice\n\nAbout nothing\n\n"
        assert by_kind["agent_thought_chunk"].content.text == "Hm"
        assert by_kind["current_mode_update"].current_mode_id == "code"
        assert by_kind["session_info_update"].title == "A title"
        usage = by_kind["usage_update"]
        assert (usage.used, usage.size, usage.cost.amount) == (10, 100, 0.5)
        assert [e.status for e in by_kind["plan"].entries] == ["completed", "pending"]

    bounded(scenario())


def test_a_tool_call_is_told_from_its_start_to_its_end() -> None:
    async def scenario() -> None:
        client = OfficialClient()
        async with official_session(client) as (agent, session):
            await agent.prompt(session, text("everything"))
        start = next(u for u in client.updates if u.session_update == "tool_call")
        assert (start.tool_call_id, start.title, start.kind) == ("call-1", "Edit a file", "edit")
        assert start.raw_input == {"path": "/a"}
        assert [(at.path, at.line) for at in start.locations] == [("/a", 3)]
        progress = [u for u in client.updates if u.session_update == "tool_call_update"]
        assert progress[-1].status == "completed"
        assert progress[-1].raw_output == {"ok": True}
        shown = [update.content for update in progress if update.content][-1]
        assert shown[0].content.text == "Working"
        assert (shown[1].path, shown[1].old_text, shown[1].new_text) == ("/a", "old\n", "new\n")

    bounded(scenario())


def test_each_stop_reason_arrives() -> None:
    async def scenario() -> None:
        async with official_session(OfficialClient()) as (agent, session):
            words = ["refuse", "long", "many"]
            reasons = [(await agent.prompt(session, text(word))).stop_reason for word in words]
            assert reasons == ["refusal", "max_tokens", "max_turn_requests"]

    bounded(scenario())


def test_the_tokens_of_a_turn_arrive_where_both_speak_the_unstable_part() -> None:
    async def scenario() -> None:
        flags = official_session(OfficialClient(), "--unstable", unstable=True)
        async with flags as (agent, session):
            usage = (await agent.prompt(session, text("counted"))).usage
            assert usage is not None
            assert (usage.total_tokens, usage.input_tokens, usage.output_tokens) == (30, 10, 20)

    bounded(scenario())


def test_w01_meta_reaches_the_agent_beside_the_arguments_and_never_instead_of_them() -> None:
    async def scenario() -> None:
        client = OfficialClient()
        async with official_session(client) as (agent, session):
            meta = {"sessionId": "EVIL", "session": "EVIL", "self": 1}
            blocks = [{"type": "text", "text": "meta"}]
            params = {"sessionId": session, "prompt": blocks, "_meta": meta}
            assert await agent._conn.send_request("session/prompt", params) == {
                "stopReason": "end_turn"
            }
            await client.until("agent_message_chunk")
            assert client.said() == f"{session} {meta}"

    bounded(scenario())
