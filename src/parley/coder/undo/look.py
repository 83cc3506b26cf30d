"""Looking at the files of a workspace: at one path, or at all of them. Everything here blocks.

No link is followed: every folder is opened beneath its root. Git's own folder is never entered.
Folders that tools make and make again are left out, since they are large and nobody writes in them.
"""

import errno
import os
import stat
import time
from collections.abc import Callable

from msgspec import Struct

from parley.coder.undo.contents import hash_of
from parley.coder.undo.state import UNREAD, File, Folder, Gone, Link, State
from parley.coder.workspace.beneath import open_folder, parent_of
from parley.coder.workspace.part import is_part

GIT = b".git"
LEFT_OUT = frozenset(
    {
        GIT, b".hg", b".svn", b".jj", b"node_modules", b".venv", b"venv", b"__pycache__", b".tox",
        b".nox", b".mypy_cache", b".pytest_cache", b".ruff_cache", b".gradle", b".next", b".cache",
    }
)  # fmt: skip
LARGEST = 8 * 1024 * 1024
"""The largest file that is copied."""
MOST_FILES = 20_000
MOST_SECONDS = 5.0
"""Nobody waits longer than this for a command to begin."""

_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
# A file that was changed this short before it was looked at may change again and look the same.
_TOO_FRESH = 50_000_000
_NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EXDEV)

Stamp = tuple[int, int, int, int, int]
Take = Callable[[str, bytes], object]
"""Is given the hash and the content of every file that is read."""


class TooLarge(Exception):
    """The workspace has more files than can be watched, or looking at them takes too long."""


class Seen(Struct, frozen=True):
    state: State
    stamp: Stamp | None = None
    """If a file still has it, it is the same; `None` if that cannot be told."""


class Survey(Struct, frozen=True):
    """Everything in the workspace at a moment, by path."""

    seen: dict[bytes, Seen]
    left_out: frozenset[bytes] = frozenset()
    """The names of folders that were not entered."""


def located(roots: tuple[str, ...], path: bytes) -> tuple[str, tuple[str, ...]] | None:
    """The root that a path lies beneath, and the steps from there; `None` for what is not ours."""
    text = os.fsdecode(path)
    for root in roots:
        inner = root.rstrip(os.sep) + os.sep
        if text.startswith(inner):
            steps = tuple(text[len(inner) :].split(os.sep))
            wrong = {"", os.curdir, os.pardir, os.fsdecode(GIT)}
            return None if wrong & set(steps) else (root, steps)
    return None


def state_at(roots: tuple[str, ...], path: bytes, take: Take) -> State:
    """What lies at one path.

    Raises:
        OSError: it cannot be told.
    """
    place = located(roots, path)
    if place is None:
        return Gone()
    try:
        with parent_of(*place) as (folder, name):
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            return _state(folder, os.fsencode(name), status, take)
    except OSError as error:
        if error.errno in _NOT_THERE:
            return Gone()
        raise


def survey(roots: tuple[str, ...], before: Survey | None, take: Take) -> Survey:
    """Look at everything; files that still look the same are not read again.

    Raises:
        TooLarge: there is too much to look at.
    """
    known = {} if before is None else before.seen
    looking = _Looking(known, take, time.time_ns() - _TOO_FRESH)
    for root in roots:
        others = (each for each in roots if each != root)
        if not any(root.startswith(other.rstrip(os.sep) + os.sep) for other in others):
            looking.enter(root, ())
    return Survey(looking.seen, frozenset(looking.left_out))


class _Looking:
    def __init__(self, known: dict[bytes, Seen], take: Take, fresh: int) -> None:
        self.seen: dict[bytes, Seen] = {}
        self.left_out: set[bytes] = set()
        self._known = known
        self._take = take
        self._fresh = fresh
        self._deadline = time.monotonic() + MOST_SECONDS

    def enter(self, root: str, steps: tuple[str, ...]) -> None:
        waiting = [steps]
        while waiting:
            here = waiting.pop()
            try:
                folder = open_folder(root, here)
            except OSError:
                continue  # It went away, became a link, or may not be read.
            try:
                with os.scandir(folder) as entries:
                    names = [(os.fsencode(entry.name), entry) for entry in entries]
                above = os.fsencode(os.path.join(root, *here)).rstrip(b"/") + b"/"
                for name, entry in names:
                    if name in LEFT_OUT:
                        self.left_out.add(name)
                    elif not is_part(name) and self._look(folder, above, name):
                        waiting.append((*here, entry.name))
            finally:
                os.close(folder)

    def _look(self, folder: int, above: bytes, name: bytes) -> bool:
        """Take in one name; whether it is a folder to enter."""
        try:
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            path = above + name
            stamp = _stamp(status)
            known = self._known.get(path)
            if known is not None and known.stamp == stamp:
                self.seen[path] = known
            else:
                state = _state(folder, name, status, self._take)
                if isinstance(state, Gone):
                    return False  # A pipe, a socket, a device.
                trusted = status.st_ctime_ns < self._fresh
                self.seen[path] = Seen(state, stamp if trusted else None)
        except OSError:
            return False
        if len(self.seen) > MOST_FILES or time.monotonic() > self._deadline:
            raise TooLarge
        return stat.S_ISDIR(status.st_mode)


def _stamp(status: os.stat_result) -> Stamp:
    return (
        status.st_mode,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
        status.st_ino,
    )


def _state(folder: int, name: bytes, status: os.stat_result, take: Take) -> State:
    mode = stat.S_IMODE(status.st_mode)
    if stat.S_ISDIR(status.st_mode):
        return Folder(mode)
    if stat.S_ISLNK(status.st_mode):
        return Link(os.readlink(name, dir_fd=folder))
    if not stat.S_ISREG(status.st_mode):
        return Gone()
    if status.st_size > LARGEST:
        return File(mode, f"{UNREAD}{status.st_size}.{status.st_mtime_ns}")
    file = os.open(name, _OPEN, dir_fd=folder)
    with open(file, "rb", buffering=0) as opened:
        data = opened.read(LARGEST + 1)
    hash = hash_of(data)
    take(hash, data)
    return File(mode, hash)
