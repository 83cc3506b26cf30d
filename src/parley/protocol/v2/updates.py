"""Session events as updates of version 2, and back. Pure.

`Outgoing` turns an event into updates, `Incoming` an update into events. After a round trip an
event is what it was, up to this projection:

- A chunk without a message id has one: that of the message it continues, or a new one.
- A diff has a patch instead of texts; what is kept as `Other...` has its tag among its members.
- What the unstable part says is left out unless it is spoken: `plan_removed` becomes an empty
  plan, plans in Markdown or in a file become lists, sub-agents and messages between sessions go.
- What version 2 does not allow is put right or left out, each with a loss that says so.
"""

import math
from typing import cast, get_args

from msgspec import UNSET, UnsetType

from parley.protocol.text_stream import TextStream
from parley.protocol.v2.content import block_from, block_model, block_models, blocks_from
from parley.protocol.v2.loss import Lose, given, mapped, members_of, told
from parley.protocol.v2.option import (
    command_models,
    commands_from,
    option_models,
    options_from,
    plan_from,
    plan_model,
)
from parley.protocol.v2.state import state_from, state_model
from parley.protocol.v2.tool_call import (
    terminal_from,
    terminal_output_chunk,
    terminal_output_from,
    terminal_update,
    tool_call_from,
    tool_call_update,
    tool_content_chunk,
    tool_content_from,
)
from parley.protocol.v2.values import sound_time
from parley.schema import v2
from parley.session.event import (
    ChunkAdded,
    CommandsChanged,
    CompactionChanged,
    CompactionSummaryAdded,
    Cost,
    Event,
    InfoChanged,
    MessageChanged,
    NoticeGiven,
    OptionsChanged,
    OtherHappened,
    PlanChanged,
    PlanRemoved,
    SessionMessageChanged,
    SessionMessageChunkAdded,
    Speaker,
    StateChanged,
    SubagentChanged,
    TerminalChanged,
    TerminalOutputAdded,
    ToolCallChanged,
    ToolContentAdded,
    UsageChanged,
)
from parley.session.option import PlanItems

V1_TAGS = frozenset({"tool_call", "plan", "current_mode_update"})
"""Updates that version 1 has and version 2 has removed (DEC-16)."""

_KNOWN_TAGS = {kind.__struct_config__.tag for kind in get_args(v2.SessionUpdate)}
_CHUNKS: dict[Speaker, type[v2.UserMessageChunk | v2.AgentMessageChunk | v2.AgentThoughtChunk]] = {
    "user": v2.UserMessageChunk,
    "agent": v2.AgentMessageChunk,
    "thought": v2.AgentThoughtChunk,
}
_MESSAGES: dict[Speaker, type[v2.UserMessage | v2.AgentMessage | v2.AgentThought]] = {
    "user": v2.UserMessage,
    "agent": v2.AgentMessage,
    "thought": v2.AgentThought,
}
_CHUNK_SPEAKERS: dict[type[v2.SessionUpdate], Speaker] = {
    kind: speaker for speaker, kind in _CHUNKS.items()
}
_MESSAGE_SPEAKERS: dict[type[v2.SessionUpdate], Speaker] = {
    kind: speaker for speaker, kind in _MESSAGES.items()
}


class Outgoing:
    """The updates of one session, from the first one on.

    Every chunk needs a message id (V2-MSG-01). One that has none continues the open message if
    its speaker says that one too; the rules are those of `parley.session.transcript`. Ids are
    counted, so that a replay of the same events gives the same ids (V2-RES-04); `token` keeps
    those of a session that goes on without a replay apart from the earlier ones.
    """

    def __init__(self, lose: Lose, *, unstable: bool = False, token: str = "") -> None:
        self._lose = lose
        self._unstable = unstable
        self._token = token
        self._count = 0
        self._open_speaker: Speaker | None = None
        self._open_id = ""
        self._state = "idle"
        self._seen: set[tuple[str, str]] = set()
        self.stream = TextStream()

    def updates_for(self, event: Event) -> list[v2.SessionUpdate]:
        """The updates that tell an event, in order."""
        if type(event) is ChunkAdded:
            return [self._chunk(event)]
        update = self._transcript_update(event)
        return [] if update is None else [update]

    def met(self, tool_call_id: str) -> None:
        """A tool call was named elsewhere, for instance in a permission request."""
        self.stream.forget()
        self._begin("tool_call", tool_call_id)

    def _chunk(self, event: ChunkAdded) -> v2.SessionUpdate:
        speaker, message_id, content = event.speaker, event.message_id, event.content
        if message_id is None:
            message_id = self._open_id if self._open_speaker == speaker else self._new_id(speaker)
        self._open_speaker, self._open_id = speaker, message_id
        block = block_model(content, self._lose)
        if event.meta is None:
            return _CHUNKS[speaker](message_id=message_id, content=block)
        return _CHUNKS[speaker](message_id=message_id, content=block, meta=event.meta)

    def _new_id(self, speaker: Speaker) -> str:
        self._count += 1
        return f"unnamed-{speaker}-{self._token}{self._count}"

    def _begin(self, kind: str, id: str) -> None:
        """Whatever takes a place of its own in the transcript closes the open message."""
        if (kind, id) not in self._seen:
            self._seen.add((kind, id))
            self._open_speaker = None

    def _transcript_update(self, event: Event) -> v2.SessionUpdate | None:
        lose = self._lose
        match event:
            case MessageChanged(speaker=speaker, message_id=message_id):
                self._open_speaker, self._open_id = speaker, message_id
                content = mapped(event.content, lambda blocks: block_models(blocks, lose))
                return _MESSAGES[speaker](message_id=message_id, content=content, meta=event.meta)
            case ToolCallChanged(id=id):
                self._begin("tool_call", id)
                return tool_call_update(event, lose)
            case ToolContentAdded(id=id):
                self._begin("tool_call", id)
                return tool_content_chunk(event, lose)
            case StateChanged(state=state):
                if self._state == "idle" or state == "idle":
                    self._open_speaker = None  # The border of a turn.
                self._state = state
                return state_model(v2.SessionStateUpdate, event, unstable=self._unstable, lose=lose)
            case CompactionChanged(id=id):
                self._begin("compaction", id)
                return v2.CompactionUpdate(
                    compaction_id=id,
                    status=event.status,
                    summary=mapped(event.summary, lambda blocks: block_models(blocks, lose)),
                    error=event.error,
                    meta=event.meta,
                )
            case CompactionSummaryAdded(id=id):
                self._begin("compaction", id)
                block = block_model(event.content, lose)
                return v2.CompactionSummaryChunk(
                    compaction_id=id, content=block, meta=given(event.meta)
                )
            case SessionMessageChanged(message_id=id) | SessionMessageChunkAdded(message_id=id):
                self._begin("session_message", id)
                return self._session_message_update(event)
            case _:
                return self._side_update(event)

    def _session_message_update(
        self, event: SessionMessageChanged | SessionMessageChunkAdded
    ) -> v2.SessionUpdate | None:
        lose = self._lose
        if not self._unstable:
            lose("session_message", "a message between two sessions")
            return None
        if isinstance(event, SessionMessageChunkAdded):
            block = block_model(event.content, lose)
            return v2.SessionMessageChunk(
                message_id=event.message_id, content=block, meta=given(event.meta)
            )
        return v2.SessionMessage(
            message_id=event.message_id,
            sender_session_id=event.sender_session_id,
            recipient_session_id=event.recipient_session_id,
            sender_message_id=event.sender_message_id,
            recipient_message_id=event.recipient_message_id,
            content=mapped(event.content, lambda blocks: block_models(blocks, lose)),
            meta=event.meta,
        )

    def _side_update(self, event: Event) -> v2.SessionUpdate | None:
        """What has no place in the transcript."""
        lose = self._lose
        match event:
            case TerminalChanged():
                return terminal_update(event, lose)
            case TerminalOutputAdded():
                return terminal_output_chunk(event)
            case PlanChanged(id=id, plan=plan, meta=meta):
                model = plan_model(id, plan, unstable=self._unstable, lose=lose)
                return v2.PlanUpdate(plan=model, meta=given(meta))
            case PlanRemoved(id=id, meta=meta):
                if self._unstable:
                    return v2.PlanRemoved(plan_id=id, meta=given(meta))
                lose("plan.removed", "the end of a plan, sent as an empty one")
                model = plan_model(id, PlanItems(()), unstable=False, lose=lose)
                return v2.PlanUpdate(plan=model, meta=given(meta))
            case CommandsChanged(commands=commands, meta=meta):
                models = command_models(commands, lose)
                return v2.AvailableCommandsUpdate(available_commands=models, meta=given(meta))
            case OptionsChanged(options=options, meta=meta):
                models = option_models(options, lose)
                return v2.ConfigOptionUpdate(config_options=models, meta=given(meta))
            case InfoChanged(title=title, updated_at=updated_at, meta=meta):
                if isinstance(updated_at, str):
                    updated_at = given(sound_time(updated_at, lose))
                return v2.SessionInfoUpdate(title=title, updated_at=updated_at, meta=meta)
            case UsageChanged():
                return _usage_update(event, lose)
            case NoticeGiven():
                return _notice(event, lose)
            case SubagentChanged():
                return self._subagent_update(event)
            case OtherHappened(kind=kind, raw=raw):
                if kind in V1_TAGS or kind in _KNOWN_TAGS:
                    # V2-TC-02: the removed ones are not sent, and a known one is not sent raw.
                    lose("update.kind", "an update under the name of another one")
                    return None
                return v2.OtherSessionUpdate.of({**raw, "sessionUpdate": kind})
            case _:
                raise TypeError(f"`{type(event).__name__}` is not an event")

    def _subagent_update(self, event: SubagentChanged) -> v2.SubagentUpdate | None:
        if not self._unstable:
            self._lose("subagent", "a session that works for this one")
            return None
        directories = mapped(event.additional_directories, lambda paths: list(paths))
        return v2.SubagentUpdate(
            session_id=event.session_id,
            title=event.title,
            description=event.description,
            capabilities=mapped(event.cancellable, _subagent_capabilities),
            state=mapped(
                event.state,
                lambda state: state_model(v2.StateUpdate, state, unstable=True, lose=self._lose),
            ),
            cwd=event.cwd,
            additional_directories=directories,
            meta=event.meta,
        )


def _subagent_capabilities(cancellable: bool) -> v2.SubagentSessionCapabilities | None:
    if not cancellable:
        return None
    return v2.SubagentSessionCapabilities(cancel=v2.SessionCancelCapabilities())


def _usage_update(event: UsageChanged, lose: Lose) -> v2.UsageUpdate | None:
    if event.used < 0 or event.size < 0:
        lose("usage", "a negative number of tokens")
        return None
    cost = event.cost
    if isinstance(cost, Cost) and not math.isfinite(cost.amount):
        lose("usage.cost", "an amount that is not a number")
        cost = UNSET
    return v2.UsageUpdate(
        used=event.used,
        size=event.size,
        cost=mapped(
            cost,
            lambda cost: v2.Cost(amount=cost.amount, currency=cost.currency, meta=given(cost.meta)),
        ),
        meta=given(event.meta),
    )


def _notice(event: NoticeGiven, lose: Lose) -> v2.Notice | None:
    if not event.title:
        lose("notice.title", "a notice without a title")
        return None
    return v2.Notice(
        severity=event.severity,
        title=event.title,
        description=given(event.description),
        meta=given(event.meta),
    )


class Incoming:
    """The events that updates tell. Every update tells at least one, unless it says nothing."""

    def __init__(self, lose: Lose) -> None:
        self._lose = lose

    def events_from(self, update: v2.SessionUpdate) -> list[Event]:
        """The events of an update, in order."""
        # EXT-15: what is attached to a chunk belongs to the chunk alone.
        speaker = _CHUNK_SPEAKERS.get(type(update))
        if speaker is not None:
            chunk = cast("v2.ContentChunk", update)
            block, meta = block_from(chunk.content), chunk.meta
            return [
                ChunkAdded(speaker, block, chunk.message_id)
                if meta is UNSET
                else ChunkAdded(speaker, block, chunk.message_id, meta)
            ]
        event = self._event_from(update)
        return [] if event is None else [event]

    def _event_from(self, update: v2.SessionUpdate) -> Event | None:
        match update:
            case v2.AgentMessage() | v2.AgentThought() | v2.UserMessage():
                # V2-MSG-04: omitted leaves the content, null and an empty list clear it.
                content = mapped(update.content, blocks_from)
                speaker = _MESSAGE_SPEAKERS[type(update)]
                return MessageChanged(speaker, update.message_id, content, update.meta)
            case v2.ToolCallProgress():
                return tool_call_from(update)
            case v2.ToolCallContentChunk():
                return tool_content_from(update)
            case v2.TerminalUpdate():
                return terminal_from(update, self._lose)
            case v2.TerminalOutputChunk():
                return terminal_output_from(update, self._lose)
            case v2.SessionStateUpdate():
                return state_from(update)
            case v2.PlanUpdate(plan=plan, meta=meta):
                return PlanChanged(plan.plan_id, plan_from(plan), told(meta))
            case v2.PlanRemoved(plan_id=plan_id, meta=meta):
                return PlanRemoved(plan_id, told(meta))
            case v2.AvailableCommandsUpdate(available_commands=commands, meta=meta):
                return CommandsChanged(commands_from(commands), told(meta))
            case v2.ConfigOptionUpdate(config_options=options, meta=meta):
                return OptionsChanged(options_from(options), told(meta))
            case v2.SessionInfoUpdate(title=title, updated_at=updated_at, meta=meta):
                return InfoChanged(title, updated_at, meta)
            case v2.UsageUpdate():
                return UsageChanged(
                    update.used, update.size, mapped(update.cost, _cost_from), told(update.meta)
                )
            case v2.Notice():
                return NoticeGiven(
                    update.title, update.severity, told(update.description), told(update.meta)
                )
            case _:
                return _rarer_event_from(update)


def _rarer_event_from(update: v2.SessionUpdate) -> Event:
    match update:
        case v2.CompactionUpdate():
            summary = mapped(update.summary, blocks_from)
            return CompactionChanged(
                update.compaction_id, update.status, summary, update.error, update.meta
            )
        case v2.CompactionSummaryChunk(compaction_id=id, content=content, meta=meta):
            return CompactionSummaryAdded(id, block_from(content), told(meta))
        case v2.SubagentUpdate():
            return _subagent_from(update)
        case v2.SessionMessage():
            return SessionMessageChanged(
                update.message_id,
                update.sender_session_id,
                update.recipient_session_id,
                update.sender_message_id,
                update.recipient_message_id,
                mapped(update.content, blocks_from),
                update.meta,
            )
        case v2.SessionMessageChunk(message_id=id, content=content, meta=meta):
            return SessionMessageChunkAdded(id, block_from(content), told(meta))
        case v2.OtherSessionUpdate():
            return OtherHappened(update.tag, members_of(update))
        case _:
            raise TypeError(f"`{type(update).__name__}` is not an update")


def _subagent_from(update: v2.SubagentUpdate) -> SubagentChanged:
    capabilities = update.capabilities
    return SubagentChanged(
        update.session_id,
        title=update.title,
        description=update.description,
        state=mapped(update.state, state_from),
        cwd=update.cwd,
        additional_directories=mapped(update.additional_directories, lambda paths: tuple(paths)),
        cancellable=UNSET
        if isinstance(capabilities, UnsetType)
        else capabilities is not None and told(capabilities.cancel) is not None,
        meta=update.meta,
    )


def _cost_from(model: v2.Cost) -> Cost:
    return Cost(model.amount, model.currency, told(model.meta))
