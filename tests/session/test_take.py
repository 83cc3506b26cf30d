"""`SessionState.take`: the same state as `apply`, joined when somebody looks."""

from hypothesis import given
from hypothesis import strategies as st

from parley.session.content import Text
from parley.session.event import ChunkAdded, Event, ToolCallChanged
from parley.session.state import SessionState
from tests.session import strategies as some


@given(st.lists(some.events | some.unnamed_text_chunks, max_size=25))
def test_taking_events_leads_to_the_state_that_applying_them_leads_to(events: list[Event]) -> None:
    taken = SessionState()
    for event in events:
        taken.take(event)
    assert taken.snapshot() == SessionState.from_events(events).snapshot()


@given(st.lists(some.events | some.unnamed_text_chunks, max_size=10))
def test_looking_in_between_changes_nothing(events: list[Event]) -> None:
    looked, taken = SessionState(), SessionState()
    for event in events:
        looked.take(event)
        assert len(looked.transcript) == len(looked.transcript)
        taken.take(event)
    assert looked.snapshot() == taken.snapshot()


def test_text_is_there_when_somebody_looks() -> None:
    state = SessionState()
    for text in ("a", "b", "c"):
        state.take(ChunkAdded("agent", Text(text), "m"))
    assert state.messages["agent:m"].text == "abc"
    state.take(ChunkAdded("agent", Text("d"), "m"))
    state.take(ToolCallChanged("t"))
    assert [type(item).__name__ for item in state.transcript] == ["Message", "ToolCall"]
    assert state.messages["agent:m"].text == "abcd"
