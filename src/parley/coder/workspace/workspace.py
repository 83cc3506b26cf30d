"""The files of a session: what may be reached, and how it is read and written.

Every path goes through `place` first. What it returns lies inside the roots with all symbolic
links resolved; opening it again refuses links, so that nobody can swap one in between.
"""

import asyncio
import errno
import os
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from parley.coder.errors import ToolError
from parley.coder.sandbox.box import Box
from parley.coder.workspace import local
from parley.coder.workspace.aside import aside
from parley.coder.workspace.beneath import NotPlain, Place, open_folder
from parley.coder.workspace.local import Status
from parley.coder.workspace.text import (
    FileText,
    decoded,
    encoded,
    fingerprint,
    opened,
    restored,
)
from parley.errors import AcpError, MethodNotFound, ResourceNotFound
from parley.session.role import Files, Terminals

MOST_BYTES = 32 * 1024 * 1024
"""The largest file that is read or written as text."""

_LONGEST_PATH = 4096
_PLAIN_TEXT = FileText("")
# What the system says, in words for a model.
_REFUSALS = {
    errno.ELOOP: "is a symbolic link that cannot be followed",
    errno.EMLINK: "is a symbolic link that cannot be followed",
    errno.EXDEV: "leads out of the workspace",
    errno.EISDIR: "is a folder, not a file",
    errno.ENOTDIR: "lies below something that is not a folder",
    errno.EEXIST: "exists already; read it first",
    errno.EFBIG: "is too large to read as a whole; use `grep`, or `bash` with `sed -n` or `head`",
    errno.ENXIO: "is not a regular file",
    errno.EACCES: "may not be accessed: the system denies permission",
    errno.EPERM: "may not be changed: the system denies permission",
    errno.ENAMETOOLONG: "is too long for a file name",
    errno.ENOSPC: "cannot be written: the disk is full",
}


Confine = Callable[[bool], Awaitable[Box | None]]
"""What a command starts in; the flag keeps protected paths from being written as far as it can."""


class FileMissing(ToolError):
    """There is no such file."""


class Workspace:
    """The only door to files. Where the client offers its own view of them, that is used."""

    def __init__(
        self,
        roots: tuple[str, ...],
        *,
        session_id: str = "",
        files: Files | None = None,
        terminals: Terminals | None = None,
        confine: Confine | None = None,
    ) -> None:
        self.roots = tuple(map(os.path.realpath, roots))
        """The first one is the folder the session works in. Real: a link is resolved once."""
        self.session_id = session_id
        self.files = files
        self.terminals = terminals
        self.confine = confine or _unconfined
        self._given = roots

    def place(self, path: str) -> Place:
        """Where a path really leads; it counts from the folder the session works in.

        Raises:
            ToolError: it leads out of the workspace, or it is no path at all.
        """
        if "\0" in path:
            raise ToolError("a path cannot contain a NUL character")
        if len(path) > _LONGEST_PATH:
            raise ToolError(f"a path cannot have more than {_LONGEST_PATH} characters")
        asked = os.path.join(self.roots[0], path)
        real = self._real(asked)
        for root, given in zip(self.roots, self._given, strict=True):
            if real is not None and is_beneath(real, root):
                inner = real[len(root) :].strip(os.sep)
                outer = os.path.join(given, inner) if inner else given
                return Place(real, root, self.shown(real), outer)
        leads = f" leads to `{real}`, which" if real not in (None, asked) else ""
        raise ToolError(
            f"`{path}`{leads} is outside the workspace; "
            f"use a path below {' or '.join(f'`{root}`' for root in self.roots)}"
        )

    def shown(self, path: str) -> str:
        """A path as it is shown: relative to the session's folder where it lies in it."""
        home = self.roots[0]
        if not is_beneath(path, home):
            return path
        return path[len(home) :].strip(os.sep) or os.curdir

    def status(self, place: Place) -> Status | None:
        """What lies at a place on this machine; `None` if nothing does.

        Raises:
            ToolError: it cannot be told, or it is a file with other names.
        """
        with _explained(place):
            return local.status_of(place)

    @contextmanager
    def folder(self, place: Place) -> Generator[int]:
        """A descriptor of a folder, for programs that work in it.

        Raises:
            ToolError: there is no such folder.
        """
        with _explained(place):
            folder = open_folder(place.root, place.steps)
        try:
            yield folder
        finally:
            os.close(folder)

    def open(self, place: Place) -> BinaryIO:
        """A file of this machine, opened for reading, for programs that read it.

        Raises:
            ToolError: it cannot be read.
        """
        with _explained(place):
            return local.opened(place)

    async def read_bytes(self, place: Place, limit: int = MOST_BYTES) -> bytes:
        """The bytes of a file on this machine.

        Raises:
            FileMissing: there is no such file.
            ToolError: it cannot be read, or it is larger than the limit.
        """
        status = self.status(place)
        with _explained(place):
            return await aside(status.size if status else 0, local.read, place, limit)

    def head(self, place: Place, size: int) -> bytes:
        """The first bytes of a file on this machine; nothing if there is no such file.

        Raises:
            ToolError: it cannot be read.
        """
        with suppress(FileMissing), self.open(place) as file:
            return file.read(size)
        return b""

    async def read_text(self, place: Place) -> FileText:
        """A text file as the client sees it, unsaved changes included, or else as it is stored.

        Raises:
            FileMissing: there is no such file.
            ToolError: it cannot be read, or it is no text.
        """
        if self.files is not None and self.files.can_read:
            seen = await self._read_from(self.files, place)
            if seen is not None:
                return seen
        data = await self.read_bytes(place)
        text = await aside(len(data), decoded, data)
        if text is None:
            raise ToolError(f"`{place.relative}` is a binary file, not text")
        return text

    async def write_text(
        self, place: Place, text: str, like: FileText | None = None, *, new: bool = False
    ) -> FileText:
        """Replace a file as a whole or make it, with the encoding and line ends of `like`.

        With `new` there must be no such file. Returns what was written.

        Raises:
            ToolError: it cannot be written; the old file is untouched then.
        """
        kept = like or _PLAIN_TEXT
        raw = restored(text, kept)
        if self.files is not None and self.files.can_write:
            await self._write_to(self.files, place, raw, new=new)
        else:
            with _explained(place):
                data = _bytes(text, kept, place)
                await asyncio.to_thread(local.write, place, data, new=new)
        mixed = raw if kept.mixed else ""
        unmarked = raw[1:] if kept.bom else raw
        return FileText(text, kept.newline, kept.encoding, kept.bom, fingerprint(unmarked), mixed)

    async def _read_from(self, files: Files, place: Place) -> FileText | None:
        """What the client sees; `None` if it does not know the file."""
        # A pipe or a file with other names must not be opened by the client either.
        self._check_file(place)
        try:
            raw = await files.read(self.session_id, place.outer or place.path)
        except (ResourceNotFound, MethodNotFound):
            return None
        except AcpError as error:
            raise ToolError(f"the editor cannot read `{place.relative}`: {error}") from error
        return await aside(len(raw), opened, raw)

    async def _write_to(self, files: Files, place: Place, raw: str, *, new: bool) -> None:
        self._check_file(place)
        if new and self.status(place) is not None:
            raise ToolError(f"`{place.relative}` {_REFUSALS[errno.EEXIST]}")
        try:
            await files.write(self.session_id, place.outer or place.path, raw)
        except AcpError as error:
            raise ToolError(f"the editor cannot write `{place.relative}`: {error}") from error

    def _check_file(self, place: Place) -> None:
        status = self.status(place)
        if status is not None and status.kind != "file":
            raise ToolError(f"`{place.relative}` is not a regular file")

    def _real(self, path: str) -> str | None:
        """Where a path leads; `None` where it cannot be told."""
        # Links below `/proc` lead wherever a process is, not where they say.
        if is_beneath(os.path.normpath(path), "/proc") and not is_beneath(self.roots[0], "/proc"):
            return None
        try:
            return os.path.realpath(path)
        except (OSError, ValueError):
            return None


async def _unconfined(protected: bool) -> None:
    return None


def is_beneath(path: str, root: str) -> bool:
    """Whether an absolute path is a folder or lies in it, by whole components."""
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def real_path(path: str) -> str:
    """Where a path leads, for whoever judges it.

    Raises:
        ToolError: it cannot be told, for instance while somebody exchanges a link for a folder.
    """
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        raise ToolError(f"it cannot be told where `{path}` leads; try again") from None


def _bytes(text: str, like: FileText, place: Place) -> bytes:
    try:
        return encoded(text, like)
    except UnicodeEncodeError as error:
        raise ToolError(
            f"`{place.relative}` is stored as {like.encoding}, which has no character "
            f"`{error.object[error.start]}`; use other characters"
        ) from error


@contextmanager
def _explained(place: Place) -> Generator[None]:
    """What the system says, as an error for the model."""
    try:
        yield
    except FileNotFoundError:
        raise FileMissing(f"`{place.relative}` does not exist") from None
    except NotPlain as error:
        raise ToolError(f"`{place.relative}` {error}") from None
    except OSError as error:
        why = _REFUSALS.get(error.errno or 0) or f"cannot be used: {error.strerror}"
        raise ToolError(f"`{place.relative}` {why}") from None
