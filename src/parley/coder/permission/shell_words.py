"""A strict reader of the plainest shell lines: literal words, `&&`, `||`, `;`, `|`, newline.

Beside these it takes `2>&1` and output into `/dev/null`, which change nothing. It knows far less
than a shell, on purpose. Whatever it does not know for certain it refuses with the name of what it
saw, so a line that it accepts means the same to every shell. `shell` compares its words with those
of the real grammar: only where both agree is a line understood.
"""

import re
import unicodedata
from typing import Literal

from msgspec import Struct

from parley.coder.unseen import is_unseen

Fact = Literal[
    "an assignment",
    "a background command",
    "a brace expansion",
    "a comment",
    "a control character",
    "control flow",
    "an expansion",
    "a function",
    "a here-document",
    "a line continuation",
    "a look-alike character",
    "a redirection",
    "a subshell",
    "a substitution",
    "a syntax error",
    "a wildcard",
    "more than can be checked",
    "syntax that is not understood",
    "words that two readers split differently",
    "no shell grammar to check it with",
]
"""What keeps a command line from being plain, in words for a person."""


class Word(Struct, frozen=True):
    """One word without its quotes; `glob` says that an unquoted wildcard is in it."""

    text: str
    glob: bool = False


class Unclear(Exception):
    """The text is not plain."""

    def __init__(self, fact: Fact) -> None:
        super().__init__(fact)
        self.fact: Fact = fact


def read(text: str) -> tuple[tuple[Word, ...], ...]:
    """The simple commands of a line.

    Raises:
        Unclear: anything but literal words and the plain operators is in it.
    """
    return _Reader(text).commands()


def literal(text: str) -> str | None:
    """The value of one word as it stands in the source; `None` if only a shell could tell."""
    try:
        commands = _Reader(text, one_word=True).commands()
    except Unclear:
        return None
    return commands[0][0].text if len(commands) == 1 and len(commands[0]) == 1 else None


def is_hidden(character: str) -> bool:
    """Whether a character does not show as itself: controls, bidirectional marks, odd blanks."""
    odd = character != " " and unicodedata.category(character)[0] in "CZ"
    return odd or is_unseen(character)


# The only redirections that change nothing: errors beside the output, or output thrown away.
QUIET = re.compile(r"(?:2>&1|[12]?> ?/dev/null)(?![^ \t\n;|&])")

_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_%+,-./:=@^")
_WILD = frozenset("*?[]")
_RESERVED = frozenset(
    ("if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "in", "[[")
).union(("case", "esac", "select", "function", "coproc", "time"))
_REFUSED: dict[str, Fact] = {
    "$": "an expansion",
    "`": "a substitution",
    "<": "a redirection",
    ">": "a redirection",
    "(": "a subshell",
    ")": "a subshell",
    "{": "a brace expansion",
    "}": "a brace expansion",
    "&": "a background command",
    "#": "a comment",
    "~": "an expansion",
    "!": "control flow",
}


class _Reader:
    """`one_word` also takes what only the start of a command forbids: `if`, `a=b`."""

    def __init__(self, text: str, *, one_word: bool = False) -> None:
        self._text = text
        self._at = 0
        self._one_word = one_word
        self._commands: list[tuple[Word, ...]] = []
        self._words: list[Word] = []
        self._joined = False
        """An operator wants a command after it."""

    def commands(self) -> tuple[tuple[Word, ...], ...]:
        while self._at < len(self._text):
            character = self._text[self._at]
            if character in " \t":
                self._at += 1
            elif character in ";|\n" or self._text.startswith("&&", self._at):
                self._operator()
            elif self._words and (quiet := QUIET.match(self._text, self._at)):
                self._at = quiet.end()
            else:
                self._words.append(self._word())
        self._close(needed=self._joined)
        return tuple(self._commands)

    def _operator(self) -> None:
        here = self._text[self._at : self._at + 2]
        if here == "|&":
            raise Unclear("a redirection")
        if here in ("&&", "||"):
            self._at += 2
            self._close(needed=True)
            self._joined = True
            return
        self._at += 1
        match here[0]:
            case "|":
                self._close(needed=True)
                self._joined = True
            case ";":
                self._close(needed=True)
            case _:
                # A newline may stand anywhere between commands, also behind an operator.
                self._close(needed=False)

    def _close(self, *, needed: bool) -> None:
        if self._words:
            self._commands.append(tuple(self._words))
            self._words = []
            self._joined = False
        elif needed:
            raise Unclear("a syntax error")

    def _word(self) -> Word:
        parts: list[str] = []
        start = self._at
        glob = False
        while self._at < len(self._text):
            character = self._text[self._at]
            if character in " \t\n;|" or self._text.startswith("&&", self._at):
                break
            if character == "'":
                parts.append(self._single())
            elif character == '"':
                parts.append(self._double())
            elif character == "\\":
                parts.append(self._escaped())
            else:
                glob = glob or character in _WILD
                parts.append(self._bare(start))
        text = "".join(parts)
        if not self._words and not self._one_word:
            _check_program(text, self._text[start : self._at])
        return Word(text, glob)

    def _bare(self, start: int) -> str:
        character = self._text[self._at]
        # `HEAD~1` is a plain word; a tilde at the start or behind `=` and `:` is a home folder.
        inner_tilde = character == "~" and self._at > start and self._text[self._at - 1].isalnum()
        if character not in _BARE and character not in _WILD and not inner_tilde:
            raise Unclear(_reason(character))
        self._at += 1
        return character

    def _escaped(self) -> str:
        following = self._text[self._at + 1 : self._at + 2]
        if following == "\n":
            raise Unclear("a line continuation")
        if not following or not " " <= following <= "~":
            raise Unclear("a syntax error" if not following else _reason(following))
        self._at += 2
        return following

    def _single(self) -> str:
        end = self._text.find("'", self._at + 1)
        if end < 0:
            raise Unclear("a syntax error")
        value = self._text[self._at + 1 : end]
        self._at = end + 1
        return _quoted(value)

    def _double(self) -> str:
        parts: list[str] = []
        self._at += 1
        while self._at < len(self._text):
            character = self._text[self._at]
            self._at += 1
            match character:
                case '"':
                    return _quoted("".join(parts))
                case "$" | "`":
                    raise Unclear(_REFUSED[character])
                case "\\":
                    following = self._text[self._at : self._at + 1]
                    if following == "\n":
                        raise Unclear("a line continuation")
                    if following and following in '"\\$`':
                        parts.append(following)
                        self._at += 1
                    else:
                        parts.append("\\")
                case _:
                    parts.append(character)
        raise Unclear("a syntax error")


def _quoted(value: str) -> str:
    for character in value:
        if is_hidden(character) and character not in "\n\t":
            raise Unclear(_reason(character))
    return value


def _reason(character: str) -> Fact:
    if character in _REFUSED:
        return _REFUSED[character]
    if unicodedata.category(character) == "Cc":
        return "a control character"
    return "a look-alike character" if character > "~" else "syntax that is not understood"


def _check_program(text: str, source: str) -> None:
    # No program has a blank in its name; whoever writes one wants it to look like another.
    if not text.isascii() or set(text) & set(" \t\n"):
        raise Unclear("a look-alike character")
    if not text:
        raise Unclear("a syntax error")
    if "=" in text:
        raise Unclear("an assignment")
    # Quoted, these are names of programs, but nobody has programs of these names.
    if text in _RESERVED or source in _RESERVED:
        raise Unclear("control flow")
