"""Patterns for file names: `*`, `**`, `?`, `[abc]` and `{a,b}`, as ignore files have them. Pure.

A pattern without a slash matches a name in any folder; one with a slash matches the whole path
below the folder where the search starts.
"""

import re

from parley.coder.errors import ToolError

_MOST_ALTERNATIVES = 200
_LONGEST = 1000


class FilePattern:
    """A pattern, and whether it leaves out what it matches, which a `!` in front says."""

    def __init__(self, pattern: str) -> None:
        if len(pattern) > _LONGEST:
            raise ToolError(f"a pattern cannot have more than {_LONGEST} characters")
        self.leaves_out = pattern.startswith("!")
        self.text = _whole(pattern.removeprefix("!"))
        """As it is used: a folder stands for all in it, and nothing is in front of it."""
        alternatives = _expanded(self.text)
        self.wants_hidden = any(part.startswith(".") for part in self.text.split("/"))
        try:
            self._regex = re.compile("|".join(map(_regex, alternatives)), re.DOTALL)
        except re.error:
            raise ToolError(f"`{pattern}` is not a pattern for file names") from None

    def matches(self, steps: tuple[str, ...]) -> bool:
        return self._regex.fullmatch("/".join(steps)) is not None

    def choose(self, steps: tuple[str, ...], folder: bool) -> bool | None:
        """What the pattern says of something on the way: take it, leave it, or nothing."""
        if self.matches(steps):
            return not self.leaves_out
        return None if folder or self.leaves_out else False


def _whole(pattern: str) -> str:
    pattern = pattern.removeprefix("./")
    return pattern + "**" if pattern.endswith("/") else pattern


def _expanded(pattern: str) -> list[str]:
    """All patterns that one with braces stands for."""
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        each = waiting.pop()
        found = re.search(r"\{([^{}]*)\}", each)
        if found is None:
            done.append(each)
        else:
            choices = found[1].split(",")
            waiting += [each[: found.start()] + choice + each[found.end() :] for choice in choices]
        if len(done) + len(waiting) > _MOST_ALTERNATIVES:
            raise ToolError(f"the braces stand for more than {_MOST_ALTERNATIVES} patterns")
    return done


_TOKENS = re.compile(r"(?:\*\*/)+|/\*\*$|\*+|\?|\[[!^]?\]?[^\]]*\]|\\.|.", re.DOTALL)


def _regex(pattern: str) -> str:
    anywhere = "/" not in pattern
    if pattern.removeprefix("/") == "**":
        return ".*"
    body = "".join(map(_token, _TOKENS.findall(pattern.removeprefix("/"))))
    return f"(?:(?:.*/)?{body})" if anywhere else f"(?:{body})"


def _token(token: str) -> str:
    if token.startswith("**/"):
        return "(?:.*/)?"
    if token == "/**":
        return "/.*"
    if token == "?":
        return "[^/]"
    if token.startswith("*"):
        return "[^/]*"
    if token.startswith("[") and len(token) > 1:
        inner = token[1:-1]
        negated = inner[:1] in ("!", "^")
        # Two hyphens in a row mean something else in a regular expression.
        members = re.sub(r"([\\\[\]&~|]|-(?=-))", r"\\\1", inner[1:] if negated else inner)
        return f"(?!/)[{'^' if negated else ''}{members}]"
    return re.escape(token[-1])
