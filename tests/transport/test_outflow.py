"""The sending half: batches, the mark, and noticing that nobody reads any more."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from parley.errors import ConnectionClosed, ConnectionLost
from parley.process.descriptor import Buffer, Descriptor, borrowed, owned
from parley.transport.outflow import BATCH_SIZE, LARGE_FRAME, Outflow
from tests.transport.wires import eventually, run


class Pen:
    """A sink that cannot be polled: it remembers each write and may refuse or shorten it."""

    def __init__(self, answer: Callable[[Buffer], int] = len) -> None:
        self.written: list[Buffer] = []
        self.closed = 0
        self._answer = answer
        self.descriptor = Descriptor(10**6, lambda _: b"", self._write, self._close)

    def _write(self, data: Buffer) -> int:
        count = self._answer(data)
        self.written.append(data if count == len(data) else bytes(data[:count]))
        return count

    def _close(self) -> None:
        self.closed += 1


def ignore(_: bool) -> None:
    """A break that nobody wants to hear of."""


def test_the_first_frame_of_a_tick_leaves_at_once_and_the_others_together() -> None:
    async def scenario() -> None:
        pen = Pen()
        outflow = Outflow(pen.descriptor, on_broken=ignore)
        for frame in (b"a", b"b", b"c"):
            outflow.send(frame)
        assert pen.written == [b"a\n"]
        await outflow.flush(1)
        outflow.send(b"d")
        await outflow.flush(1)
        assert pen.written == [b"a\n", b"b\nc\n", b"d\n"]

    run(scenario)


def test_a_large_frame_is_written_without_being_copied() -> None:
    async def scenario() -> None:
        pen = Pen()
        outflow = Outflow(pen.descriptor, on_broken=ignore)
        large = b"x" * (BATCH_SIZE + 1)
        for frame in (b"before", large, b"behind"):
            outflow.send(frame)
        await outflow.flush(1)
        assert pen.written == [b"before\n", large, b"\nbehind\n"]
        assert pen.written[1] is large

    run(scenario)


def test_many_small_frames_are_joined_into_bounded_batches() -> None:
    async def scenario() -> None:
        pen = Pen()
        outflow = Outflow(pen.descriptor, on_broken=ignore)
        frame = b"x" * (LARGE_FRAME - 1)
        for _ in range(20):
            outflow.send(frame)
        await outflow.flush(1)
        assert b"".join(pen.written) == (frame + b"\n") * 20
        assert max(map(len, pen.written)) < BATCH_SIZE + LARGE_FRAME + 1

    run(scenario)


def test_a_short_write_to_a_file_is_continued() -> None:
    async def scenario() -> None:
        pen = Pen(lambda data: min(len(data), 3))
        outflow = Outflow(pen.descriptor, on_broken=ignore)
        outflow.send(b"12345678")
        await outflow.flush(1)
        assert pen.written == [b"123", b"456", b"78\n"]

    run(scenario)


def test_a_device_that_wants_to_be_asked_later_is_asked_later() -> None:
    async def scenario() -> None:
        refusals = iter([True, True, False])

        def answer(data: Buffer) -> int:
            if next(refusals):
                raise BlockingIOError
            return len(data)

        pen = Pen(answer)
        outflow = Outflow(pen.descriptor, on_broken=ignore)
        outflow.send(b"patience")
        await outflow.flush(5)
        assert pen.written == [b"patience\n"]

    run(scenario)


def test_a_full_disk_is_a_loss() -> None:
    async def scenario() -> None:
        told: list[bool] = []
        sink = borrowed(os.open("/dev/full", os.O_WRONLY), os.O_WRONLY)
        outflow = Outflow(sink, on_broken=told.append)
        outflow.send(b"x")
        await outflow.flush(1)
        assert told == [True]
        with pytest.raises(ConnectionLost, match="No space left"):
            outflow.send(b"y")
        outflow.close()

    run(scenario)


def test_a_regular_file_takes_everything(tmp_path: Path) -> None:
    async def scenario() -> None:
        fd = os.open(tmp_path / "file", os.O_WRONLY | os.O_CREAT)
        outflow = Outflow(borrowed(fd, os.O_WRONLY), on_broken=ignore)
        for number in range(1000):
            outflow.send(b"%d" % number)
        await outflow.flush(1)
        outflow.close()

    run(scenario)
    assert (tmp_path / "file").read_bytes() == b"".join(b"%d\n" % n for n in range(1000))


def test_senders_wait_from_the_high_mark_down_to_the_low_one() -> None:
    async def scenario() -> None:
        read, write = os.pipe()
        outflow = Outflow(owned(write), on_broken=ignore, high_water=1000)
        outflow.send(b"x" * 70_000)
        assert outflow.blocked
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(outflow.drain())
            await asyncio.sleep(0)
            assert not waiting.done()
            assert len(os.read(read, 100_000)) == 65536
            await waiting
        assert not outflow.blocked
        outflow.close()
        os.close(read)

    run(scenario)


def test_a_break_tells_whether_something_was_lost() -> None:
    async def scenario() -> None:
        for size in (1, 100_000):
            told: list[bool] = []
            read, write = os.pipe()
            outflow = Outflow(owned(write), on_broken=told.append)
            outflow.send(b"x" * size)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            os.close(read)
            await eventually(lambda told=told: bool(told))
            assert told == [size > 65536]
            outflow.close()
            outflow.close()

    run(scenario)


def test_a_text_that_knows_more_replaces_the_first_but_closing_comes_before_losing() -> None:
    async def scenario() -> None:
        lost = Outflow(Pen().descriptor, on_broken=ignore)
        lost.lose("broken pipe")
        lost.lose("the child died")
        with pytest.raises(ConnectionLost, match="the child died"):
            lost.send(b"x")
        closed = Outflow(Pen().descriptor, on_broken=ignore)
        closed.refuse()
        closed.lose("the child died")
        with pytest.raises(ConnectionClosed):
            closed.send(b"x")

    run(scenario)


def test_flushing_an_empty_outbox_does_not_wait() -> None:
    async def scenario() -> None:
        pen = Pen()
        outflow = Outflow(pen.descriptor, on_broken=ignore)
        await outflow.flush(0)
        outflow.close()
        outflow.close()
        assert pen.closed == 1

    run(scenario)
