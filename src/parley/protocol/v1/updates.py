"""Events of a session as `session/update`, and back: `Outgoing` and `Incoming`.

Pure. Each keeps only what version 1 makes it keep: `Outgoing` what the client has seen, where the
version can only say all of something or nothing; `Incoming` what an update leaves out.

Projection, that is, what comes back of an event that went through both:

- A replaced message comes back as chunks. States stay at home, since the answer to the prompt
  says them. Terminals of the agent come back as text, and diffs with the texts that were known.
- Closed lists of version 1 (statuses, kinds, roles) give the nearest value.
- An option list comes back once, though the mode is sent twice: first `config_option_update`,
  then `current_mode_update` if the mode is another one (V1-MOD-05).
- What the client did not advertise is degraded or dropped; every such loss is reported.
"""

from collections.abc import Sequence
from typing import Any, cast

from msgspec import UNSET, UnsetType

import parley.schema.v1 as v1
from parley.protocol.text_stream import TextStream
from parley.protocol.v1.content import Lose, again, block_from, block_model, known
from parley.protocol.v1.message import Messages, remainder
from parley.protocol.v1.option import Offered, first_of, option_models
from parley.protocol.v1.subagent import SubagentEvent, subagent_from, subagent_model
from parley.protocol.v1.tool_call import ToolCalls, tool_call_from
from parley.protocol.v1.values import (
    command_from,
    command_model,
    entries_of,
    entry_from,
    entry_model,
    plan_from,
    plan_model,
)
from parley.session import event as neutral
from parley.session.content import Block, Text
from parley.session.event import (
    FINAL_STATUSES,
    ChunkAdded,
    Event,
    NoticeGiven,
    OptionsChanged,
    PlanChanged,
    PlanRemoved,
    Speaker,
    ToolCallChanged,
)
from parley.session.option import MAIN_PLAN, Option, OtherPlan, Plan, PlanItems
from parley.session.patch import given, patched_meta
from parley.session.profile import ClientCapabilities

Updates = Sequence[v1.SessionUpdate]
Events = Sequence[Event]


class Outgoing:
    """What an agent reports about one session, on its way to the client."""

    def __init__(self, client: ClientCapabilities, lose: Lose) -> None:
        self._client = client
        self._lose = lose
        self._messages = Messages(lose)
        self.blocks_of = self._messages.blocks_of
        self.stream = TextStream()
        self.tools = ToolCalls(lose)
        self._spoke = False
        self._plans: dict[str, Plan] = {}
        self._info_meta: dict[str, Any] | None = None
        self._mode: str | None = None
        self._options: tuple[Option, ...] = ()
        self._background: tuple[neutral.BackgroundWork, ...] = ()

    def updates_for(self, event: Event) -> Updates:
        """The updates that tell the client about an event; none if it must not be told."""
        match event:
            case ChunkAdded():
                # Of a stream at least the first chunk comes this way.
                self._spoke = self._spoke or event.speaker == "agent"
                return (self._messages.chunk(event),)
            case neutral.MessageChanged():
                return self._messages.changed(event)
            case neutral.ToolCallChanged():
                return (self.tools.changed(event),)
            case neutral.ToolContentAdded():
                return (self.tools.added(event),)
            case neutral.TerminalChanged() | neutral.TerminalOutputAdded():
                return self.tools.terminal_changed(event)
            case neutral.OptionsChanged():
                return self._options_changed(event)
            case neutral.PlanChanged():
                return self._plan_changed(event)
            case neutral.PlanRemoved():
                return self._plan_removed(event)
            case neutral.CommandsChanged():
                return self._commands_changed(event)
            case neutral.InfoChanged():
                return self._info_changed(event)
            case neutral.UsageChanged():
                return self._usage_changed(event)
            case neutral.NoticeGiven():
                return self._notice_given(event)
            case neutral.CompactionChanged() | neutral.CompactionSummaryAdded():
                return self._compacted(event)
            case (
                neutral.SubagentChanged()
                | neutral.SessionMessageChanged()
                | neutral.SessionMessageChunkAdded()
            ):
                return self._subagent(event)
            case neutral.StateChanged():
                return self._state_changed(event)
            case neutral.OtherHappened():
                self._lose("update.type", f"an update of type `{event.kind}` is not sent")
                return ()

    def set_up(self, options: tuple[Option, ...]) -> None:
        """The answer that opened the session told the client these options."""
        self._options = options
        mode = first_of(options, "mode")
        self._mode = None if mode is None else mode.current

    def tell_anew(self) -> None:
        """The whole history follows: what the client was told before counts no more."""
        terminals = self.tools.client_terminals
        self._messages = Messages(self._lose)
        self.blocks_of = self._messages.blocks_of
        self.stream.forget()
        self.tools = ToolCalls(self._lose)
        self.tools.client_terminals = terminals
        self._plans.clear()
        self._info_meta = None

    def answered(self, options: tuple[Option, ...]) -> Updates:
        """What must go before an answer that holds the complete list of options."""
        self._options = options
        return self._mode_update(options)

    def chosen(self, options: tuple[Option, ...]) -> Updates:
        """What must go before an answer that confirms a choice and holds no list."""
        return () if options == self._options else self._options_changed(OptionsChanged(options))

    def turn_ended(self) -> None:
        """A turn is over: what only it needed is forgotten."""
        self._spoke = False
        self.stream.forget()
        self._messages.turn_ended()
        self.tools.turn_ended()

    # One method per kind of event that needs more than a line.

    def _options_changed(self, event: OptionsChanged) -> Updates:
        self._options = event.options
        models = option_models(event.options, self._lose, booleans=self._client.boolean_options)
        update = v1.ConfigOptionUpdate(config_options=models, meta=given(event.meta))
        return (update, *self._mode_update(event.options))

    def _mode_update(self, options: tuple[Option, ...]) -> Updates:
        mode = first_of(options, "mode")
        if mode is None or mode.current == self._mode:
            return ()
        self._mode = mode.current
        return (v1.CurrentModeUpdate(current_mode_id=mode.current),)  # V1-MOD-04

    def _plan_changed(self, event: PlanChanged) -> Updates:
        if self._client.plans:
            model = plan_model(event.id, event.plan, self._lose)
            return () if model is None else (v1.PlanUpdate(plan=model, meta=given(event.meta)),)
        self._plans[event.id] = event.plan
        if event.id != MAIN_PLAN or len(self._plans) > 1:
            self._lose("plan.id", "all plans are sent as one")
        if not isinstance(event.plan, OtherPlan) and event.plan.meta is not None:
            self._lose("plan.meta", "the `_meta` of what a plan holds is not sent")
        return (self._whole_plan(event.meta, event.id),)

    def _plan_removed(self, event: PlanRemoved) -> Updates:
        if self._client.plans:
            return (v1.PlanRemoved(plan_id=event.id, meta=given(event.meta)),)
        if self._plans.pop(event.id, None) is None:
            return ()
        return (self._whole_plan(event.meta, None),)

    def _whole_plan(self, meta: dict[str, Any] | None, changed: str | None) -> v1.Plan:
        """V1-PLN-02: all plans in one list, in the order in which they were first seen."""
        several = len(self._plans) > 1

        def lose(id_: str) -> Lose:
            return self._lose if id_ == changed else again

        entries = [
            entry_model(entry, lose(id_), f"{id_}: " if several else "")
            for id_, plan in self._plans.items()
            for entry in entries_of(plan, lose(id_))
        ]
        return v1.Plan(entries=entries, meta=given(meta))

    def _commands_changed(self, event: neutral.CommandsChanged) -> Updates:
        commands = [command_model(command, self._lose) for command in event.commands]
        return (v1.AvailableCommandsUpdate(available_commands=commands, meta=given(event.meta)),)

    def _info_changed(self, event: neutral.InfoChanged) -> Updates:
        # V1-LST-10: omitted keeps and null clears, here as there. Only `_meta` adds up.
        self._info_meta = patched_meta(self._info_meta, event.meta)
        if event.meta is None or (event.meta and None in event.meta.values()):
            self._lose("info.meta", "the `_meta` of a session cannot be taken back")
        meta = UNSET if isinstance(event.meta, UnsetType) else given(self._info_meta)
        return (v1.SessionInfoUpdate(title=event.title, updated_at=event.updated_at, meta=meta),)

    def _usage_changed(self, event: neutral.UsageChanged) -> Updates:
        cost = known(event.cost)
        if event.cost is None:
            self._lose("usage.cost", "what a session has cost cannot be taken back")
        amount = (
            UNSET
            if cost is None
            else v1.Cost(amount=cost.amount, currency=cost.currency, meta=given(cost.meta))
        )
        return (
            v1.UsageUpdate(used=event.used, size=event.size, cost=amount, meta=given(event.meta)),
        )

    def _notice_given(self, event: NoticeGiven) -> Updates:
        title = event.title or event.description or "Notice"  # V1-NOT-02: never empty.
        if self._client.notices:
            return (
                v1.Notice(
                    severity=event.severity,
                    title=title,
                    description=given(event.description),
                    meta=given(event.meta),
                ),
            )
        # V1-NOT-01: not without being asked for. What a person must know is said in words.
        if event.severity == "info":
            self._lose("notice", "a notice is not sent")
            return ()
        self._lose("notice", "a notice is sent as text of the agent")
        text = title if not event.description else f"{title}\n\n{event.description}"
        # Many clients join whatever an agent says, so a notice keeps its distance on both sides.
        before = "\n\n" if self._spoke else ""
        self._spoke = False
        text = f"{before}[{event.severity}] {text.rstrip()}\n\n"
        return (v1.AgentMessageChunk(content=v1.TextContent(text=text)),)

    def _compacted(
        self, event: neutral.CompactionChanged | neutral.CompactionSummaryAdded
    ) -> Updates:
        if not self._client.compaction:  # V1-CMP-01
            self._lose("compaction", "a compaction is not sent")
            return ()
        if isinstance(event, neutral.CompactionSummaryAdded):
            chunk = v1.CompactionSummaryChunk(
                compaction_id=event.id,
                content=block_model(event.content, self._lose),
                meta=given(event.meta),
            )
            return (chunk,)
        summary = event.summary
        if isinstance(summary, tuple):
            blocks = [block_model(block, self._lose) for block in summary]
        else:
            blocks = summary
        update = v1.CompactionUpdate(
            compaction_id=event.id,
            status=event.status,
            summary=blocks,
            error=event.error,
            meta=event.meta,
        )
        return (update,)

    def _subagent(self, event: SubagentEvent) -> Updates:
        if not self._client.subagents:  # V1-U-15
            self._lose("subagent", "what a sub-agent does is not sent")
            return ()
        return (subagent_model(event, self._lose),)

    def _state_changed(self, event: neutral.StateChanged) -> Updates:
        # Every state repeats the list, and only a new one is news.
        if event.background and event.background != self._background:
            self._lose("state.background", "work in the background is not sent")
        if event.background is not None:
            self._background = event.background
        return ()


class Incoming:
    """What an agent reports about one session, as its client is told."""

    def __init__(self) -> None:
        self.offered = Offered()
        self.open_tools: dict[str, None] = {}
        """Tool calls without a final status."""
        self.titles: dict[str, str] = {}
        """The titles of the tool calls that were seen."""
        self.told_options = False
        """Whether a list of options came in an update."""
        self._echo: Sequence[Block] = ()

    def events_from(self, update: v1.SessionUpdate) -> Events:
        """The events that an update stands for. Nothing in it is ever an error (DEC-09)."""
        speaker = _SPEAKERS.get(type(update))
        if speaker is not None:
            chunk = cast("v1.ContentChunk", update)
            content, meta = chunk.content, chunk.meta
            # The plain case is nearly every update of a session, so it takes the shortest way.
            if (
                type(content) is _TEXT
                and content.annotations is UNSET
                and content.meta is UNSET
                and meta is UNSET
                and not self._echo
            ):
                message_id = chunk.message_id
                known_id = None if message_id is UNSET else message_id
                return (ChunkAdded(speaker, Text(content.text), known_id),)
            return self._chunk(speaker, chunk)
        match update:
            case v1.ToolCall() | v1.ToolCallProgress():
                return (self.tool_call(tool_call_from(update)),)
            case v1.ConfigOptionUpdate():
                self.told_options = True
                self.offered.configured(update.config_options)
                return (OptionsChanged(self.offered.all, known(update.meta)),)
            case v1.CurrentModeUpdate():
                if not self.offered.moded(update.current_mode_id):
                    return ()
                return (OptionsChanged(self.offered.all, known(update.meta)),)
            case v1.Plan():
                entries = tuple(entry_from(entry) for entry in update.entries)
                return (PlanChanged(MAIN_PLAN, PlanItems(entries), known(update.meta)),)
            case v1.PlanUpdate():
                return (PlanChanged(*plan_from(update.plan), known(update.meta)),)
            case v1.PlanRemoved():
                return (PlanRemoved(update.plan_id, known(update.meta)),)
            case v1.AvailableCommandsUpdate():
                commands = tuple(command_from(command) for command in update.available_commands)
                return (neutral.CommandsChanged(commands, known(update.meta)),)
            case v1.SessionInfoUpdate():
                return (neutral.InfoChanged(update.title, update.updated_at, update.meta),)
            case v1.UsageUpdate():
                return (_usage_from(update),)
            case v1.Notice():
                return (
                    NoticeGiven(
                        update.title,
                        update.severity,
                        known(update.description),
                        known(update.meta),
                    ),
                )
            case v1.CompactionUpdate() | v1.CompactionSummaryChunk():
                return (_compaction_from(update),)
            case v1.SubagentUpdate() | v1.SessionMessage() | v1.SessionMessageChunk():
                return (subagent_from(update),)
            case _:
                # DEC-09: an unknown update breaks nothing.
                other = cast("v1.OtherSessionUpdate", update)
                return (neutral.OtherHappened(other.tag, dict(other.extra)),)

    def tool_call(self, change: ToolCallChanged) -> ToolCallChanged:
        """Take note of a change of a tool call, wherever it came from."""
        if change.status in FINAL_STATUSES:
            self.open_tools.pop(change.id, None)
        elif isinstance(change.status, str) or change.id not in self.titles:
            self.open_tools[change.id] = None
        if isinstance(change.title, str):
            self.titles[change.id] = change.title
        else:
            self.titles.setdefault(change.id, "")
        return change

    def cancelled(self) -> list[ToolCallChanged]:
        """V1-CNC-02: the tool calls that are not over count as cancelled."""
        changes = [ToolCallChanged(id_, status="cancelled") for id_ in self.open_tools]
        self.open_tools.clear()
        return changes

    def expect_echo(self, content: tuple[Block, ...]) -> None:
        """A prompt was sent. Some agents repeat it, and the client must not see it twice."""
        self._echo = content

    def _chunk(self, speaker: Speaker, update: v1.ContentChunk) -> Events:
        block = block_from(update.content)
        if self._echo and speaker == "user" and self._is_echo(block):
            return ()
        message_id = update.message_id
        meta = update.meta
        return (
            ChunkAdded(
                speaker,
                block,
                None if message_id is UNSET else message_id,
                None if meta is UNSET else meta,
            ),
        )

    def _is_echo(self, block: Block) -> bool:
        rest = remainder((block,), self._echo)
        # Anything else was not caused by this client, and neither is what follows it.
        self._echo = rest or ()
        return rest is not None


_TEXT = v1.TextContent
_SPEAKERS: dict[type, Speaker] = {
    v1.AgentMessageChunk: "agent",
    v1.AgentThoughtChunk: "thought",
    v1.UserMessageChunk: "user",
}


def _usage_from(update: v1.UsageUpdate) -> neutral.UsageChanged:
    cost = known(update.cost)
    return neutral.UsageChanged(
        update.used,
        update.size,
        UNSET if cost is None else neutral.Cost(cost.amount, cost.currency, known(cost.meta)),
        known(update.meta),
    )


def _compaction_from(
    update: v1.CompactionUpdate | v1.CompactionSummaryChunk,
) -> neutral.CompactionChanged | neutral.CompactionSummaryAdded:
    if isinstance(update, v1.CompactionSummaryChunk):
        return neutral.CompactionSummaryAdded(
            update.compaction_id, block_from(update.content), known(update.meta)
        )
    summary = update.summary
    # V1-CMP-03: omitted, null and a list are three different things.
    return neutral.CompactionChanged(
        update.compaction_id,
        update.status,
        tuple(block_from(block) for block in summary) if isinstance(summary, list) else summary,
        update.error,
        update.meta,
    )
