"""The memory transport: the battery, its own bounds, and breaking it on purpose."""

import asyncio

import pytest

from parley.conformance.check_transport import CHECKS, Check, check_name, check_transport
from parley.errors import ConnectionClosed, ConnectionLost
from parley.rpc.transport import Oversize
from parley.transport.memory import memory_pair
from tests.transport.wires import memory_wire, run


@pytest.mark.parametrize("check", CHECKS, ids=check_name)
def test_the_battery_passes(check: Check) -> None:
    run(lambda: check_transport(memory_wire, [check]))


def test_a_frame_over_the_limit_arrives_as_oversize() -> None:
    async def scenario() -> None:
        near, far = memory_pair(limit=5)
        near.send(b"12345")
        near.send(b"123456")
        assert await far.receive() == [b"12345", Oversize(6, b"123456", 5)]

    run(scenario)


def test_the_mark_is_counted_in_bytes_that_nobody_has_received() -> None:
    async def scenario() -> None:
        near, far = memory_pair(high_water=10)
        near.send(b"1234567890")
        assert not near.blocked
        near.send(b"1")
        assert near.blocked
        assert not far.blocked
        await far.receive()
        assert not near.blocked

    run(scenario)


def test_a_broken_wire_gives_what_was_sent_and_then_the_reason() -> None:
    async def scenario() -> None:
        near, far = memory_pair()
        near.send(b"before")
        near.break_("the cable was cut")
        assert await far.receive() == [b"before"]
        for end in (near, far):
            with pytest.raises(ConnectionLost, match="cable"):
                await end.receive()
            with pytest.raises(ConnectionLost, match="cable"):
                end.send(b"after")

    run(scenario)


def test_sending_to_a_peer_that_closed_is_a_loss() -> None:
    async def scenario() -> None:
        near, far = memory_pair()
        await far.aclose()
        with pytest.raises(ConnectionLost, match="closed"):
            near.send(b"late")
        with pytest.raises(ConnectionClosed):
            far.send(b"late")

    run(scenario)


def test_only_one_task_may_receive() -> None:
    async def scenario() -> None:
        near, far = memory_pair()
        async with asyncio.TaskGroup() as group:
            group.create_task(near.receive())
            await asyncio.sleep(0)
            with pytest.raises(RuntimeError, match="already receiving"):
                await near.receive()
            far.send(b"x")

    run(scenario)


def test_a_sender_that_gave_up_waiting_does_not_disturb_the_others() -> None:
    async def scenario() -> None:
        near, far = memory_pair(high_water=1)
        near.send(b"xx")
        async with asyncio.TaskGroup() as group:
            impatient = group.create_task(near.drain())
            group.create_task(near.drain())
            await asyncio.sleep(0)
            impatient.cancel()
            assert await far.receive() == [b"xx"]

    run(scenario)
