"""What the entries of a session amount to: the conversation, choices, permissions, sums. Pure.

The same reducer takes the entries of a log that is opened and those that a running session adds,
so that a session that was loaded cannot differ from one that went on.
"""

from collections.abc import Iterable

from msgspec import UNSET

from parley.coder.cost import added
from parley.coder.cut import applied
from parley.coder.message import (
    INTERRUPTED,
    AgentMessage,
    CallPart,
    ImagePart,
    Message,
    TextPart,
    ToolMessage,
    ToolResult,
    UserMessage,
    repaired,
)
from parley.coder.providers.provider import ModelUsage
from parley.coder.store.entry import (
    Compacted,
    Entry,
    Forgotten,
    OptionSet,
    Remembered,
    Said,
    Spent,
    Told,
    TurnBegun,
    TurnOver,
)
from parley.session.content import ContentItem, Text
from parley.session.event import (
    FINAL_STATUSES,
    ChunkAdded,
    CommandsChanged,
    CompactionChanged,
    Event,
    InfoChanged,
    NoticeGiven,
    OptionsChanged,
    PlanChanged,
    PlanRemoved,
    ToolCallChanged,
    ToolContentAdded,
    UsageChanged,
)
from parley.session.option import OptionValue, Plan
from parley.session.role import Ending

_MOST_TOUCHED = 2_000
"""Paths that are remembered; whoever touches more has seen the project."""


class History:
    """The sum of the entries of one session. Read the attributes; change it by `apply` only."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.options: dict[str, OptionValue] = {}
        """What was chosen in the session, by option."""
        self.remembered: list[Remembered] = []
        self.plans: dict[str, Plan] = {}
        self.title: str | None = None
        self.usage = ModelUsage()
        """Of all requests of the session."""
        self.cost: float | None = None
        """US dollars, of the requests whose prices were known."""
        self.turns = 0
        self.turn: str | None = None
        """The turn that has begun and not ended."""
        self.call_ids: set[str] = set()
        """The ids that tool calls had."""
        self.open_calls: dict[str, None] = {}
        """Tool calls without a final status."""
        self.has_images = False
        """Whether the conversation ever had an image in it."""
        self.touched: dict[str, None] = {}
        """The paths that the model named in its calls, in their order."""
        self.context: UsageChanged | None = None
        """How full the context was, as the client was told last."""
        self.open_compaction: str | None = None
        """The compaction that has begun and not ended."""
        self._unsaid: list[str] = []
        # Text of the agent that its client saw and that is no part of the conversation yet.
        self._sound: list[Message] = []
        # The beginning of the conversation, well formed; it need not be looked at again.
        self._looked_at = 0

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> "History":
        history = cls()
        for entry in entries:
            history.apply(entry)
        return history

    def apply(self, entry: Entry) -> None:
        match entry:
            case Told(event=event):
                self._told(event)
            case Said(message=message):
                self.messages.append(message)
                self._touch(message)
                self.has_images = self.has_images or _has_image(message)
                self._unsaid.clear()
            case Spent(usage=usage, cost=cost):
                self.usage = added(self.usage, usage)
                if cost is not None:
                    self.cost = (self.cost or 0.0) + cost
            case TurnBegun(turn_id=turn_id):
                self.turn = turn_id
                self.turns += 1
                self._unsaid.clear()
            case TurnOver():
                self.turn = None
                self._unsaid.clear()
            case OptionSet(option_id=option_id, value=value):
                self.options[option_id] = value
            case Remembered():
                self.remembered.append(entry)
            case Forgotten():
                self._replace(())
            case Compacted():
                self._replace(applied(self.messages, entry))

    def conversation(self) -> tuple[Message, ...]:
        """What the model was told and said, well formed. The cost does not grow with it."""
        new = repaired(tuple(self.messages[self._looked_at :]))
        whole = (*self._sound, *new)
        last = self.messages[-1] if self.messages else None
        # Behind calls that have no results yet the conversation is still open.
        if not (isinstance(last, AgentMessage) and last.calls):
            self._sound.extend(new)
            self._looked_at = len(self.messages)
        return whole

    def repairs(self) -> tuple[Entry, ...]:
        """What must be added because the process that wrote the log did not end in order.

        Open tool calls fail, text that the client saw becomes part of the conversation, calls
        without a result get one, and the interrupted turn is over.
        """
        found: list[Entry] = [Told(e) for id in self.open_calls for e in interrupted(id)]
        last = self.messages[-1] if self.messages else None
        if isinstance(last, AgentMessage) and last.calls:
            results = (ToolResult(c.id, c.name, INTERRUPTED, is_error=True) for c in last.calls)
            found.append(Said(ToolMessage(tuple(results))))
        if self.open_compaction is not None:
            found.append(Told(CompactionChanged(self.open_compaction, "cancelled")))
        if self.turn is not None and (text := "".join(self._unsaid)):
            found.append(Said(AgentMessage((TextPart(text),))))
        if self.turn is not None:
            found.append(TurnOver(self.turn, Ending("cancelled")))
        return tuple(found)

    def _replace(self, messages: Iterable[Message]) -> None:
        self.messages = list(messages)
        self._sound.clear()
        self._looked_at = 0

    def _touch(self, message: Message) -> None:
        if isinstance(message, AgentMessage) and len(self.touched) < _MOST_TOUCHED:
            self.touched.update((path, None) for call in message.calls if (path := _path(call)))

    def _told(self, event: Event) -> None:
        match event:
            case ChunkAdded(speaker="agent", content=Text(text=text)):
                self._unsaid.append(text)
            case ToolCallChanged(id=id, status=status):
                self.call_ids.add(id)
                if status in FINAL_STATUSES:
                    self.open_calls.pop(id, None)
                elif status is not UNSET:
                    self.open_calls[id] = None
            case ToolContentAdded(id=id):
                self.call_ids.add(id)
            case PlanChanged(id=id, plan=plan):
                self.plans[id] = plan
            case PlanRemoved(id=id):
                self.plans.pop(id, None)
            case CompactionChanged(id=id, status=status):
                self.open_compaction = None if status in FINAL_STATUSES else id
            case UsageChanged():
                self.context = event
            case InfoChanged(title=str(title)):
                self.title = title
            case _:
                pass


def _path(call: CallPart) -> str:
    path = call.arguments.get("path")
    return path if isinstance(path, str) else ""


def _has_image(message: Message) -> bool:
    match message:
        case UserMessage(content=content):
            return any(isinstance(part, ImagePart) for part in content)
        case ToolMessage(results=results):
            return any(result.images for result in results)
        case AgentMessage():
            return False


def interrupted(call_id: str) -> tuple[Event, ...]:
    """The end of a tool call that nobody saw the end of. What was shown of it stays."""
    return (
        ToolContentAdded(call_id, ContentItem(Text(INTERRUPTED))),
        ToolCallChanged(call_id, status="failed", raw_output=INTERRUPTED),
    )


def is_replayed(event: Event) -> bool:
    """Whether an event is history that a client is told again when it loads the session.

    Notices were about a moment; the answer that opens a session has its options and commands.
    """
    return not isinstance(event, NoticeGiven | OptionsChanged | CommandsChanged)
