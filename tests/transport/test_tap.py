"""The tap: the battery passes through it, and it reports what passes."""

import itertools

import pytest

from parley.conformance.check_transport import CHECKS, Check, check_name, check_transport
from parley.errors import ConnectionClosed
from parley.rpc.transport import Oversize
from parley.transport.memory import memory_pair
from parley.transport.tap import TappedFrame, TapTransport
from tests.transport.wires import run, tap_wire


@pytest.mark.parametrize("check", CHECKS, ids=check_name)
def test_the_battery_passes(check: Check) -> None:
    run(lambda: check_transport(tap_wire, [check]))


def test_every_frame_is_reported_with_time_and_direction() -> None:
    async def scenario() -> None:
        near, far = memory_pair(limit=4)
        seen: list[TappedFrame] = []
        ticks = itertools.count()
        tap = TapTransport(near, seen.append, clock=lambda: float(next(ticks)))
        tap.send(b"out")
        far.send(b"not json {")
        far.send(b"in")
        assert await tap.receive() == [Oversize(10, b"not json {", 4), b"in"]
        assert seen == [
            TappedFrame(0.0, "out", b"out"),
            TappedFrame(1.0, "in", Oversize(10, b"not json {", 4)),
            TappedFrame(1.0, "in", b"in"),
        ]

    run(scenario)


def test_a_frame_that_was_refused_is_not_reported() -> None:
    async def scenario() -> None:
        near, _ = memory_pair()
        seen: list[TappedFrame] = []
        tap = TapTransport(near, seen.append)
        await tap.aclose()
        with pytest.raises(ConnectionClosed):
            tap.send(b"late")
        assert seen == []

    run(scenario)
