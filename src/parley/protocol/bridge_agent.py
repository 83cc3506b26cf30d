"""The agent of a bridge, as the client sees it: an `AgentRole` whose work is done elsewhere.

It passes everything on. What the agent behind it lacks and version 2 demands is made up by the
side that serves the client, which is told so with `MethodNotFound`.
"""

from contextlib import ExitStack, suppress
from typing import Any

from parley.errors import (
    AcpError,
    InvalidParams,
    InvalidRequest,
    LocalProtocolError,
    MethodNotFound,
    TransportError,
)
from parley.protocol.bridge_client import Turn
from parley.protocol.bridge_line import AgentLine, failures
from parley.protocol.bridge_loss import LossGate, Work, refusable
from parley.protocol.bridge_turn import BridgedTurn
from parley.protocol.settings import Loss, Settings
from parley.session.option import Option, OptionValue
from parley.session.profile import AgentProfile
from parley.session.role import (
    ClientRole,
    Ending,
    Prompt,
    SessionPage,
    SessionRequest,
    SessionSetup,
    StdioServer,
)


class BridgedAgent:
    """Implements `AgentRole` with the agent at the other end of a line."""

    def __init__(self, line: AgentLine, settings: Settings, gate: LossGate) -> None:
        self._line = line
        self._client = line.client
        self._settings = settings
        self._gate = gate
        self._asked = False

    async def initialize(self, client: ClientRole) -> AgentProfile:
        if self._asked:
            # The agent was told what the client can do, and that cannot be changed any more.
            same = client.profile.capabilities == self._client.profile.capabilities
            if not (same and self._line.reached):
                raise InvalidRequest("Invalid request: already initialized with other capabilities")
            self._client.client = client
            return self._line.agent.profile
        with ExitStack() as undo:
            undo.callback(setattr, self, "_asked", False)
            self._asked = True
            profile = await self._line.reach(client)
            undo.pop_all()
        refusable()
        return profile

    async def login(self, method_id: str) -> None:
        with self._line.passing_on() as agent:
            await agent.login(method_id)

    async def logout(self) -> None:
        with self._line.passing_on() as agent:
            if not agent.profile.capabilities.logout:
                self._gate.report(Loss("logout", "the agent cannot log out"))
                raise MethodNotFound("Method not found: the agent cannot log out")
            await agent.logout()

    async def new_session(self, request: SessionRequest) -> SessionSetup:
        with self._line.passing_on() as agent:
            self._check(request, agent.profile)
            return self._opened(await agent.new_session(request))

    async def load_session(self, session_id: str, request: SessionRequest) -> SessionSetup:
        with self._line.passing_on() as agent:
            _require(agent.profile.capabilities.load, "session/load")
            self._check(request, agent.profile)
            self._client.opened(session_id)
            replay = Work()
            with self._gate.working(session_id, replay):
                setup = await agent.load_session(session_id, request)
            if replay.refusal.done():
                raise replay.refusal.result()
            return setup

    async def resume_session(self, session_id: str, request: SessionRequest) -> SessionSetup:
        with self._line.passing_on() as agent:
            _require(agent.profile.capabilities.resume, "session/resume")
            self._check(request, agent.profile)
            self._client.opened(session_id)
            return await agent.resume_session(session_id, request)

    async def fork_session(self, session_id: str, request: SessionRequest) -> SessionSetup:
        with self._line.passing_on() as agent:
            self._check(request, agent.profile)
            return self._opened(await agent.fork_session(session_id, request))

    async def list_sessions(
        self, *, cwd: str | None = None, cursor: str | None = None, archived: str | None = None
    ) -> SessionPage:
        with self._line.passing_on() as agent:
            if not agent.profile.capabilities.list:
                if agent.profile.version < self._client.profile.version:
                    loss = Loss("session.list", "only the sessions of this connection are listed")
                    self._gate.to_client(loss)
                raise MethodNotFound("Method not found: session/list")
            return await agent.list_sessions(cwd=cwd, cursor=cursor, archived=archived)

    async def close_session(self, session_id: str) -> None:
        self._client.closed(session_id)
        with self._line.passing_on() as agent:
            _require(agent.profile.capabilities.close, "session/close")
            await agent.close_session(session_id)

    async def delete_session(self, session_id: str) -> None:
        with self._line.passing_on() as agent:
            await agent.delete_session(session_id)
        self._client.closed(session_id)

    async def prompt(self, session_id: str, prompt: Prompt) -> Ending:
        turn = Turn(prompt)
        running = BridgedTurn(self._line.agent, self._client, session_id, self._settings.deadline)
        with self._gate.working(session_id, turn):
            outcome = await running.run(prompt, turn)
        refusable()
        if isinstance(outcome, AcpError):
            with failures():
                raise outcome
        return outcome

    async def interrupt(self, session_id: str) -> None:
        """End work that no prompt of the client asked for."""
        if session_id in self._client.unprompted:
            with suppress(AcpError):
                await self._line.agent.cancel(session_id)

    async def set_option(
        self, session_id: str, option_id: str, value: OptionValue
    ) -> tuple[Option, ...]:
        with self._line.passing_on() as agent:
            return await agent.set_option(session_id, option_id, value)

    async def cancel_tool_call(self, session_id: str, tool_call_id: str) -> None:
        with self._line.passing_on() as agent:
            await agent.cancel_tool_call(session_id, tool_call_id)

    async def cancel_terminal(self, session_id: str, terminal_id: str) -> None:
        with self._line.passing_on() as agent:
            await agent.cancel_terminal(session_id, terminal_id)

    async def call(self, method: str, params: Any) -> Any:
        with failures():
            try:
                return await self._line.agent.call(method, params)
            except LocalProtocolError:
                raise MethodNotFound(f"Method not found: {method[:100]}") from None

    def tell(self, method: str, params: Any) -> None:
        with suppress(LocalProtocolError, TransportError):
            self._line.agent.tell(method, params)

    def _opened(self, setup: SessionSetup) -> SessionSetup:
        self._client.opened(setup.session_id)
        return setup

    def _check(self, request: SessionRequest, agent: AgentProfile) -> None:
        """Version 1 takes every agent to run servers on stdio, but not every agent does."""
        asked = any(isinstance(server, StdioServer) for server in request.mcp_servers)
        if asked and not agent.capabilities.mcp_stdio:
            self._gate.report(Loss("mcp.stdio", "the agent runs no MCP servers on stdio"))
            raise InvalidParams(
                "Invalid params: the agent runs no MCP servers on stdio", {"path": "mcpServers"}
            )


def _require(able: bool, method: str) -> None:
    if not able:
        raise MethodNotFound(f"Method not found: {method}")
