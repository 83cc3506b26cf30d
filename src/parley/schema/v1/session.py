"""The life of a session: open, find, prompt, cancel, close.

Generated from `schema/v1.json` by `python tools/generate_schema.py`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from parley.schema.base import (
    UNSET,
    DefaultOnError,
    Metadata,
    Model,
    Notification,
    NullAsEmpty,
    Open,
    Request,
    SkipInvalid,
    UnsetType,
)
from parley.schema.v1.config import SessionConfigOption
from parley.schema.v1.content import ContentBlock
from parley.schema.v1.ids import SessionId, SessionModeId
from parley.schema.v1.mcp import McpServer
from parley.schema.v1.state import StopReason, Usage


class NewSessionResponse(Model):
    session_id: SessionId
    modes: DefaultOnError[SessionModeState | None | UnsetType] = UNSET
    config_options: DefaultOnError[SkipInvalid[list[SessionConfigOption] | None | UnsetType]] = (
        UNSET
    )
    meta: Metadata = UNSET


class SessionModeState(Model):
    current_mode_id: SessionModeId
    available_modes: DefaultOnError[SkipInvalid[list[SessionMode]]]
    meta: Metadata = UNSET


class SessionMode(Model):
    id: SessionModeId
    name: str
    description: DefaultOnError[str | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class LoadSessionResponse(Model):
    modes: DefaultOnError[SessionModeState | None | UnsetType] = UNSET
    config_options: DefaultOnError[SkipInvalid[list[SessionConfigOption] | None | UnsetType]] = (
        UNSET
    )
    meta: Metadata = UNSET


class ListSessionsResponse(Model):
    sessions: DefaultOnError[SkipInvalid[list[SessionInfo]]]
    next_cursor: DefaultOnError[str | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class SessionInfo(Model):
    UNSTABLE_FIELDS = frozenset({"archived"})

    session_id: SessionId
    cwd: str
    additional_directories: DefaultOnError[SkipInvalid[list[str] | UnsetType]] = UNSET
    title: DefaultOnError[str | None | UnsetType] = UNSET
    updated_at: DefaultOnError[str | None | UnsetType] = UNSET
    archived: DefaultOnError[bool | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class DeleteSessionResponse(Model):
    meta: Metadata = UNSET


class ForkSessionResponse(Model):
    UNSTABLE = True

    session_id: SessionId
    modes: DefaultOnError[SessionModeState | None | UnsetType] = UNSET
    config_options: DefaultOnError[SkipInvalid[list[SessionConfigOption] | None | UnsetType]] = (
        UNSET
    )
    meta: Metadata = UNSET


class ArchiveSessionResponse(Model):
    UNSTABLE = True

    meta: Metadata = UNSET


class UnarchiveSessionResponse(Model):
    UNSTABLE = True

    meta: Metadata = UNSET


class SessionStatusResponse(Model):
    UNSTABLE = True

    status: SessionStatus
    meta: Metadata = UNSET


SessionStatus: TypeAlias = Open[Literal["open", "saved"]]


class SetSessionTitleResponse(Model):
    UNSTABLE = True

    title: str
    meta: Metadata = UNSET


class ResumeSessionResponse(Model):
    modes: DefaultOnError[SessionModeState | None | UnsetType] = UNSET
    config_options: DefaultOnError[SkipInvalid[list[SessionConfigOption] | None | UnsetType]] = (
        UNSET
    )
    meta: Metadata = UNSET


class CloseSessionResponse(Model):
    meta: Metadata = UNSET


class SetSessionModeResponse(Model):
    meta: Metadata = UNSET


class PromptResponse(Model):
    UNSTABLE_FIELDS = frozenset({"usage"})

    stop_reason: StopReason
    usage: DefaultOnError[Usage | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class SystemPrompt(Model):
    UNSTABLE = True

    mode: SystemPromptMode
    content: list[ContentBlock]
    meta: Metadata = UNSET


SystemPromptMode: TypeAlias = Open[Literal["append", "override"]]

SessionArchiveFilter: TypeAlias = Open[Literal["exclude", "include", "only"]]


class CancelNotification(Notification):
    METHOD = "session/cancel"

    session_id: SessionId
    meta: Metadata = UNSET


class NewSessionRequest(Request[NewSessionResponse]):
    METHOD = "session/new"
    RESULT = NewSessionResponse
    UNSTABLE_FIELDS = frozenset({"system_prompt"})

    cwd: str
    mcp_servers: NullAsEmpty[list[McpServer]]
    additional_directories: NullAsEmpty[list[str] | UnsetType] = UNSET
    system_prompt: SystemPrompt | None | UnsetType = UNSET
    meta: Metadata = UNSET


class LoadSessionRequest(Request[LoadSessionResponse]):
    METHOD = "session/load"
    RESULT = LoadSessionResponse
    UNSTABLE_FIELDS = frozenset({"system_prompt"})

    mcp_servers: NullAsEmpty[list[McpServer]]
    cwd: str
    session_id: SessionId
    additional_directories: NullAsEmpty[list[str] | UnsetType] = UNSET
    system_prompt: SystemPrompt | None | UnsetType = UNSET
    meta: Metadata = UNSET


class ListSessionsRequest(Request[ListSessionsResponse]):
    METHOD = "session/list"
    RESULT = ListSessionsResponse
    UNSTABLE_FIELDS = frozenset({"archived"})

    cwd: str | None | UnsetType = UNSET
    cursor: str | None | UnsetType = UNSET
    archived: SessionArchiveFilter | None | UnsetType = UNSET
    meta: Metadata = UNSET


class DeleteSessionRequest(Request[DeleteSessionResponse]):
    METHOD = "session/delete"
    RESULT = DeleteSessionResponse

    session_id: SessionId
    meta: Metadata = UNSET


class ForkSessionRequest(Request[ForkSessionResponse]):
    METHOD = "session/fork"
    RESULT = ForkSessionResponse
    UNSTABLE = True

    session_id: SessionId
    cwd: str
    additional_directories: NullAsEmpty[list[str] | UnsetType] = UNSET
    mcp_servers: NullAsEmpty[list[McpServer] | UnsetType] = UNSET
    system_prompt: SystemPrompt | None | UnsetType = UNSET
    meta: Metadata = UNSET


class ArchiveSessionRequest(Request[ArchiveSessionResponse]):
    METHOD = "session/archive"
    RESULT = ArchiveSessionResponse
    UNSTABLE = True

    session_id: SessionId
    meta: Metadata = UNSET


class UnarchiveSessionRequest(Request[UnarchiveSessionResponse]):
    METHOD = "session/unarchive"
    RESULT = UnarchiveSessionResponse
    UNSTABLE = True

    session_id: SessionId
    meta: Metadata = UNSET


class SessionStatusRequest(Request[SessionStatusResponse]):
    METHOD = "session/status"
    RESULT = SessionStatusResponse
    UNSTABLE = True

    session_id: SessionId
    meta: Metadata = UNSET


class SetSessionTitleRequest(Request[SetSessionTitleResponse]):
    METHOD = "session/set_title"
    RESULT = SetSessionTitleResponse
    UNSTABLE = True

    session_id: SessionId
    title: str
    meta: Metadata = UNSET


class ResumeSessionRequest(Request[ResumeSessionResponse]):
    METHOD = "session/resume"
    RESULT = ResumeSessionResponse
    UNSTABLE_FIELDS = frozenset({"system_prompt"})

    session_id: SessionId
    cwd: str
    additional_directories: NullAsEmpty[list[str] | UnsetType] = UNSET
    mcp_servers: NullAsEmpty[list[McpServer] | UnsetType] = UNSET
    system_prompt: SystemPrompt | None | UnsetType = UNSET
    meta: Metadata = UNSET


class CloseSessionRequest(Request[CloseSessionResponse]):
    METHOD = "session/close"
    RESULT = CloseSessionResponse

    session_id: SessionId
    meta: Metadata = UNSET


class SetSessionModeRequest(Request[SetSessionModeResponse]):
    METHOD = "session/set_mode"
    RESULT = SetSessionModeResponse

    session_id: SessionId
    mode_id: SessionModeId
    meta: Metadata = UNSET


class PromptRequest(Request[PromptResponse]):
    METHOD = "session/prompt"
    RESULT = PromptResponse

    session_id: SessionId
    prompt: list[ContentBlock]
    meta: Metadata = UNSET
