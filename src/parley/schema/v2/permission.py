"""Asking whether a tool may do what it is about to do.

Generated from `schema/v2.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from parley.schema.base import (
    IMPOSSIBLE,
    UNSET,
    DefaultOnError,
    Metadata,
    Model,
    NonEmpty,
    Open,
    Request,
    Unknown,
    UnsetType,
)
from parley.schema.v2.ids import AbsolutePath, PermissionOptionId, SessionId, TerminalId, ToolCallId
from parley.schema.v2.tool_call import ToolCallUpdate


class RequestPermissionResponse(Model):
    outcome: RequestPermissionOutcome
    meta: Metadata = UNSET


class ToolCallPermissionSubject(Model, tag_field="type", tag="tool_call"):
    tool_call: ToolCallUpdate
    meta: Metadata = UNSET


class CommandPermissionSubject(Model, tag_field="type", tag="command"):
    command: str
    cwd: AbsolutePath
    tool_call_id: DefaultOnError[ToolCallId | None | UnsetType] = UNSET
    terminal_id: DefaultOnError[TerminalId | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class OtherRequestPermissionSubject(Unknown, tag_field="type", tag=IMPOSSIBLE):
    """A variant of `RequestPermissionSubject` whose `type` is not in the schema."""


class PermissionOption(Model):
    option_id: PermissionOptionId
    name: str
    kind: PermissionOptionKind
    meta: Metadata = UNSET


PermissionOptionKind: TypeAlias = Open[
    Literal["allow_once", "allow_always", "reject_once", "reject_always"]
]


class CancelledPermissionOutcome(Model, tag_field="outcome", tag="cancelled"):
    meta: Metadata = UNSET


class SelectedPermissionOutcome(Model, tag_field="outcome", tag="selected"):
    option_id: PermissionOptionId
    meta: Metadata = UNSET


class OtherRequestPermissionOutcome(Unknown, tag_field="outcome", tag=IMPOSSIBLE):
    """A variant of `RequestPermissionOutcome` whose `outcome` is not in the schema."""


class RequestPermissionRequest(Request[RequestPermissionResponse]):
    METHOD = "session/request_permission"
    RESULT = RequestPermissionResponse

    session_id: SessionId
    title: str
    options: NonEmpty[list[PermissionOption]]
    description: DefaultOnError[str | None | UnsetType] = UNSET
    subject: RequestPermissionSubject | None | UnsetType = UNSET
    meta: Metadata = UNSET


RequestPermissionSubject: TypeAlias = (
    ToolCallPermissionSubject | CommandPermissionSubject | OtherRequestPermissionSubject
)

RequestPermissionOutcome: TypeAlias = (
    CancelledPermissionOutcome | SelectedPermissionOutcome | OtherRequestPermissionOutcome
)
