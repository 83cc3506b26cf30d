"""A client's end of a connection of version 1: the agent as an `AgentRole`.

What the agent did not advertise, and what is malformed, is refused before anything is sent.
"""

from typing import Any

import msgspec
from msgspec.structs import replace

import parley.schema.v1 as v1
from parley.errors import LocalProtocolError, RemoteProtocolError
from parley.protocol.endpoint import Endpoint
from parley.protocol.settings import Settings
from parley.protocol.v1.client_check import (
    checked_login,
    checked_prompt,
    require,
)
from parley.protocol.v1.client_handle import check_extension
from parley.protocol.v1.client_opening import Openings
from parley.protocol.v1.client_option import Choosing
from parley.protocol.v1.client_serving import Serving
from parley.protocol.v1.client_turn import Turns
from parley.protocol.v1.content import known
from parley.protocol.v1.profile import agent_profile_from, initialize_model
from parley.protocol.v1.values import info_from
from parley.rpc.message import Payload
from parley.schema.codec import decode, encode
from parley.schema.problem import DecodeProblem
from parley.session.option import Option, OptionValue
from parley.session.patch import given
from parley.session.profile import AgentProfile
from parley.session.role import (
    ClientRole,
    Ending,
    Prompt,
    SessionPage,
    SessionRequest,
    SessionSetup,
)


class ClientSide:
    """An agent at the other end of a connection of version 1."""

    def __init__(self, endpoint: Endpoint, client: ClientRole, settings: Settings) -> None:
        self.endpoint = endpoint
        self.profile = AgentProfile()
        self._client = client
        self._settings = settings
        self._serving = Serving(endpoint, client, settings)
        self._turns = Turns(endpoint, client, self._serving)
        self._openings = Openings(endpoint, self._serving, settings)

    async def initialize(self, client: ClientRole) -> AgentProfile:
        """Introduce the client (NEG-01).

        Raises:
            RemoteProtocolError: the agent answers with another version (NEG-07).
        """
        self.endpoint.routes = self._serving.routes()
        profile = replace(client.profile, capabilities=self._serving.environment.offered())
        answer = await self.endpoint.request(
            initialize_model(profile, unstable=self._settings.unstable),
            timeout=self._settings.deadline,
        )
        if answer.protocol_version != 1:
            raise RemoteProtocolError("the agent answered with a version that was not asked for")
        self.profile = agent_profile_from(answer, unstable=self._settings.unstable)
        return self.profile

    def assume_initialized(self, answer: Payload = b'{"protocolVersion":1}') -> None:
        """Take the answer that the agent gave to an `initialize` of another version.

        Raises:
            RemoteProtocolError: it is not one of this version.
        """
        self.endpoint.routes = self._serving.routes()
        try:
            response = decode(v1.InitializeResponse, answer)
        except DecodeProblem as problem:
            raise RemoteProtocolError(f"the answer to `initialize`: {problem}") from None
        self.profile = agent_profile_from(response, unstable=self._settings.unstable)

    async def aclose(self) -> None:
        """The connection is over: give back what the agent left behind."""
        await self._serving.environment.release_all()

    async def login(self, method_id: str) -> None:
        """Log in; how long that takes is up to a person."""
        request = v1.AuthenticateRequest(method_id=checked_login(self.profile, method_id))
        await self.endpoint.request(request, timeout=self._settings.question_deadline)

    async def logout(self) -> None:
        require(self.profile.capabilities.logout, "to log out")  # V1-AUTH-11
        await self.endpoint.request(v1.LogoutRequest(), timeout=self._settings.deadline)

    async def new_session(self, request: SessionRequest) -> SessionSetup:
        return await self._openings.new(request, self.profile.capabilities)

    async def load_session(self, session_id: str, request: SessionRequest) -> SessionSetup:
        require(self.profile.capabilities.load, "to load sessions")  # V1-LOAD-01
        return await self._openings.load(session_id, request, self.profile.capabilities)

    async def resume_session(self, session_id: str, request: SessionRequest) -> SessionSetup:
        require(self.profile.capabilities.resume, "to resume sessions")  # V1-RES-01
        return await self._openings.resume(session_id, request, self.profile.capabilities)

    async def fork_session(self, session_id: str, request: SessionRequest) -> SessionSetup:
        require(self.profile.capabilities.fork, "to fork sessions")  # V1-U-03
        return await self._openings.fork(session_id, request, self.profile.capabilities)

    async def list_sessions(
        self, *, cwd: str | None = None, cursor: str | None = None, archived: str | None = None
    ) -> SessionPage:
        require(self.profile.capabilities.list, "to list sessions")  # V1-LST-01
        if archived is not None:
            require(self.profile.capabilities.archive, "to filter by archive")
        request = v1.ListSessionsRequest(
            cwd=given(cwd), cursor=given(cursor), archived=given(archived)
        )
        answer = await self.endpoint.request(request, timeout=self._settings.deadline)
        return SessionPage(
            tuple(info_from(info) for info in answer.sessions),
            known(answer.next_cursor),
            known(answer.meta),
        )

    async def close_session(self, session_id: str) -> None:
        require(self.profile.capabilities.close, "to close sessions")  # V1-CLO-01
        await self._openings.end(v1.CloseSessionRequest(session_id=session_id))

    async def delete_session(self, session_id: str) -> None:
        require(self.profile.capabilities.delete, "to delete sessions")  # V1-DEL-01
        await self._openings.end(v1.DeleteSessionRequest(session_id=session_id))

    async def prompt(self, session_id: str, prompt: Prompt) -> Ending:
        self._serving.find_open(session_id)
        checked_prompt(prompt.content, self.profile.capabilities)
        return await self._turns.prompt(session_id, prompt, self._settings.lose)

    async def cancel(self, session_id: str) -> None:
        """Cancel the running turn of a session and withdraw the prompts that wait."""
        self._turns.cancel(session_id)
        await self.endpoint.drain()

    async def set_option(
        self, session_id: str, option_id: str, value: OptionValue
    ) -> tuple[Option, ...]:
        offered = self._serving.find_open(session_id).offered
        choice = Choosing(self.endpoint, self._settings.deadline, session_id, offered)
        return await choice.set(option_id, value)

    async def cancel_tool_call(self, session_id: str, tool_call_id: str) -> None:
        raise LocalProtocolError("version 1 cannot cancel a single tool call")

    async def cancel_terminal(self, session_id: str, terminal_id: str) -> None:
        raise LocalProtocolError("version 1 cannot cancel a terminal of the agent")

    async def call(self, method: str, params: Any) -> Any:
        check_extension(method, self._settings)
        answer = await self.endpoint.connection.request(
            method, encode(params), timeout=self._settings.deadline
        )
        return msgspec.json.decode(answer)

    def tell(self, method: str, params: Any) -> None:
        check_extension(method, self._settings)
        self.endpoint.connection.post(method, encode(params))
