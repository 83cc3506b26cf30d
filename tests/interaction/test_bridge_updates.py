"""What an agent reports, through a bridge to a client of the other version."""

import base64
from typing import Any

import pytest

from tests.protocol.bridging import Stage, bridged, updates
from tests.sdk.stage import run

WORD = {"type": "text", "text": "word"}
ITEM = {"type": "content", "content": WORD}
ALL = {"clientCapabilities": {"session": {"notices": {}, "compaction": {}}}}


async def _seen(
    stage: Stage, *told: tuple[str, dict[str, Any]], turn: bool = True
) -> list[dict[str, Any]]:
    """What the client is told when the agent reports these in a turn."""
    if turn:
        stage.prompt()
        await stage.prompted()
        await stage.sync()
    before = len(updates(stage))
    for kind, members in told:
        stage.update(kind, **members)
    await stage.sync()
    return updates(stage)[before:]


def _tool(**members: Any) -> tuple[str, dict[str, Any]]:
    return "tool_call_update", {"toolCallId": "t", **members}


# From version 2 to version 1.


def test_messages_of_version_2_become_chunks() -> None:
    async def scenario() -> None:
        async with bridged(1, 2) as stage:
            seen = await _seen(
                stage,
                ("agent_message_chunk", {"messageId": "a", "content": WORD}),
                ("agent_message", {"messageId": "a", "content": [WORD, WORD]}),
                ("agent_thought", {"messageId": "b", "content": [WORD]}),
                ("agent_message_chunk", {"messageId": "b", "content": WORD}),
            )
            told = [(each["sessionUpdate"], each["messageId"]) for each in seen]
            assert told == [
                ("agent_message_chunk", "a"),
                ("agent_message_chunk", "a"),  # Only the rest of it.
                ("agent_thought_chunk", "b"),
                ("agent_message_chunk", "a:b"),  # Ids are unique for each speaker only.
            ]
            assert stage.losses == []

    run(scenario())


def test_a_tool_call_of_version_2_is_told_first_and_then_updated_with_whole_lists() -> None:
    async def scenario() -> None:
        async with bridged(1, 2) as stage:
            seen = await _seen(
                stage,
                _tool(title="T", kind="edit", status="pending", _meta={"a": 1}),
                ("tool_call_content_chunk", {"toolCallId": "t", "content": ITEM}),
                ("tool_call_content_chunk", {"toolCallId": "t", "content": ITEM}),
                _tool(status="completed", content=None, locations=None, _meta={"b": 2}),
                _tool(kind=None, status=None),
            )
            assert [each["sessionUpdate"] for each in seen] == [
                "tool_call",
                *["tool_call_update"] * 4,
            ]
            assert seen[2]["content"] == [ITEM, ITEM]
            assert (seen[3]["content"], seen[3]["locations"]) == ([], [])
            assert seen[3]["_meta"] == {"a": 1, "b": 2}
            assert (seen[4]["kind"], seen[4]["status"]) == ("other", "pending")
            assert stage.losses == []

    run(scenario())


def test_a_terminal_of_version_2_is_text_in_the_calls_that_show_it() -> None:
    async def scenario() -> None:
        async with bridged(1, 2) as stage:
            data = base64.b64encode(b"\x1b[31mred\x1b[0m\n").decode()
            seen = await _seen(
                stage,
                _tool(title="T", content=[{"type": "terminal", "terminalId": "x"}]),
                ("terminal_update", {"terminalId": "x", "command": "make"}),
                ("terminal_output_chunk", {"terminalId": "x", "data": data}),
                ("terminal_update", {"terminalId": "x", "exitStatus": {"exitCode": 0}}),
            )
            text = seen[-1]["content"][0]["content"]["text"]
            assert text == "```\n$ make\nred\n```\nexit code 0"
            assert stage.losses == ["terminal"]

    run(scenario())


def test_a_patch_of_version_2_is_shown_in_fragments() -> None:
    async def scenario() -> None:
        async with bridged(1, 2) as stage:
            patch = "diff --git /a /a\n--- /a\n+++ /a\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n"
            diff = {
                "type": "diff",
                "changes": [{"operation": "modify", "path": "/a", "fileType": "text"}],
                "patch": {"format": "git_patch", "text": patch},
            }
            seen = await _seen(stage, _tool(title="T", content=[diff]))
            assert seen[0]["content"] == [
                {"type": "diff", "path": "/a", "oldText": "one\ntwo\n", "newText": "one\nthree\n"}
            ]
            assert stage.losses == ["diff"]

    run(scenario())


def _plan(id_: str, *entries: str) -> tuple[str, dict[str, Any]]:
    listed = [{"content": each, "priority": "high", "status": "pending"} for each in entries]
    return "plan_update", {"plan": {"type": "items", "planId": id_, "entries": listed}}


def test_the_plans_of_version_2_are_one_in_version_1() -> None:
    async def scenario() -> None:
        async with bridged(1, 2) as stage:
            seen = await _seen(stage, _plan("main", "a"), _plan("side", "b"))
            texts = [[entry["content"] for entry in each["entries"]] for each in seen]
            assert texts == [["a"], ["main: a", "side: b"]]
            assert {each["sessionUpdate"] for each in seen} == {"plan"}
            assert stage.losses == ["plan.id"]

    run(scenario())


COST = {"amount": 1.5, "currency": "EUR"}
SAME: list[tuple[str, dict[str, Any]]] = [
    ("usage_update", {"used": 1, "size": 2, "cost": COST}),
    ("session_info_update", {"title": "T", "updatedAt": "2026-01-02T03:04:05Z"}),
    ("session_info_update", {"title": None, "_meta": {"a": 1}}),
    ("notice", {"severity": "warning", "title": "Careful", "description": "Hot"}),
    ("compaction_update", {"compactionId": "c", "status": "completed", "summary": [WORD]}),
    ("compaction_summary_chunk", {"compactionId": "c", "content": WORD}),
]


@pytest.mark.parametrize(("client", "agent"), [(1, 2), (2, 1)])
@pytest.mark.parametrize(("kind", "members"), SAME, ids=lambda each: str(each)[:20])
def test_what_both_versions_say_alike_stays_as_it_is(
    client: int, agent: int, kind: str, members: dict[str, Any]
) -> None:
    async def scenario() -> None:
        async with bridged(client, agent, asks=ALL if client == 1 else None) as stage:
            seen = await _seen(stage, (kind, members))
            assert seen == [{"sessionUpdate": kind, **members}]
            assert stage.losses == []

    run(scenario())


def test_a_client_of_version_1_that_asked_for_no_notices_gets_the_grave_ones_as_text() -> None:
    async def scenario() -> None:
        async with bridged(1, 2) as stage:
            notice = {"title": "Careful", "description": "Hot"}
            seen = await _seen(
                stage,
                ("notice", {"severity": "error", **notice}),
                ("notice", {"severity": "info", **notice}),
            )
            assert [each["content"]["text"] for each in seen] == ["[error] Careful\n\nHot\n\n"]
            assert stage.losses == ["notice", "notice"]

    run(scenario())


def test_commands_lose_and_gain_their_types() -> None:
    async def scenario() -> None:
        plain = {"name": "plan", "description": "P", "input": {"hint": "what"}}
        tagged = {"type": "command", **plain, "input": {"type": "text", "hint": "what"}}
        forms = {1: plain, 2: tagged}
        for client, agent in ((1, 2), (2, 1)):
            async with bridged(client, agent) as stage:
                told = ("available_commands_update", {"availableCommands": [forms[agent]]})
                seen = await _seen(stage, told)
                assert seen[0]["availableCommands"] == [forms[client]]
                assert stage.losses == []

    run(scenario())


# From version 1 to version 2.


def test_chunks_without_ids_become_messages_of_their_own() -> None:
    async def scenario() -> None:
        async with bridged(2, 1) as stage:
            said = ("agent_message_chunk", {"content": WORD})
            thought = ("agent_thought_chunk", {"content": WORD})
            call = ("tool_call", {"toolCallId": "t", "title": "T"})
            more = _tool(status="in_progress")
            seen = await _seen(stage, said, said, thought, said, call, said, more, said)
            ids = [each["messageId"] for each in seen if "messageId" in each]
            assert ids[0] == ids[1] != ids[2]
            assert len({ids[1], ids[2], ids[3]}) == 3
            # A new tool call closes the message; news about one do not.
            assert ids[3] != ids[4] == ids[5]
            assert stage.losses == []

    run(scenario())


def test_a_tool_call_of_version_1_is_an_update_and_null_changes_nothing() -> None:
    async def scenario() -> None:
        async with bridged(2, 1) as stage:
            members: dict[str, Any] = {
                "toolCallId": "t",
                "title": "T",
                "kind": "edit",
                "status": "pending",
                "locations": [{"path": "/a", "line": 3}],
                "rawInput": {"a": 1},
            }
            seen = await _seen(
                stage,
                ("tool_call", members),
                ("tool_call", {**members, "title": "Again"}),
                _tool(title=None, content=None, status="completed"),
                ("tool_call_update", {"toolCallId": "new", "title": "N"}),
            )
            assert seen[0] == {"sessionUpdate": "tool_call_update", **members}
            assert seen[1]["title"] == "Again"
            assert seen[2] == {
                "sessionUpdate": "tool_call_update",
                "toolCallId": "t",
                "status": "completed",
            }
            assert seen[3]["toolCallId"] == "new"
            assert stage.losses == []

    run(scenario())


@pytest.mark.parametrize(
    ("old", "operation", "head"),
    [(None, "add", "--- /dev/null\n+++ /a\n"), ("one\n", "modify", "--- /a\n+++ /a\n")],
)
def test_a_diff_of_version_1_is_a_patch(old: str | None, operation: str, head: str) -> None:
    async def scenario() -> None:
        async with bridged(2, 1) as stage:
            diff = {"type": "diff", "path": "/a", "oldText": old, "newText": "two\n"}
            seen = await _seen(
                stage, ("tool_call", {**_tool()[1], "title": "T", "content": [diff]})
            )
            shown = seen[0]["content"][0]
            assert shown["changes"] == [{"operation": operation, "path": "/a", "fileType": "text"}]
            assert shown["patch"]["format"] == "git_patch"
            assert head in shown["patch"]["text"]
            assert "+two\n" in shown["patch"]["text"]
            assert stage.losses == []

    run(scenario())


def test_the_plan_of_version_1_has_a_name_in_version_2() -> None:
    async def scenario() -> None:
        async with bridged(2, 1) as stage:
            entries = [{"content": "a", "priority": "high", "status": "pending"}]
            seen = await _seen(stage, ("plan", {"entries": entries}))
            plan = {"type": "items", "planId": "main", "entries": entries}
            assert seen == [{"sessionUpdate": "plan_update", "plan": plan}]

    run(scenario())


def test_names_of_commands_are_cleaned_for_version_2() -> None:
    async def scenario() -> None:
        async with bridged(2, 1) as stage:
            commands = [{"name": "/plan", "description": "P"}]
            seen = await _seen(
                stage, ("available_commands_update", {"availableCommands": commands})
            )
            assert [each["name"] for each in seen[0]["availableCommands"]] == ["plan"]

    run(scenario())
