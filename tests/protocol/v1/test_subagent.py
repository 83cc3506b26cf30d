"""Sub-agents and messages between sessions, in version 1 and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import parley.schema.v1 as v1
from parley.protocol.v1.subagent import SubagentEvent, subagent_from, subagent_model
from parley.schema.codec import decode, encode
from parley.session.content import OtherBlock, Text
from parley.session.event import (
    BackgroundWork,
    SessionMessageChanged,
    SessionMessageChunkAdded,
    StateChanged,
    SubagentChanged,
)
from tests.session.strategies import EVENTS

MODELS: dict[type, type] = {
    SubagentChanged: v1.SubagentUpdate,
    SessionMessageChanged: v1.SessionMessage,
    SessionMessageChunkAdded: v1.SessionMessageChunk,
}


@pytest.mark.parametrize("kind", MODELS, ids=lambda kind: kind.__name__)
def test_an_event_comes_back_unless_something_was_lost(kind: type) -> None:
    @given(EVENTS[kind])
    def holds(event: SubagentEvent) -> None:
        lost: list[str] = []
        frame = encode(subagent_model(event, lambda what, detail: lost.append(what)))
        back = subagent_from(decode(MODELS[kind], frame))
        assert back == _projected(event) or lost

    holds()


def _projected(event: SubagentEvent) -> SubagentEvent:
    if isinstance(event, SubagentChanged) and isinstance(event.state, StateChanged):
        return replace(event, state=replace(event.state, background=None))
    return event


@given(st.booleans())
def test_work_in_the_background_is_lost(several: bool) -> None:
    lost: list[str] = []
    work = (BackgroundWork("terminal", "t"),) * (2 if several else 1)
    event = SubagentChanged("child", state=StateChanged("idle", background=work))
    model = subagent_model(event, lambda what, detail: lost.append(what))
    assert subagent_from(model) == SubagentChanged("child", state=StateChanged("idle"))
    assert lost == ["state.background"]


def test_a_block_nobody_knows_is_named() -> None:
    lost: list[str] = []
    event = SessionMessageChunkAdded("m", OtherBlock("_x", {}))
    model = subagent_model(event, lambda what, detail: lost.append(what))
    assert subagent_from(model) == SessionMessageChunkAdded("m", Text("[_x]"))
    assert lost == ["content.type"]
