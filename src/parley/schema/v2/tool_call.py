"""Tool calls: what they do, how far they are, what they show.

Generated from `schema/v2.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from parley.schema.base import (
    IMPOSSIBLE,
    UNSET,
    DefaultOnError,
    Meta,
    Metadata,
    Model,
    Open,
    Request,
    SkipInvalid,
    Unknown,
    UnsetType,
)
from parley.schema.v2.content import ContentBlock
from parley.schema.v2.ids import AbsolutePath, MediaType, SessionId, TerminalId, ToolCallId


class ToolCallUpdate(Model):
    tool_call_id: ToolCallId
    name: DefaultOnError[str | None | UnsetType] = UNSET
    title: DefaultOnError[str | None | UnsetType] = UNSET
    kind: DefaultOnError[ToolKind | None | UnsetType] = UNSET
    status: DefaultOnError[ToolCallStatus | None | UnsetType] = UNSET
    content: DefaultOnError[SkipInvalid[list[ToolCallContent] | None | UnsetType]] = UNSET
    locations: DefaultOnError[SkipInvalid[list[ToolCallLocation] | None | UnsetType]] = UNSET
    raw_input: Any = UNSET
    raw_output: Any = UNSET
    capabilities: DefaultOnError[ToolCallCapabilities | None | UnsetType] = UNSET
    meta: Metadata = UNSET


ToolKind: TypeAlias = Open[
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

ToolCallStatus: TypeAlias = Open[
    Literal["pending", "in_progress", "paused", "completed", "failed", "cancelled"]
]


class Content(Model, tag_field="type", tag="content"):
    content: ContentBlock
    meta: Metadata = UNSET


class Diff(Model, tag_field="type", tag="diff"):
    changes: SkipInvalid[list[DiffChange]]
    patch: DefaultOnError[DiffPatch | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class Terminal(Model, tag_field="type", tag="terminal"):
    terminal_id: TerminalId
    meta: Metadata = UNSET


class OtherToolCallContent(Unknown, tag_field="type", tag=IMPOSSIBLE):
    """A variant of `ToolCallContent` whose `type` is not in the schema."""


class DiffPathChange(Model):
    path: AbsolutePath


class DiffPathPairChange(Model):
    old_path: AbsolutePath
    path: AbsolutePath


class OtherDiffChange(Unknown, tag_field="operation", tag=IMPOSSIBLE):
    """A variant of `DiffChange` whose `operation` is not in the schema."""

    file_type: DefaultOnError[DiffFileType | None | UnsetType] = UNSET
    mime_type: DefaultOnError[MediaType | None | UnsetType] = UNSET
    meta: Metadata = UNSET


DiffFileType: TypeAlias = Open[Literal["text", "binary", "directory", "symlink"]]


class DiffPatch(Model):
    format: DiffPatchFormat
    text: str
    meta: Metadata = UNSET


DiffPatchFormat: TypeAlias = Open[Literal["git_patch"]]


class ToolCallLocation(Model):
    path: AbsolutePath
    line: DefaultOnError[Annotated[int, Meta(ge=1, le=4294967295)] | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class ToolCallCapabilities(Model):
    cancel: DefaultOnError[ToolCallCancelCapabilities | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class ToolCallCancelCapabilities(Model):
    meta: Metadata = UNSET


class CancelToolCallResponse(Model):
    meta: Metadata = UNSET


class ToolCallContentChunk(Model, tag_field="sessionUpdate", tag="tool_call_content_chunk"):
    tool_call_id: ToolCallId
    content: ToolCallContent
    meta: Metadata = UNSET


class ToolCallProgress(ToolCallUpdate, tag_field="sessionUpdate", tag="tool_call_update"):
    pass


ToolCallContent: TypeAlias = Content | Diff | Terminal | OtherToolCallContent


class DiffAdd(DiffPathChange, tag_field="operation", tag="add"):
    file_type: DefaultOnError[DiffFileType | None | UnsetType] = UNSET
    mime_type: DefaultOnError[MediaType | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class DiffDelete(DiffPathChange, tag_field="operation", tag="delete"):
    file_type: DefaultOnError[DiffFileType | None | UnsetType] = UNSET
    mime_type: DefaultOnError[MediaType | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class DiffModify(DiffPathChange, tag_field="operation", tag="modify"):
    file_type: DefaultOnError[DiffFileType | None | UnsetType] = UNSET
    mime_type: DefaultOnError[MediaType | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class DiffMove(DiffPathPairChange, tag_field="operation", tag="move"):
    file_type: DefaultOnError[DiffFileType | None | UnsetType] = UNSET
    mime_type: DefaultOnError[MediaType | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class DiffCopy(DiffPathPairChange, tag_field="operation", tag="copy"):
    file_type: DefaultOnError[DiffFileType | None | UnsetType] = UNSET
    mime_type: DefaultOnError[MediaType | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class CancelToolCallRequest(Request[CancelToolCallResponse]):
    METHOD = "tool_call/cancel"
    RESULT = CancelToolCallResponse

    session_id: SessionId
    tool_call_id: ToolCallId
    meta: Metadata = UNSET


DiffChange: TypeAlias = DiffAdd | DiffDelete | DiffModify | DiffMove | DiffCopy | OtherDiffChange
