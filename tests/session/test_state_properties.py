"""What holds for every list of events, whatever it says."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from parley.session.content import Text
from parley.session.event import (
    ChunkAdded,
    Event,
    MessageChanged,
    TerminalOutputAdded,
    ToolCallChanged,
)
from parley.session.message import Message
from parley.session.state import SessionState
from tests.session.strategies import (
    event_lists,
    events,
    side_events,
    texts,
    transcript_events,
    unnamed_text_chunks,
)


def after(told: list[Event]) -> SessionState:
    return SessionState.from_events(told)


@given(event_lists)
def test_no_list_of_events_raises_and_each_event_names_what_is_there(told: list[Event]) -> None:
    state = SessionState()
    for event in told:
        change = state.apply(event)
        holders: dict[str, Any] = {
            "message": state.messages,
            "tool_call": state.tool_calls,
            "terminal": state.terminals,
            "compaction": state.compactions,
            "subagent": state.subagents,
            "session_message": state.session_messages,
        }
        assert change.id in holders.get(change.kind, [change.id])


@given(event_lists)
def test_an_event_changes_only_the_part_it_names(told: list[Event]) -> None:
    parts = {
        "message": "transcript",
        "tool_call": "transcript",
        "compaction": "transcript",
        "session_message": "transcript",
        "terminal": "terminals",
        "plan": "plans",
        "subagent": "subagents",
        "other": "others",
        "state": "run",
    }
    state = SessionState()
    before = state.snapshot()
    for event in told:
        kind = state.apply(event).kind
        now = state.snapshot()
        changed = {name for name in now if now[name] != before[name]}
        assert changed <= {parts.get(kind, kind)}
        before = now


@given(event_lists)
def test_what_is_made_again_is_equal(told: list[Event]) -> None:
    state = after(told)
    again = SessionState.from_events(state.events())
    assert again.snapshot() == state.snapshot()
    assert again.events() == state.events()
    assert list(again.messages) == list(state.messages)


@given(event_lists, event_lists)
def test_what_is_made_again_goes_on_equally(told: list[Event], later: list[Event]) -> None:
    live = after(told + later)
    resumed = SessionState.from_events(after(told).events() + later)
    assert resumed.snapshot() == live.snapshot()


@given(st.lists(unnamed_text_chunks | events, max_size=25))
def test_rebuilding_needs_at_most_two_events_more_than_there_were(told: list[Event]) -> None:
    assert len(after(told).events()) <= len(told) + 2


@given(event_lists, st.data())
def test_it_does_not_matter_how_text_and_output_are_cut(
    told: list[Event], data: st.DataObject
) -> None:
    cut: list[Event] = []
    for event in told:
        cut.extend(_cut(event, data))
    assert after(cut).snapshot() == after(told).snapshot()


@given(st.lists(transcript_events, max_size=12), st.lists(side_events, max_size=12), st.data())
def test_what_has_no_place_in_the_transcript_may_come_at_any_time(
    inside: list[Event], beside: list[Event], data: st.DataObject
) -> None:
    mixed: list[Event] = []
    first, second = list(inside), list(beside)
    while first and second:
        mixed.append((first if data.draw(st.booleans()) else second).pop(0))
    mixed += first + second
    assert after(mixed).snapshot() == after(inside + beside).snapshot()


_named_events = st.one_of(
    st.builds(
        ChunkAdded,
        st.sampled_from(["user", "agent"]),
        st.builds(Text, texts),
        st.sampled_from(["m1", "m2"]),
    ),
    st.builds(
        MessageChanged,
        st.sampled_from(["user", "agent"]),
        st.sampled_from(["m1", "m2"]),
        st.none() | st.builds(Text, texts).map(lambda text: (text,)),
    ),
)


@given(st.lists(_named_events))
def test_v2_msg_05_the_order_of_receipt_is_the_order_of_application(told: list[Event]) -> None:
    expected: dict[str, str] = {}
    for event in told:
        match event:
            case ChunkAdded(speaker, Text(text), message_id):
                key = f"{speaker}:{message_id}"
                expected[key] = expected.get(key, "") + text
            case MessageChanged(speaker, message_id, content):
                expected[f"{speaker}:{message_id}"] = "".join(
                    block.text for block in content or () if isinstance(block, Text)
                )
    state = after(told)
    assert {key: message.text for key, message in state.messages.items()} == expected
    assert list(state.messages) == list(expected)


@settings(max_examples=50)
@given(event_lists)
def test_every_item_stands_once_in_the_transcript(told: list[Event]) -> None:
    state = after(told)
    by_name = [
        *state.messages.values(),
        *state.tool_calls.values(),
        *state.compactions.values(),
        *state.session_messages.values(),
    ]
    assert sorted(map(id, state.transcript)) == sorted(map(id, by_name))
    spoken = [item for item in state.transcript if isinstance(item, Message)]
    assert spoken == list(state.messages.values())


@given(event_lists)
def test_an_open_tool_call_is_one_whose_last_status_is_not_final(told: list[Event]) -> None:
    state = after(told)
    closing = [ToolCallChanged(call.id, status="cancelled") for call in state.open_tool_calls()]
    assert after(told + closing).open_tool_calls() == []


def _cut(event: Event, data: st.DataObject) -> list[Event]:
    """The same event in two pieces, where it is one that can be cut."""
    match event:
        case ChunkAdded(speaker, Text(text, None, None), message_id, meta):
            where = data.draw(st.integers(0, len(text)))
            pieces = (text[:where], text[where:])
            return [ChunkAdded(speaker, Text(piece), message_id, meta) for piece in pieces]
        case TerminalOutputAdded(id, output, meta):
            where = data.draw(st.integers(0, len(output)))
            pieces = (output[:where], output[where:])
            return [TerminalOutputAdded(id, piece, meta) for piece in pieces]
        case _:
            return [event]
