"""Words of a rule that denies, held against the words of a command. Pure, and strict in doubt.

A rule that allows covers the first words of a command and nothing else. A rule that denies is
meant for what the command does: `deny bash:git push --force` is also meant for
`git -C . push origin --force`. So options may stand anywhere and between the other words, short
ones may be joined, and what could be another spelling of them is a `maybe`.
"""

from typing import Literal

from parley.coder.permission.nested import Words, name_of
from parley.coder.permission.program_table import ONE_DASH
from parley.coder.permission.wildcard import is_wild, may_be

Hit = Literal["yes", "maybe", "no"]
Wanted = tuple[str | None, ...]
"""The words of a rule; `None` stands for any one word."""

_STRENGTH: dict[Hit, int] = {"no": 0, "maybe": 1, "yes": 2}
# What is longer is the name of an option, not several of one letter.
_MOST_LETTERS = 4


def hits_words(wanted: Wanted, words: Words) -> Hit:
    """Whether a command is one that a rule means."""
    if not wanted:
        return "yes"
    if not words:
        return "no"
    first = _program(wanted[0], words[0])
    if first == "no" or (words[0] is not None and is_wild(name_of(words[0]) or "")):
        # A program with a wildcard may become several words, so nothing is known of the rest.
        return first
    options = [want for want in wanted[1:] if want is not None and want.startswith("-")]
    others = tuple(want for want in wanted[1:] if want is None or not want.startswith("-"))
    clusters = name_of(words[0]) not in ONE_DASH
    hit = _worst(first, _in_order(others, words[1:]))
    for want in options:
        hit = _worst(hit, _option(want, words[1:], clusters=clusters))
    return hit


def _strength(hit: Hit) -> int:
    return _STRENGTH[hit]


def _program(want: str | None, word: str | None) -> Hit:
    if want is None:
        return "yes"
    if word is None:
        return "maybe"
    name, wanted = name_of(word) or "", name_of(want) or ""
    if is_wild(name):
        return "maybe" if may_be(name, wanted) else "no"
    return "yes" if name == wanted else "no"


def _in_order(wanted: Wanted, words: Words) -> Hit:
    """Whether words follow each other, with nothing but options and their values between."""
    # From the end: `below[j]` is how well what is left of the rule fits the words from `j` on.
    below: list[Hit] = ["yes"] * (len(words) + 1)
    for want in reversed(wanted):
        # An unknown last word may be several.
        end: Hit = "maybe" if words and words[-1] is None else "no"
        here: list[Hit] = [end for _ in range(len(words) + 1)]
        for j in range(len(words) - 1, -1, -1):
            here[j] = _best(_here(want, words[j], below[j + 1]), _skipping(words, j, here))
        below = here
    return below[0]


def _here(want: str | None, word: str | None, rest: Hit) -> Hit:
    """How well it fits if this word is the one that is wanted."""
    if want is None or word == want:
        return rest
    if word is None:
        return _worst("maybe", rest)
    # It may become several words, so nothing is known of those behind it.
    return "maybe" if is_wild(word) and may_be(word, want) else "no"


def _skipping(words: Words, j: int, here: list[Hit]) -> Hit:
    """How well it fits if this word is an option, alone or with a value behind it."""
    word = words[j]
    if word is not None and not word.startswith("-"):
        return "no"
    return _worst("maybe", _best(here[j + 1], here[min(j + 2, len(words))]))


def _option(want: str, words: Words, *, clusters: bool) -> Hit:
    """Whether an option is among the words, in this spelling or perhaps in another."""
    given = [word for word in words if word is not None]
    if any(word == want or word.startswith(f"{want}=") for word in given):
        return "yes"
    if clusters and _is_short(want) and (hit := _letters(want, given)) != "no":
        return hit
    doubtful = None in words or any(
        _may_mean(want, word) or (is_wild(word) and may_be(word, want)) for word in given
    )
    return "maybe" if doubtful else "no"


def _letters(want: str, words: list[str]) -> Hit:
    """Options of one letter each, joined or not, in any order."""
    letters = set(want[1:])
    short = {letter for word in words if _is_short(word) for letter in word[1:]}
    if letters <= short:
        return "yes"
    # A long option may be the same as the short one that it begins like, and so may `-R` and `-r`.
    long = {word[2] for word in words if word.startswith("--") and len(word) > 2}
    present = {letter.casefold() for letter in short | long}
    return "maybe" if {letter.casefold() for letter in letters} <= present else "no"


def _is_short(word: str) -> bool:
    return word.startswith("-") and not word.startswith("--") and len(word) <= _MOST_LETTERS


def _may_mean(want: str, word: str) -> bool:
    """Whether a word may be another spelling of a long option."""
    if word.startswith("--"):
        # Many programs take the beginning of an option for the whole.
        return len(word) > 3 and want.startswith(word.partition("=")[0])
    return want.startswith("--") and _is_short(word) and want[2:3] in word[1:]


def _best(one: Hit, other: Hit) -> Hit:
    return max(one, other, key=_strength)


def _worst(one: Hit, other: Hit) -> Hit:
    return min(one, other, key=_strength)
