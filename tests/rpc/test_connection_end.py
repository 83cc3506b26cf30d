"""How a conversation ends: by us, by the peer, by accident, from inside, twice, or too early."""

import asyncio
import contextlib

import pytest

from parley.errors import ConnectionClosed, ConnectionLost
from parley.rpc.connection import Connection, Limits
from parley.rpc.message import Notification, Payload
from parley.rpc.peer import Call
from parley.transport.memory import memory_pair
from tests.rpc.wire import (
    Wire,
    cancellation,
    connect,
    notification,
    request,
    response,
    run,
    settle,
    until,
)

FOREVER = Limits(end_grace=5.0, cancel_grace=5.0)
"""Graces so long that a test which uses them up fails."""


def test_closing_with_ten_open_both_ways_ends_them_all_and_leaves_no_task() -> None:
    async def scenario() -> None:
        ended: list[str] = []

        async def handler(_: Call) -> Payload:
            try:
                await asyncio.Event().wait()
            finally:
                ended.append("call")
            return b""

        before = asyncio.all_tasks()
        wire = Wire()  # RPC-26
        async with connect(wire, handler) as connection:
            asked = [asyncio.create_task(connection.request("m")) for _ in range(10)]
            wire.feed(*(request(id_) for id_ in range(10)))
            await until(lambda: len(wire.sent) == 10 and connection.peer.open_calls == 10)
            await settle()
        failures = await asyncio.gather(*asked, return_exceptions=True)
        assert [type(failure) for failure in failures] == [ConnectionClosed] * 10
        assert len({id(failure) for failure in failures}) == 10
        assert (len(ended), wire.closed) == (10, True)
        assert asyncio.all_tasks() == before

    run(scenario)


def test_no_cancellation_is_sent_for_requests_that_the_end_fails() -> None:
    async def scenario() -> None:
        wire = Wire()
        async with connect(wire) as connection:
            task = asyncio.create_task(connection.request("m"))
            await until(lambda: wire.sent)
        await asyncio.wait([task])
        assert len(wire.sent) == 1

    run(scenario)


@pytest.mark.parametrize("graceful", [True, False])
def test_both_ends_of_a_pair_see_how_it_ended(graceful: bool) -> None:
    async def scenario() -> None:
        ours, theirs = memory_pair()
        async with connect(ours) as connection, connect(theirs) as peer:
            task = asyncio.create_task(connection.request("m"))
            await settle()
            if graceful:
                await peer.aclose()
            else:
                theirs.break_("it broke")
            await connection.wait_closed()
            await asyncio.wait([task])
            assert type(connection.end) is (ConnectionClosed if graceful else ConnectionLost)

    run(scenario)


def test_a_lost_connection_fails_requests_with_what_was_lost() -> None:
    async def scenario() -> None:
        wire = Wire()
        async with connect(wire) as connection:
            task = asyncio.create_task(connection.request("m"))
            await until(lambda: wire.sent)
            wire.lose(ConnectionLost("exit status 3"))
            with pytest.raises(ConnectionLost, match="exit status 3"):
                await task
            with pytest.raises(ConnectionLost, match="exit status 3"):
                await connection.request("m")

    run(scenario)


def test_the_end_of_the_stream_gives_open_calls_time_to_finish() -> None:
    async def scenario() -> None:
        gate = asyncio.Event()

        async def handler(_: Call) -> Payload:
            await gate.wait()
            return b"1"

        wire = Wire()
        connection = connect(wire, handler, limits=Limits(max_calls=1, end_grace=5.0))
        wire.feed(request(1), request(2))
        wire.end()
        served = asyncio.create_task(connection.run())
        await settle()
        gate.set()
        await served
        assert [answer["result"] for answer in wire.answers] == [1, 1]

    run(scenario)


def test_the_end_of_the_stream_gives_an_unfinished_handler_time_to_finish() -> None:
    async def scenario() -> None:
        seen: list[str] = []
        gate = asyncio.Event()

        async def handler(note: Notification) -> None:
            await gate.wait()
            seen.append(note.method)

        wire = Wire()
        connection = connect(wire, on_notification=handler, limits=FOREVER)
        wire.feed(notification("a"), notification("b"), request(1))
        wire.end()
        served = asyncio.create_task(connection.run())
        await settle()
        gate.set()
        await served
        assert (seen, len(wire.sent)) == (["a", "b"], 1)

    run(scenario)


def test_after_the_grace_calls_are_cancelled() -> None:
    async def scenario() -> None:
        async def handler(_: Call) -> Payload:
            await asyncio.Event().wait()
            return b""

        wire = Wire()
        connection = connect(wire, handler, limits=Limits(end_grace=0.01))
        wire.feed(request(1))
        wire.end()
        await connection.run()
        assert [answer["error"]["code"] for answer in wire.answers] == [-32800]

    run(scenario)


def test_a_call_that_does_not_stop_is_left_behind() -> None:
    async def scenario() -> None:
        gate = asyncio.Event()

        async def handler(_: Call) -> Payload:
            while not gate.is_set():
                with contextlib.suppress(asyncio.CancelledError):
                    await gate.wait()
            return b""

        wire = Wire()
        async with connect(wire, handler, limits=Limits(cancel_grace=0.01)) as connection:
            wire.feed(request(1))
            await until(lambda: connection.peer.open_calls)
            await settle()
        assert wire.closed
        gate.set()
        await until(lambda: not connection.peer.open_calls)

    run(scenario)


def test_calls_that_wait_for_a_peer_which_does_not_read_end_at_once() -> None:
    async def scenario() -> None:
        async def handler(call: Call) -> Payload:
            if call.id == 2:
                await asyncio.Event().wait()
            return b"1"

        before = asyncio.all_tasks()
        wire = Wire()
        async with connect(wire, handler, limits=FOREVER) as connection:
            wire.blocked = True
            wire.feed(request(1), request(2))
            await until(lambda: connection.peer.open_calls == 1)
            await settle()
        assert asyncio.all_tasks() == before

    run(scenario)


def test_sending_after_the_end_raises() -> None:
    async def scenario() -> None:
        wire = Wire()
        async with connect(wire) as connection:
            pass
        for send in (connection.request, connection.notify):
            with pytest.raises(ConnectionClosed):
                await send("m")
        with pytest.raises(ConnectionClosed):
            connection.post("m")
        assert wire.sent == []

    run(scenario)


def test_a_request_that_waits_to_be_sent_fails_when_the_peer_ends() -> None:
    async def scenario() -> None:
        gate = asyncio.Event()

        async def handler(_: Call) -> Payload:
            await gate.wait()
            return b""

        wire = Wire()
        async with connect(wire, handler, limits=FOREVER) as connection:
            wire.blocked = True
            asked = asyncio.create_task(connection.request("m"))
            wire.feed(request(1))
            await until(lambda: connection.peer.open_calls)
            wire.end()
            await until(lambda: connection.end)
            wire.unblock()
            with pytest.raises(ConnectionClosed):
                await asked
            gate.set()

    run(scenario)


def test_closing_before_the_first_step_closes_the_transport() -> None:
    async def scenario() -> None:
        wire = Wire()
        connection = connect(wire)
        with pytest.raises(ZeroDivisionError):
            async with connection:
                _ = 1 / 0
        assert wire.closed
        await connection.wait_closed()

    run(scenario)


def test_closing_what_never_ran_closes_the_transport() -> None:
    async def scenario() -> None:
        wire = Wire()
        connection = connect(wire)
        await connection.aclose()
        await connection.aclose()
        assert wire.closed

    run(scenario)


def test_closing_right_behind_a_message_leaves_no_coroutine_unawaited() -> None:
    async def scenario() -> None:
        async def handler(_: Notification) -> None:
            await asyncio.Event().wait()

        async def answer(_: Call) -> Payload:
            await asyncio.Event().wait()
            return b""

        before = asyncio.all_tasks()
        wire = Wire()
        async with connect(wire, answer, handler, limits=FOREVER) as connection:
            wire.feed(request(1), notification())
            await until(lambda: connection.peer.open_calls)
        assert asyncio.all_tasks() == before

    run(scenario)


def test_closing_from_two_places_at_once_closes_once() -> None:
    async def scenario() -> None:
        cleaned: list[str] = []

        async def handler(_: Call) -> Payload:
            try:
                await asyncio.Event().wait()
            finally:
                await settle()
                cleaned.append("yes")
            return b""

        wire = Wire()
        async with connect(wire, handler, limits=FOREVER) as connection:
            wire.feed(request(1))
            await until(lambda: connection.peer.open_calls)
            await settle()
            first = asyncio.create_task(connection.aclose())
            await settle(3)
            await asyncio.gather(first, connection.aclose())
            assert (cleaned, wire.closed) == (["yes"], True)

    run(scenario)


def test_closing_cancels_a_call_again_that_still_cleans_up() -> None:
    async def scenario() -> None:
        async def handler(_: Call) -> Payload:
            try:
                await asyncio.Event().wait()
            finally:
                await asyncio.Event().wait()
            return b""

        before = asyncio.all_tasks()
        wire = Wire()
        async with connect(wire, handler, limits=FOREVER) as connection:
            wire.feed(request(1))
            await until(lambda: connection.peer.open_calls)
            await settle()
            wire.feed(cancellation(1))
            await settle()
        assert [answer["error"]["code"] for answer in wire.answers] == [-32800]
        assert asyncio.all_tasks() == before

    run(scenario)


def test_closing_during_the_grace_waits_for_the_end() -> None:
    async def scenario() -> None:
        async def handler(_: Call) -> Payload:
            await asyncio.Event().wait()
            return b""

        wire = Wire()
        async with connect(wire, handler, limits=Limits(end_grace=0.05)) as connection:
            wire.feed(request(1))
            wire.end()
            await until(lambda: connection.end)
            await connection.aclose()
            assert wire.closed
            assert [answer["error"]["code"] for answer in wire.answers] == [-32800]

    run(scenario)


def test_cancelling_the_server_during_the_grace_hurries_it() -> None:
    async def scenario() -> None:
        async def handler(_: Call) -> Payload:
            await asyncio.Event().wait()
            return b""

        before = asyncio.all_tasks()
        wire = Wire()
        connection = connect(wire, handler, limits=FOREVER)
        wire.feed(request(1))
        wire.end()
        served = asyncio.create_task(connection.run())
        await until(lambda: connection.end)
        served.cancel()
        await asyncio.wait([served])
        assert (served.cancelled(), wire.closed) == (True, True)
        assert asyncio.all_tasks() == before

    run(scenario)


@pytest.mark.parametrize("in_background", [True, False])
def test_a_handler_may_close_its_own_connection(in_background: bool) -> None:
    async def scenario() -> None:
        async def handler(_: Call) -> Payload:
            await connection.aclose()
            return b""

        wire = Wire()
        connection: Connection = connect(wire, handler, limits=FOREVER)
        wire.feed(request(1))
        if in_background:
            async with connection:
                await connection.wait_closed()
        else:
            await connection.run()
        assert wire.closed

    run(scenario)


def test_a_caller_that_gives_up_closing_does_not_stop_it() -> None:
    async def scenario() -> None:
        gate = asyncio.Event()

        async def handler(_: Call) -> Payload:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
            await gate.wait()
            return b""

        wire = Wire()
        async with connect(wire, handler, limits=FOREVER) as connection:
            wire.feed(request(1))
            await until(lambda: connection.peer.open_calls)
            await settle()
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.01):
                    await connection.aclose()
            gate.set()
            await connection.wait_closed()
            assert wire.closed

    run(scenario)


def test_an_answer_behind_a_stuck_handler_still_reaches_its_caller_at_the_end() -> None:
    async def scenario() -> None:
        async def stuck(_: Notification) -> None:
            await asyncio.Event().wait()

        wire = Wire()
        async with connect(wire, on_notification=stuck) as connection:
            task = asyncio.create_task(connection.request("m"))
            await until(lambda: wire.sent)
            wire.feed(notification(), response(1, 5))
            await until(lambda: not connection.peer.pending_requests)
            assert not task.done()
        assert bytes(await task) == b"5"

    run(scenario)


def test_a_reply_to_a_lost_peer_is_dropped() -> None:
    async def scenario() -> None:
        wire = Wire()
        async with connect(wire) as connection:
            await wire.aclose()
            wire.feed("{")
            await connection.wait_closed()
            assert (connection.faults, wire.sent) == ({"not JSON": 1}, [])

    run(scenario)
