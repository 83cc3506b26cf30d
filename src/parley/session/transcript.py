"""The conversation in the order in which its items were first seen.

Owns where an item stands and which message a chunk without an id continues. What an item is made
of lies in `message.py` and `activity.py`.

**Chunks without an id.** At most one message is open: the one that was touched last. A chunk
without an id continues it if the speaker is the same; otherwise it begins a new message. The open
message is closed by the beginning of any other item and by the border of a turn. So a chunk of
another speaker splits: what was said after a thought stands after it, and the parts of a replayed
conversation, which shows no borders of turns, stay apart. Updates of what exists already, and of
anything that has no place in the conversation, do not split.
"""

from typing import cast

from parley.session.activity import ToolCall
from parley.session.change import Change
from parley.session.content import Text
from parley.session.event import (
    ChunkAdded,
    CompactionChanged,
    CompactionSummaryAdded,
    Event,
    MessageChanged,
    SessionMessageChanged,
    SessionMessageChunkAdded,
    Speaker,
    StateChanged,
    ToolCallChanged,
    ToolContentAdded,
    is_plain,
)
from parley.session.message import Compaction, Message, SessionMessage

Item = Message | ToolCall | Compaction | SessionMessage
ItemEvent = (
    ChunkAdded
    | MessageChanged
    | ToolCallChanged
    | ToolContentAdded
    | CompactionChanged
    | CompactionSummaryAdded
    | SessionMessageChanged
    | SessionMessageChunkAdded
)

NOT_STARTED = StateChanged("idle")
"""The state of a session that has reported none."""


class Transcript:
    """The items of a session, in order and by name."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.messages: dict[str, Message] = {}
        self.tool_calls: dict[str, ToolCall] = {}
        self.compactions: dict[str, Compaction] = {}
        self.session_messages: dict[str, SessionMessage] = {}
        self.open_message: Message | None = None
        """The message that a chunk without an id continues if its speaker says it."""
        self._unnamed: dict[Speaker, int] = {}

    def goes_on(self, chunk: ChunkAdded) -> bool:
        """Add plain text to the message in hand, if that is where it belongs; whether it is."""
        message, message_id = self.open_message, chunk.message_id
        return (
            message is not None
            and message.speaker == chunk.speaker
            and (message_id is None or message_id == message.message_id)
            and is_plain(chunk)
            and message.content.goes_on(cast("Text", chunk.content).text)
        )

    def apply(self, event: ItemEvent) -> Change:
        match event:
            case ChunkAdded():
                return self._add_chunk(event)
            case MessageChanged():
                message, created = self._message(event.speaker, event.message_id)
                message.change(event)
                self.open_message = message
                return Change("message", message.key, created)
            case ToolCallChanged():
                call, created = self._tool_call(event.id)
                call.change(event)
                return Change("tool_call", event.id, created)
            case ToolContentAdded():
                call, created = self._tool_call(event.id)
                call.add(event)
                return Change("tool_call", event.id, created)
            case CompactionChanged():
                compaction, created = self._compaction(event.id)
                compaction.change(event)
                return Change("compaction", event.id, created)
            case CompactionSummaryAdded():
                compaction, created = self._compaction(event.id)
                compaction.summary.add(event.content, event.meta)
                return Change("compaction", event.id, created)
            case SessionMessageChanged():
                passed, created = self._session_message(event.message_id)
                passed.change(event)
                return Change("session_message", event.message_id, created)
            case _:
                passed, created = self._session_message(event.message_id)
                passed.content.add(event.content, event.meta)
                return Change("session_message", event.message_id, created)

    def close_message(self) -> None:
        """A turn began or ended: what comes next is not part of what was said before."""
        self.open_message = None

    def events(self, run: StateChanged) -> list[Event]:
        """A shortest list of events that makes this transcript and this state of the session.

        A message without an id that follows one of its speaker needs a border of a turn before
        it, and a report of `idle` is one. The final state comes last, unless it would close a
        message that can still be continued; then it comes before that message.
        """
        found: list[Event] = []
        opened: Message | None = None
        reported = NOT_STARTED
        for item in self.items:
            border = opened is not None and _would_continue(item, opened)
            if item is self.open_message and item is self.items[-1] and (border or run != reported):
                found.append(run)
                reported = run
            elif border:
                found.append(NOT_STARTED)
            found.extend(item.events())
            opened = item if isinstance(item, Message) else None
        still_open = self.open_message
        if run != reported or (still_open is None and opened is not None):
            found.append(run)
        if still_open and still_open.message_id is not None and still_open is not opened:
            # An update that says nothing is enough to make a message the open one.
            found.append(MessageChanged(still_open.speaker, still_open.message_id))
        return found

    def _add_chunk(self, event: ChunkAdded) -> Change:
        message, created, message_id = self.open_message, False, event.message_id
        # Most chunks continue the message before them, so that is asked first.
        if (
            message is None
            or message.speaker != event.speaker
            or (message_id is not None and message_id != message.message_id)
        ):
            if message_id is not None:
                message, created = self._message(event.speaker, message_id)
            else:
                message, created = self._unnamed_message(event.speaker), True
        message.content.add(event.content, event.meta)
        self.open_message = message
        return Change("message", message.key, created)

    def _message(self, speaker: Speaker, message_id: str) -> tuple[Message, bool]:
        # The same id in the mouth of another speaker is another message (V2-MSG-02).
        key = f"{speaker}:{message_id}"
        found = self.messages.get(key)
        return (found, False) if found else (self._placed(Message(key, speaker, message_id)), True)

    def _unnamed_message(self, speaker: Speaker) -> Message:
        number = self._unnamed[speaker] = self._unnamed.get(speaker, 0) + 1
        return self._placed(Message(f"{speaker}#{number}", speaker, None))

    def _placed(self, message: Message) -> Message:
        self.messages[message.key] = message
        self.items.append(message)
        return message

    def _tool_call(self, id: str) -> tuple[ToolCall, bool]:
        # Whatever names an unknown id first makes it, with the defaults (V1-TC-06, V2-TC-05).
        if found := self.tool_calls.get(id):
            return found, False
        made = self.tool_calls[id] = ToolCall(id)
        self._begin(made)
        return made, True

    def _compaction(self, id: str) -> tuple[Compaction, bool]:
        # A chunk of a first-seen id makes one that is in progress (V2-CMP-01).
        if found := self.compactions.get(id):
            return found, False
        made = self.compactions[id] = Compaction(id)
        self._begin(made)
        return made, True

    def _session_message(self, id: str) -> tuple[SessionMessage, bool]:
        if found := self.session_messages.get(id):
            return found, False
        made = self.session_messages[id] = SessionMessage(id)
        self._begin(made)
        return made, True

    def _begin(self, item: Item) -> None:
        self.items.append(item)
        self.open_message = None


def _would_continue(item: Item, opened: Message) -> bool:
    """Whether the chunks of an item would go into the message that is open before it."""
    if isinstance(item, Message):
        return item.message_id is None and item.speaker == opened.speaker
    return False
