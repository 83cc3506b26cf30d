"""Content blocks: text, image, audio, links and embedded resources.

Generated from `schema/v2.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from parley.schema.base import (
    IMPOSSIBLE,
    UNSET,
    Choice,
    DefaultOnError,
    Meta,
    Metadata,
    Model,
    Open,
    SkipInvalid,
    Uint64,
    Unknown,
    UnsetType,
)
from parley.schema.v2.ids import MediaType


class TextContent(Model, tag_field="type", tag="text"):
    text: str
    annotations: DefaultOnError[Annotations | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class ImageContent(Model, tag_field="type", tag="image"):
    data: str
    mime_type: MediaType
    uri: DefaultOnError[str | None | UnsetType] = UNSET
    annotations: DefaultOnError[Annotations | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class AudioContent(Model, tag_field="type", tag="audio"):
    data: str
    mime_type: MediaType
    annotations: DefaultOnError[Annotations | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class ResourceLink(Model, tag_field="type", tag="resource_link"):
    name: str
    uri: str
    title: DefaultOnError[str | None | UnsetType] = UNSET
    description: DefaultOnError[str | None | UnsetType] = UNSET
    icons: DefaultOnError[SkipInvalid[list[Icon] | None | UnsetType]] = UNSET
    mime_type: DefaultOnError[MediaType | None | UnsetType] = UNSET
    size: DefaultOnError[Uint64 | None | UnsetType] = UNSET
    annotations: DefaultOnError[Annotations | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class EmbeddedResource(Model, tag_field="type", tag="resource"):
    resource: EmbeddedResourceResource
    annotations: DefaultOnError[Annotations | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class OtherContentBlock(Unknown, tag_field="type", tag=IMPOSSIBLE):
    """A variant of `ContentBlock` whose `type` is not in the schema."""


class Annotations(Model):
    audience: DefaultOnError[SkipInvalid[list[Role] | None | UnsetType]] = UNSET
    last_modified: DefaultOnError[str | None | UnsetType] = UNSET
    priority: DefaultOnError[Annotated[float, Meta(ge=0, le=1)] | None | UnsetType] = UNSET
    meta: Metadata = UNSET


Role: TypeAlias = Open[Literal["assistant", "user"]]


class Icon(Model):
    src: str
    mime_type: DefaultOnError[MediaType | None | UnsetType] = UNSET
    sizes: DefaultOnError[SkipInvalid[list[str] | None | UnsetType]] = UNSET
    theme: DefaultOnError[IconTheme | None | UnsetType] = UNSET
    meta: Metadata = UNSET


IconTheme: TypeAlias = Open[Literal["light", "dark"]]


class BlobResourceContents(Model):
    blob: str
    uri: str
    mime_type: DefaultOnError[MediaType | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class TextResourceContents(Model):
    text: str
    uri: str
    mime_type: DefaultOnError[MediaType | None | UnsetType] = UNSET
    meta: Metadata = UNSET


ContentBlock: TypeAlias = (
    TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource | OtherContentBlock
)

EmbeddedResourceResource: TypeAlias = Choice[TextResourceContents | BlobResourceContents]
