"""The battery that every transport must pass, ours or anybody's.

A factory gives a connected pair; `check_transport(factory)` runs every check on a fresh one, and
`CHECKS` lets a test runner show one line per check. It knows no implementation.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import cast

from parley.errors import ConnectionClosed, ConnectionLost, TransportError
from parley.rpc.transport import Incoming, Transport

BOUND_SECONDS = 10.0
"""No wait of the battery is longer; a check that reaches it has failed."""
QUIET_SECONDS = 0.2
"""How long nothing must happen for the battery to believe that nothing will."""
MOST_BYTES = 32 * 1024 * 1024
"""A transport that takes more than this, while nobody receives, has no back-pressure."""


@dataclass(frozen=True, slots=True)
class TransportPair:
    """Two transports: what one sends the other receives."""

    near: Transport
    far: Transport
    lose_far: Callable[[], None]
    """Makes the far end go away without a word, as when its process is killed."""


Factory = Callable[[], AbstractAsyncContextManager[TransportPair]]
Check = Callable[[TransportPair], Awaitable[None]]


class CheckFailed(AssertionError):
    """A transport does not keep a promise; the text says which."""


async def check_transport(factory: Factory, checks: Sequence[Check] | None = None) -> None:
    """Run the checks, each on a pair of its own.

    Raises:
        CheckFailed: the transport breaks a promise.
    """
    for check in CHECKS if checks is None else checks:
        async with factory() as pair:
            try:
                async with asyncio.timeout(BOUND_SECONDS):
                    await check(pair)
            except TimeoutError:
                raise CheckFailed(f"{check_name(check)}: not done in time") from None
            except (CheckFailed, TransportError) as error:
                raise CheckFailed(f"{check_name(check)}: {error!r}") from error
            except ExceptionGroup as group:
                failed = _first(cast("BaseException", group))
                raise CheckFailed(f"{check_name(check)}: {failed!r}") from group


def check_name(check: Check) -> str:
    """The name of a check, for a test runner."""
    return getattr(check, "__name__", repr(check))


# Frames.


async def frames_arrive_whole_and_in_order(pair: TransportPair) -> None:
    """Both directions at once."""
    forth = [b'{"n":%d}' % number for number in range(100)]
    back = [b'{"m":%d}' % number for number in range(100)]
    for one, other in zip(forth, back, strict=True):
        pair.near.send(one)
        pair.far.send(other)
    _require_equal(await _take(pair.far, 100), forth, "what the far end received")
    _require_equal(await _take(pair.near, 100), back, "what the near end received")


async def sizes_around_every_boundary_arrive_whole(pair: TransportPair) -> None:
    """Buffers are powers of two, so frames just below, at and above them are tried."""
    sizes = [size + by for size in (1, 4096, 65536, 262144) for by in (-1, 0, 1) if size + by > 0]
    frames = [bytes([65 + number % 26]) * size for number, size in enumerate(sizes)]
    await _exchange(pair.near, pair.far, frames)


async def big_frames_arrive_whole(pair: TransportPair) -> None:
    """Several megabytes in one frame, with small ones before and behind."""
    await _exchange(
        pair.near, pair.far, [b"before", b"x" * 5_000_000, b"between", b"y" * 3_000_000]
    )
    await _exchange(pair.far, pair.near, [b"z" * 4_000_000, b"behind"])


async def many_frames_arrive_whole(pair: TransportPair) -> None:
    """Tens of thousands of small frames."""
    await _exchange(pair.near, pair.far, [b'{"number":%d}' % number for number in range(30_000)])


async def bytes_are_not_touched(pair: TransportPair) -> None:
    """Text of any language, bytes that are no text, and what is not a newline (STD-04)."""
    texts = ["äöü", "漢字 🙂", "a\u2028b\u2029c\u0085d", "tab\tand\x0bmore", '"\\n"', " spaces "]
    frames = [text.encode() for text in texts] + [b"\xff\xfe\x00\x80", b"inner\rreturn"]
    await _exchange(pair.near, pair.far, frames)


async def concurrent_senders_do_not_mix(pair: TransportPair) -> None:
    """Fifty tasks send at once; every frame stays whole and each task's order is kept (STD-13)."""

    async def work(sender: int) -> None:
        for number in range(20):
            pair.near.send(b"%d:%d:" % (sender, number) + b"x" * (1 + sender * 400))
            await pair.near.drain()

    async with asyncio.TaskGroup() as group:
        for sender in range(50):
            group.create_task(work(sender))
        received = await _take(pair.far, 1000)
    seen: dict[int, int] = {}
    for frame in received:
        sender, number, rest = _bytes_of(frame).split(b":")
        _require(rest == b"x" * (1 + int(sender) * 400), f"a frame of sender {sender!r} is mixed")
        _require(seen.get(int(sender), 0) == int(number), f"sender {sender!r} is out of order")
        seen[int(sender)] = int(number) + 1


# Waiting.


async def a_full_outbox_blocks_until_the_peer_receives(pair: TransportPair) -> None:
    """A peer that does not receive stops the sender, and nothing is lost by it (STD-14)."""
    sent = await _fill(pair.near)
    waiting = asyncio.Event()

    async def wait() -> None:
        waiting.set()
        await pair.near.drain()

    async with asyncio.TaskGroup() as group:
        blocked = group.create_task(wait())
        await waiting.wait()
        _require(not blocked.done(), "`drain` returned although nobody receives")
        received = await _take(pair.far, len(sent))
    _require_equal(received, sent, "what the far end received late")
    _require(not pair.near.blocked, "the outbox is empty and still called blocked")


async def cancelling_receive_loses_nothing(pair: TransportPair) -> None:
    """A wait for frames is given up again and again while frames arrive."""
    frames = [b"frame %d" % number for number in range(200)]
    received: list[Incoming] = []

    async def receive_once() -> None:
        received.extend(await pair.far.receive())

    for frame in frames:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(receive_once())
            await asyncio.sleep(0)
            pair.near.send(frame)
            await asyncio.sleep(0)
            task.cancel()
    if missing := len(frames) - len(received):
        received += await _take(pair.far, missing)
    _require_equal(received, frames, "what was received between cancellations")


async def drain_returns_at_once_when_little_waits(pair: TransportPair) -> None:
    """A sender pays nothing as long as the peer keeps up."""
    await pair.near.drain()
    pair.near.send(b"small")
    _require(not pair.near.blocked, "one small frame blocks")
    await pair.near.drain()
    await _take(pair.far, 1)


# Ends.


async def closing_delivers_everything_and_then_the_end(pair: TransportPair) -> None:
    """What was sent before closing arrives, then empty, and empty again."""
    frames = [b"last %d" % number for number in range(500)]
    for frame in frames:
        pair.near.send(frame)
    async with asyncio.TaskGroup() as group:
        group.create_task(pair.near.aclose())
        received = await _take(pair.far, len(frames))
    _require_equal(received, frames, "what arrived before the end")
    for _ in range(3):
        _require_equal(list(await pair.far.receive()), [], "the end")


async def closing_ends_our_own_side(pair: TransportPair) -> None:
    """A closed transport refuses to send, receives the end, and can be closed again."""
    await pair.near.aclose()
    for attempt in (_sending(pair.near), pair.near.drain):
        await _require_raises(attempt, ConnectionClosed, "after closing")
    _require_equal(list(await pair.near.receive()), [], "receiving after closing")
    await pair.near.aclose()
    await pair.near.aclose()


async def closing_wakes_whoever_waits(pair: TransportPair) -> None:
    """A receiver gets the end and a sender gets the refusal, though the peer does nothing."""
    await _fill(pair.near)

    async def receive() -> None:
        _require_equal(list(await pair.near.receive()), [], "receiving while it is closed")

    async def drain() -> None:
        await _require_raises(pair.near.drain, ConnectionClosed, "draining while it is closed")

    async with asyncio.TaskGroup() as group:
        group.create_task(receive())
        group.create_task(drain())
        await asyncio.sleep(0)
        group.create_task(pair.near.aclose())


async def a_lost_peer_wakes_a_blocked_sender(pair: TransportPair) -> None:
    """The peer vanishes while a write is blocked: everybody who waits is told."""
    await _fill(pair.near)

    async def lose() -> None:
        await _require_raises(pair.near.drain, ConnectionLost, "draining towards a lost peer")

    async with asyncio.TaskGroup() as group:
        group.create_task(lose())
        await asyncio.sleep(0)
        pair.lose_far()
    await _require_raises(pair.near.receive, ConnectionLost, "receiving from a lost peer")
    await _require_raises(_sending(pair.near), ConnectionLost, "sending to a lost peer")
    await pair.near.aclose()


async def a_lost_peer_ends_an_idle_receiver(pair: TransportPair) -> None:
    """The peer vanishes while nothing happens: that may look like an orderly end, but it ends."""
    pair.near.send(b"first")
    await _take(pair.far, 1)
    received: list[Incoming] = []

    async def receive() -> None:
        try:
            received.extend(await pair.near.receive())
        except ConnectionLost:
            return

    async with asyncio.TaskGroup() as group:
        group.create_task(receive())
        await asyncio.sleep(0)
        pair.lose_far()
    _require_equal(received, [], "what a lost peer said")


CHECKS: tuple[Check, ...] = (
    frames_arrive_whole_and_in_order,
    sizes_around_every_boundary_arrive_whole,
    big_frames_arrive_whole,
    many_frames_arrive_whole,
    bytes_are_not_touched,
    concurrent_senders_do_not_mix,
    a_full_outbox_blocks_until_the_peer_receives,
    cancelling_receive_loses_nothing,
    drain_returns_at_once_when_little_waits,
    closing_delivers_everything_and_then_the_end,
    closing_ends_our_own_side,
    closing_wakes_whoever_waits,
    a_lost_peer_wakes_a_blocked_sender,
    a_lost_peer_ends_an_idle_receiver,
)
"""Every check, in the order in which a new transport is best made to pass them."""


async def _exchange(sender: Transport, receiver: Transport, frames: Sequence[bytes]) -> None:
    async def send() -> None:
        for frame in frames:
            sender.send(frame)
            if sender.blocked:
                await sender.drain()

    async with asyncio.TaskGroup() as group:
        group.create_task(send())
        received = await _take(receiver, len(frames))
    _require_equal(received, list(frames), "what was received")


async def _take(transport: Transport, count: int) -> list[Incoming]:
    received: list[Incoming] = []
    while len(received) < count:
        frames = await transport.receive()
        _require(bool(frames), f"the end after {len(received)} of {count} frames")
        received += frames
    return received


async def _fill(sender: Transport) -> list[bytes]:
    """Send until nothing moves any more, and return what was sent."""
    sent: list[bytes] = []
    size = 0
    while True:
        frame = b"%d:" % len(sent) + b"x" * 8000
        sender.send(frame)
        sent.append(frame)
        size += len(frame)
        _require(size < MOST_BYTES, "no back-pressure: the outbox takes everything")
        if sender.blocked:
            try:
                async with asyncio.timeout(QUIET_SECONDS):
                    await sender.drain()
            except TimeoutError:
                return sent


def _sending(transport: Transport) -> Callable[[], Awaitable[None]]:
    async def send() -> None:
        transport.send(b"late")

    return send


def _bytes_of(frame: Incoming) -> bytes:
    if not isinstance(frame, bytes):
        raise CheckFailed("a frame below the limit was called oversize")
    return frame


def _first(error: BaseException) -> BaseException:
    """The first error in a group of groups: the others are mostly its consequences."""
    inner: Sequence[BaseException] = getattr(error, "exceptions", ())
    return _first(inner[0]) if inner else error


def _require(condition: bool, otherwise: str) -> None:
    if not condition:
        raise CheckFailed(otherwise)


def _require_equal(found: Sequence[Incoming], wanted: Sequence[Incoming], what: str) -> None:
    if list(found) != list(wanted):
        shown = [str(each)[:60] for each in list(found)[:3]]
        raise CheckFailed(f"{what}: {len(found)} frames instead of {len(wanted)}, first {shown}")


async def _require_raises(
    attempt: Callable[[], Awaitable[object]], wanted: type[TransportError], when: str
) -> None:
    try:
        await attempt()
    except TransportError as error:
        _require(isinstance(error, wanted), f"{when}: {error!r} instead of {wanted.__name__}")
        return
    raise CheckFailed(f"{when}: no {wanted.__name__}")
