"""Options of a session that a person may change.

Generated from `schema/v2.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from parley.schema.base import (
    IMPOSSIBLE,
    UNSET,
    Choice,
    DefaultOnError,
    Metadata,
    Model,
    NonEmpty,
    Open,
    Request,
    SkipInvalid,
    Unknown,
    UnsetType,
)
from parley.schema.v2.ids import (
    SessionConfigGroupId,
    SessionConfigId,
    SessionConfigValueId,
    SessionId,
)


class SessionConfigSelect(Model, tag_field="type", tag="select"):
    config_id: SessionConfigId
    name: str
    current_value: SessionConfigValueId
    options: SessionConfigSelectOptions
    description: DefaultOnError[str | None | UnsetType] = UNSET
    category: DefaultOnError[SessionConfigOptionCategory | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class SessionConfigBoolean(Model, tag_field="type", tag="boolean"):
    config_id: SessionConfigId
    name: str
    current_value: bool
    description: DefaultOnError[str | None | UnsetType] = UNSET
    category: DefaultOnError[SessionConfigOptionCategory | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class OtherSessionConfigOption(Unknown, tag_field="type", tag=IMPOSSIBLE):
    """A variant of `SessionConfigOption` whose `type` is not in the schema."""

    config_id: SessionConfigId
    name: str
    description: DefaultOnError[str | None | UnsetType] = UNSET
    category: DefaultOnError[SessionConfigOptionCategory | None | UnsetType] = UNSET
    meta: Metadata = UNSET


SessionConfigOptionCategory: TypeAlias = Open[
    Literal["mode", "model", "model_config", "thought_level"]
]


class SessionConfigSelectGroup(Model):
    group_id: SessionConfigGroupId
    name: str
    options: DefaultOnError[SkipInvalid[NonEmpty[list[SessionConfigSelectOption]]]]
    meta: Metadata = UNSET


class SessionConfigSelectOption(Model):
    value: SessionConfigValueId
    name: str
    description: DefaultOnError[str | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class SetSessionConfigOptionResponse(Model):
    config_options: SkipInvalid[list[SessionConfigOption]]
    meta: Metadata = UNSET


class ConfigOptionUpdate(Model, tag_field="sessionUpdate", tag="config_option_update"):
    config_options: SkipInvalid[list[SessionConfigOption]]
    meta: Metadata = UNSET


SessionConfigOption: TypeAlias = (
    SessionConfigSelect | SessionConfigBoolean | OtherSessionConfigOption
)

SessionConfigSelectOptions: TypeAlias = Choice[
    NonEmpty[list[SessionConfigSelectOption]] | NonEmpty[list[SessionConfigSelectGroup]]
]


class SetSelectConfigOption(Request[SetSessionConfigOptionResponse], tag_field="type", tag="id"):
    METHOD = "session/set_config_option"
    RESULT = SetSessionConfigOptionResponse

    session_id: SessionId
    config_id: SessionConfigId
    value: SessionConfigValueId
    meta: Metadata = UNSET


class SetBooleanConfigOption(
    Request[SetSessionConfigOptionResponse], tag_field="type", tag="boolean"
):
    METHOD = "session/set_config_option"
    RESULT = SetSessionConfigOptionResponse

    session_id: SessionId
    config_id: SessionConfigId
    value: bool
    meta: Metadata = UNSET


class OtherSetSessionConfigOptionRequest(
    Unknown, Request[SetSessionConfigOptionResponse], tag_field="type", tag=IMPOSSIBLE
):
    """A variant of `SetSessionConfigOptionRequest` whose `type` is not in the schema."""

    METHOD = "session/set_config_option"
    RESULT = SetSessionConfigOptionResponse

    session_id: SessionId
    config_id: SessionConfigId
    value: Any
    meta: Metadata = UNSET


SetSessionConfigOptionRequest: TypeAlias = (
    SetSelectConfigOption | SetBooleanConfigOption | OtherSetSessionConfigOptionRequest
)
