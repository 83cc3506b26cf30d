"""What an agent reports about a session, in the words of neither version.

Events are past tense. They encode to JSON by themselves (`msgspec.json.encode`), which is how
they are stored. A field that is `UNSET` says nothing; `None` clears what was there before.
"""

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

from parley.session.content import Block, Location, Meta, Text, ToolItem
from parley.session.option import Command, Option, Plan

Speaker = Literal["user", "agent", "thought"]
StopReason = (
    Literal["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "error"] | str
)
ToolKind = (
    Literal[
        "read",
        "edit",
        "delete",
        "move",
        "search",
        "execute",
        "think",
        "fetch",
        "switch_mode",
        "other",
    ]
    | str
)
ToolStatus = Literal["pending", "in_progress", "paused", "completed", "failed", "cancelled"] | str

FINAL_STATUSES = frozenset({"completed", "failed", "cancelled"})


REPEATS_FAILURE = "parley.dev/repeatsFailure"
"""In the `meta` of a chunk: it only says what the failure of the turn says, which follows."""
PARENT_CALL = "parley.dev/parentToolCallId"
"""In the `meta` of a tool call: the id of the call that it is a part of."""


class ChunkAdded(Struct, frozen=True, omit_defaults=True, tag_field="event", tag="chunk_added"):
    """A message, or a thought, grew by one block; text joins the text before it."""

    speaker: Speaker
    content: Block
    message_id: str | None = None
    meta: Meta | None = None


def is_plain(chunk: ChunkAdded) -> bool:
    """Whether a chunk is text and nothing else, so that joining it to other text loses nothing."""
    content = chunk.content
    return (
        type(content) is Text
        and content.annotations is None
        and content.meta is None
        and chunk.meta is None
    )


class MessageChanged(
    Struct, frozen=True, omit_defaults=True, tag_field="event", tag="message_changed"
):
    """A message was made or replaced as a whole; `UNSET` content leaves it as it was."""

    speaker: Speaker
    message_id: str
    content: tuple[Block, ...] | UnsetType | None = UNSET
    meta: Meta | UnsetType | None = UNSET


class ToolCallChanged(
    Struct, frozen=True, omit_defaults=True, tag_field="event", tag="tool_call_changed"
):
    """A tool call began, or something about it changed."""

    id: str
    title: str | UnsetType | None = UNSET
    name: str | UnsetType | None = UNSET
    kind: ToolKind | UnsetType | None = UNSET
    status: ToolStatus | UnsetType | None = UNSET
    content: tuple[ToolItem, ...] | UnsetType | None = UNSET
    locations: tuple[Location, ...] | UnsetType | None = UNSET
    raw_input: Any = UNSET
    raw_output: Any = UNSET
    cancellable: bool | UnsetType = UNSET
    """Whether the client may cancel this call alone."""
    meta: Meta | UnsetType | None = UNSET


class ToolContentAdded(
    Struct, frozen=True, omit_defaults=True, tag_field="event", tag="tool_content_added"
):
    id: str
    item: ToolItem
    meta: Meta | None = None


class ExitStatus(Struct, frozen=True, omit_defaults=True):
    code: int | None = None
    signal: str | None = None
    meta: Meta | None = None


class TerminalSize(Struct, frozen=True, omit_defaults=True):
    columns: int
    rows: int
    meta: Meta | None = None


class TerminalChanged(
    Struct, frozen=True, omit_defaults=True, tag_field="event", tag="terminal_changed"
):
    """A terminal that the agent shows began, or something about it changed."""

    id: str
    command: str | UnsetType | None = UNSET
    cwd: str | UnsetType | None = UNSET
    output: bytes | UnsetType | None = UNSET
    """Replaces everything shown so far."""
    exit: ExitStatus | UnsetType | None = UNSET
    size: TerminalSize | UnsetType | None = UNSET
    cancellable: bool | UnsetType = UNSET
    meta: Meta | UnsetType | None = UNSET


class TerminalOutputAdded(
    Struct, frozen=True, omit_defaults=True, tag_field="event", tag="terminal_output_added"
):
    id: str
    data: bytes
    meta: Meta | None = None


class PlanChanged(Struct, frozen=True, omit_defaults=True, tag_field="event", tag="plan_changed"):
    id: str
    plan: Plan
    meta: Meta | None = None


class PlanRemoved(Struct, frozen=True, omit_defaults=True, tag_field="event", tag="plan_removed"):
    id: str
    meta: Meta | None = None


class CommandsChanged(
    Struct, frozen=True, omit_defaults=True, tag_field="event", tag="commands_changed"
):
    """The complete list of commands."""

    commands: tuple[Command, ...]
    meta: Meta | None = None


class OptionsChanged(
    Struct, frozen=True, omit_defaults=True, tag_field="event", tag="options_changed"
):
    """The complete list of options with their values."""

    options: tuple[Option, ...]
    meta: Meta | None = None


class InfoChanged(Struct, frozen=True, omit_defaults=True, tag_field="event", tag="info_changed"):
    title: str | UnsetType | None = UNSET
    updated_at: str | UnsetType | None = UNSET
    meta: Meta | UnsetType | None = UNSET


class Cost(Struct, frozen=True, omit_defaults=True):
    amount: float
    currency: str
    meta: Meta | None = None


class UsageChanged(Struct, frozen=True, omit_defaults=True, tag_field="event", tag="usage_changed"):
    """How full the model's context is, in tokens, and what the session has cost."""

    used: int
    size: int
    cost: Cost | UnsetType | None = UNSET
    meta: Meta | None = None


class TurnUsage(Struct, frozen=True, omit_defaults=True):
    """Tokens of one turn."""

    total: int
    input: int
    output: int
    thought: int | None = None
    cached_read: int | None = None
    cached_write: int | None = None
    meta: Meta | None = None


class Failure(Struct, frozen=True, omit_defaults=True):
    """Why a turn ended with an error."""

    code: int
    message: str
    data: Any = None


class BackgroundWork(Struct, frozen=True, omit_defaults=True):
    """Work that goes on while the session is idle: a terminal, a tool call, a sub-agent."""

    kind: Literal["terminal", "tool_call", "subagent"] | str
    id: str
    raw: dict[str, Any] | None = None
    meta: Meta | None = None


class StateChanged(Struct, frozen=True, omit_defaults=True, tag_field="event", tag="state_changed"):
    """A snapshot of what the session does. A turn is over when it becomes `idle`."""

    state: Literal["running", "idle", "requires_action", "unknown"] | str
    stop_reason: StopReason | None = None
    failure: Failure | None = None
    usage: TurnUsage | None = None
    background: tuple[BackgroundWork, ...] | None = None
    meta: Meta | None = None


class NoticeGiven(Struct, frozen=True, omit_defaults=True, tag_field="event", tag="notice_given"):
    """Something the user should know and the model need not; not part of the conversation."""

    title: str
    severity: Literal["info", "warning", "error"] | str = "info"
    description: str | None = None
    meta: Meta | None = None


class CompactionChanged(
    Struct, frozen=True, omit_defaults=True, tag_field="event", tag="compaction_changed"
):
    id: str
    status: Literal["in_progress", "completed", "failed", "cancelled"] | str
    summary: tuple[Block, ...] | UnsetType | None = UNSET
    error: str | UnsetType | None = UNSET
    meta: Meta | UnsetType | None = UNSET


class CompactionSummaryAdded(
    Struct, frozen=True, omit_defaults=True, tag_field="event", tag="compaction_summary_added"
):
    id: str
    content: Block
    meta: Meta | None = None


class SubagentChanged(
    Struct, frozen=True, omit_defaults=True, tag_field="event", tag="subagent_changed"
):
    """A session that works for this one. Unstable in both versions."""

    session_id: str
    title: str | UnsetType | None = UNSET
    description: str | UnsetType | None = UNSET
    state: StateChanged | UnsetType | None = UNSET
    cwd: str | UnsetType | None = UNSET
    additional_directories: tuple[str, ...] | UnsetType | None = UNSET
    cancellable: bool | UnsetType = UNSET
    meta: Meta | UnsetType | None = UNSET


class SessionMessageChanged(
    Struct, frozen=True, omit_defaults=True, tag_field="event", tag="session_message_changed"
):
    """A message between two sessions. Unstable in both versions."""

    message_id: str
    sender_session_id: str | UnsetType | None = UNSET
    recipient_session_id: str | UnsetType | None = UNSET
    sender_message_id: str | UnsetType | None = UNSET
    recipient_message_id: str | UnsetType | None = UNSET
    content: tuple[Block, ...] | UnsetType | None = UNSET
    meta: Meta | UnsetType | None = UNSET


class SessionMessageChunkAdded(
    Struct, frozen=True, omit_defaults=True, tag_field="event", tag="session_message_chunk_added"
):
    message_id: str
    content: Block
    meta: Meta | None = None


class OtherHappened(
    Struct, frozen=True, omit_defaults=True, tag_field="event", tag="other_happened"
):
    """An update nobody here knows, kept as it came."""

    kind: str
    raw: dict[str, Any]


Event = (
    ChunkAdded
    | MessageChanged
    | ToolCallChanged
    | ToolContentAdded
    | TerminalChanged
    | TerminalOutputAdded
    | PlanChanged
    | PlanRemoved
    | CommandsChanged
    | OptionsChanged
    | InfoChanged
    | UsageChanged
    | StateChanged
    | NoticeGiven
    | CompactionChanged
    | CompactionSummaryAdded
    | SubagentChanged
    | SessionMessageChanged
    | SessionMessageChunkAdded
    | OtherHappened
)
