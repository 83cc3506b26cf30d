"""Logging in to an agent in the terminal that this process has.

The agent's own program asks the person there. It knows nothing of connections: whoever logged in
connects anew (V1-AUTH-08, V2-AUTH-09).
"""

import asyncio
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress

from parley.client.roots import Path, shown
from parley.errors import ConnectionLost
from parley.process.life import call_at_exit, environment
from parley.session.profile import TerminalLogin

_SECONDS_TO_END = 0.5
# How long the kernel may take to end a process that was killed.
_DEATH_SECONDS = 1.0


async def login_in_terminal(
    command: Sequence[str],
    login: TerminalLogin,
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> bool:
    """Run the agent's program for a login, in our terminal; whether it succeeded (V1-AUTH-07).

    `command`, `cwd` and `env` are those the agent is started with. The arguments of the login are
    added to the command, and its variables win. Connect anew after a success: a connection that
    was open before does not know of it. Cancelling ends the program.

    Raises:
        ConnectionLost: the program cannot be started.
    """
    if isinstance(command, str) or not command:
        raise TypeError("the command must be a list: the program, then its arguments")
    process = _start((*command, *login.args), cwd, {**(env or {}), **login.env})
    ended = asyncio.Event()
    call_at_exit(process, ended.set)
    try:
        await ended.wait()
    finally:
        if not ended.is_set():
            await _end(process, ended)
    return process.wait() == 0


def _start(
    command: tuple[str, ...], cwd: Path | None, env: Mapping[str, str]
) -> "subprocess.Popen[bytes]":
    """Start a program in our own process group, because a terminal listens to no other."""
    try:
        return subprocess.Popen(command, cwd=cwd, env=environment(env, clean=False))
    except (OSError, ValueError) as error:
        raise ConnectionLost(f"cannot start `{shown(command[0])}`: {error}") from error


async def _end(process: "subprocess.Popen[bytes]", ended: asyncio.Event) -> None:
    """Ask the program to end, and end it if it does not."""
    process.terminate()
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(_SECONDS_TO_END):
                await ended.wait()
    finally:
        # Being cancelled once more only makes us impatient.
        process.kill()
        with suppress(subprocess.TimeoutExpired):
            process.wait(_DEATH_SECONDS)
