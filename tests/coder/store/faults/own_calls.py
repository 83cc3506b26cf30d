"""The system calls of the store's own code: the functions of `os` that it uses, replaced.

Only calls about one folder are seen, by its path or by a descriptor of something in it.
"""

import errno
import fcntl
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.coder.store.faults.listener import SHORT, Listener

_OF_FILES = ("open", "close", "write", "pwrite", "pread", "read", "fsync", "fdatasync", "ftruncate")
_OF_NAMES = (
    "rename",
    "replace",
    "unlink",
    "remove",
    "mkdir",
    "rmdir",
    "listdir",
    "scandir",
    "link",
)
_OF_FACTS = ("stat", "lstat", "chmod", "fchmod")
_WATCHED = ((os, (*_OF_FILES, *_OF_NAMES, *_OF_FACTS)), (fcntl, ("flock",)))
_MAKING = os.O_CREAT | os.O_TRUNC


class OwnCalls:
    """Puts a listener between the code of the store and the system."""

    def __init__(self, listener: Listener, folder: Path) -> None:
        self.listener = listener
        self._folder = str(folder)
        self._paths: dict[int, str] = {}

    @contextmanager
    def installed(self) -> Generator[None]:
        replaced = [
            (module, name, getattr(module, name)) for module, names in _WATCHED for name in names
        ]
        for module, name, real in replaced:
            setattr(module, name, self._watched(name, real))
        try:
            yield
        finally:
            for module, name, real in replaced:
                setattr(module, name, real)

    def _watched(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        after = getattr(self, f"_after_{name}", None)

        def call(*given: Any, **named: Any) -> Any:
            path = self._path(given[0] if given else named.get("path", ""))
            if path is None:
                return real(*given, **named)
            refusal = self.listener.refusal(name, path)
            if refusal == SHORT and name in ("write", "pwrite"):
                given = (given[0], bytes(given[1])[: len(given[1]) // 2], *given[2:])
            elif refusal:
                if name == "close":
                    # The descriptor is gone also when closing it failed.
                    self._paths.pop(given[0], None)
                    real(*given)
                number = refusal if refusal != SHORT else errno.EIO
                raise OSError(number, os.strerror(number), path)
            if after is None:
                return real(*given, **named)
            return after(real, path, given, named)

        return call

    def _path(self, first: Any) -> str | None:
        if isinstance(first, int):
            return self._paths.get(first)
        path = os.path.abspath(os.fsdecode(first))
        return path if path.startswith(self._folder) else None

    def _after_open(self, real: Any, path: str, given: Any, named: Any) -> int:
        flags = given[1]
        new = flags & os.O_TRUNC or (flags & os.O_CREAT and not _exists(path))
        found = real(*given, **named)
        self._paths[found] = path
        if new and flags & _MAKING:
            self.listener.made(path)
        return found

    def _after_close(self, real: Any, path: str, given: Any, named: Any) -> None:
        self._paths.pop(given[0], None)
        real(*given)

    def _after_mkdir(self, real: Any, path: str, given: Any, named: Any) -> None:
        real(*given, **named)
        self.listener.folder_made(path)

    def _after_write(self, real: Any, path: str, given: Any, named: Any) -> int:
        offset = os.lseek(given[0], 0, os.SEEK_CUR)
        count = real(*given)
        self.listener.wrote(path, offset, bytes(given[1])[:count])
        return count

    def _after_pwrite(self, real: Any, path: str, given: Any, named: Any) -> int:
        count = real(*given)
        self.listener.wrote(path, given[2], bytes(given[1])[:count])
        return count

    def _after_ftruncate(self, real: Any, path: str, given: Any, named: Any) -> None:
        real(*given)
        self.listener.resized(path, given[1])

    def _after_fsync(self, real: Any, path: str, given: Any, named: Any) -> None:
        real(*given)
        if os.path.isdir(path):
            self.listener.folder_synced(path)
        else:
            self.listener.synced(path)

    _after_fdatasync = _after_fsync

    def _after_unlink(self, real: Any, path: str, given: Any, named: Any) -> None:
        real(*given, **named)
        self.listener.removed(path)

    _after_remove = _after_unlink

    def _after_rename(self, real: Any, path: str, given: Any, named: Any) -> None:
        real(*given, **named)
        self.listener.renamed(path, os.path.abspath(os.fsdecode(given[1])))

    _after_replace = _after_rename

    def _after_link(self, real: Any, path: str, given: Any, named: Any) -> None:
        real(*given, **named)
        self.listener.linked(path, os.path.abspath(os.fsdecode(given[1])))


def _exists(path: str) -> bool:
    return os.access(path, os.F_OK, follow_symlinks=False)
