"""The words of a command line, for rules that name commands. Pure.

Two questions, two answers. `plain_words` gives the words of a command that is certainly one plain
command and nothing else, so that a rule which allows it allows no more than it says. `all_words`
gives every command that might be hidden in a text, so that a rule which forbids it finds it.
"""

import re
import shlex
from typing import Any, cast

# Outside of quotes these begin something that is more than words.
_SPECIAL = frozenset(";&|<>()`$\n\r{}!#\\\0")
# Within double quotes a shell still looks at these.
_SPECIAL_QUOTED = frozenset("`$!\\\n\r\0")
_BORDERS = re.compile(r"[;&|()`{}\n\r]|\$\(|[<>]\(")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "fish", "ash"})
# What runs the command that follows it.
_PROGRAMS = {"sudo", "doas", "env", "nohup", "nice", "ionice", "time", "command", "exec"}
_MORE_PROGRAMS = {"builtin", "xargs", "timeout", "stdbuf", "setsid"}
_WORDS = {"then", "do", "else", "if", "while", "until", "!"}
_WRAPPERS = frozenset(_PROGRAMS | _MORE_PROGRAMS | _WORDS)
_DEEPEST = 4


def command_of(raw_input: Any) -> str | tuple[str, ...] | None:
    """The command that the input of a tool call names: a line for a shell, or its words."""
    if not isinstance(raw_input, dict):
        return None
    given = cast("dict[str, Any]", raw_input)
    for key in ("command", "cmd"):
        match given.get(key):
            case str(line) if line.strip():
                args = _words_in(given.get("args"))
                return (line, *args) if args else line
            case list():
                return _unwrapped(_words_in(given[key]))
            case _:
                continue
    return None


def plain_words(command: str | tuple[str, ...]) -> tuple[str, ...] | None:
    """The words of one plain command; `None` for anything that might be more."""
    if isinstance(command, tuple):
        return command or None
    quote = ""
    for character in command:
        if quote == "'":
            quote = "" if character == "'" else quote
        elif quote:
            if character in _SPECIAL_QUOTED:
                return None
            quote = "" if character == '"' else quote
        elif character in _SPECIAL:
            return None
        elif character in "'\"":
            quote = character
    words = () if quote else tuple(shlex.split(command))
    # A variable that is set for a command can change what it does.
    return None if not words or _ASSIGNMENT.match(words[0]) else words


def all_words(command: str | tuple[str, ...]) -> list[tuple[str, ...]] | None:
    """Every command that may be in a text; `None` if it cannot be told."""
    found: list[tuple[str, ...]] = []
    return found if _collect(command, found, _DEEPEST) else None


def _collect(command: str | tuple[str, ...], found: list[tuple[str, ...]], depth: int) -> bool:
    if depth == 0:
        return False
    if isinstance(command, tuple):
        return _collect_words(command, found, depth)
    try:
        # As a whole it must be readable; pieces of it need not be.
        _collect_words(tuple(shlex.split(command)), found, depth)
    except ValueError:
        return False
    for piece in _BORDERS.split(command.replace("\\\n", " ")):
        words = tuple(piece.replace('"', " ").replace("'", " ").replace("\\", "").split())
        if not _collect_words(words, found, depth):
            return False
    return True


def _collect_words(words: tuple[str, ...], found: list[tuple[str, ...]], depth: int) -> bool:
    """Add a command, what it wraps, and what it gives to a shell."""
    while words:
        first = words[0].rpartition("/")[2]
        found.append((first, *words[1:]))
        if first in _SHELLS:
            scripts = [word for word in words[1:] if not word.startswith("-")]
            return all(_collect(script, found, depth - 1) for script in scripts)
        if first == "eval":
            return _collect(" ".join(words[1:]), found, depth - 1)
        if not (first in _WRAPPERS or _ASSIGNMENT.match(words[0]) or words[0].startswith("-")):
            # What follows a wrapper may be its options and their values, in any order.
            return True
        words = words[1:]
        found.extend(words[skip:] for skip in range(1, min(len(words), 4)))
    return True


def _unwrapped(words: tuple[str, ...]) -> str | tuple[str, ...] | None:
    """Words that only start a shell for one line are that line."""
    match words:
        case (shell, ("-c" | "-lc" | "-l -c"), line) if shell.rpartition("/")[2] in _SHELLS:
            return line
        case ():
            return None
        case _:
            return words


def _words_in(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        return ()
    words = cast("list[Any]", value)
    return tuple(word for word in words if isinstance(word, str))
