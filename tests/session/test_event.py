"""Events are stored as JSON, so every one of them must come back as it was."""

from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.session.event import Event, ToolCallChanged
from tests.session.strategies import EVENTS


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
def test_an_event_comes_back_from_json_as_it_was(kind: type) -> None:
    @given(EVENTS[kind])
    def holds(event: Event) -> None:
        stored = msgspec.json.encode(event)
        assert msgspec.json.decode(stored, type=Event) == event
        assert msgspec.json.encode(msgspec.json.decode(stored, type=Event)) == stored

    holds()


def test_there_is_a_strategy_for_every_kind_of_event() -> None:
    assert set(EVENTS) == set(get_args(Event))


@given(st.data())
def test_a_strategy_makes_its_own_kind(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(list(EVENTS)))
    assert type(data.draw(EVENTS[kind])) is kind


@pytest.mark.parametrize(
    ("stored", "event"),
    [
        (b'{"event":"tool_call_changed","id":"t"}', ToolCallChanged("t")),
        (b'{"event":"tool_call_changed","id":"t","title":null}', ToolCallChanged("t", title=None)),
        (b'{"event":"tool_call_changed","id":"t","title":"x"}', ToolCallChanged("t", title="x")),
        (
            b'{"event":"tool_call_changed","id":"t","raw_input":null}',
            ToolCallChanged("t", raw_input=None),
        ),
    ],
)
def test_omitted_null_and_value_are_three_things_when_stored(stored: bytes, event: Event) -> None:
    assert msgspec.json.encode(event) == stored
    assert msgspec.json.decode(stored, type=Event) == event
