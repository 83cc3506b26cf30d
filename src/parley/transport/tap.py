"""Wraps any transport and reports every frame that passes, with its time and direction.

It changes nothing on the way and judges nothing: malformed and oversize frames are reported too.
"""

import time
from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct

from parley.rpc.transport import Incoming, Transport

Direction = Literal["in", "out"]


class TappedFrame(Struct, frozen=True):
    """One frame that passed."""

    time: float
    direction: Direction
    frame: Incoming


class TapTransport:
    """A transport that reports its frames to `record`, for instance the `append` of a list.

    An outgoing frame is reported when it was accepted for sending, an incoming one when it is
    handed out. `clock` gives the time in seconds, by default that of the wall.
    """

    def __init__(
        self,
        inner: Transport,
        record: Callable[[TappedFrame], None],
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._inner = inner
        self._record = record
        self._clock = clock

    async def receive(self) -> Sequence[Incoming]:
        """Wait for frames; see `Transport`."""
        frames = await self._inner.receive()
        now = self._clock()
        for frame in frames:
            self._record(TappedFrame(now, "in", frame))
        return frames

    def send(self, frame: bytes) -> None:
        """Put a frame in the outbox; see `Transport`."""
        self._inner.send(frame)
        self._record(TappedFrame(self._clock(), "out", frame))

    @property
    def blocked(self) -> bool:
        """Whether senders should `drain`."""
        return self._inner.blocked

    async def drain(self) -> None:
        """Wait until the outbox is below its mark; see `Transport`."""
        await self._inner.drain()

    async def aclose(self) -> None:
        """Close the wrapped transport."""
        await self._inner.aclose()
