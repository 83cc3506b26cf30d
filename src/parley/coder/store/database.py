"""The file of the store: opened privately, watched, and replaced when it is damaged.

One thread owns the connection that writes. Readers get connections of their own. No descriptor of
the file itself is ever opened here beside SQLite's: closing one would drop SQLite's locks on it.
"""

import os
import sqlite3
import stat
import time
from collections import deque
from contextlib import ExitStack, suppress
from pathlib import Path

from parley.coder.private_folder import make_private
from parley.coder.store import rebuild, schema
from parley.coder.store.failure import Damaged, StoreFailed, cause_of, failed
from parley.coder.store.lock import StoreLock

FILE_NAME = "sessions.db"

_PAUSE = 0.01
# How long an opening waits while another process replaces the file.
_PATIENCE = 10.0
_LOOKS = 2
# A file that is damaged again and again lies on a bad disk; moving it aside would fill that.
_MOST_REBUILDS = 3
# How long a repair waits for others to leave; they are alive and rarely do.
_PATIENCE_ALONE = 0.2


class Database:
    """The file and the one connection that writes to it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / FILE_NAME
        self.locks = folder / "locks"
        self.generation = 0
        """Counts the openings: what was known of the tables before may have changed since."""
        self.rebuilt: deque[rebuild.Rebuilt] = deque()
        """Rebuilds of which a person should hear, for whoever looks."""
        self._lock = StoreLock(folder / "store.lock")
        self._connection: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None
        self._rebuilds = 0

    def connection(self) -> sqlite3.Connection:
        """The connection that writes, opened if it is not; only one thread may call this.

        Raises:
            StoreFailed: it cannot be opened, now.
        """
        if self._connection is not None and self._identity != _identity(self.path):
            # Somebody removed the file: what is written to it now would be lost without a sound.
            self.drop()
        if self._connection is None:
            try:
                self._connection = self._opened()
                self._identity = _identity(self.path)
            except (sqlite3.Error, OSError) as error:
                raise failed(error, self.folder) from error
            self.generation += 1
        return self._connection

    def reader(self) -> sqlite3.Connection:
        """A new connection that reads, for any thread; whoever asks for it closes it."""
        reader = schema.connect(self.path)
        reader.execute("PRAGMA query_only = ON")
        return reader

    def drop(self) -> None:
        """Close the connection; the next use opens and checks the file again."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def suspect(self) -> None:
        """Have the file rebuilt at the next use, because somebody found it damaged."""
        self.drop()
        # Where not even a marker can be written, the damage will be found once more.
        with suppress(OSError):
            rebuild.demand(self.path)

    def close(self) -> None:
        self.drop()
        self._lock.release()

    def _opened(self) -> sqlite3.Connection:
        missing = [each for each in (self.folder, *self.folder.parents) if not each.exists()]
        for folder in (self.folder, self.locks):
            make_private(folder)
            folder.chmod(0o700)
        # A file is as durable as the names of the folders that lead to it.
        for folder in missing:
            with suppress(OSError):
                rebuild.sync_folder(folder.parent)
        if not self._lock.share(_PATIENCE):
            raise StoreFailed(f"Another parley repairs `{self.path}`\nhint: try again", "busy")
        if not rebuild.is_demanded(self.path):
            # What SQLite calls damage may be a device that failed for a moment.
            for _ in range(_LOOKS):
                try:
                    return self._ready()
                except sqlite3.DatabaseError as error:
                    if cause_of(error) != "damaged":
                        raise
        # Others who use the file keep it from being replaced. They may have replaced it for us, or
        # only a part of it is bad and the rest can be used.
        if self._rebuilds < _MOST_REBUILDS and self._lock.alone(_PATIENCE_ALONE):
            self._rebuild()
        return self._repaired()

    def _ready(self) -> sqlite3.Connection:
        self._check_file()
        deadline = time.monotonic() + schema.BUSY_SECONDS
        while True:
            try:
                return self._set_up()
            except sqlite3.OperationalError as error:
                # SQLite does not wait for those who make the same new file at the same time.
                if cause_of(error) != "busy" or time.monotonic() > deadline:
                    raise
                time.sleep(_PAUSE)

    def _set_up(self) -> sqlite3.Connection:
        connection = schema.connect(self.path)
        with ExitStack() as undo:
            undo.callback(connection.close)
            schema.set_up(connection)
            undo.pop_all()
        return connection

    def _check_file(self) -> None:
        for suffix in ("-wal", "-shm", "-journal"):
            # SQLite would wait for ever for whoever writes to a pipe.
            rebuild.move_unless_file(self.path.with_name(f"{FILE_NAME}{suffix}"))
        try:
            found = self.path.lstat()
        except FileNotFoundError:
            try:
                rebuild.make_private(self.path)
            except FileExistsError:
                # Another process was faster; SQLite sees to the rest.
                return
            rebuild.sync_folder(self.folder)
            return
        if not stat.S_ISREG(found.st_mode):
            raise Damaged("not a regular file")
        if found.st_uid != os.geteuid():
            raise PermissionError(1, "the file belongs to another user")
        if stat.S_IMODE(found.st_mode) != 0o600:
            self.path.chmod(0o600)

    def _rebuild(self) -> None:
        self._rebuilds += 1
        try:
            done = rebuild.rebuild(self.path)
        finally:
            self._lock.share(_PATIENCE)
        if done is not None:
            self.rebuilt.append(done)

    def _repaired(self) -> sqlite3.Connection:
        try:
            return self._ready()
        except sqlite3.DatabaseError as error:
            if cause_of(error) != "damaged":
                raise
        raise StoreFailed(
            f"The session store `{self.path}` is damaged\n"
            "hint: close every parley, then run `parley doctor --repair`",
            "damaged",
        )


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
