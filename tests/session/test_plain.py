"""Values of a session as plain JSON."""

import msgspec
from hypothesis import given
from msgspec import UNSET

from parley.session.content import Text
from parley.session.event import ChunkAdded, Event, TerminalOutputAdded, ToolCallChanged
from parley.session.option import PlanEntry
from parley.session.plain import plain
from tests.session import strategies as some


def test_every_member_is_written_out_with_the_tag() -> None:
    assert plain(ChunkAdded("agent", Text("hi"), "m")) == {
        "event": "chunk_added",
        "speaker": "agent",
        "content": {"type": "text", "text": "hi", "annotations": None, "meta": None},
        "message_id": "m",
        "meta": None,
    }


def test_what_says_nothing_is_left_out() -> None:
    changed = plain(ToolCallChanged("t", title=None, locations=()))
    assert changed == {"event": "tool_call_changed", "id": "t", "title": None, "locations": []}
    assert UNSET not in changed.values()


def test_bytes_are_base64() -> None:
    assert plain(TerminalOutputAdded("x", b"\xff"))["data"] == "/w=="


def test_a_default_and_an_equal_value_look_the_same() -> None:
    read = msgspec.json.decode(b'{"content":"a","status":"pending"}', type=PlanEntry)
    assert plain(read) == plain(PlanEntry("a"))


@given(some.events)
def test_what_is_equal_looks_equal(event: Event) -> None:
    again = msgspec.json.decode(msgspec.json.encode(event), type=type(event))
    assert plain(again) == plain(event)
