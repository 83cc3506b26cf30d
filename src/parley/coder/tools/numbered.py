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


def has_numbers(text: str) -> bool:
    """Whether every line has a number before it, as a model that copies what it saw writes it."""
    heads = [line.partition("\t") for line in lines_of(text)]
    return bool(heads) and all(tab and head.strip().isdigit() for head, tab, _ in heads)


def without_numbers(text: str) -> str:
    """The text without the numbers before its lines."""
    return "\n".join(line.partition("\t")[2] for line in lines_of(text))


def _cut(line: str) -> str:
    if len(line) <= LONGEST_LINE:
        return line
    return f"{line[:LONGEST_LINE]}… [{len(line) - LONGEST_LINE} more characters]"
