"""A transport over two descriptors: the driver beneath stdio and child processes.

It joins the two halves, and decides what the end of one of them means for the other.
"""

from collections.abc import Callable, Sequence

from msgspec import Struct

from parley.process.descriptor import Descriptor
from parley.rpc.transport import Incoming
from parley.transport.inflow import READ_AHEAD, Inflow
from parley.transport.lines import DEFAULT_LIMIT
from parley.transport.outflow import HIGH_WATER, Outflow


class PipeLimits(Struct, frozen=True):
    """How much a transport over descriptors holds, and how long it waits."""

    frame_bytes: int = DEFAULT_LIMIT
    """A longer incoming frame is thrown away and reported as oversize."""
    high_water: int = HIGH_WATER
    """Bytes in the outbox above which senders should wait."""
    read_ahead: int = READ_AHEAD
    """Bytes read while nobody receives."""
    flush_seconds: float = 0.3
    """How long closing waits for the outbox to become empty."""


class PipeTransport:
    """Frames as lines over one descriptor for each direction.

    Create it inside a running event loop; it owns both descriptors from then on. A peer that
    closes both directions while nothing waits to be sent has ended in an orderly way. If
    something could not be sent, or only our sending direction broke, it is lost.
    """

    def __init__(
        self,
        source: Descriptor,
        sink: Descriptor,
        *,
        limits: PipeLimits | None = None,
        on_end: Callable[[], None] | None = None,
    ) -> None:
        self.limits = limits or PipeLimits()
        self._on_end = on_end or _nothing
        self._closed = False
        self._inflow = Inflow(
            source,
            on_end=self._on_end,
            limit=self.limits.frame_bytes,
            read_ahead=self.limits.read_ahead,
        )
        self._outflow = Outflow(sink, on_broken=self._broken, high_water=self.limits.high_water)

    async def receive(self) -> list[Incoming]:
        """Wait for frames; see `Transport`."""
        return await self._inflow.receive()

    def hand_to(self, take: Callable[[list[Incoming]], Sequence[Incoming]] | None) -> None:
        """Let `take` have frames at once; see `Handing`."""
        self._inflow.take = take

    def send(self, frame: bytes) -> None:
        """Put a frame in the outbox; see `Transport`."""
        self._outflow.send(frame)

    @property
    def blocked(self) -> bool:
        """Whether senders should `drain`."""
        return self._outflow.blocked

    async def drain(self) -> None:
        """Wait until the outbox is below its mark; see `Transport`."""
        await self._outflow.drain()

    async def aclose(self) -> None:
        """Flush for a short while and give both descriptors back. Idempotent."""
        if self._closed:
            return
        self._closed = True
        try:
            self._inflow.discard()
            self._outflow.refuse()
            await self._outflow.flush(self.limits.flush_seconds)
        finally:
            self._outflow.close()
            self._inflow.close()

    @property
    def handed_out(self) -> int:
        """How often frames were handed out: whether the layer above still receives."""
        return self._inflow.handed_out

    def _broken(self, unsent: bool) -> None:
        # The peer may have said something before it went away, and may have gone in good order.
        text = "the peer closed its end of the connection"
        self._inflow.end_when_dry(dry=text, ended=text if unsent else None)
        self._on_end()


def _nothing() -> None:
    pass
