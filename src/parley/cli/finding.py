"""One thing that `parley doctor` has found, and how it is shown."""

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from parley.frontend.visible import visible

Status = Literal["ok", "note", "problem"]
_MARKS: dict[Status, str] = {"ok": "ok     ", "note": "note   ", "problem": "PROBLEM"}


class Finding(Struct, frozen=True):
    about: str
    status: Status
    text: str
    fix: str = ""


def lines(finding: Finding) -> list[str]:
    """The finding for a terminal."""
    shown = [f"{_MARKS[finding.status]}  {finding.about}: {visible(finding.text)}"]
    return [*shown, f"         to fix it: {visible(finding.fix)}"] if finding.fix else shown


def is_bad(found: Iterable[Finding]) -> bool:
    return any(each.status == "problem" for each in found)
