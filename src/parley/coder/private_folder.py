"""Folders that only their owner may enter, with those above them that have to be made first."""

from itertools import takewhile
from pathlib import Path


def make_private(folder: Path) -> None:
    """Make a folder if there is none; whoever can write above it could put another in its place.

    Raises:
        OSError: it cannot be made.
    """
    above = takewhile(lambda each: not each.exists(), folder.parents)
    for each in reversed((folder, *above)):
        each.mkdir(mode=0o700, exist_ok=True)
