"""The interface that the RPC layer needs from whatever carries its frames.

A frame is one JSON-RPC message: bytes without a terminator. A transport moves frames and judges
nothing; malformed ones pass through it. Implementations live in `parley.transport`.
"""

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from msgspec import Struct


class Oversize(Struct, frozen=True):
    """Stands in the place of an incoming frame that was over the limit and was thrown away.

    The RPC layer answers it with an error, and the stream goes on behind it.
    """

    size: int
    """How many bytes the frame had."""
    head: bytes
    """Its first bytes: enough to find the id of the request, if there was one."""
    limit: int
    """The limit it broke, for the text of the error."""


class Unfinished(bytes):
    """The last frame of a stream that ended without a terminator behind it.

    It may be whole. If it is not, the peer has ended in the middle of it.
    """


Incoming = bytes | Oversize


class Transport(Protocol):
    """Carries frames both ways, in order, without loss until it ends."""

    async def receive(self) -> Sequence[Incoming]:
        """Wait for frames and return all that are there, in order; empty means the orderly end.

        Nothing is read from the peer while nobody waits here, beyond one bounded buffer: not
        calling `receive` is how the layer above slows the peer down. Other tasks get to run in
        between, however fast the peer sends. One caller at a time. After
        the end it keeps returning empty. Cancelling it loses no frame.

        Raises:
            ConnectionLost: the peer went away in a way that is not an orderly end.
        """
        ...

    def send(self, frame: bytes) -> None:
        """Put a frame in the outbox. Frames leave in this order, written once per loop tick.

        The frame holds no raw newline. This never blocks: `drain` is where a sender waits.

        Raises:
            ConnectionClosed: the transport was closed by us.
            ConnectionLost: the peer is gone.
        """
        ...

    @property
    def blocked(self) -> bool:
        """Whether the outbox is above its high-water mark, so that senders should `drain`."""
        ...

    async def drain(self) -> None:
        """Wait until the outbox is below its mark; returns at once when it is.

        Raises:
            ConnectionClosed: the transport was closed by us while waiting.
            ConnectionLost: the peer is gone.
        """
        ...

    async def aclose(self) -> None:
        """Flush what can be flushed within a short bound, then release everything. Idempotent."""
        ...


@runtime_checkable
class Handing(Protocol):
    """A transport that can hand frames over in the very moment they arrive.

    That saves waking the task which waits in `receive`: a round trip costs one pass of the event
    loop less.
    """

    def hand_to(self, take: Callable[[list[Incoming]], Sequence[Incoming]] | None) -> None:
        """Let `take` have the frames that arrive while somebody waits in `receive`.

        It returns those that it leaves; `receive` returns them. It never waits and never raises.
        """
        ...
