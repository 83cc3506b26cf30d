"""Terminals.

Generated from `schema/v1.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from parley.schema.base import (
    UNSET,
    DefaultOnError,
    Metadata,
    Model,
    NullAsEmpty,
    Request,
    Uint32,
    Uint64,
    UnsetType,
)
from parley.schema.v1.ids import SessionId, TerminalId
from parley.schema.v1.mcp import EnvVariable


class CreateTerminalResponse(Model):
    terminal_id: TerminalId
    meta: Metadata = UNSET


class TerminalOutputResponse(Model):
    output: str
    truncated: bool
    exit_status: DefaultOnError[TerminalExitStatus | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class ReleaseTerminalResponse(Model):
    meta: Metadata = UNSET


class WaitForTerminalExitResponse(Model):
    exit_code: DefaultOnError[Uint32 | None | UnsetType] = UNSET
    signal: DefaultOnError[str | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class KillTerminalResponse(Model):
    meta: Metadata = UNSET


class TerminalExitStatus(Model):
    exit_code: DefaultOnError[Uint32 | None | UnsetType] = UNSET
    signal: DefaultOnError[str | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class CreateTerminalRequest(Request[CreateTerminalResponse]):
    METHOD = "terminal/create"
    RESULT = CreateTerminalResponse

    session_id: SessionId
    command: str
    args: NullAsEmpty[list[str] | UnsetType] = UNSET
    env: NullAsEmpty[list[EnvVariable] | UnsetType] = UNSET
    cwd: str | None | UnsetType = UNSET
    output_byte_limit: Uint64 | None | UnsetType = UNSET
    meta: Metadata = UNSET


class TerminalOutputRequest(Request[TerminalOutputResponse]):
    METHOD = "terminal/output"
    RESULT = TerminalOutputResponse

    session_id: SessionId
    terminal_id: TerminalId
    meta: Metadata = UNSET


class ReleaseTerminalRequest(Request[ReleaseTerminalResponse]):
    METHOD = "terminal/release"
    RESULT = ReleaseTerminalResponse

    session_id: SessionId
    terminal_id: TerminalId
    meta: Metadata = UNSET


class WaitForTerminalExitRequest(Request[WaitForTerminalExitResponse]):
    METHOD = "terminal/wait_for_exit"
    RESULT = WaitForTerminalExitResponse

    session_id: SessionId
    terminal_id: TerminalId
    meta: Metadata = UNSET


class KillTerminalRequest(Request[KillTerminalResponse]):
    METHOD = "terminal/kill"
    RESULT = KillTerminalResponse

    session_id: SessionId
    terminal_id: TerminalId
    meta: Metadata = UNSET
