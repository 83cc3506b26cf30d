"""Finding the text that an edit means, and replacing it. Pure.

A model copies text from memory, so it may miss what it cannot see: blanks at the end of a line, the
depth of the indentation, the kind of a quote. An exact match is taken first; then, one tolerance
after the other, the first that finds anything. Which one it was is told to the model.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from parley.coder.errors import ToolError
from parley.coder.tools.edit_closest import closest_region
from parley.coder.tools.numbered import has_numbers, without_numbers
from parley.coder.tools.title import one_line

_MOST_NAMED_LINES = 20
_MOST_SPANS = 100


class Edit(Struct, frozen=True):
    old: str
    new: str
    every: bool = False
    """Replace every occurrence, not the only one."""


class Edited(Struct, frozen=True):
    """A text after edits."""

    text: str
    spans: tuple[tuple[int, int], ...]
    """Where it changed, as offsets, in order; the first hundred places."""
    notes: tuple[str, ...] = ()
    """What was tolerated."""


class _Region(Struct, frozen=True):
    """A part of the text that an edit means."""

    start: int
    end: int
    ours: str = ""
    """The indentation of the edit, in place of which the file has `theirs`."""
    theirs: str = ""
    each: bool = False
    """Not the indentation as a whole differs, but each level of it."""
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
        regions, new, note = _found(text, edit)
        if not regions:
            raise ToolError(_not_found(text, edit, name, path))
        if len(regions) > 1 and not edit.every:
            raise ToolError(_ambiguous(text, regions, name, path))
        if note:
            notes.append(f"`{name}` matched {note}")
        text, spans = _replaced(text, regions, new, spans)
    return Edited(text, _merged(spans), tuple(notes))


def line_at(text: str, offset: int) -> int:
    """The number of the line in which an offset lies."""
    return text.count("\n", 0, offset) + 1


def _found(text: str, edit: Edit) -> tuple[list[_Region], str, str]:
    """Where the edit applies, what takes its place there, and what was tolerated."""
    regions, note = _tolerated(text, edit.old)
    if regions:
        return regions, edit.new, note
    for old, new, meant in _readings(edit):
        regions, _ = _tolerated(text, old, inside_lines=False)
        if regions:
            return regions, new, meant
    return [], "", ""


def _readings(edit: Edit) -> Iterator[tuple[str, str, str]]:
    """What an edit may mean beside what it says; each is only taken for whole lines."""
    if has_numbers(edit.old):
        new = without_numbers(edit.new) if has_numbers(edit.new) else edit.new.removesuffix("\n")
        yield without_numbers(edit.old), new, "without the line numbers"
    trimmed = edit.old.strip("\n")
    if trimmed != edit.old:
        yield trimmed, edit.new.strip("\n"), "without the empty lines around it"


def _tolerated(text: str, old: str, *, inside_lines: bool = True) -> tuple[list[_Region], str]:
    regions = _occurrences(text, old) if inside_lines else []
    if regions:
        return regions, ""
    regions = _occurrences(_folded(text), _folded(old)) if inside_lines else []
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
        shift = _shift(pairs) or _unit(pairs)
        if shift is not None:
            ours, theirs, each = shift
            found.append(replace(region, ours=ours, theirs=theirs, each=each))
    return found


def _shift(pairs: list[tuple[str, str]]) -> tuple[str, str, bool] | None:
    """The one indentation in place of which the file has another one in all lines."""
    ours = min((mine for mine, _ in pairs), key=len)
    theirs = min((line for _, line in pairs), key=len)
    for mine, line in pairs:
        deeper = mine.removeprefix(ours)
        if mine != ours + deeper or line != theirs + deeper:
            return None
    return ours, theirs, False


def _unit(pairs: list[tuple[str, str]]) -> tuple[str, str, bool] | None:
    """The blanks in place of which the file has a tab at each level, or the other way round."""
    deep, shallow = max(pairs, key=lambda pair: len(pair[0]) + len(pair[1]))
    turned = len(shallow) > len(deep)
    blanks, tabs = (shallow, deep) if turned else (deep, shallow)
    if not tabs or len(blanks) % len(tabs) or set(tabs) != {"\t"} or set(blanks) != {" "}:
        return None
    unit = blanks[: len(blanks) // len(tabs)]
    ours, theirs = ("\t", unit) if turned else (unit, "\t")
    if all(mine.replace(ours, theirs) == line for mine, line in pairs):
        return ours, theirs, True
    return None


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
    text: str, regions: list[_Region], new: str, spans: list[tuple[int, int]]
) -> tuple[str, list[tuple[int, int]]]:
    """The text after one edit, and where it has changed by now."""
    pieces: list[str] = []
    fresh: list[tuple[int, int]] = []
    at = length = 0
    for region in regions:
        inserted = _fitted(new, region)
        length += region.start - at
        pieces += (text[at : region.start], inserted)
        fresh.append((length, length + len(inserted)))
        length += len(inserted)
        at = region.end
    moved = [(_moved(start, regions, fresh), _moved(end, regions, fresh)) for start, end in spans]
    return "".join((*pieces, text[at:])), [*moved, *fresh[:_MOST_SPANS]]


def _moved(offset: int, regions: list[_Region], fresh: list[tuple[int, int]]) -> int:
    """Where an offset is after regions were replaced by what lies at `fresh` now."""
    before = bisect_left(regions, offset, key=lambda region: region.start) - 1
    if before < 0:
        return offset
    # What was replaced itself has no place any more; the end of what replaced it comes closest.
    return fresh[before][1] + max(offset - regions[before].end, 0)


def _merged(spans: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return tuple(merged[:_MOST_SPANS])


def _fitted(new: str, region: _Region) -> str:
    """The new text as it goes into a region: with its indentation and its end."""
    if region.unended:
        new = new.removesuffix("\n")
    if region.ours == region.theirs:
        return new
    return "\n".join(_reindented(line, region) for line in new.split("\n"))


def _reindented(line: str, region: _Region) -> str:
    ours, theirs, indent = region.ours, region.theirs, _indent(line)
    if not line.strip():
        return line
    if region.each:
        return indent.replace(ours, theirs) + line[len(indent) :]
    if line.startswith(ours):
        return theirs + line[len(ours) :]
    # It is less deep than anything in the old text, so it becomes less deep by as much.
    depth = max(len(theirs) - (len(ours) - len(indent)), 0)
    return theirs[:depth] + line[len(indent) :]


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
