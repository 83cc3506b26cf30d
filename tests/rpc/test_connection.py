"""The driver: requests, notifications, calls, deadlines and faults over a played transport."""

import asyncio
import json
import logging

import pytest

from parley.errors import (
    ConnectionClosed,
    MethodNotFound,
    RemoteProtocolError,
    RequestTimeout,
    RpcError,
)
from parley.rpc.connection import Connection, Limits
from parley.rpc.message import Notification, Payload
from parley.rpc.peer import Call, Peer
from parley.rpc.transport import Oversize
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

# Requests of ours.


def test_a_request_waits_for_its_answer() -> None:
    async def scenario() -> None:
        wire = Wire()
        async with connect(wire) as connection:
            task = asyncio.create_task(connection.request("a/b", b"[1]"))
            await until(lambda: wire.sent)
            assert wire.sent == [b'{"jsonrpc":"2.0","id":1,"method":"a/b","params":[1]}']
            wire.feed(response(1, {"x": 1}))
            assert json.loads(bytes(await task)) == {"x": 1}

    run(scenario)


def test_answers_in_reverse_order_reach_the_right_callers() -> None:
    async def scenario() -> None:
        wire = Wire()  # RPC-14
        async with connect(wire) as connection:
            tasks = [asyncio.create_task(connection.request("m")) for _ in range(3)]
            await until(lambda: len(wire.sent) == 3)
            wire.feed(*(response(id_, id_) for id_ in (3, 2, 1)))
            assert [bytes(await task) for task in tasks] == [b"1", b"2", b"3"]

    run(scenario)


def test_an_error_of_the_peer_is_raised_as_the_class_of_its_code() -> None:
    async def scenario() -> None:
        wire = Wire()
        async with connect(wire) as connection:
            task = asyncio.create_task(connection.request("m"))
            await until(lambda: wire.sent)
            wire.feed('{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no","data":5}}')
            with pytest.raises(MethodNotFound) as caught:
                await task
            assert (caught.value.message, caught.value.data) == ("no", 5)

    run(scenario)


def test_an_answer_that_is_none_raises_and_counts_as_a_fault() -> None:
    async def scenario() -> None:
        wire = Wire()
        async with connect(wire) as connection:
            task = asyncio.create_task(connection.request("m"))
            await until(lambda: wire.sent)
            wire.feed('{"jsonrpc":"2.0","id":1,"error":"x"}')
            with pytest.raises(RemoteProtocolError):
                await task
            assert connection.faults == {"`error` is not an error object": 1}

    run(scenario)


def test_the_same_id_may_be_open_both_ways() -> None:
    async def scenario() -> None:
        gate = asyncio.Event()

        async def handler(_: Call) -> Payload:
            await gate.wait()
            return b'"ours"'

        wire = Wire()  # RPC-12
        async with connect(wire, handler) as connection:
            task = asyncio.create_task(connection.request("m"))
            wire.feed(request(1))
            await until(lambda: wire.sent and connection.peer.open_calls)
            wire.feed(response(1, "theirs"))
            assert bytes(await task) == b'"theirs"'
            gate.set()
            await until(lambda: len(wire.sent) == 2)
            assert wire.answers[1] == {"jsonrpc": "2.0", "id": 1, "result": "ours"}

    run(scenario)


def test_cancelling_the_wait_tells_the_peer_and_swallows_the_late_answer() -> None:
    async def scenario() -> None:
        wire = Wire()
        async with connect(wire) as connection:
            task = asyncio.create_task(connection.request("m"))
            await until(lambda: wire.sent)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            told = {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 1}}
            assert wire.answers[1:] == [told]  # CAN-01
            wire.feed(response(1), response(77))  # CAN-09
            await until(lambda: connection.faults)
            assert connection.faults == {"an answer to no open request": 1}

    run(scenario)


def test_a_peer_that_ignores_cancellation_breaks_nothing() -> None:
    async def scenario() -> None:
        wire = Wire()  # CAN-11
        async with connect(wire) as connection:
            first = asyncio.create_task(connection.request("slow"))
            await until(lambda: wire.sent)
            first.cancel()
            await settle()
            second = asyncio.create_task(connection.request("m"))
            await until(lambda: len(wire.sent) == 3)
            wire.feed(response(1, "late"), response(2, "fine"))
            assert bytes(await second) == b'"fine"'

    run(scenario)


def test_a_request_whose_answer_has_arrived_is_not_cancelled_on_the_wire() -> None:
    async def scenario() -> None:
        wire = Wire()
        async with connect(wire) as connection:
            task = asyncio.create_task(connection.request("m"))
            await until(lambda: wire.sent)
            wire.feed(response(1))
            await until(lambda: not connection.peer.pending_requests)
            task.cancel()
            await asyncio.wait([task])
            assert len(wire.sent) == 1

    run(scenario)


def test_a_request_whose_answer_waits_in_the_lane_is_not_cancelled_on_the_wire() -> None:
    async def scenario() -> None:
        async def stuck(_: Notification) -> None:
            await asyncio.Event().wait()

        wire = Wire()
        async with connect(wire, on_notification=stuck) as connection:
            task = asyncio.create_task(connection.request("m"))
            await until(lambda: wire.sent)
            wire.feed(notification(), response(1))
            await until(lambda: not connection.peer.pending_requests)
            task.cancel()
            await asyncio.wait([task])
            assert (task.cancelled(), len(wire.sent)) == (True, 1)

    run(scenario)


def test_a_deadline_raises_and_tells_the_peer() -> None:
    async def scenario() -> None:
        wire = Wire()
        async with connect(wire) as connection:
            with pytest.raises(RequestTimeout, match=r"no answer to `m` within 0\.01 s"):
                await connection.request("m", timeout=0.01)
            assert wire.answers[1]["method"] == "$/cancel_request"

    run(scenario)


def test_a_deadline_holds_while_the_peer_does_not_read() -> None:
    async def scenario() -> None:
        wire = Wire()
        wire.blocked = True
        async with connect(wire) as connection:
            with pytest.raises(RequestTimeout):
                await connection.request("m", timeout=0.01)
            assert wire.sent == []

    run(scenario)


def test_a_cancelled_call_cancels_the_request_it_waits_for() -> None:
    async def scenario() -> None:
        async def handler(_: Call) -> Payload:
            return await connection.request("nested")

        wire = Wire()  # CAN-05
        connection = connect(wire, handler)
        async with connection:
            wire.feed(request("outer"))
            await until(lambda: wire.sent)
            wire.feed(cancellation("outer"))
            await until(lambda: len(wire.sent) == 3)
            nested, told, answer = wire.answers
            assert nested["method"] == "nested"
            assert told["params"] == {"requestId": nested["id"]}
            assert (answer["id"], answer["error"]["code"]) == ("outer", -32800)

    run(scenario)


# Notifications of ours.


def test_notifications_leave_in_the_order_of_their_writers() -> None:
    async def scenario() -> None:
        wire = Wire()
        async with connect(wire) as connection:

            async def write(writer: int) -> None:
                for number in range(20):
                    await connection.notify("n", b"[%d,%d]" % (writer, number))
                    await asyncio.sleep(0)

            await asyncio.gather(*(write(writer) for writer in range(50)))
        params = [answer["params"] for answer in wire.answers]
        assert len(params) == 1000
        for writer in range(50):
            assert [number for who, number in params if who == writer] == list(range(20))

    run(scenario)


def test_notify_waits_while_the_peer_does_not_read_and_post_never_does() -> None:
    async def scenario() -> None:
        wire = Wire()
        async with connect(wire) as connection:
            wire.blocked = True
            connection.post("n")
            task = asyncio.create_task(connection.notify("n"))
            drained = asyncio.create_task(connection.drain())
            await settle()
            assert (len(wire.sent), task.done(), drained.done()) == (2, False, False)
            wire.unblock()
            await asyncio.gather(task, drained)

    run(scenario)


def test_no_array_ever_leaves() -> None:
    async def scenario() -> None:
        wire = Wire()  # RPC-18
        async with connect(wire) as connection:
            connection.post("n", b"[1]")
            wire.feed(request(1), request(2), b"[]")
            await until(lambda: len(wire.sent) == 4)
        assert all(frame.startswith(b'{"jsonrpc":"2.0",') for frame in wire.sent)  # RPC-01

    run(scenario)


# What the peer sends.


@pytest.mark.parametrize("method", ["known", "_nope", "$/nope", "future/thing"])
def test_a_notification_is_never_answered(method: str) -> None:
    async def scenario() -> None:
        wire = Wire()  # RPC-05, EXT-09, EXT-16
        async with connect(wire):
            wire.feed(notification(method), cancellation(999), cancellation({}), request(1))
            await until(lambda: wire.sent)
            await settle()
            assert [answer["id"] for answer in wire.answers] == [1]

    run(scenario)


def test_a_call_to_an_unknown_method_leaves_the_connection_usable() -> None:
    async def scenario() -> None:
        wire = Wire()  # RPC-08
        async with connect(wire) as connection:
            wire.feed(request(1, "no/such"), request(2, "_no/such"), request(3, "$/cancel_request"))
            await until(lambda: len(wire.sent) == 3)
            assert [answer["error"]["code"] for answer in wire.answers] == [-32601] * 3
            assert connection.faults == {}

    run(scenario)


@pytest.mark.parametrize("kind", ["function", "coroutine"])
def test_a_notification_handler_that_fails_harms_nobody(
    kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    seen: list[str] = []

    def sync_handler(note: Notification) -> None:
        seen.append(note.method)
        raise {"bad": ValueError, "cancel": asyncio.CancelledError}.get(note.method, KeyError)

    async def async_handler(note: Notification) -> None:
        await asyncio.sleep(0)
        sync_handler(note)

    async def scenario() -> None:
        wire = Wire()
        handler = sync_handler if kind == "function" else async_handler
        async with connect(wire, on_notification=handler):
            wire.feed(notification("bad"), notification("cancel"), notification("ok"), request(1))
            await until(lambda: wire.sent)
        assert seen == ["bad", "cancel", "ok"]

    run(scenario)
    assert [record.levelno for record in caplog.records] == [logging.ERROR] * 3


def test_no_task_is_made_for_a_notification() -> None:
    async def scenario() -> None:
        counts: set[int] = set()
        wire = Wire()
        async with connect(
            wire, on_notification=lambda _: counts.add(len(asyncio.all_tasks()))
        ) as connection:
            before = len(asyncio.all_tasks())
            wire.feed(*(notification() for _ in range(1000)), b"end")
            await until(lambda: connection.faults)
        assert counts == {before}

    run(scenario)


def test_a_batch_is_executed_when_the_peer_is_told_to() -> None:
    async def scenario() -> None:
        async def handler(call: Call) -> Payload:
            call.after_response(lambda: wire.send(b'"after"'))
            return b"1"

        wire = Wire()  # RPC-20, RPC-21
        async with connect(wire, handler, peer=Peer(process_batches=True)):
            wire.feed(b"[%b,%b,%b]" % (request(1), notification(), request(2)))
            await until(lambda: len(wire.sent) == 3)
            assert sorted(answer["id"] for answer in wire.answers[0]) == [1, 2]
            assert wire.answers[1:] == ["after", "after"]

    run(scenario)


# Faults.


def test_every_fault_is_answered_and_counted_and_the_connection_lives() -> None:
    async def scenario() -> None:
        wire = Wire()
        async with connect(wire) as connection:
            wire.feed("{", b"\xff\xfe", "5", Oversize(9, b"", 5), response(9), request(1))
            await until(lambda: len(wire.sent) == 5)
            codes = [answer["error"]["code"] for answer in wire.answers]
            assert codes == [-32700, -32700, -32600, -32600, -32601]
            assert connection.faults == {
                "not JSON": 1,
                "not UTF-8": 1,
                "not an object": 1,
                "a message over the size limit": 1,
                "an answer to no open request": 1,
            }

    run(scenario)


def test_faults_are_logged_rarely_and_without_their_content(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def scenario() -> None:
        wire = Wire()  # RPC-29
        async with connect(wire) as connection:
            for _ in range(1000):
                wire.feed('{"secret":')
            await until(lambda: connection.faults["not JSON"] == 1000)
            assert all(b"secret" not in frame for frame in wire.sent)

    run(scenario)
    assert len(caplog.records) == 10
    assert "secret" not in caplog.text


def test_the_layer_above_counts_its_own_faults() -> None:
    async def scenario() -> None:
        connection = connect(Wire())
        connection.fault("params of the wrong shape")
        assert connection.faults == {"params of the wrong shape": 1}

    run(scenario)


def test_what_a_peer_that_asks_wrongly_does_not_read_stops_the_reading() -> None:
    async def scenario() -> None:
        wire = Wire()
        async with connect(wire, limits=Limits(backlog_bytes=1000)) as connection:
            wire.blocked = True
            for _ in range(50):
                wire.feed("{")
                await settle(3)
            assert sum(map(len, wire.sent)) < 1200
            wire.unblock()
            await until(lambda: connection.faults["not JSON"] == 50)
            wire.blocked = True
            wire.feed(response(9))
            await until(lambda: connection.faults["an answer to no open request"])

    run(scenario)


def test_two_peers_that_stream_at_each_other_go_on_reading() -> None:
    async def scenario() -> None:
        wire = Wire()
        seen: list[Notification] = []
        async with connect(wire, on_notification=seen.append) as connection:
            wire.blocked = True
            stuck = asyncio.create_task(connection.notify("n"))
            for _ in range(100):
                wire.feed(notification(), "{")
                await settle(3)
            assert (len(seen), stuck.done()) == (100, False)
            wire.unblock()
            await stuck

    run(scenario)


def test_a_connection_serves_without_a_background_task_too() -> None:
    async def scenario() -> None:
        wire = Wire()
        connection: Connection = connect(wire)
        wire.feed(request(1))
        wire.end()
        await connection.run()
        assert wire.answers[0]["error"]["code"] == -32601
        assert isinstance(connection.end, ConnectionClosed)
        assert wire.closed
        await connection.wait_closed()

    run(scenario)


def test_an_error_of_our_own_choice_reaches_the_peer_without_data() -> None:
    async def scenario() -> None:
        async def handler(_: Call) -> Payload:
            raise RpcError(5, "no")

        wire = Wire()
        async with connect(wire, handler):
            wire.feed(request(1))
            await until(lambda: wire.sent)
        assert wire.answers[0]["error"] == {"code": 5, "message": "no"}

    run(scenario)


def test_a_notification_right_behind_a_call_finds_it_begun() -> None:
    async def scenario() -> None:
        seen: list[str] = []

        async def handler(call: Call) -> Payload:
            seen.append("begun")
            await settle()
            return b"1"

        wire = Wire()
        async with connect(wire, handler, lambda _: seen.append("notified")):
            wire.feed(request(1), notification(), notification())  # RPC-27
            await until(lambda: wire.sent)
        assert seen == ["begun", "notified", "notified"]

    run(scenario)
