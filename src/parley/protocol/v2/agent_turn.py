"""Prompts on the agent's side of version 2: inserted, answered, worked on, ended, cancelled.

The order on the wire is: the answer, the user's message, `running`, updates, `idle`.
"""

import asyncio
import os
from collections.abc import Awaitable

from parley.errors import InvalidParams, RequestCancelled, RpcError
from parley.protocol.hosted import Withdrawn
from parley.protocol.v2.agent_session import AgentSession, AgentSessions
from parley.protocol.v2.content import blocks_from
from parley.protocol.v2.loss import told
from parley.protocol.v2.rules import prompt_problem
from parley.protocol.v2.state import INTERNAL_ERROR
from parley.rpc.peer import Call
from parley.schema import v2
from parley.session.event import Event, Failure, MessageChanged, StateChanged, ToolCallChanged
from parley.session.profile import AgentCapabilities
from parley.session.role import AgentRole, Ending, Inserting, Interruptible, Prompt

_BROKEN = Ending("error", failure=Failure(INTERNAL_ERROR, "Internal error"))
"""How a turn ends that raises what nobody foresaw; no detail leaves the process (RPC-29)."""


class AgentTurns:
    """Runs the turns of all sessions of a connection."""

    def __init__(
        self, role: AgentRole, sessions: AgentSessions, capabilities: AgentCapabilities
    ) -> None:
        self._role = role
        self._sessions = sessions
        self._capabilities = capabilities

    async def prompt(self, params: v2.PromptRequest, call: Call) -> v2.PromptResponse:
        """V2-PRM-02: answered when the message is inserted, not when the work is done."""
        session = self._sessions.get(params.session_id)
        content = blocks_from(params.prompt)
        # V2-PRM-05: what refuses a prompt comes before its insertion.
        problem = prompt_problem(content, self._capabilities)
        if problem is not None:
            raise InvalidParams(f"Invalid params: {problem}")
        if session.closing:
            raise RequestCancelled("Request cancelled: the session is being closed")
        try:
            await session.hosted.enter()
        except Withdrawn:
            # V2-CNC-07, V2-CLO-06
            raise RequestCancelled("Request cancelled: the prompt was withdrawn") from None
        message_id = os.urandom(12).hex()
        prompt = Prompt(content, message_id, told(params.meta))
        await self._insert(session, prompt)
        call.after_response(lambda: self._turn(session, prompt, message_id))
        return v2.PromptResponse(message_id=message_id)

    async def _insert(self, session: AgentSession, prompt: Prompt) -> None:
        """Let an agent that keeps its prompts do so before the client is told."""
        if not isinstance(self._role, Inserting):
            return
        inserted = False
        try:
            await self._role.insert(session.hosted.id, prompt)
            inserted = True
        finally:
            if not inserted:
                session.hosted.leave()

    def cancel(self, params: v2.CancelSessionNotification) -> Awaitable[None] | None:
        """V2-CNC-01: an unknown session, or one without work, is left alone."""
        session = self._sessions.find(params.session_id)
        if session is None or session.hosted.cancel():
            return None
        role = self._role
        return role.interrupt(params.session_id) if isinstance(role, Interruptible) else None

    async def _turn(self, session: AgentSession, prompt: Prompt, message_id: str) -> None:
        session_id = session.hosted.id
        self._sessions.report(session, MessageChanged("user", message_id, prompt.content))
        self._sessions.report(session, StateChanged("running"))

        def finish(event: Event) -> None:
            # V2-CNC-08: background work is not part of the turn and goes on.
            assert isinstance(event, ToolCallChanged)
            if self._is_open(session) and not session.in_background("tool_call", event.id):
                self._sessions.emit(session_id, event)

        ending: Ending | None = _BROKEN
        try:
            # V2-PRM-06: after insertion a failure ends the work and not the request.
            ending = await session.hosted.run(lambda: self._role.prompt(session_id, prompt), finish)
        except RpcError as error:
            ending = _failed(error)
        except asyncio.CancelledError:
            ending = None  # The connection is over.
            raise
        finally:
            session.prompt = None
            if ending is not None and self._is_open(session):
                self._report_end(session, ending)

    def _report_end(self, session: AgentSession, ending: Ending) -> None:
        try:
            self._sessions.report(session, _idle(ending))
        except RpcError as error:
            # Who listens to losses refused one; the session must not look busy for ever.
            self._sessions.report(session, _idle(_failed(error)))

    def _is_open(self, session: AgentSession) -> bool:
        return self._sessions.hosted.find(session.hosted.id) is session.hosted


def _failed(error: RpcError) -> Ending:
    return Ending("error", failure=Failure(error.code, error.message, error.data))


def _idle(ending: Ending) -> StateChanged:
    return StateChanged("idle", ending.stop_reason, ending.failure, ending.usage, meta=ending.meta)
