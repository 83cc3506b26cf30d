"""What is written to stdout and stderr: in order, by a thread, so that no reader stops the run.

A reader that does not read would otherwise stop the event loop, and with it Ctrl-C and every
deadline. Knows nothing of what it writes.
"""

import asyncio
import os
import threading
from collections.abc import Callable
from queue import SimpleQueue

HIGH_WATER = 1024 * 1024
"""Bytes that wait to be written above which a writer should wait for `room`.

The thread gets its turn only every few milliseconds while much comes, so this is more than comes
until then: whoever waits for room costs more than the memory.
"""

_Batch = list[tuple[int, list[bytes]]]
"""Pieces for one descriptor, then for the other, and so on."""


class Outlet:
    """Writes to descriptors. Make it inside a running event loop and `aclose` it.

    `on_broken` is called once, when the main descriptor cannot be written to any more. What is
    written to the other one gets lost without a word when nobody reads it.
    """

    def __init__(self, main: int, on_broken: Callable[[OSError], None]) -> None:
        self._main = main
        self._on_broken = on_broken
        self._loop = asyncio.get_running_loop()
        self._waiting: _Batch = []
        self._kept_back: _Batch = []
        self._last = -1
        self._pieces: list[bytes] = []
        self.size = 0
        """Bytes that are not written yet."""
        self._busy = False
        self._scheduled = False
        self._held = False
        self._broken: set[int] = set()
        self._batches: SimpleQueue[_Batch | None] = SimpleQueue()
        self._room: asyncio.Future[None] | None = None
        self._thread = threading.Thread(target=self._work, name="outlet", daemon=True)
        self._thread.start()

    @property
    def held(self) -> bool:
        return self._held

    def write(self, fd: int, data: bytes) -> None:
        """Put something in the queue; it leaves at the end of this tick, all at once."""
        if fd in self._broken or not data:
            return
        if fd != self._last:
            self._last, self._pieces = fd, []
            (self._kept_back if self._held else self._waiting).append((fd, self._pieces))
        self._pieces.append(data)
        self.size += len(data)
        if not self._scheduled:
            self._scheduled = True
            self._loop.call_soon(self._hand_over)

    async def room(self) -> None:
        """Wait while more is to be written than should be."""
        while self.size > HIGH_WATER:
            await self._changed()

    def hold(self, held: bool) -> None:
        """Keep back what is written from here on while a person is asked, or let it go."""
        self._held, self._last = held, -1
        if not held:
            self._waiting += self._kept_back
            self._kept_back = []
        self._hand_over()

    async def flushed(self) -> None:
        """Wait until everything is written that is not kept back, or cannot be."""
        while self.size > _size(self._kept_back):
            await self._changed()

    async def aclose(self, seconds: float) -> None:
        """Write what is there, for at most so long, and stop."""
        self.hold(False)
        try:
            async with asyncio.timeout(seconds):
                await self.flushed()
        except TimeoutError:
            pass
        self._batches.put(None)

    async def _changed(self) -> None:
        if self._room is None or self._room.done():
            self._room = self._loop.create_future()
        await asyncio.shield(self._room)

    def _hand_over(self) -> None:
        self._scheduled = False
        if self._busy or not self._waiting:
            return
        batch, self._waiting = self._waiting, []
        if not self._held:
            self._last = -1
        self._busy = True
        self._batches.put(batch)

    def _work(self) -> None:
        """The thread: one batch after the other."""
        while (batch := self._batches.get()) is not None:
            failed: dict[int, OSError] = {}
            for fd, pieces in batch:
                if fd in failed:
                    continue
                try:
                    _write_all(fd, b"".join(pieces))
                except OSError as error:
                    failed[fd] = error
            size = _size(batch)
            try:
                self._loop.call_soon_threadsafe(self._written, size, failed)
            except RuntimeError:
                return  # The loop is gone: nobody waits for this any more.

    def _written(self, size: int, failed: dict[int, OSError]) -> None:
        self._busy = False
        self.size -= size
        for fd, error in failed.items():
            self._broken.add(fd)
            for queue in (self._waiting, self._kept_back):
                self.size -= _size([each for each in queue if each[0] == fd])
                queue[:] = [each for each in queue if each[0] != fd]
            self._last = -1
            if fd == self._main:
                self._on_broken(error)
        if self._room is not None and not self._room.done():
            self._room.set_result(None)
        self._hand_over()


def _size(batch: _Batch) -> int:
    return sum(len(piece) for _, pieces in batch for piece in pieces)


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
