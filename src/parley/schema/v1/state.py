"""What a session is busy with.

Generated from `schema/v1.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from parley.schema.base import (
    UNSET,
    Closed,
    DefaultOnError,
    Metadata,
    Model,
    Open,
    Uint64,
    UnsetType,
)
from parley.schema.v1.request import Error

StopReason: TypeAlias = Closed[
    Literal["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"]
]


class Usage(Model):
    UNSTABLE = True

    total_tokens: Uint64
    input_tokens: Uint64
    output_tokens: Uint64
    thought_tokens: DefaultOnError[Uint64 | None | UnsetType] = UNSET
    cached_read_tokens: DefaultOnError[Uint64 | None | UnsetType] = UNSET
    cached_write_tokens: DefaultOnError[Uint64 | None | UnsetType] = UNSET
    meta: Metadata = UNSET


IdleStopReason: TypeAlias = Open[
    Literal["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "error"]
]

ActivityState: TypeAlias = Open[Literal["running", "idle", "requires_action", "unknown"]]


class StateUpdate(Model):
    UNSTABLE = True

    state: ActivityState
    usage: DefaultOnError[Usage | None | UnsetType] = UNSET
    stop_reason: DefaultOnError[IdleStopReason | None | UnsetType] = UNSET
    error: DefaultOnError[Error | None | UnsetType] = UNSET
    meta: Metadata = UNSET
