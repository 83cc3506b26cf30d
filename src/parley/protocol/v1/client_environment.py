"""Files and terminals that a client offers: what the agent's requests for them come to.

Unadvertised methods do not exist. A terminal belongs to its session, and a session that was never
heard of has none (V1-TRM-14).
"""

from collections.abc import Container
from contextlib import suppress

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

import parley.schema.v1 as v1
from parley.errors import AcpError, InvalidParams, ResourceNotFound
from parley.protocol.endpoint import Route, Routes
from parley.protocol.v1.content import is_absolute, known
from parley.rpc.peer import Call
from parley.session.event import ExitStatus
from parley.session.patch import given
from parley.session.profile import ClientCapabilities
from parley.session.role import ClientRole, Files, Terminal


class Environment:
    """Answers `fs/*` and `terminal/*` on one connection."""

    def __init__(self, client: ClientRole, sessions: Container[str]) -> None:
        self._client = client
        self._sessions = sessions
        self._terminals: dict[tuple[str, str], Terminal] = {}

    def offered(self) -> ClientCapabilities:
        """What the client can do, less what it says it can but has no means for."""
        can = self._client.profile.capabilities
        files = self._client.files
        return replace(
            can,
            read_files=can.read_files and files is not None and files.can_read,
            write_files=can.write_files and files is not None and files.can_write,
            terminals=can.terminals and self._client.terminals is not None,
        )

    def add_to(self, routes: Routes) -> None:
        can = self.offered()
        if can.read_files:
            routes.calls["fs/read_text_file"] = Route(v1.ReadTextFileRequest, self._read)
        if can.write_files:
            routes.calls["fs/write_text_file"] = Route(v1.WriteTextFileRequest, self._write)
        if can.terminals:  # V1-TRM-02: all five or none.
            routes.calls |= {
                "terminal/create": Route(v1.CreateTerminalRequest, self._create),
                "terminal/output": Route(v1.TerminalOutputRequest, self._output),
                "terminal/wait_for_exit": Route(v1.WaitForTerminalExitRequest, self._wait),
                "terminal/kill": Route(v1.KillTerminalRequest, self._kill),
                "terminal/release": Route(v1.ReleaseTerminalRequest, self._release),
            }

    async def release_all(self, session_id: str | None = None) -> None:
        """Release what the agent left behind: of one session, or of all."""
        for key in list(self._terminals):
            if session_id is None or key[0] == session_id:
                with suppress(AcpError):
                    await self._terminals.pop(key).release()

    async def _read(self, params: v1.ReadTextFileRequest, call: Call) -> v1.ReadTextFileResponse:
        self._check(params.session_id, params.path)
        content = await self._files.read(
            params.session_id,
            params.path,
            # V1-FS-02: lines count from 1, so nothing comes before the first.
            line=None if known(params.line) is None else max(1, known(params.line) or 1),
            limit=known(params.limit),
        )
        return v1.ReadTextFileResponse(content=content)

    async def _write(self, params: v1.WriteTextFileRequest, call: Call) -> v1.WriteTextFileResponse:
        self._check(params.session_id, params.path)
        await self._files.write(params.session_id, params.path, params.content)
        return v1.WriteTextFileResponse()

    async def _create(
        self, params: v1.CreateTerminalRequest, call: Call
    ) -> v1.CreateTerminalResponse:
        cwd = known(params.cwd)
        self._check(params.session_id, cwd)
        terminals = self._client.terminals
        assert terminals is not None
        terminal = await terminals.create(
            params.session_id,
            params.command,
            tuple(known(params.args) or ()),
            env={variable.name: variable.value for variable in known(params.env) or ()},
            cwd=cwd,
            output_limit=known(params.output_byte_limit),
        )
        self._terminals[params.session_id, terminal.id] = terminal
        return v1.CreateTerminalResponse(terminal_id=terminal.id)

    async def _output(
        self, params: v1.TerminalOutputRequest, call: Call
    ) -> v1.TerminalOutputResponse:
        output = await self._terminal(params.session_id, params.terminal_id).output()
        status = output.exit
        return v1.TerminalOutputResponse(
            output=output.text,
            truncated=output.truncated,
            exit_status=UNSET
            if status is None
            else v1.TerminalExitStatus(
                exit_code=_code(status), signal=given(status.signal), meta=given(status.meta)
            ),
        )

    async def _wait(
        self, params: v1.WaitForTerminalExitRequest, call: Call
    ) -> v1.WaitForTerminalExitResponse:
        status = await self._terminal(params.session_id, params.terminal_id).wait()
        return v1.WaitForTerminalExitResponse(
            exit_code=_code(status), signal=given(status.signal), meta=given(status.meta)
        )

    async def _kill(self, params: v1.KillTerminalRequest, call: Call) -> v1.KillTerminalResponse:
        await self._terminal(params.session_id, params.terminal_id).kill()
        return v1.KillTerminalResponse()

    async def _release(
        self, params: v1.ReleaseTerminalRequest, call: Call
    ) -> v1.ReleaseTerminalResponse:
        terminal = self._terminal(params.session_id, params.terminal_id)
        del self._terminals[params.session_id, params.terminal_id]  # V1-TRM-10
        await terminal.release()
        return v1.ReleaseTerminalResponse()

    @property
    def _files(self) -> Files:
        files = self._client.files
        assert files is not None
        return files

    def _terminal(self, session_id: str, terminal_id: str) -> Terminal:
        terminal = self._terminals.get((session_id, terminal_id))
        if terminal is None:
            raise ResourceNotFound("Resource not found: no such terminal of this session")
        return terminal

    def _check(self, session_id: str, path: str | None) -> None:
        if session_id not in self._sessions:
            raise ResourceNotFound("Resource not found: no such session", {"sessionId": session_id})
        if path is not None and not is_absolute(path):  # V1-FS-05, V1-TRM-04
            raise InvalidParams("Invalid params: a path is not absolute", {"path": "path"})


def _code(status: ExitStatus) -> int | UnsetType:
    """The exit code; a command that a signal ended has none (V1-TRM-13)."""
    return UNSET if status.code is None or status.code < 0 else status.code
