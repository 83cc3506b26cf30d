"""An agent at the other end of a connection of version 2, as an `AgentRole`.

What the agent did not advertise, or what is malformed, is refused here, before anything is sent.
"""

from contextlib import suppress
from typing import Any, TypeVar, cast

import msgspec
from msgspec.structs import replace

from parley.errors import (
    LocalProtocolError,
    RemoteProtocolError,
    ResourceNotFound,
    VersionMismatch,
)
from parley.protocol.endpoint import Endpoint
from parley.protocol.settings import Settings
from parley.protocol.v2.client_calls import ClientCalls
from parley.protocol.v2.client_session import ClientSessions
from parley.protocol.v2.client_turn import ClientTurns
from parley.protocol.v2.dialect import (
    DRAFT,
    PLACEHOLDER,
    repair_info,
    repair_logins,
    repair_setup,
)
from parley.protocol.v2.loss import given
from parley.protocol.v2.option import options_from
from parley.protocol.v2.profile import agent_profile, client_request, has_sessions
from parley.protocol.v2.rules import option_problem, request_problem
from parley.protocol.v2.values import (
    is_absolute,
    page_from,
    request_members,
    setup_from,
)
from parley.rpc.message import Payload
from parley.schema import v2
from parley.schema.base import Request
from parley.schema.codec import decode, encode
from parley.session.option import Option, OptionValue
from parley.session.profile import AgentProfile, OtherLogin, TerminalLogin
from parley.session.role import (
    ClientRole,
    Ending,
    Prompt,
    SessionPage,
    SessionRequest,
    SessionSetup,
)

R = TypeVar("R")

_UNSTABLE_CALLS = {
    "auth/status": "auth_status",
    "providers/disable": "providers",
    "providers/list": "providers",
    "providers/set": "providers",
    "session/archive": "archive",
    "session/set_title": "title",
    "session/status": "status",
    "session/unarchive": "archive",
}
"""Unstable methods, each with the capability that it needs."""
_UNSTABLE_NOTES = frozenset({"mcp/message"})


class ClientSide:
    """A remote agent of version 2."""

    def __init__(self, endpoint: Endpoint, client: ClientRole, settings: Settings) -> None:
        self.endpoint = endpoint
        self.profile = AgentProfile(version=2)
        self.older_answer: Payload | None = None
        """What the agent answered, if it answered with version 1."""
        self._settings = settings
        self._has_sessions = False
        self._sessions = ClientSessions(endpoint, client)
        self._turns = ClientTurns(endpoint, self._sessions, settings)
        self._calls = ClientCalls(client, self._sessions, settings)

    async def initialize(self, client: ClientRole) -> AgentProfile:
        """Ask in the form of version 2.

        An agent that answers with version 1 gets a profile that says so and nothing else, since
        the rest of its answer is written in another form (NEG-08).
        """
        request = encode(client_request(client.profile))
        try:
            answer = await self.endpoint.connection.request(
                "initialize", request, timeout=self._settings.deadline
            )
        except VersionMismatch as error:
            if _supports_version_1(error.data):
                return AgentProfile(version=1)
            raise
        members = _members(answer)
        if members.get("protocolVersion") == 1:
            self.older_answer = answer
            return AgentProfile(version=1)
        if members.get("protocolVersion") == 2 and not members.keys() & {"info", "capabilities"}:
            # NEG-08: agents of version 1 exist that answer with whatever version they are asked
            # for. Nothing of version 2 is in the answer, so the number alone does not count.
            self.endpoint.connection.fault("version 2 in an answer of version 1")
            return AgentProfile(version=1)
        if members.get("protocolVersion") != 2:
            raise RemoteProtocolError("the agent answered with an unknown version")  # NEG-07
        read = _read(self.endpoint, members)
        self.profile = agent_profile(read)
        self._has_sessions = has_sessions(read)
        self.endpoint.connection.peer.null_ids = False  # RPC-16
        self.endpoint.routes = self._calls.routes()
        return self.profile

    async def login(self, method_id: str) -> None:
        login = next((each for each in self.profile.logins if each.id == method_id), None)
        if login is None:
            raise LocalProtocolError(f"the agent has no login `{method_id}`")  # V2-AUTH-02
        if isinstance(login, TerminalLogin):
            # V2-AUTH-07: it happens in a terminal, outside the connection.
            raise LocalProtocolError(f"`{method_id}` is a login in a terminal")
        if isinstance(login, OtherLogin) and not login.kind.startswith("_"):
            raise LocalProtocolError(f"`{method_id}` is a login of an unknown kind")
        # How long that takes is up to a person.
        request = v2.LoginAuthRequest(method_id=method_id)
        await self.endpoint.request(request, timeout=self._settings.question_deadline)

    async def logout(self) -> None:
        if not self.profile.logins:
            raise LocalProtocolError("the agent has no logins")
        await self._request(v2.LogoutAuthRequest())

    async def new_session(self, request: SessionRequest) -> SessionSetup:
        members = self._members_of(request)
        answer = await self._request(v2.NewSessionRequest(**members))
        return self._sessions.opened(setup_from(answer.session_id, answer), new=True)

    async def load_session(self, session_id: str, request: SessionRequest) -> SessionSetup:
        start = v2.ReplayFromStart()
        params = v2.ResumeSessionRequest(
            session_id=session_id, replay_from=start, **self._members_of(request)
        )
        return self._sessions.opened(setup_from(session_id, await self._request(params)))

    async def resume_session(self, session_id: str, request: SessionRequest) -> SessionSetup:
        params = v2.ResumeSessionRequest(session_id=session_id, **self._members_of(request))
        return self._sessions.opened(setup_from(session_id, await self._request(params)))

    async def fork_session(self, session_id: str, request: SessionRequest) -> SessionSetup:
        if not (self._settings.unstable and self.profile.capabilities.fork):
            raise LocalProtocolError("the agent cannot fork sessions")
        params = v2.ForkSessionRequest(session_id=session_id, **self._members_of(request))
        answer = await self._request(params)
        return self._sessions.opened(setup_from(answer.session_id, answer), new=True)

    async def list_sessions(
        self, *, cwd: str | None = None, cursor: str | None = None, archived: str | None = None
    ) -> SessionPage:
        if cwd is not None and not is_absolute(cwd):
            raise LocalProtocolError("`cwd` is not absolute")
        if archived is not None and not (
            self._settings.unstable and self.profile.capabilities.archive
        ):
            raise LocalProtocolError("the agent cannot archive sessions")
        return page_from(
            await self._request(
                v2.ListSessionsRequest(
                    cwd=given(cwd), cursor=given(cursor), archived=given(archived)
                )
            )
        )

    async def close_session(self, session_id: str) -> None:
        with suppress(ResourceNotFound):  # V2-CLO-05: what is not there is closed.
            await self._request(v2.CloseSessionRequest(session_id=session_id))
        self._sessions.closed(session_id)

    async def delete_session(self, session_id: str) -> None:
        if not self.profile.capabilities.delete:
            raise LocalProtocolError("the agent cannot delete sessions")  # V2-DEL-01
        with suppress(ResourceNotFound):  # V2-DEL-02
            await self._request(v2.DeleteSessionRequest(session_id=session_id))
        self._sessions.closed(session_id)

    async def prompt(self, session_id: str, prompt: Prompt) -> Ending:
        return await self._turns.prompt(session_id, prompt, self.profile.capabilities)

    async def cancel(self, session_id: str) -> None:
        """Cancel the running turn of a session and withdraw the prompts that wait."""
        self._sessions.cancel(self._sessions.get(session_id))

    async def set_option(
        self, session_id: str, option_id: str, value: OptionValue
    ) -> tuple[Option, ...]:
        session = self._sessions.get(session_id)
        problem = option_problem(session.options, option_id, value)
        if problem is not None:
            raise LocalProtocolError(f"`{option_id}`: {problem}")
        # V2-CFG-01: the value says what it is.
        answer = await self._request(
            v2.SetBooleanConfigOption(session_id=session_id, config_id=option_id, value=value)
            if isinstance(value, bool)
            else v2.SetSelectConfigOption(session_id=session_id, config_id=option_id, value=value)
        )
        session.options = options_from(answer.config_options)
        return session.options

    async def cancel_tool_call(self, session_id: str, tool_call_id: str) -> None:
        if tool_call_id not in self._sessions.get(session_id).tool_calls:
            # V2-TCX-01
            raise LocalProtocolError(f"tool call `{tool_call_id}` cannot be cancelled")
        await self._request(
            v2.CancelToolCallRequest(session_id=session_id, tool_call_id=tool_call_id)
        )

    async def cancel_terminal(self, session_id: str, terminal_id: str) -> None:
        if terminal_id not in self._sessions.get(session_id).terminals:
            raise LocalProtocolError(f"terminal `{terminal_id}` cannot be cancelled")
        await self._request(
            v2.CancelTerminalRequest(session_id=session_id, terminal_id=terminal_id)
        )

    async def call(self, method: str, params: Any) -> Any:
        capability = _UNSTABLE_CALLS.get(method) if self._settings.unstable else None
        if capability is not None and not getattr(self.profile.capabilities, capability):
            raise LocalProtocolError(f"the agent does not offer `{method}`")
        if capability is None and not method.startswith("_"):
            raise LocalProtocolError(f"`{method}` is not an extension method")
        answer = await self.endpoint.connection.request(
            method, encode(params), timeout=self._settings.deadline
        )
        return msgspec.json.decode(answer)

    def tell(self, method: str, params: Any) -> None:
        unstable = self._settings.unstable and method in _UNSTABLE_NOTES
        if not (unstable or method.startswith("_")):
            raise LocalProtocolError(f"`{method}` is not an extension method")
        self.endpoint.connection.post(method, encode(params))

    async def _request(self, params: Request[R]) -> R:
        if params.METHOD.startswith("session/") and not self._has_sessions:
            raise LocalProtocolError("the agent has no sessions")  # V2-INIT-05
        deadline = self._settings.deadline
        return await self.endpoint.request(params, timeout=deadline, repairs=(repair_setup,))

    def _members_of(self, request: SessionRequest) -> dict[str, Any]:
        can = self.profile.capabilities
        if not self._settings.unstable:
            can = replace(can, system_prompt=False, mcp_acp=False)
        problem = request_problem(request, can)
        if problem is not None:
            raise LocalProtocolError(problem)
        return request_members(request, self._settings.lose)


def _members(answer: Payload) -> dict[str, Any]:
    value: Any = msgspec.json.decode(answer)
    if not isinstance(value, dict):
        raise RemoteProtocolError("the answer to `initialize` is not an object")
    return cast("dict[str, Any]", value)


def _read(endpoint: Endpoint, members: dict[str, Any]) -> v2.InitializeResponse:
    """The answer, of which a part may be of an older draft."""
    used = [repair(members) for repair in (repair_info, repair_logins)]
    if members["info"] is PLACEHOLDER:
        endpoint.connection.fault("`initialize` without a valid `info`")
    elif any(used):
        endpoint.dialects[DRAFT] += 1
    # The version and the name are sound now, and everything else forgives mistakes.
    return decode(v2.InitializeResponse, msgspec.json.encode(members))


def _supports_version_1(data: Any) -> bool:
    return isinstance(data, dict) and 1 in cast("dict[str, Any]", data).get("supported", ())
