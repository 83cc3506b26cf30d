"""Folders that only their owner may enter, with those above them that have to be made first."""

from pathlib import Path


def make_private(folder: Path) -> None:
    """Make a folder if there is none; whoever can write above it could put another in its place.

    Raises:
        OSError: it cannot be made.
    """
    missing = [folder]
    for each in folder.parents:
        if each.exists():
            break
        missing.append(each)
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)
