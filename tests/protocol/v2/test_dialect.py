"""The early draft of version 2: rewritten in place, named when used, and left alone otherwise."""

from collections.abc import Callable
from typing import Any

import pytest

from parley.protocol.v2.dialect import (
    ALIASES,
    DRAFT,
    MALFORMED,
    PLACEHOLDER,
    repair_capabilities,
    repair_info,
    repair_logins,
    repair_option_value,
    repair_permission,
    repair_setup,
    repair_update,
)

Repair = Callable[[dict[str, Any]], str | None]
NAME = {"name": "n", "version": "1"}


def update(kind: str, **members: Any) -> dict[str, Any]:
    return {"sessionId": "s", "update": {"sessionUpdate": kind, **members}}


OLD: list[tuple[Repair, dict[str, Any], dict[str, Any]]] = [
    (repair_info, {"clientInfo": NAME}, {"clientInfo": NAME, "info": NAME}),
    (repair_info, {"info": 5, "agentInfo": NAME}, {"info": NAME, "agentInfo": NAME}),
    (repair_info, {}, {"info": PLACEHOLDER}),
    (
        repair_logins,
        {"authMethods": [{"id": "a", "name": "A"}, {"type": "_x", "methodId": "b"}, 5]},
        {
            "authMethods": [
                {"type": "agent", "methodId": "a", "name": "A"},
                {"type": "_x", "methodId": "b"},
                5,
            ]
        },
    ),
    (repair_option_value, {"value": "x"}, {"value": "x", "type": "id"}),
    (repair_option_value, {"value": False}, {"value": False, "type": "boolean"}),
    (repair_option_value, {"value": 1}, {"value": 1, "type": "id"}),
    (
        repair_setup,
        {
            "configOptions": [{"id": "o", "options": [{"group": "g", "options": []}]}],
            "availableCommands": [{"name": "c"}],
        },
        {
            "configOptions": [{"configId": "o", "options": [{"groupId": "g", "options": []}]}],
            "availableCommands": [{"name": "c", "type": "command"}],
        },
    ),
    (
        repair_update,
        update("plan_update", plan={"id": "p"}),
        update("plan_update", plan={"planId": "p"}),
    ),
    (
        repair_update,
        update("available_commands_update", availableCommands=[{"input": {"hint": "h"}}]),
        update(
            "available_commands_update",
            availableCommands=[{"type": "command", "input": {"type": "text", "hint": "h"}}],
        ),
    ),
    (
        repair_update,
        update("config_option_update", configOptions=[{"id": "o"}]),
        update("config_option_update", configOptions=[{"configId": "o"}]),
    ),
    (
        repair_update,
        update("tool_call_content_chunk", content={"type": "diff", "path": "/x", "newText": ""}),
        update(
            "tool_call_content_chunk",
            content={
                "type": "diff",
                "changes": [{"operation": "add", "path": "/x", "fileType": "text"}],
                "patch": {
                    "format": "git_patch",
                    "text": "diff --git /x /x\nnew file mode 100644\n",
                },
            },
        ),
    ),
    (
        repair_permission,
        {"toolCall": {"toolCallId": "t", "title": 5}, "options": []},
        {
            "title": "Permission required",
            "subject": {"type": "tool_call", "toolCall": {"toolCallId": "t", "title": 5}},
            "options": [],
        },
    ),
]


@pytest.mark.parametrize(("repair", "old", "new"), OLD)
def test_the_older_form_becomes_the_form_of_today(
    repair: Repair, old: dict[str, Any], new: dict[str, Any]
) -> None:
    """SEE-07, SEE-08"""
    assert repair(old) == DRAFT
    assert old == new


@pytest.mark.parametrize(("repair", "old", "new"), OLD)
def test_the_form_of_today_is_left_alone(
    repair: Repair, old: dict[str, Any], new: dict[str, Any]
) -> None:
    before = repr(new)
    assert repair(new) is None
    assert repr(new) == before


STRANGE: list[Any] = [None, 5, "x", [], {}, [5], [[]], [{}], {"type": "diff"}]


@pytest.mark.parametrize("strange", STRANGE)
@pytest.mark.parametrize(
    "kind",
    [
        "plan_update",
        "config_option_update",
        "available_commands_update",
        "tool_call_update",
        "tool_call_content_chunk",
        "future",
        None,
    ],
)
def test_nothing_strange_breaks_a_repair(kind: Any, strange: Any) -> None:
    for member in ("plan", "configOptions", "availableCommands", "content", "capabilities"):
        members = {"update": {"sessionUpdate": kind, member: strange}}
        assert repair_update(members) in (DRAFT, None)
        assert repair_capabilities(members) in (MALFORMED, None)
    for repair in (
        repair_setup,
        repair_logins,
        repair_permission,
        repair_update,
        repair_capabilities,
        repair_option_value,
    ):
        for member in ("configOptions", "authMethods", "toolCall", "update", "value"):
            assert repair({member: strange}) in (DRAFT, MALFORMED, None)


@pytest.mark.parametrize(
    ("members", "expected"),
    [({}, {}), ({"capabilities": {}}, {"capabilities": {}})],
)
def test_sound_controls_are_left_alone(members: Any, expected: Any) -> None:
    params = update("tool_call_update", **members)
    assert repair_capabilities(params) is None
    assert params == update("tool_call_update", **expected)


@pytest.mark.parametrize("value", [None, 5, True, "x", []])
def test_malformed_controls_are_none(value: Any) -> None:
    """V2-TCX-05"""
    params = update("tool_call_update", capabilities=value)
    repair_capabilities(params)
    assert params["update"]["capabilities"] is None


def test_the_older_methods_have_a_name_of_today() -> None:
    assert ALIASES == {
        "authenticate": "auth/login",
        "logout": "auth/logout",
        "session/load": "session/resume",
    }


@pytest.mark.parametrize(
    "item",
    [
        {"type": "diff", "path": "/x"},
        {"type": "diff", "newText": "x"},
        {"type": "diff", "changes": [], "newText": "x", "path": "/x"},
        {"type": "content", "path": "/x", "newText": "x"},
    ],
)
def test_what_is_no_older_diff_is_left_alone(item: dict[str, Any]) -> None:
    params = update("tool_call_update", content=[item])
    assert repair_update(params) is None
