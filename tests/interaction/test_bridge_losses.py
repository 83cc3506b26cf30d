"""Each loss is named in the documents, reported once, and fails the turn of a strict bridge."""

import re
from typing import Any

import pytest

from tests.architecture.source_tree import ROOT
from tests.protocol.bridging import Stage, bridged
from tests.sdk.stage import run

WORD = {"type": "text", "text": "word"}
Told = tuple[str, dict[str, Any]]


def _chunk(content: dict[str, Any]) -> Told:
    return "agent_message_chunk", {"messageId": "a", "content": content}


def _message(**members: Any) -> Told:
    return "agent_message", {"messageId": "a", **members}


def _tool(**members: Any) -> Told:
    return "tool_call_update", {"toolCallId": "t", "title": "T", "status": "pending", **members}


def _added(item: dict[str, Any], **members: Any) -> Told:
    return "tool_call_content_chunk", {"toolCallId": "t", "content": item, **members}


def _plan(**plan: Any) -> Told:
    return "plan_update", {"plan": {"planId": "main", **plan}}


def _entry(**members: Any) -> list[dict[str, Any]]:
    return [{"content": "a", "priority": "high", "status": "pending", **members}]


LINK = {"type": "resource_link", "uri": "file:///a", "name": "a"}
MOVE = {"type": "diff", "changes": [{"operation": "move", "path": "/b", "oldPath": "/a"}]}
CANCEL = {"capabilities": {"cancel": {}}}

TO_VERSION_1: list[tuple[str, list[Told]]] = [
    ("content.type", [_chunk({"type": "_odd"})]),
    ("content.icons", [_chunk({**LINK, "icons": [{"src": "https://example.com/i.png"}]})]),
    ("content.audience", [_chunk({**WORD, "annotations": {"audience": ["_robot"]}})]),
    ("message.meta", [_message(content=[WORD], _meta={"a": 1})]),
    ("message.empty", [_message()]),
    ("message.cleared", [_chunk(WORD), _message(content=None)]),
    ("message.cleared", [_chunk(WORD), _message(content=[])]),
    ("message.replaced", [_chunk(WORD), _message(content=[{**WORD, "text": "other"}])]),
    ("tool_call.title", [("tool_call_update", {"toolCallId": "t", "status": "pending"})]),
    ("tool_call.title", [_tool(), ("tool_call_update", {"toolCallId": "t", "title": None})]),
    ("tool_call.name", [_tool(name="n"), ("tool_call_update", {"toolCallId": "t", "name": None})]),
    ("tool_call.raw_input", [_tool(rawInput=1), _tool(rawInput=None)]),
    ("tool_call.raw_output", [_tool(rawOutput=1), _tool(rawOutput=None)]),
    ("tool_call.kind", [_tool(kind="_odd")]),
    ("tool_call.status", [_tool(status="paused")]),
    ("tool_call.status", [_tool(status="cancelled")]),
    ("tool_call.cancel", [_tool(**CANCEL)]),
    ("tool_call.item", [_tool(content=[{"type": "_odd"}])]),
    (
        "tool_call.item",
        [_tool(), _added({"type": "_odd"}), _added({"type": "content", "content": WORD})],
    ),
    (
        "tool_call.chunk_meta",
        [_tool(), _added({"type": "content", "content": WORD}, _meta={"a": 1})],
    ),
    ("tool_call.meta", [_tool(_meta={"a": 1}), _tool(_meta=None)]),
    ("diff", [_tool(content=[MOVE]), _added({"type": "content", "content": WORD})]),
    ("terminal", [_tool(content=[{"type": "terminal", "terminalId": "x"}])]),
    ("plan.id", [_plan(type="items", planId="side", entries=_entry())]),
    ("plan.status", [_plan(type="items", entries=_entry(status="cancelled"))]),
    ("plan.status", [_plan(type="items", entries=_entry(status="_odd"))]),
    ("plan.priority", [_plan(type="items", entries=_entry(priority="_odd"))]),
    ("plan.markdown", [_plan(type="markdown", content="- [ ] a")]),
    ("plan.file", [_plan(type="file", uri="file:///a")]),
    ("plan.type", [_plan(type="_odd")]),
    (
        "command.kind",
        [
            (
                "available_commands_update",
                {"availableCommands": [{"type": "_odd", "name": "a", "description": "A"}]},
            )
        ],
    ),
    (
        "option.type",
        [
            (
                "config_option_update",
                {"configOptions": [{"type": "_odd", "configId": "o", "name": "O"}]},
            )
        ],
    ),
    ("info.meta", [("session_info_update", {"_meta": None})]),
    ("usage.cost", [("usage_update", {"used": 1, "size": 2, "cost": None})]),
    ("notice", [("notice", {"severity": "info", "title": "T"})]),
    ("notice", [("notice", {"severity": "warning", "title": "T"})]),
    ("compaction", [("compaction_update", {"compactionId": "c", "status": "completed"})]),
    ("subagent", [("subagent_update", {"sessionId": "child", "title": "C"})]),
    (
        "state.background",
        [
            (
                "state_update",
                {"state": "running", "background": [{"type": "terminal", "terminalId": "x"}]},
            )
        ],
    ),
    ("update.type", [("_odd", {"a": 1})]),
    ("update.type", [("tool_call", {"toolCallId": "t", "title": "of version 1"})]),
]

TO_VERSION_2: list[tuple[str, list[Told]]] = [
    ("annotations.priority", [_chunk({**WORD, "annotations": {"priority": 7}})]),
    ("link.size", [_chunk({**LINK, "size": -1})]),
    (
        "command.name",
        [
            (
                "available_commands_update",
                {"availableCommands": [{"name": "a b", "description": "A"}]},
            )
        ],
    ),
    (
        "option.choices",
        [
            (
                "config_option_update",
                {
                    "configOptions": [
                        {
                            "type": "select",
                            "id": "o",
                            "name": "O",
                            "currentValue": "a",
                            "options": [],
                        }
                    ]
                },
            )
        ],
    ),
    ("session.updated_at", [("session_info_update", {"updatedAt": "yesterday"})]),
    ("update.kind", [("state_update", {"state": "running"})]),
    ("plan.removed", [("plan_removed", {"planId": "main"})]),
    ("plan.markdown", [_plan(type="markdown", content="- [ ] a")]),
    ("plan.file", [_plan(type="file", uri="file:///a")]),
    ("subagent", [("subagent_update", {"sessionId": "child", "title": "C"})]),
    ("session_message", [("session_message_chunk", {"messageId": "m", "content": WORD})]),
]
CASES = [
    *((1, 2, name, told) for name, told in TO_VERSION_1),
    *((2, 1, name, told) for name, told in TO_VERSION_2),
]
every_loss = pytest.mark.parametrize(
    ("client", "agent", "name", "told"), CASES, ids=[f"{case[0]}-{case[2]}" for case in CASES]
)


async def _tell(stage: Stage, told: list[Told]) -> None:
    for kind, members in told:
        stage.update(kind, **members)
    await stage.sync()


@every_loss
def test_a_loss_is_reported_once(client: int, agent: int, name: str, told: list[Told]) -> None:
    async def scenario() -> None:
        async with bridged(client, agent) as stage:
            prompt_id = stage.prompt()
            request = await stage.prompted()
            await _tell(stage, told)
            stage.finish(request)
            assert "end_turn" in str(await stage.ended(prompt_id))
            assert stage.losses == [name]
            assert stage.lost[0].session_id == "s"

    run(scenario())


@every_loss
def test_a_strict_bridge_ends_the_turn_with_the_name_of_the_loss(
    client: int, agent: int, name: str, told: list[Told]
) -> None:
    async def scenario() -> None:
        async with bridged(client, agent, strict=True) as stage:
            prompt_id = stage.prompt()
            request = await stage.prompted()
            await _tell(stage, told)
            await stage.agent.request("session/cancel")
            stage.finish(request, "cancelled")
            error = (await stage.ended(prompt_id))["error"]
            assert error["code"] == -32603
            assert error["data"]["acpBridge"]["loss"] == name
            assert f"`{name}`" in error["message"]
            # The session goes on.
            prompt_id = stage.prompt()
            stage.finish(await stage.prompted())
            assert (await stage.ended(prompt_id))["stopReason"] == "end_turn"

    run(scenario())


_REPORTED = re.compile(r'(?:[Ll]ose|Loss|_loser\(session_id\))\(\s*f?"([a-z_]+(?:\.[a-z_]+)*)"')
_MADE_UP = {"tool_call.name", "tool_call.raw_input", "tool_call.raw_output"}
"""Names that are put together from the name of a field."""


def _reported() -> set[str]:
    """The names in the code."""
    return {
        name
        for path in sorted((ROOT / "src" / "parley" / "protocol").rglob("*.py"))
        for name in _REPORTED.findall(path.read_text(encoding="utf-8"))
    } | _MADE_UP


def test_every_loss_is_in_the_table_and_nothing_else_is() -> None:
    text = (ROOT / "docs" / "bridge.md").read_text(encoding="utf-8")
    table = text.partition("## What is lost")[2]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    documented = [name for row in rows for name in re.findall(r"`([^`]+)`", row)]
    assert set(documented) == _reported()


def test_every_case_is_about_a_loss_that_exists() -> None:
    assert {case[2] for case in CASES} - _reported() == set()
