"""Where items stand, which message a chunk continues, and how it is all made again."""

import pytest

from parley.session.change import Change
from parley.session.content import ContentItem, Text
from parley.session.event import (
    ChunkAdded,
    CompactionChanged,
    CompactionSummaryAdded,
    Event,
    MessageChanged,
    SessionMessageChanged,
    SessionMessageChunkAdded,
    Speaker,
    StateChanged,
    ToolCallChanged,
    ToolContentAdded,
)
from parley.session.message import Message
from parley.session.state import SessionState

RUNNING, IDLE = StateChanged("running"), StateChanged("idle", "end_turn")


def said(text: str, id: str | None = None, speaker: Speaker = "agent") -> ChunkAdded:
    return ChunkAdded(speaker, Text(text), id)


def after(*events: Event) -> SessionState:
    return SessionState.from_events(events)


def messages(*events: Event) -> list[tuple[str, str]]:
    found = (item for item in after(*events).transcript if isinstance(item, Message))
    return [(item.key, item.text) for item in found]


def test_chunks_of_one_id_make_one_message_even_when_they_interleave() -> None:
    assert messages(said("a", "m1"), said("x", "m2"), said("b", "m1"), said("y", "m2")) == [
        ("agent:m1", "ab"),
        ("agent:m2", "xy"),
    ]


def test_v2_msg_02_the_same_id_of_another_speaker_is_another_message() -> None:
    events = [said(who, "m1", who) for who in ("user", "agent", "thought")]
    assert messages(*events, *events) == [
        ("user:m1", "useruser"),
        ("agent:m1", "agentagent"),
        ("thought:m1", "thoughtthought"),
    ]


def test_v1_prm_09_ids_are_compared_as_they_are() -> None:
    keys = [key for key, _ in messages(*(said("x", id) for id in ("1", "01", "１", "", " 1")))]  # noqa: RUF001 - a full-width digit is another id.
    assert len(set(keys)) == 5


def test_v1_prm_08_consecutive_chunks_without_an_id_are_one_message() -> None:
    assert messages(said("a"), said("b"), said("c")) == [("agent#1", "abc")]


@pytest.mark.parametrize(
    "between",
    [
        said("hm", speaker="thought"),
        said("go on", speaker="user"),
        said("go on", "m1", "user"),
        MessageChanged("user", "m1"),
        ToolCallChanged("t1"),
        ToolContentAdded("t1", ContentItem(Text("x"))),
        CompactionChanged("c1", "in_progress"),
        CompactionSummaryAdded("c1", Text("x")),
        SessionMessageChanged("s1"),
        SessionMessageChunkAdded("s1", Text("x")),
        IDLE,
        RUNNING,
    ],
    ids=lambda event: type(event).__name__,
)
def test_what_splits_a_message_without_an_id(between: Event) -> None:
    found = [each for each in messages(said("a"), between, said("b")) if each[0][:6] == "agent#"]
    assert found == [("agent#1", "a"), ("agent#2", "b")]


@pytest.mark.parametrize(
    "between",
    [
        ToolCallChanged("t0", status="completed"),
        ToolContentAdded("t0", ContentItem(Text("x"))),
        CompactionChanged("c0", "completed"),
        SessionMessageChunkAdded("s0", Text("x")),
        StateChanged("requires_action"),
        StateChanged("running"),
    ],
    ids=lambda event: type(event).__name__,
)
def test_what_does_not_split_a_message_without_an_id(between: Event) -> None:
    before = (
        RUNNING,
        ToolCallChanged("t0"),
        CompactionChanged("c0", "in_progress"),
        SessionMessageChanged("s0"),
    )
    assert messages(*before, said("a"), between, said("b")) == [("agent#1", "ab")]


def test_a_chunk_without_an_id_joins_the_open_message_of_its_speaker() -> None:
    assert messages(said("a", "m1"), said("b")) == [("agent:m1", "ab")]
    assert messages(MessageChanged("agent", "m1"), said("b")) == [("agent:m1", "b")]


def test_a_chunk_with_an_id_never_joins_a_message_without_one() -> None:
    assert messages(said("a"), said("b", "m1"), said("c")) == [("agent#1", "a"), ("agent:m1", "bc")]


def test_an_item_keeps_the_place_where_it_was_first_seen() -> None:
    state = after(
        said("a", "m1"),
        ToolCallChanged("t1"),
        said("b", "m2"),
        CompactionChanged("c1", "in_progress"),
        SessionMessageChanged("s1"),
        ToolCallChanged("t1", status="completed"),
        MessageChanged("agent", "m1", (Text("new"),)),
        CompactionChanged("c1", "completed"),
    )
    assert list(state.transcript) == [
        state.messages["agent:m1"],
        state.tool_calls["t1"],
        state.messages["agent:m2"],
        state.compactions["c1"],
        state.session_messages["s1"],
    ]


@pytest.mark.parametrize(
    ("event", "kind", "id"),
    [
        (said("a", "m1"), "message", "agent:m1"),
        (MessageChanged("user", "m1"), "message", "user:m1"),
        (ToolCallChanged("t1"), "tool_call", "t1"),
        (ToolContentAdded("t1", ContentItem(Text("x"))), "tool_call", "t1"),
        (CompactionChanged("c1", "completed"), "compaction", "c1"),
        (CompactionSummaryAdded("c1", Text("x")), "compaction", "c1"),
        (SessionMessageChanged("s1"), "session_message", "s1"),
        (SessionMessageChunkAdded("s1", Text("x")), "session_message", "s1"),
    ],
)
def test_an_event_names_the_item_and_whether_it_is_new(event: Event, kind: str, id: str) -> None:
    state = SessionState()
    assert state.apply(event) == Change(kind, id, created=True)
    assert state.apply(event) == Change(kind, id)
    assert len(state.transcript) == 1


def test_messages_without_an_id_are_counted_for_each_speaker() -> None:
    state = SessionState()
    changes = [state.apply(said("x", speaker=who)) for who in ("user", "agent", "user", "user")]
    assert changes == [
        Change("message", "user#1", created=True),
        Change("message", "agent#1", created=True),
        Change("message", "user#2", created=True),
        Change("message", "user#2"),
    ]


def test_v2_tc_05_a_chunk_of_an_unknown_tool_call_makes_it_with_defaults() -> None:
    call = after(ToolContentAdded("t1", ContentItem(Text("x")))).tool_calls["t1"]
    assert (call.status, call.kind, call.content) == ("pending", "other", (ContentItem(Text("x")),))


def test_v2_cmp_01_a_chunk_of_an_unknown_compaction_makes_one_in_progress() -> None:
    compaction = after(CompactionSummaryAdded("c1", Text("x"))).compactions["c1"]
    assert (compaction.status, compaction.summary.text) == ("in_progress", "x")


@pytest.mark.parametrize(
    ("events", "again"),
    [
        # Nothing to say.
        ([], []),
        # A whole turn: the border behind the last message is the report of idle.
        ([RUNNING, said("a"), said("b"), IDLE], [said("ab"), IDLE]),
        # A turn that goes on: its state comes before the message that can still grow.
        ([RUNNING, said("a"), said("b")], [RUNNING, said("ab")]),
        ([RUNNING, said("a", "m")], [RUNNING, MessageChanged("agent", "m", (Text("a"),))]),
        # Two turns of one speaker: a report of idle keeps them apart.
        (
            [said("a"), IDLE, RUNNING, said("b"), IDLE],
            [said("a"), StateChanged("idle"), said("b"), IDLE],
        ),
        ([said("a"), IDLE, said("b")], [said("a"), IDLE, said("b")]),
        # Speakers that take turns need nothing between them.
        ([said("a", speaker="user"), said("b")], [said("a", speaker="user"), said("b")]),
        # A closed message stays closed, and an earlier one that was touched last stays open.
        ([said("a"), StateChanged("idle")], [said("a"), StateChanged("idle")]),
        (
            [said("a", "m1"), said("b", "m2"), said("c", "m1")],
            [
                MessageChanged("agent", "m1", (Text("ac"),)),
                MessageChanged("agent", "m2", (Text("b"),)),
                MessageChanged("agent", "m1"),
            ],
        ),
        # The state stays behind the borders that come after the message that is open.
        (
            [said("a", "m"), IDLE, said("b"), RUNNING, said("c", "m")],
            [
                MessageChanged("agent", "m", (Text("ac"),)),
                StateChanged("idle"),
                said("b"),
                RUNNING,
                MessageChanged("agent", "m"),
            ],
        ),
        # A tool call closes by itself.
        (
            [said("a"), ToolCallChanged("t"), said("b")],
            [said("a"), ToolCallChanged("t"), said("b")],
        ),
    ],
)
def test_a_transcript_is_made_again_by_a_shortest_list(
    events: list[Event], again: list[Event]
) -> None:
    assert after(*events).events() == again
