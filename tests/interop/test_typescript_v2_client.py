"""The client of the official TypeScript SDK drives our agent over version 2."""

from typing import Any

import pytest

from tests.interop.bounds import bounded
from tests.interop.typescript_client import Refused, typescript, typescript_session

pytestmark = pytest.mark.usefixtures("typescript_packages")

TEXT = {"type": "text", "text": "x"}
BAD_REQUESTS = [
    ("session/prompt", {"sessionId": "unknown", "prompt": [TEXT]}, -32002),
    ("session/resume", {"sessionId": "unknown", "cwd": "/"}, -32002),
    ("tool_call/cancel", {"sessionId": "unknown", "toolCallId": "c"}, -32002),
    ("terminal/cancel", {"sessionId": "unknown", "terminalId": "t"}, -32002),
    ("session/new", {"cwd": "relative"}, -32602),
    ("session/list", {"cursor": "made up"}, -32602),
    ("auth/login", {"methodId": "made up"}, -32602),
    ("_made/up", {}, -32601),
    ("made/up", {}, -32601),
]


def kinds(updates: list[dict[str, Any]]) -> list[str]:
    return [update["sessionUpdate"] for update in updates]


def test_initialize_and_a_turn_through_the_session_object() -> None:
    async def scenario() -> None:
        async with typescript("v2") as client:
            answer = await client.initialize(2)
            assert answer["protocolVersion"] == 2
            assert answer["info"]["name"] == "parley-interop"
            assert answer["capabilities"]["session"]["prompt"]["image"] == {}
            turn = await client.converse("/project", "about")
            assert turn["said"].startswith("/project ()")
            assert set(turn["prompted"]) == {"messageId"}

    bounded(scenario())


def test_a_prompt_is_inserted_worked_on_and_over_when_the_session_is_idle() -> None:
    async def scenario() -> None:
        async with typescript_session("v2") as (client, session):
            answer = await client.prompt(session, "everything")
            await client.idle()
            inserted = client.of_kind("user_message")[0]
            assert inserted["messageId"] == answer["messageId"]
            assert inserted["content"] == [{"type": "text", "text": "everything"}]
            states = [update["state"] for update in client.of_kind("state_update")]
            assert states == ["running", "idle"]
            assert client.updates[-1]["stopReason"] == "end_turn"
            assert set(kinds(client.updates)) >= {
                "user_message",
                "state_update",
                "agent_thought_chunk",
                "agent_message_chunk",
                "tool_call_update",
                "tool_call_content_chunk",
                "plan_update",
                "available_commands_update",
                "config_option_update",
                "session_info_update",
                "usage_update",
                "notice",
                "compaction_update",
            }
            ids = {update["messageId"] for update in client.of_kind("agent_message_chunk")}
            assert len(ids) == 1

    bounded(scenario())


def test_tool_calls_diffs_terminals_and_summaries_pass_the_checks_of_the_sdk() -> None:
    async def scenario() -> None:
        async with typescript_session("v2") as (client, session):
            updates = await client.turn(session, "everything")
            added = [u for u in updates if u["sessionUpdate"] == "tool_call_content_chunk"]
            diff = added[-1]["content"]
            assert (diff["type"], diff["changes"][0]["path"]) == ("diff", "/a")
            assert "-old" in diff["patch"]["text"]
            updates = await client.turn(session, "shown_terminal")
            shown = [u for u in updates if u["sessionUpdate"] == "terminal_update"]
            assert shown[0]["command"] == "make"
            assert shown[-1]["exitStatus"]["exitCode"] == 0
            assert "terminal_output_chunk" in kinds(updates)
            assert "compaction_summary_chunk" in kinds(await client.turn(session, "summary"))

    bounded(scenario())


def test_what_nobody_knows_reaches_the_client_as_it_is() -> None:
    async def scenario() -> None:
        async with typescript_session("v2") as (client, session):
            updates = await client.turn(session, "strange")
            assert {"sessionUpdate": "_made_up", "value": [1, None]} in updates
            assert updates[-1]["stopReason"] == "_tired"

    bounded(scenario())


def test_every_block_of_a_prompt_arrives_and_comes_back() -> None:
    async def scenario() -> None:
        blocks: list[dict[str, Any]] = [
            {"type": "text", "text": "blocks größer"},
            {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png", "uri": "file:///a"},
            {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"},
            {"type": "resource_link", "uri": "file:///a", "name": "a", "size": 3},
            {"type": "resource", "resource": {"uri": "file:///t", "text": "text"}},
            {"type": "resource", "resource": {"uri": "file:///b", "blob": "AAEC"}},
        ]
        async with typescript_session("v2") as (client, session):
            params = {"sessionId": session, "prompt": blocks}
            await client.request("session/prompt", params)
            await client.idle()
            assert client.of_kind("user_message")[0]["content"] == blocks
            chunks = client.of_kind("agent_message_chunk")
            assert [chunk["content"] for chunk in chunks] == blocks

    bounded(scenario())


def test_a_permission_names_its_subject_and_is_what_the_user_chose() -> None:
    async def scenario() -> None:
        async with typescript_session("v2") as (client, session):
            for outcome, verdict in (
                ({"outcome": "selected", "optionId": "allow_always"}, "allowed always"),
                ({"outcome": "selected", "optionId": "reject_once"}, "refused"),
                ({"outcome": "cancelled"}, "dismissed"),
                ({"outcome": "_later", "optionId": "allow_once"}, "refused"),
            ):
                client.answers["session/request_permission"] = {"outcome": outcome}
                client.notified.clear()
                await client.turn(session, "permission")
                assert client.said() == verdict
                states = [update["state"] for update in client.of_kind("state_update")]
                assert states == ["running", "requires_action", "running", "idle"]
            _, params = client.asked[0]
            assert params["title"] == "May I write?"
            assert params["subject"]["type"] == "tool_call"
            assert params["subject"]["toolCall"]["toolCallId"] == "call-p"

    bounded(scenario())


def test_a_permission_for_a_command_says_the_command() -> None:
    async def scenario() -> None:
        async with typescript_session("v2") as (client, session):
            chosen = {"outcome": {"outcome": "selected", "optionId": "allow_once"}}
            client.answers["session/request_permission"] = chosen
            await client.turn(session, "command")
            ((_, params),) = client.asked
            assert params["subject"] == {
                "type": "command",
                "command": "rm -r build",
                "cwd": "/project",
            }
            assert client.said() == "allowed"

    bounded(scenario())


def test_forms_addresses_and_extensions_go_to_the_client() -> None:
    async def scenario() -> None:
        async with typescript_session("v2") as (client, session):
            accepted = {"action": "accept", "content": {"name": "Ada"}}
            client.answers |= {"elicitation/create": accepted, "_interop/ask": {"answer": 42}}
            for words in ("form", "url", "extensions"):
                await client.turn(session, words)
            assert client.said() == "{'name': 'Ada'}accepted{'answer': 42}"
            assert [params.get("mode") for _, params in client.asked] == ["form", "url", None]
            assert ("elicitation/complete", {"elicitationId": "e-1"}) in client.notified
            assert ("_interop/told", {"n": 1}) in client.notified
            assert await client.request("_interop/echo", {"a": 1}) == {"echo": {"a": 1}}
            client.notify("_interop/note", {"b": 2})
            assert await client.request("_interop/heard") == {"heard": ["note {'b': 2}"]}

    bounded(scenario())


def test_options_are_set_and_the_complete_list_comes_back() -> None:
    async def scenario() -> None:
        async with typescript("v2") as client:
            await client.initialize(2)
            opened = await client.request("session/new", {"cwd": "/project"})
            assert [option["configId"] for option in opened["configOptions"]] == [
                "mode",
                "model",
                "quiet",
            ]
            assert opened["availableCommands"][0]["name"] == "greet"
            session = opened["sessionId"]
            chosen = {"sessionId": session, "configId": "mode", "type": "id", "value": "code"}
            answer = await client.request("session/set_config_option", chosen)
            assert [option["currentValue"] for option in answer["configOptions"]] == [
                "code",
                "small",
                False,
            ]
            quiet = {"sessionId": session, "configId": "quiet", "type": "boolean", "value": True}
            answer = await client.request("session/set_config_option", quiet)
            assert answer["configOptions"][2]["currentValue"] is True
            with pytest.raises(Refused) as refused:
                await client.request("session/set_config_option", {**chosen, "value": "made up"})
            assert refused.value.code == -32602

    bounded(scenario())


def test_resume_with_and_without_replay() -> None:
    async def scenario() -> None:
        async with typescript("v2") as client:
            await client.initialize(2)
            stored = {"sessionId": "stored", "cwd": "/project"}
            await client.request("session/resume", stored)
            await client.idle()
            assert kinds(client.updates) == ["state_update"]
            client.notified.clear()
            answer = await client.request(
                "session/resume", {**stored, "replayFrom": {"type": "start"}}
            )
            assert answer["configOptions"][0]["configId"] == "mode"
            await client.idle()
            assert kinds(client.updates) == [
                "user_message_chunk",
                "agent_thought_chunk",
                "agent_message_chunk",
                "state_update",
            ]
            assert client.said() == "What was answered"
            with pytest.raises(Refused) as refused:
                await client.request(
                    "session/resume", {**stored, "replayFrom": {"type": "_elsewhere"}}
                )
            assert refused.value.code == -32602

    bounded(scenario())


def test_list_close_delete_login_and_logout() -> None:
    async def scenario() -> None:
        async with typescript("v2", "--locked") as client:
            answer = await client.initialize(2)
            assert [method["methodId"] for method in answer["authMethods"]] == ["key"]
            with pytest.raises(Refused) as refused:
                await client.new_session()
            assert refused.value.code == -32000
            await client.request("auth/login", {"methodId": "key"})
            session = await client.new_session()
            page = await client.request("session/list", {})
            assert [info["sessionId"] for info in page["sessions"]] == ["stored"]
            page = await client.request("session/list", {"cursor": page["nextCursor"]})
            assert [info["sessionId"] for info in page["sessions"]] == ["older"]
            await client.request("session/close", {"sessionId": session})
            await client.request("session/close", {"sessionId": session})
            with pytest.raises(Refused) as refused:
                await client.prompt(session, "about")
            assert (refused.value.code, refused.value.data) == (-32002, {"sessionId": session})
            await client.request("session/delete", {"sessionId": "stored"})
            await client.request("auth/logout", {})
            with pytest.raises(Refused):
                await client.new_session()

    bounded(scenario())


def test_cancel_ends_the_work_and_withdraws_what_waits() -> None:
    async def scenario() -> None:
        async with typescript_session("v2") as (client, session):
            await client.prompt(session, "wait")
            held = client.prompt(session, "about")
            await client.until(lambda: client.of_kind("agent_message_chunk"))
            client.notify("session/cancel", {"sessionId": session})
            with pytest.raises(Refused) as refused:
                await held
            assert refused.value.code == -32800
            await client.idle()
            assert client.updates[-1]["stopReason"] == "cancelled"
            assert client.of_kind("tool_call_update")[-1]["status"] == "cancelled"
            assert (await client.turn(session, "refuse"))[-1]["stopReason"] == "refusal"

    bounded(scenario())


def test_a_question_of_cancelled_work_is_taken_back() -> None:
    async def scenario() -> None:
        async with typescript_session("v2") as (client, session):
            await client.prompt(session, "permission")
            await client.until(lambda: client.asked)
            client.notify("session/cancel", {"sessionId": session})
            await client.until(lambda: client.withdrawn == [1])
            client.answer(1, {"outcome": {"outcome": "cancelled"}})
            await client.idle()
            assert client.updates[-1]["stopReason"] == "cancelled"

    bounded(scenario())


def test_work_that_fails_ends_with_an_error_and_tells_no_secret() -> None:
    async def scenario() -> None:
        async with typescript_session("v2") as (client, session):
            idle = (await client.turn(session, "fail"))[-1]
            assert (idle["stopReason"], idle["error"]["code"]) == ("error", -32603)
            assert "secret" not in str(client.notified)
            idle = (await client.turn(session, "login"))[-1]
            assert (idle["stopReason"], idle["error"]["code"]) == ("error", -32000)

    bounded(scenario())


def test_each_bad_request_gets_the_error_it_deserves() -> None:
    async def scenario() -> None:
        async with typescript("v2") as client:
            await client.initialize(2)
            for method, params, code in BAD_REQUESTS:
                with pytest.raises(Refused) as refused:
                    await client.request(method, params)
                assert (method, params, refused.value.code) == (method, params, code)
            assert await client.new_session()

    bounded(scenario())


def test_the_unstable_entry_point_forks_a_session() -> None:
    async def scenario() -> None:
        async with typescript_session("v2u", "--unstable") as (client, session):
            fork = await client.request("session/fork", {"sessionId": session, "cwd": "/project"})
            await client.turn(fork["sessionId"], "about")
            assert f"'origin': '{session}'" in client.said()

    bounded(scenario())
