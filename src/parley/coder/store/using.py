"""Who has the store open, as far as that can be told. For messages; no lock is given by it."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from parley.coder.store.lock import StoreLock

LOCK_NAME = "store.lock"
LOCKS_FOLDER = "locks"

_PID_BYTES = 20
_KERNEL_TABLE = Path("/proc/locks")
# A line of that table: number, kind, manner, mode, process, device and inode, first and last byte.
_KIND, _PROCESS, _INODE, _LEAST = 1, 4, 5, 6


class User(Struct, frozen=True):
    """A process that uses the store."""

    pid: int
    session_id: str = ""
    """A session that it has open; empty if it only has the store open."""

    @property
    def text(self) -> str:
        what = f"session `{self.session_id}`" if self.session_id else "the store"
        return f"process {self.pid} has {what} open"


def is_used(folder: Path) -> bool:
    """Whether somebody has the store open at this moment."""
    lock = StoreLock(folder / LOCK_NAME)
    try:
        return (folder / LOCK_NAME).is_file() and not lock.alone(0)
    except OSError:
        return False
    finally:
        lock.release()


def users(folder: Path) -> tuple[User, ...]:
    """Those who live and have written their number down, and those whom the kernel names."""
    found = [
        User(pid, path.stem)
        for path in sorted((folder / LOCKS_FOLDER).glob("*.lock"))
        if (pid := _written(path)) is not None and _lives(pid)
    ]
    known = {user.pid for user in found}
    return (*found, *(User(pid) for pid in _sharing(folder / LOCK_NAME) if pid not in known))


def _written(path: Path) -> int | None:
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return None
        with path.open("rb") as file:
            word = file.read(_PID_BYTES)
    except OSError:
        return None
    return int(word) if word.isdigit() else None


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return pid > 0


def _sharing(lock: Path) -> Iterator[int]:
    """The processes that hold a lock, where the kernel tells."""
    try:
        inode = lock.lstat().st_ino
        lines = _KERNEL_TABLE.read_text().splitlines()
    except (OSError, UnicodeDecodeError):
        return
    for words in map(str.split, lines):
        if len(words) < _LEAST or words[_KIND] != "FLOCK" or not words[_PROCESS].isdigit():
            continue
        pid = int(words[_PROCESS])
        if words[_INODE].endswith(f":{inode}") and pid != os.getpid() and _lives(pid):
            yield pid
