"""Opening, finding, changing and closing sessions on the agent's side of version 2.

`session/list`, `session/resume` and `session/close` always work, because version 2 has no word for
an agent that lacks them (V2-INIT-04). For an application without them:

- list names the sessions that are open on this connection;
- resume takes up a session that is open here, or loads it and keeps its history back;
- close ends the session here.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, suppress
from typing import TypeVar

from parley.errors import InvalidParams, MethodNotFound, ResourceNotFound
from parley.protocol.settings import Settings
from parley.protocol.v2.agent_session import AgentSession, AgentSessions
from parley.protocol.v2.loss import Lose, told
from parley.protocol.v2.option import option_models
from parley.protocol.v2.rules import option_problem, request_problem
from parley.protocol.v2.values import (
    SessionParams,
    fork_session_model,
    is_absolute,
    new_session_model,
    page_model,
    request_from,
    resume_session_model,
)
from parley.rpc.peer import Call
from parley.schema import v2
from parley.schema.base import known_values
from parley.session.event import StateChanged
from parley.session.profile import AgentCapabilities
from parley.session.role import AgentRole, SessionPage, SessionRequest, SessionSetup

R = TypeVar("R")

Opener = Callable[[AgentSession, SessionRequest, bool], Awaitable[SessionSetup]]
"""Takes the session, what it is opened with, and whether it was open already."""


class AgentOpening:
    """Handles the calls of a client that are about whole sessions."""

    def __init__(
        self,
        role: AgentRole,
        sessions: AgentSessions,
        capabilities: AgentCapabilities,
        settings: Settings,
    ) -> None:
        self._role = role
        self._sessions = sessions
        self._capabilities = capabilities
        self._settings = settings

    async def new(self, params: v2.NewSessionRequest, call: Call) -> v2.NewSessionResponse:
        request = self._request(params)
        opening = self._role.new_session(request)
        return await self._made(opening, request, call, new_session_model)

    async def fork(self, params: v2.ForkSessionRequest, call: Call) -> v2.ForkSessionResponse:
        request = self._request(params)
        fork = self._role.fork_session(params.session_id, request)
        opening = _found(params.session_id, fork)
        return await self._made(opening, request, call, fork_session_model)

    async def resume(self, params: v2.ResumeSessionRequest, call: Call) -> v2.ResumeSessionResponse:
        match told(params.replay_from):
            case None:
                return await self._resumed(params, self._without_history)
            case v2.ReplayFromStart():
                return await self._resumed(params, self._with_history)
            case _:
                # V2-RES-07: no other place to begin is known, and none is guessed.
                raise InvalidParams("Invalid params: `replayFrom` is not known")

    async def load(self, params: v2.ResumeSessionRequest, call: Call) -> v2.ResumeSessionResponse:
        """The older name, under which the history is always replayed."""
        return await self._resumed(params, self._with_history)

    async def page(self, params: v2.ListSessionsRequest, call: Call) -> v2.ListSessionsResponse:
        cwd, cursor = told(params.cwd), told(params.cursor)
        if cwd is not None and not is_absolute(cwd):
            raise InvalidParams("Invalid params: `cwd` is not absolute")
        archived = told(params.archived) if self._settings.unstable else None
        if archived is not None and archived not in known_values(v2.SessionArchiveFilter):
            raise InvalidParams("Invalid params: `archived` is not known")  # V1-U-07
        try:
            page = await self._role.list_sessions(cwd=cwd, cursor=cursor, archived=archived)
        except MethodNotFound:
            page = self._open_here(cwd, cursor)
        return page_model(page, unstable=self._settings.unstable, lose=self._settings.lose)

    async def close(self, params: v2.CloseSessionRequest, call: Call) -> v2.CloseSessionResponse:
        session = self._sessions.find(params.session_id)
        if session is not None:  # V2-CLO-04: closing what is not open succeeds.
            await self._closed(session)
        return v2.CloseSessionResponse()

    async def delete(self, params: v2.DeleteSessionRequest, call: Call) -> v2.DeleteSessionResponse:
        if not self._capabilities.delete:
            raise MethodNotFound("Method not found: session/delete")
        session = self._sessions.find(params.session_id)
        if session is not None:
            await self._closed(session)
        with suppress(ResourceNotFound):  # V2-DEL-02
            await self._role.delete_session(params.session_id)
        return v2.DeleteSessionResponse()

    async def set_option(
        self, params: v2.SetSessionConfigOptionRequest, call: Call
    ) -> v2.SetSessionConfigOptionResponse:
        session_id = params.session_id
        hosted = self._sessions.get(session_id).hosted
        if isinstance(params, v2.OtherSetSessionConfigOptionRequest):
            raise InvalidParams("Invalid params: `type` is not known")
        problem = option_problem(hosted.options, params.config_id, params.value)
        if problem is not None:
            raise InvalidParams(f"Invalid params: {problem}")
        options = await self._role.set_option(session_id, params.config_id, params.value)
        hosted.options = options
        models = option_models(options, self._loser(session_id))
        return v2.SetSessionConfigOptionResponse(config_options=models)

    async def cancel_tool_call(
        self, params: v2.CancelToolCallRequest, call: Call
    ) -> v2.CancelToolCallResponse:
        # V2-TCX-02: only what the client was last told that it can cancel.
        if params.tool_call_id not in self._sessions.get(params.session_id).tool_calls:
            raise InvalidParams("Invalid params: the tool call cannot be cancelled")
        try:
            await self._role.cancel_tool_call(params.session_id, params.tool_call_id)
        except MethodNotFound:
            raise InvalidParams("Invalid params: the tool call cannot be cancelled") from None
        return v2.CancelToolCallResponse()

    async def cancel_terminal(
        self, params: v2.CancelTerminalRequest, call: Call
    ) -> v2.CancelTerminalResponse:
        if params.terminal_id not in self._sessions.get(params.session_id).terminals:
            raise InvalidParams("Invalid params: the terminal cannot be cancelled")
        try:
            await self._role.cancel_terminal(params.session_id, params.terminal_id)
        except MethodNotFound:
            raise InvalidParams("Invalid params: the terminal cannot be cancelled") from None
        return v2.CancelTerminalResponse()

    async def end(self, session_id: str) -> None:
        """End a session that is open, for what needs it closed."""
        session = self._sessions.find(session_id)
        if session is not None:
            await self._closed(session)

    async def _made(
        self,
        opening: Awaitable[SessionSetup],
        request: SessionRequest,
        call: Call,
        model: Callable[[SessionSetup, Lose], R],
    ) -> R:
        """A session the client does not know before it has the answer: hold its events back."""
        hosted = self._sessions.hosted
        hosted.begin()
        with ExitStack() as undo:
            undo.callback(hosted.end)
            setup = await opening
            # Whatever can fail comes before the session counts as open.
            answer = model(setup, self._loser(setup.session_id))
            undo.pop_all()

        def known() -> None:
            self._sessions.open(setup.session_id, request, setup.options)
            hosted.end()

        call.after_response(known)
        return answer

    async def _resumed(
        self, params: v2.ResumeSessionRequest, open: Opener
    ) -> v2.ResumeSessionResponse:
        request = self._request(params)
        session_id = params.session_id
        known = self._sessions.find(session_id)
        session = known or self._sessions.open(session_id, request)
        session.opening, session.last_state = True, None
        with ExitStack() as undo:
            if known is None:
                undo.callback(self._sessions.close, session_id)
            try:
                setup = await _found(session_id, open(session, request, known is not None))
            finally:
                session.opening = session.muted = False
            answer = resume_session_model(setup, self._loser(session_id))
            undo.pop_all()
        session.hosted.options = setup.options
        # V2-RES-05: what the session does, after any replay and before the answer, always.
        state = "running" if session.hosted.busy else "idle"
        self._sessions.report(session, session.last_state or StateChanged(state))
        return answer

    async def _with_history(
        self, session: AgentSession, request: SessionRequest, known: bool
    ) -> SessionSetup:
        session_id = session.hosted.id
        self._sessions.begin_anew(session, "")
        try:
            return await self._role.load_session(session_id, request)
        except MethodNotFound:
            if not known:
                raise _unknown(session_id) from None
            raise InvalidParams("Invalid params: the history cannot be replayed") from None

    async def _without_history(
        self, session: AgentSession, request: SessionRequest, known: bool
    ) -> SessionSetup:
        session_id = session.hosted.id
        if not known:
            # The client may remember messages that were counted before.
            self._sessions.begin_anew(session, f"{os.urandom(3).hex()}-")
        with suppress(MethodNotFound):
            return await self._role.resume_session(session_id, request)
        if known:
            return SessionSetup(session_id, session.hosted.options)
        session.muted = True  # V2-RES-02: no history.
        with suppress(MethodNotFound):
            return await self._role.load_session(session_id, request)
        raise _unknown(session_id)

    def _open_here(self, cwd: str | None, cursor: str | None) -> SessionPage:
        if cursor is not None:
            raise InvalidParams("Invalid params: `cursor` was not given out")
        infos = (session.info for session in self._sessions.all())
        return SessionPage(tuple(info for info in infos if cwd is None or info.cwd == cwd))

    async def _closed(self, session: AgentSession) -> None:
        """V2-CLO-01, V2-CLO-02: work is cancelled, and its last updates come before the answer."""
        session_id = session.hosted.id
        session.closing = True
        session.hosted.cancel()
        with suppress(TimeoutError):
            async with asyncio.timeout(self._settings.deadline):
                await session.hosted.settled()
        try:
            with suppress(MethodNotFound, ResourceNotFound):
                await self._role.close_session(session_id)
        finally:
            self._sessions.close(session_id)

    def _request(self, params: SessionParams) -> SessionRequest:
        """What a session is to be opened with, if it can be.

        Raises:
            InvalidParams: it cannot.
        """
        if any(isinstance(server, v2.OtherMcpServer) for server in params.mcp_servers or ()):
            raise InvalidParams("Invalid params: `mcpServers` has an unknown transport")
        request = request_from(params, unstable=self._settings.unstable)
        problem = request_problem(request, self._capabilities)
        if problem is not None:
            raise InvalidParams(f"Invalid params: {problem}")
        return request

    def _loser(self, session_id: str) -> Lose:
        def lose(what: str, detail: str) -> None:
            self._settings.lose(what, detail, session_id)

        return lose


async def _found(session_id: str, opening: Awaitable[SessionSetup]) -> SessionSetup:
    """V2-RES-10: an unknown session is named in the error."""
    try:
        return await opening
    except ResourceNotFound as error:
        raise error if error.data is not None else _unknown(session_id) from None


def _unknown(session_id: str) -> ResourceNotFound:
    return ResourceNotFound("Resource not found: no such session", {"sessionId": session_id})
