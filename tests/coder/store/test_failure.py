"""What errors of SQLite and of the system are called."""

import errno
import os
import sqlite3
from pathlib import Path

import pytest

from parley.coder.store.failure import (
    Cause,
    Damaged,
    SessionInUse,
    StoreFailed,
    cause_of,
    failed,
    is_lost,
)
from parley.errors import InternalError, InvalidRequest


@pytest.mark.parametrize(
    ("number", "cause"),
    [
        (errno.ENOSPC, "full"),
        (errno.EDQUOT, "full"),
        (errno.EACCES, "denied"),
        (errno.EROFS, "denied"),
        (errno.EIO, "io"),
    ],
)
def test_an_error_of_the_system_has_a_cause(number: int, cause: Cause) -> None:
    assert cause_of(OSError(number, os.strerror(number))) == cause


def test_the_extended_code_of_an_error_does_not_matter() -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_READONLY_DBMOVED
    assert cause_of(error) == "denied"


def test_a_log_whose_index_cannot_grow_means_that_the_disk_is_full() -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
    assert cause_of(error) == "full"


def test_an_error_without_a_code_is_one_of_the_device() -> None:
    assert cause_of(sqlite3.ProgrammingError("closed")) == "io"
    assert cause_of(Damaged("layout -1")) == "damaged"


def test_a_full_disk_is_named_with_what_to_do() -> None:
    failure = failed(OSError(errno.ENOSPC, "No space left on device"), Path("/data"))
    assert isinstance(failure, InternalError)
    assert failure.data == {"reason": "store_failed", "cause": "full"}
    assert "ENOSPC" in failure.message
    assert "hint: free space under `/data`" in failure.message


def test_who_holds_a_session_is_said_as_far_as_it_is_known() -> None:
    assert "process 1;" in SessionInUse("s", 1).message
    assert "another process" in SessionInUse("s", None).message
    assert "this process" in SessionInUse("s", os.getpid()).message
    assert isinstance(SessionInUse("s", 1), InvalidRequest)
    assert StoreFailed("gone", "gone").code == -32603


@pytest.mark.parametrize(
    ("code", "lost"),
    [
        (None, True),
        (sqlite3.SQLITE_CORRUPT, True),
        (sqlite3.SQLITE_IOERR_SHORT_READ, True),
        (sqlite3.SQLITE_IOERR_SHMSIZE, False),
        (sqlite3.SQLITE_FULL, False),
        (sqlite3.SQLITE_CANTOPEN, False),
    ],
)
def test_only_what_no_other_time_can_read_is_lost(code: int | None, lost: bool) -> None:
    error = sqlite3.OperationalError("x")
    if code is not None:
        error.sqlite_errorcode = code
    assert is_lost(error) is lost
