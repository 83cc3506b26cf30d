"""File changes as the lines of a diff, and how many lines they touch. Pure."""

import difflib
from collections.abc import Iterator
from itertools import islice

from parley.session.content import DiffItem, FileChange

# Comparing takes the square of this in the worst case.
_MOST_LINES = 4000


_HEAD = "diff --git "
# Of a last line, in the words that every diff has for it.
_NO_END = "\\ No newline at end of file"


def diff_lines(item: DiffItem) -> Iterator[str]:
    """A diff as a person reads it, in raw text."""
    for head, lines in diff_parts(item):
        if head:
            yield head
        yield from lines


def diff_parts(item: DiffItem) -> Iterator[tuple[str, Iterator[str]]]:
    """The same, change by change: what is done to which file, and the lines.

    A patch names its files itself.
    """
    if item.patch is not None and not any(_has_text(change) for change in item.changes):
        yield "", _patch_lines(item.patch.text.rstrip("\n").split("\n"))
        return
    for change in item.changes:
        came_from = f" (from {change.old_path})" if change.old_path else ""
        yield f"{change.operation} {change.path}{came_from}", _change_lines(change)


def changed_lines(change: FileChange) -> tuple[int, int] | None:
    """How many lines a change adds and removes; `None` where it cannot be told cheaply."""
    if not _has_text(change):
        return None
    old, new = _ended(change.old_text), _ended(change.new_text)
    if len(old) + len(new) > _MOST_LINES:
        return None
    added = removed = 0
    for tag, i, j, m, n in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            removed, added = removed + j - i, added + n - m
    return added, removed


def _patch_lines(lines: list[str]) -> Iterator[str]:
    """A patch without the heads that name one file twice, where the next lines name it too."""
    named = {line[4:] for line in lines if line.startswith(("--- ", "+++ "))}
    for line in lines:
        names = line.removeprefix(_HEAD)
        half = names[: len(names) // 2]
        if line == f"{_HEAD}{half} {half}" and half in named:
            continue
        yield line


def _change_lines(change: FileChange) -> Iterator[str]:
    if not _has_text(change):
        return
    old, new = _ended(change.old_text), _ended(change.new_text)
    if len(old) + len(new) > _MOST_LINES:
        # Too long to compare, but never too long to be seen.
        found = iter([*(f"-{line}" for line in old), *(f"+{line}" for line in new)])
    else:
        # Without its two lines of file names.
        found = islice(difflib.unified_diff(old, new, lineterm="", n=3), 2, None)
    # Parts of files often have no end of the last line; that is worth a word where it is a change.
    told = not (_is_open(change.old_text) and _is_open(change.new_text))
    for line in found:
        yield line.removesuffix("\n")
        if told and line[:1] in ("+", "-") and not line.endswith("\n"):
            yield _NO_END


def _has_text(change: FileChange) -> bool:
    return change.old_text is not None or change.new_text is not None


def _is_open(text: str | None) -> bool:
    """Whether the last line has no end."""
    return bool(text) and not (text or "").endswith("\n")


def _ended(text: str | None) -> list[str]:
    """Lines with their ends; what follows the last end is a line only if there is something."""
    *lines, rest = (text or "").split("\n")
    return [*(f"{line}\n" for line in lines), *([rest] if rest else [])]
