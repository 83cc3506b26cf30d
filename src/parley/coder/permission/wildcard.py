"""Words with wildcards: what a shell might make of them. Pure, and generous where in doubt.

A shell puts the names of files in the place of such a word, so a rule that denies must not be held
against the word as it is written. A quoted wildcard looks the same here, which costs a question.
"""

from functools import lru_cache

from parley.coder.permission.paths import folded

ANYTHING = "\uffff"
"""Stands in a word for what only a shell knows: any text, with slashes in it or none."""

_WILD = frozenset("*?[")
# Kinds of what stands in a pattern; everything else is one character.
_ONE, _NAME, _DEEP = "one", "name", "deep"
_MANY = (_NAME, _DEEP)
# Two patterns that are longer together are not compared, they may mean the same.
_MOST_STEPS = 250_000

Tokens = tuple[str, ...]


def is_wild(word: str) -> bool:
    """Whether a shell might put something else in the place of a word."""
    return ANYTHING in word or not _WILD.isdisjoint(word)


def may_be(word: str, name: str) -> bool:
    """Whether a word with wildcards might become this word, whatever the case."""
    return _may_equal(_tokens(folded(word)), tuple(folded(name)))


def may_name(path: str, pattern: str, *, exact: bool = False) -> bool:
    """Whether a path with wildcards might become one that a pattern of a rule names."""
    last = pattern.rpartition("/")[2]
    if last.startswith(".") and path.rpartition("/")[2][:1] in _WILD:
        # A wildcard does not match the dot that hides a file.
        return False
    wanted = tuple(folded(pattern)) if exact else _rule_tokens(folded(pattern))
    return _may_equal(_tokens(folded(path)), wanted)


def _tokens(word: str) -> Tokens:
    """A word as a shell reads it; a set of characters counts as any character."""
    found: list[str] = []
    position = 0
    while position < len(word):
        character = word[position]
        end = word.find("]", position + 2) if character == "[" else -1
        if character == ANYTHING:
            found.append(_DEEP)
        elif character == "*":
            found.append(_NAME)
        elif character == "?" or end > 0:
            found.append(_ONE)
        else:
            found.append(character)
        position = end + 1 if end > 0 else position + 1
    return tuple(found)


def _rule_tokens(pattern: str) -> Tokens:
    if pattern.endswith("/"):
        pattern += "**"
    pieces: list[str] = []
    rest = pattern
    while rest:
        if rest.startswith("**"):
            # The folders that it stands for may be none, then their slash is none either.
            pieces.append(_DEEP)
            rest = rest.removeprefix("**/") if rest.startswith("**/") else rest.lstrip("*")
        else:
            pieces.append({"*": _NAME, "?": _ONE}.get(rest[0], rest[0]))
            rest = rest[1:]
    return tuple(pieces)


@lru_cache(maxsize=256)
def _may_equal(one: Tokens, other: Tokens) -> bool:
    """Whether some text fits both."""
    if len(one) * len(other) > _MOST_STEPS:
        return True
    # From the end: `below[j]` says whether what follows in `one` fits `other` from `j` on.
    below = [False] * len(other) + [True]
    for j in range(len(other) - 1, -1, -1):
        below[j] = below[j + 1] and other[j] in _MANY
    for token in reversed(one):
        here = [False] * len(other) + [below[-1] and token in _MANY]
        for j in range(len(other) - 1, -1, -1):
            here[j] = _fits(token, other[j], here[j + 1], below[j], below[j + 1])
        below = here
    return below[0]


def _fits(one: str, other: str, past_other: bool, past_one: bool, past_both: bool) -> bool:
    """Whether the rests fit, given whether they do without the first part of one or of both."""
    if one in _MANY and (past_one or (_takes(one, other) and past_other)):
        return True
    if other in _MANY and (past_other or (_takes(other, one) and past_one)):
        return True
    if one in _MANY or other in _MANY:
        return False
    return past_both and (one == other or _takes(one, other) or _takes(other, one))


def _takes(kind: str, other: str) -> bool:
    """Whether a wildcard may stand for what the other side has there."""
    return kind == _DEEP or (kind in (_NAME, _ONE) and other != "/")
