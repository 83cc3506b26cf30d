"""Content blocks: text, image, audio, links and embedded resources.

Generated from `schema/v1.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from parley.schema.base import (
    IMPOSSIBLE,
    UNSET,
    Choice,
    Closed,
    DefaultOnError,
    Int64,
    Metadata,
    Model,
    SkipInvalid,
    Unknown,
    UnsetType,
)


class TextContent(Model, tag_field="type", tag="text"):
    text: str
    annotations: DefaultOnError[Annotations | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class ImageContent(Model, tag_field="type", tag="image"):
    data: str
    mime_type: str
    annotations: DefaultOnError[Annotations | None | UnsetType] = UNSET
    uri: DefaultOnError[str | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class AudioContent(Model, tag_field="type", tag="audio"):
    data: str
    mime_type: str
    annotations: DefaultOnError[Annotations | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class ResourceLink(Model, tag_field="type", tag="resource_link"):
    name: str
    uri: str
    annotations: DefaultOnError[Annotations | None | UnsetType] = UNSET
    description: DefaultOnError[str | None | UnsetType] = UNSET
    mime_type: DefaultOnError[str | None | UnsetType] = UNSET
    size: DefaultOnError[Int64 | None | UnsetType] = UNSET
    title: DefaultOnError[str | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class EmbeddedResource(Model, tag_field="type", tag="resource"):
    resource: EmbeddedResourceResource
    annotations: DefaultOnError[Annotations | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class OtherContentBlock(Unknown, tag_field="type", tag=IMPOSSIBLE):
    """A variant of `ContentBlock` whose `type` is not in the schema."""

    CLOSED = True


class Annotations(Model):
    audience: DefaultOnError[SkipInvalid[list[Role] | None | UnsetType]] = UNSET
    last_modified: DefaultOnError[str | None | UnsetType] = UNSET
    priority: DefaultOnError[float | None | UnsetType] = UNSET
    meta: Metadata = UNSET


Role: TypeAlias = Closed[Literal["assistant", "user"]]


class BlobResourceContents(Model):
    blob: str
    uri: str
    mime_type: DefaultOnError[str | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class TextResourceContents(Model):
    text: str
    uri: str
    mime_type: DefaultOnError[str | None | UnsetType] = UNSET
    meta: Metadata = UNSET


ContentBlock: TypeAlias = (
    TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource | OtherContentBlock
)

EmbeddedResourceResource: TypeAlias = Choice[TextResourceContents | BlobResourceContents]
