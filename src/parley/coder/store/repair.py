"""Puts the store in order, step by step, and says what it did. Everything here blocks.

It holds the store alone. Each step is whole or has not happened, and doing all of them again does
no harm, so a repair can be killed at any moment. What was damaged is kept beside the store under a
name that says so.
"""

import errno
import os
import sqlite3
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from parley.coder.store import changing, rebuild, schema
from parley.coder.store.check import Checked, Fault, Progress, check, nobody
from parley.coder.store.database import FILE_NAME
from parley.coder.store.failure import SessionInUse, StoreFailed, failed
from parley.coder.store.leftovers import (
    Remain,
    exposed,
    is_store,
    misplaced,
    misplaced_logs,
    remains,
)
from parley.coder.store.lock import SessionLock, StoreLock
from parley.coder.store.side_folder import remove
from parley.coder.store.using import LOCK_NAME, LOCKS_FOLDER, users

# Others who only look at the store leave it within this time.
_PATIENCE = 1.0


def repair(
    folder: Path,
    say: Callable[[str], None],
    progress: Progress = nobody,
    *,
    mourn: Callable[[str], None] | None = None,
) -> Checked:
    """Repair what can be repaired. Says a line for each thing that was done.

    Lines that tell of a loss go to `mourn`, if there is one.

    Raises:
        StoreFailed: somebody uses the store, or a step failed. What was done before is complete.
    """
    try:
        return _Repair(folder, say, progress, mourn or say).run()
    except (sqlite3.Error, OSError) as error:
        raise failed(error, folder) from error


class _Repair:
    def __init__(
        self,
        folder: Path,
        say: Callable[[str], None],
        progress: Progress,
        mourn: Callable[[str], None],
    ) -> None:
        self._folder = folder
        self._path = folder / FILE_NAME
        self._say = say
        self._mourn = mourn
        self._progress = progress

    def run(self) -> Checked:
        if not os.path.lexists(self._folder):
            return Checked()
        if not self._folder.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        if self._folder.stat().st_uid != os.geteuid():
            raise PermissionError(1, "the folder belongs to another user")
        if os.access(self._folder, os.R_OK | os.X_OK) and not is_store(self._folder):
            # Somebody named another folder, and what is in it is none of our business.
            return Checked()
        # Without the right modes nothing else could be done.
        self._close_to_others()
        self._move(misplaced(self._folder))
        with self._alone():
            self._move(misplaced_logs(self._folder))
            self._free_locks()
            self._roll_back()
            found = self._checked()
            if found.faults:
                # A device that failed for a moment looks like damage; only damage stays.
                found = self._mended(self._checked())
            if not found.faults:
                self._merge_log()
                self._clear(found)
            self._close_to_others()
        return found

    def _close_to_others(self) -> None:
        for found in exposed(self._folder):
            found.path.chmod(found.wanted)
            self._say(f"{self._name(found.path)}: mode {found.mode:o} is now {found.wanted:o}")

    def _move(self, paths: Iterator[Path]) -> None:
        for path in paths:
            aside = rebuild.free_aside(path)
            path.rename(aside)
            self._say(f"{self._name(path)} cannot be what it should be; it is now `{aside}`")

    @contextmanager
    def _alone(self) -> Generator[None]:
        lock = StoreLock(self._folder / LOCK_NAME)
        try:
            if not lock.alone(_PATIENCE):
                raise _used("; ".join(user.text for user in users(self._folder)))
            try:
                yield
            finally:
                self._drop_empty_log()
        finally:
            lock.release()

    def _free_locks(self) -> None:
        """Remove locks of the dead. Somebody alive would hold the store as well."""
        for remain in self._remains("lock"):
            session_id = remain.path.stem
            try:
                SessionLock.take(self._folder / LOCKS_FOLDER, session_id).release()
            except SessionInUse as error:
                holder = "somebody" if error.pid is None else f"process {error.pid}"
                raise _used(f"{holder} has session `{session_id}` open") from None
            self._say(f"{self._name(remain.path)}: removed, its process is gone")

    def _roll_back(self) -> None:
        """Let SQLite take back what a process was killed in; a check may only read, and cannot."""
        if os.path.lexists(self._path) and os.path.lexists(f"{self._path}-journal"):
            # What is damaged is found by the check.
            with suppress(sqlite3.Error), closing(schema.connect(self._path)) as connection:
                connection.execute("SELECT * FROM sqlite_master").fetchone()

    def _mended(self, found: Checked) -> Checked:
        """Repair the file; what it is like afterwards."""
        for kind, mend in (("index", self._reindex), ("file", self._rebuild)):
            if any(fault.kind == kind for fault in found.faults):
                mend()
                found = self._checked()
        ends = [fault for fault in found.faults if fault.kind == "session"]
        if ends:
            with self._connection() as connection:
                for fault in ends:
                    self._set_aside(connection, fault)
            found = self._checked()
        return found

    def _checked(self) -> Checked:
        return check(self._path, progress=self._progress)

    def _reindex(self) -> None:
        try:
            with self._connection() as connection:
                connection.execute("REINDEX")
        except sqlite3.IntegrityError:
            # The table itself has what must not be there twice, so a rebuild is needed.
            rebuild.demand(self._path)
        else:
            self._say(f"{FILE_NAME}: its indexes are made anew")

    def _rebuild(self) -> None:
        done = rebuild.rebuild(self._path)
        if done is None:
            self._say(f"{FILE_NAME}: a repair that was interrupted is finished")
            return
        aside = f"; the damaged file is `{done.aside}`" if os.path.lexists(done.aside) else ""
        tell = self._say if done.kept.whole else self._mourn
        tell(f"{FILE_NAME}: made anew; {done.kept.text}{aside}")
        for session_id, loss in done.kept.losses.items():
            self._mourn(f"session `{session_id}`: {loss}")

    def _set_aside(self, connection: sqlite3.Connection, fault: Fault) -> None:
        connection.execute("BEGIN IMMEDIATE")
        try:
            changing.set_aside(connection, fault.key, fault.kept)
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        self._mourn(
            f"session `{fault.session_id}`: {fault.text}; {fault.kept} records before it are kept, "
            "the others are set aside"
        )

    def _merge_log(self) -> None:
        """Put what waits in the log of changes into the file, and let go of the log."""
        log = self._path.with_name(f"{FILE_NAME}-wal")
        if not os.path.lexists(self._path) or not os.path.lexists(log):
            return
        size = log.lstat().st_size
        with self._connection():
            pass
        if size and not os.path.lexists(log):
            self._say(f"{FILE_NAME}: the log of the last changes ({size} bytes) is part of it now")

    def _drop_empty_log(self) -> None:
        """Remove what reading leaves behind."""
        log, index = (self._path.with_name(f"{FILE_NAME}{each}") for each in ("-wal", "-shm"))
        with suppress(OSError):
            if log.lstat().st_size == 0:
                log.unlink()
                index.unlink(missing_ok=True)

    def _clear(self, found: Checked) -> None:
        """Remove what nobody needs any more."""
        for remain in self._remains("temporary"):
            remain.path.unlink(missing_ok=True)
            self._say(f"{self._name(remain.path)}: removed, it was left by an interrupted process")
        if any(self._remains("damaged")):
            # A session that is not in the store may be in the damaged file.
            return
        for remain in self._remains("undo", found.ids):
            remove(remain.path)
            done = "could not be removed" if os.path.lexists(remain.path) else "removed"
            self._say(f"{self._name(remain.path)}: {done}, its session is gone")

    def _remains(self, kind: str, ids: frozenset[str] | None = None) -> Iterator[Remain]:
        return (each for each in tuple(remains(self._folder, ids)) if each.kind == kind)

    @contextmanager
    def _connection(self) -> Generator[sqlite3.Connection]:
        with closing(schema.connect(self._path)) as connection:
            schema.set_up(connection)
            yield connection

    def _name(self, path: Path) -> str:
        return str(path if path == self._folder else path.relative_to(self._folder))


def _used(by: str) -> StoreFailed:
    who = by or "another process has it open"
    return StoreFailed(
        f"The session store is in use: {who}\nhint: close it there, then repair again", "busy"
    )
