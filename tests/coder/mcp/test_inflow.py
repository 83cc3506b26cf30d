"""Which lines of a server are worth reading, and when it is too much."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.coder.mcp.inflow import (
    MOST_QUESTIONS,
    MOST_STRANGE,
    MOST_UNWANTED,
    Inflow,
    Misbehaved,
    Room,
)

LOG = b'{"jsonrpc":"2.0","method":"notifications/message","params":{}}'
CHANGED = b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'


def answer(id: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id, "result": {}}).encode()


def question(id: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": "ping"}).encode()


def inflow(*asked: int) -> Inflow:
    found = Inflow()
    for id in asked:
        found.asked(id)
    return found


def test_answers_that_somebody_waits_for_are_handed_on_once() -> None:
    flow = inflow(1, 2)
    assert flow.feed(answer(1) + b"\n" + answer(1) + b"\n" + answer(7) + b"\n") == [answer(1)]
    assert flow.feed(answer("2") + b"\n") == [answer("2")]


def test_what_nobody_wants_is_thrown_away() -> None:
    strange = [b"", b"  ", b"Listening on stdio", b"[1]", b"3", b'{"id":null}', b"{}", b"\xff"]
    unwanted = [LOG, answer(1.5), b'{"id":[]}', b"[" * 100_000, b'{"a":' * 100_000]
    text = b"".join(line + b"\n" for line in (*strange, *unwanted, CHANGED))
    assert inflow().feed(text) == [CHANGED]


def test_a_line_without_end_is_too_long() -> None:
    flow = Inflow(longest_line=10)
    assert flow.feed(b"x" * 10) == []
    with pytest.raises(Misbehaved, match="more than 10 bytes"):
        flow.feed(b"x")


def test_all_servers_together_hold_a_bounded_amount() -> None:
    room = Room(1_000_000)
    flows = [Inflow(room=room) for _ in range(5)]
    for flow in flows[:4]:
        flow.feed(b"x" * 240_000)
    with pytest.raises(Misbehaved, match="at the same time"):
        flows[4].feed(b"x" * 300_000)
    # A line of usual length is read nevertheless.
    assert flows[4].feed(b"x" * 100_000 + b"\n" + CHANGED + b"\n") == [CHANGED]
    for flow in flows:
        flow.close()
    assert room.held == 0


def test_a_line_of_the_longest_length_is_read() -> None:
    flow = Inflow(longest_line=len(CHANGED))
    assert flow.feed(CHANGED + b"\n") == [CHANGED]


def test_a_program_that_does_not_speak_the_protocol_is_given_up() -> None:
    flow = inflow(1)
    flow.feed(b"hello\n" * MOST_STRANGE)
    assert flow.feed(answer(1) + b"\n") == [answer(1)]
    flow.feed(b"hello\n" * MOST_STRANGE)
    with pytest.raises(Misbehaved, match="not the protocol"):
        flow.feed(b"hello\n")


def test_a_flood_of_messages_is_too_much() -> None:
    flow = inflow()
    large = b'{"method":"x","params":"' + b"y" * 1_000_000 + b'"}\n'
    for _ in range(MOST_UNWANTED // 1_000_100):
        flow.feed(large)
    with pytest.raises(Misbehaved, match="floods"):
        flow.feed(large * 2)


def test_a_server_may_ask_some_things_at_once_but_not_more() -> None:
    flow = inflow()
    for id in range(MOST_QUESTIONS):
        assert flow.feed(question(id) + b"\n") == [question(id)]
    flow.answered(0)
    flow.feed(question("a") + b"\n")
    with pytest.raises(Misbehaved, match="without waiting"):
        flow.feed(question("b") + b"\n")


@given(st.binary(max_size=300), st.lists(st.integers(0, 300), max_size=6))
def test_it_makes_no_difference_how_the_bytes_come(data: bytes, cuts: list[int]) -> None:
    text = data + b"\n" + answer(1) + b"\n" + CHANGED + b"\n" + data
    at = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    whole, parts = inflow(1), inflow(1)
    found = [line for a, b in pairwise(at) for line in parts.feed(text[a:b])]
    assert found == whole.feed(text)
