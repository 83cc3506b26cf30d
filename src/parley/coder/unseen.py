"""Characters that nobody can see, although a model reads them. Pure.

They are those that Unicode calls ignorable by default, and fillers that only look like blanks. A
text with them says something else than what a person agreed to.
"""

import re
from functools import cache

_CONTROLS = r"\x00-\x08\x0b-\x1f\x7f-\x9f"
_IGNORABLE = (
    r"\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    r"\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e0fff"
)
# Line ends of Unicode, an empty cell of Braille, and marks between lines.
_FILLERS = r"\u2028\u2029\u2800\ufff9-\ufffb"
# Behind these the selector U+FE0F says no more than that they are coloured.
_SYMBOLS = r"\xa9\xae\u2190-\u27bf\u2900-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"


def is_unseen(character: str) -> bool:
    """Whether a character shows nothing; controls and blanks are not meant."""
    return not character.isascii() and _names().match(character) is not None


def without_unseen(name: str) -> str:
    """A name as somebody reads it."""
    return name if name.isascii() else _names().sub("", name)


def seen(text: str) -> str:
    """Prose without what nobody sees, controls included; lines, tabs and emoji stay."""
    return _prose().sub("", text).strip()


# Compiled when they are needed, since that takes longer than most of what a start does.


@cache
def _names() -> re.Pattern[str]:
    return re.compile(f"[{_IGNORABLE}{_FILLERS}]")


@cache
def _prose() -> re.Pattern[str]:
    selector = rf"(?<=[{_SYMBOLS}])\ufe0f|(?<=[0-9#*])\ufe0f(?=\u20e3)"
    return re.compile(f"(?!{selector})[{_CONTROLS}{_IGNORABLE}{_FILLERS}]")
