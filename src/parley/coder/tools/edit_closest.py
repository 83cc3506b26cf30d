"""The part of a file that comes closest to a text which is not in it. Pure.

A model that is told what the file has instead gets its next edit right without reading again.
"""

from collections import defaultdict
from difflib import SequenceMatcher, get_close_matches

from parley.coder.tools.numbered import has_numbers, lines_of, numbered
from parley.coder.tools.title import one_line

_MOST_SHOWN = 30
_MOST_DIFFERENCES = 8
_CANDIDATES = 4
# Less alike than this is no help.
_ALIKE = 0.4
# What is compared character by character, to stay within a moment.
_MOST_LINES = 4000
_MOST_CHARACTERS = 400
_MOST_OFTEN = 50


def closest_region(text: str, old: str) -> str:
    """The closest region with its line numbers and what differs, or why there is none."""
    if has_numbers(old):
        return "It begins with line numbers: they are not part of the file, leave them out"
    lines, wanted = lines_of(text), lines_of(old)
    at = _closest(lines, wanted)
    if at is None:
        return "Nothing in the file is similar: read the file again"
    first, size = at, min(len(wanted), len(lines) - at)
    region = lines[first : first + size]
    shown = numbered(region[:_MOST_SHOWN], first + 1)
    told = [f"The closest region is {_named(first + 1, size)}:\n{shown}"]
    differences = _differences(region, wanted, first + 1)
    if differences:
        told.append("It differs from your text:\n" + "\n".join(differences))
    return "\n".join(told)


def _closest(lines: list[str], wanted: list[str]) -> int | None:
    """The index of the line where the closest region begins."""
    stripped = [line.strip() for line in lines]
    goal = [line.strip() for line in wanted]
    starts = _aligned(stripped, goal) or _alike(stripped, goal)
    size = len(goal)
    return max(starts, key=lambda at: _ratio(stripped[at : at + size], goal), default=None)


def _aligned(lines: list[str], goal: list[str]) -> list[int]:
    """Where the region begins if lines that are the same stand at the same place in both."""
    where: dict[str, list[int]] = {}
    for at, line in enumerate(lines):
        where.setdefault(line, []).append(at)
    votes: defaultdict[int, float] = defaultdict(float)
    for at, line in enumerate(goal):
        # A long line says more about a place than a bracket does, and a rare one more than others.
        found = where.get(line, []) if line else []
        for there in found[:_MOST_OFTEN]:
            votes[max(there - at, 0)] += len(line) / len(found)
    return sorted(votes, key=lambda at: -votes[at])[:_CANDIDATES]


def _alike(lines: list[str], goal: list[str]) -> list[int]:
    """Where the region begins if the longest line of the goal is the most similar one there."""
    longest = max(range(len(goal)), key=lambda at: len(goal[at]), default=None)
    if longest is None or not goal[longest]:
        return []
    short = {line[:_MOST_CHARACTERS] for line in lines[:_MOST_LINES] if line}
    near = get_close_matches(goal[longest][:_MOST_CHARACTERS], short, _CANDIDATES, _ALIKE)
    return [
        max(at - longest, 0)
        for at, line in enumerate(lines[:_MOST_LINES])
        if line[:_MOST_CHARACTERS] in near
    ][: _CANDIDATES * 4]


def _ratio(region: list[str], goal: list[str]) -> float:
    ours, theirs = "\n".join(region)[: 4 * _MOST_LINES], "\n".join(goal)[: 4 * _MOST_LINES]
    return SequenceMatcher(None, ours, theirs).quick_ratio()


def _differences(region: list[str], wanted: list[str], first: int) -> list[str]:
    told: list[str] = []
    region, wanted = region[:_MOST_OFTEN], wanted[:_MOST_OFTEN]
    matcher = SequenceMatcher(None, region, wanted, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            continue
        told += [f"line {first + at} of the file: `{_visible(region[at])}`" for at in range(a, b)]
        told += [f"your text instead: `{_visible(line)}`" for line in wanted[c:d]]
    left = len(told) - _MOST_DIFFERENCES
    return [*told[:_MOST_DIFFERENCES], f"and {left} more lines"] if left > 0 else told


def _visible(line: str) -> str:
    return one_line(line, 160)


def _named(first: int, size: int) -> str:
    return f"line {first}" if size == 1 else f"lines {first}-{first + size - 1}"
