"""Rules of the user for permissions: what is allowed, what is not, and what else to do. Pure.

A rule is a kind of tool call (`edit`), a command (`bash:pytest *`), a kind with a path
(`edit:src/*`), or `agent` for the start of sub-agents. A rule that allows must fit the whole call;
one that forbids need only touch it. Forbidding wins. What an agent says about its call is all
there is to judge by.
"""

import os
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Literal

from msgspec import Struct

from parley.errors import ConfigError
from parley.frontend.headless.command_words import all_words, command_of, plain_words
from parley.session.activity import ToolCall
from parley.session.content import DiffItem

KINDS = (
    "read",
    "edit",
    "delete",
    "move",
    "search",
    "execute",
    "think",
    "fetch",
    "switch_mode",
    "other",
)
COMMAND_KINDS = ("bash", "shell", "execute")
SUBAGENT = "agent"
"""The rule for sub-agents, and the name of the tool that starts one. Its kind is `execute`."""
_KNOWN = (*KINDS, "bash", "shell", SUBAGENT)
_MARKS = frozenset("*?[")
_LONGEST_ADVICE = 80
Otherwise = Literal["ask", "allow", "refuse"]
Verdict = Literal["allow", "refuse", "ask"]


class Rule(Struct, frozen=True):
    """A kind, and a pattern for its command or its paths if there is one."""

    kind: str
    pattern: str | None = None

    @property
    def text(self) -> str:
        return self.kind if self.pattern is None else f"{self.kind}:{self.pattern}"

    @property
    def about_commands(self) -> bool:
        return self.kind in COMMAND_KINDS

    @property
    def of_all_calls(self) -> bool:
        """Whether it means whatever has the kind `execute`, and not only commands."""
        return self.kind == "execute" and self.pattern is None


class Asked(Struct, frozen=True):
    """What a permission is for, as the agent describes it."""

    kind: str
    command: str | tuple[str, ...] | None = None
    paths: tuple[str, ...] = ()
    cwd: str = "/"
    name: str | None = None
    """Of the tool."""

    @property
    def subagent(self) -> bool:
        """Whether it only starts a sub-agent, whose own calls are asked for one by one."""
        return self.name == SUBAGENT and self.command is None and not self.paths


class Judged(Struct, frozen=True):
    """What the rules say, and why."""

    verdict: Verdict
    because: str


class Rules(Struct, frozen=True):
    allow: tuple[Rule, ...] = ()
    deny: tuple[Rule, ...] = ()
    otherwise: Otherwise = "ask"

    def judge(self, asked: Asked) -> Judged:
        """Forbidding wins over allowing, and both over what to do otherwise."""
        for rule in self.deny:
            if touches(rule, asked):
                return Judged("refuse", f"the rule --deny {rule.text}")
        for rule in self.allow:
            if covers(rule, asked):
                return Judged("allow", f"the rule --allow {rule.text}")
        match self.otherwise:
            case "allow":
                return Judged("allow", "--yes")
            case "refuse":
                return Judged("refuse", "--no")
            case _:
                return Judged("ask", "no rule")

    def denies(self, asked: Asked) -> str | None:
        """The rule that forbids something for which nobody asked."""
        return next((rule.text for rule in self.deny if touches(rule, asked)), None)


def parse_rule(text: str, place: str) -> Rule:
    """A rule from its text; `place` is where it was written, for the error.

    Raises:
        ConfigError: it is none.
    """
    kind, colon, pattern = text.strip().partition(":")
    kind, pattern = kind.strip().lower(), pattern.strip()
    if kind not in _KNOWN and kind != "*":
        raise ConfigError(place, text, "names no kind", f"the kinds are: {', '.join(_KNOWN)}, *")
    if colon and (not pattern or kind in ("*", SUBAGENT)):
        raise ConfigError(place, text, "is no rule", "write for instance `bash:pytest *` or `edit`")
    return Rule(kind, pattern if colon else None)


def of_call(call: ToolCall, cwd: str) -> Asked:
    """What a permission for a tool call is for."""
    paths = [location.path for location in call.locations]
    for item in call.content:
        if isinstance(item, DiffItem):
            for change in item.changes:
                paths += [change.path, *([change.old_path] if change.old_path else [])]
    command = command_of(call.raw_input)
    return Asked(call.kind, command, tuple(dict.fromkeys(paths)), cwd, call.name)


def narrowest(asked: Asked) -> Rule | None:
    """The rule that allows the least beside what is asked for; `None` if none can be named."""
    for rule in _allowing(asked):
        text = rule.text
        if rule.kind in _KNOWN and len(text) <= _LONGEST_ADVICE and text.isprintable():
            # Patterns cannot say everything: a blank or a `*` within a word means something else.
            exact = rule.pattern is None or not _MARKS & {*rule.pattern}
            if exact and covers(rule, asked):
                return rule
    return None


def _allowing(asked: Asked) -> Iterator[Rule]:
    if asked.subagent:
        yield Rule(SUBAGENT)
    elif asked.kind == "execute" and asked.command is not None:
        yield Rule("bash", " ".join(plain_words(asked.command) or ()))
        yield Rule("bash")
    elif len(asked.paths) == 1:
        path = os.path.normpath(os.path.join(asked.cwd, asked.paths[0]))
        yield Rule(asked.kind, path.removeprefix(asked.cwd.rstrip("/") + "/"))
    yield Rule(asked.kind)


def covers(rule: Rule, asked: Asked) -> bool:
    """Whether everything that is asked for lies within a rule."""
    if rule.kind == "*":
        return True
    if rule.kind == SUBAGENT:
        return asked.subagent
    if rule.about_commands:
        if asked.subagent:
            return rule.of_all_calls
        if asked.kind != "execute":
            return False
        if rule.pattern is None:
            return True
        words = None if asked.command is None else plain_words(asked.command)
        return words is not None and _fits(rule.pattern, words)
    if rule.kind != asked.kind:
        return False
    pattern = rule.pattern
    if pattern is None:
        return True
    return bool(asked.paths) and all(_lies_in(pattern, path, asked.cwd) for path in asked.paths)


def touches(rule: Rule, asked: Asked) -> bool:
    """Whether anything that is asked for lies within a rule, or may do so."""
    if rule.kind == "*":
        return True
    if rule.kind == SUBAGENT:
        return asked.name == SUBAGENT
    if rule.about_commands:
        return _touches_command(rule, asked)
    if rule.kind != asked.kind:
        return False
    pattern = rule.pattern
    # A call that does not say what it touches may touch this.
    return (
        pattern is None
        or not asked.paths
        or any(_lies_in(pattern, path, asked.cwd) for path in asked.paths)
    )


def _touches_command(rule: Rule, asked: Asked) -> bool:
    if asked.subagent:
        return rule.of_all_calls
    if rule.pattern is None:
        return asked.kind == "execute" or asked.command is not None
    if asked.command is None:
        return asked.kind == "execute"
    commands = all_words(asked.command)
    return commands is None or any(_fits(rule.pattern, words) for words in commands)


def _fits(pattern: str, words: tuple[str, ...]) -> bool:
    """Word by word; a `*` at the end stands for any number of words, also none."""
    wanted = tuple(pattern.split())
    if wanted[-1] == "*":
        wanted = wanted[:-1]
        if len(words) < len(wanted):
            return False
        words = words[: len(wanted)]
    return len(wanted) == len(words) and all(map(fnmatchcase, words, wanted))


def _lies_in(pattern: str, path: str, cwd: str) -> bool:
    """Whether a path fits; a pattern that is not absolute is meant below the working directory."""
    absolute = os.path.normpath(os.path.join(cwd, path))
    wanted = os.path.normpath(os.path.join(cwd, pattern))
    return fnmatchcase(absolute, wanted) or absolute.startswith(wanted.rstrip("/") + "/")
