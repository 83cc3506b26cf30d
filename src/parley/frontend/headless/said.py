"""What an agent says in a turn, put into one order: chunks, and messages that come as a whole.

A message may be streamed, and then restated whole. What was shown already is not shown again.
"""

from zlib import crc32

from parley.session.content import Audio, Block, Image, Link, OtherBlock, Resource, Text
from parley.session.event import REPEATS_FAILURE, ChunkAdded, Event, MessageChanged

_KEPT = 64


class Said:
    """Gives the text that is new, event by event. It keeps lengths and sums, and no texts."""

    def __init__(self) -> None:
        self._shown: dict[str, tuple[int, int]] = {}
        self._last: str | None = None
        self._end = ""
        """The last two letters that were said."""

    def heard(self, event: Event) -> str:
        """The text that an event adds, if the agent speaks in it.

        A failure that it speaks of is no part of the answer: it is told as what it is.
        """
        if isinstance(event, ChunkAdded):
            if event.meta and event.meta.get(REPEATS_FAILURE):
                return ""
            return self.chunk(event) if event.speaker == "agent" else ""
        if isinstance(event, MessageChanged):
            return self.message(event) if event.speaker == "agent" else ""
        return ""

    def chunk(self, event: ChunkAdded) -> str:
        """The text that a chunk adds; a new message begins on a line of its own."""
        text = text_of(event.content)
        id_ = event.message_id
        if id_ is None:
            self._end = (self._end + text)[-2:]
            return text
        length, total = self._shown.get(id_, (0, 0))
        border = self._border(id_)
        self._note(id_, length + len(text), crc32(_bytes(text), total))
        self._end = (self._end + text)[-2:]
        return border + text

    def message(self, event: MessageChanged) -> str:
        """The text that a whole message adds to what was shown of it."""
        if not isinstance(event.content, tuple):
            return ""
        text = "".join(map(text_of, event.content))
        id_ = event.message_id
        length, total = self._shown.get(id_, (0, 0))
        if length and crc32(_bytes(text[:length])) == total:
            new, border = text[length:], ""
        else:
            # It is another text than the one that was shown.
            self._last = "" if length else self._last
            new, border = text, self._border(id_)
        self._note(id_, len(text), crc32(_bytes(text)))
        self._end = (self._end + new)[-2:]
        return border + new if new else ""

    def pause(self) -> None:
        """Something else happened: a tool call, a question."""
        self._last = None

    def _border(self, id_: str) -> str:
        """A blank line between two messages, as much of it as is not there yet."""
        follows = self._last is not None and self._last != id_
        self._last = id_
        if not follows or not self._end:
            return ""
        return "\n\n"[len(self._end) - len(self._end.rstrip("\n")) :]

    def _note(self, id_: str, length: int, total: int) -> None:
        self._shown[id_] = (length, total)
        if len(self._shown) > _KEPT:
            del self._shown[next(iter(self._shown))]


def text_of(block: Block) -> str:
    """A block as text; what is no text is named."""
    match block:
        case Text():
            return block.text
        case Link():
            return f"{block.title or block.name} <{block.uri}>"
        case Resource(text=str(text)):
            return text
        case Resource():
            return f"[{block.mime_type or 'data'}: {block.uri}]"
        case Image() | Audio():
            return f"[{block.mime_type}, {len(block.data) * 3 // 4} bytes]"
        case OtherBlock():
            return f"[{block.kind}]"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
