"""Calls of the peer: a task each, a bound on how many run, exactly one answer each."""

import asyncio
import logging
from typing import Any

import pytest

from parley.errors import ConnectionLost, InternalError, InvalidParams, MethodNotFound, RpcError
from parley.rpc.lane import ENTRY_OVERHEAD
from parley.rpc.message import NOTHING, Payload
from parley.rpc.peer import Call
from tests.rpc.desk import CANCELLED, INTERNAL, Desk, done, hang
from tests.rpc.wire import request, run, settle

# Answers.


def test_the_result_of_the_handler_is_the_answer() -> None:
    async def scenario() -> None:
        desk = Desk(done)
        desk.call("a")
        await settle()
        assert desk.wire.sent == [b'{"jsonrpc":"2.0","id":"a","result":1}']
        assert (desk.calls.tasks, desk.changes) == ([], 1)

    run(scenario)


@pytest.mark.parametrize("nothing", [NOTHING, b"", None])
def test_a_handler_that_returns_nothing_answers_null(nothing: Any) -> None:
    async def scenario() -> None:
        async def handler(_: Call) -> Payload:
            return nothing

        desk = Desk(handler)  # RPC-03
        desk.call()
        await settle()
        assert desk.wire.answers == [{"jsonrpc": "2.0", "id": 1, "result": None}]

    run(scenario)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (MethodNotFound(), {"code": -32601, "message": "Method not found"}),  # RPC-08
        (
            InvalidParams("bad", {"at": "x"}),
            {"code": -32602, "message": "bad", "data": {"at": "x"}},
        ),
        (RpcError(-7, "no", 0), {"code": -7, "message": "no", "data": 0}),
    ],
)
def test_an_error_that_the_handler_chose_is_the_answer(error: RpcError, expected: object) -> None:
    async def scenario() -> None:
        async def handler(_: Call) -> Payload:
            raise error

        desk = Desk(handler)  # RPC-04, RPC-09
        desk.call()
        await settle()
        assert desk.errors == [expected]

    run(scenario)


def test_an_unexpected_failure_leaks_nothing_to_the_peer(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def scenario() -> None:
        async def handler(_: Call) -> Payload:
            raise ValueError("the secret")

        desk = Desk(handler)  # RPC-10, RPC-29
        desk.receive(request(1, "a\nb" + "c" * 500))
        await settle()
        assert desk.errors == [INTERNAL]

    run(scenario)
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    assert "\n" not in caplog.records[0].getMessage()
    assert len(caplog.records[0].getMessage()) < 150


@pytest.mark.parametrize("result", [5, "text", object()])
def test_a_handler_that_returns_no_payload_is_answered_all_the_same(result: Any) -> None:
    async def scenario() -> None:
        async def handler(_: Call) -> Payload:
            return result

        desk = Desk(handler)
        desk.call()
        await settle()
        assert desk.errors == [INTERNAL]

    run(scenario)


@pytest.mark.parametrize(
    "error", [RpcError(1, "no", object()), RpcError(1, "\ud800"), RpcError(1, "no", {(): 1})]
)
def test_an_error_that_cannot_be_encoded_is_answered_all_the_same(error: RpcError) -> None:
    async def scenario() -> None:
        async def handler(_: Call) -> Payload:
            raise error

        desk = Desk(handler)
        desk.call()
        await settle()
        assert desk.errors == [INTERNAL]

    run(scenario)


def test_a_handler_that_meets_the_end_of_a_connection_fails_without_a_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def scenario() -> None:
        async def handler(_: Call) -> Payload:
            raise ConnectionLost("elsewhere")

        desk = Desk(handler)
        desk.call()
        await settle()
        assert desk.errors == [INTERNAL]

    run(scenario)
    assert caplog.records == []


def test_an_answer_to_a_lost_peer_is_dropped() -> None:
    async def scenario() -> None:
        desk = Desk(done)
        desk.wire.lose(ConnectionLost("gone"))
        desk.call()
        await settle()
        assert (desk.wire.sent, desk.calls.tasks) == ([], [])

    run(scenario)


# What follows the answer.


def test_what_follows_the_answer_is_behind_it_on_the_wire() -> None:
    async def scenario() -> None:
        async def later() -> None:
            await asyncio.sleep(0)
            desk.wire.send(b'"second"')

        async def handler(call: Call) -> Payload:
            call.after_response(lambda: desk.wire.send(b'"first"'))
            call.after_response(later)
            return b"1"

        desk = Desk(handler)
        desk.call()
        await settle()
        assert desk.wire.answers[0]["result"] == 1
        assert desk.wire.answers[1:] == ["first", "second"]

    run(scenario)


@pytest.mark.parametrize("error", [MethodNotFound(), ValueError(), asyncio.CancelledError()])
def test_nothing_follows_a_failure(error: BaseException) -> None:
    async def scenario() -> None:
        async def handler(call: Call) -> Payload:
            call.after_response(lambda: desk.wire.send(b'"after"'))
            raise error

        desk = Desk(handler)
        desk.call()
        await settle()
        assert len(desk.wire.sent) == 1
        assert desk.errors[0] is not None

    run(scenario)


def test_a_failure_of_what_follows_is_logged_and_harms_nobody(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def scenario() -> None:
        async def handler(call: Call) -> Payload:
            call.after_response(lambda: 1 / 0)
            return b"1"

        desk = Desk(handler)
        desk.call(1)
        desk.call(2)
        await settle()
        assert [answer["result"] for answer in desk.wire.answers] == [1, 1]

    run(scenario)
    assert len(caplog.records) == 2


# The bound.


def test_calls_beyond_the_bound_wait_for_a_free_place_in_order() -> None:
    async def scenario() -> None:
        started: list[object] = []
        gates = [asyncio.Event() for _ in range(4)]

        async def handler(call: Call) -> Payload:
            started.append(call.id)
            await gates[int(str(call.id))].wait()
            return b"1"

        desk = Desk(handler, max_running=2)
        sizes = [desk.call(id_).size + ENTRY_OVERHEAD for id_ in range(4)]
        await settle()
        assert (started, desk.calls.waiting_bytes) == ([0, 1], sizes[2] + sizes[3])
        gates[1].set()
        await settle()
        assert (started, desk.calls.waiting_bytes) == ([0, 1, 2], sizes[3])
        for gate in gates:
            gate.set()
        await settle()
        assert (started, desk.calls.waiting_bytes) == ([0, 1, 2, 3], 0)
        assert {answer["id"] for answer in desk.wire.answers} == {0, 1, 2, 3}

    run(scenario)


def test_calls_whose_bytes_exceed_the_bound_wait_but_a_single_one_may_be_larger() -> None:
    async def scenario() -> None:
        started: list[object] = []
        gates = [asyncio.Event() for _ in range(3)]

        async def handler(call: Call) -> Payload:
            started.append(call.id)
            await gates[int(str(call.id))].wait()
            return b"1"

        desk = Desk(handler, max_bytes=1)
        for id_ in range(3):
            desk.call(id_)
        await settle()
        assert started == [0]
        gates[0].set()
        await settle()
        assert started == [0, 1]
        gates[1].set()
        gates[2].set()
        await settle()
        assert (started, desk.calls.waiting_bytes) == ([0, 1, 2], 0)

    run(scenario)


def test_a_peer_that_does_not_read_leaves_its_calls_running() -> None:
    async def scenario() -> None:
        desk = Desk(done, max_running=2)
        desk.wire.blocked = True
        for id_ in range(3):
            desk.call(id_)
        await settle()
        assert (len(desk.calls.tasks), desk.wire.sent) == (2, [])
        assert desk.calls.waiting_bytes > 0
        desk.wire.unblock()
        await settle()
        assert len(desk.wire.sent) == 3

    run(scenario)


def test_after_the_end_nothing_waits_any_more() -> None:
    async def scenario() -> None:
        desk = Desk(hang, max_running=1)
        desk.call(1)
        desk.call(2)
        await settle()
        desk.wire.blocked = True
        desk.calls.tasks[0].cancel()
        desk.calls.end()
        await settle()
        assert (desk.errors, desk.calls.tasks, desk.calls.waiting_bytes) == ([CANCELLED], [], 0)

    run(scenario)


def test_a_failure_while_encoding_keeps_to_one_answer() -> None:
    async def scenario() -> None:
        async def handler(_: Call) -> Payload:
            raise InternalError(data=object())

        desk = Desk(handler)
        desk.call(1)
        desk.call(2)
        await settle()
        assert [answer["id"] for answer in desk.wire.answers] == [1, 2]

    run(scenario)
