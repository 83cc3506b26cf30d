"""Tool calls on their way to the client: what was reported adds up, what is sent is whole."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

import parley.schema.v1 as v1
from parley.protocol.v1.tool_call import ToolCalls, item_from, tool_call_from
from parley.schema.codec import decode, decode_strictly, encode
from parley.session.content import ContentItem, OtherItem, TerminalItem, Text
from parley.session.event import (
    Event,
    ExitStatus,
    TerminalChanged,
    TerminalOutputAdded,
    ToolCallChanged,
    ToolContentAdded,
)
from tests.session.strategies import EVENTS

HELLO = ContentItem(Text("hello"))
SHOWN = {"type": "content", "content": {"type": "text", "text": "hello"}}


class Told:
    def __init__(self) -> None:
        self.lost: list[str] = []
        self.calls = ToolCalls(lambda what, detail: self.lost.append(what))

    def __call__(self, event: Any) -> dict[str, Any]:
        if isinstance(event, ToolContentAdded):
            model = self.calls.added(event)
        else:
            model = self.calls.changed(event)
        return _plain(model)

    def terminal(self, event: Any) -> list[dict[str, Any]]:
        return [_plain(model) for model in self.calls.terminal_changed(event)]


def _plain(model: v1.SessionUpdate) -> dict[str, Any]:
    decode_strictly(v1.SessionUpdate, encode(model))
    return msgspec.json.decode(encode(model))


def test_the_first_report_creates_and_later_ones_update_v1_tc_01() -> None:
    told = Told()
    assert told(ToolCallChanged("t")) == {
        "sessionUpdate": "tool_call",
        "toolCallId": "t",
        "title": "Tool call",
    }
    assert told(ToolCallChanged("t", title="T")) == {
        "sessionUpdate": "tool_call_update",
        "toolCallId": "t",
        "title": "T",
    }
    assert told(ToolCallChanged("n", name="grep"))["title"] == "grep"
    assert told(ToolContentAdded("c", HELLO))["content"] == [SHOWN]
    assert told.calls.title("t") == "T"
    assert told.calls.title("nope") == "Tool call"
    assert told.calls.content("nope") == []
    assert told.lost == ["tool_call.title"] * 3


def test_added_content_is_sent_as_the_whole_list_v1_tc_04() -> None:
    told = Told()
    told(ToolCallChanged("t", title="T", content=(HELLO,)))
    assert told(ToolContentAdded("t", HELLO, {"m": 1}))["content"] == [SHOWN, SHOWN]
    assert told(ToolCallChanged("t", content=None))["content"] == []
    assert told.lost == ["tool_call.chunk_meta"]


@pytest.mark.parametrize(
    ("change", "sent", "lost"),
    [
        ({"kind": None}, {"kind": "other"}, []),
        ({"kind": "_odd"}, {"kind": "other"}, ["tool_call.kind"]),
        ({"kind": "read"}, {"kind": "read"}, []),
        ({"status": None}, {"status": "pending"}, []),
        ({"status": "completed"}, {"status": "completed"}, []),
        (
            {"status": "cancelled"},
            {"status": "failed", "_meta": {"acpBridge": {"status": "cancelled"}}},
            ["tool_call.status"],
        ),
        (
            {"status": "paused"},
            {"status": "in_progress", "_meta": {"acpBridge": {"status": "paused"}}},
            ["tool_call.status"],
        ),
        ({"title": None}, {}, ["tool_call.title"]),
        ({"name": None}, {}, ["tool_call.name"]),
        ({"raw_input": None}, {}, ["tool_call.raw_input"]),
        ({"raw_output": None}, {}, ["tool_call.raw_output"]),
        ({"raw_input": {"a": 1}, "raw_output": 5}, {"rawInput": {"a": 1}, "rawOutput": 5}, []),
        ({"locations": None}, {"locations": []}, []),
        ({"cancellable": True}, {}, ["tool_call.cancel"]),
        ({"cancellable": False}, {}, []),
        ({"meta": {"a": 1}}, {"_meta": {"a": 1}}, []),
        ({"meta": None}, {}, []),
    ],
)
def test_a_change_is_sent_as_the_value_it_leads_to(change: Any, sent: Any, lost: Any) -> None:
    told = Told()
    told(ToolCallChanged("t", title="T"))
    update = told(ToolCallChanged("t", **change))
    assert update == {"sessionUpdate": "tool_call_update", "toolCallId": "t", **sent}
    assert told.lost == lost


def test_meta_adds_up_and_cannot_be_cleared() -> None:
    told = Told()
    told(ToolCallChanged("t", title="T", meta={"a": 1}))
    assert told(ToolCallChanged("t", meta={"b": 2}))["_meta"] == {"a": 1, "b": 2}
    assert told(ToolCallChanged("t", meta={"a": None}))["_meta"] == {"b": 2}
    assert "_meta" not in told(ToolCallChanged("t", meta=None))
    assert told.lost == ["tool_call.meta"]


def test_content_of_finished_calls_is_forgotten_after_the_turn() -> None:
    told = Told()
    told(ToolCallChanged("t", title="T", status="completed", content=(HELLO,)))
    told(ToolCallChanged("u", title="U", content=(HELLO,)))
    told.calls.turn_ended()
    assert told(ToolContentAdded("u", HELLO))["content"] == [SHOWN, SHOWN]
    assert told(ToolContentAdded("t", HELLO))["content"] == [SHOWN]
    assert told(ToolCallChanged("t", title="V"))["sessionUpdate"] == "tool_call_update"
    assert told.lost == ["tool_call.content"]


# Terminals.


def _text(update: dict[str, Any]) -> str:
    return update["content"][-1]["content"]["text"]


def test_a_terminal_of_the_agent_is_shown_as_text() -> None:
    told = Told()
    assert told.terminal(TerminalChanged("x", command="make")) == []
    created = told(ToolCallChanged("t", title="T", content=(HELLO, TerminalItem("x"))))
    assert _text(created) == "```\n$ make\n\n```"
    (update,) = told.terminal(TerminalOutputAdded("x", b"first\n"))
    assert _text(update) == "```\n$ make\nfirst\n```"
    assert told.terminal(TerminalOutputAdded("x", b"second\n")) == []
    (update,) = told.terminal(TerminalChanged("x", exit=ExitStatus(0)))
    assert _text(update) == "```\n$ make\nfirst\nsecond\n```\nexit code 0"
    assert told.lost == ["terminal"]


def test_the_last_words_of_a_terminal_are_not_lost_with_its_call() -> None:
    told = Told()
    told(ToolCallChanged("t", title="T", content=(TerminalItem("x"),)))
    told.terminal(TerminalOutputAdded("x", b"first\n"))
    told.terminal(TerminalOutputAdded("x", b"last\n"))
    assert "last" in _text(told(ToolCallChanged("t", status="completed")))
    assert "content" not in told(ToolCallChanged("t", status="completed"))


def test_a_terminal_that_nothing_shows_is_lost() -> None:
    told = Told()
    told.terminal(TerminalOutputAdded("x", b"out"))
    assert told.lost == ["terminal"]
    told.terminal(TerminalChanged("x", exit=ExitStatus(0)))
    assert told.lost == ["terminal", "terminal.hidden"]
    told.calls.turn_ended()


def test_a_terminal_that_is_no_longer_shown_is_not_sent() -> None:
    told = Told()
    told(ToolCallChanged("t", title="T", content=(TerminalItem("x"),)))
    told(ToolCallChanged("t", content=(HELLO,)))
    assert told.terminal(TerminalOutputAdded("x", b"out")) == []


def test_a_terminal_that_runs_on_is_shown_after_the_turn() -> None:
    told = Told()
    told.terminal(TerminalChanged("x", command="serve"))
    item = TerminalItem("x")
    told(ToolCallChanged("t", title="T", status="completed", content=(item,)))
    told.calls.turn_ended()
    (update,) = told.terminal(TerminalOutputAdded("x", b"still here"))
    assert "still here" in _text(update)
    told.terminal(TerminalChanged("x", exit=ExitStatus(0)))
    told.calls.turn_ended()
    assert told.terminal(TerminalOutputAdded("x", b"?")) == []


def test_a_terminal_of_the_client_is_shown_as_one_v1_tc_08() -> None:
    told = Told()
    told.calls.client_terminals.add("x")
    update = told(ToolCallChanged("t", title="T", content=(TerminalItem("x", {"m": 1}),)))
    assert update["content"] == [{"type": "terminal", "terminalId": "x", "_meta": {"m": 1}}]
    assert told.lost == []


def test_an_item_nobody_knows_is_named_when_sent_and_kept_when_read() -> None:
    told = Told()
    update = told(ToolCallChanged("t", title="T", content=(OtherItem("_chart", {}),)))
    assert _text(update) == "[_chart]"
    assert told.lost == ["tool_call.item"]
    raw = {"type": "chart", "a": 1}
    assert item_from(decode(v1.ToolCallContent, encode(raw))) == OtherItem("chart", raw)
    terminal = v1.Terminal(terminal_id="x")
    assert item_from(terminal) == TerminalItem("x")


# Reading.


def test_null_changes_nothing_v1_tc_05_12() -> None:
    frame = (
        b'{"sessionUpdate":"tool_call_update","toolCallId":"t","title":null,"name":null,'
        b'"kind":null,"status":null,"content":null,"locations":null,"rawInput":null,"_meta":null}'
    )
    assert tool_call_from(decode(v1.ToolCallProgress, frame)) == ToolCallChanged("t")


@given(
    st.lists(
        st.one_of(
            EVENTS[ToolCallChanged],
            EVENTS[ToolContentAdded],
            EVENTS[TerminalChanged],
            EVENTS[TerminalOutputAdded],
        ),
        max_size=12,
    )
)
def test_any_events_make_valid_updates_and_each_call_begins_once(events: list[Event]) -> None:
    told = Told()
    begun: set[str] = set()
    for event in events:
        if isinstance(event, TerminalChanged | TerminalOutputAdded):
            updates = told.terminal(event)
        else:
            updates = [told(event)]
        for update in updates:
            first = update["sessionUpdate"] == "tool_call"
            assert first == (update["toolCallId"] not in begun)
            begun.add(update["toolCallId"])


def test_what_is_asked_about_has_the_shape_of_an_update() -> None:
    told = Told()
    update = told.calls.update_for_asking(ToolCallChanged("t", title="T", name="n"))
    assert (update.title, update.name, update.content) == ("T", "n", UNSET)
