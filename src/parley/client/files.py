"""Files of this machine for agents of version 1, within the roots, unsaved texts first.

Nothing here knows the protocol: it is a `Files` for `parley.Client(files=...)`.
"""

import asyncio
import errno
import os
import secrets
import stat
from collections.abc import Generator, Iterable, MutableMapping
from contextlib import contextmanager, suppress
from io import StringIO
from itertools import islice

from parley.client.roots import Path, Place, Roots, parent_of, shown
from parley.errors import InternalError, InvalidParams, MethodNotFound, ResourceNotFound

MOST_BYTES = 32 * 1024 * 1024
"""The largest file that is read; a message must have room for it."""

# A file that is a link by now is refused, and one that waits for a peer is not waited for.
_SAFELY = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
# What the system says about a file that is none of ours to read or write, in our words.
_REFUSALS = {
    errno.ELOOP: "is a link that leads nowhere",
    errno.EMLINK: "is a link that leads nowhere",
    errno.ENXIO: "is not a file",
    errno.EISDIR: "is not a file",
    errno.EFBIG: "is too large",
}


class LocalFiles:
    """Reads and writes text files beneath the roots.

    `overlays` holds texts that are not saved yet, by path. They win over the disk, also where
    there is no file yet, and what an agent writes replaces them.
    """

    can_read = True

    def __init__(
        self,
        roots: Roots | Iterable[Path],
        *,
        overlays: MutableMapping[str, str] | None = None,
        can_write: bool = True,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self.roots = Roots.of(roots)
        self.can_write = can_write
        self._overlays: MutableMapping[str, str] = {} if overlays is None else overlays
        self._most_bytes = most_bytes
        # One at a time, so that the disk and the overlay end with the same text.
        self._writing = asyncio.Lock()

    async def read(
        self, session_id: str, path: str, *, line: int | None = None, limit: int | None = None
    ) -> str:
        """The text of a file, unchanged (V1-FS-09), or some of its lines.

        Raises:
            ResourceNotFound: there is no such file (V1-FS-07).
            InvalidParams: it is outside the roots, or no text file.
            InternalError: the system refuses.
        """
        place = self.roots.place(session_id, path)
        key = self._overlay(path, place)
        if key is not None:  # V1-FS-03
            return _lines(self._overlays[key], line, limit)
        with _explained(path):
            data = await asyncio.to_thread(_read, place, self._most_bytes)
        try:
            return _lines(data.decode(), line, limit)
        except UnicodeDecodeError:
            raise _refused(path, "is not text in UTF-8") from None

    async def write(self, session_id: str, path: str, content: str) -> None:
        """Replace a file at once and whole, or make it and its directories (V1-FS-04).

        Raises:
            InvalidParams: it is outside the roots, or no file.
            InternalError: the system refuses.
        """
        if not self.can_write:
            raise MethodNotFound("Method not found: these files are not written")
        place = self.roots.place(session_id, path)
        try:
            data = content.encode()
        except UnicodeEncodeError:
            raise InvalidParams("Invalid params: no text", {"path": "content"}) from None
        async with self._writing:
            with _explained(path):
                await asyncio.to_thread(_write, place, data)
            key = self._overlay(path, place)
            if key is not None:
                self._overlays[key] = content

    def _overlay(self, path: str, place: Place) -> str | None:
        """The overlay of a file, by whichever path the editor opened it."""
        if path in self._overlays:
            return path
        real = place.path
        return next((key for key in self._overlays if os.path.realpath(key) == real), None)


def _lines(text: str, line: int | None, limit: int | None) -> str:
    """Lines from the first one on, which is 1 (V1-FS-02). They end with a line feed only."""
    if line is None and limit is None:
        return text
    first = max(line or 1, 1) - 1
    last = None if limit is None else first + max(limit, 0)
    return "".join(islice(StringIO(text, newline="\n"), first, last))


def _read(place: Place, most: int) -> bytes:
    with parent_of(place) as (folder, name):
        fd = os.open(name, os.O_RDONLY | _SAFELY, dir_fd=folder)
        with os.fdopen(fd, "rb") as file:
            _check_regular(os.fstat(fd))
            data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return data


def _write(place: Place, data: bytes) -> None:
    """Write beside the file and change places, so that nobody sees half of it.

    A file with several names gets a place of its own: what has its other names stays as it is.
    """
    with parent_of(place, make=True) as (folder, name):
        before = _status(folder, name)
        beside = f".parley-{secrets.token_hex(8)}"
        with _removed_after_failure(beside, folder):
            with os.fdopen(os.open(beside, _NEW, 0o666, dir_fd=folder), "wb") as file:
                if before is not None:
                    # Only the superuser gives files away; for others the owner is the same.
                    with suppress(PermissionError):
                        os.fchown(file.fileno(), before.st_uid, before.st_gid)
                    os.fchmod(file.fileno(), stat.S_IMODE(before.st_mode))
                file.write(data)
            os.replace(beside, name, src_dir_fd=folder, dst_dir_fd=folder)


def _status(folder: int, name: str) -> os.stat_result | None:
    """The status of a file that may be written; `None` if there is no file yet."""
    try:
        fd = os.open(name, os.O_WRONLY | _SAFELY, dir_fd=folder)
    except FileNotFoundError:
        return None
    try:
        status = os.fstat(fd)
    finally:
        os.close(fd)
    _check_regular(status)
    return status


def _check_regular(status: os.stat_result) -> None:
    """Refuse what only looks like a file: directories, pipes, devices."""
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))


@contextmanager
def _removed_after_failure(name: str, folder: int) -> Generator[None]:
    try:
        yield
    except OSError:
        with suppress(OSError):
            os.unlink(name, dir_fd=folder)
        raise


@contextmanager
def _explained(path: str) -> Generator[None]:
    """What the system says, as an error for the agent; it names the path that was asked for."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError):
        raise ResourceNotFound(f"Resource not found: `{shown(path)}`", {"path": "path"}) from None
    except OSError as error:
        why = _REFUSALS.get(error.errno or 0)
        if why is not None:
            raise _refused(path, why) from None
        raise InternalError(f"Internal error: `{shown(path)}`: {error.strerror}") from None


def _refused(path: str, why: str) -> InvalidParams:
    return InvalidParams(f"Invalid params: `{shown(path)}` {why}", {"path": "path"})
