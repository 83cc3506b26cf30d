"""The ordered lane: what queues behind an unfinished handler, and what may overtake it."""

import asyncio
from collections.abc import Awaitable

from parley.rpc.lane import ENTRY_OVERHEAD, Lane, asking
from parley.rpc.message import NOTHING, Notification
from parley.rpc.peer import Answered, Broken, Call, Cancelled, Event, Ignored, Reply
from tests.rpc.wire import run, settle

NOTE = Notification("n", NOTHING)
CALL = Call(1, "m", NOTHING, 10)
ANSWER = Answered("waiter", NOTHING, None)
BROKEN = Broken("waiter", "problem")


class Track:
    """A lane with a record of what was handled and how often it said that it has changed."""

    def __init__(self) -> None:
        self.handled: list[Event] = []
        self.changes = 0
        self.gate = asyncio.Event()
        self.gates: dict[str, asyncio.Event] = {}
        """For the notifications whose handlers must wait, by method."""
        self.lane = Lane(self._handle, self._change)

    def start(self, *queued: Event) -> "asyncio.Task[None]":
        """Run the lane with a handler that waits for the gate, and these behind it."""
        self.lane.busy = True
        for event in queued:
            self.lane.put(event, 100)
        return asyncio.get_running_loop().create_task(self.lane.run(self._wait(self.gate)))

    def _handle(self, event: Event) -> Awaitable[None] | None:
        self.handled.append(event)
        gate = self.gates.get(event.method) if isinstance(event, Notification) else None
        return None if gate is None else self._wait(gate)

    def _change(self) -> None:
        self.changes += 1

    async def _wait(self, gate: asyncio.Event) -> None:
        await gate.wait()


def test_only_what_answers_nobody_and_starts_nothing_overtakes_a_busy_lane() -> None:
    async def scenario() -> None:
        lane = Track().lane
        for event in (NOTE, CALL, ANSWER, BROKEN):
            assert not lane.overtakes(event)
        for event in (Cancelled(CALL), Reply(b"", "p"), Ignored("p")):
            assert lane.overtakes(event)

    run(scenario)


def test_while_the_handler_asks_only_notifications_wait() -> None:
    async def scenario() -> None:
        lane = Track().lane
        with lane:
            assert lane.asking
            assert not lane.overtakes(NOTE)
            for event in (CALL, ANSWER, BROKEN, Cancelled(CALL), Reply(b"", "p"), Ignored("p")):
                assert lane.overtakes(event)
        assert not lane.asking

    run(scenario)


def test_what_queues_behind_a_handler_is_handled_in_order_when_it_has_finished() -> None:
    async def scenario() -> None:
        track = Track()  # RPC-27
        task = track.start(NOTE, CALL, ANSWER)
        await settle()
        assert (track.handled, track.lane.size) == ([], 3 * (100 + ENTRY_OVERHEAD))
        track.gate.set()
        await task
        assert track.handled == [NOTE, CALL, ANSWER]
        assert (track.lane.size, track.lane.busy) == (0, False)

    run(scenario)


def test_a_handler_in_the_queue_that_must_wait_holds_up_what_is_behind_it() -> None:
    async def scenario() -> None:
        track = Track()
        second = Notification("second", NOTHING)
        track.gates["second"] = asyncio.Event()
        task = track.start(NOTE, second, ANSWER)
        track.gate.set()
        await settle()
        assert track.handled == [NOTE, second]
        track.gates["second"].set()
        await task
        assert track.handled == [NOTE, second, ANSWER]

    run(scenario)


def test_when_the_handler_begins_to_ask_answers_and_calls_in_the_queue_pass() -> None:
    async def scenario() -> None:
        track = Track()  # RPC-28
        last = Notification("last", NOTHING)
        task = track.start(NOTE, CALL, ANSWER, last, BROKEN)
        with track.lane:
            assert track.handled == [CALL, ANSWER, BROKEN]
        track.gate.set()
        await task
        assert track.handled == [CALL, ANSWER, BROKEN, NOTE, last]

    run(scenario)


def test_beginning_to_ask_is_a_change_even_if_nothing_passes() -> None:
    async def scenario() -> None:
        track = Track()
        with track.lane:
            assert track.changes == 1

    run(scenario)


def test_at_the_end_the_answers_in_the_queue_are_handed_out() -> None:
    async def scenario() -> None:
        track = Track()
        for event in (NOTE, ANSWER, CALL, BROKEN):
            track.lane.put(event, 0)
        track.lane.pass_answers()
        assert track.handled == [ANSWER, BROKEN]

    run(scenario)


def test_only_the_running_handler_and_what_it_started_mark_the_lane() -> None:
    async def scenario() -> None:
        track = Track()
        other = Track()
        seen: list[object] = []

        async def look() -> None:
            with asking(track.lane):
                seen.append(track.lane.asking)

        async def handler() -> None:
            await look()
            await asyncio.create_task(look())
            with asking(other.lane):
                seen.append(other.lane.asking)

        await look()
        track.lane.busy = True
        await look()
        await asyncio.create_task(track.lane.run(handler()))
        await look()
        assert seen == [False, False, True, True, False, False]

    run(scenario)
