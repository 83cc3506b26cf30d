"""How a client of version 1 opens and ends sessions: new, load, resume, fork, close, delete."""

from contextlib import AsyncExitStack, suppress
from typing import Any, TypeVar

from msgspec import UNSET, UnsetType

import parley.schema.v1 as v1
from parley.errors import RemoteProtocolError, ResourceNotFound
from parley.protocol.endpoint import Endpoint
from parley.protocol.settings import Settings
from parley.protocol.v1.client_check import checked_opening
from parley.protocol.v1.client_serving import Serving
from parley.protocol.v1.content import known
from parley.protocol.v1.updates import Incoming
from parley.protocol.v1.values import mcp_server_model, system_prompt_model
from parley.schema.base import Request
from parley.session.patch import given
from parley.session.profile import AgentCapabilities
from parley.session.role import SessionRequest, SessionSetup

R = TypeVar("R")
Answer = (
    v1.NewSessionResponse
    | v1.ForkSessionResponse
    | v1.LoadSessionResponse
    | v1.ResumeSessionResponse
)


class Openings:
    """Opens and ends sessions on one connection."""

    def __init__(self, endpoint: Endpoint, serving: Serving, settings: Settings) -> None:
        self._endpoint = endpoint
        self._serving = serving
        self._settings = settings

    async def new(self, request: SessionRequest, can: AgentCapabilities) -> SessionSetup:
        answer = await self._ask(v1.NewSessionRequest(**self._members(request, can)))
        return self._opened(answer.session_id, answer)

    async def fork(
        self, session_id: str, request: SessionRequest, can: AgentCapabilities
    ) -> SessionSetup:
        members = self._members(request, can)
        answer = await self._ask(v1.ForkSessionRequest(session_id=session_id, **members))
        return self._opened(answer.session_id, answer)

    async def load(
        self, session_id: str, request: SessionRequest, can: AgentCapabilities
    ) -> SessionSetup:
        members = self._members(request, can)
        return await self._reopen(v1.LoadSessionRequest(session_id=session_id, **members))

    async def resume(
        self, session_id: str, request: SessionRequest, can: AgentCapabilities
    ) -> SessionSetup:
        members = self._members(request, can)
        return await self._reopen(v1.ResumeSessionRequest(session_id=session_id, **members))

    async def end(self, request: v1.CloseSessionRequest | v1.DeleteSessionRequest) -> None:
        """Close or delete a session."""
        # V1-CLO-04: what is not there is closed, and deleted.
        with suppress(ResourceNotFound):
            await self._endpoint.request(request, timeout=self._settings.deadline)
        await self._serving.forget(request.session_id)

    async def _reopen(
        self, request: v1.LoadSessionRequest | v1.ResumeSessionRequest
    ) -> SessionSetup:
        """Open a session that has its name already: its history may come before the answer."""
        session_id = request.session_id
        async with AsyncExitStack() as undo:
            if session_id not in self._serving.opened:
                undo.push_async_callback(self._serving.forget, session_id)
            # The history is told from the beginning.
            self._serving.sessions[session_id] = Incoming()
            self._serving.opened.add(session_id)
            answer = await self._ask(request)
            undo.pop_all()
        return self._opened(session_id, answer)

    async def _ask(self, request: Request[R]) -> R:
        return await self._endpoint.request(request, timeout=self._settings.deadline)

    def _members(self, request: SessionRequest, can: AgentCapabilities) -> dict[str, Any]:
        request = checked_opening(request, can)
        lose = self._settings.lose
        return {
            "cwd": request.cwd,
            # The list is always there, even when it is empty (V1-MCP-06).
            "mcp_servers": [mcp_server_model(server) for server in request.mcp_servers],
            "additional_directories": list(request.additional_directories) or UNSET,
            "system_prompt": system_prompt_model(request.system_prompt, lose),
            "meta": given(request.meta),
        }

    def _opened(self, session_id: str, answer: Answer) -> SessionSetup:
        if not session_id:
            raise RemoteProtocolError("the agent named a session with nothing")
        incoming = self._serving.open(session_id)
        models = None if isinstance(answer.extra, UnsetType) else answer.extra.get("models")
        # A list of options that arrived behind the answer is newer than the one in it.
        config = None if incoming.told_options else known(answer.config_options) or ()
        incoming.offered.set_up(config, known(answer.modes), models)
        if models is not None:
            self._endpoint.dialects["`models` in setup"] += 1
        return SessionSetup(session_id, incoming.offered.all, meta=known(answer.meta))
