"""Slash commands that an agent offers.

Generated from `schema/v1.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from typing import TypeAlias

from parley.schema.base import UNSET, DefaultOnError, Metadata, Model, SkipInvalid, UnsetType


class AvailableCommandsUpdate(Model, tag_field="sessionUpdate", tag="available_commands_update"):
    available_commands: DefaultOnError[SkipInvalid[list[AvailableCommand]]]
    meta: Metadata = UNSET


class AvailableCommand(Model):
    name: str
    description: str
    input: DefaultOnError[AvailableCommandInput | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class UnstructuredCommandInput(Model):
    hint: str
    meta: Metadata = UNSET


AvailableCommandInput: TypeAlias = UnstructuredCommandInput
