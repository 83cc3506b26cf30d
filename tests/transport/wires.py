"""Connected pairs of every local transport, and the bounds that the tests of them share."""

import asyncio
import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from parley.conformance.check_transport import TransportPair
from parley.process.descriptor import owned
from parley.transport.memory import memory_pair
from parley.transport.pipe import PipeLimits, PipeTransport
from parley.transport.process import Patience, ProcessTransport, spawn
from parley.transport.tap import TapTransport

BOUND = 10.0
"""Seconds; no wait of a test is longer."""
PROGRAMS = Path(__file__).parent / "programs"

T = TypeVar("T")


def run(scenario: Callable[[], Coroutine[object, object, T]]) -> T:
    """Run an async scenario to its end, in bounded time."""

    async def bounded() -> T:
        async with asyncio.timeout(BOUND):
            return await scenario()

    return asyncio.run(bounded())


async def eventually(condition: Callable[[], bool]) -> None:
    """Wait until the condition holds; fail when it does not in time."""
    for _ in range(int(BOUND / 0.005)):
        if condition():
            return
        await asyncio.sleep(0.005)
    raise TimeoutError("the condition did not come true")


def until(condition: Callable[[], bool], seconds: float = BOUND) -> bool:
    """Wait without an event loop until the condition holds; whether it did in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits to be reaped does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def python(program: str, *arguments: str) -> list[str]:
    """The command for one of our programs; without `site`, where it needs nothing of it."""
    return [sys.executable, "-S", "-E", str(PROGRAMS / program), *arguments]


def pipe_transports(limits: PipeLimits | None = None) -> tuple[PipeTransport, PipeTransport]:
    """Two transports joined by two pipes."""
    (read_one, write_one), (read_other, write_other) = os.pipe(), os.pipe()
    near = PipeTransport(owned(read_one), owned(write_other), limits=limits)
    far = PipeTransport(owned(read_other), owned(write_one), limits=limits)
    return near, far


def on_socket(sock: socket.socket) -> PipeTransport:
    """A transport on a connected socket, which it takes over."""
    return PipeTransport(owned(os.dup(sock.fileno())), owned(sock.detach()))


def vanish(transport: PipeTransport) -> None:
    """Close both descriptors of a transport without a word, as the kernel does after a kill."""
    transport._outflow.close()
    transport._inflow.close()


@asynccontextmanager
async def memory_wire() -> AsyncIterator[TransportPair]:
    near, far = memory_pair()
    yield TransportPair(near, far, far.break_)


@asynccontextmanager
async def pipe_wire() -> AsyncIterator[TransportPair]:
    near, far = pipe_transports()
    yield TransportPair(near, far, lambda: vanish(far))
    await near.aclose()
    await far.aclose()


@asynccontextmanager
async def socket_wire() -> AsyncIterator[TransportPair]:
    near, far = map(on_socket, socket.socketpair())
    yield TransportPair(near, far, lambda: vanish(far))
    await near.aclose()
    await far.aclose()


@asynccontextmanager
async def tap_wire() -> AsyncIterator[TransportPair]:
    near, far = memory_pair()
    yield TransportPair(TapTransport(near, _ignore), TapTransport(far, _ignore), far.break_)


@asynccontextmanager
async def relayed() -> AsyncIterator[tuple[PipeTransport, ProcessTransport]]:
    """A transport to a child, and one on a socket whose frames the child passes on."""
    patience = Patience(after_end=0.2, after_terminate=0.2, for_status=0.1)
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"{folder}/relay")
        listening.listen()
        listening.setblocking(False)
        process = await spawn(python("relay.py", f"{folder}/relay"), patience=patience)
        connected, _ = await asyncio.get_running_loop().sock_accept(listening)
        outside = on_socket(connected)
        try:
            yield outside, process
        finally:
            await outside.aclose()
            await process.aclose()


@asynccontextmanager
async def into_process_wire() -> AsyncIterator[TransportPair]:
    async with relayed() as (outside, process):
        yield TransportPair(outside, process, lambda: os.kill(process.pid, signal.SIGKILL))


@asynccontextmanager
async def out_of_process_wire() -> AsyncIterator[TransportPair]:
    async with relayed() as (outside, process):
        yield TransportPair(process, outside, lambda: os.kill(process.pid, signal.SIGKILL))


def _ignore(_: object) -> None:
    pass
