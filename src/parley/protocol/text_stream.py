"""The frames of a message that is being streamed, which differ in their text alone.

Pure. A turn is mostly chunks of plain text, so all of such a frame but its text is made once. Both
versions use it; it knows neither.
"""

import os
from typing import Any

import msgspec
from msgspec.structs import replace

from parley.rpc.message import notification_frame
from parley.schema.base import Notification
from parley.schema.codec import encode
from parley.session.content import Block, Text
from parley.session.event import ChunkAdded, Speaker, is_plain

_MARK = os.urandom(16).hex()
_ENCODED_MARK = msgspec.json.encode(_MARK)
_encode_text = msgspec.json.Encoder().encode


class TextStream:
    """The message of one session that is in hand, if it is one of plain text."""

    __slots__ = ("_candidate", "_head", "_message_id", "_seen", "_speaker", "_tail")

    def __init__(self) -> None:
        self._message_id: str | None = None
        self._candidate: str | None = None
        self._speaker: Speaker = "agent"
        self._seen: list[Block] | None = None
        self._head = self._tail = b""

    def frame(self, event: ChunkAdded) -> bytes | None:
        """The frame of a chunk, if it is one more plain text of the message in hand."""
        message_id = self._message_id
        if message_id is None or event.message_id != message_id or event.speaker != self._speaker:
            return None
        content = event.content
        if not isinstance(content, Text) or not is_plain(event):
            return None
        if self._seen is not None:
            self._seen.append(content)
        return b"".join((self._head, _encode_text(content.text), self._tail))

    def learn(
        self,
        event: ChunkAdded,
        sent: Notification,
        update: Any,
        seen: list[Block] | None = None,
    ) -> None:
        """A chunk was sent the usual way, as this update; the next ones may be like it.

        What comes once is not worth learning, so a message is learned from its second chunk. The
        blocks of those that follow are added to `seen`.
        """
        plain = is_plain(event)
        if event.message_id is None or event.message_id != self._candidate or not plain:
            # Another chunk may open another message, so what was learned ends here.
            self._message_id = None
            self._candidate = event.message_id if plain else None
            return
        marked = replace(update, content=replace(update.content, text=_MARK))
        frame = notification_frame(sent.METHOD, encode(replace(sent, update=marked)))
        self._head, _, self._tail = frame.partition(_ENCODED_MARK)
        self._message_id, self._speaker, self._seen = event.message_id, event.speaker, seen

    def forget(self) -> None:
        """Something else happened, which may change what the message is called."""
        self._message_id = self._candidate = self._seen = None
