"""Finding the text that an edit means, and replacing it. Pure.

A model copies text from memory, so it may miss what it cannot see: blanks at the end of a line, the
depth of the indentation, the kind of a quote. An exact match is taken first; then, one tolerance
after the other, the first that finds anything. Which one it was is told to the model.
"""

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from parley.coder.errors import ToolError
from parley.coder.tools.edit_closest import closest_region
from parley.coder.tools.title import one_line

_MOST_NAMED_LINES = 20


class Edit(Struct, frozen=True):
    old: str
    new: str
    every: bool = False
    """Replace every occurrence, not the only one."""


class Edited(Struct, frozen=True):
    """A text after edits."""

    text: str
    spans: tuple[tuple[int, int], ...]
    """Where it changed, as offsets, in order."""
    notes: tuple[str, ...] = ()
    """What was tolerated."""


class _Region(Struct, frozen=True):
    """A part of the text that an edit means."""

    start: int
    end: int
    ours: str = ""
    """The indentation of the edit, in place of which the file has `theirs`."""
    theirs: str = ""
    unended: bool = False
    """It is the last line of the file and, unlike that of the edit, has no line feed."""


def edited(text: str, edits: tuple[Edit, ...], path: str) -> Edited:
    """Apply all edits, each to the result of the one before.

    Raises:
        ToolError: one of them cannot be applied; it says which, why and what to do.
    """
    spans: list[tuple[int, int]] = []
    notes: list[str] = []
    for number, edit in enumerate(edits):
        name = f"edits[{number}].old_text"
        if edit.old == edit.new:
            raise ToolError(f"`{name}` and its `new_text` are the same; leave that edit out")
        regions, note = _found(text, edit.old)
        if not regions:
            raise ToolError(_not_found(text, edit, name, path))
        if len(regions) > 1 and not edit.every:
            raise ToolError(_ambiguous(text, regions, name, path))
        if note:
            notes.append(f"`{name}` matched {note}")
        for region in reversed(regions):
            text, spans = _replaced(text, region, edit.new, spans)
    return Edited(text, _merged(spans), tuple(notes))


def line_at(text: str, offset: int) -> int:
    """The number of the line in which an offset lies."""
    return text.count("\n", 0, offset) + 1


def _found(text: str, old: str) -> tuple[list[_Region], str]:
    regions = _occurrences(text, old)
    if regions:
        return regions, ""
    regions = _occurrences(_folded(text), _folded(old))
    if regions:
        return regions, "although quotes, dashes or blanks are other characters"
    regions = _same_lines(text, old, lambda line: _folded(line).rstrip())
    if regions:
        return regions, "although blanks at the end of lines differ"
    return _shifted_lines(text, old), "although the indentation differs; `new_text` was indented"


def _occurrences(text: str, old: str) -> list[_Region]:
    regions: list[_Region] = []
    at = text.find(old)
    while at >= 0:
        regions.append(_Region(at, at + len(old)))
        at = text.find(old, at + len(old))
    return regions


# Each character is replaced by exactly one, so that offsets stay the same.
_FOLDS = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        **dict.fromkeys("\u00a0\u202f\u205f\u3000", " "),
        **{chr(code): " " for code in range(0x2000, 0x200B)},
    }
)


def _folded(text: str) -> str:
    return text if text.isascii() else text.translate(_FOLDS)


def _same_lines(text: str, old: str, key: Callable[[str], str]) -> list[_Region]:
    """Whole lines that are the same as those of the edit after `key`."""
    lines, wanted, closed = _split(text, old)
    if not any(line.strip() for line in wanted):
        return []
    keys, wanted_keys = list(map(key, lines)), list(map(key, wanted))
    starts = _starts(lines)
    regions: list[_Region] = []
    at, size = 0, len(wanted)
    while at + size <= len(lines):
        if keys[at] == wanted_keys[0] and keys[at : at + size] == wanted_keys:
            last = at + size - 1
            end = starts[last] + len(lines[last]) + (1 if closed else 0)
            regions.append(_Region(starts[at], min(end, len(text)), unended=end > len(text)))
            at += size
        else:
            at += 1
    return regions


def _shifted_lines(text: str, old: str) -> list[_Region]:
    """Whole lines that are the same but for one indentation in place of another."""
    wanted = _split(text, old)[1]
    found: list[_Region] = []
    for region in _same_lines(text, old, lambda line: _folded(line).strip()):
        lines = text[region.start : region.end].split("\n")
        pairs = [
            (_indent(mine), _indent(line))
            for mine, line in zip(wanted, lines, strict=False)
            if mine.strip()
        ]
        ours = min((mine for mine, _ in pairs), key=len)
        theirs = min((line for _, line in pairs), key=len)
        if all(_shifted(mine, line, ours, theirs) for mine, line in pairs):
            found.append(replace(region, ours=ours, theirs=theirs))
    return found


def _shifted(mine: str, line: str, ours: str, theirs: str) -> bool:
    """Whether two indentations are the same but for `ours` in place of `theirs`."""
    deeper = mine.removeprefix(ours)
    return mine == ours + deeper and line == theirs + deeper


def _split(text: str, old: str) -> tuple[list[str], list[str], bool]:
    """The lines of the text, those of the edit, and whether its last one is a whole line."""
    wanted = old.split("\n")
    closed = len(wanted) > 1 and wanted[-1] == ""
    return text.split("\n"), wanted[:-1] if closed else wanted, closed


def _starts(lines: list[str]) -> list[int]:
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    return starts


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _replaced(
    text: str, region: _Region, new: str, spans: list[tuple[int, int]]
) -> tuple[str, list[tuple[int, int]]]:
    new = _reindented(new, region.ours, region.theirs)
    if region.unended:
        new = new.removesuffix("\n")
    start, end, after = region.start, region.end, region.start + len(new)
    moved = [_moved(span, start, end, after) for span in spans]
    return text[:start] + new + text[end:], [*moved, (start, after)]


def _moved(span: tuple[int, int], start: int, end: int, after: int) -> tuple[int, int]:
    """A span of an earlier edit after a replacement of `start` to `end`, which ends at `after`."""
    if span[1] <= start:
        return span
    if span[0] >= end:
        return span[0] + after - end, span[1] + after - end
    return min(span[0], start), max(span[1] + after - end, after)


def _merged(spans: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return tuple(merged)


def _reindented(new: str, ours: str, theirs: str) -> str:
    if ours == theirs:
        return new
    return "\n".join(_reindented_line(line, ours, theirs) for line in new.split("\n"))


def _reindented_line(line: str, ours: str, theirs: str) -> str:
    if not line.strip():
        return line
    if line.startswith(ours):
        return theirs + line[len(ours) :]
    # It is less deep than anything in the old text, so it becomes less deep by as much.
    indent = _indent(line)
    depth = max(len(theirs) - (len(ours) - len(indent)), 0)
    return theirs[:depth] + line.lstrip()


def _not_found(text: str, edit: Edit, name: str, path: str) -> str:
    told = [f"`{name}` was not found in `{path}`"]
    if edit.new and edit.new in text:
        line = line_at(text, text.index(edit.new))
        told.append(
            f"Its `new_text` is there already, in line {line}: perhaps it was edited before"
        )
    told.append(closest_region(text, edit.old))
    told.append("Nothing was changed")
    return "\n".join(filter(None, told))


def _ambiguous(text: str, regions: list[_Region], name: str, path: str) -> str:
    shown = regions[:_MOST_NAMED_LINES]
    places = "\n".join(
        f"line {line_at(text, region.start)}: {one_line(_line_of(text, region.start), 100)}"
        for region in shown
    )
    more = f"\nand {len(regions) - len(shown)} more" if len(regions) > len(shown) else ""
    return (
        f"`{name}` occurs {len(regions)} times in `{path}`:\n{places}{more}\n"
        "Add lines around it until it is the only one, or set `replace_all`. Nothing was changed"
    )


def _line_of(text: str, offset: int) -> str:
    end = text.find("\n", offset)
    return text[text.rfind("\n", 0, offset) + 1 : None if end < 0 else end]
