"""Rules of the user: what is allowed, asked for or denied, by tool and by what it would touch.

A rule file has one rule per line; empty lines and lines that begin with `#` say nothing:

    allow bash:git status            a command that begins with these words
    deny bash:git push *             the same; a last `*` may be written for clearness
    ask bash:npm * build             `*` stands for any one word
    allow bash:=make -j4 && ./run    exactly this line, character for character
    deny read_file:**/.env           a path from the workspace; `**` is any number of folders
    ask edit_file:src/**
    allow write_file:.git/config     a path without wildcards: holds although it is protected
    allow web_fetch:https://docs.python.org/*
    deny *:secrets/**                every tool that touches such a path
    deny web_fetch                   every call of the tool

Words are those that the shell passes to the program, never text. A rule that allows covers a
command line only if it covers every command in it, or if the others only read. It does not cover
options that make a program run another one, and it cannot cover programs that run whatever their
arguments say (`sudo`, `env`, `sh`): these need the exact line. A rule that denies or asks holds if
any part matches, also behind such programs, with options in any place and with wildcards that may
become its words; what only may match is asked for. Deny is stronger than ask, and ask stronger than
allow; the order of the lines does not matter.
"""

import re
from typing import Literal
from urllib.parse import urlsplit

from msgspec import Struct

from parley.coder.permission.pattern import (
    EveryCall,
    LinePattern,
    PathPattern,
    Pattern,
    UrlPattern,
    WordsPattern,
    ascii_host,
)
from parley.coder.permission.programs import is_open
from parley.coder.permission.shell_words import Unclear, read
from parley.coder.store.entry import Remembered
from parley.errors import ConfigError

Effect = Literal["allow", "ask", "deny"]

EVERY_TOOL = "*"


class Rule(Struct, frozen=True):
    effect: Effect
    tool: str
    pattern: Pattern
    text: str = ""
    """As a person wrote it or would write it."""


class BadPattern(ValueError):
    """A pattern that cannot be understood, and what to write instead."""

    def __init__(self, problem: str, hint: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.hint = hint


def parse_rules(text: str, file: str = "rules") -> tuple[Rule, ...]:
    """The rules of a file.

    Raises:
        ConfigError: a line is not a rule. Nothing of the file holds then.
    """
    rules: list[Rule] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            rules.append(parse_rule(line.strip()))
        except BadPattern as bad:
            raise ConfigError(file, f"line {number}", bad.problem, bad.hint) from None
    return tuple(rules)


_TOOL = re.compile(r"\*|[A-Za-z][\w./-]*")
_EXAMPLE = "write `allow`, `ask` or `deny`, a tool and a pattern: `allow bash:git status`"


def parse_rule(text: str) -> Rule:
    """One rule.

    Raises:
        BadPattern: it is not one.
    """
    effect, _, rest = text.partition(" ")
    tool, colon, pattern = rest.strip().partition(":")
    tool, pattern = tool.strip(), pattern.strip()
    if effect not in ("allow", "ask", "deny"):
        raise BadPattern(f"begins with {effect!r}, which is not an effect", _EXAMPLE)
    if not _TOOL.fullmatch(tool):
        raise BadPattern(f"has {tool!r} where a tool should be", _EXAMPLE)
    if colon and not pattern:
        raise BadPattern("has no pattern", f"write `{effect} {tool}` for every call of the tool")
    compiled = pattern_for(tool, pattern)
    if effect == "allow":
        _check_allowed(tool, compiled, pattern)
    return Rule(effect, tool, compiled, text)


def pattern_for(tool: str, text: str) -> Pattern:
    """What the pattern of a rule covers; an empty one covers every call of the tool.

    Raises:
        BadPattern: it cannot be understood.
    """
    if not text:
        return EveryCall()
    match tool:
        case "bash":
            return LinePattern(text[1:]) if text.startswith("=") else _words(text)
        case "web_fetch":
            return _address(text)
        case _:
            return _path(text)


def rule_of(remembered: Remembered) -> Rule:
    """An answer that holds for the session, as a rule; one that is unreadable allows nothing."""
    effect: Effect = "allow" if remembered.allowed else "deny"
    text = f"{effect} {remembered.tool}" + (f":{remembered.pattern}" if remembered.pattern else "")
    try:
        pattern = pattern_for(remembered.tool, remembered.pattern)
    except BadPattern:
        return Rule("ask" if remembered.allowed else "deny", remembered.tool, EveryCall(), text)
    return Rule(effect, remembered.tool, pattern, text)


def _words(text: str) -> Pattern:
    try:
        commands = read(text)
    except Unclear as unclear:
        raise BadPattern(
            f"has {unclear.fact} in its pattern, and no rule on words covers that",
            "put the word in quotes, or write `=` before the whole line to mean exactly it",
        ) from None
    if len(commands) != 1:
        raise BadPattern("names several commands", "write one rule for each command")
    if any(word.glob and word.text != "*" for word in commands[0]):
        raise BadPattern(
            "has a wildcard inside a word",
            "write `*` as a word of its own, or put the word in quotes",
        )
    words = [None if word.glob else word.text for word in commands[0]]
    while words and words[-1] is None:
        words.pop()
    return WordsPattern(tuple(words)) if words else EveryCall()


def _path(text: str) -> Pattern:
    exact = text.startswith("=")
    glob = text.removeprefix("=").removeprefix("./")
    if glob.startswith("~") or ".." in glob.split("/") or not glob:
        raise BadPattern(
            "has a pattern that is not a plain path",
            "write a path from the workspace such as `src/**`, or an absolute one, without `..`",
        )
    plain = not set(glob) & set("*?") and not glob.endswith("/")
    return PathPattern(glob, exact or plain)


def _address(text: str) -> Pattern:
    hint = "write an address such as `https://docs.python.org/*`"
    try:
        split = urlsplit(text)
        host, port = split.hostname, split.port
    except ValueError:
        raise BadPattern("has a pattern that is not an address", hint) from None
    if split.scheme not in ("http", "https") or not host or "@" in split.netloc:
        raise BadPattern("has a pattern that is not an address", hint)
    path = split.path
    if "*" in path.removesuffix("/*") or split.query or split.fragment or "*" in host[1:]:
        raise BadPattern("has a wildcard or a query where none can be", hint)
    return UrlPattern(split.scheme, ascii_host(host), port, path)


def _check_allowed(tool: str, pattern: Pattern, text: str) -> None:
    if tool == EVERY_TOOL and isinstance(pattern, EveryCall):
        raise BadPattern("allows everything", "choose the mode `full-access` instead")
    if isinstance(pattern, WordsPattern):
        if pattern.words[0] is None:
            raise BadPattern("allows any program", "name the program")
        known = tuple(word or "*" for word in pattern.words)
        if is_open(known):
            raise BadPattern(
                f"allows `{known[0]}`, which can run anything, with words left open",
                f"allow the exact line: `allow bash:={text}`",
            )
