"""The events of a turn: in order, bounded, and never in the way of their own reader."""

import asyncio

import pytest

from parley.sdk.stream import HIGH_WATER, PATIENT, EventStream, Pace
from parley.session.event import Event, NoticeGiven
from tests.sdk.stage import run


def _event(number: int) -> Event:
    return NoticeGiven(str(number))


def test_events_come_in_order_and_the_end_ends_the_iteration() -> None:
    async def scenario() -> None:
        stream = EventStream()
        reading = asyncio.create_task(_read(stream))
        await asyncio.sleep(0)
        for number in range(3):
            stream.put(_event(number))
        await asyncio.sleep(0)
        stream.put(_event(3))
        stream.end()
        assert await reading == [_event(number) for number in range(4)]

    run(scenario())


def test_an_error_is_met_behind_the_events_that_came_before_it() -> None:
    async def scenario() -> None:
        stream = EventStream()
        stream.put(_event(1))
        stream.end(OSError("gone"))
        stream.end()  # The first end counts.
        assert await anext(stream) == _event(1)
        with pytest.raises(OSError, match="gone"):
            await anext(stream)

    run(scenario())


def test_a_batch_has_everything_that_came_and_lets_the_writer_go_on() -> None:
    async def scenario() -> None:
        stream = EventStream(limit=2)
        reading = asyncio.create_task(stream.batch())
        await asyncio.sleep(0)
        assert [stream.put(_event(number)) for number in range(2)] == [False, True]
        waiting = asyncio.create_task(stream.room())
        assert await reading == [_event(0), _event(1)]
        await waiting
        stream.put(_event(2))
        stream.end()
        assert await stream.batch() == [_event(2)]
        with pytest.raises(StopAsyncIteration):
            await stream.batch()

    run(scenario())


def test_after_the_end_nothing_is_kept() -> None:
    stream = EventStream(limit=1)
    stream.end()
    assert stream.put(_event(1)) is False


def test_a_full_stream_makes_its_writer_wait_for_half_of_it() -> None:
    async def scenario() -> None:
        stream = EventStream(limit=4)
        assert [stream.put(_event(number)) for number in range(4)] == [False, False, False, True]
        writing = asyncio.create_task(stream.room())
        await asyncio.sleep(0)
        for _ in range(2):
            await anext(stream)
            await asyncio.sleep(0)
        assert not writing.done()
        await anext(stream)
        await writing

    run(scenario())


def test_the_end_releases_the_writer() -> None:
    async def scenario() -> None:
        stream = EventStream(limit=1)
        stream.put(_event(1))
        writing = asyncio.create_task(stream.room())
        await asyncio.sleep(0)
        stream.end()
        await writing

    run(scenario())


def test_a_reader_that_is_cancelled_loses_nothing() -> None:
    async def scenario() -> None:
        stream = EventStream()
        reading = asyncio.create_task(_read(stream))
        await asyncio.sleep(0)
        reading.cancel()
        await asyncio.wait([reading])
        stream.put(_event(1))
        stream.end()
        assert await _read(stream) == [_event(1)]

    run(scenario())


def test_a_second_wait_for_the_agent_lets_the_reader_fall_further_behind() -> None:
    async def scenario() -> None:
        pace = Pace()
        with pace:
            stream = pace.stream()
            for number in range(HIGH_WATER):
                full = stream.put(_event(number))
            assert full
            writing = asyncio.create_task(stream.room())
            await asyncio.sleep(0)
            assert not writing.done()
            with pace:
                await writing  # The reader may be the one that waits.
                assert not stream.put(_event(0))
                late = pace.stream()
                assert [late.put(_event(0)) for _ in range(PATIENT)][-1]
            assert stream.put(_event(0))

    run(scenario())


async def _read(stream: EventStream) -> list[Event]:
    return [event async for event in stream]
