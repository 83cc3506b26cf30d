"""A child process as a transport: how a client starts an agent and gets rid of it again.

The child has pipes for stdin and stdout, its stderr is always read, and it leads a process group
of its own, so that whatever it starts goes with it.
"""

import asyncio
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from msgspec import Struct

from parley.errors import ConnectionLost
from parley.process import children
from parley.process.life import call_at_exit, environment
from parley.rpc.transport import Incoming
from parley.transport.complaints import Complaints
from parley.transport.launch import Child, launch
from parley.transport.pipe import PipeLimits, PipeTransport

_SHOWN_LINES = 10
# How long the kernel may take to end a process that was killed.
_DEATH_SECONDS = 1.0


class Patience(Struct, frozen=True):
    """How many seconds each step of the way out of a child may take."""

    after_end: float = 0.5
    """From closing its stdin to SIGTERM."""
    after_terminate: float = 0.5
    """From SIGTERM to SIGKILL."""
    for_status: float = 0.5
    """From the end of its stdout to its exit, before the end is reported without a status."""


async def spawn(
    command: Sequence[str],
    *,
    cwd: str | os.PathLike[str] | None = None,
    env: Mapping[str, str] | None = None,
    clean_env: bool = False,
    on_stderr: Callable[[str], None] | None = None,
    limits: PipeLimits | None = None,
    patience: Patience | None = None,
) -> "ProcessTransport":
    """Start a program and speak with it over its stdin and stdout (STD-02).

    `env` is added to our environment, or with `clean_env` to the few variables every program
    needs, so that no secret of ours reaches the child. `on_stderr` gets each line it complains.

    Raises:
        ConnectionLost: the program cannot be started; the text names it and says why.
    """
    if isinstance(command, str) or not command:
        raise TypeError("the command must be a list: the program, then its arguments")
    child = launch(command, cwd=cwd, env=environment(env, clean=clean_env))
    return ProcessTransport(
        command, child, on_stderr=on_stderr, limits=limits, patience=patience or Patience()
    )


class ProcessTransport(PipeTransport):
    """The transport to a child; use `spawn` to make one, and always `aclose` it."""

    def __init__(
        self,
        command: Sequence[str],
        child: Child,
        *,
        on_stderr: Callable[[str], None] | None,
        limits: PipeLimits | None,
        patience: Patience,
    ) -> None:
        super().__init__(child.stdout, child.stdin, limits=limits)
        self.command = tuple(command)
        self._process = child.process
        self._patience = patience
        self._complaints = Complaints(child.stderr, on_stderr)
        self._exited = asyncio.Event()
        self._closing = asyncio.Lock()
        call_at_exit(child.process, self._ended)

    @property
    def pid(self) -> int:
        """The process id of the child, and the id of its group."""
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """The exit status, negative for a signal; `None` while the child runs."""
        return self._process.returncode if self._exited.is_set() else None

    @property
    def stderr_tail(self) -> str:
        """The last lines that the child wrote to its stderr."""
        return self._complaints.tail

    async def receive(self) -> list[Incoming]:
        """Wait for frames; see `Transport`. A child that dies unasked is a loss."""
        try:
            frames = await super().receive()
        except ConnectionLost as error:
            raise await self._explained(error) from None
        if frames or self._closed:
            return frames
        if await self._wait_exited(self._patience.for_status):
            raise ConnectionLost(self._epitaph())
        # It closed its stdout and lives on: it has said all it has to say.
        return frames

    async def drain(self) -> None:
        """Wait until the outbox is below its mark; see `Transport`."""
        try:
            await super().drain()
        except ConnectionLost as error:
            raise await self._explained(error) from None

    async def aclose(self) -> None:
        """End the child: close its stdin, then SIGTERM, then SIGKILL, to all of its group (STD-10).

        When it returns there is neither the child nor anything of its group. Idempotent; being
        cancelled only makes it impatient.
        """
        async with self._closing:
            if self._closed:
                return
            self._closed = True
            try:
                await self._see_out()
            finally:
                if not self._exited.is_set():
                    children.signal_group(self.pid, signal.SIGKILL)
                    self._reap()
                self._outflow.close()
                self._inflow.close()

    async def _see_out(self) -> None:
        if self._exited.is_set():
            return
        # What it still says is read and dropped, so that it can come to its end.
        self._inflow.discard()
        self._outflow.refuse()
        await self._outflow.flush(self.limits.flush_seconds)
        self._outflow.close()
        if await self._wait_exited(self._patience.after_end):
            return
        children.signal_group(self.pid, signal.SIGTERM)
        if await self._wait_exited(self._patience.after_terminate):
            return
        children.signal_group(self.pid, signal.SIGKILL)
        await self._wait_exited(_DEATH_SECONDS)

    async def _explained(self, error: ConnectionLost) -> ConnectionLost:
        """The same loss with the exit status, which follows the broken pipe within moments."""
        await self._wait_exited(self._patience.for_status)
        return ConnectionLost(self._epitaph(str(error)))

    async def _wait_exited(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._exited.wait()
        except TimeoutError:
            return False
        return True

    def _ended(self) -> None:
        """The leader has ended: nothing of its group may stay, and whoever waits is told."""
        if self._exited.is_set():
            return
        # Before it is reaped, while its id cannot name anybody else.
        children.signal_group(self.pid, signal.SIGKILL)
        self._reap()
        self._outflow.lose(self._epitaph())
        self._inflow.end_when_dry(dry=None, ended=None)

    def _reap(self) -> None:
        """Collect the leader, which has ended or was killed and ends any moment."""
        children.forget(self.pid)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_DEATH_SECONDS)
        self._complaints.finish()
        self._exited.set()

    def _epitaph(self, otherwise: str = "") -> str:
        """How the child ended, for the text of an error."""
        name = os.path.basename(self.command[0])
        status = self.returncode
        match status:
            case None:
                text = f"`{name}`: {otherwise}"
            case _ if status < 0:
                text = f"`{name}` was ended by {_signal_name(-status)}"
            case _:
                text = f"`{name}` exited with status {status}"
        lines = self.stderr_tail.splitlines()[-_SHOWN_LINES:]
        return "\n".join([f"{text}; its last words on stderr:", *lines]) if lines else text


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
