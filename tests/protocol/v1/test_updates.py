"""Events through both translations of version 1: what comes back, and what is lost on the way."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

import parley.schema.v1 as v1
from parley.protocol.v1.updates import Incoming, Outgoing
from parley.schema.codec import decode, decode_strictly, encode
from parley.session import event as neutral
from parley.session.content import Image, OtherBlock, Text
from parley.session.event import (
    ChunkAdded,
    CommandsChanged,
    CompactionChanged,
    CompactionSummaryAdded,
    Event,
    InfoChanged,
    MessageChanged,
    NoticeGiven,
    OptionsChanged,
    OtherHappened,
    PlanChanged,
    PlanRemoved,
    StateChanged,
    ToolCallChanged,
    UsageChanged,
)
from parley.session.option import Choice, PlanEntry, PlanFile, PlanItems, Select
from parley.session.profile import ClientCapabilities
from tests.session.strategies import EVENTS, event_lists, plain_texts, speakers

ALL = ClientCapabilities(
    boolean_options=True, notices=True, compaction=True, plans=True, subagents=True
)
NONE = ClientCapabilities()


class Wire:
    """Both translations with JSON between them."""

    def __init__(self, client: ClientCapabilities = ALL) -> None:
        self.lost: list[str] = []
        self.out = Outgoing(client, lambda what, detail: self.lost.append(what))
        self.back = Incoming()

    def kinds(self, event: Event) -> list[str]:
        return [str(type(u).__struct_config__.tag) for u in self.out.updates_for(event)]

    def __call__(self, event: Event) -> list[Event]:
        found: list[Event] = []
        for update in self.out.updates_for(event):
            note = v1.SessionNotification(session_id="s", update=update)
            model = decode_strictly(v1.SessionNotification, encode(note))
            found += self.back.events_from(model.update)
        return found


# What is plain comes back as it was.


@given(speakers, plain_texts, st.none() | st.sampled_from(["m1", "m2"]))
def test_a_chunk_of_text_comes_back_as_it_was(speaker: Any, text: Any, id_: str | None) -> None:
    event = ChunkAdded(speaker, text, id_)
    assert Wire()(event) == [event]


@pytest.mark.parametrize(
    "kind",
    [
        ChunkAdded,
        CompactionChanged,
        CompactionSummaryAdded,
        NoticeGiven,
        PlanRemoved,
        UsageChanged,
        neutral.SessionMessageChunkAdded,
        neutral.SessionMessageChanged,
    ],
    ids=lambda kind: kind.__name__,
)
def test_an_event_comes_back_as_it_was_unless_a_loss_was_told(kind: type) -> None:
    @given(EVENTS[kind])
    def holds(event: Event) -> None:
        wire = Wire()
        expected = event
        if isinstance(event, UsageChanged) and event.cost is None:
            expected = replace(event, cost=UNSET)  # Omitted and null are one in version 1.
        assert wire(event) == [expected] or wire.lost

    holds()


@settings(max_examples=200)
@given(event_lists, st.sampled_from([ALL, NONE]))
def test_any_events_make_valid_updates_for_any_client(events: list[Event], client: Any) -> None:
    wire = Wire(client)
    for event in events:
        wire(event)
        if isinstance(event, StateChanged) and event.state == "idle":
            wire.out.turn_ended()


@given(event_lists)
def test_a_client_that_advertised_nothing_is_sent_nothing_gated(events: list[Event]) -> None:
    wire = Wire(NONE)
    gated = {
        "notice",
        "compaction_update",
        "compaction_summary_chunk",
        "plan_update",
        "plan_removed",
        "subagent_update",
        "session_message",
        "session_message_chunk",
    }  # V1-NOT-01, V1-CMP-01, V1-U-02, V1-U-15
    for event in events:
        assert not gated & set(wire.kinds(event))
        if isinstance(event, OptionsChanged):
            (update, *_) = wire.out.updates_for(event)
            assert isinstance(update, v1.ConfigOptionUpdate)
            for option in update.config_options:
                assert isinstance(option, v1.SessionConfigSelect)  # V1-CFG-03


# What is projected.


def test_a_replaced_message_comes_back_as_chunks() -> None:
    event = MessageChanged("agent", "m", (Text("a"), Text("b")))
    assert Wire()(event) == [
        ChunkAdded("agent", Text("a"), "m"),
        ChunkAdded("agent", Text("b"), "m"),
    ]


def test_states_stay_at_home_and_background_is_lost() -> None:
    wire = Wire()
    assert wire(StateChanged("running")) == wire(StateChanged("idle", "end_turn")) == []
    assert wire.lost == []
    work = (neutral.BackgroundWork("terminal", "t"),)
    assert wire(StateChanged("idle", background=work)) == []
    assert wire.lost == ["state.background"]


def test_an_event_nobody_knows_is_not_sent() -> None:
    wire = Wire()
    assert wire(OtherHappened("_x", {"sessionUpdate": "_x"})) == []
    assert wire.lost == ["update.type"]


def test_notices_are_said_in_words_to_clients_that_know_none() -> None:
    wire = Wire(NONE)
    assert wire(NoticeGiven("Careful", "warning", "It is hot")) == [
        ChunkAdded("agent", Text("[warning] Careful\n\nIt is hot\n\n"))
    ]
    assert wire(NoticeGiven("Oh", "error")) == [ChunkAdded("agent", Text("[error] Oh\n\n"))]
    assert wire(NoticeGiven("Hm")) == []
    wire(ChunkAdded("agent", Text("So"), "m1"))
    assert wire(NoticeGiven("Oh", "error")) == [ChunkAdded("agent", Text("\n\n[error] Oh\n\n"))]
    assert wire.lost == ["notice"] * 4


def test_a_notice_always_has_a_title_v1_not_02() -> None:
    assert Wire()(NoticeGiven("")) == [NoticeGiven("Notice")]


def test_all_plans_are_one_list_for_clients_that_know_one_v1_pln_02() -> None:
    wire = Wire(NONE)
    items = PlanItems((PlanEntry("a"),))
    assert wire(PlanChanged("p", items, {"m": 1})) == [PlanChanged("main", items, {"m": 1})]
    both = PlanItems((PlanEntry("p: a"), PlanEntry("q: file:///b")))
    assert wire(PlanChanged("q", PlanFile("file:///b"))) == [PlanChanged("main", both)]
    (left,) = wire(PlanRemoved("p"))
    assert left == PlanChanged("main", PlanItems((PlanEntry("file:///b"),)))
    assert wire(PlanRemoved("p")) == []


def test_meta_of_a_session_adds_up() -> None:
    wire = Wire()
    assert wire(InfoChanged(title=None, meta={"a": 1})) == [InfoChanged(None, meta={"a": 1})]
    assert wire(InfoChanged(meta={"b": 2})) == [InfoChanged(meta={"a": 1, "b": 2})]
    assert wire(InfoChanged(updated_at="2026")) == [InfoChanged(updated_at="2026")]
    assert wire(InfoChanged(meta=None)) == [InfoChanged()]


# Options.

MODE = Select("m", "Mode", "a", (Choice("a", "A"), Choice("b", "B")), category="mode")
OTHER = replace(MODE, current="b")


def test_a_changed_mode_is_told_twice_and_heard_once_v1_mod_05() -> None:
    wire = Wire()
    wire.out.set_up((MODE,))
    assert wire.kinds(OptionsChanged((MODE,))) == ["config_option_update"]
    assert wire.kinds(OptionsChanged((OTHER,))) == ["config_option_update", "current_mode_update"]
    wire = Wire()
    assert wire(OptionsChanged((OTHER,), {"m": 1})) == [OptionsChanged((OTHER,), {"m": 1})]


def test_an_answer_with_a_list_leaves_only_the_mode_to_tell() -> None:
    out = Wire().out
    out.set_up((MODE,))
    assert out.answered((MODE,)) == ()
    (update,) = out.answered((OTHER,))
    assert update == v1.CurrentModeUpdate(current_mode_id="b")
    assert out.chosen((OTHER,)) == ()
    assert len(out.chosen((MODE,))) == 2


def test_a_mode_alone_changes_the_option() -> None:
    back = Incoming()
    update = v1.CurrentModeUpdate(current_mode_id="a", meta={"m": 1})
    option = Select("mode", "Mode", "a", (Choice("a", "a"),), category="mode")
    assert back.events_from(update) == (OptionsChanged((option,), {"m": 1}),)
    assert back.events_from(update) == ()


# Reading.


def test_an_unknown_update_is_kept_as_it_came_dec_09() -> None:
    raw = {"sessionUpdate": "future", "a": [1]}
    update = decode(v1.SessionUpdate, encode(raw))
    assert Incoming().events_from(update) == (OtherHappened("future", raw),)


def test_an_update_of_an_unknown_call_makes_one_v1_tc_06() -> None:
    back = Incoming()
    update = v1.ToolCallProgress(tool_call_id="t", status="in_progress")
    assert back.events_from(update) == (ToolCallChanged("t", status="in_progress"),)
    assert list(back.open_tools) == ["t"]


def test_calls_that_are_not_over_are_known_and_can_be_cancelled_v1_cnc_02() -> None:
    back = Incoming()
    for model in (
        v1.ToolCall(tool_call_id="a", title="A"),
        v1.ToolCall(tool_call_id="b", title="B", status="in_progress"),
        v1.ToolCall(tool_call_id="c", title="C", status="completed"),
        v1.ToolCallProgress(tool_call_id="c", title="still over"),
        v1.ToolCallProgress(tool_call_id="b", status="failed"),
    ):
        back.events_from(model)
    assert back.titles == {"a": "A", "b": "B", "c": "still over"}
    assert back.cancelled() == [ToolCallChanged("a", status="cancelled")]
    assert back.cancelled() == []


def test_compactions_keep_three_states_apart_v1_cmp_03() -> None:
    wire = Wire()
    for summary in (UNSET, None, (), (Text("x"),)):
        event = CompactionChanged("c", "in_progress", summary, error=None)
        assert wire(event) == [event]


def test_an_echo_is_heard_block_by_block_and_ends_at_the_first_difference() -> None:
    back = Incoming()
    image = Image("AA==", "image/png")
    back.expect_echo((Text("hello"), image))

    def heard(block: Any) -> int:
        return len(_user_chunk(back, block))

    assert [heard(Text("hel")), heard(Text("lo")), heard(image)] == [0, 0, 0]
    assert heard(image) == 1
    back.expect_echo((Text("hello"),))
    assert [heard(Text("bye")), heard(Text("hello"))] == [1, 1]


def _user_chunk(back: Incoming, block: Any) -> list[Event]:
    (update,) = Wire().out.updates_for(ChunkAdded("user", block))
    return list(back.events_from(update))


def test_chunks_of_odd_blocks_take_the_long_way() -> None:
    wire = Wire()
    assert wire(ChunkAdded("agent", OtherBlock("_x", {}))) == [ChunkAdded("agent", Text("[_x]"))]
    plain = replace(Text("x"), meta={"m": 1})
    event = ChunkAdded("thought", plain, "m", {"n": 2})
    assert wire(event) == [event]


def test_commands_replace_each_other_v1_cmd_02() -> None:
    assert Wire()(CommandsChanged(())) == [CommandsChanged(())]
