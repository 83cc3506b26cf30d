"""The one thread that writes. What waits is committed together, then the loops are told.

So streaming thousands of chunks costs few commits, and a slow disk blocks no event loop. Records
that could not be written stay, in order, and are tried again with the next ones: a session's log
never has a gap.
"""

import asyncio
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from msgspec import Struct

from parley.coder.store import changing
from parley.coder.store.database import Database
from parley.coder.store.entry import Entry
from parley.coder.store.failure import StoreFailed, failed
from parley.coder.store.reading import Row
from parley.coder.store.record import checksum, seed
from parley.errors import AcpError

T = TypeVar("T")

# The most jobs of one commit, so that the first of them does not wait for too many others.
_MOST_JOBS = 4_000
# Whether a file that seems damaged is suspected at each further look. SQLite also calls damage what
# is a device that failed for a moment, and only damage is still there at the second look.
_LOOKS = (False, True)
# A file that could not be opened to write for a moment was opened to read.
_PASSING = ("damaged", "denied")
_CLOSED = "The session store is closed"


class Item(Struct, frozen=True):
    """One thing to write: an entry with its bytes, or a title."""

    body: bytes = b""
    entry: Entry | None = None
    title: str | None = None


class Lane(Struct, eq=False):
    """One open session in the writer. After it was handed over only that thread touches it."""

    key: int
    session_id: str
    stored: Callable[[Sequence[Item]], None]
    """Called in the loop, in order, when items are in the file."""
    loop: asyncio.AbstractEventLoop
    generation: int = 0
    """The opening of the file for which `next_seq` is known; 0 stands for none."""
    next_seq: int = 1
    doubtful: bool = False
    """Whether some of what is held may be in the file already."""
    held: list[Item] = []
    """What is not in the file yet."""
    unsynced: bool = True
    """Whether something is in the file that a loss of power may take away."""


class Reply:
    """An answer for somebody who waits in an event loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.future: asyncio.Future[Any] = self._loop.create_future()

    def give(self, value: object) -> None:
        self._soon(self.future.set_result, value)

    def fail(self, error: AcpError) -> None:
        self._soon(self.future.set_exception, error)

    def _soon(self, settle: Callable[[Any], None], value: object) -> None:
        def unless_done() -> None:
            # Whoever waited may have been cancelled.
            if not self.future.done():
                settle(value)

        _call_in(self._loop, unless_done)


class _Append(Struct, frozen=True):
    lane: Lane
    item: Item


class _Flush(Struct, frozen=True):
    lane: Lane
    durable: bool
    reply: Reply


class _Call(Struct, frozen=True):
    action: Callable[[], Any]
    reply: Reply


class _Stop(Struct, frozen=True):
    pass


_Job = _Append | _Flush | _Call | _Stop


class Writer:
    """Runs jobs in the order in which they came, in its own thread, which starts on first use."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock
        self._jobs: queue.SimpleQueue[_Job] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._ended = False
        self._durable = False

    def append(self, lane: Lane, item: Item) -> None:
        """Have an item written. Never waits."""
        self._put(_Append(lane, item))

    async def flush(self, lane: Lane, *, durable: bool) -> None:
        """Wait until everything appended is in the file; `durable` means on the disk, too."""
        reply = Reply()
        self._put(_Flush(lane, durable, reply))
        await reply.future

    async def call(self, action: Callable[[sqlite3.Connection], T], *, durable: bool = False) -> T:
        """Run something in the thread, behind what was appended, in a transaction of its own."""

        def transaction() -> T:
            with self._transaction(durable=durable) as connection:
                return action(connection)

        return await self.run(transaction)

    async def run(self, action: Callable[[], T]) -> T:
        """Run something in the thread, behind what was appended."""
        reply = Reply()
        self._put(_Call(action, reply))
        return await reply.future

    def stop(self) -> None:
        """Write what waits, close the file and end the thread; whoever comes later is refused."""
        self._put(_Stop())
        if self._thread is not None:
            self._thread.join()

    def now(self) -> int:
        return int(self._clock() * 1000)

    def _put(self, job: _Job) -> None:
        self._jobs.put(job)
        if self._ended:
            self._refuse_the_rest()
        elif self._thread is None:
            # A thread that outlived its program would keep it from ending; what was told as
            # stored is in the file already.
            self._thread = threading.Thread(target=self._run, name="parley-store", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        jobs: Sequence[_Job] = ()
        try:
            while self._work_on(jobs := self._taken()):
                pass
        finally:
            # Also after a defect nobody may wait for ever.
            self._ended = True
            self._database.close()
            _refuse(jobs)
            self._refuse_the_rest()

    def _taken(self) -> Sequence[_Job]:
        """Everything that waits, at least one job."""
        jobs = [self._jobs.get()]
        with suppress(queue.Empty):
            while len(jobs) < _MOST_JOBS:
                jobs.append(self._jobs.get_nowait())
        return jobs

    def _work_on(self, jobs: Sequence[_Job]) -> bool:
        """Do the jobs; whether there may be more."""
        lanes: dict[Lane, None] = {}
        flushes: list[_Flush] = []
        for job in jobs:
            match job:
                case _Append(lane, item):
                    lane.held.append(item)
                    lanes[lane] = None
                case _Flush(lane):
                    flushes.append(job)
                    lanes[lane] = None
                case _Call():
                    self._settle(lanes, flushes)
                    lanes, flushes = {}, []
                    self._answer(job)
                case _Stop():
                    self._settle(lanes, flushes)
                    return False
        self._settle(lanes, flushes)
        return True

    def _answer(self, call: _Call) -> None:
        failure = self._tried(call)
        for suspected in _LOOKS:
            if failure is not None and failure.cause in _PASSING:
                # Opening the file once more repairs it where that is due and possible.
                if suspected and failure.cause == "damaged":
                    self._database.suspect()
                failure = self._tried(call)
        if failure is not None:
            call.reply.fail(failure)

    def _tried(self, call: _Call) -> StoreFailed | None:
        """Do what is asked and answer; instead of the answer, what went wrong with the file."""
        try:
            call.reply.give(call.action())
        except (sqlite3.Error, OSError) as error:
            return self._lost(error)
        except StoreFailed as error:
            return error
        except AcpError as error:
            call.reply.fail(error)
        return None

    def _settle(self, lanes: dict[Lane, None], flushes: Sequence[_Flush]) -> None:
        """Write what the lanes hold, and answer those who wait for it."""
        durable = {flush.lane for flush in flushes if flush.durable}
        busy = [lane for lane in lanes if lane.held or (lane in durable and lane.unsynced)]
        failures = self._store(busy, durable=bool(durable)) if busy else {}
        for suspected in _LOOKS:
            if again := [lane for lane, error in failures.items() if error.cause in _PASSING]:
                # Opening the file once more repairs it where that is due and possible.
                if suspected and any(failures[lane].cause == "damaged" for lane in again):
                    self._database.suspect()
                kept = {lane: error for lane, error in failures.items() if lane not in again}
                failures = kept | self._store(again, durable=bool(durable))
        for flush in flushes:
            error = failures.get(flush.lane)
            if error is None:
                flush.reply.give(None)
            else:
                flush.reply.fail(error)

    def _store(self, lanes: Sequence[Lane], *, durable: bool) -> dict[Lane, StoreFailed]:
        """Write in one transaction; those for whom it failed, and why."""
        try:
            with self._transaction(durable=durable) as connection:
                following = [self._write(connection, lane) for lane in lanes]
        except (sqlite3.Error, OSError) as error:
            failure = self._lost(error)
        except StoreFailed as error:
            failure = error
        else:
            for lane, next_seq in zip(lanes, following, strict=True):
                lane.next_seq, lane.doubtful = next_seq, False
                lane.unsynced = not durable
                items, lane.held = lane.held, []
                _call_in(lane.loop, lane.stored, items)
            return {}
        if len(lanes) == 1 or failure.cause in ("busy", "full"):
            return dict.fromkeys(lanes, failure)
        # One session that cannot be written must not stop the others.
        each = [self._store([lane], durable=durable) for lane in lanes]
        return {lane: error for found in each for lane, error in found.items()}

    @contextmanager
    def _transaction(self, *, durable: bool) -> Generator[sqlite3.Connection]:
        generation = self._database.generation
        connection = self._database.connection()
        if durable != self._durable or generation != self._database.generation:
            # NORMAL survives the end of this process. FULL has the log of changes reach the disk
            # at the commit, together with everything that was written to it before.
            connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            self._durable = durable
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    def _write(self, connection: sqlite3.Connection, lane: Lane) -> int:
        """Write what a lane holds; the number that its next record has."""
        if lane.generation != self._database.generation:
            _find_place(connection, lane, self._database.generation)
        seq, start = lane.next_seq, seed(lane.session_id)
        rows: list[Row] = []
        title: str | None = None
        for item in lane.held:
            if item.title is None:
                rows.append((lane.key, seq, checksum(start, seq, item.body), item.body))
                seq += 1
            else:
                title = item.title
        if lane.doubtful:
            rows = _without_stored(connection, lane, rows)
        connection.executemany("INSERT INTO entries VALUES (?, ?, ?, ?)", rows)
        if title is not None:
            changing.set_title(connection, lane.key, lane.session_id, title)
        if lane.held:
            changing.touch(connection, lane.key, self.now(), len(rows))
        else:
            changing.mark_synced(connection, lane.key)
        return seq

    def _lost(self, error: sqlite3.Error | OSError) -> StoreFailed:
        """Find out what an error means for the file; the next use opens it again."""
        failure = failed(error, self._database.folder)
        if failure.cause != "busy":
            self._database.drop()
        return failure

    def _refuse_the_rest(self) -> None:
        with suppress(queue.Empty):
            while True:
                _refuse([self._jobs.get_nowait()])


def _find_place(connection: sqlite3.Connection, lane: Lane, generation: int) -> None:
    """Learn the number of the next record of a session, or see that it is still the same."""
    found = changing.next_seq(connection, lane.key, lane.session_id)
    if lane.generation == 0:
        lane.next_seq = found
    elif found < lane.next_seq:
        # Going on would hide the hole, and a log is a prefix of what happened or nothing.
        raise _hole()
    lane.doubtful = found > lane.next_seq
    lane.generation = generation


def _without_stored(connection: sqlite3.Connection, lane: Lane, rows: Sequence[Row]) -> list[Row]:
    """Leave out what is in the file: a commit can fail when everything is written already."""
    there = changing.records_from(connection, lane.key, lane.next_seq)
    if there != [row[1:3] for row in rows[: len(there)]]:
        raise _hole()
    return list(rows[len(there) :])


def _hole() -> StoreFailed:
    return StoreFailed(
        "Records of the session were lost in a repair\nhint: load the session again", "gone"
    )


def _refuse(jobs: Sequence[_Job]) -> None:
    for job in jobs:
        if isinstance(job, _Flush | _Call):
            job.reply.fail(StoreFailed(_CLOSED, "closed"))


def _call_in(loop: asyncio.AbstractEventLoop, call: Callable[..., object], *values: object) -> None:
    # A loop that has ended has nobody left to tell.
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(call, *values)
