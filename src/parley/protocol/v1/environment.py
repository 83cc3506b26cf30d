"""Files and terminals of the client, as an agent uses them.

Paths are absolute and lines count from 1, or nothing is sent (V1-FS-05, V1-SES-09). A terminal is
released exactly once, however its use ends (V1-TRM-11).
"""

# Annotations that are evaluated would load models that a start can do without.
from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Self

from msgspec import UNSET

import parley.schema.v1 as v1
from parley.errors import AcpError, LocalProtocolError
from parley.protocol.endpoint import Endpoint
from parley.protocol.v1.content import is_absolute, known
from parley.session.event import ExitStatus
from parley.session.patch import given
from parley.session.profile import ClientCapabilities
from parley.session.role import TerminalOutput

LATE_ANSWER = 1.0
"""Seconds that a terminal which nobody wants any more gets to be named, so that it is released."""


class RemoteFiles:
    """Text files as the client sees them, unsaved changes included."""

    def __init__(
        self, endpoint: Endpoint, capabilities: ClientCapabilities, deadline: float
    ) -> None:
        self.can_read = capabilities.read_files
        self.can_write = capabilities.write_files
        self._endpoint = endpoint
        self._deadline = deadline

    async def read(
        self, session_id: str, path: str, *, line: int | None = None, limit: int | None = None
    ) -> str:
        """The text of a file, or of `limit` lines of it from `line` on.

        Raises:
            LocalProtocolError: the client cannot, or the path or the line is not one.
        """
        self._check(self.can_read, path)
        if (line is not None and line < 1) or (limit is not None and limit < 0):
            raise LocalProtocolError("lines count from 1, and a limit is not negative")
        request = v1.ReadTextFileRequest(
            session_id=session_id, path=path, line=given(line), limit=given(limit)
        )
        return (await self._endpoint.request(request, timeout=self._deadline)).content

    async def write(self, session_id: str, path: str, content: str) -> None:
        """Replace the text of a file, which is made if there is none.

        Raises:
            LocalProtocolError: the client cannot, or the path is not absolute.
        """
        self._check(self.can_write, path)
        request = v1.WriteTextFileRequest(session_id=session_id, path=path, content=content)
        await self._endpoint.request(request, timeout=self._deadline)

    def _check(self, able: bool, path: str) -> None:
        if not able:  # V1-FS-01
            raise LocalProtocolError("the client does not offer this access to files")
        if not is_absolute(path):
            raise LocalProtocolError("the path of a file is not absolute")


class RemoteTerminals:
    """Commands that the client runs."""

    def __init__(
        self, endpoint: Endpoint, deadline: float, created: Callable[[str, str], None]
    ) -> None:
        self._endpoint = endpoint
        self._deadline = deadline
        self._created = created
        """Is told the session and the id of every terminal, so that it can be shown."""
        self._open: dict[str, dict[str, RemoteTerminal]] = {}

    async def create(
        self,
        session_id: str,
        command: str,
        args: tuple[str, ...] = (),
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        output_limit: int | None = None,
    ) -> RemoteTerminal:
        """Start a command.

        Raises:
            LocalProtocolError: the working directory is not absolute.
        """
        if cwd is not None and not is_absolute(cwd):
            raise LocalProtocolError("the working directory of a command is not absolute")
        variables = [v1.EnvVariable(name=name, value=value) for name, value in (env or {}).items()]
        request = v1.CreateTerminalRequest(
            session_id=session_id,
            command=command,
            args=list(args) or UNSET,
            env=variables or UNSET,
            cwd=given(cwd),
            output_byte_limit=given(output_limit),
        )
        terminal = await self._start(session_id, request)
        self._created(session_id, terminal.id)
        return terminal

    async def release_all(self, session_id: str) -> None:
        """Release what is left of a session that ends."""
        for terminal in list(self._open.get(session_id, {}).values()):
            await terminal.release()
        self._open.pop(session_id, None)

    async def _start(self, session_id: str, request: v1.CreateTerminalRequest) -> RemoteTerminal:
        # The request outlives a cancellation for a moment: a client that does not know how to
        # cancel it starts the command all the same, and then there is something to release.
        asked = asyncio.gather(self._endpoint.request(request, timeout=self._deadline))
        try:
            (answer,) = await asyncio.shield(asked)
        except asyncio.CancelledError:
            with suppress(AcpError, TimeoutError):
                async with asyncio.timeout(LATE_ANSWER):
                    (answer,) = await asked
                    await self._opened(session_id, answer.terminal_id).release()
            raise
        return self._opened(session_id, answer.terminal_id)

    def _opened(self, session_id: str, terminal_id: str) -> RemoteTerminal:
        held = self._open.setdefault(session_id, {})
        terminal = RemoteTerminal(
            terminal_id,
            self._endpoint,
            session_id,
            self._deadline,
            lambda: held.pop(terminal_id, None),
        )
        held[terminal_id] = terminal
        return terminal


class RemoteTerminal:
    """A command that the client runs; leaving its block releases it."""

    def __init__(
        self,
        id: str,
        endpoint: Endpoint,
        session_id: str,
        deadline: float,
        released: Callable[[], object],
    ) -> None:
        self.id = id
        self._endpoint = endpoint
        self._session_id = session_id
        self._deadline = deadline
        self._on_release = released
        self._released = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.release()

    async def output(self) -> TerminalOutput:
        self._check()
        request = v1.TerminalOutputRequest(session_id=self._session_id, terminal_id=self.id)
        answer = await self._endpoint.request(request, timeout=self._deadline)
        status = known(answer.exit_status)
        ended = None if status is None else _exit_from(status)
        return TerminalOutput(answer.output, answer.truncated, ended)

    async def wait(self) -> ExitStatus:
        """Wait for the command to end, which takes as long as it takes."""
        self._check()
        request = v1.WaitForTerminalExitRequest(session_id=self._session_id, terminal_id=self.id)
        return _exit_from(await self._endpoint.request(request))

    async def kill(self) -> None:
        """End the command; output and exit status can still be read (V1-TRM-09)."""
        self._check()
        request = v1.KillTerminalRequest(session_id=self._session_id, terminal_id=self.id)
        await self._endpoint.request(request, timeout=self._deadline)

    async def release(self) -> None:
        """End the command if it runs, and give the terminal up. Only the first call counts."""
        if self._released:
            return
        self._released = True
        self._on_release()
        request = v1.ReleaseTerminalRequest(session_id=self._session_id, terminal_id=self.id)
        # If it fails there is nothing left to release, or nobody to release it.
        with suppress(AcpError):
            await self._endpoint.request(request, timeout=self._deadline)

    def _check(self) -> None:
        if self._released:
            raise LocalProtocolError("the terminal was released")


def _exit_from(model: v1.TerminalExitStatus | v1.WaitForTerminalExitResponse) -> ExitStatus:
    return ExitStatus(known(model.exit_code), known(model.signal), known(model.meta))
