"""Values of updates that say less than they seem to: lists of work, lines of places."""

import json
from typing import Any

import pytest

from parley.protocol.v2.updates import Incoming
from parley.schema import v2
from parley.schema.codec import decode
from parley.session.content import Location
from parley.session.event import BackgroundWork, Event, StateChanged, ToolCallChanged


def read(update: dict[str, Any]) -> list[Event]:
    model = decode(v2.SessionUpdate, json.dumps(update).encode())
    return list(Incoming(lambda *_: None).events_from(model))


@pytest.mark.parametrize(
    ("members", "background"),
    [
        ({}, None),
        ({"background": None}, None),
        ({"background": 5}, None),
        ({"background": {"type": "terminal"}}, None),
        ({"background": []}, ()),
        (
            {"background": [{"type": "terminal", "terminalId": "x"}]},
            (BackgroundWork("terminal", "x"),),
        ),
    ],
)
def test_work_in_the_background_is_reported_or_not_or_none(members: Any, background: Any) -> None:
    """V2-BGW-02"""
    update = {"sessionUpdate": "state_update", "state": "running", **members}
    assert read(update) == [StateChanged("running", background=background)]


def test_work_of_an_unknown_kind_is_work_all_the_same() -> None:
    """V2-BGW-05"""
    work = {"type": "_job", "id": "7"}
    update = {"sessionUpdate": "state_update", "state": "idle", "background": [work]}
    assert read(update) == [StateChanged("idle", background=(BackgroundWork("_job", "7", work),))]


@pytest.mark.parametrize(("line", "read_as"), [(1, 1), (0, None), (-1, None), ("1", None)])
def test_lines_count_from_one_and_others_say_nothing(line: Any, read_as: int | None) -> None:
    """V2-TC-08"""
    update = {
        "sessionUpdate": "tool_call_update",
        "toolCallId": "t",
        "locations": [{"path": "/x", "line": line}],
    }
    assert read(update) == [ToolCallChanged("t", locations=(Location("/x", read_as),))]
