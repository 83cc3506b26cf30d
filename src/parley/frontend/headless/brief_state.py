"""The state of a session as far as a run needs it: nothing in it grows with the conversation.

A run shows text as it comes and never again, so it keeps no messages. Tool calls are kept while
they are open, and some of the last ones, because a question about a call says only what is new.
"""

from collections.abc import Iterable

from parley.session.activity import ToolCall
from parley.session.change import Change
from parley.session.event import (
    ChunkAdded,
    CompactionChanged,
    CompactionSummaryAdded,
    Event,
    MessageChanged,
    SessionMessageChanged,
    SessionMessageChunkAdded,
    SubagentChanged,
    TerminalChanged,
    TerminalOutputAdded,
    ToolCallChanged,
    ToolContentAdded,
)
from parley.session.state import SessionState

KEPT_CALLS = 256
_KEPT_ITEMS = 1000
_KEPT_PLANS = 16


class BriefState(SessionState):
    """Tool calls, plans, options and usage; no messages and no output of terminals."""

    def __init__(self, session_id: str, before: Iterable[Event] = ()) -> None:
        super().__init__(session_id)
        self._calls: dict[str, ToolCall] = {}
        self.tool_calls = self._calls
        for event in before:
            self.apply(event)

    def take(self, event: Event) -> None:
        if type(event) is not ChunkAdded:
            self.apply(event)

    def apply(self, event: Event) -> Change:
        match event:
            case ToolCallChanged():
                call = self._call(event.id)
                call.change(event)
                # Only the newest output counts for anybody here, and it may be large.
                call.raw_output = None
                return Change("tool_call", event.id)
            case ToolContentAdded():
                call = self._call(event.id)
                if len(call.content) < _KEPT_ITEMS:
                    call.add(event)
                return Change("tool_call", event.id)
            case (
                ChunkAdded()
                | MessageChanged()
                | CompactionChanged()
                | CompactionSummaryAdded()
                | SessionMessageChanged()
                | SessionMessageChunkAdded()
                | TerminalChanged()
                | TerminalOutputAdded()
                | SubagentChanged()
            ):
                return Change("other")
            case _:
                change = super().apply(event)
                if len(self.plans) > _KEPT_PLANS:
                    del self.plans[next(iter(self.plans))]
                return change

    def _call(self, id_: str) -> ToolCall:
        calls = self._calls
        call = calls.get(id_)
        if call is None:
            call = calls[id_] = ToolCall(id_)
            if len(calls) > KEPT_CALLS:
                # The oldest that is over, or the oldest of all.
                old = next((each.id for each in calls.values() if each.final), next(iter(calls)))
                del calls[old]
        return call
