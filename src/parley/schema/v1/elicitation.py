"""Asking a person for input: with a form, or on a web page.

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
    Notification,
    Request,
    SkipInvalid,
    Uint32,
    Uint64,
    Unknown,
    UnsetType,
    require_any,
)
from parley.schema.v1.ids import ElicitationId, RequestId, SessionId, ToolCallId


class ElicitationSchema(Model):
    type: DefaultOnError[ElicitationSchemaType | UnsetType] = UNSET
    """Omitted means `"object"`."""
    title: DefaultOnError[str | None | UnsetType] = UNSET
    properties: dict[str, ElicitationPropertySchema] | UnsetType = UNSET
    """Omitted means `{}`."""
    required: list[str] | None | UnsetType = UNSET
    description: DefaultOnError[str | None | UnsetType] = UNSET
    meta: Metadata = UNSET


ElicitationSchemaType: TypeAlias = Closed[Literal["object"]]


class StringPropertySchema(Model, tag_field="type", tag="string"):
    title: DefaultOnError[str | None | UnsetType] = UNSET
    description: DefaultOnError[str | None | UnsetType] = UNSET
    min_length: Uint32 | None | UnsetType = UNSET
    max_length: Uint32 | None | UnsetType = UNSET
    pattern: str | None | UnsetType = UNSET
    format: StringFormat | None | UnsetType = UNSET
    default: DefaultOnError[str | None | UnsetType] = UNSET
    enum: list[str] | None | UnsetType = UNSET
    one_of: list[EnumOption] | None | UnsetType = UNSET
    meta: Metadata = UNSET


class NumberPropertySchema(Model, tag_field="type", tag="number"):
    title: DefaultOnError[str | None | UnsetType] = UNSET
    description: DefaultOnError[str | None | UnsetType] = UNSET
    minimum: float | None | UnsetType = UNSET
    maximum: float | None | UnsetType = UNSET
    default: DefaultOnError[float | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class IntegerPropertySchema(Model, tag_field="type", tag="integer"):
    title: DefaultOnError[str | None | UnsetType] = UNSET
    description: DefaultOnError[str | None | UnsetType] = UNSET
    minimum: Int64 | None | UnsetType = UNSET
    maximum: Int64 | None | UnsetType = UNSET
    default: DefaultOnError[Int64 | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class BooleanPropertySchema(Model, tag_field="type", tag="boolean"):
    title: DefaultOnError[str | None | UnsetType] = UNSET
    description: DefaultOnError[str | None | UnsetType] = UNSET
    default: DefaultOnError[bool | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class MultiSelectPropertySchema(Model, tag_field="type", tag="array"):
    items: MultiSelectItems
    title: DefaultOnError[str | None | UnsetType] = UNSET
    description: DefaultOnError[str | None | UnsetType] = UNSET
    min_items: Uint64 | None | UnsetType = UNSET
    max_items: Uint64 | None | UnsetType = UNSET
    default: DefaultOnError[SkipInvalid[list[str] | None | UnsetType]] = UNSET
    meta: Metadata = UNSET


class OtherElicitationPropertySchema(Unknown, tag_field="type", tag=IMPOSSIBLE):
    """A variant of `ElicitationPropertySchema` whose `type` is not in the schema."""


StringFormat: TypeAlias = Closed[Literal["email", "uri", "date", "date-time"]]


class EnumOption(Model):
    const: str
    title: str
    description: DefaultOnError[str | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class StringMultiSelectItems(Model, tag_field="type", tag="string"):
    enum: list[str]
    meta: Metadata = UNSET


class OtherMultiSelectItems(Unknown, tag_field="type", tag=IMPOSSIBLE):
    """A variant of `MultiSelectItems` whose `type` is not in the schema."""


class TitledMultiSelectItems(Model):
    any_of: list[EnumOption]
    meta: Metadata = UNSET


class CompleteElicitationNotification(Notification):
    METHOD = "elicitation/complete"

    elicitation_id: ElicitationId
    meta: Metadata = UNSET


class ElicitationAcceptAction(Model, tag_field="action", tag="accept"):
    content: dict[str, ElicitationContentValue] | None | UnsetType = UNSET
    meta: Metadata = UNSET


class ElicitationDeclineAction(Model, tag_field="action", tag="decline"):
    meta: Metadata = UNSET


class ElicitationCancelAction(Model, tag_field="action", tag="cancel"):
    meta: Metadata = UNSET


class OtherCreateElicitationResponse(Unknown, tag_field="action", tag=IMPOSSIBLE):
    """A variant of `CreateElicitationResponse` whose `action` is not in the schema."""

    meta: Metadata = UNSET


ElicitationContentValue: TypeAlias = str | Int64 | float | bool | list[str]

ElicitationPropertySchema: TypeAlias = (
    StringPropertySchema
    | NumberPropertySchema
    | IntegerPropertySchema
    | BooleanPropertySchema
    | MultiSelectPropertySchema
    | OtherElicitationPropertySchema
)

MultiSelectItems: TypeAlias = Choice[
    StringMultiSelectItems | TitledMultiSelectItems | OtherMultiSelectItems
]

CreateElicitationResponse: TypeAlias = (
    ElicitationAcceptAction
    | ElicitationDeclineAction
    | ElicitationCancelAction
    | OtherCreateElicitationResponse
)


class ElicitationFormMode(Request[CreateElicitationResponse], tag_field="mode", tag="form"):
    METHOD = "elicitation/create"
    RESULT = CreateElicitationResponse

    message: str
    requested_schema: ElicitationSchema
    session_id: SessionId | UnsetType = UNSET
    tool_call_id: DefaultOnError[ToolCallId | None | UnsetType] = UNSET
    request_id: RequestId | UnsetType = UNSET
    meta: Metadata = UNSET

    def __post_init__(self) -> None:
        require_any(session_id=self.session_id, request_id=self.request_id)


class ElicitationUrlMode(Request[CreateElicitationResponse], tag_field="mode", tag="url"):
    METHOD = "elicitation/create"
    RESULT = CreateElicitationResponse

    message: str
    elicitation_id: ElicitationId
    url: str
    session_id: SessionId | UnsetType = UNSET
    tool_call_id: DefaultOnError[ToolCallId | None | UnsetType] = UNSET
    request_id: RequestId | UnsetType = UNSET
    meta: Metadata = UNSET

    def __post_init__(self) -> None:
        require_any(session_id=self.session_id, request_id=self.request_id)


class OtherCreateElicitationRequest(
    Unknown, Request[CreateElicitationResponse], tag_field="mode", tag=IMPOSSIBLE
):
    """A variant of `CreateElicitationRequest` whose `mode` is not in the schema."""

    METHOD = "elicitation/create"
    RESULT = CreateElicitationResponse

    message: str
    session_id: SessionId | UnsetType = UNSET
    tool_call_id: DefaultOnError[ToolCallId | None | UnsetType] = UNSET
    request_id: RequestId | UnsetType = UNSET
    meta: Metadata = UNSET

    def __post_init__(self) -> None:
        require_any(session_id=self.session_id, request_id=self.request_id)


CreateElicitationRequest: TypeAlias = (
    ElicitationFormMode | ElicitationUrlMode | OtherCreateElicitationRequest
)
