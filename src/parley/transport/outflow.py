"""The sending half of a transport on a descriptor: one outbox, written once per loop tick.

It owns the descriptor it writes to, and notices when the peer stops reading for good, even while
nothing is being written.
"""

import asyncio
import select
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from parley.errors import ConnectionClosed, ConnectionLost
from parley.process.descriptor import Buffer, Descriptor

HIGH_WATER = 64 * 1024
"""Bytes in the outbox above which senders should wait."""
BATCH_SIZE = 256 * 1024
"""Bytes joined for one write; it bounds the copy that joining makes."""
LARGE_FRAME = 64 * 1024
"""A frame of this size is written from where it is, without being copied into a batch."""
_RETRY_SECONDS = 0.01


class Outflow:
    """Frames to a descriptor, each followed by a newline (STD-03).

    `on_broken` is called once, when the peer can no longer be written to; its argument says
    whether anything was lost by that.
    """

    def __init__(
        self,
        sink: Descriptor,
        *,
        on_broken: Callable[[bool], None],
        high_water: int = HIGH_WATER,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._sink = sink
        self._on_broken = on_broken
        # The mark is lowered while somebody waits: woken at the high one, a sender could put in
        # one frame before it had to wait again.
        self._high_water = high_water
        self._low_water = high_water // 4
        self._mark = high_water
        self._outbox: deque[bytes] = deque()
        self._unsent: Buffer = b""
        self._size: int = 0
        self._scheduled: bool = False
        self._awaiting_room = False
        self._waiters: list[tuple[int, asyncio.Future[None]]] = []
        self._refusing = False
        self._closed = False
        self._loss: str | None = None
        self._pollable = self._watch()

    @property
    def blocked(self) -> bool:
        """Whether more waits in the outbox than should."""
        return self._size > self._mark

    def send(self, frame: bytes) -> None:
        """Put a frame in the outbox."""
        if self._refusing:
            raise self._error()
        self._outbox.append(frame)
        self._size += len(frame) + 1
        if not self._scheduled:
            # The first frame of a tick leaves at once, since somebody may be waiting for just
            # that one; those behind it leave together at the end of the tick.
            self._scheduled = True
            self._loop.call_soon(self._flush)
            self._write()

    async def drain(self) -> None:
        """Wait until less waits in the outbox than the mark."""
        if self._size > self._mark and not self._refusing:
            self._mark = self._low_water
            await self._at_most(self._low_water)
        if self._refusing:
            raise self._error()

    async def flush(self, seconds: float) -> None:
        """Give what is in the outbox some time to leave."""
        if self._size:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._at_most(0)

    def refuse(self) -> None:
        """Let nobody send any more; what is in the outbox still leaves."""
        self._refusing = True
        self._wake(above=0)

    def lose(self, why: str) -> None:
        """Treat the peer as gone; a later text replaces an earlier one."""
        if not self._refusing or self._loss is not None:
            self._loss = why
        self._drop()

    def close(self) -> None:
        """Stop writing and give the descriptor back."""
        if not self._closed:
            self._drop()
            self._closed = True
            self._sink.close()

    def _error(self) -> ConnectionLost | ConnectionClosed:
        # A fresh exception each time: a shared one would collect the traceback of every sender.
        if self._loss is not None:
            return ConnectionLost(self._loss)
        return ConnectionClosed("the transport was closed")

    # Writing.

    def _flush(self) -> None:
        """Write what came together in a tick, and look after what does not fit."""
        if not self._write():
            return
        self._scheduled = self._size > 0
        self._await_room(self._scheduled)
        if self._size <= self._low_water:
            self._mark = self._high_water
        if self._waiters:
            self._wake(above=self._size)

    def _write(self) -> bool:
        """Write until nothing is left or no more is taken; whether the peer is still there."""
        while self._size:
            data = self._unsent or self._next_batch()
            try:
                written = self._sink.write(data)
            except BlockingIOError:
                self._unsent = data
                break
            except OSError as error:
                self._break(f"cannot write to the peer: {error.strerror}")
                return False
            self._size -= written
            self._unsent = memoryview(data)[written:] if written < len(data) else b""
            if self._unsent and self._pollable:
                # The pipe is full now, so that another attempt would be in vain.
                break
        return True

    def _next_batch(self) -> bytes:
        """Take the next bytes from the outbox; only small frames are copied."""
        outbox = self._outbox
        if self._size <= BATCH_SIZE:
            outbox.append(b"")
            data = b"\n".join(outbox)
            outbox.clear()
            return data
        if len(outbox[0]) >= LARGE_FRAME:
            frame = outbox[0]
            # The newline behind it is the one in front of an empty frame.
            outbox[0] = b""
            return frame
        batch: list[bytes] = []
        size = 0
        while outbox and size < BATCH_SIZE and len(outbox[0]) < LARGE_FRAME:
            batch.append(outbox.popleft())
            size += len(batch[-1]) + 1
        batch.append(b"")
        return b"\n".join(batch)

    def _await_room(self, needed: bool) -> None:
        if not self._pollable:
            if needed:
                self._loop.call_later(_RETRY_SECONDS, self._flush)
        elif needed and not self._awaiting_room:
            self._loop.add_writer(self._sink.fd, self._flush)
        elif self._awaiting_room and not needed:
            self._loop.remove_writer(self._sink.fd)
        self._awaiting_room = needed

    # Waiting.

    async def _at_most(self, size: int) -> None:
        waiter: asyncio.Future[None] = self._loop.create_future()
        self._waiters.append((size, waiter))
        await waiter

    def _wake(self, *, above: int) -> None:
        """Wake whoever waits for a size of `above` or more."""
        woken = [entry for entry in self._waiters if entry[0] >= above]
        self._waiters = [entry for entry in self._waiters if entry[0] < above]
        for _, waiter in woken:
            if not waiter.done():
                waiter.set_result(None)

    # The end.

    def _watch(self) -> bool:
        """Watch for a peer that goes away while nothing is written; whether that is possible."""
        try:
            # An idle write end never becomes readable, but a broken one is always reported.
            self._loop.add_reader(self._sink.fd, self._look_at_peer)
        except OSError:
            return False
        return True

    def _look_at_peer(self) -> None:
        poller = select.poll()
        poller.register(self._sink.fd, 0)
        if poller.poll(0):
            self._break("the peer closed its end of the connection")
        else:
            # A socket or terminal has bytes that belong to the receiving half.
            self._loop.remove_reader(self._sink.fd)

    def _break(self, why: str) -> None:
        unsent = self._size > 0
        self.lose(why)
        self._on_broken(unsent)

    def _drop(self) -> None:
        """Forget what was not sent, and stop: nothing can leave any more."""
        self._refusing = True
        self._outbox.clear()
        self._unsent = b""
        self._size = 0
        # Nothing is scheduled from here on, since nothing can be sent.
        if self._pollable and not self._closed:
            self._loop.remove_reader(self._sink.fd)
            self._await_room(False)
        self._wake(above=0)
