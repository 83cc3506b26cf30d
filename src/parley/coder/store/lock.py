"""Locks that the kernel holds: one per open session, and one for the store as a whole.

A lock dies with its holder, so there is nothing stale to clean up. The number of the holder is
written into the file for messages only; nothing is decided by it.
"""

import fcntl
import os
import time
from contextlib import ExitStack, suppress
from pathlib import Path

from parley.coder.store.failure import SessionInUse

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_PAUSE = 0.01
_PID_BYTES = 20


class SessionLock:
    """The right to write one session."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor: int | None = descriptor

    @classmethod
    def take(cls, folder: Path, session_id: str) -> "SessionLock":
        """Take the lock at once.

        Raises:
            SessionInUse: somebody holds it.
        """
        path = folder / f"{session_id}.lock"
        while True:
            with ExitStack() as undo:
                descriptor = _opened(path)
                undo.callback(_close, descriptor)
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    raise SessionInUse(session_id, _holder(descriptor)) from None
                # Else the last holder removed the file between our opening it and our locking it.
                if _is_at(path, descriptor):
                    undo.pop_all()
                    break
        # The number is for messages only, so a full disk does not keep the session from its owner.
        with suppress(OSError):
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, b"%d" % os.getpid(), 0)
        return cls(path, descriptor)

    def release(self) -> None:
        """Free the lock and remove its file, in this order nobody can be misled by it."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is None:
            return
        with suppress(OSError):
            if _is_at(self._path, descriptor):
                self._path.unlink()
        _close(descriptor)


class StoreLock:
    """Shared by all who use the store; alone when its file is replaced."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def share(self, patience: float) -> bool:
        """Hold it together with others; whether that worked in time."""
        return self._take(fcntl.LOCK_SH, patience)

    def alone(self, patience: float) -> bool:
        """Hold it alone; whether that worked in time. If not, it is shared as before."""
        if self._take(fcntl.LOCK_EX, patience):
            return True
        # Asking for more may have given up what was held.
        self._take(fcntl.LOCK_SH, patience)
        return False

    def release(self) -> None:
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            _close(descriptor)

    def _take(self, kind: int, patience: float) -> bool:
        if self._descriptor is None:
            self._descriptor = _opened(self._path)
        deadline = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(self._descriptor, kind | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    return False
                time.sleep(_PAUSE)
            else:
                return True


def _opened(path: Path) -> int:
    descriptor = os.open(path, _FLAGS, 0o600)
    try:
        # The umask may have taken away what we need ourselves.
        os.fchmod(descriptor, 0o600)
    except OSError:
        _close(descriptor)
        raise
    return descriptor


def _close(descriptor: int) -> None:
    # The lock is free and the descriptor gone whatever the system says about it.
    with suppress(OSError):
        os.close(descriptor)


def _is_at(path: Path, descriptor: int) -> bool:
    try:
        found = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return os.path.samestat(found, os.fstat(descriptor))


def _holder(descriptor: int) -> int | None:
    try:
        written = os.pread(descriptor, _PID_BYTES, 0)
    except OSError:
        return None
    return int(written) if written.isdigit() else None
