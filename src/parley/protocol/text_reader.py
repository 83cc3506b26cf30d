"""The chunks of a message that is being received, which differ in their text alone.

Most of what an agent sends is chunks of plain text whose frames are the same but for one string.
Once such a frame has been read in full, one that has the same bytes around the string says the
same with another text, and only that string has to be read. Both versions use it; it knows
neither.
"""

import re

import msgspec

from parley.rpc.transport import Incoming
from parley.session.content import Text
from parley.session.event import ChunkAdded, Speaker
from parley.session.role import ClientRole

# A key cannot look like this inside a string, where quotes are escaped.
_TEXT = re.compile(rb'"text"[ \t]*:[ \t]*("(?:[^"\\]|\\.)*+")', re.DOTALL)
_decode_text = msgspec.json.Decoder(str).decode
_NOTHING = b"\0"
"""No frame begins with it."""


class TextReader:
    """Recognises the next chunk of the message in hand, and tells the client."""

    __slots__ = ("_candidate", "_client", "_head", "_id", "_last", "_session", "_speaker", "_tail")

    def __init__(self, client: ClientRole) -> None:
        self._client = client
        self._last: bytes = b""
        self._candidate: tuple[str, Speaker, str | None] | None = None
        self._head = self._tail = _NOTHING
        self._session = ""
        self._speaker: Speaker = "agent"
        self._id: str | None = None

    def recognise(self, frame: Incoming) -> bool:
        """Take a frame if it is one more chunk of the message in hand; whether it was."""
        if type(frame) is not bytes:
            return False
        head, tail = self._head, self._tail
        if frame.startswith(head) and frame.endswith(tail) and not self._client.blocked:
            try:
                text = _decode_text(frame[len(head) : len(frame) - len(tail)])
            except (msgspec.DecodeError, UnicodeDecodeError):
                text = None
            if text is not None:
                event = ChunkAdded(self._speaker, Text(text), self._id)
                self._client.emit(self._session, event)
                return True
        self._last = frame
        return False

    def learn(self, session_id: str, event: ChunkAdded) -> None:
        """The frame that was not recognised last turned out to be this chunk of plain text.

        What comes once is not worth learning, so a message is learned from its second chunk.
        """
        what = (session_id, event.speaker, event.message_id)
        if self._candidate != what:
            self._candidate = what
            return
        found = _TEXT.findall(self._last)
        if len(found) != 1:
            return  # Another `text` could be taken for the one that changes.
        head, _, tail = self._last.partition(found[0])
        if b"\\" in head or b"\\" in tail:
            return  # A name in disguise could be the one that changes.
        self._head, self._tail = head, tail
        self._session, self._speaker, self._id = what

    def forget(self) -> None:
        """What was learned is no longer true."""
        self._candidate = None
        self._head = self._tail = _NOTHING
