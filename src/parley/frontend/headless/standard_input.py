"""What somebody piped into a run. It can be waited for without stopping anything else."""

import asyncio
import os
import stat

from parley.errors import ConfigError
from parley.frontend.headless.context import MOST_STDIN

_READ = 64 * 1024


def is_given(fd: int = 0) -> bool:
    """Whether stdin is a file or a pipe, and neither a terminal nor nothing."""
    try:
        mode = os.fstat(fd).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)


async def read_all(fd: int = 0) -> str:
    """Everything up to the end.

    Raises:
        ConfigError: it is too long, or no text.
    """
    data = bytearray()
    waits = not stat.S_ISREG(os.fstat(fd).st_mode)
    while True:
        if waits:
            await _readable(fd)
        chunk = os.read(fd, _READ)
        if not chunk:
            break
        data += chunk
        if len(data) > MOST_STDIN:
            hint = f"at most {MOST_STDIN} bytes are read; use --file for more"
            raise ConfigError("stdin", "stdin", "is too long", hint)
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise ConfigError("stdin", "stdin", "is no text in UTF-8", "use --file") from None


async def _readable(fd: int) -> None:
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()
    loop.add_reader(fd, lambda: ready.done() or ready.set_result(None))
    try:
        await ready
    finally:
        loop.remove_reader(fd)
