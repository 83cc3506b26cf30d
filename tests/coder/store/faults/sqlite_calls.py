"""The system calls of SQLite, seen from Python: its own table of them is replaced entry by entry.

SQLite's system layer on Unix keeps its calls in a table that tests may change, so no compiler and
no other program is needed. What syncs a file is not in it, and what frees a lock may be called
while Python raises an exception, when no Python code can run. So syncing and taking a lock are
watched as methods of each file that is opened. The whole process is changed, so use one of its own.
"""

import ctypes
import os
import posix
import sqlite3
import time
from collections.abc import Callable
from ctypes import c_char_p, c_int, c_int64, c_size_t, c_ssize_t, c_uint32, c_void_p
from importlib import import_module
from typing import Any

from tests.coder.store.faults.listener import SHORT, Listener

_IOERR_FSYNC = 1034
_IOERR_LOCK = 3850
_HASTE = 100
_HOOKS = 18
_METHODS_WITHOUT_SHARED_MEMORY = 12
_SYNC, _LOCK = 5, 7

# A name is given as a plain address: SQLite keeps it, and has more behind it.
_Open = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, c_void_p)
_Method = ctypes.CFUNCTYPE(c_int, c_void_p, c_int, use_errno=True)
_Sleep = ctypes.CFUNCTYPE(c_int, c_void_p, c_int)
_Get = ctypes.CFUNCTYPE(c_void_p, c_void_p, c_char_p)
_Set = ctypes.CFUNCTYPE(c_int, c_void_p, c_char_p, c_void_p)

_PATH_CALLS: dict[str, tuple[Any, ...]] = {
    "open": (c_int, c_char_p, c_int, c_int),
    "access": (c_int, c_char_p, c_int),
    "stat": (c_int, c_char_p, c_void_p),
    "lstat": (c_int, c_char_p, c_void_p),
    "unlink": (c_int, c_char_p),
    "openDirectory": (c_int, c_char_p, c_void_p),
}
_FILE_CALLS: dict[str, tuple[Any, ...]] = {
    "close": (c_int, c_int),
    "fstat": (c_int, c_int, c_void_p),
    "ftruncate": (c_int, c_int, c_int64),
    "read": (c_ssize_t, c_int, c_void_p, c_size_t),
    "pread": (c_ssize_t, c_int, c_void_p, c_size_t, c_int64),
    "pread64": (c_ssize_t, c_int, c_void_p, c_size_t, c_int64),
    "write": (c_ssize_t, c_int, c_void_p, c_size_t),
    "pwrite": (c_ssize_t, c_int, c_void_p, c_size_t, c_int64),
    "pwrite64": (c_ssize_t, c_int, c_void_p, c_size_t, c_int64),
    "fchmod": (c_int, c_int, c_uint32),
    "fallocate": (c_int, c_int, c_int64, c_int64),
    # What it returns is an address; -1 is the failure here, too.
    "mmap": (c_ssize_t, c_void_p, c_size_t, c_int, c_int, c_int, c_int64),
}
_WRITES = ("write", "pwrite", "pwrite64")


# SQLite calls these until the process ends.
_KEPT: list[object] = []


class _Vfs(ctypes.Structure):
    """SQLite's description of a system layer, as in its header."""

    _fields_ = (
        ("version", c_int),
        ("size", c_int),
        ("longest", c_int),
        ("following", c_void_p),
        ("name", c_char_p),
        ("data", c_void_p),
        ("open", c_void_p),
        ("others", c_void_p * 8),
        ("sleep", c_void_p),
        ("further", c_void_p * 3),
        ("set_call", c_void_p),
        ("get_call", c_void_p),
        ("next_call", c_void_p),
    )


class SqliteCalls:
    """Puts a listener between SQLite and the system, for the rest of the process."""

    def __init__(self, listener: Listener) -> None:
        self.listener = listener
        self._paths: dict[int, str] = {}
        self._files: dict[int, str] = {}
        self._tables: dict[int, Any] = {}

    def install(self) -> bool:
        """Change the table; whether this SQLite lets itself be changed."""
        vfs = _system_layer()
        if vfs is None:
            return False
        address = ctypes.addressof(vfs)
        get, put = _Get(vfs.get_call), _Set(vfs.set_call)
        for name, signature in (_PATH_CALLS | _FILE_CALLS).items():
            pointer = get(address, name.encode())
            if pointer:
                kind = ctypes.CFUNCTYPE(*signature, use_errno=True)
                call = kind(self._hooked(name, kind(pointer)))
                _KEPT.append(call)
                put(address, name.encode(), ctypes.cast(call, c_void_p))
        opening = _Open(self._opening(_Open(vfs.open)))
        _KEPT.append(opening)
        vfs.open = ctypes.cast(opening, c_void_p).value
        sleeping = _Sleep(_slept)
        _KEPT.append(sleeping)
        vfs.sleep = ctypes.cast(sleeping, c_void_p).value
        return True

    def _hooked(self, name: str, real: Callable[..., int]) -> Callable[..., int]:
        after = getattr(self, f"_after_{name}", None)
        by_path = name in _PATH_CALLS
        writes = name in _WRITES

        def call(first: Any, *rest: Any) -> int:
            path = os.fsdecode(first) if by_path else self._paths.get(first, "")
            refusal = self.listener.refusal(name, path)
            if refusal == SHORT and writes:
                rest = (rest[0], rest[1] // 2, *rest[2:])
            elif refusal:
                if name == "close":
                    # The descriptor is gone also when closing it failed.
                    self._paths.pop(first, None)
                    real(first)
                ctypes.set_errno(refusal if refusal != SHORT else 5)
                return -1
            if writes:
                return self._written(real, first, path, rest)
            made = name == "open" and not _exists(path)
            found = real(first, *rest)
            if found >= 0 and after is not None:
                kept = ctypes.get_errno()
                after(path, first, rest, found, made)
                ctypes.set_errno(kept)
            return found

        return call

    def _written(self, real: Callable[..., int], fd: int, path: str, rest: Any) -> int:
        offset = rest[2] if len(rest) > 2 else os.lseek(fd, 0, os.SEEK_CUR)
        count = real(fd, *rest)
        if count > 0:
            self.listener.wrote(path, offset, ctypes.string_at(rest[0], count))
        return count

    def _after_open(self, path: str, first: object, rest: Any, found: int, made: bool) -> None:
        self._paths[found] = path
        if made:
            self.listener.made(path)

    def _after_close(self, path: str, first: int, *rest: object) -> None:
        # Another thread may have the number again, for another file.
        if self._paths.get(first) == path:
            del self._paths[first]

    def _after_ftruncate(self, path: str, first: int, rest: Any, *more: object) -> None:
        self.listener.resized(path, rest[0])

    def _after_unlink(self, path: str, *rest: object) -> None:
        self.listener.removed(path)

    def _after_openDirectory(self, path: str, *rest: object) -> None:
        # SQLite opens a folder for nothing but to sync it, at once.
        self.listener.folder_synced(os.path.dirname(path))

    def _opening(self, real: Callable[..., int]) -> Callable[..., int]:
        def opened(vfs: int, name: int | None, file: int, flags: int, out: int) -> int:
            code = real(vfs, name, file, flags, out)
            methods = c_void_p.from_address(file)
            if code == 0 and methods.value:
                self._files[file] = os.fsdecode(ctypes.string_at(name)) if name else ""
                methods.value = ctypes.addressof(self._table(methods.value))
            return code

        return opened

    def _table(self, address: int) -> Any:
        """A copy of the methods of a file, with our way to sync."""
        table = self._tables.get(address)
        if table is None:
            version = c_int.from_address(address).value
            count = _METHODS_WITHOUT_SHARED_MEMORY if version == 1 else _HOOKS
            # The version takes the place of a pointer.
            table = (c_void_p * (count + 1))()
            ctypes.memmove(table, address, ctypes.sizeof(table))
            for place, call, code in (
                (_SYNC, "fsync", _IOERR_FSYNC),
                (_LOCK, "lock", _IOERR_LOCK),
            ):
                method = _Method(self._method(_Method(table[place]), call, code))
                _KEPT.append(method)
                table[place] = ctypes.cast(method, c_void_p).value
            self._tables[address] = table
            _KEPT.append(table)
        return table

    def _method(self, real: Callable[..., int], call: str, code: int) -> Callable[..., int]:
        def called(file: int, argument: int) -> int:
            path = self._files.get(file, "")
            if self.listener.refusal(call, path):
                return code
            found = real(file, argument)
            if found == 0 and call == "fsync":
                self.listener.synced(path)
            return found

        return called


def _slept(vfs: int, microseconds: int) -> int:
    """Wait for locks in less time: SQLite counts its attempts, which take ten seconds in all."""
    time.sleep(microseconds / 1e6 / _HASTE)
    return microseconds


def _exists(path: str) -> bool:
    try:
        # Not through `os`, whose calls may be watched as well.
        posix.lstat(path)
    except OSError:
        return False
    return True


def _system_layer() -> Any:
    """SQLite's own description of its system layer, if it can be found and has a table."""
    module = import_module("_sqlite3")
    # A part of the interpreter itself has no file of its own.
    library = ctypes.CDLL(getattr(module, "__file__", None))
    try:
        library.sqlite3_vfs_find.restype = ctypes.POINTER(_Vfs)
        library.sqlite3_libversion.restype = c_char_p
        if library.sqlite3_libversion().decode() != sqlite3.sqlite_version:
            return None
        found = library.sqlite3_vfs_find(None)
    except AttributeError:
        return None
    if not found or found.contents.version < 3 or not found.contents.name.startswith(b"unix"):
        return None
    return found.contents
