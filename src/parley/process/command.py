"""A command without a screen: what it writes is handed on, and it ends whole.

The command leads a session and a process group of its own, and dies with us. It reads nothing, and
stdout and stderr are one pipe, so that they come in the order in which they were written; both can
be changed for a program that is talked to. What the output means and how much of it is kept is the
business of whoever listens.
"""

import asyncio
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from parley.process import children
from parley.process.descriptor import Descriptor, owned
from parley.process.guard import GUARD
from parley.process.life import call_at_exit, death_with_parent

READ_SIZE = 64 * 1024
BURST = 1024 * 1024
"""How many bytes are read before the program has to wait for a rest."""
REST = 0.02
"""Seconds. A program that writes without end leaves the event loop to the others this often."""
GRACE = 0.5
"""Seconds between the polite request to end and the kill."""

# More than a pipe holds; whoever still writes after the end of the command is not listened to.
_LAST_READS = 20
# How long the kernel may take to end a process that was killed.
_DEATH_SECONDS = 1.0


def start(
    command: Sequence[str],
    *,
    cwd: str,
    env: Mapping[str, str],
    on_output: Callable[[bytes], None],
    stdin: int = subprocess.DEVNULL,
    stderr: int | None = None,
    setup: Callable[[], None] | None = None,
    keep: Sequence[int] = (),
) -> "Command":
    """Start a program; what it writes goes to `on_output`, in the event loop.

    Who talks to it passes descriptors for its stdin and stderr, and closes them afterwards.
    `setup` runs in the child, last before it becomes the program: it must do little and take no
    lock. `keep` are further descriptors that the program inherits.

    Call it in the thread of the event loop: Linux ends the child together with the thread that
    started it.

    Raises:
        OSError: it cannot be started; `strerror` says why.
    """
    ours, theirs = os.pipe()
    try:
        process = subprocess.Popen(
            command,
            stdin=stdin,
            stdout=theirs,
            stderr=theirs if stderr is None else stderr,
            cwd=cwd,
            env=env,
            start_new_session=True,
            preexec_fn=_before_exec(setup),
            pass_fds=keep,
        )
    except OSError:
        os.close(ours)
        raise
    except ValueError:
        # A zero byte or half a character, which no argument and no variable can have.
        os.close(ours)
        raise OSError(0, "it is no command line") from None
    except subprocess.SubprocessError:
        # What `setup` raises does not come through; the program did not run.
        os.close(ours)
        raise OSError(0, "it could not be set up") from None
    finally:
        os.close(theirs)
    children.remember(process.pid)
    GUARD.watch(process.pid)
    return Command(process, owned(ours), on_output)


def signal_name(number: int) -> str:
    """The name of a signal, also of one that has none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _before_exec(setup: Callable[[], None] | None) -> Callable[[], None] | None:
    ask = death_with_parent()
    if setup is None or ask is None:
        return setup or ask

    def both() -> None:
        ask()
        setup()

    return both


class Command:
    """A program that was started. When it ends, everything left of its group is killed."""

    def __init__(
        self,
        process: "subprocess.Popen[bytes]",
        output: Descriptor,
        on_output: Callable[[bytes], None],
    ) -> None:
        self._process = process
        self._output = output
        self._on_output = on_output
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        self._open = True
        self._held = False
        self._rest: asyncio.TimerHandle | None = None
        self._burst = BURST
        self._watched = False
        self._watch()
        call_at_exit(process, self._end)

    @property
    def pid(self) -> int:
        """The id of the process, and of its group."""
        return self._process.pid

    @property
    def reading(self) -> bool:
        """Whether more output may come; a program may close it and run on."""
        return self._open

    @property
    def returncode(self) -> int | None:
        """The exit status, negative for a signal; `None` while it runs."""
        return self._process.returncode if self._ended.is_set() else None

    async def wait(self) -> int:
        """Wait for the end; all output was handed on by then. Any number may wait."""
        await self._ended.wait()
        return self._process.returncode

    def pause(self) -> None:
        """Hand on nothing for now; the program waits as soon as its pipe is full."""
        self._held = True
        self._watch()

    def resume(self) -> None:
        self._held = False
        self._watch()

    async def stop(self, grace: float = GRACE) -> None:
        """Ask the whole group to end, and kill it after `grace` seconds.

        Being cancelled only makes it impatient.
        """
        try:
            if not self._ended.is_set() and grace > 0:
                children.signal_group(self.pid, signal.SIGTERM)
                await self._wait_ended(grace)
        finally:
            if not self._ended.is_set():
                children.signal_group(self.pid, signal.SIGKILL)
        await self._wait_ended(_DEATH_SECONDS)

    async def kill(self) -> None:
        """End the whole group at once."""
        await self.stop(0)

    def close(self) -> None:
        """Hand on nothing any more. It does not end the program."""
        if self._open:
            self._open = False
            self._watch()
            self._output.close()
        if self._rest is not None:
            self._rest.cancel()
            self._rest = None

    async def _wait_ended(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._ended.wait()

    def _watch(self) -> None:
        """Listen to the pipe, unless there is a reason not to."""
        wanted = self._open and not self._held and self._rest is None
        if wanted and not self._watched:
            self._loop.add_reader(self._output.fd, self._read_in_turn)
        if self._watched and not wanted:
            self._loop.remove_reader(self._output.fd)
        self._watched = wanted

    def _read_in_turn(self) -> None:
        self._burst -= self._read()
        if self._burst <= 0 and self._open:
            self._rest = self._loop.call_later(REST, self._rested)
            self._watch()

    def _rested(self) -> None:
        self._rest = None
        self._burst = BURST
        self._watch()

    def _read(self) -> int:
        """Read once and hand it on; how many bytes there were."""
        if not self._open:
            return 0
        try:
            data = self._output.read(READ_SIZE)
        except BlockingIOError:
            return 0
        if data:
            self._on_output(data)
        else:
            self.close()
        return len(data)

    def _end(self) -> None:
        """The program has ended: so do its children, and whoever waits is told."""
        # Before it is reaped, while its id cannot name anybody else.
        children.signal_group(self.pid, signal.SIGKILL)
        children.forget(self.pid)
        GUARD.forget(self.pid)
        self._process.wait()
        for _ in range(_LAST_READS):
            if not self._read():
                break
        self.close()
        self._ended.set()
