"""Bytes of a file as text and back, so that what an edit does not touch stays as it was. Pure.

Inside the agent a line ends with a line feed. What the file has instead, its encoding and its byte
order mark are kept beside the text and come back when it is written.
"""

import hashlib
from difflib import SequenceMatcher

from msgspec import Struct

_UTF8_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_UTF32_BOM = b"\xff\xfe\0\0"
_BOM = "\ufeff"
# Control characters that texts have: tab, line feed, form feed, carriage return, escape.
_USUAL_CONTROLS = frozenset(b"\t\n\f\r\x1b")
_RARE = bytes(code for code in range(32) if code not in _USUAL_CONTROLS) + b"\x7f"
# One rare control character in so many: more of them are no text in any old encoding.
_TEXT_HAS_ONE_IN = 50
# Comparing more lines than this one by one takes longer than a person waits.
_MOST_COMPARED = 4000


class FileText(Struct, frozen=True):
    """A text file, and what must stay the same when it is written again."""

    text: str
    """With `\\n` between lines, whatever the file has."""
    newline: str = "\n"
    encoding: str = "utf-8"
    bom: bool = False
    hash: str = ""
    mixed: str = ""
    """The text as the file has it, where its lines end in different ways."""


def decoded(data: bytes) -> FileText | None:
    """The text in a file; `None` if it is none."""
    if data[:2] in _UTF16_BOMS and data[:4] != _UTF32_BOM:
        return _from_bytes(data[2:], _UTF16_BOMS[data[:2]], bom=True)
    if b"\0" in data:
        return None
    if data.startswith(_UTF8_BOM):
        return _from_bytes(data[3:], "utf-8", bom=True)
    return _from_bytes(data, "utf-8") or _from_old_encoding(data)


def opened(raw: str) -> FileText:
    """The text of a file that somebody else has decoded."""
    bom = raw.startswith(_BOM)
    return _file_text(raw[1:] if bom else raw, "utf-8", bom=bom)


def restored(text: str, like: FileText) -> str:
    """The text with the line ends and the mark that the file had."""
    return (_BOM if like.bom else "") + _with_line_ends(text, like)


def encoded(text: str, like: FileText) -> bytes:
    """The text as bytes of a file like the one that was read.

    Raises:
        UnicodeEncodeError: the encoding of the file has no such character.
    """
    return restored(text, like).encode(like.encoding)


def fingerprint(raw: str) -> str:
    """What tells two versions of a file apart."""
    return hashlib.sha256(raw.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _from_bytes(data: bytes, encoding: str, *, bom: bool = False) -> FileText | None:
    try:
        return _file_text(data.decode(encoding), encoding, bom=bom)
    except UnicodeDecodeError:
        return None


def _from_old_encoding(data: bytes) -> FileText | None:
    rare = len(data) - len(data.translate(None, _RARE))
    if rare * _TEXT_HAS_ONE_IN > len(data):
        return None
    return _from_bytes(data, "latin-1")


def _file_text(raw: str, encoding: str, *, bom: bool) -> FileText:
    pairs = raw.count("\r\n")
    feeds = raw.count("\n") - pairs
    mixed = ""
    if pairs:
        newline = "\r\n" if pairs >= feeds else "\n"
        text = raw.replace("\r\n", "\n")
        mixed = raw if feeds else ""
    elif "\r" in raw and not feeds:
        newline, text = "\r", raw.replace("\r", "\n")
    else:
        newline, text = "\n", raw
    return FileText(text, newline, encoding, bom, fingerprint(raw), mixed)


def _with_line_ends(text: str, like: FileText) -> str:
    if like.mixed:
        return _with_mixed_ends(text, like)
    return text if like.newline == "\n" else text.replace("\n", like.newline)


def _with_mixed_ends(text: str, like: FileText) -> str:
    """Lines that were there before keep their end; new ones have the one that is most frequent."""
    before = like.mixed.split("\n")
    had_pair = [line.endswith("\r") for line in before[:-1]]
    old, new = like.text.split("\n"), text.split("\n")
    ends = [like.newline] * (len(new) - 1)
    for at, to, size in _same_lines(old, new):
        for offset in range(size):
            if at + offset < len(had_pair) and to + offset < len(ends):
                ends[to + offset] = "\r\n" if had_pair[at + offset] else "\n"
    return "".join(line + end for line, end in zip(new, [*ends, ""], strict=True))


def _same_lines(old: list[str], new: list[str]) -> list[tuple[int, int, int]]:
    """Blocks of equal lines: where in the old text, where in the new one, how many."""
    most = min(len(old), len(new))
    head = next((at for at in range(most) if old[at] != new[at]), most)
    room = most - head
    tail = next((at for at in range(room) if old[-1 - at] != new[-1 - at]), room)
    blocks = [(0, 0, head), (len(old) - tail, len(new) - tail, tail)]
    old, new = old[head : len(old) - tail], new[head : len(new) - tail]
    if len(old) + len(new) <= _MOST_COMPARED:
        matcher = SequenceMatcher(None, old, new, autojunk=False)
        blocks += [(head + a, head + b, size) for a, b, size in matcher.get_matching_blocks()]
    return blocks
