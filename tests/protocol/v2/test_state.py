"""What a session does: states, reasons, failures, background work."""

import json
from typing import Any

import pytest

from parley.protocol.v2.state import NO_DETAILS, state_from, state_model
from parley.schema import v2
from parley.schema.codec import decode, encode
from parley.session.event import BackgroundWork, Failure, StateChanged, TurnUsage

USAGE = TurnUsage(6, 1, 2, 3, 4, 5, {"m": 1})


def written(event: StateChanged, *, unstable: bool = True) -> tuple[dict[str, Any], list[str]]:
    losses: list[str] = []
    model = state_model(
        v2.StateUpdate, event, unstable=unstable, lose=lambda what, _: losses.append(what)
    )
    return json.loads(encode(model)), losses


def read(members: dict[str, Any]) -> StateChanged:
    return state_from(decode(v2.StateUpdate, json.dumps(members).encode()))


@pytest.mark.parametrize(
    "event",
    [
        StateChanged("running", meta={"m": 1}),
        StateChanged("idle"),
        StateChanged("idle", "refusal", usage=USAGE),
        StateChanged("idle", "error", Failure(-32000, "no", {"a": 1})),
        StateChanged("requires_action", background=()),
        StateChanged("_paused", background=(BackgroundWork("terminal", "t", meta={"m": 1}),)),
        StateChanged("unknown", background=(BackgroundWork("subagent", "s"),)),
    ],
)
def test_a_sound_state_comes_back_as_it_was(event: StateChanged) -> None:
    members, losses = written(event)
    assert read(members) == event
    assert losses == []


@pytest.mark.parametrize(
    ("event", "members"),
    [
        (StateChanged("running", "end_turn", NO_DETAILS, USAGE), {"state": "running"}),
        (
            StateChanged("idle", "end_turn", Failure(1, "x")),
            {"state": "idle", "stopReason": "end_turn"},
        ),
        (
            StateChanged("idle", "error", Failure(2**40, "x")),
            {
                "state": "idle",
                "stopReason": "error",
                "error": {"code": -32603, "message": "x"},
            },
        ),
    ],
)
def test_what_does_not_belong_to_a_state_is_not_sent(
    event: StateChanged, members: dict[str, Any]
) -> None:
    assert written(event) == (members, [])


@pytest.mark.parametrize(
    ("event", "members", "loss"),
    [
        (StateChanged("unknown"), {"state": "running"}, "state.unknown"),
        (StateChanged("idle", usage=USAGE), {"state": "idle"}, "state.usage"),
        (
            StateChanged("idle", background=(BackgroundWork("subagent", "s"),)),
            {"state": "idle", "background": []},
            "state.background",
        ),
    ],
)
def test_what_is_unstable_is_told_as_lost(
    event: StateChanged, members: dict[str, Any], loss: str
) -> None:
    assert written(event, unstable=False) == (members, [loss])


def test_each_piece_of_background_work_is_listed_once() -> None:
    """V2-BGW-04"""
    twice = (BackgroundWork("terminal", "t"), BackgroundWork("terminal", "t"))
    members, _ = written(StateChanged("idle", background=twice))
    assert members["background"] == [{"type": "terminal", "terminalId": "t"}]


@pytest.mark.parametrize(
    ("background", "work"),
    [
        (None, None),
        ([], ()),
        (5, None),
        ([5], None),  # V2-BGW-02
        ([{"type": "_job", "id": "j"}], ("_job", "j")),
        ([{"type": "_job"}], ("_job", "")),
    ],
)
def test_background_work_is_reported_or_not(background: Any, work: Any) -> None:
    """V2-BGW-02, V2-BGW-05"""
    found = read({"state": "idle", "background": background}).background
    if work and isinstance(work[0], str):
        assert found is not None
        assert [(each.kind, each.id) for each in found] == [work]
    else:
        assert found == work


@pytest.mark.parametrize(
    ("members", "event"),
    [
        ({"stopReason": 5}, StateChanged("idle")),
        ({"stopReason": None}, StateChanged("idle")),
        ({"stopReason": "error"}, StateChanged("idle", "error", NO_DETAILS)),
        ({"stopReason": "error", "error": 5}, StateChanged("idle", "error", NO_DETAILS)),
        ({"error": {"code": 1, "message": "x"}}, StateChanged("idle")),
    ],
)
def test_a_reason_that_cannot_be_read_was_not_reported(
    members: dict[str, Any], event: StateChanged
) -> None:
    """V2-PRM-11"""
    assert read({"state": "idle", **members}) == event


def test_work_without_members_is_named_by_its_id() -> None:
    members, _ = written(StateChanged("idle", background=(BackgroundWork("_job", "j"),)))
    assert members["background"] == [{"type": "_job", "id": "j"}]
