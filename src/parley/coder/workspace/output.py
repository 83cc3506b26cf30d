"""What a command wrote, as text for a model: clean, and of bounded length. Pure.

A terminal shows the last state of a line that is drawn again and again, and it shows no escape
sequences. So does this. Of a long text the beginning and the end are kept: the first error stands
near the one, the summary near the other.
"""

import codecs
import re
from collections import deque

HEAD_CHARACTERS = 10_000
TAIL_CHARACTERS = 20_000

# A line that is longer is handed on in pieces.
_LONGEST_LINE = 8 * 1024
_ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # Colours, cursor movements, modes.
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"  # Strings.
    r"|\x1b[ -/]*[0-~]"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Cleaner:
    """Makes text of bytes as they come; a line is handed on when it is complete."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._line = ""

    def feed(self, data: bytes) -> str:
        """What is complete now."""
        text = self._line + self._decoder.decode(data)
        end = text.rfind("\n") + 1
        if len(text) - end > _LONGEST_LINE:
            end = len(text)
        self._line = text[end:]
        return clean(text[:end])

    def flush(self) -> str:
        """The line that is not complete yet."""
        line, self._line = self._line, ""
        return clean(line)

    def end(self) -> str:
        """All that is left; nothing comes any more."""
        self._line += self._decoder.decode(b"", final=True)
        return self.flush()


class Kept:
    """The beginning and the end of a text that may be endless."""

    def __init__(self, head: int = HEAD_CHARACTERS, tail: int = TAIL_CHARACTERS) -> None:
        self._head_limit = head
        self._tail_limit = tail
        self._head = ""
        self._tail: deque[str] = deque()
        self._tail_length = 0
        self._length = 0

    def __bool__(self) -> bool:
        return self._length > 0

    @property
    def left_out(self) -> int:
        """How many characters in the middle are gone."""
        return max(self._length - len(self._head) - self._tail_limit, 0)

    @property
    def text(self) -> str:
        """The whole text, or its beginning and end with a line that says what is missing."""
        tail = "".join(self._tail)[-self._tail_limit :]
        if not self.left_out:
            return self._head + tail
        return f"{self._head}\n[... {self.left_out} characters left out here ...]\n{tail}"

    def add(self, text: str) -> None:
        if not text:
            return
        self._length += len(text)
        room = self._head_limit - len(self._head)
        if room > 0:
            self._head += text[:room]
            text = text[room:]
        self._tail.append(text)
        self._tail_length += len(text)
        while self._tail_length - len(self._tail[0]) >= self._tail_limit:
            self._tail_length -= len(self._tail.popleft())


def clean(text: str) -> str:
    """The text as a terminal would show it, without control characters but tab and newline."""
    if "\x1b" in text or not text.isascii():
        text = _ESCAPE.sub("", text)
    if "\r" in text:
        text = "\n".join(map(_last_state, text.split("\n")))
    return _CONTROL.sub("", text)


def shortened(text: str) -> str:
    """The beginning and the end of a text that is there already."""
    kept = Kept()
    kept.add(text)
    return kept.text


def _last_state(line: str) -> str:
    """What is left of a line after its carriage returns."""
    return line.rstrip("\r").rpartition("\r")[2]
