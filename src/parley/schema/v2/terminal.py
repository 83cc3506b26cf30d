"""Terminals.

Generated from `schema/v2.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from typing import Annotated

from parley.schema.base import (
    UNSET,
    DefaultOnError,
    Int64,
    Meta,
    Metadata,
    Model,
    Request,
    UnsetType,
)
from parley.schema.v2.ids import AbsolutePath, SessionId, TerminalId


class CancelTerminalResponse(Model):
    meta: Metadata = UNSET


class TerminalUpdate(Model, tag_field="sessionUpdate", tag="terminal_update"):
    terminal_id: TerminalId
    command: DefaultOnError[str | None | UnsetType] = UNSET
    cwd: DefaultOnError[AbsolutePath | None | UnsetType] = UNSET
    output: DefaultOnError[TerminalOutput | None | UnsetType] = UNSET
    exit_status: DefaultOnError[TerminalExitStatus | None | UnsetType] = UNSET
    size: DefaultOnError[TerminalSize | None | UnsetType] = UNSET
    capabilities: DefaultOnError[TerminalCapabilities | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class TerminalOutputChunk(Model, tag_field="sessionUpdate", tag="terminal_output_chunk"):
    terminal_id: TerminalId
    data: str
    meta: Metadata = UNSET


class TerminalOutput(Model):
    data: str
    meta: Metadata = UNSET


class TerminalExitStatus(Model):
    exit_code: DefaultOnError[Int64 | None | UnsetType] = UNSET
    signal: DefaultOnError[str | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class TerminalSize(Model):
    cols: Annotated[int, Meta(ge=1, le=65535)]
    rows: Annotated[int, Meta(ge=1, le=65535)]
    meta: Metadata = UNSET


class TerminalCapabilities(Model):
    cancel: DefaultOnError[TerminalCancelCapabilities | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class TerminalCancelCapabilities(Model):
    meta: Metadata = UNSET


class CancelTerminalRequest(Request[CancelTerminalResponse]):
    METHOD = "terminal/cancel"
    RESULT = CancelTerminalResponse

    session_id: SessionId
    terminal_id: TerminalId
    meta: Metadata = UNSET
