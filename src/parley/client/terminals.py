"""Commands of this machine for agents of version 1, started within the roots.

A command has no screen: it reads nothing, and what it writes is kept, the end of it first. The
roots bound where it starts, not what it does. Nothing here knows the protocol: it is a `Terminals`
for `parley.Client(terminals=...)`.
"""

import os
import secrets
from collections.abc import Iterable, Mapping

from parley.client.roots import Path, Roots, shown
from parley.client.tail import Tail
from parley.errors import InternalError, InvalidParams, ResourceNotFound
from parley.process.command import Command, signal_name, start
from parley.process.life import environment
from parley.session.event import ExitStatus
from parley.session.role import TerminalOutput

KEPT_BYTES = 1024 * 1024
"""What is kept of an output when the agent wants no less."""
MOST_TERMINALS = 64
"""How many terminals there may be that were not released."""


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
        kept = self._kept_bytes if output_limit is None else min(output_limit, self._kept_bytes)
        tail = Tail(kept)
        # V1-TRM-04: variables are added, arguments reach the program as they are.
        variables = environment(env, clean=self._clean_env)
        try:
            running = start((command, *args), cwd=folder, env=variables, on_output=tail.feed)
        except OSError as error:
            raise InvalidParams(
                f"Invalid params: cannot start `{shown(command)}`: {error.strerror}",
                {"path": "command"},
            ) from None
        terminal = LocalTerminal(running, tail, self._open)
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

    def __init__(self, command: Command, tail: Tail, unreleased: set[str]) -> None:
        self.id = secrets.token_hex(8)
        self._command = command
        self._tail = tail
        self._unreleased = unreleased
        self._released = False

    async def __aenter__(self) -> "LocalTerminal":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.release()

    async def output(self) -> TerminalOutput:
        """What was written until now, and how the command ended if it has (V1-TRM-07)."""
        self._check()
        code = self._command.returncode
        if code is None:
            return TerminalOutput(self._tail.text, self._tail.truncated)
        self._tail.end()
        return TerminalOutput(self._tail.text, self._tail.truncated, _status(code))

    async def wait(self) -> ExitStatus:
        """How the command ended; any number may wait, also afterwards (V1-TRM-08)."""
        self._check()
        return _status(await self._command.wait())

    async def kill(self) -> None:
        """End the command with all its children (V1-TRM-15); what it wrote stays (V1-TRM-09)."""
        self._check()
        await self._command.kill()

    async def release(self) -> None:
        """End the command if it still runs; the terminal cannot be used afterwards (V1-TRM-10)."""
        if self._released:
            return
        self._released = True
        try:
            await self._command.kill()
        finally:
            self._unreleased.discard(self.id)
            self._command.close()

    def _check(self) -> None:
        if self._released:
            raise ResourceNotFound("Resource not found: the terminal was released")


def _status(code: int) -> ExitStatus:
    # V1-TRM-13: a command that a signal ended has no code.
    return ExitStatus(code) if code >= 0 else ExitStatus(signal=signal_name(-code))
