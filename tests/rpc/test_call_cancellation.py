"""Cancellation of a call at every stage of its life: it is always answered, and only once."""

import asyncio
import json

from parley.errors import RequestCancelled
from parley.rpc.message import NOTHING, Payload
from parley.rpc.peer import Call, Cancelled
from tests.rpc.desk import CANCELLED, Desk, done, hang
from tests.rpc.wire import cancellation, request, run, settle


def test_a_cancelled_call_is_answered_with_request_cancelled() -> None:
    async def scenario() -> None:
        desk = Desk(hang)  # CAN-03
        desk.call()
        await settle()
        desk.cancel()
        await settle()
        assert desk.errors == [CANCELLED]

    run(scenario)


def test_a_call_that_is_cancelled_before_it_begins_is_answered_and_never_runs() -> None:
    async def scenario() -> None:
        ran: list[object] = []

        async def handler(call: Call) -> Payload:
            ran.append(call.id)
            return b"1"

        desk = Desk(handler)  # CAN-03
        desk.call()
        desk.cancel()
        await settle()
        assert (desk.errors, ran, desk.calls.tasks) == ([CANCELLED], [], [])

    run(scenario)


def test_a_call_that_is_cancelled_while_it_waits_for_a_place_is_answered_at_once() -> None:
    async def scenario() -> None:
        ran: list[object] = []
        gate = asyncio.Event()

        async def handler(call: Call) -> Payload:
            ran.append(call.id)
            await gate.wait()
            return b"1"

        desk = Desk(handler, max_running=1)
        for id_ in (1, 2, 3):
            desk.call(id_)
        desk.cancel(2)
        assert desk.wire.answers == [{"jsonrpc": "2.0", "id": 2, "error": CANCELLED}]
        gate.set()
        await settle()
        assert (ran, desk.calls.waiting_bytes) == ([1, 3], 0)
        assert [answer["id"] for answer in desk.wire.answers] == [2, 1, 3]

    run(scenario)


def test_a_call_that_was_cancelled_on_its_way_here_is_not_started() -> None:
    async def scenario() -> None:
        desk = Desk(done)
        call = desk.peer.receive(request(1))
        assert isinstance(call, Call)
        desk.cancel(1)
        desk.calls.take(call)
        await settle()
        assert (desk.errors, desk.calls.tasks) == ([CANCELLED], [])

    run(scenario)


def test_the_answer_of_a_waiting_call_in_a_batch_stays_for_the_array() -> None:
    async def scenario() -> None:
        desk = Desk(hang, max_running=0)
        desk.peer.process_batches = True
        events = desk.peer.receive(b"[%b,%b]" % (request(1), request(2)))
        assert isinstance(events, list)
        for event in events:
            assert isinstance(event, Call)
            desk.calls.take(event)
        desk.cancel(1)
        assert desk.wire.sent == []
        desk.cancel(2)
        assert [answer["id"] for answer in desk.wire.answers[0]] == [1, 2]

    run(scenario)


def test_a_handler_that_finishes_in_spite_of_the_cancellation_has_its_answer_stand() -> None:
    async def scenario() -> None:
        async def handler(call: Call) -> Payload:
            call.after_response(after)
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                return b'"partial"'
            return NOTHING

        async def after() -> None:
            # A group would mistake an earlier cancellation for one of its own.
            try:
                async with asyncio.TaskGroup() as group:
                    group.create_task(fail())
                    await asyncio.Event().wait()
            except* ValueError:
                desk.wire.send(b'"after"')

        async def fail() -> None:
            raise ValueError

        desk = Desk(handler)  # CAN-03, CAN-12
        desk.call()
        await settle()
        desk.cancel()
        await settle()
        assert desk.wire.answers[0] == {"jsonrpc": "2.0", "id": 1, "result": "partial"}
        assert desk.wire.answers[1:] == ["after"]

    run(scenario)


def test_a_second_cancellation_does_not_disturb_the_clean_up_of_the_first() -> None:
    async def scenario() -> None:
        cleaned: list[str] = []
        gate = asyncio.Event()

        async def handler(_: Call) -> Payload:
            try:
                await asyncio.Event().wait()
            finally:
                await gate.wait()
                cleaned.append("yes")
            return NOTHING

        desk = Desk(handler)
        desk.call()
        await settle()
        desk.cancel()
        await settle()
        assert desk.peer.receive(cancellation(1)) is not None
        gate.set()
        await settle()
        assert (cleaned, desk.errors) == (["yes"], [CANCELLED])

    run(scenario)


def test_notifications_may_leave_before_the_answer_to_a_cancelled_call() -> None:
    async def scenario() -> None:
        async def handler(_: Call) -> Payload:
            try:
                await asyncio.Event().wait()
            finally:
                desk.wire.send(b'"last update"')
            return NOTHING

        desk = Desk(handler)  # CAN-04
        desk.call()
        await settle()
        desk.cancel()
        await settle()
        assert desk.wire.answers[0] == "last update"
        assert desk.wire.answers[1]["error"] == CANCELLED

    run(scenario)


def test_a_handler_may_choose_its_own_error_for_a_cancellation() -> None:
    async def scenario() -> None:
        async def handler(_: Call) -> Payload:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                raise RequestCancelled("the user said stop") from None
            return NOTHING

        desk = Desk(handler)
        desk.call()
        await settle()
        desk.cancel()
        await settle()
        assert desk.errors == [{"code": -32800, "message": "the user said stop"}]

    run(scenario)


def test_a_cancellation_races_with_the_answer_and_exactly_one_is_sent() -> None:
    async def scenario() -> None:
        gates = [asyncio.Event() for _ in range(1000)]

        async def handler(call: Call) -> Payload:
            await gates[int(str(call.id))].wait()
            return b"1"

        desk = Desk(handler, max_running=1000)  # CAN-12
        for id_, gate in enumerate(gates):
            desk.call(id_)
            await settle(id_ % 3)
            for step in (gate.set, lambda i=id_: desk.peer.receive(cancellation(i))):
                event = step()
                if isinstance(event, Cancelled):
                    desk.calls.cancel(event.call)
                await settle(id_ // 3 % 4)
        await settle()
        assert sorted(answer["id"] for answer in desk.wire.answers) == list(range(1000))
        outcomes = {json.dumps(answer.get("error")) for answer in desk.wire.answers}
        assert len(outcomes) == 2
        assert desk.calls.tasks == []

    run(scenario)
