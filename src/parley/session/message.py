"""What grows block by block: messages, summaries of compactions, messages between sessions.

Owns how chunks become content. Knows nothing of the order of a transcript, of turns, or of which
message a chunk without an id belongs to; that is `transcript.py`.
"""

from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, TypeGuard

from msgspec import UNSET

from parley.session.content import Block, Meta, Text
from parley.session.event import (
    ChunkAdded,
    CompactionChanged,
    CompactionSummaryAdded,
    Event,
    MessageChanged,
    SessionMessageChanged,
    SessionMessageChunkAdded,
    Speaker,
)
from parley.session.patch import given, patched, patched_meta

Part = tuple[Block, Meta | None]
"""A block with the `meta` of the chunks that it came in."""


class Content:
    """Blocks that chunks are added to, at a constant price per chunk.

    Text joins the text before it when neither carries annotations or `meta` of its own and both
    chunks came with the same `meta`. The pieces are joined when somebody reads them. The `meta`
    of a chunk patches nothing (EXT-15): it stays beside the block that the chunk became.
    """

    __slots__ = ("_chunk_meta", "_joined", "_open", "_pieces", "_read", "_text")

    def __init__(self) -> None:
        self._joined: list[Block] = []
        # What the last of the joined blocks still lacks.
        self._pieces: list[str] = []
        self._chunk_meta: dict[int, Meta] = {}
        # Whether the last block is plain text from chunks without `meta`, as nearly all are.
        self._open = False
        self._read: tuple[Block, ...] | None = None
        self._text: str | None = None

    @property
    def blocks(self) -> tuple[Block, ...]:
        if self._read is None:
            self._join()
            self._read = tuple(self._joined)
        return self._read

    @property
    def text(self) -> str:
        """All text blocks, one behind the other."""
        if self._text is None:
            self._text = "".join(block.text for block in self.blocks if isinstance(block, Text))
        return self._text

    @property
    def parts(self) -> list[Part]:
        return [(block, self._chunk_meta.get(i)) for i, block in enumerate(self.blocks)]

    def add(self, block: Block, chunk_meta: Meta | None) -> None:
        self._read = self._text = None
        if self._open and not chunk_meta and _is_plain(block):
            self._pieces.append(block.text)
            return
        chunk_meta = chunk_meta or None
        if _is_plain(block) and self._ends_with_plain_text(chunk_meta):
            self._pieces.append(block.text)
            return
        self._join()
        if chunk_meta:
            self._chunk_meta[len(self._joined)] = chunk_meta
        self._joined.append(block)
        self._open = chunk_meta is None and _is_plain(block)

    def goes_on(self, text: str) -> bool:
        """Add text to the plain text at the end; whether there is some."""
        if not self._open:
            return False
        self._read = self._text = None
        self._pieces.append(text)
        return True

    def replace(self, blocks: tuple[Block, ...]) -> None:
        """Take these blocks as they are instead of everything so far, chunks included."""
        self._joined = list(blocks)
        self._pieces = []
        self._chunk_meta = {}
        self._open = bool(blocks) and _is_plain(blocks[-1])
        self._read = self._text = None

    def split(self) -> tuple[tuple[Block, ...], list[Part]]:
        """The blocks that one replacement can carry, and the parts that need chunks."""
        whole = min(self._chunk_meta, default=len(self.blocks))
        return self.blocks[:whole], self.parts[whole:]

    def facts(self) -> list[dict[str, Any]]:
        """The blocks as plain data that does not depend on how the text was cut."""
        found: list[dict[str, Any]] = []
        for (plain, chunk_meta), group in groupby(self.parts, lambda p: (_is_plain(p[0]), p[1])):
            blocks = [block for block, _ in group]
            if plain:
                text = "".join(block.text for block in blocks if isinstance(block, Text))
                blocks = [Text(text)] if text or chunk_meta else []
            beside = {"chunk_meta": chunk_meta} if chunk_meta else {}
            found.extend({"block": block, **beside} for block in blocks)
        return found

    def _ends_with_plain_text(self, chunk_meta: Meta | None) -> bool:
        last = len(self._joined) - 1
        return (
            last >= 0 and _is_plain(self._joined[last]) and self._chunk_meta.get(last) == chunk_meta
        )

    def _join(self) -> None:
        if self._pieces:
            last = self._joined[-1]
            assert isinstance(last, Text)
            self._joined[-1] = Text("".join([last.text, *self._pieces]))
            self._pieces = []


@dataclass(slots=True, eq=False)
class Message:
    """What one speaker said, or thought, in one go."""

    key: str
    """Names it in its session: an id is unique among the messages of one speaker only."""
    speaker: Speaker
    message_id: str | None
    content: Content = field(default_factory=Content)
    meta: Meta | None = None

    @property
    def text(self) -> str:
        return self.content.text

    @property
    def blocks(self) -> tuple[Block, ...]:
        return self.content.blocks

    def change(self, event: MessageChanged) -> None:
        if event.content is not UNSET:
            # An array replaces what chunks brought; null and an empty one clear (V2-MSG-04).
            self.content.replace(event.content or ())
        self.meta = patched_meta(self.meta, event.meta)

    def events(self) -> list[Event]:
        """What makes the same message again, where no other is open."""
        whole, rest = self.content.split()
        if self.message_id is None:
            # Only chunks can make it, and what chunks made has no neighbours that would join.
            whole, rest = (), self.content.parts
        added = [ChunkAdded(self.speaker, part[0], self.message_id, part[1]) for part in rest]
        if self.message_id is None or (added and not whole and self.meta is None):
            return [*added]
        made = MessageChanged(self.speaker, self.message_id, whole or UNSET, given(self.meta))
        return [made, *added]

    def facts(self) -> dict[str, Any]:
        """What counts when two sessions are compared."""
        return {
            "item": "message",
            "speaker": self.speaker,
            "id": self.message_id,
            "content": self.content.facts(),
            "meta": self.meta,
        }


@dataclass(slots=True, eq=False)
class Compaction:
    """One time that the agent shortened its context; its first report fixes its place."""

    id: str
    status: str = "in_progress"
    summary: Content = field(default_factory=Content)
    error: str | None = None
    meta: Meta | None = None

    def change(self, event: CompactionChanged) -> None:
        self.status = event.status
        if event.summary is not UNSET:
            self.summary.replace(event.summary or ())
        self.error = patched(self.error, event.error, None)
        self.meta = patched_meta(self.meta, event.meta)

    def events(self) -> list[Event]:
        """What makes the same compaction again."""
        whole, rest = self.summary.split()
        made = CompactionChanged(
            self.id, self.status, whole or UNSET, given(self.error), given(self.meta)
        )
        added = [CompactionSummaryAdded(self.id, *part) for part in rest]
        return (
            [*added]
            if added and made == CompactionChanged(self.id, "in_progress")
            else [made, *added]
        )

    def facts(self) -> dict[str, Any]:
        """What counts when two sessions are compared."""
        return {
            "item": "compaction",
            "id": self.id,
            "status": self.status,
            "summary": self.summary.facts(),
            "error": self.error,
            "meta": self.meta,
        }


@dataclass(slots=True, eq=False)
class SessionMessage:
    """A message between two sessions, as one of them shows it."""

    id: str
    sender_session_id: str | None = None
    recipient_session_id: str | None = None
    sender_message_id: str | None = None
    recipient_message_id: str | None = None
    content: Content = field(default_factory=Content)
    meta: Meta | None = None

    def change(self, event: SessionMessageChanged) -> None:
        self.sender_session_id = patched(self.sender_session_id, event.sender_session_id, None)
        self.recipient_session_id = patched(
            self.recipient_session_id, event.recipient_session_id, None
        )
        self.sender_message_id = patched(self.sender_message_id, event.sender_message_id, None)
        self.recipient_message_id = patched(
            self.recipient_message_id, event.recipient_message_id, None
        )
        if event.content is not UNSET:
            self.content.replace(event.content or ())
        self.meta = patched_meta(self.meta, event.meta)

    def events(self) -> list[Event]:
        """What makes the same message again."""
        whole, rest = self.content.split()
        made = SessionMessageChanged(
            self.id,
            given(self.sender_session_id),
            given(self.recipient_session_id),
            given(self.sender_message_id),
            given(self.recipient_message_id),
            whole or UNSET,
            given(self.meta),
        )
        added = [SessionMessageChunkAdded(self.id, *part) for part in rest]
        return [*added] if added and made == SessionMessageChanged(self.id) else [made, *added]

    def facts(self) -> dict[str, Any]:
        """What counts when two sessions are compared."""
        return {
            "item": "session_message",
            "id": self.id,
            "sender_session_id": self.sender_session_id,
            "recipient_session_id": self.recipient_session_id,
            "sender_message_id": self.sender_message_id,
            "recipient_message_id": self.recipient_message_id,
            "content": self.content.facts(),
            "meta": self.meta,
        }


def _is_plain(block: Block) -> TypeGuard[Text]:
    """Whether a block is text and nothing else, so that joining it loses nothing."""
    return isinstance(block, Text) and block.annotations is None and not block.meta
