"""Which report of rest ends the work on a prompt, whatever the order."""

from itertools import permutations

import pytest

from parley.protocol.v2.attribution import Attribution
from parley.session.event import StateChanged

RUNNING = StateChanged("running")
OLD_IDLE = StateChanged("idle", "end_turn", meta={"which": "old"})
IDLE = StateChanged("idle", "end_turn")


def played(steps: tuple[str, ...], *, was_idle: bool) -> Attribution:
    """A prompt and what was seen since: answer, echo, running, idle, old (an earlier rest)."""
    turn = Attribution(session_was_idle=was_idle)
    for step in steps:
        match step:
            case "answer":
                turn.accept("m")
            case "unnamed answer":
                turn.accept(None)
            case "echo":
                turn.echo("m")
            case "other echo":
                turn.echo("x")
            case "running" | "_paused":
                turn.report(StateChanged(step))
            case "old":
                turn.report(OLD_IDLE)
            case _:
                turn.report(IDLE)
    return turn


ORDERS = [
    order
    for order in permutations(("answer", "echo", "running", "idle"))
    if order.index("running") < order.index("idle")
]


LATE = ("running", "idle", "echo", "answer")
"""The only order that leaves it open whose rest it was; a further one is waited for."""


@pytest.mark.parametrize("order", ORDERS)
def test_a_turn_in_an_idle_session_ends_in_any_order(order: tuple[str, ...]) -> None:
    turn = played(order, was_idle=True)
    assert turn.ended == (None if order == LATE else IDLE)
    turn.report(RUNNING)
    turn.report(IDLE)
    assert turn.ended == IDLE


@pytest.mark.parametrize("order", ORDERS)
def test_a_rest_of_earlier_work_ends_nothing(order: tuple[str, ...]) -> None:
    with_echo = order.index("echo") < order.index("idle")
    behind_answer = order.index("answer") < order.index("running")
    turn = played(("old", *order), was_idle=False)
    assert turn.ended == (IDLE if with_echo or behind_answer else None)


@pytest.mark.parametrize(
    "steps",
    [
        (),
        ("answer",),
        ("answer", "echo"),
        ("answer", "echo", "running"),
        ("answer", "echo", "_paused"),
        ("echo", "running", "idle"),  # Not accepted yet.
        ("old", "answer", "echo"),
        ("running", "old", "echo", "answer", "running"),
        ("answer", "idle"),  # A snapshot before the work began.
        ("answer", "other echo", "idle"),
    ],
)
def test_the_turn_goes_on(steps: tuple[str, ...]) -> None:
    """V2-PRM-10, V2-PRM-20"""
    assert played(steps, was_idle=False).ended is None


@pytest.mark.parametrize(
    ("steps", "was_idle"),
    [
        (("answer", "running", "idle"), False),
        (("answer", "running", "idle"), True),
        (("running", "idle", "answer"), True),
        (("unnamed answer", "running", "idle"), False),
        (("unnamed answer", "echo", "running", "idle"), False),
        (("echo", "running", "idle", "unnamed answer"), False),
        (("unnamed answer", "echo", "other echo", "idle"), False),
        (("answer", "echo", "_paused", "idle"), False),
        (("answer", "echo", "idle", "idle", "old"), False),  # V2-PRM-12: the first one counts.
    ],
)
def test_the_turn_is_over(steps: tuple[str, ...], was_idle: bool) -> None:
    assert played(steps, was_idle=was_idle).ended == IDLE
