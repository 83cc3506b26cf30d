"""The driver on descriptors: the battery over pipes and sockets, and what the ends mean."""

import asyncio
import os
import socket

import pytest

from parley.conformance.check_transport import CHECKS, Check, check_name, check_transport
from parley.errors import ConnectionClosed, ConnectionLost
from parley.process.descriptor import owned
from parley.rpc.transport import Oversize
from parley.transport.pipe import PipeLimits, PipeTransport
from tests.transport.wires import on_socket, pipe_transports, pipe_wire, run, socket_wire


@pytest.mark.parametrize("check", CHECKS, ids=check_name)
def test_the_battery_passes_over_pipes(check: Check) -> None:
    run(lambda: check_transport(pipe_wire, [check]))


@pytest.mark.parametrize("check", CHECKS, ids=check_name)
def test_the_battery_passes_over_a_socket(check: Check) -> None:
    run(lambda: check_transport(socket_wire, [check]))


def test_a_frame_over_the_limit_arrives_as_oversize_and_the_stream_goes_on() -> None:
    async def scenario() -> None:
        near, far = pipe_transports(PipeLimits(frame_bytes=10))
        for frame in (b"a", b"x" * 100_000, b"b"):
            near.send(frame)
        received = [await far.receive()]
        while received[-1][-1] != b"b":
            received.append(await far.receive())
        assert [frame for frames in received for frame in frames] == [
            b"a",
            Oversize(100_000, b"x" * 4096, 10),
            b"b",
        ]
        await near.aclose()
        await far.aclose()

    run(scenario)


def test_a_peer_that_closes_both_directions_while_all_is_said_has_ended_in_order() -> None:
    async def scenario() -> None:
        near, far = pipe_transports()
        far.send(b"goodbye")
        await far.aclose()
        assert await near.receive() == [b"goodbye"]
        assert await near.receive() == []
        with pytest.raises(ConnectionLost):
            await _send_until_refused(near)
        await near.aclose()

    run(scenario)


def test_a_broken_write_end_is_noticed_while_nothing_is_written() -> None:
    async def scenario() -> None:
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        near = PipeTransport(owned(ours_in), owned(ours_out))
        async with asyncio.TaskGroup() as group:
            receiving = group.create_task(_lost(near))
            await asyncio.sleep(0)
            os.close(theirs_in)
            assert "closed its end" in await receiving
        with pytest.raises(ConnectionLost):
            near.send(b"late")
        await near.aclose()
        os.close(theirs_out)

    run(scenario)


def test_what_a_peer_said_before_it_broke_is_still_received() -> None:
    async def scenario() -> None:
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        near = PipeTransport(owned(ours_in), owned(ours_out))
        os.write(theirs_out, b"said before\nunfinished")
        os.close(theirs_in)
        assert await near.receive() == [b"said before"]
        assert await near.receive() == [b"unfinished"]
        assert "closed its end" in await _lost(near)
        await near.aclose()
        os.close(theirs_out)

    run(scenario)


def test_bytes_for_the_receiving_half_of_a_socket_do_not_look_like_a_break() -> None:
    async def scenario() -> None:
        near, far = map(on_socket, socket.socketpair())
        for number in range(3):
            far.send(b"%d" % number)
            assert await near.receive() == [b"%d" % number]
        near.send(b"still here")
        assert await far.receive() == [b"still here"]
        await near.aclose()
        await far.aclose()

    run(scenario)


def test_what_is_still_in_the_outbox_leaves_before_the_transport_is_closed() -> None:
    async def scenario() -> None:
        near, far = pipe_transports()
        near.send(b"x" * 1_000_000)
        async with asyncio.TaskGroup() as group:
            group.create_task(near.aclose())
            assert await far.receive() == [b"x" * 1_000_000]
        await far.aclose()

    run(scenario)


def test_closing_gives_up_on_a_peer_that_does_not_read() -> None:
    async def scenario() -> None:
        near, far = pipe_transports(PipeLimits(flush_seconds=0.05))
        near.send(b"x" * 10_000_000)
        await near.aclose()
        with pytest.raises(ConnectionClosed):
            near.send(b"late")
        await far.aclose()

    run(scenario)


def test_the_end_is_told_once_the_last_frame_was_handed_out() -> None:
    async def scenario() -> None:
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        told: list[int] = []
        near = PipeTransport(
            owned(ours_in), owned(ours_out), on_end=lambda: told.append(near.handed_out)
        )
        os.write(theirs_out, b"one\n")
        os.close(theirs_out)
        assert await near.receive() == [b"one"]
        assert await near.receive() == []
        assert told == [1]
        await near.aclose()
        os.close(theirs_in)

    run(scenario)


async def _lost(transport: PipeTransport) -> str:
    with pytest.raises(ConnectionLost) as caught:
        await transport.receive()
    return str(caught.value)


async def _send_until_refused(transport: PipeTransport) -> None:
    while True:
        transport.send(b"late")
        await asyncio.sleep(0)
