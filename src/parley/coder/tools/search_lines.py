"""Searching the lines of files without ripgrep: a program that prints what ripgrep would print.

It runs as a process of its own, because a regular expression can take forever and nothing inside a
process can end one. `python -m parley.coder.tools.search_lines` reads a `Search` as JSON from its
standard input and prints records: the path, a NUL, and what was found.
"""

import os
import re
import sys
from collections.abc import Callable, Generator
from typing import Literal

import msgspec
from msgspec import Struct

from parley.coder.tools.file_pattern import FilePattern
from parley.coder.workspace import local
from parley.coder.workspace.beneath import NotPlain, Place
from parley.coder.workspace.text import decoded
from parley.coder.workspace.walk import Walk, walk

Output = Literal["lines", "files", "count"]
NO_PATTERN = 2
"""The exit status for an expression that is none, as ripgrep has it."""

MOST_BYTES = 32 * 1024 * 1024
"""A larger file is left out."""

LONGEST_LINE = 2000
"""What is beyond is not printed."""


class Search(Struct, frozen=True):
    """What is looked for, where, and what is wanted of it."""

    place: Place
    pattern: str
    single: bool = False
    """The place is a file, not a folder."""
    glob: str | None = None
    case_insensitive: bool = False
    context: int = 0
    output: Output = "lines"


def main() -> int:
    """Answer one search."""
    search = msgspec.json.decode(sys.stdin.buffer.read(), type=Search)
    try:
        regex = re.compile(search.pattern, re.IGNORECASE if search.case_insensitive else 0)
    except (re.error, OverflowError, RecursionError) as error:
        sys.stderr.write(str(error))
        return NO_PATTERN
    any_found = False
    for record in records(search, regex):
        any_found = True
        sys.stdout.buffer.write(record)
    sys.stdout.buffer.flush()
    return 0 if any_found else 1


def records(search: Search, regex: re.Pattern[str]) -> Generator[bytes]:
    """What is printed for each file in which something was found."""
    told = _TELLERS[search.output]
    for path, place in _files(search):
        lines = _lines(place)
        hits = [at for at, line in enumerate(lines) if regex.search(line)]
        if hits:
            yield told(os.fsencode(path) + b"\0", lines, hits, search.context)


def _files(search: Search) -> Generator[tuple[str, Place]]:
    start = search.place
    if search.single:
        yield os.path.basename(start.path), start
        return
    way = Walk() if search.glob is None else Walk(choose=FilePattern(search.glob).choose)
    for folder in walk(start, way):
        for item in folder.items:
            if item.kind == "file":
                path = os.path.join(*folder.steps, item.name)
                yield path, Place(os.path.join(start.path, path), start.root, path)


def _lines(place: Place) -> list[str]:
    """The lines of a text file; none of what cannot be read or is no text."""
    try:
        file = decoded(local.read(place, MOST_BYTES))
    except (OSError, NotPlain):
        return []
    lines = file.text.split("\n") if file else []
    if lines and lines[-1] == "":
        lines.pop()
    return lines


def _told_lines(path: bytes, lines: list[str], hits: list[int], context: int) -> bytes:
    matched = set(hits)
    shown = sorted(
        {
            near
            for at in hits
            for near in range(max(at - context, 0), min(at + context + 1, len(lines)))
        }
    )
    parts: list[bytes] = []
    for at in shown:
        mark = ":" if at in matched else "-"
        parts.append(
            path + f"{at + 1}{mark}{lines[at][:LONGEST_LINE]}\n".encode("utf-8", "surrogatepass")
        )
    return b"".join(parts)


def _told_file(path: bytes, lines: list[str], hits: list[int], context: int) -> bytes:
    return path


def _told_count(path: bytes, lines: list[str], hits: list[int], context: int) -> bytes:
    return path + f"{len(hits)}\n".encode()


_Teller = Callable[[bytes, list[str], list[int], int], bytes]
_TELLERS: dict[Output, _Teller] = {
    "lines": _told_lines,
    "files": _told_file,
    "count": _told_count,
}


if __name__ == "__main__":
    sys.exit(main())
