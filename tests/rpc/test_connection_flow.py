"""Order and flow: updates before answers, slow handlers slow the peer, and nothing deadlocks."""

import asyncio
import json

import pytest

from parley.rpc.connection import Connection, Limits
from parley.rpc.lane import ENTRY_OVERHEAD
from parley.rpc.message import Notification, Payload
from parley.rpc.peer import Call, Peer
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

SMALL = Limits(max_calls=2, backlog_bytes=4 * ENTRY_OVERHEAD)


# Order.


@pytest.mark.parametrize("waits", [False, True])
def test_a_thousand_updates_are_handled_before_the_answer_behind_them(waits: bool) -> None:
    async def scenario() -> None:
        seen: list[int] = []

        def at_once(note: Notification) -> None:
            seen.append(json.loads(bytes(note.params)))

        async def slowly(note: Notification) -> None:
            await asyncio.sleep(0)
            at_once(note)

        async def prompt(_: Call) -> Payload:
            for number in range(1000):
                await agent.notify("update", b"%d" % number)
            return b'"done"'

        ours, theirs = memory_pair()  # RPC-27
        agent = connect(theirs, prompt)
        async with agent, connect(ours, on_notification=slowly if waits else at_once) as client:
            answer = await client.request("prompt")
            assert (bytes(answer), seen) == (b'"done"', list(range(1000)))

    run(scenario)


def test_calls_and_answers_wait_behind_a_handler_that_has_not_finished() -> None:
    async def scenario() -> None:
        log: list[object] = []
        gate = asyncio.Event()

        async def handler(note: Notification) -> None:
            await gate.wait()
            log.append(note.method)

        async def called(call: Call) -> Payload:
            log.append(call.id)
            return b"1"

        wire = Wire()
        async with connect(wire, called, handler) as connection:
            task = asyncio.create_task(connection.request("m"))
            await until(lambda: wire.sent)
            wire.feed(notification("first"), request("call"), response(1), notification("last"))
            await settle()
            assert (log, task.done()) == ([], False)
            gate.set()
            await task
            await until(lambda: len(log) == 3)
            assert log[0] == "first"
            assert sorted(map(str, log[1:])) == ["call", "last"]

    run(scenario)


def test_a_call_that_is_cancelled_behind_an_unfinished_handler_never_runs() -> None:
    async def scenario() -> None:
        ran: list[object] = []
        gate = asyncio.Event()

        async def handler(_: Notification) -> None:
            await gate.wait()

        async def called(call: Call) -> Payload:
            ran.append(call.id)
            return b"1"

        wire = Wire()
        async with connect(wire, called, handler):
            wire.feed(notification(), request(1), cancellation(1), request(2))
            await until(lambda: wire.sent)
            assert wire.answers[0]["error"]["code"] == -32800
            gate.set()
            await until(lambda: len(wire.sent) == 2)
            assert ran == [2]

    run(scenario)


def test_a_handler_that_cancels_itself_does_not_hold_up_what_is_behind_it() -> None:
    async def scenario() -> None:
        async def handler(_: Notification) -> None:
            await asyncio.sleep(0)
            raise asyncio.CancelledError

        wire = Wire()
        async with connect(wire, on_notification=handler):
            wire.feed(notification(), request(1))
            await until(lambda: wire.sent)

    run(scenario)


def test_a_handler_in_an_array_holds_up_what_is_behind_it_too() -> None:
    async def scenario() -> None:
        gate = asyncio.Event()

        async def handler(_: Notification) -> None:
            await gate.wait()

        wire = Wire()
        async with connect(wire, on_notification=handler, peer=Peer(process_batches=True)):
            wire.feed(b"[%b,%b]" % (notification(), request(1)))
            await settle()
            assert wire.sent == []
            gate.set()
            await until(lambda: wire.sent)

    run(scenario)


def test_two_peers_that_stream_at_each_other_both_get_through() -> None:
    async def scenario() -> None:
        seen: list[bytes] = []

        def handler(note: Notification) -> None:
            seen.append(bytes(note.params))

        async def stream(connection: Connection) -> None:
            for _ in range(500):
                await connection.notify("n", b'"%b"' % (b"x" * 100))

        ours, theirs = memory_pair(high_water=1000)
        async with (
            connect(ours, on_notification=handler) as one,
            connect(theirs, on_notification=handler) as other,
        ):
            await asyncio.gather(*(stream(each) for each in (one, other, one, other)))
            await until(lambda: len(seen) == 2000)

    run(scenario)


# Slow handlers.


def test_a_blocked_handler_stops_the_reading_and_the_sender() -> None:
    async def scenario() -> None:
        gate = asyncio.Event()
        seen: list[int] = []

        async def handler(note: Notification) -> None:
            await gate.wait()
            seen.append(len(seen))

        ours, theirs = memory_pair(high_water=2000)
        limits = Limits(backlog_bytes=10_000)
        async with (
            connect(ours, on_notification=handler, limits=limits),
            connect(theirs) as sender,
        ):
            sent = 0

            async def stream() -> None:
                nonlocal sent
                while sent < 2000:
                    await sender.notify("n", b'"%b"' % (b"x" * 40))
                    sent += 1

            task = asyncio.create_task(stream())
            await until(lambda: theirs.blocked)
            await settle(100)
            assert sent < 200
            assert not task.done()
            gate.set()
            await task
            await until(lambda: len(seen) == 2000)

    run(scenario)


def test_many_tiny_notifications_count_for_more_than_their_bytes() -> None:
    async def scenario() -> None:
        gate = asyncio.Event()

        async def handler(_: Notification) -> None:
            await gate.wait()

        wire = Wire()
        async with connect(wire, on_notification=handler, limits=SMALL):
            for _ in range(20):
                wire.feed(notification())
                await settle(5)
            assert wire.receives < 8
            gate.set()
            await until(lambda: wire.receives > 1)

    run(scenario)


# Handlers that ask.


def test_a_notification_handler_may_ask_the_peer() -> None:
    async def scenario() -> None:
        answers: list[bytes] = []

        async def handler(note: Notification) -> None:
            answers.append(bytes(await client.request("question", note.params)))

        async def answer(call: Call) -> Payload:
            return call.params

        ours, theirs = memory_pair()  # RPC-28
        client = connect(ours, on_notification=handler)
        async with client, connect(theirs, answer) as agent:
            for number in range(50):
                await agent.notify("n", b"%d" % number)
            await until(lambda: len(answers) == 50)
            assert answers == [b"%d" % number for number in range(50)]

    run(scenario)


def test_questions_may_be_nested_through_both_peers() -> None:
    async def scenario() -> None:
        done: list[bytes] = []

        async def notified(_: Notification) -> None:
            done.append(bytes(await client.request("first")))

        async def client_called(_: Call) -> Payload:
            return await client.request("third")

        async def agent_called(call: Call) -> Payload:
            return await agent.request("second") if call.method == "first" else b'"third"'

        ours, theirs = memory_pair()  # RPC-28
        client = connect(ours, client_called, notified)
        agent = connect(theirs, agent_called)
        async with client, agent:
            await agent.notify("n")
            await agent.notify("n")
            await until(lambda: len(done) == 2)
            assert done == [b'"third"'] * 2

    run(scenario)


def test_a_call_handler_may_ask_while_the_request_of_its_peer_is_open() -> None:
    async def scenario() -> None:
        async def prompt(_: Call) -> Payload:
            return await agent.request("permission")

        async def permit(_: Call) -> Payload:
            return b'"allowed"'

        ours, theirs = memory_pair()  # RPC-28
        agent = connect(theirs, prompt)
        async with agent, connect(ours, permit) as client:
            assert bytes(await client.request("prompt")) == b'"allowed"'

    run(scenario)


def test_a_handler_that_asks_when_the_reading_has_stopped_starts_it_again() -> None:
    async def scenario() -> None:
        gate = asyncio.Event()
        answers: list[bytes] = []

        async def handler(_: Notification) -> None:
            if not gate.is_set():
                await gate.wait()
                answers.append(bytes(await connection.request("question")))

        wire = Wire()
        connection = connect(wire, on_notification=handler, limits=SMALL)
        async with connection:
            wire.feed(*(notification() for _ in range(8)))
            await settle()
            wire.feed(response(1, "answer"))
            await settle()
            assert wire.receives == 1
            gate.set()
            await until(lambda: answers)
            assert answers == [b'"answer"']

    run(scenario)


def test_answers_that_were_queued_pass_when_the_handler_asks() -> None:
    async def scenario() -> None:
        gate = asyncio.Event()

        async def handler(_: Notification) -> None:
            await gate.wait()
            await connection.request("question")

        wire = Wire()
        connection = connect(wire, on_notification=handler)
        async with connection:
            other = asyncio.create_task(connection.request("other"))
            await until(lambda: wire.sent)
            wire.feed(notification(), response(1, 1))
            await settle()
            assert not other.done()
            gate.set()
            assert bytes(await other) == b"1"
            assert len(wire.sent) == 2

    run(scenario)


# Calls of a peer that does not read.


def test_a_peer_that_asks_and_does_not_read_is_stopped_and_recovers() -> None:
    async def scenario() -> None:
        async def echo(call: Call) -> Payload:
            return call.params

        wire = Wire()
        limits = Limits(max_calls=4, backlog_bytes=4 * ENTRY_OVERHEAD)
        async with connect(wire, echo, limits=limits) as connection:
            wire.blocked = True
            for id_ in range(100):
                wire.feed(request(id_, params=id_))
                await settle(3)
            assert connection.peer.open_calls <= 8
            assert wire.sent == []
            wire.unblock()
            await until(lambda: len(wire.sent) == 100)
            assert {answer["result"] for answer in wire.answers} == set(range(100))

    run(scenario)


def test_answers_are_still_read_when_all_calls_wait_for_one() -> None:
    async def scenario() -> None:
        async def handler(_: Call) -> Payload:
            return await connection.request("question")

        wire = Wire()
        connection = connect(wire, handler, limits=SMALL)
        async with connection:
            for id_ in range(10):
                wire.feed(request(id_))
                await settle(3)
            wire.feed(*(response(id_, id_) for id_ in range(1, 11)))
            await until(lambda: len(wire.sent) >= 4)

    run(scenario)


def test_a_request_starts_the_reading_again_that_waiting_calls_had_stopped() -> None:
    async def scenario() -> None:
        gate = asyncio.Event()

        async def handler(_: Call) -> Payload:
            await gate.wait()
            return b"1"

        wire = Wire()
        async with connect(wire, handler, limits=SMALL) as connection:
            wire.feed(*(request(id_) for id_ in range(8)))
            await settle()
            assert wire.receives == 1
            wire.feed(response(1, "answer"))
            assert bytes(await connection.request("m")) == b'"answer"'
            gate.set()

    run(scenario)
