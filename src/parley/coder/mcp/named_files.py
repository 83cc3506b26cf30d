"""The files of a project that the words of a command name, and what is in them at the moment.

Who agrees to a command agrees to the program that it names, so the content of such files is part
of what is agreed to. Nothing of a file but its digest leaves this module. Links are followed only
as far as they stay in the project, pipes are never waited for, and the work has bounds.
"""

import hashlib
import os
import re
import stat
from collections.abc import Iterable, Iterator

from msgspec import Struct

from parley.coder.workspace.beneath import open_folder
from parley.coder.workspace.workspace import is_beneath

MOST_WORDS = 2_000
MOST_BYTES = 128 * 1024 * 1024
"""Of all files of one project together."""
_LONGEST = 4096
_CHUNK = 1024 * 1024
_BETWEEN = re.compile(r"[\s=:;,'\"`|&<>()@]+")
_PATH_INSIDE = re.compile(r"\.{0,2}/.*", re.DOTALL)
# The first component with a wildcard that is not the first of all.
_WILD = re.compile(r"(?<=/)[^/]*[*?\[{].*", re.DOTALL)
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class Uncheckable(Exception):
    """Something is named that cannot be checked; the text says what and why."""


class NamedFile(Struct, frozen=True):
    """A regular file, or a link that leads out of the project."""

    path: str
    """Relative to the project."""
    leads: str
    """Its real path."""
    size: int | None = None
    """`None` if it lies outside, where its content is not that of the project."""
    digest: str = ""


class Named(Struct, frozen=True):
    files: tuple[NamedFile, ...] = ()
    folders: tuple[str, ...] = ()
    """Folders that are named; what is in them is not covered by anything."""


class Budget:
    """How many bytes may still be read."""

    def __init__(self, left: int = MOST_BYTES) -> None:
        self.left = left


def named_in(root: str, texts: Iterable[str], budget: Budget) -> Named:
    """What these texts name, as a whole or somewhere in them, in a stable order.

    Raises:
        Uncheckable: they name something that is no file, or too much.
    """
    words = sorted({word for text in texts for word in _words(text)})
    if len(words) > MOST_WORDS:
        raise Uncheckable("it has too many words to be checked")
    files: dict[str, NamedFile] = {}
    folders: set[str] = set()
    for word in words:
        path = _inside(root, word)
        if path is None or path in files or path in folders:
            continue
        found = _looked_at(root, path, budget)
        if found is None:
            folders.add(path)
        else:
            files[path] = found
    return Named(tuple(files.values()), tuple(sorted(folders)))


def is_named_file(root: str, word: str) -> bool:
    """Whether a word as a whole is the path of something in the project that is no folder."""
    path = _inside(root, word)
    return path is not None and not os.path.isdir(os.path.join(root, path))


def _words(text: str) -> Iterator[str]:
    for word in (text, *_BETWEEN.split(text)):
        if 0 < len(word) <= _LONGEST:
            yield word
            # An option may have a path at its end, without anything between.
            if (inner := _PATH_INSIDE.search(word)) is not None:
                yield inner.group()


def _inside(root: str, word: str) -> str | None:
    """The path that a word is, relative to the project, if there is something."""
    if not 0 < len(word) <= _LONGEST or "\0" in word:
        return None
    path = os.path.normpath(os.path.join(root, word))
    if not is_beneath(path, root):
        # The project may be named by a link that leads to it.
        path = os.path.realpath(path)
    if is_beneath(path, root) and os.path.lexists(path):
        return os.path.relpath(path, root)
    before = _WILD.split(word)[0]
    # What a shell finds for a wildcard cannot be known, but the folder around it can.
    return _inside(root, before) if before != word else None


def _looked_at(root: str, path: str, budget: Budget) -> NamedFile | None:
    """What is at a path; nothing if it is a folder."""
    real = os.path.realpath(os.path.join(root, path))
    if not is_beneath(real, root):
        return NamedFile(path, real)
    if os.path.isdir(real):
        return None
    steps = os.path.relpath(real, root).split(os.sep)
    try:
        folder = open_folder(root, tuple(steps[:-1]))
        try:
            return _read(folder, steps[-1], path, real, budget)
        finally:
            os.close(folder)
    except OSError as error:
        raise Uncheckable(f"it names `{path}`: {error.strerror}") from None


def _read(folder: int, name: str, path: str, real: str, budget: Budget) -> NamedFile:
    # The first look keeps pipes and devices closed, the second one judges what was opened.
    if not stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        raise Uncheckable(f"it names `{path}`, which is no file")
    file = os.open(name, _FLAGS, dir_fd=folder)
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise Uncheckable(f"it names `{path}`, which is no file")
        sum, size = hashlib.sha256(), 0
        while data := os.read(file, _CHUNK):
            sum.update(data)
            size += len(data)
            budget.left -= len(data)
            if budget.left < 0:
                raise Uncheckable(f"it names `{path}`, which is too large to be checked")
        return NamedFile(path, real, size, sum.hexdigest())
    finally:
        os.close(file)
