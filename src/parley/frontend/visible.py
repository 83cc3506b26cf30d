r"""Makes text that an agent wrote safe to show on a terminal.

Everything an agent controls goes through here: messages, titles, names, paths, commands, errors,
and the lines of its stderr. What would move the cursor, turn the direction of writing, hide or
change what stands beside it is written as an escape such as `\u001b`. Ordinary text of every script
stays as it is. Nothing is interpreted: markup and links are the letters they consist of. It does no
I/O, and it does not judge letters that merely look alike.

The order of an agent's letters is kept, but a terminal that knows right-to-left scripts may show
them in the order of those scripts, as it does with any text.
"""

import re
from typing import Final
from unicodedata import category, east_asian_width

# Marks that one letter may carry. Scripts with many need five; what piles up beyond covers the
# lines above and below.
MARKS: Final = 6
# How often one emoji may be joined to a further one; the longest in use has three.
JOINS: Final = 4
ELLIPSIS: Final = "…"
_NEWLINE_SIGN = "⏎"
_TAB_CELLS = 4
# Letters that are looked at for one cell of a title, so that a huge title costs little.
_LETTERS_PER_CELL = 64

_NON_JOINER, _JOINER = "\u200c", "\u200d"
_EMOJI_STYLE = "\ufe0f"
_FIRST_SKIN, _LAST_SKIN = "\U0001f3fb", "\U0001f3ff"

# Whatever has neither meaning nor effect beyond itself. The rest is looked at one by one.
_PLAIN = re.compile(
    "[\t\n -~\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u058f\u1e00-\u200a\u2010-\u2027"
    "\u202f-\u205f\u2070-\u20cf\u2100-\u2cee\u2e00-\u3029\u3030-\u3098\u309b-\u3163\u3165-\ua66e"
    "\uac00-\ud7a3\ue000-\ufb1c\uff01-\uff9f\uffa1-\uffef\ufffc\ufffd\U0001f000-\U0001f3fa"
    "\U0001f400-\U0001faff\U00020000-\U0002fffd\U00030000-\U0003fffd]+"
)
# What has no form of its own, or turns or ends lines, beside what its category tells.
_HIDDEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2028\u2029\u2065\u3164\ufdd0-\ufdef\ufe00-\ufe0f"
    "\uffa0\ufff0-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]"
)
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
# Signs in front of numbers and the like: they are of the category of format, and can be seen.
_SEEN_FORMATS = re.compile("[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd]")
_LAST_TWO = 0xFFFE
"""The last two code points of every plane are no characters."""

# Scripts whose letters change with a joiner or a non-joiner behind them.
_JOINING_SCRIPT = re.compile(
    "[\u0620-\u06ef\u06fa-\u07ff\u0840-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17ff\u1820-\u18aa"
    "\u1b00-\u1bff\ua840-\ua87f\ua8e0-\ua8ff\ua980-\ua9df\uaa60-\uaaff\ufb50-\ufdcf\ufe70-\ufefc"
    "\U00011000-\U000114df]"
)
_PICTOGRAPH = re.compile(
    "[\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d"
    "\u3297\u3299\U0001f000-\U0001faff]"
)
_IDEOGRAPH = "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd]"
# What a selector of a variant may stand behind, as the letter and the selector.
_SELECTION = re.compile(
    f"(?:{_PICTOGRAPH.pattern}|[#*0-9\u00a9\u00ae\u203c\u2049\u2122\u2139])[\ufe0e\ufe0f]"
    f"|{_IDEOGRAPH}[\ufe00-\ufe02\U000e0100-\U000e01ef]"
    "|[\u1000-\u109f\uaa60-\uaa7f\u2200-\u22ff\u2a00-\u2aff]\ufe00"
    "|[\u1820-\u18aa][\u180b-\u180f]"
)


def visible(text: str) -> str:
    r"""A block of text, safe to show; line ends and tabs stay, `\r\n` becomes a line end."""
    if _PLAIN.fullmatch(text):
        return text
    stream = VisibleStream()
    return stream.feed(text) + stream.close()


def one_line(text: str, width: int | None = None) -> str:
    """A title, safe to show on one line; one that needs more cells than `width` ends with `…`."""
    text = text.strip()
    letters = len(text) if width is None else _LETTERS_PER_CELL * (max(width, 0) + 1)
    shown = _untabbed(visible(text[:letters]).replace("\n", _NEWLINE_SIGN))
    if width is None:
        return shown
    cut = _cut(shown, width)
    # What was not looked at must not look as if it were not there.
    if letters < len(text) and cut == shown:
        return _cut(shown + ELLIPSIS, width)
    return cut


def joined(text: str, more: str) -> str:
    """Two texts that are safe already, as one; what ends as a sentence does needs no colon."""
    if not more:
        return text
    return f"{text}{' ' if text.endswith(('.', '!', '?')) else ': '}{more}"


def cells(text: str) -> int:
    """How many cells of a terminal a visible line takes at most.

    Terminals disagree about joined emoji; those that draw them as one need fewer.
    """
    if text.isascii():
        return len(text)
    return sum(map(_cells_of, text)) + sum(
        _cells_of(before) == 1 for before in re.findall(f"(.){_EMOJI_STYLE}", text)
    )


class VisibleStream:
    """The same for text that comes in pieces: how it is cut does not change what comes out.

    It remembers the last letter and a few counts, whatever an agent sends.
    """

    def __init__(self) -> None:
        self._before = ""
        """The last letter that was kept; nothing after an escape, a tab and a line end."""
        self._marks = 0
        self._joins = 0
        self._held = ""
        """A joiner or a carriage return, whose meaning depends on what comes next."""

    def feed(self, text: str) -> str:
        """The part that can be shown by now."""
        out: list[str] = []
        at = 0
        while at < len(text):
            if self._held:
                out.append(self._released(text[at]))
            elif run := _PLAIN.match(text, at):
                out.append(run[0])
                self._follow(text[run.end() - 1])
                at = run.end()
                continue
            out.append(self._one(text[at]))
            at += 1
        return "".join(out)

    def close(self) -> str:
        """What was still held back. Say it when nothing follows."""
        held, self._held = self._held, ""
        return self._escape(held) if held else ""

    def _released(self, following: str) -> str:
        """What was held back, now that the next letter is known."""
        held, self._held = self._held, ""
        if held == "\r":
            self._follow("\n")
            return "" if following == "\n" else _escaped(held)
        if not _PICTOGRAPH.match(following):
            return self._escape(held)
        self._joins += 1
        self._before = _JOINER
        return held

    def _one(self, letter: str) -> str:
        """What is shown for a letter that needs a look."""
        if letter == "\r" or (letter == _JOINER and self._joins_emoji()):
            self._held = letter
            return ""
        kind = category(letter)
        if self._is_fitting(letter):
            self._before = letter
            return letter
        if _is_hidden(letter, kind):
            return self._escape(letter)
        if kind in ("Mn", "Me"):
            return self._mark(letter)
        self._follow(letter)
        return letter

    def _joins_emoji(self) -> bool:
        before = self._before
        emoji = before == _EMOJI_STYLE or _PICTOGRAPH.match(before)
        return bool(emoji) and self._joins < JOINS

    def _is_fitting(self, letter: str) -> bool:
        """Whether something invisible belongs to the letter before it."""
        if letter in (_JOINER, _NON_JOINER):
            return _JOINING_SCRIPT.match(self._before) is not None
        return _SELECTION.fullmatch(self._before + letter) is not None

    def _mark(self, mark: str) -> str:
        # Without a letter of its own it would change what we wrote before it.
        if not self._before:
            return self._escape(mark)
        self._marks += 1
        if self._marks <= MARKS:
            self._before = mark
            return mark
        self._before = ELLIPSIS
        return ELLIPSIS if self._marks == MARKS + 1 else ""

    def _escape(self, letter: str) -> str:
        self._before = ""
        self._marks = self._joins = 0
        return _escaped(letter)

    def _follow(self, letter: str) -> None:
        """Go on behind a letter that begins something new, unless it belongs to an emoji."""
        if self._before != _JOINER and not _FIRST_SKIN <= letter <= _LAST_SKIN:
            self._joins = 0
        self._marks = 0
        self._before = "" if letter in "\n\t" else letter


def _is_hidden(letter: str, kind: str) -> bool:
    if kind in _HIDDEN_CATEGORIES:
        return letter not in "\n\t" and not _SEEN_FORMATS.match(letter)
    return bool(_HIDDEN.match(letter)) or ord(letter) & _LAST_TWO == _LAST_TWO


def _escaped(letter: str) -> str:
    code = ord(letter)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _untabbed(text: str) -> str:
    """With spaces for tabs, up to the next stop counted from the start of the text."""
    parts = text.split("\t")
    for at, part in enumerate(parts[:-1]):
        # What stands before begins at a stop.
        parts[at] += " " * (_TAB_CELLS - cells(part) % _TAB_CELLS)
    return "".join(parts)


def _cut(text: str, width: int) -> str:
    """As much as fits, with `…` where something is missing; letters keep what belongs to them."""
    if width <= 0:
        return ""
    used = fitting = 0
    for at, letter in enumerate(text):
        size = _cells_of(letter)
        if letter == _EMOJI_STYLE and at and _cells_of(text[at - 1]) == 1:
            size = 1
        # A place to cut is before a letter that stands alone.
        if size and letter != _EMOJI_STYLE and text[at - 1 : at] != _JOINER and used < width:
            fitting = at
        used += size
        if used > width:
            return text[:fitting] + ELLIPSIS
    return text


def _cells_of(letter: str) -> int:
    if letter in (_NON_JOINER, _JOINER) or category(letter) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(letter) in "WF" else 1
