"""A folder of a project, read whole or not at all, and only what really lies in it.

No link is followed, nothing is waited for, and everything has a limit. What is read here is what
is hashed, and what is given to the model, so nobody can swap one for the other.
"""

import os
from collections.abc import Mapping
from itertools import islice

from msgspec import Struct

from parley.coder.trust.content import digest_of
from parley.coder.workspace.beneath import NotPlain, open_by_steps, open_folder, open_plain

MOST_FILES = 200
MOST_BYTES = 1024 * 1024
"""Of all files of one folder together."""
DEEPEST = 6


class NoSnapshot(Exception):
    """The folder cannot be taken whole; the text says why, as the end of a sentence."""


class File(Struct, frozen=True):
    data: bytes
    executable: bool


class Snapshot(Struct, frozen=True):
    files: Mapping[str, File]
    """By their paths in the folder, in the order of those."""

    @property
    def digest(self) -> str:
        """Of names, contents and whether a file can be run."""
        parts: list[str | bytes] = []
        for path, file in self.files.items():
            parts += (path, "x" if file.executable else "-", file.data)
        return digest_of(*parts)


def names_in(root: str, steps: tuple[str, ...], most: int) -> list[str]:
    """The folders that lie in a folder, in order; of very many only some are looked at.

    Raises:
        OSError: there is no such folder, or a link leads there.
    """
    folder = open_folder(root, steps)
    try:
        with os.scandir(folder) as found:
            entries = list(islice(found, most))
        return sorted(each.name for each in entries if each.is_dir(follow_symlinks=False))
    finally:
        os.close(folder)


def snapshot(root: str, steps: tuple[str, ...]) -> Snapshot:
    """Read a folder.

    Raises:
        NoSnapshot: it holds something else than a few plain files.
    """
    reading = _Reading()
    try:
        reading.take(open_folder(root, steps), ())
    except OSError as error:
        raise NoSnapshot(f"it cannot be read: {error.strerror}") from None
    return Snapshot(dict(sorted(reading.files.items())))


class _Reading:
    """Goes through a folder, and stops where it is too much."""

    def __init__(self) -> None:
        self.files: dict[str, File] = {}
        self._left = MOST_BYTES

    def take(self, folder: int, above: tuple[str, ...]) -> None:
        """Read all of an open folder, and close it."""
        try:
            if len(above) > DEEPEST:
                raise NoSnapshot(f"its folders are nested deeper than {DEEPEST}")
            with os.scandir(folder) as found:
                entries = list(islice(found, MOST_FILES + 1))
            if len(entries) + len(self.files) > MOST_FILES:
                raise NoSnapshot(f"it holds more than {MOST_FILES} files")
            for entry in entries:
                steps = (*above, entry.name)
                if entry.is_dir(follow_symlinks=False):
                    self.take(open_by_steps(folder, (entry.name,)), steps)
                else:
                    self.files["/".join(steps)] = self._file(folder, entry.name)
        finally:
            os.close(folder)

    def _file(self, folder: int, name: str) -> File:
        try:
            file, status = open_plain(folder, name, os.O_RDONLY)
        except NotPlain as error:
            raise NoSnapshot(f"`{ascii(name)[1:-1]}` in it {error}") from None
        with open(file, "rb") as reader:
            data = reader.read(self._left + 1)
        self._left -= len(data)
        if self._left < 0:
            raise NoSnapshot(f"it holds more than {MOST_BYTES} bytes")
        return File(data, bool(status.st_mode & 0o111))
