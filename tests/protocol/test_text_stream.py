"""A learned frame says what the usual way would have said, or there is none."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.protocol.text_stream import TextStream
from parley.protocol.v1.updates import Outgoing as OutgoingV1
from parley.protocol.v2.updates import Outgoing as OutgoingV2
from parley.rpc.message import notification_frame
from parley.schema import v1, v2
from parley.schema.codec import encode
from parley.session.content import Annotations, Image, Text
from parley.session.event import ChunkAdded
from parley.session.profile import ClientCapabilities

VERSIONS = [1, 2]


def _lose(what: str, detail: str) -> None: ...


def _sent(version: int, event: ChunkAdded) -> tuple[Any, Any]:
    """The notification and the update of a chunk, made the usual way."""
    if version == 1:
        (update,) = OutgoingV1(ClientCapabilities(), _lose).updates_for(event)
        return v1.SessionNotification(session_id='a "session"', update=update), update
    (update_2,) = OutgoingV2(_lose).updates_for(event)
    return v2.UpdateSessionNotification(session_id='a "session"', update=update_2), update_2


def _usual(version: int, event: ChunkAdded) -> bytes:
    sent, _ = _sent(version, event)
    return notification_frame(sent.METHOD, encode(sent))


def _learned(version: int, event: ChunkAdded) -> TextStream:
    stream = TextStream()
    for _ in range(2):
        stream.learn(event, *_sent(version, event))
    return stream


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("speaker", ["agent", "thought", "user"])
@given(first=st.text(), later=st.text(), message_id=st.text(min_size=1))
def test_a_learned_frame_is_the_usual_one(
    version: int, speaker: Any, first: str, later: str, message_id: str
) -> None:
    stream = _learned(version, ChunkAdded(speaker, Text(first), message_id))
    event = ChunkAdded(speaker, Text(later), message_id)
    frame = stream.frame(event)
    assert frame is not None
    assert json.loads(frame) == json.loads(_usual(version, event))
    assert b"\n" not in frame


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    "event",
    [
        ChunkAdded("agent", Text("x"), "other"),
        ChunkAdded("agent", Text("x")),
        ChunkAdded("thought", Text("x"), "m"),
        ChunkAdded("agent", Image("", "image/png"), "m"),
        ChunkAdded("agent", Text("x", meta={"a": 1}), "m"),
        ChunkAdded("agent", Text("x", Annotations(priority=1)), "m"),
        ChunkAdded("agent", Text("x"), "m", {"a": 1}),
    ],
)
def test_whatever_differs_in_more_than_its_text_takes_the_usual_way(
    version: int, event: ChunkAdded
) -> None:
    stream = _learned(version, ChunkAdded("agent", Text("x"), "m"))
    assert stream.frame(event) is None


@pytest.mark.parametrize("version", VERSIONS)
def test_one_chunk_alone_is_not_learned_and_neither_is_one_with_more_than_text(
    version: int,
) -> None:
    stream = TextStream()
    plain = ChunkAdded("agent", Text("x"), "m")
    assert stream.frame(plain) is None
    stream.learn(plain, *_sent(version, plain))
    assert stream.frame(plain) is None
    rich = ChunkAdded("agent", Text("x"), "m", {"a": 1})
    stream.learn(rich, *_sent(version, rich))
    assert stream.frame(plain) is None


@pytest.mark.parametrize("version", VERSIONS)
def test_chunks_without_an_id_are_never_learned(version: int) -> None:
    stream = _learned(version, ChunkAdded("agent", Text("x")))
    assert stream.frame(ChunkAdded("agent", Text("x"))) is None


@pytest.mark.parametrize("version", VERSIONS)
def test_what_was_learned_is_forgotten_when_something_else_happens(version: int) -> None:
    event = ChunkAdded("agent", Text("x"), "m")
    stream = _learned(version, event)
    assert stream.frame(event) is not None
    stream.forget()
    assert stream.frame(event) is None


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    "other", [ChunkAdded("thought", Text("x")), ChunkAdded("agent", Text("x"), "n")]
)
def test_what_was_learned_is_forgotten_when_another_chunk_went_the_usual_way(
    version: int, other: ChunkAdded
) -> None:
    event = ChunkAdded("agent", Text("x"), "m")
    stream = _learned(version, event)
    stream.learn(other, *_sent(version, other))
    assert stream.frame(event) is None
