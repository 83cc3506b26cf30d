"""The receiving half: bounded look ahead, files that cannot be polled, and errors."""

import asyncio
import errno
import os
import pty
import socket
import struct
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from parley.errors import ConnectionLost
from parley.process.descriptor import Descriptor, borrowed, owned
from parley.rpc.transport import Incoming
from parley.transport.inflow import Inflow
from tests.transport.wires import BOUND, eventually, run, until


def nothing() -> None:
    """An end that nobody wants to hear of."""


async def collect(inflow: Inflow, found: list[Incoming]) -> None:
    """Add all frames until the end."""
    while frames := await inflow.receive():
        found += frames


async def collected(inflow: Inflow) -> list[Incoming]:
    """All frames until the end."""
    found: list[Incoming] = []
    await collect(inflow, found)
    return found


def test_reading_stops_while_nobody_receives_and_goes_on_when_somebody_does() -> None:
    async def scenario() -> None:
        read, write = os.pipe()
        os.set_blocking(write, False)
        inflow = Inflow(owned(read), on_end=nothing, read_ahead=10_000)
        written = 0
        quiet = 0
        # Twenty ticks without room in the pipe: it is not being read.
        while quiet < 20:
            try:
                written += os.write(write, b"x" * 99 + b"\n")
                quiet = 0
            except BlockingIOError:
                quiet += 1
            await asyncio.sleep(0)
        # Less than two pipes full: the one that is there, and what was read in one go.
        assert written < 2 * 65536 + 10_000
        os.close(write)
        assert len(await collected(inflow)) == -(-written // 100)
        inflow.close()

    run(scenario)


def test_a_long_line_is_read_on_while_somebody_waits_for_it() -> None:
    async def scenario() -> None:
        read, write = os.pipe()
        inflow = Inflow(owned(read), on_end=nothing, read_ahead=1000)
        writer = threading.Thread(target=partial(_write_and_close, write, b"x" * 500_000))
        writer.start()
        assert await inflow.receive() == [b"x" * 500_000]
        writer.join(BOUND)
        inflow.close()

    run(scenario)


def test_a_regular_file_is_read_to_its_end(tmp_path: Path) -> None:
    lines = [b"line %d" % number for number in range(50_000)]
    (tmp_path / "file").write_bytes(b"\n".join(lines))

    async def scenario() -> None:
        fd = os.open(tmp_path / "file", os.O_RDONLY)
        inflow = Inflow(borrowed(fd, os.O_RDONLY), on_end=nothing, read_ahead=100_000)
        assert await collected(inflow) == lines
        inflow.close()

    run(scenario)


def test_a_file_is_not_read_ahead_of_a_slow_receiver(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x\n" * 500_000)

    async def scenario() -> None:
        fd = os.open(tmp_path / "file", os.O_RDONLY)
        inflow = Inflow(borrowed(os.dup(fd), os.O_RDONLY), on_end=nothing, read_ahead=100_000)
        await eventually(lambda: inflow._paused)
        # Both descriptors share one position: two reads of what a pipe holds.
        assert os.lseek(fd, 0, os.SEEK_CUR) == 2 * 65536
        assert len(await collected(inflow)) == 500_000
        inflow.close()
        os.close(fd)

    run(scenario)


def test_an_empty_device_ends_at_once() -> None:
    async def scenario() -> None:
        fd = os.open(os.devnull, os.O_RDONLY)
        inflow = Inflow(borrowed(fd, os.O_RDONLY), on_end=nothing)
        assert await inflow.receive() == []
        assert await inflow.receive() == []
        inflow.close()

    run(scenario)


def test_a_file_that_cannot_be_read_is_a_loss(tmp_path: Path) -> None:
    async def scenario() -> None:
        # A folder can be opened, but reading it is an error.
        fd = os.open(tmp_path, os.O_RDONLY)
        inflow = Inflow(borrowed(fd, os.O_RDONLY), on_end=nothing)
        with pytest.raises(ConnectionLost, match="Is a directory"):
            await inflow.receive()
        inflow.close()

    run(scenario)


def test_closing_a_file_that_is_being_read_lets_the_thread_close_the_descriptor() -> None:
    async def scenario() -> None:
        stuck, released, closed = threading.Event(), threading.Event(), threading.Event()

        def read(_: int) -> bytes:
            stuck.set()
            released.wait(BOUND)
            return b"too late\n"

        inflow = Inflow(_unpollable(read, closed.set), on_end=nothing)
        await asyncio.to_thread(stuck.wait, BOUND)
        inflow.close()
        assert not closed.is_set()
        assert await inflow.receive() == []
        released.set()
        assert await asyncio.to_thread(closed.wait, BOUND)

    run(scenario)


def test_a_reading_thread_ends_when_its_event_loop_was_closed() -> None:
    go_on, closed = threading.Event(), threading.Event()

    def read(_: int) -> bytes:
        go_on.wait(BOUND)
        return b"nobody wants this\n"

    async def scenario() -> None:
        Inflow(_unpollable(read, closed.set), on_end=nothing)

    run(scenario)
    go_on.set()
    assert closed.wait(BOUND)


def test_a_terminal_that_was_hung_up_has_ended() -> None:
    async def scenario() -> None:
        controller, terminal = pty.openpty()
        inflow = Inflow(borrowed(terminal, os.O_RDONLY), on_end=nothing)
        os.write(controller, b"typed\n")
        assert await inflow.receive() == [b"typed"]
        os.close(controller)
        assert await inflow.receive() == []
        inflow.close()

    run(scenario)


def test_a_connection_that_was_reset_is_a_loss() -> None:
    async def scenario() -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            there = socket.create_connection(server.getsockname())
            here, _ = server.accept()
        inflow = Inflow(owned(here.detach()), on_end=nothing)
        # Closing with this option resets the connection instead of ending it.
        there.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        there.close()
        with pytest.raises(ConnectionLost, match=os.strerror(errno.ECONNRESET)):
            await inflow.receive()
        inflow.close()

    run(scenario)


def test_only_one_task_may_receive() -> None:
    async def scenario() -> None:
        read, write = os.pipe()
        inflow = Inflow(owned(read), on_end=nothing)
        async with asyncio.TaskGroup() as group:
            group.create_task(inflow.receive())
            await asyncio.sleep(0)
            with pytest.raises(RuntimeError, match="already receiving"):
                await inflow.receive()
            os.write(write, b"x\n")
        inflow.close()
        os.close(write)

    run(scenario)


def test_frames_are_handed_over_at_once_while_somebody_waits_and_what_is_left_is_received() -> None:
    async def scenario() -> None:
        read, write = os.pipe()
        inflow = Inflow(owned(read), on_end=nothing)
        taken: list[Incoming] = []

        def take(frames: list[Incoming]) -> list[Incoming]:
            wanted = [frame for frame in frames if frame != b"later"]
            taken.extend(wanted)
            return frames[len(wanted) :]

        inflow.take = take
        receiving = asyncio.create_task(inflow.receive())
        await asyncio.sleep(0)
        os.write(write, b"one\ntwo\n")
        await eventually(lambda: len(taken) == 2)
        assert not receiving.done()
        os.write(write, b"three\nlater\n")
        assert await receiving == [b"later"]
        assert taken == [b"one", b"two", b"three"]
        # Nobody waits now, so nothing is handed over.
        os.write(write, b"four\n")
        await eventually(lambda: inflow._frames == [b"four"])
        assert await inflow.receive() == [b"four"]
        os.close(write)
        assert await inflow.receive() == []
        inflow.close()

    run(scenario)


def test_an_end_when_dry_gives_everything_first_even_to_a_slow_receiver() -> None:
    async def scenario() -> None:
        read, write = os.pipe()
        os.write(write, b"x\n" * 30_000)
        ended: list[bool] = []
        inflow = Inflow(owned(read), on_end=lambda: ended.append(True), read_ahead=1000)
        await eventually(lambda: inflow._paused)
        inflow.end_when_dry(dry="lost", ended=None)
        received: list[Incoming] = []
        with pytest.raises(ConnectionLost, match="lost"):
            await collect(inflow, received)
        assert received == [b"x"] * 30_000
        assert ended == [True]
        inflow.close()
        os.close(write)

    run(scenario)


def test_a_file_ends_by_itself_even_if_it_should_end_when_dry(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"a\nb\n")

    async def scenario() -> None:
        fd = os.open(tmp_path / "file", os.O_RDONLY)
        inflow = Inflow(borrowed(fd, os.O_RDONLY), on_end=nothing)
        inflow.end_when_dry(dry="lost", ended=None)
        assert await collected(inflow) == [b"a", b"b"]
        inflow.close()

    run(scenario)


def test_a_loss_that_is_found_after_the_end_counts_unless_the_end_was_told() -> None:
    async def scenario() -> None:
        for told in (False, True):
            read, write = os.pipe()
            inflow = Inflow(owned(read), on_end=nothing)
            os.close(write)
            await eventually(lambda inflow=inflow: inflow.over)
            if told:
                assert await inflow.receive() == []
            inflow.end_when_dry(dry="lost", ended="lost")
            if told:
                assert await inflow.receive() == []
            else:
                with pytest.raises(ConnectionLost, match="lost"):
                    await inflow.receive()
            inflow.close()

    run(scenario)


def test_what_is_discarded_does_not_hold_the_peer_up() -> None:
    async def scenario() -> None:
        read, write = os.pipe()
        inflow = Inflow(owned(read), on_end=nothing, read_ahead=1000)
        inflow.discard()
        assert await inflow.receive() == []
        writer = threading.Thread(target=partial(_write_and_close, write, b"x\n" * 200_000))
        writer.start()
        await eventually(lambda: inflow.over)
        assert await inflow.receive() == []
        assert until(lambda: not writer.is_alive())
        inflow.close()
        inflow.close()

    run(scenario)


def _unpollable(read: Callable[[int], bytes], close: Callable[[], None]) -> Descriptor:
    """A source that the event loop refuses, since it is no descriptor at all."""
    return Descriptor(10**6, read, lambda _: 0, close)


def _write_and_close(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
    os.close(fd)
