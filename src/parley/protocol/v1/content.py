"""Blocks of content and places in files, between the neutral words and version 1.

Pure. A block that version 1 has no word for is degraded, and `lose` is told what went missing.
Also holds the few words that every translation of this package uses.
"""

import re
from collections.abc import Callable, Iterable
from typing import TypeVar

from msgspec import UNSET, UnsetType, to_builtins

import parley.schema.v1 as v1
from parley.session.content import (
    Annotations,
    Audio,
    Block,
    Image,
    Link,
    Location,
    Meta,
    OtherBlock,
    Resource,
    Text,
)
from parley.session.patch import given

T = TypeVar("T")

Lose = Callable[[str, str], None]
"""Is told what cannot be said: a short stable name, and a detail for a person."""

MARK = "acpBridge"
"""The key of `_meta` under which a degraded value leaves a trace of what it was."""

_ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]|\\\\")
_ROLES = frozenset({"assistant", "user"})


def again(what: str, detail: str) -> None:
    """Takes the losses of what is only sent once more: they were reported the first time."""


def known(value: T | UnsetType | None) -> T | None:
    """The value, where omitted and null mean the same."""
    return None if isinstance(value, UnsetType) else value


def is_absolute(path: str) -> bool:
    """Whether a path is absolute on the machine it belongs to, which need not be this one."""
    return _ABSOLUTE.match(path) is not None


def marked(meta: Meta | None, **traces: str) -> Meta:
    """The `_meta` of a degraded value."""
    return {**(meta or {}), MARK: traces}


def block_model(block: Block, lose: Lose) -> v1.ContentBlock:
    """The content block; one that version 1 has no word for becomes a line of text."""
    match block:
        case Text(text=text):
            return v1.TextContent(
                text=text,
                annotations=_annotations_model(block.annotations, lose),
                meta=given(block.meta),
            )
        case Image():
            return v1.ImageContent(
                data=block.data,
                mime_type=block.mime_type,
                uri=given(block.uri),
                annotations=_annotations_model(block.annotations, lose),
                meta=given(block.meta),
            )
        case Audio():
            return v1.AudioContent(
                data=block.data,
                mime_type=block.mime_type,
                annotations=_annotations_model(block.annotations, lose),
                meta=given(block.meta),
            )
        case Link():
            return _link_model(block, lose)
        case Resource():
            return v1.EmbeddedResource(
                resource=_contents_model(block),
                annotations=_annotations_model(block.annotations, lose),
                meta=given(block.meta),
            )
        case OtherBlock():
            lose("content.type", f"a block of type `{block.kind}` is shown as a line of text")
            return v1.TextContent(text=f"[{block.kind}]")


def block_from(model: v1.ContentBlock) -> Block:
    match model:
        case v1.TextContent():
            return Text(model.text, _annotations_from(model.annotations), known(model.meta))
        case v1.ImageContent():
            return Image(
                model.data,
                model.mime_type,
                known(model.uri),
                _annotations_from(model.annotations),
                known(model.meta),
            )
        case v1.AudioContent():
            return Audio(
                model.data,
                model.mime_type,
                _annotations_from(model.annotations),
                known(model.meta),
            )
        case v1.ResourceLink():
            return Link(
                model.uri,
                model.name,
                title=known(model.title),
                description=known(model.description),
                mime_type=known(model.mime_type),
                size=known(model.size),
                annotations=_annotations_from(model.annotations),
                meta=known(model.meta),
            )
        case v1.EmbeddedResource(resource=contents):
            text = isinstance(contents, v1.TextResourceContents)
            return Resource(
                contents.uri,
                text=contents.text if text else None,
                blob=None if text else contents.blob,
                mime_type=known(contents.mime_type),
                annotations=_annotations_from(model.annotations),
                meta=known(model.meta),
                contents_meta=known(contents.meta),
            )
        case v1.OtherContentBlock():
            return OtherBlock(model.tag, dict(model.extra))


def blocks_from(models: Iterable[v1.ContentBlock]) -> tuple[Block, ...]:
    return tuple(block_from(model) for model in models)


def _link_model(link: Link, lose: Lose) -> v1.ResourceLink:
    meta = link.meta
    if link.icons is not None:
        lose("content.icons", "the icons of a link are moved to its `_meta`")
        meta = {**(meta or {}), "icons": to_builtins(link.icons)}
    return v1.ResourceLink(
        name=link.name,
        uri=link.uri,
        title=given(link.title),
        description=given(link.description),
        mime_type=given(link.mime_type),
        size=given(link.size),
        annotations=_annotations_model(link.annotations, lose),
        meta=given(meta),
    )


def _contents_model(block: Resource) -> v1.TextResourceContents | v1.BlobResourceContents:
    # V1-CNT-03: text or blob, never both.
    if block.blob is not None and block.text is None:
        return v1.BlobResourceContents(
            blob=block.blob,
            uri=block.uri,
            mime_type=given(block.mime_type),
            meta=given(block.contents_meta),
        )
    return v1.TextResourceContents(
        text=block.text or "",
        uri=block.uri,
        mime_type=given(block.mime_type),
        meta=given(block.contents_meta),
    )


def _annotations_model(value: Annotations | None, lose: Lose) -> v1.Annotations | UnsetType:
    if value is None:
        return UNSET
    audience: list[str] | UnsetType = UNSET
    if value.audience is not None:
        audience = [role for role in value.audience if role in _ROLES]
        if len(audience) != len(value.audience):
            lose("content.audience", "an audience of another role is dropped")
    return v1.Annotations(
        audience=audience,
        last_modified=given(value.last_modified),
        priority=given(value.priority),
        meta=given(value.meta),
    )


def _annotations_from(model: v1.Annotations | UnsetType | None) -> Annotations | None:
    if not isinstance(model, v1.Annotations):
        return None
    audience = known(model.audience)
    return Annotations(
        None if audience is None else tuple(audience),
        known(model.last_modified),
        known(model.priority),
        known(model.meta),
    )


def location_model(location: Location) -> v1.ToolCallLocation:
    return v1.ToolCallLocation(
        path=location.path, line=given(location.line), meta=given(location.meta)
    )


def location_from(model: v1.ToolCallLocation) -> Location:
    # V1-SES-09: lines count from 1, so 0 says nothing.
    return Location(model.path, known(model.line) or None, known(model.meta))
