"""Messages on their way to a client that knows only chunks."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.protocol.v1.message import Chunk, Messages, remainder
from parley.session.content import Block, Image, Text
from parley.session.event import ChunkAdded, MessageChanged

IMAGE = Image("AA==", "image/png")


class Told:
    """A client that adds up what it is told, by id."""

    def __init__(self) -> None:
        self.lost: list[str] = []
        self.messages = Messages(lambda what, detail: self.lost.append(what))
        self.texts: dict[str, str] = {}
        self.chunks: list[Chunk] = []

    def change(self, content: Any, message_id: str = "m", **rest: Any) -> None:
        for chunk in self.messages.changed(MessageChanged("agent", message_id, content, **rest)):
            self._take(chunk)

    def add(self, text: str, message_id: str = "m") -> None:
        self._take(self.messages.chunk(ChunkAdded("agent", Text(text), message_id)))

    def _take(self, chunk: Chunk) -> None:
        self.chunks.append(chunk)
        assert isinstance(chunk.message_id, str)
        text = getattr(chunk.content, "text", "*")
        self.texts[chunk.message_id] = self.texts.get(chunk.message_id, "") + text


def test_a_message_that_was_not_sent_is_sent_block_by_block() -> None:
    told = Told()
    told.change((Text("a"), IMAGE, Text("b")), meta={"m": 1})
    assert told.texts == {"m": "a*b"}
    assert told.chunks[0].meta == {"m": 1}
    assert told.lost == ["message.meta"]


def test_a_message_that_grew_is_continued() -> None:
    told = Told()
    told.add("Hel")
    told.add("lo")
    told.change((Text("Hello, "), Text("world")))
    told.change((Text("Hello, world"), IMAGE))
    told.change((Text("Hello, world"), IMAGE))
    assert told.texts == {"m": "Hello, world*"}
    assert told.lost == []


def test_a_message_that_is_another_is_begun_again() -> None:
    told = Told()
    told.add("Hello")
    told.change((Text("Bye"),))
    told.change((Text("Bye!"),))
    told.change((IMAGE,))
    told.add("?")
    assert told.texts == {
        "m": "Hello",
        "m~1": "[replaces an earlier message]\n\nBye!",
        "m~2": "[replaces an earlier message]\n\n*?",
    }
    assert told.lost == ["message.replaced"] * 2


@pytest.mark.parametrize("content", [None, ()])
def test_a_message_that_was_sent_cannot_be_cleared(content: Any) -> None:
    told = Told()
    told.change(content)
    assert told.lost == ["message.empty"]
    told.add("x")
    told.change(content)
    assert told.lost[1:] == ["message.cleared"]
    assert told.texts == {"m": "x"}


def test_what_cannot_be_sent_by_itself_is_lost() -> None:
    told = Told()
    told.messages.changed(MessageChanged("agent", "m"))
    assert told.lost == ["message.empty"]
    told.add("x")
    told.messages.changed(MessageChanged("agent", "m", meta={"a": 1}))
    assert told.lost[1:] == ["message.meta"]


def test_one_id_of_two_speakers_becomes_two() -> None:
    messages = Messages(lambda what, detail: None)
    ids = [
        messages.chunk(ChunkAdded(speaker, Text("x"), "m")).message_id
        for speaker in ("user", "agent", "thought", "agent")
    ]
    assert ids == ["m", "a:m", "t:m", "a:m"]


def test_after_the_turn_only_the_ids_are_remembered() -> None:
    told = Told()
    told.add("x")
    told.messages.turn_ended()
    told.add("y")
    told.change((Text("xy"),))
    assert told.lost == ["message.replaced"]
    assert told.texts["m"] == "xy"


texts = st.lists(st.text(max_size=3).map(Text) | st.just(IMAGE), max_size=5)


@given(texts, texts)
def test_a_remainder_is_what_is_missing(sent: list[Block], more: list[Block]) -> None:
    rest = remainder(sent, [*sent, *more])
    assert rest is not None
    assert _said([*sent, *rest]) == _said([*sent, *more])


@given(texts, texts)
def test_there_is_a_remainder_only_behind_a_beginning(
    sent: list[Block], whole: list[Block]
) -> None:
    rest = remainder(sent, whole)
    if rest is not None:
        assert _said([*sent, *rest]) == _said(whole)


def _said(blocks: list[Block]) -> str:
    return "".join(block.text if isinstance(block, Text) else "*" for block in blocks)
