"""The sessions of one user, kept in one folder: made, opened, listed, forked and deleted here.

Nothing is opened before it is needed, and nothing here blocks the event loop: one thread writes,
others read. A session has one holder at a time, over all processes.
"""

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import TypeVar

from parley.coder.store import changing, reading
from parley.coder.store.database import Database
from parley.coder.store.entry import Entry
from parley.coder.store.failure import Damaged, StoreFailed, cause_of, failed
from parley.coder.store.lock import SessionLock
from parley.coder.store.log import SessionLog
from parley.coder.store.reading import Head, Row, Verified
from parley.coder.store.record import is_session_id, packed_paths, unpacked
from parley.coder.store.side_folder import remove_all, undo_folder
from parley.coder.store.writer import Writer
from parley.errors import InvalidParams, ResourceNotFound
from parley.session.role import SessionInfo, SessionPage

T = TypeVar("T")

_log = logging.getLogger("parley.coder.store")
_READERS = 2
_MOST_LISTED = 1_000
# One for the file as a whole, one for the session in it, and one to see that all is well.
_MOST_REPAIRS = 3


class Store:
    """All sessions of a folder. One object per process and folder is enough."""

    def __init__(
        self,
        folder: Path,
        *,
        clock: Callable[[], float] = time.time,
        warn: Callable[[str], None] = _log.warning,
    ) -> None:
        self.folder = folder
        self._database = Database(folder)
        self._writer = Writer(self._database, clock)
        self._readers: ThreadPoolExecutor | None = None
        self._warn = warn
        self._open: dict[str, SessionLog] = {}
        # What rebuilds have lost, until somebody opens a session and can be told.
        self._losses: dict[str, str] = {}
        self._store_damage: str | None = None
        self._is_ready = False
        self._closed = False

    async def create(
        self, session_id: str, cwd: str, additional: tuple[str, ...] = ()
    ) -> SessionLog:
        """Begin a session."""
        return await self._made(session_id, cwd, additional)

    async def open(self, session_id: str) -> SessionLog:
        """Go on with a session.

        Raises:
            ResourceNotFound: there is none.
            SessionInUse: it is open already, here or elsewhere.
            StoreFailed: it cannot be read now.
        """
        if await self._head(session_id) is None:
            raise _missing(session_id)
        with ExitStack() as undo:
            lock = self._locked(session_id)
            undo.callback(lock.release)
            # Only now nobody else can change it any more.
            head = await self._head(session_id)
            if head is None:
                raise _missing(session_id)
            damage = await self._mended(head)
            undo.pop_all()
        log = self._opened(head, lock)
        if damage is not None:
            log.damage = f"Session `{session_id}` was damaged: {damage}"
            self._warn(log.damage)
        return log

    async def list(
        self, *, cwd: str | None = None, cursor: str | None = None, limit: int = 50
    ) -> SessionPage:
        """Some sessions, the one that changed last first.

        Raises:
            InvalidParams: the cursor is none of ours.
        """
        limit = max(1, min(limit, _MOST_LISTED))
        return await self._read(lambda connection: reading.page(connection, cwd, cursor, limit))

    async def describe(self, session_id: str) -> SessionInfo | None:
        head = await self._head(session_id)
        return None if head is None else head.info

    async def entries(self, session_id: str) -> tuple[Entry, ...]:
        """What is stored of a session, to be looked at only; anybody may have it open.

        Raises:
            ResourceNotFound: there is none.
        """
        head = await self._head(session_id)
        if head is None:
            raise _missing(session_id)
        known, _ = await self._entries(head)
        return tuple(known)

    async def fork(
        self, source_id: str, new_id: str, cwd: str, additional: tuple[str, ...] = ()
    ) -> SessionLog:
        """Begin a session with everything that is stored of another one, which may be open.

        Raises:
            ResourceNotFound: there is no such source.
        """
        source = self._open.get(source_id)
        if source is not None:
            # What cannot be stored now is not part of the fork, either.
            with suppress(StoreFailed):
                await source.flush()
        head = await self._head(source_id)
        if head is None:
            raise _missing(source_id)
        rows = await self._read(lambda each: _rows(each, head))
        bodies = [row[3] for row in rows]
        return await self._made(new_id, cwd, additional, title=head.title, bodies=bodies)

    async def delete(self, session_id: str) -> None:
        """Remove a session and every byte of it; one that is not there is no error.

        Raises:
            SessionInUse: another process has it open.
            StoreFailed: something of it is still there; deleting it again removes the rest.
        """
        if not is_session_id(session_id):
            return
        await self._ready()
        own = self._open.get(session_id)
        if own is not None:
            # Its last entries are about to go anyway.
            with suppress(StoreFailed):
                await own.close()
        lock = self._locked(session_id)
        try:
            await self._writer.call(lambda each: changing.delete(each, session_id), durable=True)
            await self._writer.run(lambda: changing.empty_log(self._database.connection()))
            await asyncio.to_thread(remove_all, undo_folder(self.folder, session_id))
        except OSError as error:
            raise failed(error, self._database.folder) from error
        finally:
            lock.release()

    async def aclose(self) -> None:
        """Close every session and the file.

        Raises:
            StoreFailed: what was appended last to a session is lost. All are closed all the same.
        """
        self._closed = True
        failure: StoreFailed | None = None
        for log in tuple(self._open.values()):
            try:
                await log.close()
            except StoreFailed as error:
                failure = error
        await asyncio.to_thread(self._writer.stop)
        if self._readers is not None:
            self._readers.shutdown(wait=False)
        self._report()
        if failure is not None:
            raise failure

    async def _made(
        self,
        session_id: str,
        cwd: str,
        additional: tuple[str, ...],
        *,
        title: str | None = None,
        bodies: Sequence[bytes] = (),
    ) -> SessionLog:
        if not is_session_id(session_id):
            raise InvalidParams(f"`{session_id}` cannot be the id of a session")
        try:
            facts = (session_id, cwd, packed_paths(additional))
            cwd.encode()
        except UnicodeEncodeError:
            raise InvalidParams("The path of a folder has characters that are no text") from None
        await self._ready()
        now = self._writer.now()
        with ExitStack() as undo:
            lock = self._locked(session_id)
            undo.callback(lock.release)
            key = await self._writer.call(
                lambda each: changing.insert(each, facts, title, bodies, now)
            )
            undo.pop_all()
        self._report()
        return self._opened(Head(key, session_id, cwd, additional, title, now, 0), lock)

    def _opened(self, head: Head, lock: SessionLock) -> SessionLog:
        def release() -> None:
            del self._open[head.session_id]
            lock.release()

        log = SessionLog(head, self._writer, self._entries, release)
        log.store_damage, self._store_damage = self._store_damage, None
        self._open[head.session_id] = log
        return log

    def _locked(self, session_id: str) -> SessionLock:
        try:
            return SessionLock.take(self._database.locks, session_id)
        except OSError as error:
            raise failed(error, self._database.folder) from error

    async def _head(self, session_id: str) -> Head | None:
        if not is_session_id(session_id):
            return None
        return await self._read(lambda connection: reading.head(connection, session_id))

    async def _entries(self, head: Head) -> tuple[Sequence[Entry], int]:
        """What can be read of a session, and how many records are of a kind nobody here knows."""

        def decoded(connection: sqlite3.Connection) -> tuple[Sequence[Entry], int]:
            rows = _rows(connection, head)
            known = [entry for row in rows if (entry := unpacked(row[3])) is not None]
            return known, len(rows) - len(known)

        return await self._read(decoded)

    async def _mended(self, head: Head) -> str | None:
        """Set aside what is damaged, so that the session can go on; what is lost."""
        damage: str | None = None
        for _ in range(_MOST_REPAIRS):
            found = await self._read(lambda each: _verified(each, head))
            if found.damage is None:
                return self._losses.pop(head.session_id, damage)
            damage = damage or f"{found.damage}, the rest is set aside"
            if found.unreadable:
                await self._writer.run(self._reopen)
                if self._report():
                    # The rebuild knows better what could be saved.
                    damage = None
                continue
            kept = len(found.rows)
            try:
                await self._writer.call(
                    lambda each, kept=kept: changing.set_aside(each, head.key, kept)
                )
            except StoreFailed as error:
                if error.cause != "damaged":
                    raise
        raise StoreFailed(
            f"Session `{head.session_id}` is damaged: {damage}\n"
            "hint: close every parley, then run `parley doctor --repair`",
            "damaged",
        )

    async def _ready(self) -> None:
        """Have the file opened, and made if there is none."""
        if self._closed:
            raise StoreFailed("The session store is closed", "closed")
        if not self._is_ready:
            await self._writer.run(self._database.connection)
            self._is_ready = True
        self._report()

    def _reopen(self) -> None:
        self._database.suspect()
        self._database.connection()

    async def _read(self, query: Callable[[sqlite3.Connection], T]) -> T:
        await self._ready()
        try:
            return await self._queried(query)
        except sqlite3.Error as error:
            cause = cause_of(error)
            if cause == "damaged":
                await self._writer.run(self._reopen)
            elif cause == "denied":
                # This is also what SQLite says when somebody removed the file.
                await self._writer.run(self._database.connection)
            else:
                raise failed(error, self._database.folder) from error
        self._report()
        try:
            return await self._queried(query)
        except sqlite3.Error as error:
            raise failed(error, self._database.folder) from error

    async def _queried(self, query: Callable[[sqlite3.Connection], T]) -> T:
        if self._readers is None:
            self._readers = ThreadPoolExecutor(_READERS, "parley-store-read")

        def look() -> T:
            with closing(self._database.reader()) as connection:
                return query(connection)

        def work() -> T:
            try:
                return look()
            except sqlite3.Error as error:
                if cause_of(error) != "damaged":
                    raise
            # It may have been a device that failed for a moment; what is damaged stays so.
            return look()

        return await asyncio.get_running_loop().run_in_executor(self._readers, work)

    def _report(self) -> bool:
        """Tell of rebuilds; whether there were any."""
        rebuilt = self._database.rebuilt
        told = bool(rebuilt)
        while rebuilt:
            done = rebuilt.popleft()
            self._warn(done.text)
            if not done.kept.whole:
                self._store_damage = done.text
                self._losses |= done.kept.losses
        return told


def _verified(connection: sqlite3.Connection, head: Head) -> Verified:
    found = reading.verified(connection, head.key, head.session_id)
    # Here, too, only what is so at the second look is damage.
    return reading.verified(connection, head.key, head.session_id) if found.unreadable else found


def _rows(connection: sqlite3.Connection, head: Head) -> Sequence[Row]:
    """The records of a session up to the first one that cannot be trusted."""
    found = _verified(connection, head)
    if found.unreadable:
        # What could not be reached may be whole, so this is not the end of the log.
        raise Damaged(found.damage)
    return found.rows


def _missing(session_id: str) -> ResourceNotFound:
    # No id of ours is longer, and what is none may be anything.
    shown = session_id[:64]
    return ResourceNotFound(f"There is no session `{shown}`", {"sessionId": shown})
