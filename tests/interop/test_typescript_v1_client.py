"""The client of the official TypeScript SDK drives our agent over version 1."""

from typing import Any

import pytest

from tests.interop.bounds import bounded
from tests.interop.typescript_client import Refused, typescript, typescript_session

pytestmark = pytest.mark.usefixtures("typescript_packages")

CHOSEN = {"outcome": {"outcome": "selected", "optionId": "allow_once"}}
BAD_REQUESTS = [
    ("session/prompt", {"sessionId": "unknown", "prompt": []}, -32002),
    ("session/load", {"sessionId": "unknown", "cwd": "/", "mcpServers": []}, -32002),
    ("session/new", {"cwd": "relative", "mcpServers": []}, -32602),
    ("session/new", {"mcpServers": []}, -32602),
    ("authenticate", {"methodId": "made up"}, -32602),
    ("made/up", {}, -32601),
    ("_made/up", {}, -32601),
]


def test_initialize_new_prompt_and_the_text_through_the_session_object() -> None:
    async def scenario() -> None:
        async with typescript("v1") as client:
            answer = await client.initialize()
            assert (answer["protocolVersion"], answer["agentInfo"]["name"]) == (1, "parley-interop")
            turn = await client.converse("/project", "about")
            assert turn["said"].startswith("/project ()")
            assert turn["prompted"] == {"stopReason": "end_turn"}

    bounded(scenario())


def test_every_method_of_a_session_works() -> None:
    async def scenario() -> None:
        async with typescript_session("v1") as (client, session):
            where = {"cwd": "/project", "mcpServers": []}
            page = await client.request("session/list", {})
            assert [info["sessionId"] for info in page["sessions"]] == ["stored"]
            assert page["nextCursor"] == "2"
            loaded = await client.request("session/load", {"sessionId": "stored", **where})
            assert loaded["modes"]["currentModeId"] == "ask"
            assert client.said() == "What was answered"
            assert len(client.of_kind("user_message_chunk")) == 1
            resumed = await client.request("session/resume", {"sessionId": "stored", **where})
            assert [option["id"] for option in resumed["configOptions"]][:2] == ["mode", "model"]
            await client.request("session/set_mode", {"sessionId": session, "modeId": "code"})
            assert client.of_kind("current_mode_update")[0]["currentModeId"] == "code"
            chosen = {"sessionId": session, "configId": "model", "value": "big"}
            options = await client.request("session/set_config_option", chosen)
            assert options["configOptions"][1]["currentValue"] == "big"
            quiet = {"sessionId": session, "configId": "quiet", "type": "boolean", "value": True}
            options = await client.request("session/set_config_option", quiet)
            assert options["configOptions"][2]["currentValue"] is True
            await client.request("session/close", {"sessionId": session})
            await client.request("session/delete", {"sessionId": "stored"})
            heard = (await client.request("_interop/heard"))["heard"]
            assert (heard[0], heard[-1]) == (f"closed {session}", "deleted stored")

    bounded(scenario())


def test_login_and_logout() -> None:
    async def scenario() -> None:
        async with typescript("v1", "--locked") as client:
            answer = await client.initialize()
            assert [method["id"] for method in answer["authMethods"]] == ["key"]
            with pytest.raises(Refused) as refused:
                await client.new_session()
            assert refused.value.code == -32000
            await client.request("authenticate", {"methodId": "key"})
            await client.new_session()
            await client.request("logout", {})
            with pytest.raises(Refused):
                await client.new_session()

    bounded(scenario())


def test_the_unstable_entry_point_forks_and_counts_tokens() -> None:
    async def scenario() -> None:
        async with typescript_session("v1u", "--unstable") as (client, session):
            fork = await client.request("session/fork", {"sessionId": session, "cwd": "/project"})
            await client.prompt(fork["sessionId"], "about")
            assert f"'origin': '{session}'" in client.said()
            answer = await client.prompt(session, "counted")
            assert answer["usage"] == {"totalTokens": 30, "inputTokens": 10, "outputTokens": 20}

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
        async with typescript_session("v1") as (client, session):
            await client.request("session/prompt", {"sessionId": session, "prompt": blocks})
            chunks = client.of_kind("agent_message_chunk")
            assert [chunk["content"] for chunk in chunks] == blocks

    bounded(scenario())


def test_every_kind_of_update_passes_the_checks_of_the_sdk() -> None:
    async def scenario() -> None:
        async with typescript_session("v1") as (client, session):
            await client.prompt(session, "everything")
            await client.prompt(session, "summary")
            kinds = {update["sessionUpdate"] for update in client.updates}
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
                "notice",
                "compaction_update",
                "compaction_summary_chunk",
            }
            (notice,) = client.of_kind("notice")
            assert (notice["title"], notice["severity"]) == ("A notice", "warning")
            (start,) = client.of_kind("tool_call")
            assert start["name"] == "edit_file"
            last = client.of_kind("tool_call_update")[-1]
            assert (last["status"], last["rawOutput"]) == ("completed", {"ok": True})

    bounded(scenario())


def test_a_permission_is_what_the_user_chose() -> None:
    async def scenario() -> None:
        async with typescript_session("v1") as (client, session):
            for outcome, verdict in (
                ({"outcome": "selected", "optionId": "allow_once"}, "allowed"),
                ({"outcome": "selected", "optionId": "reject_once"}, "refused"),
                ({"outcome": "cancelled"}, "dismissed"),
            ):
                client.answers["session/request_permission"] = {"outcome": outcome}
                client.notified.clear()
                await client.prompt(session, "permission")
                assert client.said() == verdict
            method, params = client.asked[0]
            assert method == "session/request_permission"
            assert params["toolCall"]["toolCallId"] == "call-p"
            assert len(params["options"]) == 4

    bounded(scenario())


def test_files_terminals_and_input_come_from_the_client() -> None:
    async def scenario() -> None:
        async with typescript_session("v1") as (client, session):
            client.answers |= {
                "fs/read_text_file": {"content": "second"},
                "fs/write_text_file": None,
                "terminal/create": {"terminalId": "terminal-1"},
                "terminal/wait_for_exit": {"exitCode": 0},
                "terminal/output": {"output": "hi\n", "truncated": False},
                "terminal/kill": {},
                "terminal/release": {},
                "elicitation/create": {"action": "accept", "content": {"name": "Ada"}},
                "_interop/ask": {"answer": 42},
            }
            for words in ("files /a", "terminal kill", "form", "url", "extensions"):
                await client.prompt(session, words)
            assert client.said() == ("secondhi\n|False|0|None{'name': 'Ada'}accepted{'answer': 42}")
            assert [method for method, _ in client.asked] == [
                "fs/read_text_file",
                "fs/write_text_file",
                "terminal/create",
                "terminal/kill",
                "terminal/wait_for_exit",
                "terminal/output",
                "terminal/release",
                "elicitation/create",
                "elicitation/create",
                "_interop/ask",
            ]
            assert ("elicitation/complete", {"elicitationId": "e-1"}) in client.notified
            assert ("_interop/told", {"n": 1}) in client.notified

    bounded(scenario())


def test_a_cancelled_turn_ends_as_cancelled_and_its_question_is_taken_back() -> None:
    async def scenario() -> None:
        async with typescript_session("v1") as (client, session):
            turn = client.prompt(session, "permission")
            await client.until(lambda: client.asked)
            client.notify("session/cancel", {"sessionId": session})
            assert (await turn)["stopReason"] == "cancelled"
            await client.until(lambda: client.withdrawn == [1])
            client.answer(1, CHOSEN)
            assert (await client.prompt(session, "refuse"))["stopReason"] == "refusal"

    bounded(scenario())


def test_a_prompt_that_the_client_gives_up_is_answered_as_cancelled() -> None:
    async def scenario() -> None:
        async with typescript_session("v1") as (client, session):
            turn = client.prompt(session, "wait")
            await client.until(lambda: client.of_kind("agent_message_chunk"))
            client.abort()
            with pytest.raises(Refused) as refused:
                await turn
            assert refused.value.code == -32800
            assert (await client.prompt(session, "refuse"))["stopReason"] == "refusal"

    bounded(scenario())


def test_each_bad_request_gets_the_error_it_deserves() -> None:
    async def scenario() -> None:
        async with typescript("v1") as client:
            await client.initialize()
            for method, params, code in BAD_REQUESTS:
                with pytest.raises(Refused) as refused:
                    await client.request(method, params)
                assert (method, params, refused.value.code) == (method, params, code)
            assert await client.new_session()

    bounded(scenario())


def test_a_failing_turn_is_an_error_that_tells_no_secret() -> None:
    async def scenario() -> None:
        async with typescript_session("v1") as (client, session):
            with pytest.raises(Refused) as refused:
                await client.prompt(session, "fail")
            assert refused.value.code == -32603
            assert "secret" not in f"{refused.value.message} {refused.value.data}"

    bounded(scenario())
