"""The driver over a transport that hands frames over in the moment they arrive."""

import asyncio
import json

import pytest

from parley.rpc.connection import Connection, Limits
from parley.rpc.message import Notification, Payload
from parley.rpc.peer import Call
from parley.rpc.transport import Handing, Incoming
from parley.transport.pipe import PipeTransport
from tests.rpc.wire import notification, request
from tests.transport.wires import eventually, pipe_transports, run


class Seen:
    """What the handlers of one connection met, in order."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.tasks: list[asyncio.Task[object] | None] = []
        self.gate = asyncio.Event()

    async def called(self, call: Call) -> Payload:
        self.events.append(f"call {call.method}")
        if call.method == "wait":
            await self.gate.wait()
        return b"1"

    def notified(self, notification: Notification) -> None:
        self.events.append(f"note {notification.method}")
        self.tasks.append(asyncio.current_task())


def connected(seen: Seen, near: PipeTransport, limits: Limits | None = None) -> Connection:
    return Connection(
        near, on_call=seen.called, on_notification=seen.notified, limits=limits or Limits()
    )


def test_a_transport_on_pipes_hands_frames_over() -> None:
    async def scenario() -> None:
        near, far = pipe_transports()
        assert isinstance(near, Handing)
        await near.aclose()
        await far.aclose()

    run(scenario)


def test_a_notification_is_handled_without_waking_the_task_that_reads() -> None:
    async def scenario() -> None:
        near, far = pipe_transports()
        seen = Seen()
        async with connected(seen, near):
            await asyncio.sleep(0)
            far.send(notification("a"))
            await eventually(lambda: bool(seen.events))
            assert seen.events == ["note a"]
            assert seen.tasks == [None]
        await far.aclose()

    run(scenario)


def test_a_notification_right_behind_a_call_in_one_read_finds_it_begun() -> None:
    async def scenario() -> None:
        near, far = pipe_transports()
        seen = Seen()
        async with connected(seen, near):
            await asyncio.sleep(0)
            for frame in (request(1, "a"), notification("b"), request(2, "c"), notification("d")):
                far.send(frame)
            await eventually(lambda: len(seen.events) == 4)
            assert seen.events == ["call a", "note b", "call c", "note d"]
        await far.aclose()

    run(scenario)


def test_what_may_not_run_yet_stops_the_handing_over_until_there_is_room() -> None:
    async def scenario() -> None:
        near, far = pipe_transports()
        seen = Seen()
        async with connected(seen, near, Limits(max_calls=1, backlog_bytes=10)):
            await asyncio.sleep(0)
            far.send(request(1, "wait"))
            await eventually(lambda: seen.events == ["call wait"])
            for number in range(2, 6):
                far.send(request(number, "m"))
                await asyncio.sleep(0)
            seen.gate.set()
            answers: list[Incoming] = []
            while len(answers) < 5:
                answers += await far.receive()
            assert [json.loads(bytes(each))["id"] for each in answers] == [1, 2, 3, 4, 5]
        await far.aclose()

    run(scenario)


def test_a_defect_in_the_layer_above_ends_the_connection_instead_of_losing_frames() -> None:
    async def scenario() -> None:
        near, far = pipe_transports()
        connection = connected(Seen(), near)

        def broken(frame: Incoming) -> bool:
            raise ZeroDivisionError

        connection.recognise(broken)
        running = asyncio.create_task(connection.run())
        await asyncio.sleep(0)
        far.send(notification("a"))
        with pytest.raises(ZeroDivisionError):
            await running
        assert connection.end is not None
        await far.aclose()

    run(scenario)
