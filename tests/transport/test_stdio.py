"""The stdio transport and the life around it, inside this process on descriptors of our own.

What only a process of its own can show is in `test_stdio_process.py`.
"""

import asyncio
import fcntl
import os
import queue
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

import pytest

from parley.conformance.check_transport import (
    CHECKS,
    Check,
    TransportPair,
    check_name,
    check_transport,
)
from parley.errors import ConnectionLost
from parley.process.descriptor import owned
from parley.rpc.transport import Transport
from parley.transport.pipe import PipeLimits, PipeTransport
from parley.transport.stdio import Lifetime, Serve, StdioTransport, run_stdio
from parley.transport.takeover import StdioTakeover
from parley.transport.watchdog import Watchdog
from tests.transport.wires import eventually, run, vanish


@dataclass
class Desk:
    """Pipes in the place of stdin and stdout, and a watchdog that only notes what it would do."""

    takeover: StdioTakeover
    to_stdin: int
    from_stdout: int
    watchdog: Watchdog
    left: "queue.Queue[int]"

    def run(self, serve: Serve, limits: PipeLimits | None = None, to_receive: float = 0.05) -> int:
        """Run an application with short patience."""
        lifetime = Lifetime(to_return=0.05, to_end=to_receive + 0.4, to_receive=to_receive)
        return run_stdio(
            serve,
            limits=limits,
            lifetime=lifetime,
            takeover=self.takeover,
            watchdog=self.watchdog,
        )

    def say(self, data: bytes) -> None:
        os.write(self.to_stdin, data)

    def hang_up(self) -> None:
        """Close the input; the number stays taken so that it can be closed in the end."""
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, self.to_stdin)
        os.close(null)

    def heard(self) -> bytes:
        return os.read(self.from_stdout, 1 << 16)


@contextmanager
def desk() -> Iterator[Desk]:
    stdin, to_stdin = os.pipe()
    from_stdout, stdout = os.pipe()
    left: queue.Queue[int] = queue.Queue()
    watchdog = Watchdog(leave=left.put)
    takeover = StdioTakeover(stdin=stdin, stdout=stdout)
    try:
        yield Desk(takeover, to_stdin, from_stdout, watchdog, left)
    finally:
        takeover.restore()
        watchdog.stop()
        for fd in (stdin, to_stdin, from_stdout, stdout):
            os.close(fd)


@asynccontextmanager
async def stdio_wire() -> AsyncIterator[TransportPair]:
    stdin, to_stdin = os.pipe()
    from_stdout, stdout = os.pipe()
    takeover = StdioTakeover(stdin=stdin, stdout=stdout)
    # Put back, the real stdout would keep the pipe open beyond the end of the transport.
    takeover.forget()
    near = StdioTransport(takeover)
    far = PipeTransport(owned(from_stdout), owned(to_stdin))
    yield TransportPair(near, far, lambda: vanish(far))
    await near.aclose()
    await far.aclose()
    os.close(stdin)
    os.close(stdout)


async def echo(transport: Transport) -> None:
    while frames := await transport.receive():
        for frame in frames:
            assert isinstance(frame, bytes)
            transport.send(frame)


@pytest.mark.parametrize("check", CHECKS, ids=check_name)
def test_the_battery_passes(check: Check) -> None:
    run(lambda: check_transport(stdio_wire, [check]))


def test_closing_puts_stdin_and_stdout_back() -> None:
    async def scenario() -> None:
        stdin, to_stdin = os.pipe()
        from_stdout, stdout = os.pipe()
        before = sys.stdout
        transport = StdioTransport(StdioTakeover(stdin=stdin, stdout=stdout))
        assert sys.stdout is not before
        transport.send(b"frame")
        await transport.aclose()
        await transport.aclose()
        assert sys.stdout is before
        os.write(stdout, b"no frame")
        assert os.read(from_stdout, 100) == b"frame\nno frame"
        for fd in (stdin, to_stdin, from_stdout, stdout):
            os.close(fd)

    run(scenario)


def test_without_a_takeover_it_takes_the_real_ones() -> None:
    async def scenario() -> None:
        before = os.fstat(0), os.fstat(1)
        transport = StdioTransport()
        assert os.path.samestat(os.fstat(0), os.stat(os.devnull))
        await transport.aclose()
        assert (os.fstat(0), os.fstat(1)) == before

    run(scenario)


def test_an_application_serves_until_the_end_of_its_input() -> None:
    with desk() as ours:
        ours.say(b"one\ntwo")
        ours.hang_up()
        assert ours.run(echo) == 0
        assert ours.heard() == b"one\ntwo\n"


def test_an_application_that_does_not_return_after_the_end_is_cancelled() -> None:
    async def linger(transport: Transport) -> None:
        await echo(transport)
        await asyncio.Event().wait()

    with desk() as ours:
        ours.say(b"one\n")
        ours.hang_up()
        assert ours.run(linger) == 0
        assert ours.heard() == b"one\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_cancels_the_application_and_gives_the_status(number: int) -> None:
    async def serve(transport: Transport) -> None:
        transport.send(b"last words")
        os.kill(os.getpid(), number)
        await asyncio.Event().wait()

    with desk() as ours:
        assert ours.run(serve) == 128 + number
        assert ours.heard() == b"last words\n"


def test_a_lost_client_is_no_failure_even_inside_a_task_group() -> None:
    async def alone(_: Transport) -> None:
        raise ConnectionLost("gone")

    async def grouped(_: Transport) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(alone(_))

    for serve in (alone, grouped):
        with desk() as ours:
            assert ours.run(serve) == 0


def test_a_failure_of_the_application_is_raised_and_ends_with_status_one() -> None:
    async def serve(_: Transport) -> None:
        raise ValueError("a mistake")

    with desk() as ours:
        with pytest.raises(ValueError, match="a mistake"):
            ours.run(serve)
        assert ours.left.get(timeout=5) == 1


def test_a_cancellation_that_nobody_here_asked_for_is_passed_on() -> None:
    async def serve(_: Transport) -> None:
        raise asyncio.CancelledError

    with desk() as ours, pytest.raises(asyncio.CancelledError):
        ours.run(serve)


def test_a_process_that_is_still_there_after_the_end_is_ended_by_force() -> None:
    async def serve(_: Transport) -> None:
        return

    with desk() as ours:
        assert ours.run(serve) == 0
        assert ours.left.get(timeout=5) == 0


def test_an_application_that_ignores_its_input_is_stopped_when_the_client_hangs_up() -> None:
    with desk() as ours:

        async def serve(_: Transport) -> None:
            ours.say(b"never received\n")
            ours.hang_up()
            await asyncio.Event().wait()

        assert ours.run(serve) == 0


def test_an_application_may_take_its_time_as_long_as_it_takes_its_input() -> None:
    with desk() as ours:
        # Two reads long, so that the first receive does not come to the end.
        fcntl.fcntl(ours.to_stdin, fcntl.F_SETPIPE_SZ, 1 << 18)
        received: list[int] = []

        async def serve(transport: Transport) -> None:
            ours.say(b"x\n" * 60_000)
            ours.hang_up()
            await eventually(lambda: ours.watchdog._asked_at is not None)
            received.append(len(await transport.receive()))
            await asyncio.Event().wait()

        assert ours.run(serve, PipeLimits(read_ahead=1), to_receive=0.5) == 0
        assert len(received) == 1
        assert 0 < received[0] < 60_000
