"""Which commands only read, so that they may run without asking.

A command reads when its program is in the table, every option of it is in the table, and every
path it names lies in the workspace. `git` is not in it: the configuration of a repository names
programs that even `git status` and `git log` start (file system monitors, filters, text
converters, signature checks, fetches of missing objects), and a repository can come with one.
Its commands that look at things are `inspects`: plan mode asks for them instead of refusing.
"""

import posixpath
import re
from typing import Literal

from msgspec.structs import replace

from parley.coder.permission.paths import Scope, inside, names_inside
from parley.coder.permission.programs import leaves_free
from parley.coder.permission.readonly_table import FIND_TESTS, FIND_VALUES, READERS, Reader
from parley.coder.permission.shell import Command, CommandLine

Impact = Literal["reads", "inspects", "changes"]
"""What a command line does: only reads; reads, but may start configured programs; or anything."""


_MOST_PLACES = 8


def impact_of(line: CommandLine, scope: Scope) -> Impact:
    """What a command line does at most; whatever is not known changes something."""
    impacts = set(impacts_of(line, scope))
    if not impacts or "changes" in impacts:
        return "changes"
    return "inspects" if "inspects" in impacts else "reads"


def impacts_of(line: CommandLine, scope: Scope) -> tuple[Impact, ...]:
    """What each command of a plain line does; nothing for a line that is not plain."""
    if not line.plain or not inside(scope.resolve(scope.cwd), scope.roots):
        return ()
    # Whether a `cd` succeeds and for whom it counts is not known, so both places must do.
    places = {scope.cwd: scope}
    impacts: list[Impact] = []
    for command in line.commands:
        impact = _impact(command, tuple(places.values()))
        impacts.append(impact)
        if command.argv[0] == "cd":
            if impact == "changes" or len(places) > _MOST_PLACES:
                rest = line.commands[len(impacts) :]
                return (*impacts, *("changes" for _ in rest))
            for cwd in [posixpath.join(cwd, command.argv[1]) for cwd in places]:
                places[cwd] = replace(scope, cwd=cwd)
    return tuple(impacts)


def _impact(command: Command, places: tuple[Scope, ...]) -> Impact:
    if all(reads_only(command, place) for place in places):
        return "reads"
    return "inspects" if all(_inspects(command.argv, place) for place in places) else "changes"


def reads_only(command: Command, scope: Scope) -> bool:
    """Whether one plain command does nothing but read, inside the workspace."""
    argv = command.argv
    match argv[0]:
        case "echo" | "true" | "false":
            return True
        case "cd":
            return len(argv) == 2 and argv[1][:1] not in ("", "-") and _is_path(command, 1, scope)
        case "find":
            return _is_plain_find(command, scope)
        case "sed":
            return _is_plain_sed(command, scope)
        case "test":
            return (
                len(argv) == 3
                and argv[1] in ("-e", "-f", "-d", "-s", "-L", "-r", "-w", "-x")
                and _is_path(command, 2, scope)
            )
        case "command":
            return len(argv) == 3 and argv[1] in ("-v", "-V") and argv[2][:1].isalnum()
        case "git":
            return argv[1:] == ("--version",)
        case program if program in READERS:
            return _keeps_to(READERS[program], command, scope)
        case _:
            return False


def _is_path(command: Command, position: int, scope: Scope) -> bool:
    # What a wildcard finds may be a link that leads out.
    return position not in command.globs and names_inside(command.argv[position], scope)


def _keeps_to(reader: Reader, command: Command, scope: Scope) -> bool:
    """Whether all options are known ones and all operands are what the reader takes."""
    operands: list[int] = []
    argv = command.argv
    position = 1
    has_pattern = False
    while position < len(argv):
        word = argv[position]
        if word == "--":
            operands.extend(range(position + 1, len(argv)))
            break
        if word.startswith("-") and len(word) > 1:
            taken = reader.option(word)
            if taken is None or position + taken > len(argv):
                return False
            has_pattern = has_pattern or reader.is_pattern(word)
            position += taken
        else:
            operands.append(position)
            position += 1
    if reader.operands == "pattern" and not has_pattern:
        operands = operands[1:]
    if len(operands) > reader.most:
        return False
    match reader.operands:
        case "text":
            return True
        case "format":
            return all(argv[each].startswith("+") for each in operands)
        case _:
            return all(argv[each] == "-" or _is_path(command, each, scope) for each in operands)


_LINES = re.compile(r"\d+(,(\d+|\$))?p|\$p")


def _is_plain_sed(command: Command, scope: Scope) -> bool:
    """`sed -n 1,20p file`: everything else of `sed` can write and run."""
    argv = command.argv
    return (
        len(argv) >= 3
        and argv[1] == "-n"
        and _LINES.fullmatch(argv[2]) is not None
        and all(
            not argv[each].startswith("-") and _is_path(command, each, scope)
            for each in range(3, len(argv))
        )
    )


def _is_plain_find(command: Command, scope: Scope) -> bool:
    argv = command.argv
    position = 1
    while position < len(argv) and argv[position][:1] not in ("-", "(", "!", ")", ","):
        if not _is_path(command, position, scope):
            return False
        position += 1
    while position < len(argv):
        word = argv[position]
        if word in FIND_VALUES:
            value = position + 1
            if value >= len(argv) or (
                word.startswith("-newer") and not _is_path(command, value, scope)
            ):
                return False
            position += 2
        elif word in FIND_TESTS:
            position += 1
        else:
            return False
    return True


_LOOKS = frozenset(
    ("status", "log", "diff", "show", "blame", "shortlog", "ls-files", "ls-tree", "describe")
).union(("rev-parse", "rev-list", "grep", "cat-file", "whatchanged", "name-rev", "show-ref"))
_LISTS = frozenset(
    (
        ("branch",),
        ("branch", "-a"),
        ("branch", "-r"),
        ("branch", "-v"),
        ("branch", "-vv"),
        ("branch", "--list"),
        ("branch", "--show-current"),
        ("reflog",),
        ("remote", "-v"),
        ("stash", "list"),
        ("tag",),
        ("tag", "-l"),
        ("tag", "--list"),
        ("worktree", "list"),
    )
)


def _inspects(argv: tuple[str, ...], scope: Scope) -> bool:
    """A look at a repository, without the options that write files or start programs."""
    if argv[:2] == ("git", "--no-pager"):
        argv = ("git", *argv[2:])
    if argv[0] != "git" or len(argv) < 2:
        return False
    if argv[1:] in _LISTS:
        return True
    paths = (word.split(":")[-1] for word in argv[2:] if not word.startswith("-"))
    return (
        argv[1] in _LOOKS
        and leaves_free(argv, 2)
        and all(names_inside(path, scope) for path in paths)
    )
