"""Messages of a session on their way to a client of version 1, which knows only chunks.

Pure. A message that is replaced as a whole can only be continued or begun again under another id,
so what has been sent of the messages of the running turn is kept here.
"""

from collections.abc import Sequence
from typing import TypeGuard

from msgspec import UNSET, UnsetType

import parley.schema.v1 as v1
from parley.protocol.v1.content import Lose, block_model
from parley.session.content import Block, Text
from parley.session.event import ChunkAdded, MessageChanged, Speaker

Chunk = v1.UserMessageChunk | v1.AgentMessageChunk | v1.AgentThoughtChunk

CHUNKS: dict[Speaker, type[Chunk]] = {
    "user": v1.UserMessageChunk,
    "agent": v1.AgentMessageChunk,
    "thought": v1.AgentThoughtChunk,
}
_REPLACES = Text("[replaces an earlier message]\n\n")


class _Sent:
    """What the client has seen of one message, and under which id."""

    __slots__ = ("blocks", "id", "times_replaced")

    def __init__(self, id_: str) -> None:
        self.id = id_
        self.blocks: list[Block] | None = []
        """`None` once it was forgotten, after the turn."""
        self.times_replaced = 0


class Messages:
    """The messages of one session."""

    def __init__(self, lose: Lose) -> None:
        self._lose = lose
        self._sent: dict[Speaker, dict[str, _Sent]] = {"user": {}, "agent": {}, "thought": {}}

    def chunk(self, event: ChunkAdded) -> Chunk:
        content = event.content
        # The plain case is nearly every event of a session, so it takes the shortest way.
        if type(content) is Text and content.annotations is None and content.meta is None:
            model = v1.TextContent(text=content.text)
        else:
            model = block_model(content, self._lose)
        speaker = event.speaker
        meta = event.meta
        message_id = event.message_id
        if message_id is None:
            return CHUNKS[speaker](content=model, meta=UNSET if meta is None else meta)
        sent = self._sent[speaker].get(message_id)
        if sent is None:
            sent = self._first(speaker, message_id)
        if sent.blocks is not None:
            sent.blocks.append(content)
        return CHUNKS[speaker](
            content=model, message_id=sent.id, meta=UNSET if meta is None else meta
        )

    def blocks_of(self, event: ChunkAdded) -> list[Block] | None:
        """What was sent of the message that a chunk belongs to, as far as it is kept."""
        sent = self._sent[event.speaker].get(event.message_id or "")
        return None if sent is None else sent.blocks

    def changed(self, event: MessageChanged) -> Sequence[Chunk]:
        """The chunks that lead to the message as it is now."""
        if event.meta is None or event.meta:
            self._lose("message.meta", "the `_meta` of a message goes at most with its next part")
        if not event.content and event.message_id not in self._sent[event.speaker]:
            self._lose("message.empty", "a message without content is not sent")
        if isinstance(event.content, UnsetType):
            return ()
        sent = self._sent[event.speaker].get(event.message_id)
        if sent is None:
            sent = self._first(event.speaker, event.message_id)
        blocks = event.content or ()
        rest = self._rest(sent, blocks)
        sent.blocks = list(blocks)
        meta = event.meta or UNSET
        return [
            CHUNKS[event.speaker](
                content=block_model(block, self._lose),
                message_id=sent.id,
                meta=UNSET if index else meta,
            )
            for index, block in enumerate(rest)
        ]

    def turn_ended(self) -> None:
        """Forget what was said; only the ids under which it was said are kept."""
        for messages in self._sent.values():
            for sent in messages.values():
                sent.blocks = None

    def _first(self, speaker: Speaker, message_id: str) -> _Sent:
        # Ids are unique per speaker, but a client of version 1 may take them for unique.
        taken = any(message_id in messages for messages in self._sent.values())
        sent = _Sent(f"{speaker[0]}:{message_id}" if taken else message_id)
        self._sent[speaker][message_id] = sent
        return sent

    def _rest(self, sent: _Sent, blocks: tuple[Block, ...]) -> Sequence[Block]:
        """What is still to be sent, so that the client has seen all the blocks."""
        if sent.blocks is not None:
            rest = remainder(sent.blocks, blocks)
            if rest is not None:
                return rest
        if not blocks:
            self._lose("message.cleared", "a message that was sent cannot be cleared")
            return ()
        self._lose("message.replaced", "a message that was sent is begun again under another id")
        sent.times_replaced += 1
        sent.id = f"{sent.id.partition('~')[0]}~{sent.times_replaced}"
        return (_REPLACES, *blocks)


def remainder(sent: Sequence[Block], whole: Sequence[Block]) -> Sequence[Block] | None:
    """What `whole` holds behind `sent`, or nothing if it does not begin with it."""
    if not sent:
        return whole
    before, after = _joined(sent), _joined(whole)
    *first, last = before
    if list(after[: len(first)]) != first or len(after) < len(before):
        return None
    found = after[len(first)]
    rest = after[len(before) :]
    if found == last:
        return rest
    if _is_plain(found) and _is_plain(last) and found.text.startswith(last.text):
        return (Text(found.text[len(last.text) :]), *rest)
    return None


def _joined(blocks: Sequence[Block]) -> list[Block]:
    """The blocks with neighbouring plain texts made one."""
    found: list[Block] = []
    for block in blocks:
        if found and _is_plain(block) and _is_plain(last := found[-1]):
            found[-1] = Text(last.text + block.text)
        else:
            found.append(block)
    return found


def _is_plain(block: Block) -> TypeGuard[Text]:
    return isinstance(block, Text) and block.annotations is None and block.meta is None
