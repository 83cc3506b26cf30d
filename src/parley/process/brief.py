"""A program that runs for as long as a block of code needs it, with the pipes of the event loop.

Ending one is not as simple as `Process.kill`. That looks first whether the child has ended, and if
it has, it takes the exit status away from the thread of the event loop that waits for it, which
then complains and makes one up. A start that is cancelled does the same.
"""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import IO

_CHUNK = 1 << 16


@asynccontextmanager
async def running(
    *command: str,
    stdin: int | IO[bytes],
    stderr: int = asyncio.subprocess.DEVNULL,
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
) -> AsyncGenerator[asyncio.subprocess.Process]:
    """Start a program whose output is read; when the block ends, the program has ended.

    Raises:
        OSError: it cannot be started.
    """
    starting = asyncio.gather(
        asyncio.create_subprocess_exec(
            *command, stdin=stdin, stdout=asyncio.subprocess.PIPE, stderr=stderr, cwd=cwd, env=env
        )
    )
    try:
        (process,) = await asyncio.shield(starting)
    except asyncio.CancelledError:
        with suppress(OSError):
            (process,) = await starting
            await _end(process)
        raise
    try:
        yield process
    finally:
        await _end(process)


async def _end(process: asyncio.subprocess.Process) -> None:
    """Stop the program if it still runs, and close its pipes."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
    if process.stdin is not None:
        process.stdin.close()
    # A pipe is closed when it has been read to its end, which is near now.
    for pipe in (process.stdout, process.stderr):
        while pipe is not None and await pipe.read(_CHUNK):
            pass
    await process.wait()
