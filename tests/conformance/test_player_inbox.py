"""Frames become messages, and wait in the order they came."""

import pytest

from parley.conformance.player_inbox import Arrived, Inbox, read
from parley.rpc.transport import Incoming, Oversize


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (b'{"jsonrpc":"2.0","id":1,"method":"a","params":{"b":1}}',
         Arrived("request", "a", 1, {"b": 1})),
        (b'{"jsonrpc":"2.0","id":"x","method":"a"}', Arrived("request", "a", "x", {})),
        (b'{"jsonrpc":"2.0","method":"a","params":[1]}', Arrived("notification", "a", body=[1])),
        (b'{"jsonrpc":"2.0","id":1,"result":null}', Arrived("response", id=1)),
        (b'{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}',
         Arrived("response", error={"code": 1, "message": "m"})),
        (b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":[2]}}',
         Arrived("response", id=1, error={"code": 1, "message": "m", "data": [2]})),
        (b"nonsense", Arrived("none", "nonsense")),
        (b"[]", Arrived("none", "[]")),
        (Oversize(9, b"{", 5), Arrived("none", "9 bytes, over the limit of 5")),
        (b"  ", None),
    ],
)  # fmt: skip
def test_a_frame_becomes_a_message(frame: Incoming, expected: Arrived | None) -> None:
    assert read(frame) == expected


def test_messages_are_taken_by_what_they_are_and_otherwise_stay() -> None:
    inbox = Inbox()
    one, two = Arrived("request", "a", 1), Arrived("notification", "b")
    three, four = Arrived("response", id=7), Arrived("none", "junk")
    for message in (one, two, three, four):
        inbox.put(message)
    assert str(inbox) == "request `a`, notification `b`, an answer to 7, no message (junk)"
    assert inbox.take_first(lambda message: message.method == "b") == two
    assert inbox.take_first(lambda message: message.method == "b") is None
    assert inbox.take_requests(lambda message: message.method == "z") == []
    assert inbox.take_requests(lambda message: True) == [one]
    assert inbox.take_all() == [three, four]
    assert str(inbox) == "nothing"
