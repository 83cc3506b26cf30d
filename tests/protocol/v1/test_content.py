"""Blocks of content in version 1 and back."""

import pytest
from hypothesis import given
from msgspec.structs import replace

import parley.schema.v1 as v1
from parley.protocol.v1.content import (
    block_from,
    block_model,
    is_absolute,
    location_from,
    location_model,
)
from parley.schema.codec import decode, decode_strictly, encode
from parley.session.content import (
    Annotations,
    Block,
    Icon,
    Link,
    Location,
    OtherBlock,
    Resource,
    Text,
)
from tests.session.strategies import blocks, locations


def _projected(block: Block) -> Block:
    match block:
        case Link(icons=icons) if icons is not None:
            plain = [_icon(icon) for icon in icons]
            return replace(block, icons=None, meta={**(block.meta or {}), "icons": plain})
        case OtherBlock(kind=kind):
            return Text(f"[{kind}]")
        case _:
            return block


def _icon(icon: Icon) -> dict[str, object]:
    plain: dict[str, object] = {"src": icon.src, "mime_type": icon.mime_type}
    return plain if icon.meta is None else {**plain, "meta": icon.meta}


@given(blocks)
def test_a_block_comes_back_as_it_was_up_to_the_projection(block: Block) -> None:
    lost: list[str] = []
    frame = encode(block_model(block, lambda what, detail: lost.append(what)))
    model = decode_strictly(v1.ContentBlock, frame)
    assert block_from(model) == _projected(block)
    assert (_projected(block) != block) == bool(lost)


def test_a_block_nobody_knows_is_kept_when_it_is_read_dec_08() -> None:
    model = decode(v1.ContentBlock, b'{"type":"hologram","depth":3}')
    assert block_from(model) == OtherBlock("hologram", {"type": "hologram", "depth": 3})


def test_an_audience_of_another_role_is_dropped() -> None:
    lost: list[str] = []
    block = Text("x", Annotations(audience=("user", "robot")))
    model = block_model(block, lambda what, detail: lost.append(what))
    assert block_from(model) == Text("x", Annotations(audience=("user",)))
    assert lost == ["content.audience"]


def test_a_resource_is_text_or_blob_and_never_both_v1_cnt_03() -> None:
    both = Resource("file:///a", text="x", blob="AA==")
    assert block_from(block_model(both, _no_loss)) == Resource("file:///a", text="x")
    neither = Resource("file:///a")
    assert block_from(block_model(neither, _no_loss)) == Resource("file:///a", text="")


@given(locations)
def test_a_location_comes_back_as_it_was(location: Location) -> None:
    assert location_from(location_model(location)) == location


def test_line_0_says_nothing_v1_ses_09() -> None:
    assert location_from(v1.ToolCallLocation(path="/a", line=0)) == Location("/a")


@pytest.mark.parametrize("path", ["/", "/a", "C:\\a", "c:/a", "\\\\server\\share"])
def test_a_path_may_be_absolute_on_another_machine(path: str) -> None:
    assert is_absolute(path)


@pytest.mark.parametrize("path", ["", "a", "./a", "../a", "~", "C:", "C:a", "file:///a", " /a"])
def test_other_paths_are_not_absolute(path: str) -> None:
    assert not is_absolute(path)


def _no_loss(what: str, detail: str) -> None:
    raise AssertionError(what)
