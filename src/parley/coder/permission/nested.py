"""The commands inside commands: what `sudo`, `xargs`, `sh -c` and the like would run.

Made for rules that deny, so it lists too much rather than too little. Code in other languages is
not looked into: no rule on words can say what a Python program does.
"""

from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from parley.coder.permission.program_table import CARRIERS, EVALUATORS, SHELLS, WRAPPERS
from parley.coder.permission.shell import CommandLine, parse

_DEEPEST = 4
_MOST = 2_000
_LONGEST = 24
# Words of the shell itself, which the grammar takes for programs where it loses its way.
_RESERVED = ("if", "then", "elif", "else", "for", "while", "until", "do", "case", "!", "{")
_CARRIERS = WRAPPERS.union(
    (words[0] for words in CARRIERS),
    ("docker", "podman", "kubectl", "npm", "git", "nix", "pipx", "select"),
    _RESERVED,
)
# These add words of their own behind those that they are given.
_FEEDERS = frozenset(("xargs", "gxargs", "parallel", "find", "gfind", "fd", "fdfind", "entr"))

Words = tuple[str | None, ...]


class Commands(Struct, frozen=True):
    """Everything that a line may run, as far as it can be told."""

    found: tuple[Words, ...]
    """A word is `None` where only a shell could tell what it is."""
    targets: tuple[str | None, ...]
    """Where redirections lead to."""
    guesses: frozenset[str] = frozenset()
    """What is known of words and values that only a shell could tell, see `guess`."""
    written: frozenset[str] = frozenset()
    """The same for targets of output."""
    complete: bool = True
    """Nothing else runs, unless a `None` stands for it or a program does it by itself."""

    @property
    def names(self) -> frozenset[str]:
        """Every word and target, as far as it can be told, for whoever looks for paths."""
        words = {word for found in self.found for word in found}
        known = (word for word in words.union(self.targets) if word is not None)
        return frozenset(known) | self.guesses | self.written


@lru_cache(maxsize=64)
def commands_in(text: str) -> Commands:
    """Everything that a command line may run."""
    return every_command(parse(text))


def every_command(line: CommandLine) -> Commands:
    gathered = _Gathered()
    complete = gathered.collect(line, 0)
    return Commands(
        tuple(dict.fromkeys(gathered.found)),
        tuple(gathered.targets),
        frozenset(gathered.guesses),
        frozenset(gathered.written),
        complete,
    )


class _Gathered:
    """What the commands of a line and the lines in them consist of."""

    def __init__(self) -> None:
        self.found: list[Words] = []
        self.targets: list[str | None] = []
        self.guesses: set[str] = set()
        self.written: set[str] = set()

    def collect(self, line: CommandLine, depth: int) -> bool:
        """Note the commands of a line and what they carry; false if that could not all be told."""
        if depth > _DEEPEST:
            return False
        complete = line.complete
        self.targets.extend(line.targets)
        self.guesses |= line.guesses
        self.written |= line.written
        for words in (inner for command in line.commands for inner in _carried(command.words)):
            if len(self.found) > _MOST:
                return False
            self.found.append(words)
            program = name_of(words[0])
            if program in _CARRIERS | SHELLS | EVALUATORS:
                for text in _lines_in(program, words[1:]):
                    complete = self.collect(parse(text), depth + 1) and complete
            complete = complete and not _reads_commands(program, words)
        return complete


def _carried(words: Words) -> Iterator[Words]:
    if not words:
        return
    yield words
    program = name_of(words[0])
    if program in _CARRIERS:
        # Which of the words is the program depends on the options; so each of them may be it.
        more = (None,) if program in _FEEDERS else ()
        for position in range(1, len(words)):
            inner = words[position : position + _LONGEST]
            # No rule has that many words, and all the rests of a long line would be huge.
            yield (*inner, *more) if position + _LONGEST >= len(words) else (*inner, None)


def name_of(word: str | None) -> str | None:
    """The name of a program as a rule compares it: without its folder and without case."""
    return None if word is None else word.rpartition("/")[2].casefold()


def _lines_in(program: str | None, words: Words) -> Iterator[str]:
    known = [word for word in words if word is not None]
    if program == "eval":
        yield " ".join(known)
    if program in EVALUATORS:
        yield from (word.partition("=")[2] if program == "alias" else word for word in known)
        return
    # An argument with a blank or an operator in it can hardly be anything but a command line.
    yield from (word for word in known if set(word) & set(" \t\n;|&<>()$`") or program in SHELLS)


def _reads_commands(program: str | None, words: Words) -> bool:
    """Whether a shell takes its commands from where nobody can see them."""
    if program in EVALUATORS:
        return None in words
    # The first word that is no option is the script or, behind `-c`, the commands themselves.
    given = (word for word in words[1:] if word is None or not word.startswith("-"))
    return next(given, None) is None and (program in SHELLS or program in ("source", "."))
