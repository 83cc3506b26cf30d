"""The form of our help texts, made without what a start can do without."""

import argparse
import os
import sys

_WIDTH = 80
"""Where nobody says how wide the lines are."""


class HelpText(argparse.RawDescriptionHelpFormatter):
    """Keeps the lines of descriptions.

    A parser makes one for every argument that is added, only to see whether it could be shown.
    The usual ones import archives and compression then, to learn the width of the terminal.
    """

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=terminal_width() - 2)


def terminal_width() -> int:
    """How many characters fit into a line, as `COLUMNS` or the terminal says."""
    try:
        return int(os.environ.get("COLUMNS", "")) or _terminal()
    except ValueError:
        return _terminal()


def _terminal() -> int:
    # The original one, whoever writes to the other meanwhile; a program without any has none.
    output = sys.__stdout__
    try:
        columns = os.get_terminal_size(output.fileno()).columns if output else 0
    except (ValueError, OSError):
        return _WIDTH
    return columns or _WIDTH
