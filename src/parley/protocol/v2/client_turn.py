"""Prompts on the client's side of version 2: sent, accepted, and over when the agent rests."""

import asyncio
from typing import Any, cast

import msgspec

from parley.errors import LocalProtocolError, RequestCancelled, TransportError
from parley.protocol.endpoint import Endpoint
from parley.protocol.settings import Settings
from parley.protocol.v2.attribution import Attribution
from parley.protocol.v2.client_session import ClientSession, ClientSessions, OpenTurn
from parley.protocol.v2.content import block_models
from parley.protocol.v2.dialect import DRAFT, DRAFT_OF_AUGUST
from parley.protocol.v2.loss import given
from parley.protocol.v2.rules import prompt_problem
from parley.rpc.message import Payload
from parley.schema import v2
from parley.schema.codec import encode
from parley.session.event import MessageChanged, StateChanged
from parley.session.profile import AgentCapabilities
from parley.session.role import Ending, Prompt


class ClientTurns:
    """Sends prompts and waits for the end of the work on them."""

    def __init__(self, endpoint: Endpoint, sessions: ClientSessions, settings: Settings) -> None:
        self._endpoint = endpoint
        self._sessions = sessions
        self._settings = settings
        self._answers_at_end = False
        """Whether the agent has shown that it answers a prompt when the work is done (SEE-06)."""
        self._prompts = 0

    async def prompt(self, session_id: str, prompt: Prompt, agent: AgentCapabilities) -> Ending:
        """One turn. Cancelling the wait cancels the turn."""
        session = self._sessions.get(session_id)
        problem = prompt_problem(prompt.content, agent)
        if problem is not None:
            raise LocalProtocolError(problem)

        def lose(what: str, detail: str) -> None:
            self._settings.lose(what, detail, session_id)

        request = v2.PromptRequest(
            session_id=session_id,
            prompt=block_models(prompt.content, lose),
            meta=given(prompt.meta),
        )
        attribution = Attribution(session_was_idle=not session.busy)
        turn = OpenTurn(attribution, asyncio.get_running_loop().create_future())
        session.turns.append(turn)
        try:
            return await self._run(session, turn, request, prompt)
        except asyncio.CancelledError:
            # Waiting prompts are withdrawn one by one; only the first may end the running work.
            if session.turns[0] is turn:
                self._sessions.cancel(session)
            raise
        finally:
            session.turns.remove(turn)

    async def _run(
        self, session: ClientSession, turn: OpenTurn, request: v2.PromptRequest, prompt: Prompt
    ) -> Ending:
        if self._answers_at_end:
            self._prompts += 1
            message = MessageChanged("user", f"prompt-{self._prompts}", prompt.content)
            self._sessions.take(session, message)
            self._sessions.take(session, StateChanged("running"))
        try:
            # No deadline: an agent inserts a prompt when it can (V2-PRM-16).
            answer = await self._endpoint.connection.request(request.METHOD, encode(request))
        except RequestCancelled:
            if not turn.cancelled:
                raise
            return Ending("cancelled")  # It was withdrawn, as we asked.
        ended = self._accepted(session, turn, answer)
        return self._ending(ended or await self._end_of(turn), turn, session.id)

    def _accepted(
        self, session: ClientSession, turn: OpenTurn, answer: Payload
    ) -> StateChanged | None:
        """Three generations of agents: the id of the message, nothing, or the stop reason."""
        value: Any = msgspec.json.decode(answer)
        members = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
        message_id, reason = members.get("messageId"), members.get("stopReason")
        if isinstance(message_id, str):
            turn.attribution.accept(message_id)
        elif isinstance(reason, str):
            self._endpoint.dialects[DRAFT] += 1
            self._answers_at_end = True
            idle = StateChanged("idle", reason)
            self._sessions.take(session, idle)
            return idle
        else:
            self._endpoint.dialects[DRAFT_OF_AUGUST] += 1
            turn.attribution.accept(None)
        turn.settle()
        return None

    async def _end_of(self, turn: OpenTurn) -> StateChanged:
        """V2-PRM-10: the answer is not the end; `idle` is, or the end of the connection."""
        connection = self._endpoint.connection
        async with asyncio.TaskGroup() as group:
            closed = group.create_task(connection.wait_closed())
            await asyncio.wait({turn.done, closed}, return_when=asyncio.FIRST_COMPLETED)
            closed.cancel()
        if turn.done.done():
            return turn.done.result()
        end = connection.end or TransportError("the connection is over")
        raise type(end)(f"the turn did not end: {end}")

    def _ending(self, idle: StateChanged, turn: OpenTurn, session_id: str) -> Ending:
        reason = idle.stop_reason
        if reason is None:
            # V2-PRM-11: a missing reason is one that was not reported.
            self._settings.lose("idle.stop_reason", "the agent did not say why", session_id)
            reason = "cancelled" if turn.cancelled else "end_turn"
        return Ending(reason, idle.usage, idle.failure, idle.meta)
