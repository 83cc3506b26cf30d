"""What the store refuses, by name, and what an error of SQLite or the system means for a person."""

import errno
import os
import sqlite3
from pathlib import Path
from typing import Literal

from parley.errors import InternalError, InvalidRequest

Cause = Literal["full", "io", "busy", "damaged", "newer", "denied", "gone", "closed"]

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_DENIED = (errno.EACCES, errno.EPERM, errno.EROFS)
# Only the low byte of an extended code of SQLite says what went wrong.
_CAUSES: dict[int, Cause] = {
    sqlite3.SQLITE_FULL: "full",
    sqlite3.SQLITE_BUSY: "busy",
    sqlite3.SQLITE_LOCKED: "busy",
    sqlite3.SQLITE_CORRUPT: "damaged",
    sqlite3.SQLITE_NOTADB: "damaged",
    # Our statements are right, so a table that they miss was lost.
    sqlite3.SQLITE_ERROR: "damaged",
    sqlite3.SQLITE_READONLY: "denied",
    sqlite3.SQLITE_PERM: "denied",
    sqlite3.SQLITE_AUTH: "denied",
    sqlite3.SQLITE_CANTOPEN: "denied",
}
# Sectors that a disk does not give back any more. What else fails may work the next time.
_LOST_SECTORS = (
    sqlite3.SQLITE_IOERR_READ,
    sqlite3.SQLITE_IOERR_SHORT_READ,
    sqlite3.SQLITE_IOERR_CORRUPTFS,
)
_TEXTS: dict[Cause, str] = {
    "full": "no space left on the device (ENOSPC)\nhint: free space under `{where}`; then go on",
    "io": "the system cannot read or write it\nhint: check the disk under `{where}`",
    "busy": "another process keeps it busy\nhint: try again, or end a stopped parley",
    "damaged": "the file is damaged\nhint: close every parley that uses `{where}`, then run"
    " `parley doctor --repair`",
    "denied": "it may not be written\nhint: check owner and permissions of `{where}`",
}


class StoreFailed(InternalError):
    """Nothing can be stored or read now; what was stored before is not touched."""

    def __init__(self, text: str, cause: Cause) -> None:
        super().__init__(text, {"reason": "store_failed", "cause": cause})
        self.cause: Cause = cause


class SessionInUse(InvalidRequest):
    """The session is open already, here or in another process."""

    def __init__(self, session_id: str, pid: int | None) -> None:
        holder = "another process" if pid is None else f"process {pid}"
        if pid == os.getpid():
            holder = "this process"
        super().__init__(
            f"Session `{session_id}` is in use by {holder}; close it there first",
            {"reason": "session_in_use", "pid": pid},
        )
        self.pid = pid


class Damaged(sqlite3.DatabaseError):
    """The file says something that no version of this program writes."""

    sqlite_errorcode = sqlite3.SQLITE_CORRUPT


def cause_of(error: sqlite3.Error | OSError) -> Cause:
    """Which of the known ways to fail an error is; what nobody knows counts as a bad device."""
    if isinstance(error, OSError):
        if error.errno in _FULL:
            return "full"
        return "denied" if error.errno in _DENIED else "io"
    # Python itself raises some of these errors, and those have no code.
    code = getattr(error, "sqlite_errorcode", None)
    if code == sqlite3.SQLITE_IOERR_SHMSIZE:
        # The index of the log of changes could not grow.
        return "full"
    return "io" if code is None else _CAUSES.get(code & 0xFF, "io")


def is_lost(error: sqlite3.Error) -> bool:
    """Whether what was to be read cannot be read at any other time, either."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is None or code in _LOST_SECTORS or cause_of(error) == "damaged"


def failed(error: sqlite3.Error | OSError, where: Path) -> StoreFailed:
    """The error as a person reads it. Neither SQL nor anything stored is in it."""
    cause = cause_of(error)
    return StoreFailed(
        f"The session store failed: {_TEXTS[cause].format(where=where)} [{error}]", cause
    )
