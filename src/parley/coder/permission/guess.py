"""Words that only a shell could tell, as far as they can be guessed. Pure.

What is written literally stays, and everything that a shell would put in becomes `ANYTHING`. So a
rule on paths can tell `src/$name.py`, which is none of its business, from `$folder/.env`.
"""

import re
from collections.abc import Iterator

from parley.coder.permission.wildcard import ANYTHING

# An expansion whose end can be told without knowing the quotes in it.
_SIMPLE = re.compile(
    r"""\$(?:\w+|[@*#?$!-]|\{[^{}'"\\`$]*\}|\([^()'"\\`$]*\)|'(?:[^'\\]|\\.)*')""", re.ASCII
)
_BRACES = re.compile(r"""\{[^{}'"\\`$]*\}""")
_TILDE = re.compile(r"(?:^|(?<=[=:]))~[^/:'\"]*")
_SEPARATORS = re.compile(r"[=:@]")
_BLANKS = re.compile(r"[\s;|&<>()]+")


def guess(source: str) -> str:
    """A word as it stands in a command line, with what is known of it."""
    found: list[str] = []
    at, quote = 0, ""
    while at < len(source):
        character = source[at]
        following = source[at + 1 : at + 2]
        if character in ("'", '"') and quote in ("", character):
            quote = "" if quote else character
            at += 1
        elif quote == "'":
            found.append(character)
            at += 1
        elif character == "\\":
            # Between double quotes it stands for itself before most characters.
            found.append(following if not quote or following in '"\\$`' else character + following)
            at += 2
        elif taken := _expansion(source, at, quote):
            text, at = taken
            found.append(text)
        else:
            found.append(character)
            at += 1
    return "".join(found)


def _expansion(source: str, at: int, quote: str) -> tuple[str, int] | None:
    """What a shell would put something in for, and where it ends; the rest if that is not clear."""
    unclear = ANYTHING, len(source)
    match source[at]:
        case "$":
            if source[at + 1 : at + 2] == '"':
                return "", at + 1
            simple = _SIMPLE.match(source, at)
            return (ANYTHING, simple.end()) if simple else unclear
        case "`":
            return unclear
        case "{" if not quote:
            braces = _BRACES.match(source, at)
            if braces is None:
                return unclear
            several = "," in braces[0] or ".." in braces[0]
            return ANYTHING if several else braces[0], braces.end()
        case "~" if not quote and (tilde := _TILDE.match(source, at)):
            return ANYTHING, tilde.end()
        case "<" | ">" | "(" if not quote:
            return unclear
        case _:
            return None


def pieces(word: str) -> Iterator[str]:
    """The parts of a word that may be paths: values, what follows `@`, and `HEAD:path`."""
    yield word
    parts = _SEPARATORS.split(word)
    if len(parts) > 1:
        yield from filter(None, parts)
    if word.startswith("-") and len(word) > 2:
        # The value of a short option may follow at once.
        yield word[2:]
    if ANYTHING in word and len(parts := _BLANKS.split(word)) > 1:
        # It may be a whole command line for another shell.
        yield from filter(None, parts)
