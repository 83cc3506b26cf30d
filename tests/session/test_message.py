"""How chunks become content, and how replacements meet chunks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from parley.session.content import Annotations, Block, Image, Text
from parley.session.event import (
    ChunkAdded,
    CompactionChanged,
    CompactionSummaryAdded,
    MessageChanged,
    SessionMessageChanged,
    SessionMessageChunkAdded,
)
from parley.session.message import Compaction, Content, Message, SessionMessage
from tests.session.strategies import blocks, metas

PICTURE = Image("aGk=", "image/png")
NOTED = Text("noted", annotations=Annotations(priority=1.0))
MARKED = Text("marked", meta={"a": 1})


def _content(*added: Block) -> Content:
    content = Content()
    for block in added:
        content.add(block, None)
    return content


def test_text_joins_the_text_before_it() -> None:
    assert _content(Text("one "), Text("two")).blocks == (Text("one two"),)


@pytest.mark.parametrize("between", [PICTURE, NOTED, MARKED])
def test_what_is_more_than_text_stays_a_block_of_its_own(between: Block) -> None:
    content = _content(Text("a"), Text("b"), between, Text("c"), Text("d"))
    assert content.blocks == (Text("ab"), between, Text("cd"))


def test_the_text_of_all_blocks_is_read_in_order() -> None:
    content = _content(Text("a"), PICTURE, NOTED, Text("b"))
    assert content.text == "anotedb"
    assert content.text is content.text


def test_reading_between_chunks_changes_nothing() -> None:
    content = Content()
    seen: list[str] = []
    for letter in "abc":
        content.add(Text(letter), None)
        seen.append(content.text)
    assert seen == ["a", "ab", "abc"]
    assert content.blocks == (Text("abc"),)
    assert content.blocks is content.blocks


def test_text_joins_the_last_block_of_a_replacement() -> None:
    content = _content(Text("gone"))
    content.replace((Text("new"), Text(" and")))
    content.add(Text(" more"), None)
    assert content.blocks == (Text("new"), Text(" and more"))


def test_chunks_with_the_same_meta_join_and_others_do_not() -> None:
    content = Content()
    told = [("a", None), ("b", {"k": 1}), ("c", {"k": 1}), ("d", {"k": 2}), ("e", {}), ("f", None)]
    for text, meta in told:
        content.add(Text(text), meta)
    assert content.parts == [
        (Text("a"), None),
        (Text("bc"), {"k": 1}),
        (Text("d"), {"k": 2}),
        (Text("ef"), None),
    ]


def test_a_replacement_forgets_the_meta_of_the_chunks_before_it() -> None:
    content = Content()
    content.add(Text("a"), {"k": 1})
    content.replace((Text("b"),))
    assert content.parts == [(Text("b"), None)]


def test_comparing_does_not_see_how_text_was_cut() -> None:
    whole, cut, replaced = (
        _content(Text("abc")),
        _content(Text("a"), Text(""), Text("bc")),
        Content(),
    )
    replaced.replace((Text("ab"), Text("c"), Text("", meta={})))
    assert whole.facts() == cut.facts() == replaced.facts() == [{"block": Text("abc")}]


def test_empty_text_counts_as_nothing_unless_its_chunk_says_something() -> None:
    assert _content(Text(""), PICTURE, Text("")).facts() == [{"block": PICTURE}]
    content = Content()
    content.add(Text(""), {"k": 1})
    assert content.facts() == [{"block": Text(""), "chunk_meta": {"k": 1}}]


@given(st.lists(st.tuples(blocks, metas)))
def test_no_block_is_lost_and_no_text_changes(added: list[tuple[Block, dict[str, object]]]) -> None:
    content = Content()
    for block, meta in added:
        content.add(block, meta)
    text = "".join(block.text for block, _ in added if isinstance(block, Text))
    others = [block for block, _ in added if not isinstance(block, Text)]
    assert content.text == text
    assert [block for block in content.blocks if not isinstance(block, Text)] == others


@pytest.mark.parametrize(
    ("content", "after"),
    [
        (UNSET, (Text("old"),)),
        (None, ()),
        ((), ()),
        ((Text("new"), PICTURE), (Text("new"), PICTURE)),
    ],
)
def test_v2_msg_04_omitted_keeps_null_and_empty_clear_and_an_array_replaces(
    content: tuple[Block, ...] | None, after: tuple[Block, ...]
) -> None:
    message = Message("agent:m", "agent", "m")
    message.content.add(Text("old"), None)
    message.change(MessageChanged("agent", "m", content))
    assert message.blocks == after


def test_ext_15_the_meta_of_a_chunk_does_not_touch_the_meta_of_the_message() -> None:
    message = Message("agent:m", "agent", "m")
    message.change(MessageChanged("agent", "m", meta={"a": 1}))
    message.content.add(Text("x"), {"a": 2, "b": 3})
    assert message.meta == {"a": 1}


def test_a_message_with_an_id_is_made_again_by_one_event() -> None:
    message = Message("agent:m", "agent", "m", meta={"a": 1})
    message.content.replace((Text("a"), Text("b"), PICTURE))
    content = (Text("a"), Text("b"), PICTURE)
    assert message.events() == [MessageChanged("agent", "m", content, {"a": 1})]


def test_an_empty_message_is_made_again_empty() -> None:
    assert Message("agent:m", "agent", "m").events() == [MessageChanged("agent", "m")]


def test_what_came_with_its_own_meta_is_made_again_by_chunks() -> None:
    message = Message("user:m", "user", "m")
    for text, meta in [("a", None), ("b", {"k": 1}), ("c", None)]:
        message.content.add(Text(text), meta)
    assert message.events() == [
        MessageChanged("user", "m", (Text("a"),)),
        ChunkAdded("user", Text("b"), "m", {"k": 1}),
        ChunkAdded("user", Text("c"), "m"),
    ]


def test_chunks_that_make_a_message_by_themselves_are_enough() -> None:
    message = Message("user:m", "user", "m")
    message.content.add(Text("a"), {"k": 1})
    chunk = ChunkAdded("user", Text("a"), "m", {"k": 1})
    assert message.events() == [chunk]
    message.meta = {"a": 1}
    assert message.events() == [MessageChanged("user", "m", meta={"a": 1}), chunk]


def test_a_message_without_an_id_is_made_again_by_its_blocks() -> None:
    message = Message("agent#1", "agent", None)
    for block in (Text("a"), Text("b"), PICTURE):
        message.content.add(block, None)
    assert message.events() == [ChunkAdded("agent", Text("ab")), ChunkAdded("agent", PICTURE)]


def test_a_compaction_takes_its_status_and_keeps_what_is_not_mentioned() -> None:
    compaction = Compaction("c")
    assert compaction.status == "in_progress"
    compaction.summary.add(Text("short"), None)
    compaction.change(CompactionChanged("c", "failed", error="no room", meta={"a": 1}))
    assert (compaction.status, compaction.error, compaction.meta) == ("failed", "no room", {"a": 1})
    assert compaction.summary.text == "short"
    compaction.change(CompactionChanged("c", "completed", summary=None, error=None, meta=None))
    assert compaction.events() == [CompactionChanged("c", "completed")]


def test_a_compaction_is_made_again_with_its_chunks() -> None:
    compaction = Compaction("c")
    compaction.summary.add(Text("a"), {"k": 1})
    chunk = CompactionSummaryAdded("c", Text("a"), {"k": 1})
    assert compaction.events() == [chunk]
    compaction.change(CompactionChanged("c", "completed"))
    assert compaction.events() == [CompactionChanged("c", "completed"), chunk]


FULL = SessionMessageChanged("m", "s1", "s2", "m1", "m2", (Text("hi"),), {"a": 1})


def test_a_session_message_keeps_what_is_omitted() -> None:
    message = SessionMessage("m")
    message.change(FULL)
    message.change(SessionMessageChanged("m"))
    assert message.events() == [FULL]


def test_a_session_message_forgets_what_is_null() -> None:
    message = SessionMessage("m")
    message.change(FULL)
    message.change(SessionMessageChanged("m", None, None, None, None, None, None))
    assert message.events() == [SessionMessageChanged("m")]


def test_a_session_message_is_made_again_with_its_chunks() -> None:
    message = SessionMessage("m")
    message.content.add(Text("a"), {"k": 1})
    chunk = SessionMessageChunkAdded("m", Text("a"), {"k": 1})
    assert message.events() == [chunk]
    message.change(SessionMessageChanged("m", "s1"))
    assert message.events() == [SessionMessageChanged("m", "s1"), chunk]
