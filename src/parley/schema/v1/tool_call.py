"""Tool calls: what they do, how far they are, what they show.

Generated from `schema/v1.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from parley.schema.base import (
    IMPOSSIBLE,
    UNSET,
    Closed,
    DefaultOnError,
    Metadata,
    Model,
    SkipInvalid,
    Uint32,
    Unknown,
    UnsetType,
)
from parley.schema.v1.content import ContentBlock
from parley.schema.v1.ids import TerminalId, ToolCallId


class ToolCallUpdate(Model):
    tool_call_id: ToolCallId
    kind: DefaultOnError[ToolKind | None | UnsetType] = UNSET
    status: DefaultOnError[ToolCallStatus | None | UnsetType] = UNSET
    title: DefaultOnError[str | None | UnsetType] = UNSET
    name: DefaultOnError[str | None | UnsetType] = UNSET
    content: DefaultOnError[SkipInvalid[list[ToolCallContent] | None | UnsetType]] = UNSET
    locations: DefaultOnError[SkipInvalid[list[ToolCallLocation] | None | UnsetType]] = UNSET
    raw_input: Any = UNSET
    raw_output: Any = UNSET
    meta: Metadata = UNSET


ToolKind: TypeAlias = Closed[
    Literal[
        "read",
        "edit",
        "delete",
        "move",
        "search",
        "execute",
        "think",
        "fetch",
        "switch_mode",
        "other",
    ]
]

ToolCallStatus: TypeAlias = Closed[Literal["pending", "in_progress", "completed", "failed"]]


class Content(Model, tag_field="type", tag="content"):
    content: ContentBlock
    meta: Metadata = UNSET


class Diff(Model, tag_field="type", tag="diff"):
    path: str
    new_text: str
    old_text: DefaultOnError[str | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class Terminal(Model, tag_field="type", tag="terminal"):
    terminal_id: TerminalId
    meta: Metadata = UNSET


class OtherToolCallContent(Unknown, tag_field="type", tag=IMPOSSIBLE):
    """A variant of `ToolCallContent` whose `type` is not in the schema."""

    CLOSED = True


class ToolCallLocation(Model):
    path: str
    line: DefaultOnError[Uint32 | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class ToolCall(Model, tag_field="sessionUpdate", tag="tool_call"):
    tool_call_id: ToolCallId
    title: str
    name: DefaultOnError[str | None | UnsetType] = UNSET
    kind: DefaultOnError[ToolKind | UnsetType] = UNSET
    status: DefaultOnError[ToolCallStatus | UnsetType] = UNSET
    content: DefaultOnError[SkipInvalid[list[ToolCallContent] | UnsetType]] = UNSET
    locations: DefaultOnError[SkipInvalid[list[ToolCallLocation] | UnsetType]] = UNSET
    raw_input: Any = UNSET
    raw_output: Any = UNSET
    meta: Metadata = UNSET


class ToolCallProgress(ToolCallUpdate, tag_field="sessionUpdate", tag="tool_call_update"):
    pass


ToolCallContent: TypeAlias = Content | Diff | Terminal | OtherToolCallContent
