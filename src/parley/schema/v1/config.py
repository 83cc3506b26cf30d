"""Options of a session that a person may change.

Generated from `schema/v1.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from parley.schema.base import (
    IMPOSSIBLE,
    UNSET,
    Choice,
    DefaultOnError,
    Metadata,
    Model,
    Open,
    Request,
    SkipInvalid,
    Unknown,
    UnsetType,
)
from parley.schema.v1.ids import (
    SessionConfigGroupId,
    SessionConfigId,
    SessionConfigValueId,
    SessionId,
)


class SessionConfigSelect(Model, tag_field="type", tag="select"):
    id: SessionConfigId
    name: str
    current_value: SessionConfigValueId
    options: SessionConfigSelectOptions
    description: DefaultOnError[str | None | UnsetType] = UNSET
    category: DefaultOnError[SessionConfigOptionCategory | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class SessionConfigBoolean(Model, tag_field="type", tag="boolean"):
    id: SessionConfigId
    name: str
    current_value: bool
    description: DefaultOnError[str | None | UnsetType] = UNSET
    category: DefaultOnError[SessionConfigOptionCategory | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class OtherSessionConfigOption(Unknown, tag_field="type", tag=IMPOSSIBLE):
    """A variant of `SessionConfigOption` whose `type` is not in the schema."""

    CLOSED = True

    id: SessionConfigId
    name: str
    description: DefaultOnError[str | None | UnsetType] = UNSET
    category: DefaultOnError[SessionConfigOptionCategory | None | UnsetType] = UNSET
    meta: Metadata = UNSET


SessionConfigOptionCategory: TypeAlias = Open[
    Literal["mode", "model", "model_config", "thought_level"]
]


class SessionConfigSelectGroup(Model):
    group: SessionConfigGroupId
    name: str
    options: DefaultOnError[SkipInvalid[list[SessionConfigSelectOption]]]
    meta: Metadata = UNSET


class SessionConfigSelectOption(Model):
    value: SessionConfigValueId
    name: str
    description: DefaultOnError[str | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class SetSessionConfigOptionResponse(Model):
    config_options: DefaultOnError[SkipInvalid[list[SessionConfigOption]]]
    meta: Metadata = UNSET


class ConfigOptionUpdate(Model, tag_field="sessionUpdate", tag="config_option_update"):
    config_options: DefaultOnError[SkipInvalid[list[SessionConfigOption]]]
    meta: Metadata = UNSET


SessionConfigOption: TypeAlias = (
    SessionConfigSelect | SessionConfigBoolean | OtherSessionConfigOption
)

SessionConfigSelectOptions: TypeAlias = Choice[
    list[SessionConfigSelectOption] | list[SessionConfigSelectGroup]
]


class SetBooleanConfigOption(
    Request[SetSessionConfigOptionResponse], tag_field="type", tag="boolean"
):
    METHOD = "session/set_config_option"
    RESULT = SetSessionConfigOptionResponse

    session_id: SessionId
    config_id: SessionConfigId
    value: bool
    meta: Metadata = UNSET


class SetSelectConfigOption(Request[SetSessionConfigOptionResponse]):
    METHOD = "session/set_config_option"
    RESULT = SetSessionConfigOptionResponse
    TAGS = ("id",)

    session_id: SessionId
    config_id: SessionConfigId
    value: SessionConfigValueId
    meta: Metadata = UNSET


class OtherSetSessionConfigOptionRequest(
    Unknown, Request[SetSessionConfigOptionResponse], tag_field="type", tag=IMPOSSIBLE
):
    """A variant of `SetSessionConfigOptionRequest` whose `type` is not in the schema."""

    CLOSED = True
    METHOD = "session/set_config_option"
    RESULT = SetSessionConfigOptionResponse

    session_id: SessionId
    config_id: SessionConfigId
    meta: Metadata = UNSET


SetSessionConfigOptionRequest: TypeAlias = Choice[
    SetBooleanConfigOption | SetSelectConfigOption | OtherSetSessionConfigOptionRequest
]
