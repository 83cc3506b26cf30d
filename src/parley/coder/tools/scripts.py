"""The scripts that a command line would run, and whether they are still what they were.

Who allows `./build.sh` has looked at that file, or knows it. If somebody writes another one while
the question is open, it is not what was allowed.
"""

import os
from collections.abc import Iterator, Mapping
from itertools import islice

from msgspec import Struct

from parley.coder.errors import ToolError
from parley.coder.permission.nested import Words, commands_in, name_of
from parley.coder.permission.program_table import CODE, SHELLS
from parley.coder.tools.title import one_line

_MOST_FILES = 50
# Programs that run what a file with a name of its own says.
_RECIPES = {
    "make": ("GNUmakefile", "makefile", "Makefile"),
    "gmake": ("GNUmakefile", "makefile", "Makefile"),
    "just": ("justfile", "Justfile", ".justfile"),
    "npm": ("package.json",),
    "pnpm": ("package.json",),
    "yarn": ("package.json",),
    "bun": ("package.json",),
}


class Mark(Struct, frozen=True):
    """What tells one state of a file from another. Nobody can set the time of a change back."""

    device: int
    inode: int
    size: int
    changed: int


Marks = Mapping[str, Mark | None]
"""Files by path; `None` is one that does not exist."""


def marks_of(line: str, cwd: str) -> Marks:
    """The scripts of a command line that runs in a folder, as they are now."""
    paths = (os.path.join(cwd, name) for name in _scripts(line))
    return {path: _mark(path) for path in islice(paths, _MOST_FILES)}


def check_unchanged(line: str, cwd: str, seen: Marks) -> None:
    """Refuse to run what is no longer what was asked about.

    Raises:
        ToolError: one of the scripts is another one now.
    """
    for path, mark in marks_of(line, cwd).items():
        if mark != seen.get(path):
            raise ToolError(
                f"`{one_line(path)}` was changed after permission to run it was asked for; "
                "look at it and try again"
            )


def _scripts(line: str) -> Iterator[str]:
    found = dict.fromkeys(name for words in commands_in(line).found for name in _named(words))
    yield from (name for name in found if "\0" not in name)


def _named(words: Words) -> Iterator[str]:
    """The files that a simple command may run; too many rather than too few."""
    program = words[0] if words else None
    if program is None:
        return
    if "/" in program:
        yield program
    name = name_of(program) or ""
    yield from _RECIPES.get(name, ())
    if name in SHELLS or name in ("source", ".") or CODE.fullmatch(name):
        yield from (word for word in words[1:] if word and not word.startswith("-"))


def _mark(path: str) -> Mark | None:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return Mark(status.st_dev, status.st_ino, status.st_size, status.st_ctime_ns)
