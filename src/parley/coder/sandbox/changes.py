"""What a command did to the protected paths of the workspace, seen from outside.

Not every mechanism can keep them from being written, and none keeps absent ones from being made.
So they are looked at before a command and after it, and whoever reads its result is told. Files
that agents take as instructions are looked at with them.
"""

import os
from collections.abc import Iterator

from parley.coder.sandbox.policy import watched_in

Seen = dict[str, tuple[int, ...]]

_MOST = 2_000
_DEEPEST = 2


def look(roots: tuple[str, ...]) -> Seen:
    """The protected paths that exist, each with what changes when somebody changes it."""
    seen: Seen = {}
    for root in roots:
        for path in watched_in(root):
            _look_at(path, seen, _DEEPEST)
    return seen


def changed(before: Seen, after: Seen) -> tuple[str, ...]:
    """What is new, gone or different."""
    paths = sorted({*before, *after})
    return tuple(path for path in paths if before.get(path) != after.get(path))


def _look_at(path: str, seen: Seen, depth: int) -> None:
    try:
        about = os.lstat(path)
    except OSError:
        return
    if len(seen) >= _MOST:
        return
    folder = os.path.isdir(path) and not os.path.islink(path)
    # What is in a folder is looked at by itself.
    when = () if folder else (about.st_mtime_ns, about.st_ctime_ns, about.st_size)
    seen[path] = (about.st_mode, about.st_ino, *when)
    if folder and depth:
        for inner in _inner(path):
            _look_at(inner, seen, depth - 1)


def _inner(folder: str) -> Iterator[str]:
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    yield from (os.path.join(folder, name) for name in names)
