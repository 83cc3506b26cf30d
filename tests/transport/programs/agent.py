"""An application on stdio that gets itself into every state in which a client can leave it.

Each frame is a command; it is answered with `ready` when the state is reached.
"""

import asyncio
import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable

from parley.rpc.transport import Transport
from parley.transport.process import spawn
from parley.transport.stdio import run_stdio

# What an application or a library calls without thinking of the wire.
say = print


async def serve(transport: Transport) -> None:
    async with asyncio.TaskGroup() as group:
        while frames := await transport.receive():
            for frame in frames:
                assert isinstance(frame, bytes)
                name, _, rest = frame.decode().partition(" ")
                if name == "return":
                    return
                if name == "echo":
                    transport.send(rest.encode())
                    continue
                group.create_task(STATES[name](transport, rest))
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()


async def ready(transport: Transport, text: str = "ready") -> None:
    """Answer, and let the answer leave before the event loop may be held up."""
    transport.send(text.encode())
    await asyncio.sleep(0)
    await asyncio.sleep(0)


async def stream(transport: Transport, _: str) -> None:
    await ready(transport)
    while True:
        transport.send(b"x" * 1000)
        if transport.blocked:
            await transport.drain()


async def wait(transport: Transport, _: str) -> None:
    await ready(transport)
    await asyncio.sleep(60)


async def stubborn(transport: Transport, _: str) -> None:
    await ready(transport)
    while True:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(60)


async def block(transport: Transport, _: str) -> None:
    await ready(transport)
    hold_up()


async def spin(transport: Transport, _: str) -> None:
    await ready(transport)
    while True:
        pass


async def thread(transport: Transport, _: str) -> None:
    await ready(transport)
    await asyncio.to_thread(time.sleep, 60)


async def child(transport: Transport, _: str) -> None:
    process = await spawn(["sh", "-c", "trap '' TERM; sleep 60 & echo $$ $!; wait; sleep 60"])
    frames = await process.receive()
    assert isinstance(frames[0], bytes)
    await ready(transport, frames[0].decode())
    await process.receive()


async def child_and_block(transport: Transport, _: str) -> None:
    process = await spawn(["sh", "-c", "sleep 60 & echo $$ $!; wait"])
    frames = await process.receive()
    assert isinstance(frames[0], bytes)
    await ready(transport, frames[0].decode())
    hold_up()


async def noise(transport: Transport, _: str) -> None:
    make_noise()
    await ready(transport)


def make_noise() -> None:
    """Do everything that might write to stdout by accident, or read from stdin."""
    say("from print")
    os.write(1, b"from descriptor 1\n")
    assert sys.__stdout__ is not None
    sys.__stdout__.write("from the old stdout\n")
    sys.__stdout__.flush()
    subprocess.run(["echo", "from a child"], check=True)
    subprocess.run(["cat"], check=True, timeout=5)


def hold_up() -> None:
    """Keep the event loop from doing anything else."""
    time.sleep(60)


async def crash(_: Transport, __: str) -> None:
    raise ValueError("a mistake in the application")


STATES: dict[str, Callable[[Transport, str], Awaitable[None]]] = {
    each.__name__: each
    for each in (
        *(stream, wait, stubborn, block, spin, thread),
        *(child, child_and_block, noise, crash),
    )
}

if __name__ == "__main__":
    say("before the takeover")
    sys.exit(run_stdio(serve))
