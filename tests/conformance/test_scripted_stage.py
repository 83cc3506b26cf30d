"""What a script does besides sending frames, on a stage in this process and on pipes."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from parley.conformance.scripted_stage import HalfClosingPipe, ProcessStage, Stage
from parley.errors import ConnectionLost
from parley.process.descriptor import borrowed
from parley.rpc.transport import Incoming
from parley.transport.memory import memory_pair
from parley.transport.tap import TapTransport
from tests.conformance.staging import BOUND_SECONDS


@dataclass
class Pipes:
    """A transport over two pipes, and the ends that its peer would have."""

    transport: HalfClosingPipe
    to_it: int
    from_it: int


@asynccontextmanager
async def pipes() -> AsyncIterator[Pipes]:
    their_in, to_it = os.pipe()
    from_it, their_out = os.pipe()
    transport = HalfClosingPipe(borrowed(their_in, os.O_RDONLY), borrowed(their_out, os.O_WRONLY))
    try:
        async with asyncio.timeout(BOUND_SECONDS):
            yield Pipes(transport, to_it, from_it)
    finally:
        await transport.aclose()
        for fd in (to_it, from_it):
            os.close(fd)


def test_a_death_in_this_process_is_told_to_the_peer() -> None:
    async def run() -> None:
        near, far = memory_pair()
        await Stage(far).die(4, "")
        with pytest.raises(ConnectionLost, match=r"^the peer exited with status 4$"):
            await near.receive()

    asyncio.run(run())


def test_a_death_on_any_other_transport_closes_it() -> None:
    async def run() -> tuple[list[Incoming], list[str]]:
        near, far = memory_pair()
        stage = Stage(TapTransport(far, lambda _: None))
        await stage.die(4, "bye")
        return await near.receive(), stage.complaints

    assert asyncio.run(run()) == ([], ["bye"])


def test_the_output_closes_alone_behind_what_was_sent() -> None:
    async def run() -> None:
        async with pipes() as ends:
            ends.transport.send(b"last")
            await ProcessStage(ends.transport).close("output")
            assert os.read(ends.from_it, 100) == b"last\n"
            assert os.read(ends.from_it, 100) == b""
            os.write(ends.to_it, b"still heard\n")
            assert await ends.transport.receive() == [b"still heard"]

    asyncio.run(run())


def test_the_input_closes_alone() -> None:
    async def run() -> None:
        async with pipes() as ends:
            await ProcessStage(ends.transport).close("input")
            with pytest.raises(BrokenPipeError):
                os.write(ends.to_it, b"x\n")
            ends.transport.send(b"still said")
            await ends.transport.flush()
            assert os.read(ends.from_it, 100) == b"still said\n"

    asyncio.run(run())


def test_both_close() -> None:
    async def run() -> None:
        async with pipes() as ends:
            await ProcessStage(ends.transport).close("both")
            assert os.read(ends.from_it, 100) == b""

    asyncio.run(run())


def test_a_process_dies_behind_its_last_frame_and_its_last_words(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def run() -> list[int]:
        left: list[int] = []
        async with pipes() as ends:
            stage = ProcessStage(ends.transport, left.append)
            ends.transport.send(b"last")
            await stage.die(5, "oh no")
            await stage.die(6, "")
            assert os.read(ends.from_it, 100) == b"last\n"
        return left

    assert asyncio.run(run()) == [5, 6]
    assert capsys.readouterr().err == "oh no\n"
