"""What is new in what an agent says."""

from parley.frontend.headless.said import Said, text_of
from parley.session.content import Audio, Image, Link, OtherBlock, Resource, Text
from parley.session.event import REPEATS_FAILURE, ChunkAdded, MessageChanged


def chunk(text: str, id_: str | None = None) -> ChunkAdded:
    return ChunkAdded("agent", Text(text), id_)


def whole(id_: str, *texts: str) -> MessageChanged:
    return MessageChanged("agent", id_, tuple(map(Text, texts)))


def test_chunks_are_taken_as_they_come() -> None:
    said = Said()
    assert "".join(map(said.chunk, [chunk("a"), chunk("b", "m"), chunk("c", "m")])) == "abc"


def test_what_only_repeats_the_failure_of_the_turn_is_not_said() -> None:
    said = Said()
    failure = ChunkAdded("agent", Text("\n\nno model"), "m", {REPEATS_FAILURE: True})
    assert [said.heard(each) for each in (chunk("a"), failure)] == ["a", ""]


def test_messages_have_a_blank_line_between_them_and_no_more() -> None:
    said = Said()
    texts = [chunk("a", "1"), chunk("b", "2"), chunk("c\n", "3"), chunk("d\n\n", "4")]
    assert "".join(map(said.chunk, [*texts, chunk("e", "5")])) == "a\n\nb\n\nc\n\nd\n\ne"


def test_behind_something_else_nothing_needs_to_be_set_apart() -> None:
    said = Said()
    assert said.chunk(chunk("a", "1")) == "a"
    said.pause()
    assert said.chunk(chunk("b", "2")) == "b"


def test_a_message_that_is_restated_is_not_shown_again() -> None:
    said = Said()
    said.chunk(chunk("hello ", "m"))
    said.chunk(chunk("wor", "m"))
    assert said.message(whole("m", "hello world")) == "ld"
    assert said.message(whole("m", "hello ", "world")) == ""


def test_a_message_that_comes_whole_is_shown_whole() -> None:
    said = Said()
    assert said.message(whole("m", "hello")) == "hello"
    assert said.message(whole("n", "again")) == "\n\nagain"


def test_a_message_that_is_replaced_by_another_text_is_shown_anew() -> None:
    said = Said()
    said.chunk(chunk("hello", "m"))
    assert said.message(whole("m", "goodbye")) == "\n\ngoodbye"


def test_a_change_that_says_nothing_of_the_content_adds_nothing() -> None:
    assert Said().message(MessageChanged("agent", "m")) == ""


def test_many_messages_are_not_all_remembered() -> None:
    said = Said()
    for number in range(200):
        said.chunk(chunk("x", str(number)))
    assert said.message(whole("199", "xy")) == "y"
    assert said.message(whole("0", "xy")) == "\n\nxy"


def test_what_is_no_text_is_named() -> None:
    blocks = (
        Link("file:///a", "a"),
        Resource("file:///b", "text"),
        Resource("file:///c", blob="AA==", mime_type="x/y"),
        Image("AAAA", "image/png"),
        Audio("AAAA", "audio/wav"),
        OtherBlock("hologram", {}),
    )
    assert list(map(text_of, blocks)) == [
        "a <file:///a>",
        "text",
        "[x/y: file:///c]",
        "[image/png, 3 bytes]",
        "[audio/wav, 3 bytes]",
        "[hologram]",
    ]
