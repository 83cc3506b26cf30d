"""What a tool of a server returned, as the model and the person see it. Pure."""

import base64
import binascii
from typing import Any

import msgspec
from mcp_types import (
    AudioContent,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from parley.coder.message import ImagePart
from parley.coder.tools.image import HEAD, MOST_IMAGE_BYTES, image_type
from parley.coder.tools.tool import Outcome
from parley.coder.workspace.output import Kept, clean
from parley.session.content import ContentItem, Image, Link, Text, ToolItem

MOST_IMAGES = 8
_SHOWN_CHARACTERS = 2_000


def outcome_of(result: CallToolResult) -> Outcome:
    """The result of a call; what models cannot take is said in words."""
    collected = _Collected()
    for block in result.content:
        collected.add(block)
    if not result.content and result.structured_content is not None:
        collected.say(_json(result.structured_content))
    text = clean(collected.kept.text).strip("\n")
    shown = text[:_SHOWN_CHARACTERS] + ("\n…" if len(text) > _SHOWN_CHARACTERS else "")
    return Outcome(
        text or ("(nothing)" if not collected.images else ""),
        (*((ContentItem(Text(shown)),) if shown else ()), *collected.items),
        failed=bool(result.is_error),
        images=tuple(collected.images),
    )


class _Collected:
    """The parts of a result, sorted by who can take them."""

    def __init__(self) -> None:
        self.kept = Kept()
        self.images: list[ImagePart] = []
        self.items: list[ToolItem] = []

    def say(self, text: str) -> None:
        # Long texts are cut before anything else is done to them.
        self.kept.add(text)
        self.kept.add("\n")

    def add(self, block: ContentBlock) -> None:
        match block:
            case TextContent(text=text):
                self.say(text)
            case ImageContent(data=data):
                self._image(data)
            case AudioContent():
                self.say("[a sound was left out]")
            case ResourceLink(uri=uri, name=name, description=description):
                self.say(f"[resource `{name}`: {uri}]")
                self.items.append(ContentItem(Link(uri, name, description=description)))
            case EmbeddedResource(resource=TextResourceContents(uri=uri, text=text)):
                self.say(f"[resource {uri}]\n{text}")
            case EmbeddedResource(resource=resource):
                self.say(f"[resource {resource.uri}: binary data was left out]")

    def _image(self, data: str) -> None:
        kind = _image_type(data)
        if kind is None or len(self.images) >= MOST_IMAGES:
            self.say("[an image was left out: it is not one, too large, or one too many]")
            return
        self.images.append(ImagePart(data, kind))
        self.items.append(ContentItem(Image(data, kind)))


def _image_type(data: str) -> str | None:
    """What an image is by its bytes; what the server says of it may be wrong."""
    if len(data) > MOST_IMAGE_BYTES * 4 / 3 + 4:
        return None
    try:
        decoded = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return None
    return image_type(decoded[:HEAD])


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
