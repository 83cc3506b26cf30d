"""Each fault does what it is called."""

from typing import Any

import pytest

from parley.conformance.faults import actions_of, wrong_id
from parley.conformance.player_action import Complain, Die, Disconnect, Freeze, Send
from parley.conformance.scenario import Close, Crash, Hang, InvalidJson, Noise, Raw, Stderr


@pytest.mark.parametrize(
    ("step", "actions"),
    [
        (Raw(text="é"), [Send("é".encode())]),
        (Raw(base64="/wA="), [Send(b"\xff\x00")]),
        (InvalidJson(), [Send(b'{"jsonrpc":"2.0","method":"session/upd')]),
        (Noise(text="one\ntwo"), [Send(b"one"), Send(b"two")]),
        (Stderr(text="oh", times=2), [Complain("oh"), Complain("oh")]),
        (Close(), [Disconnect("both")]),
        (Close(what="input"), [Disconnect("input")]),
        (Crash(status=3, stderr="bye"), [Die(3, "bye")]),
        (Hang(), [Freeze(True, None)]),
    ],
)
def test_a_fault_has_its_actions(step: Any, actions: list[Any]) -> None:
    assert list(actions_of(step)) == actions


def test_a_wrong_id_has_the_type_of_the_right_one() -> None:
    assert wrong_id(1) == 1_000_001
    assert wrong_id("a") == "a-wrong"
    assert wrong_id(None) == "None-wrong"
