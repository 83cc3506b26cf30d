"""Lines of a file with their numbers, as models are shown them. Pure."""

from collections.abc import Iterable

LONGEST_LINE = 2000
"""Characters; a longer line is cut, since nobody wrote it by hand."""


def lines_of(text: str) -> list[str]:
    """The lines of a text; a line feed at the end does not begin another one."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def numbered(lines: Iterable[str], first: int) -> str:
    """The lines with numbers before them, counted from `first`."""
    return "\n".join(f"{number:>5}\t{_cut(line)}" for number, line in enumerate(lines, first))


def _cut(line: str) -> str:
    if len(line) <= LONGEST_LINE:
        return line
    return f"{line[:LONGEST_LINE]}… [{len(line) - LONGEST_LINE} more characters]"
