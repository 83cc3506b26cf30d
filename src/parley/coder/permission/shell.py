"""A command line, understood or not: its simple commands and what keeps it from being plain.

Two readers look at every line: the grammar of bash (tree-sitter) and the strict reader of
`shell_words`. A line is plain when the grammar reduces it to literal words joined by `&&`, `||`,
`;`, `|` or newline *and* both readers find the same words. (`2>&1` and output into `/dev/null` may
stand behind the words.) Nothing else is ever allowed without asking. The commands of a line that
is not plain are still listed, at any depth, so that rules which deny can be held against them.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct

from parley.coder.permission.guess import guess
from parley.coder.permission.shell_words import QUIET, Fact, Unclear, Word, literal, read
from parley.coder.permission.wildcard import ANYTHING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

# The grammar takes a line that begins with an escaped letter for more of the line before.
_AT_LINE_START = re.compile(r"(\n[ \t]*)\\(?=[A-Za-z0-9_./-])")

# The folder that these stand for is known well enough; what follows tells the rest.
_AT_HOME = re.compile(r'"?(?:~|\$(?:HOME|PWD|TMPDIR)\b|\$\{(?:HOME|PWD|TMPDIR)\})"?/[^$`{]*$')

MOST_PARTS = 50
MOST_CHARACTERS = 10_000


class Command(Struct, frozen=True):
    """A simple command; a word is `None` where only a shell could tell what it is."""

    words: tuple[str | None, ...]
    globs: frozenset[int] = frozenset()
    """The positions of words with an unquoted wildcard. Known for plain lines only."""

    @property
    def argv(self) -> tuple[str, ...]:
        """The words of a command in a plain line, where all of them are literal."""
        return tuple(word for word in self.words if word is not None)


class CommandLine(Struct, frozen=True):
    text: str
    commands: tuple[Command, ...] = ()
    """In the order of the text, at any depth: also those in substitutions and functions."""
    facts: frozenset[Fact] = frozenset()
    """What keeps it from being plain."""
    targets: tuple[str | None, ...] = ()
    """Where redirections lead to."""
    guesses: frozenset[str] = frozenset()
    """Words that only a shell could tell, what variables are given, and what loops go over."""
    written: frozenset[str] = frozenset()
    """Targets of output that only a shell could tell."""
    complete: bool = True
    """Whether `commands` is all there is; not so if the grammar could not read everything."""

    @property
    def plain(self) -> bool:
        return not self.facts and bool(self.commands)


@lru_cache(maxsize=128)
def parse(text: str) -> CommandLine:
    """What a command line consists of; never fails, at worst it is not understood."""
    parser = _parser()
    if parser is None:
        return CommandLine(text, facts=_fact("no shell grammar to check it with"), complete=False)
    if len(text) > MOST_CHARACTERS:
        return CommandLine(text, facts=_fact("more than can be checked"), complete=False)
    # A continued line is one line to the shell, but not always to the grammar.
    source = _AT_LINE_START.sub(r"\1", text.replace("\\\n", ""))
    tree = parser.parse(_ascii(source))
    seen = _Seen(source)
    seen.walk(tree.root_node)
    facts = set(seen.facts)
    # The grammar takes a NUL for the end of the text, and cannot tell all delimiters apart.
    readable = not tree.root_node.has_error and "\0" not in text
    readable = readable and (text.isascii() or "<<" not in text)
    if not readable:
        facts.add("a syntax error")
    if len(seen.commands) > MOST_PARTS:
        facts.add("more than can be checked")
    commands = tuple(seen.commands)
    try:
        strict = read(text)
    except Unclear as unclear:
        facts.add(unclear.fact)
    else:
        facts |= _wildcards(strict)
        if not facts:
            if tuple(tuple(word.text for word in words) for words in strict) == tuple(
                command.words for command in commands
            ):
                commands = tuple(_plain(words) for words in strict)
            else:
                facts.add("words that two readers split differently")
    return CommandLine(
        text,
        commands,
        frozenset(facts),
        tuple(seen.targets),
        frozenset(seen.guesses),
        frozenset(seen.written),
        readable and not seen.strays,
    )


def _ascii(source: str) -> bytes:
    """The text with one letter for each character that is not ASCII.

    The scanner of the grammar reads out of bounds at such characters. To a shell they are parts
    of words as letters are, and with one byte for each the places in both texts are the same.
    """
    return "".join(each if each.isascii() else "x" for each in source).encode()


def _fact(fact: Fact) -> frozenset[Fact]:
    return frozenset((fact,))


def _plain(words: tuple[Word, ...]) -> Command:
    globs = frozenset(position for position, word in enumerate(words) if word.glob)
    return Command(tuple(word.text for word in words), globs)


def _wildcards(commands: tuple[tuple[Word, ...], ...]) -> set[Fact]:
    """A wildcard may become any word that a file is named like, an option for instance.

    So its word must begin with something that decides what it is: part of a path, or an option
    with its equals sign.
    """
    for words in commands:
        for position, word in enumerate(words):
            if word.glob and (position == 0 or not _is_settled(word.text)):
                return {"a wildcard"}
    return set()


def _is_settled(text: str) -> bool:
    fixed = text[: min(text.find(each) for each in "*?[]" if each in text)]
    if text.startswith("-"):
        return text.startswith("--") and "=" in fixed
    parts = text.split("/")
    hidden = any(part.startswith(".") and part != "." for part in parts)
    # `.?` and `.*` match the parent folder in some shells.
    return bool(fixed) and not hidden and "[" not in text and "]" not in text


# What each part of the grammar means for a line; `None` is plain. Whatever is not named here is
# not understood.
_PARTS: dict[str, Fact | None] = {
    "program": None,
    "list": None,
    "pipeline": None,
    "command": None,
    "command_name": None,
    "word": None,
    "number": None,
    "string": None,
    "string_content": None,
    "raw_string": None,
    "concatenation": None,
    "&&": None,
    "||": None,
    "|": None,
    ";": None,
    "\n": None,
    '"': None,
    "&": "a background command",
    "|&": "a redirection",
    "comment": "a comment",
    "ansi_c_string": "an expansion",
    "translated_string": "an expansion",
    "simple_expansion": "an expansion",
    "expansion": "an expansion",
    "arithmetic_expansion": "an expansion",
    "brace_expression": "a brace expansion",
    "command_substitution": "a substitution",
    "process_substitution": "a substitution",
    "redirected_statement": None,
    "file_redirect": "a redirection",
    "heredoc_redirect": "a here-document",
    "herestring_redirect": "a here-document",
    "variable_assignment": "an assignment",
    "variable_assignments": "an assignment",
    "declaration_command": "an assignment",
    "unset_command": "an assignment",
    "subshell": "a subshell",
    "compound_statement": "a subshell",
    "function_definition": "a function",
    "negated_command": "control flow",
    "test_command": "control flow",
    "if_statement": "control flow",
    "while_statement": "control flow",
    "for_statement": "control flow",
    "c_style_for_statement": "control flow",
    "case_statement": "control flow",
    "ERROR": "a syntax error",
}
_COMMANDS = {"command", "declaration_command", "unset_command", "test_command"}
_GIVES = {"variable_assignment", "for_statement"}
_NO_WORDS = {"variable_assignment", "file_redirect", "heredoc_redirect", "herestring_redirect"}


class _Seen:
    """What a walk over the tree of a text has found."""

    def __init__(self, source: str) -> None:
        self._source = source
        self.commands: list[Command] = []
        self.facts: set[Fact] = set()
        self.targets: list[str | None] = []
        self.guesses: set[str] = set()
        self.written: set[str] = set()
        self._echoed: set[str] = set()
        self.strays = False
        """Whether words were found that belong to no command."""

    def walk(self, root: "Node") -> None:
        self._walk(root)
        if "a function" in self.facts or "alias" in self._source:
            # What is called `echo` may be something else then.
            self.guesses |= self._echoed

    def _walk(self, root: "Node") -> None:
        for node in self._every_node(root):
            if self._is_quiet(node):
                continue
            fact = _PARTS.get(node.type, "syntax that is not understood")
            if node.is_missing:
                fact = "a syntax error"
            if fact is not None:
                self.facts.add(fact)
            if node.type in _COMMANDS:
                self.commands.append(Command(tuple(self._words(node))))
            elif node.type == "file_redirect":
                found = node.children_by_field_name("destination")
                self.targets.extend(literal(self._text(target)) for target in found)
                output = any(child.type.startswith((">", "&>")) for child in node.children)
                known = all(_AT_HOME.match(self._text(target)) for target in found)
                self._note(found, self.written if output and not known else self.guesses)
                # The grammar takes words behind a redirection for more of its targets.
                self.strays = self.strays or len(found) != 1
            elif node.type == "heredoc_redirect":
                self.strays = self.strays or bool(node.children_by_field_name("argument"))
            elif node.type in _GIVES:
                self._given(node.children_by_field_name("value"))

    def _every_node(self, root: "Node") -> Iterator["Node"]:
        """In the order of the text, without recursion: a line can nest as deep as it is long."""
        waiting = [root]
        while waiting:
            node = waiting.pop()
            yield node
            if not self._is_quiet(node):
                waiting.extend(reversed(node.children))

    def _is_quiet(self, node: "Node") -> bool:
        """Whether it is one of the redirections that change nothing, see `shell_words`."""
        return node.type == "file_redirect" and QUIET.fullmatch(self._text(node)) is not None

    def _words(self, command: "Node") -> Iterator[str | None]:
        words = [child for child in command.children if child.type not in _NO_WORDS]
        told = bool(words) and self._text(words[0]) == "echo"
        self._note(words, self._echoed if told else self.guesses)
        yield from (literal(self._text(word)) for word in words)

    def _note(self, nodes: "list[Node]", into: set[str]) -> None:
        """Guess at what only a shell could tell."""
        into.update(guess(text) for text in map(self._text, nodes) if literal(text) is None)

    def _given(self, values: "list[Node]") -> None:
        """Note what a variable may be, as far as it is written out; its use is noted anyway."""
        inner = [child for value in values for child in (value.children or [value])]
        found = {guess(self._text(node)) for node in (*values, *inner)}
        self.guesses |= {text for text in found if text and ANYTHING not in text}

    def _text(self, node: "Node") -> str:
        return self._source[node.start_byte : node.end_byte]


@cache
def _parser() -> "Parser | None":
    """The grammar; `None` where it is not installed."""
    try:
        # It is loaded when the first command is judged; the start of an agent must not wait.
        import tree_sitter_bash  # noqa: PLC0415

        # The same holds for what reads the grammar.
        from tree_sitter import Language, Parser  # noqa: PLC0415
    except ImportError:
        return None
    return Parser(Language(tree_sitter_bash.language()))
