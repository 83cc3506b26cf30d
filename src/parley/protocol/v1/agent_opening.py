"""How sessions begin and end on a connection: new, load, resume, fork, close, delete.

Nothing about a new session leaves before the answer that names it, and a loaded one is replayed
before its answer (V1-LOAD-02, V1-LOAD-03). After a session has ended nothing more is sent for it.
"""

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, ExitStack, suppress
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

import parley.schema.v1 as v1
from parley.errors import InvalidParams, MethodNotFound, ResourceNotFound
from parley.protocol.endpoint import Route, Routes
from parley.protocol.settings import Settings
from parley.protocol.v1.agent_turn import Turns
from parley.protocol.v1.client_handle import ClientHandle
from parley.protocol.v1.dialect import OPENING
from parley.protocol.v1.iac_dialect import forks_in_dialect
from parley.protocol.v1.option import models_member, modes_model, option_models
from parley.protocol.v1.updates import Updates
from parley.protocol.v1.values import Opening, session_request_from
from parley.rpc.peer import Call
from parley.schema.base import Extra
from parley.session.event import CommandsChanged
from parley.session.patch import given
from parley.session.profile import AgentCapabilities
from parley.session.role import (
    AcpServer,
    AgentRole,
    HttpServer,
    McpServer,
    SessionRequest,
    SessionSetup,
)


class Openings:
    """Answers the requests that open and end sessions on one connection."""

    def __init__(
        self,
        role: AgentRole,
        handle: ClientHandle,
        turns: Turns,
        capabilities: AgentCapabilities,
        settings: Settings,
    ) -> None:
        self._role = role
        self._handle = handle
        self._turns = turns
        self._capabilities = capabilities
        self._settings = settings

    def add_to(self, routes: Routes) -> None:
        routes.calls |= {
            "session/new": Route(v1.NewSessionRequest, self._new, OPENING),
            "session/load": Route(v1.LoadSessionRequest, self._load, OPENING),
            "session/resume": Route(v1.ResumeSessionRequest, self._resume, OPENING),
            "session/close": Route(v1.CloseSessionRequest, self._close),
            "session/delete": Route(v1.DeleteSessionRequest, self._delete),
        }
        if self._settings.unstable or forks_in_dialect(self._settings, self._capabilities):
            routes.calls["session/fork"] = Route(v1.ForkSessionRequest, self._fork, OPENING)

    async def _new(self, params: v1.NewSessionRequest, call: Call) -> v1.NewSessionResponse:
        request = self._request(params)
        session_id, members = await self._held_back(call, lambda: self._role.new_session(request))
        return v1.NewSessionResponse(session_id=session_id, **members)

    async def _fork(self, params: v1.ForkSessionRequest, call: Call) -> v1.ForkSessionResponse:
        request = self._request(params)
        session_id, members = await self._held_back(
            call, lambda: self._role.fork_session(params.session_id, request)
        )
        return v1.ForkSessionResponse(session_id=session_id, **members)

    async def _resume(
        self, params: v1.ResumeSessionRequest, call: Call
    ) -> v1.ResumeSessionResponse:
        # V1-RES-02: what is reported meanwhile is not history, and follows the answer.
        request = self._request(params)
        _, members = await self._held_back(
            call, lambda: self._role.resume_session(params.session_id, request)
        )
        return v1.ResumeSessionResponse(**members)

    async def _load(self, params: v1.LoadSessionRequest, call: Call) -> v1.LoadSessionResponse:
        request = self._request(params)
        sessions = self._handle.sessions
        async with AsyncExitStack() as undo:
            if sessions.find(params.session_id) is None:
                # The client named the session, so its history may leave at once.
                sessions.open(params.session_id)
                undo.push_async_callback(self._handle.forget, params.session_id)
            self._handle.outgoing(params.session_id).tell_anew()
            setup = await self._role.load_session(params.session_id, request)
            # Whatever can fail comes before the session counts as open.
            members, commands = self._members(setup), self._commands(setup)
            undo.pop_all()
        sessions.open(params.session_id, setup.options)
        call.after_response(lambda: self._post(params.session_id, commands))
        return v1.LoadSessionResponse(**members)

    async def _close(self, params: v1.CloseSessionRequest, call: Call) -> v1.CloseSessionResponse:
        if not self._capabilities.close:
            raise MethodNotFound("Method not found: session/close")
        await self._end(params.session_id, self._role.close_session)
        return v1.CloseSessionResponse()

    async def _delete(
        self, params: v1.DeleteSessionRequest, call: Call
    ) -> v1.DeleteSessionResponse:
        if not self._capabilities.delete:
            raise MethodNotFound("Method not found: session/delete")
        await self._end(params.session_id, self._deleted)
        return v1.DeleteSessionResponse()

    async def end_open(self, session_id: str) -> None:
        """End a session if it is open, for what needs it closed."""
        if self._handle.sessions.find(session_id) is not None:
            await self._end(session_id, self._role.close_session)

    async def _deleted(self, session_id: str) -> None:
        with suppress(ResourceNotFound):  # V1-DEL-03
            await self._role.delete_session(session_id)

    async def _end(self, session_id: str, end: Callable[[str], Awaitable[None]]) -> None:
        try:
            await self._turns.settle(session_id)
            await end(session_id)
            await self._handle.forget(session_id)
        finally:
            self._turns.reopen(session_id)

    async def _held_back(
        self, call: Call, open_session: Callable[[], Awaitable[SessionSetup]]
    ) -> tuple[str, dict[str, Any]]:
        """Open a session whose events wait until the answer has left.

        Gives its id, and the other members of the answer.
        """
        sessions = self._handle.sessions
        sessions.begin()
        with ExitStack() as undo:
            undo.callback(sessions.end)
            setup = await open_session()
            # Whatever can fail comes before the session counts as open.
            members, commands = self._members(setup), self._commands(setup)
            undo.pop_all()

        def opened() -> None:
            self._post(setup.session_id, commands)
            sessions.open(setup.session_id, setup.options)
            sessions.end()

        call.after_response(opened)
        return setup.session_id, members

    def _request(self, params: Opening) -> SessionRequest:
        """What a session is opened with.

        Raises:
            InvalidParams: it asks for what the agent did not advertise. Nothing is dropped
                silently (DEC-05, V1-DIR-05).
        """
        request = session_request_from(params)
        can = self._capabilities
        if request.additional_directories and not can.additional_directories:
            raise _not_advertised("additionalDirectories")
        if not all(_takes(can, server) for server in request.mcp_servers):
            raise _not_advertised("mcpServers")
        if not self._settings.unstable:
            return replace(request, system_prompt=None)
        if request.system_prompt is not None and not can.system_prompt:
            raise _not_advertised("systemPrompt")
        return request

    def _members(self, setup: SessionSetup) -> dict[str, Any]:
        """What every answer that opens a session says (V1-SES-10)."""
        session_id, options = setup.session_id, setup.options
        self._handle.outgoing(session_id).set_up(options)
        members: dict[str, Any] = {"modes": modes_model(options), "meta": given(setup.meta)}
        if options:
            members["config_options"] = option_models(
                options,
                self._handle.lose_in(session_id),
                booleans=self._handle.profile.capabilities.boolean_options,
            )
        models = models_member(options) if self._settings.legacy_models else None
        members["extra"] = UNSET if models is None else Extra({"models": models})  # SEE-02
        return members

    def _commands(self, setup: SessionSetup) -> Updates:
        """V1-CMD-01: version 1 lists commands in an update, never in the answer."""
        if not setup.commands:
            return ()
        outgoing = self._handle.outgoing(setup.session_id)
        return outgoing.updates_for(CommandsChanged(setup.commands))

    def _post(self, session_id: str, updates: Updates) -> None:
        for update in updates:
            self._handle.post(session_id, update)


def _takes(can: AgentCapabilities, server: McpServer) -> bool:
    match server:
        case HttpServer(sse=True):
            return can.mcp_sse
        case HttpServer():
            return can.mcp_http
        case AcpServer():
            return can.mcp_acp
        case _:
            return True  # V1-MCP-01: a server on stdio is always taken.


def _not_advertised(member: str) -> InvalidParams:
    return InvalidParams(
        f"Invalid params: `{member}` asks for what the agent does not offer", {"path": member}
    )
