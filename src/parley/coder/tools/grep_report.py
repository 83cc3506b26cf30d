"""What a search printed, as a model is shown it. Pure."""

import re

from msgspec import Struct

from parley.coder.tools.search_lines import Output

_LONGEST_LINE = 300
_LINE = re.compile(rb"([^\0]*)\0(\d+)([:-])([^\n]*)\n")
_COUNT = re.compile(rb"([^\0]*)\0(\d+)\r?\n")
_FILE = re.compile(rb"([^\0]+)\0")
# What ripgrep says of a file in which it comes upon a NUL after a match; it has none itself.
_ASIDE = re.compile(rb"^[^\0\n]*: [^\0\n]*binary file [^\0\n]*\n", re.MULTILINE)


class Line(Struct, frozen=True):
    number: int
    text: str
    matched: bool


class Found(Struct, frozen=True):
    """What was found in one file; `path` counts from the folder of the search."""

    path: str
    lines: tuple[Line, ...] = ()
    count: int = 0


def found_in(printed: bytes, output: Output) -> list[Found]:
    """The files in the output of a search, by path."""
    printed = _ASIDE.sub(b"", printed)
    match output:
        case "lines":
            found = _lines(printed)
        case "count":
            found = [
                Found(_path(path), count=int(count)) for path, count in _COUNT.findall(printed)
            ]
        case "files":
            found = [Found(_path(path)) for path in _FILE.findall(printed)]
    return sorted(found, key=lambda each: each.path)


def report(found: list[Found], output: Output, limit: int, names: dict[str, str]) -> str:
    """The text for the model; `names` has the paths that are shown instead of those found."""
    match output:
        case "lines":
            return _shown_lines(found, limit, names)
        case "count":
            lines = [f"{names[each.path]}: {each.count}" for each in found[:limit]]
        case "files":
            lines = [names[each.path] for each in found[:limit]]
    if len(found) > limit:
        lines.append(f"({limit} of {len(found)} files; raise `limit` or narrow the search)")
    return "\n".join(lines)


def _lines(printed: bytes) -> list[Found]:
    files: dict[bytes, list[Line]] = {}
    for path, number, mark, text in _LINE.findall(printed):
        shown = text.decode("utf-8", "replace").rstrip("\r")
        files.setdefault(path, []).append(Line(int(number), shown, mark == b":"))
    return [
        Found(_path(path), tuple(lines), sum(line.matched for line in lines))
        for path, lines in files.items()
    ]


def _shown_lines(found: list[Found], limit: int, names: dict[str, str]) -> str:
    blocks: list[str] = []
    left = limit
    for each in found:
        if left <= 0:
            break
        blocks.append("\n".join([names[each.path], *_block(each.lines, left)]))
        left -= each.count
    total = sum(each.count for each in found)
    if total > limit:
        blocks.append(
            f"({limit} of {total} matching lines in {len(found)} files; "
            "raise `limit` or narrow the search)"
        )
    return "\n\n".join(blocks)


def _block(lines: tuple[Line, ...], left: int) -> list[str]:
    """As many lines of one file as there is room for; gaps between contexts are marked."""
    has_context = not all(line.matched for line in lines)
    shown: list[str] = []
    before = lines[0].number
    for line in lines:
        left -= line.matched
        if left < 0:
            break
        if has_context and line.number > before + 1:
            shown.append("--")
        before = line.number
        shown.append(f"{line.number}{':' if line.matched else '-'}{_cut(line.text)}")
    return shown


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_LINE else text[:_LONGEST_LINE] + "…"


def _path(path: bytes) -> str:
    return path.removeprefix(b"./").decode("utf-8", "surrogateescape")
