"""Asking whether a tool may do what it is about to do.

Generated from `schema/v1.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from parley.schema.base import IMPOSSIBLE, UNSET, Closed, Metadata, Model, Request, Unknown
from parley.schema.v1.ids import PermissionOptionId, SessionId
from parley.schema.v1.tool_call import ToolCallUpdate


class RequestPermissionResponse(Model):
    outcome: RequestPermissionOutcome
    meta: Metadata = UNSET


class PermissionOption(Model):
    option_id: PermissionOptionId
    name: str
    kind: PermissionOptionKind
    meta: Metadata = UNSET


PermissionOptionKind: TypeAlias = Closed[
    Literal["allow_once", "allow_always", "reject_once", "reject_always"]
]


class CancelledPermissionOutcome(Model, tag_field="outcome", tag="cancelled"):
    pass


class SelectedPermissionOutcome(Model, tag_field="outcome", tag="selected"):
    option_id: PermissionOptionId
    meta: Metadata = UNSET


class OtherRequestPermissionOutcome(Unknown, tag_field="outcome", tag=IMPOSSIBLE):
    """A variant of `RequestPermissionOutcome` whose `outcome` is not in the schema."""

    CLOSED = True


class RequestPermissionRequest(Request[RequestPermissionResponse]):
    METHOD = "session/request_permission"
    RESULT = RequestPermissionResponse

    session_id: SessionId
    tool_call: ToolCallUpdate
    options: list[PermissionOption]
    meta: Metadata = UNSET


RequestPermissionOutcome: TypeAlias = (
    CancelledPermissionOutcome | SelectedPermissionOutcome | OtherRequestPermissionOutcome
)
