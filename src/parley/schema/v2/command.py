"""Slash commands that an agent offers.

Generated from `schema/v2.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from typing import TypeAlias

from parley.schema.base import (
    IMPOSSIBLE,
    UNSET,
    DefaultOnError,
    Metadata,
    Model,
    SkipInvalid,
    Unknown,
    UnsetType,
)


class Command(Model, tag_field="type", tag="command"):
    name: str
    description: str
    input: DefaultOnError[AvailableCommandInput | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class OtherAvailableCommand(Unknown, tag_field="type", tag=IMPOSSIBLE):
    """A variant of `AvailableCommand` whose `type` is not in the schema."""

    name: str
    description: str


class TextCommandInput(Model, tag_field="type", tag="text"):
    hint: str
    meta: Metadata = UNSET


class OtherAvailableCommandInput(Unknown, tag_field="type", tag=IMPOSSIBLE):
    """A variant of `AvailableCommandInput` whose `type` is not in the schema."""


class AvailableCommandsUpdate(Model, tag_field="sessionUpdate", tag="available_commands_update"):
    available_commands: SkipInvalid[list[AvailableCommand]]
    meta: Metadata = UNSET


AvailableCommand: TypeAlias = Command | OtherAvailableCommand

AvailableCommandInput: TypeAlias = TextCommandInput | OtherAvailableCommandInput
