"""The battery itself: it passes a good transport, and each check fails a bad one."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import pytest

from parley.conformance import check_transport as battery
from parley.conformance.check_transport import (
    Check,
    CheckFailed,
    Factory,
    TransportPair,
    check_name,
    check_transport,
)
from parley.errors import ConnectionLost
from parley.rpc.transport import Incoming, Oversize
from parley.transport.memory import MemoryTransport, memory_pair
from tests.transport.wires import memory_wire


class Faulty:
    """A good transport; each child spoils one thing."""

    def __init__(self, inner: MemoryTransport) -> None:
        self.inner = inner

    async def receive(self) -> Sequence[Incoming]:
        return await self.inner.receive()

    def send(self, frame: bytes) -> None:
        self.inner.send(frame)

    @property
    def blocked(self) -> bool:
        return self.inner.blocked

    async def drain(self) -> None:
        await self.inner.drain()

    async def aclose(self) -> None:
        await self.inner.aclose()


class Reversing(Faulty):
    async def receive(self) -> Sequence[Incoming]:
        return (await self.inner.receive())[::-1]


class Cutting(Faulty):
    def send(self, frame: bytes) -> None:
        self.inner.send(frame[:4096])


class Splitting(Faulty):
    """Breaks the promise that only `\\n` ends a line, as `str.splitlines` does."""

    async def receive(self) -> Sequence[Incoming]:
        frames = await self.inner.receive()
        return [part for frame in frames for part in bytes_of(frame).splitlines() or [b""]]


class Refusing(Faulty):
    async def receive(self) -> Sequence[Incoming]:
        frames = await self.inner.receive()
        return [Oversize(len(bytes_of(frame)), b"", 1) for frame in frames]


class Boundless(Faulty):
    @property
    def blocked(self) -> bool:
        return False


class AlwaysBlocked(Faulty):
    @property
    def blocked(self) -> bool:
        return True


class Forgetful(Faulty):
    """Takes frames and waits before it hands them out, so that cancelling loses them."""

    async def receive(self) -> Sequence[Incoming]:
        frames = await self.inner.receive()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return frames


class Abrupt(Faulty):
    async def aclose(self) -> None:
        self.inner.break_()


class Endless(Faulty):
    """Waits for ever where the end should be told."""

    async def receive(self) -> Sequence[Incoming]:
        return await self.inner.receive() or await asyncio.Event().wait() or []


class Deaf(Faulty):
    """Never tells a waiting sender that the peer is gone."""

    async def drain(self) -> None:
        try:
            await self.inner.drain()
        except ConnectionLost:
            return


class Inventive(Faulty):
    """Makes up a last word where a lost peer said nothing."""

    async def receive(self) -> Sequence[Incoming]:
        try:
            return await self.inner.receive()
        except ConnectionLost:
            return [b"I never said this"]


def bytes_of(frame: Incoming) -> bytes:
    assert isinstance(frame, bytes)
    return frame


def wire(kind: Callable[[MemoryTransport], Faulty]) -> Factory:
    """Pairs in which both ends have the fault."""

    @asynccontextmanager
    async def factory() -> AsyncIterator[TransportPair]:
        near, far = memory_pair()
        yield TransportPair(kind(near), kind(far), far.break_)

    return factory


def test_a_good_transport_passes_the_whole_battery() -> None:
    asyncio.run(check_transport(memory_wire))


@pytest.mark.parametrize(
    ("check", "kind"),
    [
        (battery.frames_arrive_whole_and_in_order, Reversing),
        (battery.sizes_around_every_boundary_arrive_whole, Cutting),
        (battery.big_frames_arrive_whole, Cutting),
        (battery.many_frames_arrive_whole, Reversing),
        (battery.bytes_are_not_touched, Splitting),
        (battery.concurrent_senders_do_not_mix, Cutting),
        (battery.concurrent_senders_do_not_mix, Reversing),
        (battery.concurrent_senders_do_not_mix, Refusing),
        (battery.a_full_outbox_blocks_until_the_peer_receives, Boundless),
        (battery.a_full_outbox_blocks_until_the_peer_receives, AlwaysBlocked),
        (battery.cancelling_receive_loses_nothing, Forgetful),
        (battery.drain_returns_at_once_when_little_waits, AlwaysBlocked),
        (battery.closing_delivers_everything_and_then_the_end, Abrupt),
        (battery.closing_delivers_everything_and_then_the_end, Endless),
        (battery.closing_ends_our_own_side, Abrupt),
        (battery.closing_wakes_whoever_waits, Endless),
        (battery.a_lost_peer_wakes_a_blocked_sender, Deaf),
        (battery.a_lost_peer_ends_an_idle_receiver, Inventive),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_fault_is_found_by_its_check(
    check: Check, kind: Callable[[MemoryTransport], Faulty], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(battery, "BOUND_SECONDS", 1.0)
    with pytest.raises(CheckFailed, match=check_name(check)):
        asyncio.run(check_transport(wire(kind), [check]))


def test_every_check_is_seen_to_fail() -> None:
    """The list above names each of them; a new check needs its fault."""
    parameters = test_a_fault_is_found_by_its_check.pytestmark[0].args[1]
    assert {check for check, _ in parameters} == set(battery.CHECKS)
