"""What messages and tool calls are made of: blocks of content, file changes, terminals.

Pure data. Wire names and versions are unknown here; `protocol/vN/values.py` translates. Every
value keeps the `meta` it came with, and a kind nobody knows yet is kept whole as `Other...`.
"""

from typing import Any, Literal

from msgspec import Struct

Meta = dict[str, Any]
"""Free data attached to an object. Nothing in it ever decides anything."""


class Annotations(Struct, frozen=True, omit_defaults=True):
    """Hints on who a block is for and how much it matters."""

    audience: tuple[str, ...] | None = None
    last_modified: str | None = None
    priority: float | None = None
    meta: Meta | None = None


class Text(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="text"):
    text: str
    annotations: Annotations | None = None
    meta: Meta | None = None


class Image(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="image"):
    data: str
    """Base64."""
    mime_type: str
    uri: str | None = None
    annotations: Annotations | None = None
    meta: Meta | None = None


class Audio(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="audio"):
    data: str
    """Base64."""
    mime_type: str
    annotations: Annotations | None = None
    meta: Meta | None = None


class Icon(Struct, frozen=True, omit_defaults=True):
    src: str
    mime_type: str | None = None
    sizes: tuple[str, ...] | None = None
    theme: str | None = None
    meta: Meta | None = None


class Link(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="link"):
    """A resource that the reader can fetch by itself."""

    uri: str
    name: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    size: int | None = None
    icons: tuple[Icon, ...] | None = None
    annotations: Annotations | None = None
    meta: Meta | None = None


class Resource(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="resource"):
    """A resource that travels along: exactly one of `text` and `blob` (base64) is set."""

    uri: str
    text: str | None = None
    blob: str | None = None
    mime_type: str | None = None
    annotations: Annotations | None = None
    meta: Meta | None = None
    contents_meta: Meta | None = None
    """The `meta` of the inner contents object, which has its own."""


class OtherBlock(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="other"):
    """A kind of content nobody here knows, kept as it came."""

    kind: str
    raw: dict[str, Any]


Block = Text | Image | Audio | Link | Resource | OtherBlock


class FileChange(Struct, frozen=True, omit_defaults=True):
    """What happened to one file.

    `old_text` and `new_text` are the texts before and after where they are known; `None` beside
    an `add` or a `delete` means that there is none.
    """

    operation: Literal["add", "delete", "modify", "move", "copy"] | str
    path: str
    old_path: str | None = None
    file_type: str | None = None
    mime_type: str | None = None
    old_text: str | None = None
    new_text: str | None = None
    meta: Meta | None = None


class Patch(Struct, frozen=True, omit_defaults=True):
    text: str
    format: str = "git_patch"
    meta: Meta | None = None


class ContentItem(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="content"):
    content: Block
    meta: Meta | None = None


class DiffItem(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="diff"):
    changes: tuple[FileChange, ...]
    patch: Patch | None = None
    meta: Meta | None = None


class TerminalItem(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="terminal"):
    """Shows a terminal inside a tool call."""

    terminal_id: str
    meta: Meta | None = None


class OtherItem(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="other"):
    kind: str
    raw: dict[str, Any]


ToolItem = ContentItem | DiffItem | TerminalItem | OtherItem


class Location(Struct, frozen=True, omit_defaults=True):
    """A place in a file that a tool call works on; lines count from 1."""

    path: str
    line: int | None = None
    meta: Meta | None = None
