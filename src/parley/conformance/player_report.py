"""What came of playing a scenario: how far it got, what did not match, everything that was said."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from parley.rpc.transport import Incoming, Oversize

_SHOWN_FRAMES = 8
_SHOWN_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class Traffic:
    """One frame that was sent (`out`) or received (`in`)."""

    direction: Literal["in", "out"]
    frame: Incoming
    fault: str = ""
    """Which fault it was, if it was one."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Something that did not go as the script says."""

    step: str
    expected: str
    actual: str


@dataclass(frozen=True, slots=True)
class Report:
    """The result of playing a scenario."""

    scenario: str
    plays: str
    protocol: int
    steps_done: int
    mismatches: tuple[Mismatch, ...]
    unexpected: tuple[str, ...]
    """What came and was in no step. It fails nothing by itself."""
    traffic: tuple[Traffic, ...]

    @property
    def ok(self) -> bool:
        """Whether everything went as the script says."""
        return not self.mismatches

    @property
    def sent(self) -> tuple[bytes, ...]:
        """The frames that were sent, in order."""
        return tuple(
            each.frame
            for each in self.traffic
            if each.direction == "out" and isinstance(each.frame, bytes)
        )

    @property
    def received(self) -> tuple[Incoming, ...]:
        """The frames that were received, in order."""
        return tuple(each.frame for each in self.traffic if each.direction == "in")

    def text(self) -> str:
        """The report for a person."""
        return "\n".join(self._lines())

    def check(self) -> None:
        """Insist that everything went as the script says.

        Raises:
            AssertionError: it did not; the text is the report.
        """
        if not self.ok:
            raise AssertionError(self.text())

    def _lines(self) -> Iterator[str]:
        counts = f"{self.steps_done} steps, {len(self.sent)} sent, {len(self.received)} received"
        verdict = "ok" if self.ok else "FAILED"
        yield (f"{verdict}: `{self.scenario}` as {self.plays}, version {self.protocol} ({counts})")
        for mismatch in self.mismatches:
            yield f"  step {mismatch.step}"
            yield f"    expected: {mismatch.expected}"
            yield f"    actual:   {mismatch.actual}"
        for line in self.unexpected:
            yield f"  unexpected: {line}"
        if not self.ok and self.traffic:
            yield "  the last frames:"
            yield from (f"    {_shown(each)}" for each in self.traffic[-_SHOWN_FRAMES:])


def _shown(each: Traffic) -> str:
    arrow = "->" if each.direction == "out" else "<-"
    mark = f" [{each.fault}]" if each.fault else ""
    if isinstance(each.frame, Oversize):
        return f"{arrow}{mark} a frame of {each.frame.size} bytes, over the limit"
    text = each.frame[:_SHOWN_CHARACTERS].decode(errors="replace")
    more = len(each.frame) - _SHOWN_CHARACTERS
    return f"{arrow}{mark} {text}{f'… ({more} more bytes)' if more > 0 else ''}"
