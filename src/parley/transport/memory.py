"""Two transports joined in one process, for peers that share it and for tests.

Bounded like a real wire, and able to break like one. Nothing is copied and nothing is encoded.
"""

import asyncio

from parley.errors import ConnectionClosed, ConnectionLost
from parley.rpc.transport import Incoming, Oversize
from parley.transport.lines import DEFAULT_LIMIT, HEAD_SIZE

HIGH_WATER = 64 * 1024
"""Bytes on their way above which senders should wait."""


def memory_pair(
    *, limit: int = DEFAULT_LIMIT, high_water: int = HIGH_WATER
) -> "tuple[MemoryTransport, MemoryTransport]":
    """Two transports, each of which receives what the other sends."""
    one, other = _Wire(limit, high_water), _Wire(limit, high_water)
    return MemoryTransport(one, other), MemoryTransport(other, one)


class MemoryTransport:
    """One end of a pair; see `memory_pair`."""

    def __init__(self, inward: "_Wire", outward: "_Wire") -> None:
        self._inward = inward
        self._outward = outward
        self._closed = False

    async def receive(self) -> list[Incoming]:
        """Wait for frames; see `Transport`."""
        return [] if self._closed else await self._inward.take()

    def send(self, frame: bytes) -> None:
        """Hand a frame to the other end; see `Transport`."""
        self._check()
        self._outward.put(frame)

    @property
    def blocked(self) -> bool:
        """Whether senders should `drain`."""
        return self._outward.full

    async def drain(self) -> None:
        """Wait until the other end has received enough; see `Transport`."""
        self._check()
        if self._outward.full:
            await self._outward.taken()
            self._check()

    async def aclose(self) -> None:
        """End both directions; the other end still receives what was sent. Idempotent."""
        self._closed = True
        self._outward.end(None)
        self._inward.abandon("the peer closed the connection")

    def break_(self, why: str = "the connection broke") -> None:
        """Tear the wire, as when the process at this end dies: both ends have lost each other."""
        for wire in (self._inward, self._outward):
            wire.end(why)
            wire.abandon(why)

    def _check(self) -> None:
        if self._closed:
            raise ConnectionClosed("the transport was closed")
        if self._outward.abandoned is not None:
            raise ConnectionLost(self._outward.abandoned)


class _Wire:
    """One direction: what was sent and not yet received."""

    def __init__(self, limit: int, high_water: int) -> None:
        self._limit = limit
        self._high_water = high_water
        self._frames: list[Incoming] = []
        self._size = 0
        self._ended = False
        self._loss: str | None = None
        self.abandoned: str | None = None
        """Why nobody receives any more, once that is so."""
        self._receiver: asyncio.Future[None] | None = None
        self._senders: list[asyncio.Future[None]] = []

    @property
    def full(self) -> bool:
        return self._size > self._high_water

    def put(self, frame: bytes) -> None:
        size = len(frame)
        self._size += size
        if size > self._limit:
            self._frames.append(Oversize(size, frame[:HEAD_SIZE], self._limit))
        else:
            self._frames.append(frame)
        self._wake_receiver()

    async def take(self) -> list[Incoming]:
        if self._frames:
            await asyncio.sleep(0)  # Two peers in one process must not keep out everybody else.
        while not self._frames:
            if self._ended:
                if self._loss is not None:
                    raise ConnectionLost(self._loss)
                return []
            if self._receiver is not None:
                raise RuntimeError("another task is already receiving")
            self._receiver = asyncio.get_running_loop().create_future()
            try:
                await self._receiver
            finally:
                self._receiver = None
        frames, self._frames = self._frames, []
        self._size = 0
        self._wake_senders()
        return frames

    async def taken(self) -> None:
        sender: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._senders.append(sender)
        await sender

    def end(self, loss: str | None) -> None:
        """Say that nothing follows; the first end counts."""
        if not self._ended:
            self._ended, self._loss = True, loss
        self._wake_receiver()
        self._wake_senders()

    def abandon(self, why: str) -> None:
        """Say that nobody receives any more."""
        if self.abandoned is None:
            self.abandoned = why
        self._ended = True
        self._wake_receiver()
        self._wake_senders()

    def _wake_receiver(self) -> None:
        if self._receiver is not None and not self._receiver.done():
            self._receiver.set_result(None)

    def _wake_senders(self) -> None:
        senders, self._senders = self._senders, []
        for sender in senders:
            if not sender.done():
                sender.set_result(None)
