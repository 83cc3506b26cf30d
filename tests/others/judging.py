"""What two runs of an agent, one that allows and one that refuses, say of each step."""

from collections.abc import Iterator
from dataclasses import dataclass

from tests.others.driving import TEXT, Seen
from tests.others.strangers import Stranger

YES, NO, NONE = "yes", "NO", "·"
STEPS = ("initialize", "session/new", "turn", "tool call", "allowed", "refused")
_DENIED = 6


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    agent: str
    version: str
    protocol: str
    steps: tuple[str, ...]
    seconds: str
    remarks: tuple[str, ...] = ()

    @property
    def good(self) -> bool:
        return NO not in self.steps and not self.remarks

    @property
    def cells(self) -> tuple[str, ...]:
        return (
            *(self.agent, self.version, self.protocol, *self.steps, self.seconds),
            "; ".join(self.remarks) or "-",
        )


HEAD = ("Agent", "Version", "ACP", *STEPS, "Seconds", "What did not work")


def not_there(stranger: Stranger, why: str) -> Row:
    """The agent could not be installed."""
    steps = (NO,) * len(STEPS)
    return Row(stranger.name, stranger.version, "-", steps, "-", (f"not installed: {why}",))


def judge(stranger: Stranger, allowing: Seen, refusing: Seen | None) -> Row:
    """`refusing` is missing where the agent asks for nothing."""
    steps = (
        _word(allowing.initialized),
        _word(allowing.opened is not None),
        _word(allowing.status == 0 and allowing.stop_reason == "end_turn"),
        _word("completed" in allowing.tool_statuses) if stranger.tool else NONE,
        _word(_was_allowed(stranger, allowing)) if stranger.permission else NONE,
        NONE if refusing is None else _word(_was_refused(refusing)),
    )
    return Row(
        stranger.name,
        stranger.version,
        str(allowing.protocol or "-"),
        steps,
        f"{allowing.seconds:.1f}",
        tuple(dict.fromkeys(_remarks(allowing, refusing, steps))),
    )


def table(rows: list[Row]) -> str:
    """Markdown, with columns that line up."""
    lines = [HEAD, *(row.cells for row in rows)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(HEAD))]
    rule = tuple("-" * width for width in widths)
    return "\n".join(
        "| "
        + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        + " |"
        for line in (lines[0], rule, *lines[1:])
    )


def _word(holds: bool) -> str:
    return YES if holds else NO


def _was_allowed(stranger: Stranger, seen: Seen) -> bool:
    asked = bool(seen.answers) and all(seen.answers)
    return asked and (not stranger.writes or seen.written == TEXT)


def _was_refused(seen: Seen) -> bool:
    """Told so by the exit status, and nothing was written."""
    asked = bool(seen.answers) and not any(seen.answers)
    return asked and seen.status == _DENIED and seen.written is None


def _remarks(allowing: Seen, refusing: Seen | None, steps: tuple[str, ...]) -> Iterator[str]:
    if NO in steps[:5]:
        yield allowing.trouble
    if steps[5] == NO and refusing is not None:
        yield f"refusing: {refusing.trouble}"
    for seen in (allowing, refusing):
        if seen is not None and seen.left_behind:
            yield f"left behind: {', '.join(seen.left_behind)}"
