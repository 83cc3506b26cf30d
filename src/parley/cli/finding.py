"""One thing that `parley doctor` has found, and how it is shown."""

import sys
from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from parley.cli.help_text import known_width, packed
from parley.frontend.visible import cells, visible

Status = Literal["ok", "note", "problem"]
_MARKS: dict[Status, str] = {"ok": "ok     ", "note": "note   ", "problem": "PROBLEM"}
_INDENT = " " * 9


class Finding(Struct, frozen=True):
    about: str
    status: Status
    text: str
    fix: str = ""


def lines(finding: Finding) -> list[str]:
    """The finding for whoever reads stdout; on a terminal, broken at blanks."""
    shown = _wrapped(f"{_MARKS[finding.status]}  ", f"{finding.about}: {finding.text}")
    return [*shown, *_wrapped(_INDENT, f"to fix it: {finding.fix}")] if finding.fix else shown


def is_bad(found: Iterable[Finding]) -> bool:
    return any(each.status == "problem" for each in found)


def _wrapped(first: str, text: str) -> list[str]:
    width = known_width()
    room = sys.maxsize if width is None else width - 1
    lines: list[str] = []
    for line in visible(text).split("\n"):
        # Several blanks stay several, since they may be part of a path.
        words = line.split(" ")
        lines += packed(words, room, _INDENT if lines else first, _INDENT, size=cells)
    return lines
