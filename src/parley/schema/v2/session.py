"""The life of a session: open, find, prompt, cancel, close.

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
    NonEmpty,
    Notification,
    NullAsEmpty,
    Open,
    Request,
    SkipInvalid,
    Unknown,
    UnsetType,
)
from parley.schema.v2.command import AvailableCommand
from parley.schema.v2.config import SessionConfigOption
from parley.schema.v2.content import ContentBlock
from parley.schema.v2.ids import AbsolutePath, MessageId, SessionId, SessionListCursor
from parley.schema.v2.mcp import McpServer
from parley.schema.v2.state import StateUpdate


class NewSessionResponse(Model):
    session_id: SessionId
    config_options: DefaultOnError[SkipInvalid[list[SessionConfigOption] | UnsetType]] = UNSET
    available_commands: DefaultOnError[SkipInvalid[list[AvailableCommand] | UnsetType]] = UNSET
    meta: Metadata = UNSET


class ListSessionsResponse(Model):
    sessions: DefaultOnError[SkipInvalid[list[SessionInfo]]]
    next_cursor: SessionListCursor | None | UnsetType = UNSET
    meta: Metadata = UNSET


class SessionInfo(Model):
    UNSTABLE_FIELDS = frozenset({"archived"})

    session_id: SessionId
    cwd: AbsolutePath
    additional_directories: NullAsEmpty[list[AbsolutePath] | UnsetType] = UNSET
    title: DefaultOnError[str | None | UnsetType] = UNSET
    updated_at: DefaultOnError[str | None | UnsetType] = UNSET
    archived: DefaultOnError[bool | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class DeleteSessionResponse(Model):
    meta: Metadata = UNSET


class ForkSessionResponse(Model):
    UNSTABLE = True

    session_id: SessionId
    config_options: DefaultOnError[SkipInvalid[list[SessionConfigOption] | UnsetType]] = UNSET
    available_commands: DefaultOnError[SkipInvalid[list[AvailableCommand] | UnsetType]] = UNSET
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
    state: DefaultOnError[StateUpdate | None | UnsetType] = UNSET
    meta: Metadata = UNSET


SessionStatus: TypeAlias = Open[Literal["open", "saved"]]


class SetSessionTitleResponse(Model):
    UNSTABLE = True

    title: str
    meta: Metadata = UNSET


class ResumeSessionResponse(Model):
    config_options: DefaultOnError[SkipInvalid[list[SessionConfigOption] | UnsetType]] = UNSET
    available_commands: DefaultOnError[SkipInvalid[list[AvailableCommand] | UnsetType]] = UNSET
    meta: Metadata = UNSET


class CloseSessionResponse(Model):
    meta: Metadata = UNSET


class PromptResponse(Model):
    message_id: MessageId
    meta: Metadata = UNSET


class SystemPrompt(Model):
    UNSTABLE = True

    mode: SystemPromptMode
    content: list[ContentBlock]
    meta: Metadata = UNSET


SystemPromptMode: TypeAlias = Open[Literal["append", "override"]]

SessionArchiveFilter: TypeAlias = Open[Literal["exclude", "include", "only"]]


class ReplayFromStart(Model, tag_field="type", tag="start"):
    meta: Metadata = UNSET


class OtherReplayFrom(Unknown, tag_field="type", tag=IMPOSSIBLE):
    """A variant of `ReplayFrom` whose `type` is not in the schema."""


class CancelSessionNotification(Notification):
    METHOD = "session/cancel"

    session_id: SessionId
    meta: Metadata = UNSET


class NewSessionRequest(Request[NewSessionResponse]):
    METHOD = "session/new"
    RESULT = NewSessionResponse
    UNSTABLE_FIELDS = frozenset({"system_prompt"})

    cwd: AbsolutePath
    additional_directories: NullAsEmpty[list[AbsolutePath] | UnsetType] = UNSET
    mcp_servers: NullAsEmpty[list[McpServer] | UnsetType] = UNSET
    system_prompt: SystemPrompt | None | UnsetType = UNSET
    meta: Metadata = UNSET


class ListSessionsRequest(Request[ListSessionsResponse]):
    METHOD = "session/list"
    RESULT = ListSessionsResponse
    UNSTABLE_FIELDS = frozenset({"archived"})

    cwd: AbsolutePath | None | UnsetType = UNSET
    cursor: SessionListCursor | None | UnsetType = UNSET
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
    cwd: AbsolutePath
    additional_directories: NullAsEmpty[list[AbsolutePath] | UnsetType] = UNSET
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
    cwd: AbsolutePath
    additional_directories: NullAsEmpty[list[AbsolutePath] | UnsetType] = UNSET
    mcp_servers: NullAsEmpty[list[McpServer] | UnsetType] = UNSET
    replay_from: ReplayFrom | None | UnsetType = UNSET
    system_prompt: SystemPrompt | None | UnsetType = UNSET
    meta: Metadata = UNSET


class CloseSessionRequest(Request[CloseSessionResponse]):
    METHOD = "session/close"
    RESULT = CloseSessionResponse

    session_id: SessionId
    meta: Metadata = UNSET


class PromptRequest(Request[PromptResponse]):
    METHOD = "session/prompt"
    RESULT = PromptResponse

    session_id: SessionId
    prompt: NonEmpty[list[ContentBlock]]
    meta: Metadata = UNSET


ReplayFrom: TypeAlias = ReplayFromStart | OtherReplayFrom
