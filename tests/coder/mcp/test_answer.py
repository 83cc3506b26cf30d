"""What tools of servers return, for the model and for the person."""

import base64
from typing import Any

from mcp_types import CallToolResult

from parley.coder.mcp.answer import MOST_IMAGES, outcome_of
from parley.coder.message import ImagePart
from parley.coder.tools.tool import Outcome
from parley.session.content import ContentItem, Image, Link, Text

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(8)).decode()


def outcome(*content: dict[str, Any], **others: Any) -> Outcome:
    return outcome_of(CallToolResult.model_validate({"content": list(content), **others}))


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def image(data: str, kind: str = "image/png") -> dict[str, Any]:
    return {"type": "image", "data": data, "mimeType": kind}


def test_text_is_for_both() -> None:
    assert outcome(text("one"), text("two\x1b[31m")) == Outcome(
        "one\ntwo", (ContentItem(Text("one\ntwo")),)
    )


def test_a_failure_of_the_tool_is_one() -> None:
    assert outcome(text("no"), isError=True).failed


def test_images_are_shown_by_what_they_are() -> None:
    found = outcome(image(PNG, "text/html"))
    assert found.images == (ImagePart(PNG, "image/png"),)
    assert found.content == (ContentItem(Image(PNG, "image/png")),)


def test_what_is_no_image_is_said_in_words() -> None:
    large = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(4_000_000)).decode()
    for data in ("not base64!", base64.b64encode(b"<svg>").decode(), large):
        found = outcome(image(data))
        assert found.images == ()
        assert "an image was left out" in found.text
    assert len(outcome(*[image(PNG)] * (MOST_IMAGES + 1)).images) == MOST_IMAGES


def test_links_and_resources_are_named() -> None:
    link = {"type": "resource_link", "uri": "file:///a", "name": "a", "description": "An a."}
    words = {"type": "resource", "resource": {"uri": "x://b", "text": "bee"}}
    blob = {"type": "resource", "resource": {"uri": "x://c", "blob": "AAAA"}}
    sound = {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}
    found = outcome(link, words, blob, sound)
    assert found.text.splitlines() == [
        "[resource `a`: file:///a]",
        "[resource x://b]",
        "bee",
        "[resource x://c: binary data was left out]",
        "[a sound was left out]",
    ]
    assert found.content is not None
    assert found.content[1] == ContentItem(Link("file:///a", "a", description="An a."))


def test_values_without_text_are_written_as_json() -> None:
    assert outcome(structuredContent={"a": 1}).text == '{"a":1}'
    assert outcome(text("one"), structuredContent={"a": 1}).text == "one"
    assert outcome().text == "(nothing)"


def test_a_long_text_is_shortened() -> None:
    found = outcome(text("x" * 3_000_000))
    assert len(found.text) < 40_000
    assert found.content is not None
    assert found.content[0] == ContentItem(Text("x" * 2_000 + "\n…"))
