"""Runs command lines: in a terminal of the client where it offers them, otherwise here.

Whoever runs one sees it live. Whatever happens, timeout, cancellation, a client that is gone, the
command has ended with everything it started when the call returns. Which commands may run is
decided elsewhere.
"""

import asyncio
import os
import secrets
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Protocol

from msgspec import Struct

from parley.coder.errors import ToolError
from parley.coder.sandbox.box import Box, Launch
from parley.coder.workspace.output import Cleaner, Kept, clean, shortened
from parley.coder.workspace.workspace import Workspace
from parley.errors import AcpError
from parley.process.command import GRACE, Command, signal_name, start
from parley.session.content import TerminalItem, ToolItem
from parley.session.event import Event, ExitStatus, TerminalChanged, TerminalOutputAdded
from parley.session.role import Terminal

_BASH = "/bin/bash"
_FOR_GIT = "GIT_CONFIG_"

LIVE_BYTES = 512 * 1024
"""How much of an output is shown while the command runs; every byte of it is stored."""
CLIENT_BYTES = 256 * 1024
"""How much of an output the client is asked to keep; it keeps the end."""

_TOO_LONG = (
    b"\r\n[the output is long: it is shown again, shortened, when the command has ended]\r\n"
)
# Seconds between two reports of live output, so that a chatty program does not become a flood.
_TICK = 0.03
# Seconds that a cancelled command gets to clean up. Somebody waits for the end of the turn.
_CANCEL_GRACE = 0.1
# Seconds that a client may take to end a command and to give its terminal back.
_CLIENT_SECONDS = 1.0


class Screen(Protocol):
    """Where a running command is shown."""

    def show(self, *items: ToolItem) -> None: ...

    def emit(self, event: Event) -> None: ...

    async def drain(self) -> None: ...


class Ran(Struct, frozen=True):
    """A command that has ended."""

    output: str
    """Clean text, the beginning and the end of it if it is long."""
    exit: ExitStatus
    timed_out: bool = False
    item: TerminalItem | None = None
    """Shows the output also later; a terminal of the client does not."""


async def run_line(
    workspace: Workspace,
    environment: Mapping[str, str],
    line: str,
    *,
    cwd: str,
    seconds: float,
    screen: Screen,
    above: tuple[ToolItem, ...] = (),
    box: Box | None = None,
    search: str | None = None,
) -> Ran:
    """Run a command line to its end, at most for `seconds`; `above` is shown above its output.

    `box` confines it, unless it runs in a terminal of the client, which nothing here can confine.
    Where `search` is given, its programs are looked for in these folders there too.

    Raises:
        ToolError: it cannot be started, or the client failed while it ran.
    """
    if workspace.terminals is None:
        live = _Live(screen)
        command = begin(line, cwd, environment, live.feed, box)
        screen.emit(TerminalChanged(live.id, command=line, cwd=cwd))
        screen.show(*above, TerminalItem(live.id))
        return await _run_here(command, live, seconds)
    try:
        terminal = await workspace.terminals.create(
            workspace.session_id,
            _shell() or "bash",
            ("-c", line),
            env=_changed(environment, search),
            cwd=cwd,
            output_limit=CLIENT_BYTES,
        )
        return await _run_there(terminal, seconds, screen, above)
    except AcpError as error:
        raise ToolError(f"the client could not run the command in a terminal: {error}") from error


def begin(
    line: str,
    cwd: str,
    environment: Mapping[str, str],
    on_output: Callable[[bytes], None],
    box: Box | None = None,
) -> Command:
    """Start a command line here, in the shell of this machine, confined if there is a box.

    `cwd` is a real path, without links.

    Raises:
        ToolError: it cannot be started.
    """
    shell = _shell() or "/bin/sh"
    try:
        with _launch(box, (shell, "-c", line), cwd) as launch:
            return start(
                launch.command,
                cwd=cwd,
                env=environment,
                on_output=on_output,
                setup=_staying(cwd, launch.setup),
                keep=launch.keep,
            )
    except OSError as error:
        raise ToolError(f"the command cannot be started in `{cwd}`: {error.strerror}") from None


def _shell() -> str | None:
    """Its path, since its name could mean a program of the workspace; `None` without one."""
    return _BASH if os.path.exists(_BASH) else None


def exit_status(code: int | None) -> ExitStatus:
    """How a command ended; `None` is a command that not even a kill could end in time."""
    if code is None or code >= 0:
        return ExitStatus(code)
    return ExitStatus(signal=signal_name(-code))


def _launch(box: Box | None, command: tuple[str, ...], cwd: str) -> AbstractContextManager[Launch]:
    return nullcontext(Launch(command)) if box is None else box.launch(command, cwd)


def _staying(cwd: str, setup: Callable[[], None] | None) -> Callable[[], None]:
    """Let a command start only in the folder that it was allowed for.

    A link may be put in its place at any time before; the child alone can tell where it is.
    """

    def check() -> None:
        if setup is not None:
            setup()
        if os.getcwd() != cwd:
            raise NotADirectoryError(cwd)

    return check


async def _run_here(command: Command, live: "_Live", seconds: float) -> Ran:
    timed_out = False
    grace = _CANCEL_GRACE
    try:
        async with asyncio.timeout(seconds):
            await live.follow(command)
    except TimeoutError:
        timed_out = True
        grace = GRACE
    finally:
        try:
            await command.stop(grace)
        finally:
            command.close()
            status = exit_status(command.returncode)
            live.end(status)
    return Ran(live.kept.text, status, timed_out, TerminalItem(live.id))


class _Live:
    """The output of a command on its way to the screen, and what is kept of it."""

    def __init__(self, screen: Screen) -> None:
        self.id = f"shell-{secrets.token_hex(8)}"
        self.kept = Kept()
        self._screen = screen
        self._cleaner = Cleaner()
        self._fresh = bytearray()
        self._left = LIVE_BYTES
        self._cut = False
        self._news = asyncio.Event()

    def feed(self, data: bytes) -> None:
        self.kept.add(self._cleaner.feed(data))
        if self._cut:
            return
        self._fresh += data[: self._left]
        self._cut = len(data) > self._left
        self._left -= min(len(data), self._left)
        if self._cut:
            self._fresh += _TOO_LONG
        self._news.set()

    async def follow(self, command: Command) -> None:
        """Show the output as it comes, until the command ends."""
        async with asyncio.TaskGroup() as group:
            telling = group.create_task(self._tell_again(command))
            await command.wait()
            telling.cancel()

    def end(self, status: ExitStatus) -> None:
        """Show what is left, and how it ended."""
        self.kept.add(self._cleaner.end())
        if self._cut:
            text = self.kept.text.replace("\n", "\r\n").encode()
            self._screen.emit(TerminalChanged(self.id, output=text, exit=status))
        else:
            self._tell()
            self._screen.emit(TerminalChanged(self.id, exit=status))

    async def _tell_again(self, command: Command) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            self._tell()
            # A client that is behind makes the program wait, not our memory grow.
            command.pause()
            await self._screen.drain()
            command.resume()
            await asyncio.sleep(_TICK)

    def _tell(self) -> None:
        if self._fresh:
            self._screen.emit(TerminalOutputAdded(self.id, bytes(self._fresh)))
            self._fresh.clear()


async def _run_there(
    terminal: Terminal, seconds: float, screen: Screen, above: tuple[ToolItem, ...]
) -> Ran:
    timed_out = False
    try:
        screen.show(*above, TerminalItem(terminal.id))
        try:
            async with asyncio.timeout(seconds):
                status = await terminal.wait()
        except TimeoutError:
            timed_out = True
            await terminal.kill()
            status = await _last_status(terminal)
        output = await terminal.output()
    finally:
        with suppress(AcpError, TimeoutError):
            async with asyncio.timeout(_CLIENT_SECONDS):
                await terminal.release()
    left_out = "[the beginning of the output was left out]\n" if output.truncated else ""
    return Ran(left_out + shortened(clean(output.text)), status, timed_out)


async def _last_status(terminal: Terminal) -> ExitStatus:
    """How a command ended that was killed, if the client says so in time."""
    try:
        async with asyncio.timeout(_CLIENT_SECONDS):
            return await terminal.wait()
    except TimeoutError:
        return ExitStatus()


def _changed(environment: Mapping[str, str], search: str | None) -> dict[str, str] | None:
    """What a terminal of the client must not see: variables of ours that commands do not get.

    The client adds variables to its own environment, which may hold the same keys as ours. What
    git is told to leave alone in a repository holds there too.
    """
    if not environment:
        return None
    changes = dict.fromkeys((name for name in os.environ if name not in environment), "")
    changes |= {name: each for name, each in environment.items() if name.startswith(_FOR_GIT)}
    return changes if search is None else {**changes, "PATH": search}
