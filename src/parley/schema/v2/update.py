"""What an agent reports while a session runs.

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
    Open,
    SkipInvalid,
    Uint64,
    Unknown,
    UnsetType,
)
from parley.schema.v2.command import AvailableCommandsUpdate
from parley.schema.v2.config import ConfigOptionUpdate
from parley.schema.v2.content import ContentBlock
from parley.schema.v2.ids import AbsolutePath, CompactionId, MessageId, SessionId
from parley.schema.v2.plan import PlanRemoved, PlanUpdate
from parley.schema.v2.state import StateUpdate
from parley.schema.v2.terminal import TerminalOutputChunk, TerminalUpdate
from parley.schema.v2.tool_call import ToolCallContentChunk, ToolCallProgress


class UpdateSessionNotification(Notification):
    METHOD = "session/update"

    session_id: SessionId
    update: SessionUpdate
    meta: Metadata = UNSET


class ContentChunk(Model):
    message_id: MessageId
    content: ContentBlock
    meta: Metadata = UNSET


class UserMessage(Model, tag_field="sessionUpdate", tag="user_message"):
    message_id: MessageId
    content: DefaultOnError[SkipInvalid[list[ContentBlock] | None | UnsetType]] = UNSET
    meta: Metadata = UNSET


class AgentMessage(Model, tag_field="sessionUpdate", tag="agent_message"):
    message_id: MessageId
    content: DefaultOnError[SkipInvalid[list[ContentBlock] | None | UnsetType]] = UNSET
    meta: Metadata = UNSET


class AgentThought(Model, tag_field="sessionUpdate", tag="agent_thought"):
    message_id: MessageId
    content: DefaultOnError[SkipInvalid[list[ContentBlock] | None | UnsetType]] = UNSET
    meta: Metadata = UNSET


class SessionStateUpdate(StateUpdate, tag_field="sessionUpdate", tag="state_update"):
    pass


class SessionInfoUpdate(Model, tag_field="sessionUpdate", tag="session_info_update"):
    title: DefaultOnError[str | None | UnsetType] = UNSET
    updated_at: DefaultOnError[str | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class UsageUpdate(Model, tag_field="sessionUpdate", tag="usage_update"):
    used: Uint64
    size: Uint64
    cost: DefaultOnError[Cost | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class Notice(Model, tag_field="sessionUpdate", tag="notice"):
    severity: NoticeSeverity
    title: NonEmpty[str]
    description: DefaultOnError[str | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class CompactionUpdate(Model, tag_field="sessionUpdate", tag="compaction_update"):
    compaction_id: CompactionId
    status: CompactionStatus
    summary: DefaultOnError[SkipInvalid[list[ContentBlock] | None | UnsetType]] = UNSET
    error: DefaultOnError[str | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class CompactionSummaryChunk(Model, tag_field="sessionUpdate", tag="compaction_summary_chunk"):
    compaction_id: CompactionId
    content: ContentBlock
    meta: Metadata = UNSET


class SubagentUpdate(Model, tag_field="sessionUpdate", tag="subagent_update"):
    UNSTABLE = True

    session_id: SessionId
    title: DefaultOnError[str | None | UnsetType] = UNSET
    description: DefaultOnError[str | None | UnsetType] = UNSET
    capabilities: DefaultOnError[SubagentSessionCapabilities | None | UnsetType] = UNSET
    state: DefaultOnError[StateUpdate | None | UnsetType] = UNSET
    cwd: AbsolutePath | None | UnsetType = UNSET
    additional_directories: list[AbsolutePath] | None | UnsetType = UNSET
    meta: Metadata = UNSET


class SessionMessage(Model, tag_field="sessionUpdate", tag="session_message"):
    UNSTABLE = True

    message_id: MessageId
    sender_session_id: DefaultOnError[SessionId | None | UnsetType] = UNSET
    recipient_session_id: DefaultOnError[SessionId | None | UnsetType] = UNSET
    sender_message_id: DefaultOnError[MessageId | None | UnsetType] = UNSET
    recipient_message_id: DefaultOnError[MessageId | None | UnsetType] = UNSET
    content: DefaultOnError[SkipInvalid[list[ContentBlock] | None | UnsetType]] = UNSET
    meta: Metadata = UNSET


class SessionMessageChunk(Model, tag_field="sessionUpdate", tag="session_message_chunk"):
    UNSTABLE = True

    message_id: MessageId
    content: ContentBlock
    meta: Metadata = UNSET


class OtherSessionUpdate(Unknown, tag_field="sessionUpdate", tag=IMPOSSIBLE):
    """A variant of `SessionUpdate` whose `sessionUpdate` is not in the schema."""


class Cost(Model):
    amount: float
    currency: str
    meta: Metadata = UNSET


NoticeSeverity: TypeAlias = Open[Literal["info", "warning", "error"]]

CompactionStatus: TypeAlias = Open[Literal["in_progress", "completed", "failed", "cancelled"]]


class SubagentSessionCapabilities(Model):
    UNSTABLE = True

    cancel: DefaultOnError[SessionCancelCapabilities | None | UnsetType] = UNSET
    meta: Metadata = UNSET


class SessionCancelCapabilities(Model):
    UNSTABLE = True

    meta: Metadata = UNSET


class UserMessageChunk(ContentChunk, tag_field="sessionUpdate", tag="user_message_chunk"):
    pass


class AgentMessageChunk(ContentChunk, tag_field="sessionUpdate", tag="agent_message_chunk"):
    pass


class AgentThoughtChunk(ContentChunk, tag_field="sessionUpdate", tag="agent_thought_chunk"):
    pass


SessionUpdate: TypeAlias = (
    UserMessageChunk
    | UserMessage
    | AgentMessageChunk
    | AgentMessage
    | AgentThoughtChunk
    | AgentThought
    | SessionStateUpdate
    | ToolCallContentChunk
    | ToolCallProgress
    | TerminalUpdate
    | TerminalOutputChunk
    | PlanUpdate
    | PlanRemoved
    | AvailableCommandsUpdate
    | ConfigOptionUpdate
    | SessionInfoUpdate
    | UsageUpdate
    | Notice
    | CompactionUpdate
    | CompactionSummaryChunk
    | SubagentUpdate
    | SessionMessage
    | SessionMessageChunk
    | OtherSessionUpdate
)
