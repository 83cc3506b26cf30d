"""The form of our help texts: as wide as fits, made without what a start can do without."""

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterable
from itertools import chain, groupby

_WIDTH = 80
"""Where nobody says how wide the lines are."""
_WIDEST = 100
"""Longer lines are hard to read."""
_DEEPER = "    "
# Two columns, as a list of examples has them.
_PAIR = re.compile(r"( +\S.*?) {2,}(\S.*)")
_COMMAND = re.compile(r" +(\$ )?parley ")
# What a shell takes as one word.
_SHELL_WORD = re.compile(r"""(?:'[^']*'|"[^"]*"|\S)+""")


class HelpText(argparse.HelpFormatter):
    """Breaks all texts at blanks, and keeps lines that are indented.

    A parser makes one for every argument that is added, only to see whether it could be shown.
    The usual ones import archives and compression then, to learn the width of the terminal.
    """

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=help_width())

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return filled(text, width)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return packed(text.split(), width)


def help_width() -> int:
    """How wide the lines of an explanation are."""
    return min(terminal_width(), _WIDEST) - 2


def terminal_width() -> int:
    """How many characters fit into a line, as `COLUMNS` or the terminal says."""
    return known_width() or _WIDTH


def known_width() -> int | None:
    """The same, if anybody says it: what goes into a file or a pipe has lines of any length."""
    try:
        return int(os.environ.get("COLUMNS", "")) or _terminal()
    except ValueError:
        return _terminal()


def filled(text: str, width: int) -> str:
    """Paragraphs as wide as fits. Lines that are indented stay, unless one of them does not fit."""
    lines: list[str] = []
    for is_prose, block in groupby(text.split("\n"), _is_prose):
        if is_prose:
            lines += packed(" ".join(block).split(), width)
            continue
        kept = list(block)
        wide = max(map(len, kept)) > width
        lines += chain.from_iterable(_broken(line, width) for line in kept) if wide else kept
    return "\n".join(lines)


def packed(
    words: Iterable[str],
    width: int,
    first: str = "",
    later: str = "",
    *,
    end: str = "",
    size: Callable[[str], int] = len,
) -> list[str]:
    """Words as lines that begin with `first` or `later`. No word is ever broken.

    Every line but the last has `end` behind it.
    """
    lines: list[str] = []
    room = width - len(end)
    for word in words:
        if not lines:
            lines.append(first + word)
        elif size(lines[-1]) + 1 + size(word) <= room:
            lines[-1] += f" {word}"
        else:
            lines[-1] += end
            lines.append(later + word)
    return lines


def command_lines(line: str, width: int) -> list[str]:
    """An indented command line, as several that a shell takes for one if it does not fit."""
    if len(line) <= width:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    return packed(_SHELL_WORD.findall(line), width, indent, indent + _DEEPER, end=" \\")


def _is_prose(line: str) -> bool | None:
    return not line.startswith(" ") if line else None


def _broken(line: str, width: int) -> list[str]:
    indent = line[: len(line) - len(line.lstrip())]
    if pair := _PAIR.fullmatch(line):
        deeper = indent + _DEEPER
        return [*command_lines(pair[1], width), *packed(pair[2].split(), width, deeper, deeper)]
    if _COMMAND.match(line):
        return command_lines(line, width)
    return packed(line.split(), width, indent, indent + _DEEPER)


def _terminal() -> int | None:
    # The original one, whoever writes to the other meanwhile; a program without any has none.
    output = sys.__stdout__
    try:
        return (os.get_terminal_size(output.fileno()).columns or None) if output else None
    except (ValueError, OSError):
        return None
