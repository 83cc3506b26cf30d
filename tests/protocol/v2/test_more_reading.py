"""Lists of work and lines of places, as updates say them and as they are read."""

import json
from typing import Any

import pytest

from parley.protocol.v2.updates import Incoming, Outgoing
from parley.schema import v2
from parley.schema.codec import decode, encode
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


def test_each_piece_of_background_work_is_listed_once() -> None:
    """V2-BGW-04"""
    jobs = [("terminal", "x"), ("tool_call", "x"), ("terminal", "x"), ("terminal", "y")]
    work = tuple(BackgroundWork(kind, id) for kind, id in jobs)
    (update,) = Outgoing(lambda *_: None).updates_for(StateChanged("running", background=work))
    assert json.loads(encode(update))["background"] == [
        {"type": "terminal", "terminalId": "x"},
        {"type": "tool_call", "toolCallId": "x"},
        {"type": "terminal", "terminalId": "y"},
    ]
