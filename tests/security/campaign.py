"""What every campaign of the security table gives back, and the table itself.

A campaign tries many things that must not work. It returns how many it tried and a line for each
that worked; it prints nothing.
"""

from collections.abc import Iterable

from msgspec import Struct

_HEADS = ("what is tried", "goal", "tried", "passed through", "how")


class Result(Struct, frozen=True):
    """One row of the table."""

    title: str
    tried: int
    """Distinct cases, not repetitions."""
    least: int
    """How many there must be for the row to mean something."""
    failures: tuple[str, ...] = ()
    """What worked although it must not, one line each."""
    how: str = ""
    """What was done, with its other counts."""

    @property
    def holds(self) -> bool:
        return not self.failures and self.tried >= self.least


def table(results: Iterable[Result]) -> list[str]:
    """The rows as aligned text, and below them what failed."""
    rows = tuple(results)
    cells = [_HEADS, *map(_cells, rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(_HEADS))]
    lines = ["  ".join(_padded(row, widths)).rstrip() for row in cells]
    lines.insert(1, "  ".join("-" * width for width in widths))
    for row in rows:
        lines += [f"failed: {row.title}: {failure}" for failure in row.failures]
        if row.tried < row.least:
            lines.append(f"failed: {row.title}: only {row.tried} of at least {row.least}")
    held = sum(row.holds for row in rows)
    lines.append(f"{held} of {len(rows)} rows hold; {sum(row.tried for row in rows)} cases")
    return lines


def _cells(row: Result) -> tuple[str, ...]:
    return row.title, f"{row.least}+", str(row.tried), str(len(row.failures)), row.how


def _padded(row: tuple[str, ...], widths: list[int]) -> list[str]:
    numbers = (1, 2, 3)
    return [
        cell.rjust(width) if column in numbers else cell.ljust(width)
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
