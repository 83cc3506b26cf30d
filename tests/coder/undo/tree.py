"""A folder as a value, to compare what was with what is."""

import os
import stat
from pathlib import Path

Tree = dict[str, tuple[str, int, bytes]]


def tree(folder: Path, *, git: bool = False) -> Tree:
    """Every path with its kind, mode and content; with `git` only those of the repository."""
    found: Tree = {}
    start = folder / ".git" if git else folder
    for above, folders, files in os.walk(start):
        if not git and ".git" in folders:
            folders.remove(".git")
        for name in (*folders, *files):
            path = os.path.join(above, name)
            status = os.lstat(path)
            mode = stat.S_IMODE(status.st_mode)
            shown = os.path.relpath(path, folder)
            if stat.S_ISLNK(status.st_mode):
                found[shown] = ("link", 0, os.fsencode(os.readlink(path)))
            elif stat.S_ISDIR(status.st_mode):
                found[shown] = ("folder", mode, b"")
            else:
                found[shown] = ("file", mode, Path(path).read_bytes())
    return found
