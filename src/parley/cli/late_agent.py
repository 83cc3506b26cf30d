"""The agent that answers `initialize` first and loads itself afterwards.

An editor starts an agent per window and waits for this one answer. Everything else, which is most
of the agent, is loaded in a worker thread behind it; a request that comes sooner waits for that.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from parley.coder.background import Background
from parley.session.option import Option, OptionValue
from parley.session.profile import AgentProfile
from parley.session.role import (
    AgentRole,
    ClientRole,
    Ending,
    Inserting,
    Prompt,
    SessionPage,
    SessionRequest,
    SessionSetup,
)

_ANSWER_SECONDS = 0.005
"""How long loading waits, so that the answer to `initialize` has left before."""


class KeepingAgent(AgentRole, Inserting, Protocol):
    """An agent that keeps a prompt before its client is told that it was taken."""


class LateAgent:
    """An `AgentRole` that hands over to the real one. `make` may block."""

    def __init__(self, profile: AgentProfile, make: Callable[[], KeepingAgent]) -> None:
        self._profile = profile
        self._make = make
        self._client: ClientRole | None = None
        self._made: KeepingAgent | None = None
        self._making = asyncio.Lock()
        self._background = Background()

    async def initialize(self, client: ClientRole) -> AgentProfile:
        self._client = client
        if self._made is not None:
            # Some clients do it twice; the later one counts.
            await self._made.initialize(client)
        self._background.start(_after_the_answer(self._agent))
        return self._profile

    async def aclose(self) -> None:
        await self._background.aclose()

    async def login(self, method_id: str) -> None:
        await (await self._agent()).login(method_id)

    async def logout(self) -> None:
        await (await self._agent()).logout()

    async def new_session(self, request: SessionRequest) -> SessionSetup:
        return await (await self._agent()).new_session(request)

    async def load_session(self, session_id: str, request: SessionRequest) -> SessionSetup:
        return await (await self._agent()).load_session(session_id, request)

    async def resume_session(self, session_id: str, request: SessionRequest) -> SessionSetup:
        return await (await self._agent()).resume_session(session_id, request)

    async def fork_session(self, session_id: str, request: SessionRequest) -> SessionSetup:
        return await (await self._agent()).fork_session(session_id, request)

    async def list_sessions(
        self, *, cwd: str | None = None, cursor: str | None = None, archived: str | None = None
    ) -> SessionPage:
        agent = await self._agent()
        return await agent.list_sessions(cwd=cwd, cursor=cursor, archived=archived)

    async def close_session(self, session_id: str) -> None:
        await (await self._agent()).close_session(session_id)

    async def delete_session(self, session_id: str) -> None:
        await (await self._agent()).delete_session(session_id)

    async def insert(self, session_id: str, prompt: Prompt) -> None:
        await (await self._agent()).insert(session_id, prompt)

    async def prompt(self, session_id: str, prompt: Prompt) -> Ending:
        return await (await self._agent()).prompt(session_id, prompt)

    async def set_option(
        self, session_id: str, option_id: str, value: OptionValue
    ) -> tuple[Option, ...]:
        return await (await self._agent()).set_option(session_id, option_id, value)

    async def cancel_tool_call(self, session_id: str, tool_call_id: str) -> None:
        await (await self._agent()).cancel_tool_call(session_id, tool_call_id)

    async def cancel_terminal(self, session_id: str, terminal_id: str) -> None:
        await (await self._agent()).cancel_terminal(session_id, terminal_id)

    async def call(self, method: str, params: Any) -> Any:
        return await (await self._agent()).call(method, params)

    def tell(self, method: str, params: Any) -> None:
        if self._made is not None:
            self._made.tell(method, params)

    async def _agent(self) -> KeepingAgent:
        async with self._making:
            if self._made is None:
                assert self._client is not None, "initialize comes first"
                made = await asyncio.to_thread(self._make)
                await made.initialize(self._client)
                self._made = made
            return self._made


async def _after_the_answer(load: Callable[[], Awaitable[object]]) -> None:
    await asyncio.sleep(_ANSWER_SECONDS)
    await load()
