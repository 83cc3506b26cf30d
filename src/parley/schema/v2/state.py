"""What a session is busy with.

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
    Open,
    Uint64,
    Unknown,
    UnsetType,
)
from parley.schema.v2.ids import SessionId, TerminalId, ToolCallId
from parley.schema.v2.request import Error

StopReason: TypeAlias = Open[
    Literal["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "error"]
]

ActivityState: TypeAlias = Open[Literal["running", "idle", "requires_action", "unknown"]]


class StateUpdate(Model):
    UNSTABLE_FIELDS = frozenset({"usage"})

    state: ActivityState
    background: DefaultOnError[list[BackgroundWork] | None | UnsetType] = UNSET
    usage: DefaultOnError[Usage | None | UnsetType] = UNSET
    stop_reason: DefaultOnError[StopReason | None | UnsetType] = UNSET
    error: DefaultOnError[Error | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class BackgroundTerminal(Model, tag_field="type", tag="terminal"):
    terminal_id: TerminalId
    meta: Metadata = UNSET


class BackgroundToolCall(Model, tag_field="type", tag="tool_call"):
    tool_call_id: ToolCallId
    meta: Metadata = UNSET


class BackgroundSubagent(Model, tag_field="type", tag="subagent"):
    UNSTABLE = True

    session_id: SessionId
    meta: Metadata = UNSET


class OtherBackgroundWork(Unknown, tag_field="type", tag=IMPOSSIBLE):
    """A variant of `BackgroundWork` whose `type` is not in the schema."""


class Usage(Model):
    UNSTABLE = True

    total_tokens: Uint64
    input_tokens: Uint64
    output_tokens: Uint64
    thought_tokens: DefaultOnError[Uint64 | None | UnsetType] = UNSET
    cached_read_tokens: DefaultOnError[Uint64 | None | UnsetType] = UNSET
    cached_write_tokens: DefaultOnError[Uint64 | None | UnsetType] = UNSET
    meta: Metadata = UNSET


BackgroundWork: TypeAlias = (
    BackgroundTerminal | BackgroundToolCall | BackgroundSubagent | OtherBackgroundWork
)
