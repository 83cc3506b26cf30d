"""What a rule covers: words of a command, a path, an address. Pure matching, no text comparison.

Rules that deny look for a match in any part and at any depth, and say `maybe` where only a shell
could tell. Rules that allow must cover every part, and cover nothing that is not plain.
"""

import posixpath
from urllib.parse import SplitResult, unquote, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from parley.coder.permission.access import (
    Access,
    CallsServer,
    Delegates,
    FetchesUrl,
    ReadsPath,
    RunsCommand,
    WritesPath,
)
from parley.coder.permission.denied_words import Hit, hits_words
from parley.coder.permission.guess import pieces
from parley.coder.permission.nested import commands_in, name_of
from parley.coder.permission.paths import Scope, folded, inside, matches, names_inside, relative
from parley.coder.permission.programs import leaves_free
from parley.coder.permission.readonly import impacts_of
from parley.coder.permission.shell import Command, CommandLine, parse
from parley.coder.permission.shell_words import Fact
from parley.coder.permission.wildcard import ANYTHING, is_wild, may_name

_MOST_NAMES = 500
_PORTS = {"http": 80, "https": 443}
# What keeps a line from being plain, but leaves its commands clear.
_UNDERSTOOD: frozenset[Fact] = frozenset(
    ("a wildcard", "a redirection", "an assignment", "an expansion", "a brace expansion")
)


class EveryCall(Struct, frozen=True):
    """All calls of a tool."""


class WordsPattern(Struct, frozen=True):
    """The first words of a command; `None` stands for any one word."""

    words: tuple[str | None, ...]


class LinePattern(Struct, frozen=True):
    """One command line, character for character."""

    text: str


class PathPattern(Struct, frozen=True):
    """A path from a root of the workspace, or an absolute one, with `*`, `?` and `**`."""

    glob: str
    exact: bool = False


class UrlPattern(Struct, frozen=True):
    scheme: str
    host: str
    """`*.example.org` stands for everything below it, `*` for every host."""
    port: int | None
    path: str
    """A path, or the beginning of one that ends in `/*`; empty for everything."""


Pattern = EveryCall | WordsPattern | LinePattern | PathPattern | UrlPattern


def hits(pattern: Pattern, access: Access, scope: Scope) -> Hit:
    """Whether a rule that denies or asks concerns an access; in doubt it does, or may."""
    match pattern, access:
        case EveryCall(), _:
            return "yes"
        case ((WordsPattern() | LinePattern()), RunsCommand(command=command)):
            return _hits_line(pattern, parse(command))
        case PathPattern(), (ReadsPath(path=path) | WritesPath(path=path)):
            return "yes" if _names(pattern, path, scope, ignore_case=True) else "no"
        case PathPattern(), RunsCommand(command=command):
            return _hits_words_as_paths(pattern, command, scope)
        case UrlPattern(), FetchesUrl(url=url):
            split = split_url(url)
            # What cannot be read as an address may be any address.
            return "yes" if split is None or _is_at(pattern, split) else "no"
        case _, (CallsServer() | Delegates()):
            # Nobody knows what the server touches, or the sub-agent will.
            return "maybe"
        case _:
            return "no"


def covers(patterns: tuple[Pattern, ...], access: Access, scope: Scope) -> bool:
    """Whether rules that allow cover an access as a whole; in doubt they do not."""
    match access:
        case RunsCommand(command=command):
            return _covers_line(patterns, parse(command), scope)
        case ReadsPath(path=path) | WritesPath(path=path):
            return any(_covers_path(pattern, path, scope) for pattern in patterns)
        case FetchesUrl(url=url):
            split = split_url(url)
            return split is not None and any(_covers_url(pattern, split) for pattern in patterns)
        case _:
            return EveryCall() in patterns


def spells_out(patterns: tuple[Pattern, ...], access: Access, scope: Scope) -> bool:
    """Whether a rule names exactly this access, so that it also holds for a protected path."""
    match access:
        case RunsCommand(command=command):
            return LinePattern(command) in patterns and inside(scope.cwd, scope.roots)
        case ReadsPath(path=path) | WritesPath(path=path):
            return any(
                isinstance(pattern, PathPattern)
                and pattern.exact
                and _names(pattern, path, scope, ignore_case=False)
                for pattern in patterns
            )
        case _:
            return False


# Commands.


def _hits_line(pattern: WordsPattern | LinePattern, line: CommandLine) -> Hit:
    if isinstance(pattern, LinePattern):
        other = parse(pattern.text)
        same = line.plain and other.plain and line.commands == other.commands
        return "yes" if same or line.text == pattern.text else "no"
    commands = commands_in(line.text)
    found = {hits_words(pattern.words, words) for words in commands.found}
    if "yes" in found:
        return "yes"
    if not commands.complete:
        return "yes" if _is_mentioned(pattern.words, line.text) else "maybe"
    # Where the grammar may have lost its way, a name that stands somewhere in the text is a doubt.
    doubt = bool(line.facts - _UNDERSTOOD) and _is_mentioned(pattern.words, line.text)
    return "maybe" if doubt or "maybe" in found else "no"


def _is_mentioned(wanted: tuple[str | None, ...], text: str) -> bool:
    """Whether the program of a pattern stands anywhere in a text that nobody can read."""
    program = name_of(wanted[0]) if wanted else None
    if program is None:
        return True
    bare = text.casefold().replace("\\\n", "")
    for character in "\\'\"":
        bare = bare.replace(character, "")
    parts = "".join(c if c.isalnum() or c in "_-.+" else " " for c in bare).split()
    return program in parts


def _covers_line(patterns: tuple[Pattern, ...], line: CommandLine, scope: Scope) -> bool:
    if not inside(scope.resolve(scope.cwd), scope.roots):
        return False
    if LinePattern(line.text) in patterns:
        return True
    if not line.plain:
        return False
    # Behind a `cd` nobody knows where `..` leads to, so nothing may go up from there.
    moved = any(command.argv[0] == "cd" for command in line.commands)
    place = replace(scope, cwd=scope.roots[0]) if moved else scope
    return bool(patterns) and all(
        impact == "reads" or any(_covers_command(pattern, command, place) for pattern in patterns)
        for command, impact in zip(line.commands, impacts_of(line, scope), strict=True)
    )


def _covers_command(pattern: Pattern, command: Command, scope: Scope) -> bool:
    argv = command.argv
    match pattern:
        case EveryCall():
            fixed = 0
        case WordsPattern(words=words):
            if len(argv) < len(words) or not all(
                want in (None, word) for want, word in zip(words, argv, strict=False)
            ):
                return False
            fixed = words.index(None) if None in words else len(words)
        case _:
            return False
    return leaves_free(argv, fixed) and all(_stays(word, scope) for word in argv[max(1, fixed) :])


def _stays(word: str, scope: Scope) -> bool:
    """Whether a word that a rule leaves open names nothing outside of the workspace."""
    value = word.partition("=")[2] if word.startswith("-") else word
    # The value of a short option may follow at once: `-I/usr/include`.
    pieces = (value, word[2:]) if word.startswith("-") else (value,)
    return all(
        names_inside(piece, scope)
        for piece in pieces
        if piece.startswith(("/", "~")) or ".." in piece.split("/")
    )


def _hits_words_as_paths(pattern: PathPattern, command: str, scope: Scope) -> Hit:
    """A command that names a path is concerned by rules on that path, however it uses it."""
    commands = commands_in(command)
    names = commands.names
    if len(names) > _MOST_NAMES:
        return "maybe"
    hit: Hit = "no" if commands.complete else "maybe"
    for piece in {piece for name in names for piece in pieces(name)}:
        if ANYTHING in piece:
            hit = "maybe" if _may_be_named(pattern, piece, scope) else hit
            continue
        path = scope.resolve(posixpath.join(scope.cwd, piece))
        if _names(pattern, path, scope, ignore_case=True):
            return "yes"
        if is_wild(piece) and any(
            may_name(name, pattern.glob, exact=pattern.exact)
            for name in _seen_from_roots(pattern, path, scope)
        ):
            hit = "maybe"
    return hit


def _may_be_named(pattern: PathPattern, piece: str, scope: Scope) -> bool:
    """Whether a piece that is only guessed at may become a path of a pattern."""
    before, up, rest = piece.rpartition("../")
    if ANYTHING in before and up:
        piece = f"{ANYTHING}/{rest}"
    if piece.startswith(ANYTHING):
        return may_name(piece, pattern.glob, exact=pattern.exact)
    path = posixpath.normpath(posixpath.join(scope.cwd, piece))
    return any(
        may_name(name, pattern.glob, exact=pattern.exact)
        for name in _seen_from_roots(pattern, path, scope)
    )


# Paths.


def _names(pattern: PathPattern, path: str, scope: Scope, ignore_case: bool) -> bool:
    for name in _seen_from_roots(pattern, path, scope):
        if pattern.exact:
            same = folded(name) == folded(pattern.glob) if ignore_case else name == pattern.glob
        else:
            same = matches(pattern.glob, name, ignore_case=ignore_case)
        if same:
            return True
    return False


def _seen_from_roots(pattern: PathPattern, path: str, scope: Scope) -> set[str]:
    """A path as a pattern would name it."""
    if pattern.glob.startswith("/"):
        return {path}
    return {name for root in scope.roots if (name := relative(path, (root,)))}


def _covers_path(pattern: Pattern, path: str, scope: Scope) -> bool:
    match pattern:
        case EveryCall():
            return inside(path, scope.roots)
        case PathPattern():
            return _names(pattern, path, scope, ignore_case=False)
        case _:
            return False


# Addresses.


def split_url(url: str) -> SplitResult | None:
    """An address in parts; `None` if two readers could disagree on what it means."""
    if any(ord(each) <= 32 or each == "\\" for each in url):
        return None
    try:
        split = urlsplit(url)
        host, _ = split.hostname, split.port
    except ValueError:
        return None
    return split if split.scheme in ("http", "https") and host and "@" not in split.netloc else None


def _is_at(pattern: UrlPattern, split: SplitResult) -> bool:
    host = ascii_host(split.hostname or "")
    if pattern.host.startswith("*."):
        same_host = host.endswith(pattern.host[1:])
    else:
        same_host = pattern.host in ("*", host)
    same_port = pattern.port is None or pattern.port == (split.port or _PORTS[split.scheme])
    plain = posixpath.normpath(unquote(split.path or "/"))
    return (
        same_host
        and same_port
        and (_is_under(pattern.path, split.path) or _is_under(pattern.path, plain))
    )


def ascii_host(host: str) -> str:
    """The name of a host as it is looked up; unchanged if it cannot be a name."""
    host = host.rstrip(".").lower()
    try:
        return host.encode("idna").decode()
    except UnicodeError:
        return host


def _is_under(wanted: str, path: str) -> bool:
    path = path or "/"
    if wanted.endswith("/*"):
        return path.startswith(wanted[:-1]) or path == wanted[:-2]
    return wanted in ("", path)


def _covers_url(pattern: Pattern, split: SplitResult) -> bool:
    match pattern:
        case EveryCall():
            return True
        case UrlPattern():
            lowered = split.path.lower()
            twisted = any(odd in lowered for odd in ("/.", "//", "%2e", "%2f", "%5c", ";"))
            default = _PORTS[split.scheme]
            return (
                not twisted
                and (split.hostname or "").isascii()
                and pattern.scheme == split.scheme
                and (pattern.port or default) == (split.port or default)
                and _is_at(pattern, split)
            )
        case _:
            return False
