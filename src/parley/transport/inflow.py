"""The receiving half of a transport on a descriptor: reads ahead a little, and hands out frames.

It owns the descriptor it reads from and knows nothing of the sending half.
"""

import asyncio
import errno
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Protocol

from parley.errors import ConnectionLost
from parley.process.descriptor import Descriptor
from parley.rpc.transport import Incoming
from parley.transport.lines import DEFAULT_LIMIT, LineSplitter

READ_SIZE = 64 * 1024
"""Bytes asked for at once: what a pipe holds, and small enough to come from the heap."""
READ_AHEAD = 256 * 1024
"""Bytes read while nobody receives; then the peer has to wait."""


class Inflow:
    """Frames from a descriptor, in order, with a bounded look ahead.

    `on_end` is called once, when the last frame was handed out and no more can come.
    """

    def __init__(
        self,
        source: Descriptor,
        *,
        on_end: Callable[[], None],
        limit: int = DEFAULT_LIMIT,
        read_ahead: int = READ_AHEAD,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._lines = LineSplitter(limit)
        self._on_end = on_end
        self._read_ahead = read_ahead
        self._frames: list[Incoming] = []
        self._ahead = 0
        self._waiter: asyncio.Future[None] | None = None
        self.take: Callable[[list[Incoming]], Sequence[Incoming]] | None = None
        """Gets frames at once while somebody waits in `receive`; see `Handing`."""
        self._paused = False
        self._over = False
        self._discarding = False
        self._told = False
        self._closed = False
        self._loss: str | None = None
        self._loss_when_dry: str | None = None
        self.handed_out = 0
        """How often frames were handed out: whether the layer above still receives."""
        self._feed = _feed_from(self._loop, source, self._arrived, self._failed)

    @property
    def over(self) -> bool:
        """Whether the source has ended; frames may still wait to be handed out."""
        return self._over

    async def receive(self) -> list[Incoming]:
        """Wait for frames; empty at the end, which may be a loss."""
        while not self._frames:
            if self._over or self._discarding:
                if self._loss is not None:
                    raise ConnectionLost(self._loss)
                self._told = True
                return []
            if self._waiter is not None:
                raise RuntimeError("another task is already receiving")
            self._resume()
            self._waiter = self._loop.create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        frames, self._frames = self._frames, []
        self._ahead = 0
        self.handed_out += 1
        self._resume()
        if self._over:
            self._on_end()
        return frames

    def end_when_dry(self, *, dry: str | None, ended: str | None) -> None:
        """Hand out what is there and then end instead of waiting for more.

        The texts make that end a loss: `dry` when the source is still open, `ended` when it ended.
        """
        if self._over:
            # An end that was told as an orderly one stays one.
            if not self._told and not self._closed:
                self._loss = ended
            return
        self._loss, self._loss_when_dry = ended, dry
        self._feed.end_when_dry()

    def discard(self) -> None:
        """Let nobody wait, and throw away what still comes, so that the peer is not held up."""
        self._discarding = True
        self._frames.clear()
        self._resume()
        self._wake()

    def close(self) -> None:
        """Stop reading and give the descriptor back."""
        if not self._closed:
            self._closed = True
            self._frames.clear()
            self._loss = None
            self._over = True
            self._feed.close()
            self._wake()

    def _arrived(self, chunk: bytes) -> None:
        if not chunk:
            self._finish()
            return
        if self._discarding:
            return
        frames = self._lines.feed(chunk)
        if frames and self.take is not None and self._is_awaited() and not self._frames:
            self.handed_out += 1
            frames = list(self.take(frames))
            if not frames:
                self._ahead = 0
                return
        if frames:
            if self._frames:
                self._frames += frames
            else:
                self._frames = frames
            self._wake()
        self._ahead += len(chunk)
        if self._ahead >= self._read_ahead and not self._is_awaited():
            # The buffer is full and nobody asks: the peer waits from here on (STD-14).
            self._paused = True
            self._feed.pause()

    def _failed(self, error: OSError) -> None:
        if isinstance(error, BlockingIOError):
            self._loss = self._loss_when_dry
        # A terminal that was hung up says EIO where a pipe says end of file.
        elif error.errno != errno.EIO:
            self._loss = f"cannot read from the peer: {error.strerror}"
        self._finish()

    def _finish(self) -> None:
        self._over = True
        self._feed.pause()
        if not self._discarding:
            self._frames += self._lines.end()
        self._wake()
        if not self._frames:
            self._on_end()

    def _resume(self) -> None:
        if self._paused and not self._over:
            self._paused = False
            self._feed.resume()

    def _is_awaited(self) -> bool:
        return self._waiter is not None and not self._waiter.done()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class _Feed(Protocol):
    """Where chunks come from; it runs from the start."""

    def resume(self) -> None: ...
    def pause(self) -> None: ...
    def end_when_dry(self) -> None: ...
    def close(self) -> None: ...


def _feed_from(
    loop: asyncio.AbstractEventLoop,
    source: Descriptor,
    deliver: Callable[[bytes], None],
    fail: Callable[[OSError], None],
) -> _Feed:
    try:
        return _PolledFeed(loop, source, deliver, fail)
    except OSError:
        # The selector refuses regular files and devices such as `/dev/null`.
        return _ThreadFeed(loop, source, deliver, fail)


class _PolledFeed:
    """Chunks from a pipe, socket or terminal, read when the event loop says so."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        source: Descriptor,
        deliver: Callable[[bytes], None],
        fail: Callable[[OSError], None],
    ) -> None:
        self._loop = loop
        self._source = source
        self._deliver = deliver
        self._fail = fail
        self._running = True
        self._dry_is_end = False
        loop.add_reader(source.fd, self._read)

    def resume(self) -> None:
        self._running = True
        self._loop.add_reader(self._source.fd, self._read)
        if self._dry_is_end:
            self._loop.call_soon(self._read)

    def pause(self) -> None:
        if self._running:
            self._running = False
            self._loop.remove_reader(self._source.fd)

    def end_when_dry(self) -> None:
        # Somebody else may hold the other end open, so readiness alone would never say the end.
        self._dry_is_end = True
        if self._running:
            self._loop.call_soon(self._read)

    def close(self) -> None:
        self.pause()
        self._source.close()

    def _read(self) -> None:
        if not self._running:
            return
        try:
            chunk = self._source.read(READ_SIZE)
        except BlockingIOError as error:
            if self._dry_is_end:
                self._fail(error)
            return
        except OSError as error:
            self._fail(error)
            return
        self._deliver(chunk)
        if self._dry_is_end and self._running:
            self._loop.call_soon(self._read)


class _ThreadFeed:
    """Chunks from a file that cannot be polled, read by a thread that waits for permission.

    The thread is a daemon and closes the descriptor itself: a read that never returns then holds
    up nobody, and the number of the descriptor is not reused while it is being read.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        source: Descriptor,
        deliver: Callable[[bytes], None],
        fail: Callable[[OSError], None],
    ) -> None:
        self._loop = loop
        self._source = source
        self._deliver = deliver
        self._fail = fail
        self._permits = threading.Semaphore(1)
        self._paused = False
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="parley-read", daemon=True)
        self._thread.start()

    def resume(self) -> None:
        self._paused = False
        self._permits.release()

    def pause(self) -> None:
        self._paused = True

    def end_when_dry(self) -> None:
        # A file does not wait for its peer: its end comes by itself.
        pass

    def close(self) -> None:
        self._closed = True
        self._permits.release()

    def _run(self) -> None:
        # A closed event loop refuses the call: nobody wants the bytes any more.
        with suppress(RuntimeError):
            while self._permits.acquire() and not self._closed:
                self._loop.call_soon_threadsafe(self._arrived, self._read())
        self._source.close()

    def _read(self) -> bytes | OSError:
        try:
            return self._source.read(READ_SIZE)
        except OSError as error:
            return error

    def _arrived(self, chunk: bytes | OSError) -> None:
        if self._closed:
            return
        if isinstance(chunk, OSError):
            self._fail(chunk)
        else:
            self._deliver(chunk)
        if not self._paused:
            self._permits.release()
