"""Events as lines of JSON."""

import json
from typing import Any

from parley.frontend.headless.exit_code import ExitCode
from parley.frontend.headless.json_output import JsonOutput, plain
from parley.frontend.headless.output import Answered, Opened, Result, Trouble, TurnEnd
from parley.frontend.headless.screen import Screen
from parley.session.content import DiffItem, FileChange, Location, Text
from parley.session.event import (
    ChunkAdded,
    Event,
    Failure,
    PlanChanged,
    TerminalOutputAdded,
    ToolCallChanged,
    TurnUsage,
)
from parley.session.option import PlanEntry, PlanItems
from parley.session.profile import AgentProfile, Implementation
from parley.session.question import PermissionOption, PermissionQuestion
from tests.frontend.headless.staging import on_screen


def lines(*events: Event) -> list[dict[str, Any]]:
    return [json.loads(line) for line in raw(*events).splitlines()]


def raw(*events: Event) -> str:
    async def act(screen: Screen) -> None:
        JsonOutput(screen).events("s", events)

    return on_screen(act)[0]


def test_a_chunk_is_one_line_with_its_session() -> None:
    head = {"event": "chunk_added", "sessionId": "s", "speaker": "agent"}
    content = {"type": "text", "text": "hi"}
    assert lines(
        ChunkAdded("agent", Text("hi")),
        ChunkAdded("agent", Text("hi"), "m"),
        ChunkAdded("agent", Text("hi"), "m", {"a_b": 1}),
    ) == [
        {**head, "content": content},
        {**head, "messageId": "m", "content": content},
        {**head, "messageId": "m", "content": content, "meta": {"a_b": 1}},
    ]


def test_names_are_those_of_json_and_data_of_the_agent_keeps_its_own() -> None:
    event = ToolCallChanged(
        "t",
        kind="edit",
        title=None,
        raw_input={"some_name": 1},
        locations=(Location("/a", 3),),
        content=(DiffItem((FileChange("modify", "/a", old_text="x"),)),),
    )
    assert lines(event) == [
        {
            "event": "tool_call_changed",
            "sessionId": "s",
            "id": "t",
            "title": None,
            "kind": "edit",
            "rawInput": {"some_name": 1},
            "locations": [{"path": "/a", "line": 3}],
            "content": [
                {
                    "type": "diff",
                    "changes": [{"operation": "modify", "path": "/a", "oldText": "x"}],
                }
            ],
        }
    ]


def test_bytes_are_base64_and_defaults_are_left_out() -> None:
    plan = PlanChanged("p", PlanItems((PlanEntry("one"),)))
    assert lines(TerminalOutputAdded("t", b"hi"), plan) == [
        {"event": "terminal_output_added", "sessionId": "s", "id": "t", "data": "aGk="},
        {
            "event": "plan_changed",
            "sessionId": "s",
            "id": "p",
            "plan": {"type": "items", "entries": [{"content": "one"}]},
        },
    ]


def test_a_line_is_ascii_and_means_the_same() -> None:
    text = "ü\u202e\x9b\x7f\x1b𝄞"
    (line,) = raw(ChunkAdded("agent", Text(text))).splitlines()
    assert line.isascii()
    assert line.isprintable()
    assert json.loads(line)["content"]["text"] == text


def test_what_a_run_reports_has_its_lines() -> None:
    question = PermissionQuestion("Edit", (PermissionOption("y", "Yes", "allow_once"),))

    async def act(screen: Screen) -> None:
        output = JsonOutput(screen)
        agent = AgentProfile(Implementation("a", "1"), version=2)
        output.opened(Opened("s", "/p", agent))
        output.answered(Answered("s", question, "Edit", True, "rule", "--yes", "y"))
        await output.turn_ended(
            TurnEnd("s", 1, "error", ExitCode.FAILED, 1.23456, TurnUsage(3, 2, 1), Failure(1, "no"))
        )
        output.failed(Trouble(ExitCode.AGENT_DIED, "gone", "agent", stderr=("x",), pending="y"))
        output.finished(Result(ExitCode.AGENT_DIED, "s", 1, "error", 2, 3.0, {"used": 1}))

    opened, answered, ended, failed, result = map(json.loads, on_screen(act)[0].splitlines())
    assert opened["agent"] == {"name": "a", "version": "1", "title": None}
    assert opened["protocolVersion"] == 2
    assert answered["question"]["options"] == [{"id": "y", "name": "Yes", "kind": "allow_once"}]
    assert (answered["allowed"], answered["by"], answered["optionId"]) == (True, "rule", "y")
    assert ended["usage"] == {"total": 3, "input": 2, "output": 1}
    assert (ended["seconds"], ended["failure"]) == (1.235, {"code": 1, "message": "no"})
    assert (failed["outcome"], failed["stderr"], failed["pending"]) == ("agent_died", ["x"], "y")
    assert (result["exitCode"], result["outcome"], result["refusedPermissions"]) == (
        8,
        "agent_died",
        2,
    )


def test_what_is_no_struct_stays_as_it_is() -> None:
    assert plain([1, ("a", None)]) == [1, ["a", None]]
