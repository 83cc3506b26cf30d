"""What a session looks like after some events: one reducer for every reader of events.

A client shows it, a bridge projects it, a replay is made from it and tests compare it. `apply`
takes any event, in any order, and never raises: an update of something unknown makes it. The cost
of an event does not grow with the session.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from parley.session.activity import ShownTerminal, Subagent, ToolCall
from parley.session.change import Change
from parley.session.content import Meta
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
    StateChanged,
    SubagentChanged,
    TerminalChanged,
    TerminalOutputAdded,
    ToolCallChanged,
    ToolContentAdded,
    UsageChanged,
)
from parley.session.message import Compaction, Message, SessionMessage
from parley.session.option import Command, Option, Select
from parley.session.patch import given, patched, patched_meta
from parley.session.plain import plain
from parley.session.transcript import NOT_STARTED, Item, Transcript


class Info(Struct, frozen=True):
    title: str | None = None
    updated_at: str | None = None
    meta: Meta | None = None


class Usage(Struct, frozen=True):
    """How full the model's context is, in tokens, and what the session has cost."""

    used: int
    size: int
    cost: Cost | None = None
    meta: Meta | None = None


class SessionState:
    """The sum of the events of one session. Read the attributes; change it by `apply` only."""

    def __init__(
        self,
        session_id: str = "",
        *,
        output_limit: int | None = None,
        notice_limit: int = 100,
        other_limit: int = 100,
    ) -> None:
        self.session_id = session_id
        self.output_limit = output_limit
        """How many bytes of each terminal are kept; `None` keeps all."""
        self._transcript = Transcript()
        self.transcript: Sequence[Item] = self._transcript.items
        """Messages, tool calls, compactions and session messages, in first-seen order."""
        self.messages: Mapping[str, Message] = self._transcript.messages
        """By `Message.key`."""
        self.tool_calls: Mapping[str, ToolCall] = self._transcript.tool_calls
        self.compactions: Mapping[str, Compaction] = self._transcript.compactions
        self.session_messages: Mapping[str, SessionMessage] = self._transcript.session_messages
        self.run: StateChanged = NOT_STARTED
        """The latest report of what the session does: state, stop reason, failure, background."""
        self.info = Info()
        self.usage: Usage | None = None
        self.terminals: dict[str, ShownTerminal] = {}
        self.plans: dict[str, PlanChanged] = {}
        """The latest of each plan, in the order in which they were first seen."""
        self.subagents: dict[str, Subagent] = {}
        self.notices: deque[NoticeGiven] = deque(maxlen=notice_limit)
        self.others: deque[OtherHappened] = deque(maxlen=other_limit)
        self.other_count = 0
        """How many events of unknown kinds there were; `others` keeps the latest."""
        self._commands = CommandsChanged(())
        self._options = OptionsChanged(())

    @classmethod
    def from_events(cls, events: Iterable[Event], session_id: str = "") -> "SessionState":
        state = cls(session_id)
        for event in events:
            state.apply(event)
        return state

    @property
    def commands(self) -> tuple[Command, ...]:
        return self._commands.commands

    @property
    def options(self) -> tuple[Option, ...]:
        return self._options.options

    @property
    def mode(self) -> Select | None:
        return self._selected("mode")

    @property
    def model(self) -> Select | None:
        return self._selected("model")

    @property
    def busy(self) -> bool:
        """Whether a turn goes on. A state nobody knows counts as one (V2-PRM-20)."""
        return self.run.state != "idle"

    def open_tool_calls(self) -> list[ToolCall]:
        """The tool calls that are not over, which is what cancelling a turn ends."""
        return [call for call in self.tool_calls.values() if not call.final]

    def take(self, event: Event) -> None:
        """Take one event in, for who need not know what it changed: quicker for streamed text."""
        if type(event) is not ChunkAdded or not self._transcript.goes_on(event):
            self.apply(event)

    def apply(self, event: Event) -> Change:
        """Take one event in and name what it changed."""
        match event:
            case (
                ChunkAdded()
                | MessageChanged()
                | ToolCallChanged()
                | ToolContentAdded()
                | CompactionChanged()
                | CompactionSummaryAdded()
                | SessionMessageChanged()
                | SessionMessageChunkAdded()
            ):
                return self._transcript.apply(event)
            case TerminalChanged() | TerminalOutputAdded():
                return self._change_terminal(event)
            case PlanChanged() | PlanRemoved():
                return self._change_plan(event)
            case SubagentChanged():
                return self._change_subagent(event)
            case NoticeGiven():
                self.notices.append(event)
                return Change("notice", created=True)
            case OtherHappened():
                self.others.append(event)
                self.other_count += 1
                return Change("other", event.kind, created=True)
            case _:
                return self._replace(event)

    def snapshot(self) -> dict[str, Any]:
        """Everything that matters as plain JSON, equal for equal sessions.

        It does not depend on how text and output were cut into chunks. Notices are left out,
        since they are no part of the conversation and never replayed (V2-NOT-01).
        """
        facts: dict[str, Any] = {
            "transcript": [item.facts() for item in self.transcript],
            "terminals": {key: each.facts() for key, each in self.terminals.items()},
            "plans": list(self.plans.values()),
            "subagents": {key: each.facts() for key, each in self.subagents.items()},
            "commands": self._commands,
            "options": self._options,
            "info": self.info,
            "usage": self.usage,
            "run": self.run,
            "others": list(self.others),
        }
        return plain(facts)

    def events(self) -> list[Event]:
        """A shortest list of events that makes an equal state, which also goes on equally.

        Sub-agents and terminals come before the transcript, so that they are known when it
        names them; the state of the session comes last where it can.
        """
        found: list[Event] = []
        if self.info != Info():
            info = self.info
            found.append(InfoChanged(given(info.title), given(info.updated_at), given(info.meta)))
        if self._options != OptionsChanged(()):
            found.append(self._options)
        if self._commands != CommandsChanged(()):
            found.append(self._commands)
        for entity in (*self.subagents.values(), *self.terminals.values()):
            found.extend(entity.events())
        found.extend(self.plans.values())
        if (usage := self.usage) is not None:
            found.append(UsageChanged(usage.used, usage.size, given(usage.cost), usage.meta))
        found.extend(self.others)
        found.extend(self._transcript.events(self.run))
        return found

    def _change_terminal(self, event: TerminalChanged | TerminalOutputAdded) -> Change:
        created = event.id not in self.terminals
        if created:
            # What is said of a terminal may come before anything shows it (V2-TRM-03).
            self.terminals[event.id] = ShownTerminal(event.id, self.output_limit)
        if isinstance(event, TerminalChanged):
            self.terminals[event.id].change(event)
        else:
            self.terminals[event.id].add(event.data)
        return Change("terminal", event.id, created)

    def _change_plan(self, event: PlanChanged | PlanRemoved) -> Change:
        created = False
        if isinstance(event, PlanRemoved):
            self.plans.pop(event.id, None)
        else:
            created = event.id not in self.plans
            # A plan is replaced whole, whatever its kind (V2-PLN-02).
            self.plans[event.id] = event
        return Change("plan", event.id, created)

    def _change_subagent(self, event: SubagentChanged) -> Change:
        created = event.session_id not in self.subagents
        if created:
            self.subagents[event.session_id] = Subagent(event.session_id)
        self.subagents[event.session_id].change(event)
        return Change("subagent", event.session_id, created)

    def _replace(
        self,
        event: CommandsChanged | OptionsChanged | InfoChanged | UsageChanged | StateChanged,
    ) -> Change:
        """Take in what a session has once."""
        match event:
            case CommandsChanged():
                self._commands = event
                return Change("commands")
            case OptionsChanged():
                self._options = event
                return Change("options")
            case InfoChanged():
                self.info = Info(
                    patched(self.info.title, event.title, None),
                    patched(self.info.updated_at, event.updated_at, None),
                    patched_meta(self.info.meta, event.meta),
                )
                return Change("info")
            case UsageChanged():
                spent = self.usage.cost if self.usage else None
                # An omitted cost keeps the last one, null clears it (V2-USE-01).
                cost = patched(spent, event.cost, None)
                self.usage = Usage(event.used, event.size, cost, event.meta)
                return Change("usage")
            case _:
                # Idle ends a turn, and whatever follows idle begins one.
                if not self.busy or event.state == "idle":
                    self._transcript.close_message()
                self.run = event
                return Change("state")

    def _selected(self, category: str) -> Select | None:
        found = (each for each in self.options if isinstance(each, Select))
        return next((each for each in found if each.category == category), None)
