"""Commands of this machine for agents of version 1, started within the roots.

A command has no screen: it reads nothing, and what it writes is kept, the end of it first. The
roots bound where it starts, not what it does. Nothing here knows the protocol: it is a `Terminals`
for `parley.Client(terminals=...)`.
"""

import asyncio
import os
import secrets
import signal
import subprocess
from collections.abc import Iterable, Mapping
from contextlib import suppress

from parley.client.roots import Path, Roots, shown
from parley.client.tail import Tail
from parley.errors import InternalError, InvalidParams, ResourceNotFound
from parley.process import children
from parley.process.descriptor import Descriptor, owned
from parley.process.life import call_at_exit, environment
from parley.session.event import ExitStatus
from parley.session.role import TerminalOutput

KEPT_BYTES = 1024 * 1024
"""What is kept of an output when the agent wants no less."""
MOST_TERMINALS = 64
"""How many terminals there may be that were not released."""

_READ_SIZE = 64 * 1024
# More than a pipe holds; whoever still writes after the end of the command is not listened to.
_LAST_READS = 20
# How long the kernel may take to end a process that was killed.
_DEATH_SECONDS = 1.0


class LocalTerminals:
    """Runs commands; each one leads a process group of its own, which ends with it.

    A command gets our environment, or with `clean_env` only what every program needs.
    """

    def __init__(
        self,
        roots: Roots | Iterable[Path],
        *,
        clean_env: bool = False,
        kept_bytes: int = KEPT_BYTES,
        most: int = MOST_TERMINALS,
    ) -> None:
        self.roots = Roots.of(roots)
        self._clean_env = clean_env
        self._kept_bytes = kept_bytes
        self._most = most
        self._open: set[str] = set()

    async def create(
        self,
        session_id: str,
        command: str,
        args: tuple[str, ...] = (),
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        output_limit: int | None = None,
    ) -> "LocalTerminal":
        """Start a command and return at once (V1-TRM-03); it runs on.

        Raises:
            InvalidParams: the directory is outside the roots, or the command cannot be started.
            InternalError: there are too many terminals.
        """
        folder = self._folder(session_id, cwd)
        if len(self._open) >= self._most:
            raise InternalError("Internal error: too many terminals were not released")
        # V1-TRM-04: variables are added, arguments reach the program as they are.
        process, output = _start((command, *args), folder, environment(env, clean=self._clean_env))
        kept = self._kept_bytes if output_limit is None else min(output_limit, self._kept_bytes)
        terminal = LocalTerminal(process, output, Tail(kept), self._open)
        self._open.add(terminal.id)
        return terminal

    def _folder(self, session_id: str, cwd: str | None) -> str:
        """Where a command starts: in its directory, or in the one its session works in."""
        directories = self.roots.directories(session_id)
        if not directories:
            raise InvalidParams("Invalid params: the session has no directory", {"path": "cwd"})
        wanted = directories[0] if cwd is None else cwd
        folder = self.roots.place(session_id, wanted, "cwd").path
        if not os.path.isdir(folder):
            raise InvalidParams(
                f"Invalid params: there is no directory `{shown(wanted)}`", {"path": "cwd"}
            )
        return folder


class LocalTerminal:
    """A command that was started, until it is released."""

    def __init__(
        self,
        process: "subprocess.Popen[bytes]",
        output: Descriptor,
        tail: Tail,
        unreleased: set[str],
    ) -> None:
        self.id = secrets.token_hex(8)
        self._process = process
        self._output = output
        self._tail = tail
        self._unreleased = unreleased
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        self._reading = True
        self._released = False
        self._loop.add_reader(output.fd, self._read)
        call_at_exit(process, self._end)

    async def __aenter__(self) -> "LocalTerminal":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.release()

    async def output(self) -> TerminalOutput:
        """What was written until now, and how the command ended if it has (V1-TRM-07)."""
        self._check()
        return TerminalOutput(self._tail.text, self._tail.truncated, self._status())

    async def wait(self) -> ExitStatus:
        """How the command ended; any number may wait, also afterwards (V1-TRM-08)."""
        self._check()
        await self._ended.wait()
        status = self._status()
        assert status is not None
        return status

    async def kill(self) -> None:
        """End the command with all its children; what it wrote stays (V1-TRM-09)."""
        self._check()
        await self._kill()

    async def release(self) -> None:
        """End the command if it still runs; the terminal cannot be used afterwards (V1-TRM-10)."""
        if self._released:
            return
        self._released = True
        try:
            await self._kill()
        finally:
            self._unreleased.discard(self.id)
            self._close()

    async def _kill(self) -> None:
        if not self._ended.is_set():
            children.signal_group(self._process.pid, signal.SIGKILL)
            with suppress(TimeoutError):
                async with asyncio.timeout(_DEATH_SECONDS):
                    await self._ended.wait()

    def _check(self) -> None:
        if self._released:
            raise ResourceNotFound("Resource not found: the terminal was released")

    def _status(self) -> ExitStatus | None:
        if not self._ended.is_set():
            return None
        code = self._process.returncode
        # V1-TRM-13: a command that a signal ended has no code.
        return ExitStatus(code) if code >= 0 else ExitStatus(signal=_signal_name(-code))

    def _end(self) -> None:
        """The command has ended: so do its children (V1-TRM-15), and whoever waits is told."""
        # Before it is reaped, while its id cannot name anybody else.
        children.signal_group(self._process.pid, signal.SIGKILL)
        children.forget(self._process.pid)
        self._process.wait()
        for _ in range(_LAST_READS):
            if not self._read():
                break
        self._close()
        self._tail.end()
        self._ended.set()

    def _read(self) -> bool:
        """Read once; whether there was something."""
        if not self._reading:
            return False
        try:
            data = self._output.read(_READ_SIZE)
        except BlockingIOError:
            return False
        self._tail.feed(data)
        if not data:
            self._close()
        return bool(data)

    def _close(self) -> None:
        if self._reading:
            self._reading = False
            self._loop.remove_reader(self._output.fd)
            self._output.close()


def _start(
    command: tuple[str, ...], folder: str, env: Mapping[str, str]
) -> "tuple[subprocess.Popen[bytes], Descriptor]":
    ours, theirs = os.pipe()
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=theirs,
            cwd=folder,
            env=env,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        os.close(ours)
        why = error.strerror if isinstance(error, OSError) else "it is no command line"
        raise InvalidParams(
            f"Invalid params: cannot start `{shown(command[0])}`: {why}", {"path": "command"}
        ) from None
    finally:
        os.close(theirs)
    children.remember(process.pid)
    return process, owned(ours)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
