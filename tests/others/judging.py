"""What the runs of an agent say of each step: one allows, one goes on behind it,
one refuses, one is interrupted."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tests.others.driving import TEXT, Manner, Seen
from tests.others.strangers import Stranger

YES, NO, GAP, NONE = "yes", "NO", "no", "·"
"""`GAP` is a step that is known to fail."""
STEPS = (
    "initialize",
    "session/new",
    "turn",
    "tool call",
    "allowed",
    "refused",
    "cancelled",
    "continued",
)
_DENIED, _CANCELLED = 6, 5


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    agent: str
    version: str
    protocol: str
    steps: tuple[str, ...]
    seconds: str
    remarks: tuple[str, ...] = ()
    left_behind: tuple[str, ...] = ()

    @property
    def good(self) -> bool:
        return NO not in self.steps and not self.left_behind

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


def judge(stranger: Stranger, runs: Mapping[Manner, Seen]) -> Row:
    """There is always a run that allows; the others only where there is something to see."""
    allowing, refusing, interrupted = runs["allow"], runs.get("refuse"), runs.get("interrupt")
    again = runs.get("again")
    steps = (
        _word(allowing.initialized),
        _word(allowing.opened is not None),
        _word(allowing.status == 0 and allowing.stop_reason == "end_turn"),
        _word("completed" in allowing.tool_statuses) if stranger.tool else NONE,
        _word(_was_allowed(stranger, allowing)) if stranger.permission else NONE,
        NONE if refusing is None else _word(_was_refused(refusing)),
        NONE if interrupted is None else _word(_was_cancelled(interrupted)),
        NONE if again is None else _word(_was_continued(allowing, again)),
    )
    steps = tuple(
        GAP if word == NO and step in stranger.gaps else word
        for step, word in zip(STEPS, steps, strict=True)
    )
    return Row(
        stranger.name,
        stranger.version,
        str(allowing.protocol or "-"),
        steps,
        f"{allowing.seconds:.1f}",
        tuple(_remarks(runs, steps)),
        _left(runs),
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


def _was_cancelled(seen: Seen) -> bool:
    """By the agent itself, not by our patience."""
    return seen.status == _CANCELLED and seen.stop_reason == "cancelled"


def _was_continued(before: Seen, seen: Seen) -> bool:
    same = seen.opened is not None and seen.session_id == before.session_id
    return same and seen.status == 0 and seen.stop_reason == "end_turn"


def _remarks(runs: Mapping[Manner, Seen], steps: tuple[str, ...]) -> Iterator[str]:
    of: dict[Manner, tuple[str, ...]] = {
        "allow": steps[:5],
        "refuse": steps[5:6],
        "interrupt": steps[6:7],
        "again": steps[7:],
    }
    for manner, seen in runs.items():
        if NO in of[manner] or GAP in of[manner]:
            yield f"{manner}: {seen.trouble}"
    if left := _left(runs):
        yield f"left behind: {', '.join(left)}"


def _left(runs: Mapping[Manner, Seen]) -> tuple[str, ...]:
    return tuple(name for seen in runs.values() for name in seen.left_behind)
