"""What is written: in order, bounded, and without ever stopping the loop."""

import asyncio
import os
from collections.abc import Callable, Coroutine
from typing import Any

from parley.frontend.headless.outlet import HIGH_WATER, Outlet

SECONDS = 5.0


def played(scenario: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(asyncio.wait_for(scenario(), SECONDS))


def test_two_streams_keep_the_order_in_which_they_are_written() -> None:
    async def scenario() -> None:
        reader, writer = os.pipe()
        twin = os.dup(writer)
        outlet = Outlet(writer, lambda _: None)
        for number in range(10):
            outlet.write(writer if number % 2 else twin, b"%d" % number)
        outlet.write(writer, b"")
        await outlet.aclose(SECONDS)
        assert os.read(reader, 100) == b"0123456789"
        for fd in (reader, writer, twin):
            os.close(fd)

    played(scenario)


def test_a_reader_that_does_not_read_stops_only_who_wants_room() -> None:
    async def scenario() -> None:
        reader, writer = os.pipe()
        outlet = Outlet(writer, lambda _: None)
        outlet.write(writer, b"x" * (HIGH_WATER + 1))
        waiting = asyncio.ensure_future(outlet.room())
        await asyncio.sleep(0)  # The loop goes on.
        assert not waiting.done()
        loop = asyncio.get_running_loop()
        got = await loop.run_in_executor(None, _drained, reader, HIGH_WATER + 1)
        await waiting
        await outlet.aclose(SECONDS)
        assert got == HIGH_WATER + 1
        os.close(reader)
        os.close(writer)

    played(scenario)


def test_a_reader_that_is_gone_is_reported_once_and_the_rest_dropped() -> None:
    async def scenario() -> None:
        reader, writer = os.pipe()
        other_reader, other = os.pipe()
        os.close(reader)
        broken: list[OSError] = []
        outlet = Outlet(writer, broken.append)
        outlet.write(writer, b"lost")
        outlet.write(other, b"kept")
        outlet.write(writer, b"lost too")
        await outlet.flushed()
        outlet.write(writer, b"never sent")
        await outlet.aclose(SECONDS)
        assert [type(error) for error in broken] == [BrokenPipeError]
        assert os.read(other_reader, 100) == b"kept"
        for fd in (writer, other_reader, other):
            os.close(fd)

    played(scenario)


def test_what_waits_for_a_stream_that_breaks_is_dropped() -> None:
    async def scenario() -> None:
        reader, writer = os.pipe()
        os.close(reader)
        outlet = Outlet(writer, lambda _: None)
        outlet.write(writer, b"first")
        await asyncio.sleep(0)  # It is on its way; this one is not.
        outlet.write(writer, b"second")
        await outlet.flushed()
        assert outlet.size == 0
        await outlet.aclose(SECONDS)
        os.close(writer)

    played(scenario)


def test_what_is_held_waits_until_it_is_let_go() -> None:
    async def scenario() -> None:
        reader, writer = os.pipe()
        os.set_blocking(reader, False)
        outlet = Outlet(writer, lambda _: None)
        outlet.hold(True)
        outlet.write(writer, b"later")
        await asyncio.sleep(0)
        assert outlet.held
        assert outlet.size == 5
        outlet.hold(False)
        await outlet.flushed()
        assert os.read(reader, 10) == b"later"
        await outlet.aclose(SECONDS)
        os.close(reader)
        os.close(writer)

    played(scenario)


def test_what_was_written_before_the_hold_leaves_during_it() -> None:
    async def scenario() -> None:
        reader, writer = os.pipe()
        outlet = Outlet(writer, lambda _: None)
        outlet.write(writer, b"the question")
        outlet.hold(True)
        outlet.write(writer, b" and its answer, by the agent")
        await outlet.flushed()
        assert os.read(reader, 100) == b"the question"
        assert outlet.size > 0
        outlet.hold(False)
        await outlet.aclose(SECONDS)
        assert os.read(reader, 100) == b" and its answer, by the agent"
        os.close(reader)
        os.close(writer)

    played(scenario)


def test_what_is_held_for_a_stream_that_breaks_is_dropped() -> None:
    async def scenario() -> None:
        reader, writer = os.pipe()
        os.close(reader)
        broken: list[OSError] = []
        outlet = Outlet(writer, broken.append)
        outlet.write(writer, b"first")
        outlet.hold(True)
        outlet.write(writer, b"second")
        await outlet.flushed()
        assert (outlet.size, len(broken)) == (0, 1)
        await outlet.aclose(SECONDS)
        os.close(writer)

    played(scenario)


def test_closing_waits_no_longer_than_it_may() -> None:
    async def scenario() -> None:
        reader, writer = os.pipe()
        outlet = Outlet(writer, lambda _: None)
        outlet.write(writer, b"x" * (4 << 20))
        await outlet.aclose(0.05)
        assert outlet.size > 0
        os.close(reader)  # Lets the thread go.
        os.close(writer)

    played(scenario)


def _drained(fd: int, wanted: int) -> int:
    got = 0
    while got < wanted:
        got += len(os.read(fd, 1 << 16))
    return got
