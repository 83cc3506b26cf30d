"""Blocks and what tool calls show: the same after a round trip, or told as lost."""

import json
from typing import Any

import pytest
from hypothesis import given, settings

from parley.protocol.v2.content import (
    block_from,
    block_model,
    block_models,
    blocks_from,
    item_from,
    item_model,
    location_from,
    location_model,
)
from parley.schema import v2
from parley.schema.codec import decode, encode
from parley.session.content import (
    Annotations,
    Block,
    ContentItem,
    Icon,
    Image,
    Link,
    Location,
    OtherBlock,
    Resource,
    TerminalItem,
    Text,
)
from tests.session import strategies


def trip(block: Block, losses: list[str] | None = None) -> Block:
    found = [] if losses is None else losses
    data = encode(block_model(block, lambda what, _: found.append(what)))
    return block_from(decode(v2.ContentBlock, data))


@settings(max_examples=100, deadline=None)
@given(strategies.blocks)
def test_every_block_comes_back(block: Block) -> None:
    if isinstance(block, OtherBlock):
        block = OtherBlock(block.kind, {**block.raw, "type": block.kind})
    losses: list[str] = []
    assert trip(block, losses) == block
    assert losses == []


@pytest.mark.parametrize(
    ("block", "back", "loss"),
    [
        (
            Text("x", Annotations(("user",), priority=1.5)),
            Text("x", Annotations(("user",))),
            "annotations.priority",
        ),
        (Link("file:///x", "x", size=-1), Link("file:///x", "x"), "link.size"),
        (Link("file:///x", "x", size=2**64), Link("file:///x", "x"), "link.size"),
    ],
)
def test_what_a_block_cannot_say_is_told(block: Block, back: Block, loss: str) -> None:
    losses: list[str] = []
    assert trip(block, losses) == back
    assert losses == [loss]


def test_a_resource_without_contents_is_an_empty_text() -> None:
    assert trip(Resource("file:///x")) == Resource("file:///x", "")


def test_icons_come_along() -> None:
    icons = (Icon("https://x", "image/png", ("16x16",), "dark", {"m": 1}), Icon("data:,"))
    assert trip(Link("file:///x", "x", icons=icons)) == Link("file:///x", "x", icons=icons)


def test_lists_of_blocks_keep_their_order() -> None:
    blocks = (Text("a"), Image("", "image/png"), Text("b"))
    assert blocks_from(block_models(blocks, lambda *_: None)) == blocks


@pytest.mark.parametrize(
    "annotations",
    [5, "x", [1]],
)
def test_malformed_annotations_are_none(annotations: Any) -> None:
    """DEC-01"""
    data = json.dumps({"type": "text", "text": "x", "annotations": annotations}).encode()
    assert block_from(decode(v2.ContentBlock, data)) == Text("x")


@pytest.mark.parametrize(
    "item", [ContentItem(Text("x"), {"m": 1}), TerminalItem("t"), TerminalItem("t", {"m": 1})]
)
def test_items_come_back(item: Any) -> None:
    data = encode(item_model(item, lambda *_: None))
    assert item_from(decode(v2.ToolCallContent, data)) == item


@pytest.mark.parametrize(
    ("line", "back"), [(None, None), (1, 1), (2**32 - 1, 2**32 - 1), (0, None), (2**32, None)]
)
def test_lines_count_from_one(line: int | None, back: int | None) -> None:
    """V2-TC-08"""
    losses: list[str] = []
    model = location_model(Location("/x", line, {"m": 1}), lambda what, _: losses.append(what))
    assert location_from(model) == Location("/x", back, {"m": 1})
    assert losses == ([] if line == back else ["location.line"])


def test_a_line_of_zero_that_comes_in_is_no_line() -> None:
    data = b'{"path":"/x","line":0}'
    assert location_from(decode(v2.ToolCallLocation, data)) == Location("/x")
