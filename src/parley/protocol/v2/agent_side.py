"""An agent's end of a connection of version 2: which method is answered by whom.

It reads `initialize`, gives the application its client, and routes the rest. The work is in
`agent_opening` and `agent_turn`.
"""

from typing import Any

import msgspec

from parley.errors import InternalError, InvalidParams, MethodNotFound
from parley.protocol.endpoint import Endpoint, NoteRoute, Route, Routes
from parley.protocol.settings import Settings
from parley.protocol.v2.agent_opening import AgentOpening
from parley.protocol.v2.agent_session import AgentSessions
from parley.protocol.v2.agent_turn import AgentTurns
from parley.protocol.v2.client_handle import ClientHandle
from parley.protocol.v2.dialect import (
    ALIASES,
    DRAFT,
    PLACEHOLDER,
    repair_info,
    repair_option_value,
)
from parley.protocol.v2.profile import agent_answer, client_profile, offered_logins
from parley.rpc.message import Notification, Payload
from parley.rpc.peer import Call
from parley.schema import v2
from parley.schema.codec import decode, encode
from parley.session.profile import AgentProfile, Login, TerminalLogin
from parley.session.role import AgentRole

_UNSTABLE_CALLS = (
    "auth/status",
    "providers/disable",
    "providers/list",
    "providers/set",
    "session/set_title",
    "session/status",
    "session/unarchive",
)
"""Unstable methods that go to the application as they are."""
_UNSTABLE_NOTES = frozenset({"mcp/message"})


class AgentSide:
    """What `serve` hands a connection to once it speaks version 2."""

    def __init__(self, endpoint: Endpoint, role: AgentRole, settings: Settings) -> None:
        self.routes = Routes()
        self._endpoint = endpoint
        self._role = role
        self._settings = settings
        self._sessions = AgentSessions(endpoint, settings)
        self._logins: tuple[Login, ...] = ()

    async def initialize(self, params: Payload) -> Payload:
        """Answer the client's `initialize`; afterwards `routes` is complete."""
        client = client_profile(self._read(params))
        handle = ClientHandle(self._endpoint, self._sessions, client, self._settings)
        profile = await self._role.initialize(handle)
        self._logins = offered_logins(profile, client.capabilities)
        self.routes = self._all_routes(profile)
        return encode(agent_answer(profile, self._logins, unstable=self._settings.unstable))

    async def aclose(self) -> None:
        """The connection is over: nothing that waits for a turn gets one."""
        for session in self._sessions.all():
            session.hosted.withdraw()

    def _read(self, params: Payload) -> v2.InitializeRequest:
        """The request, of which a part may be of another version (NEG-11)."""
        members: dict[str, Any] = msgspec.json.decode(params)
        if repair_info(members):
            if members["info"] is not PLACEHOLDER:
                self._endpoint.dialects[DRAFT] += 1
            else:
                self._endpoint.connection.fault("`initialize` without a valid `info`")
        # The version and the name are sound now, and everything else forgives mistakes.
        return decode(v2.InitializeRequest, msgspec.json.encode(members))

    def _all_routes(self, profile: AgentProfile) -> Routes:
        can, sessions = profile.capabilities, self._sessions
        opening = AgentOpening(self._role, sessions, can, self._settings)
        turns = AgentTurns(self._role, sessions, can)
        option = (v2.SetSessionConfigOptionRequest, opening.set_option, (repair_option_value,))
        calls = {
            "auth/login": Route(v2.LoginAuthRequest, self._login),
            "auth/logout": Route(v2.LogoutAuthRequest, self._logout),
            "session/new": Route(v2.NewSessionRequest, opening.new),
            "session/list": Route(v2.ListSessionsRequest, opening.page),
            "session/resume": Route(v2.ResumeSessionRequest, opening.resume),
            "session/close": Route(v2.CloseSessionRequest, opening.close),
            "session/delete": Route(v2.DeleteSessionRequest, opening.delete),
            "session/prompt": Route(v2.PromptRequest, turns.prompt),
            "session/set_config_option": Route(*option),
            "tool_call/cancel": Route(v2.CancelToolCallRequest, opening.cancel_tool_call),
            "terminal/cancel": Route(v2.CancelTerminalRequest, opening.cancel_terminal),
        }
        for old, new in ALIASES.items():
            handler = opening.load if old == "session/load" else calls[new].handler
            calls[old] = Route(calls[new].params, handler, alias=DRAFT)
        if self._settings.unstable:
            calls |= self._unstable_calls(profile, opening)
        notes = {"session/cancel": NoteRoute(v2.CancelSessionNotification, turns.cancel)}
        return Routes(calls, notes, self._other_call, self._other_note)

    def _unstable_calls(self, profile: AgentProfile, opening: AgentOpening) -> dict[str, Route]:
        async def archive(params: v2.ArchiveSessionRequest, call: Call) -> Any:
            await opening.end(params.session_id)  # V1-U-06: an open session is closed first.
            return await self._passed_on(params, call)

        calls = {name: Route(dict[str, Any], self._passed_on) for name in _UNSTABLE_CALLS}
        calls["session/archive"] = Route(v2.ArchiveSessionRequest, archive)
        if profile.capabilities.fork:
            calls["session/fork"] = Route(v2.ForkSessionRequest, opening.fork)
        return calls

    async def _login(self, params: v2.LoginAuthRequest, call: Call) -> v2.LoginAuthResponse:
        if not self._logins:
            raise MethodNotFound("Method not found: auth/login")  # V2-AUTH-02
        method = next((each for each in self._logins if each.id == params.method_id), None)
        if method is None or isinstance(method, TerminalLogin):
            raise InvalidParams("Invalid params: `methodId` is not one of the logins")
        await self._role.login(params.method_id)
        return v2.LoginAuthResponse()

    async def _logout(self, params: v2.LogoutAuthRequest, call: Call) -> v2.LogoutAuthResponse:
        if not self._logins:
            raise MethodNotFound("Method not found: auth/logout")
        try:
            await self._role.logout()
        except MethodNotFound:
            # V2-AUTH-01 wants it to work; saying that it failed is the nearest to the truth.
            raise InternalError("Internal error: the agent cannot log out") from None
        return v2.LogoutAuthResponse()

    async def _passed_on(self, params: Any, call: Call) -> Any:
        answer = await self._role.call(call.method, _plain(call.params))
        return {} if answer is None else answer  # No result of these methods is null.

    async def _other_call(self, call: Call) -> Payload:
        if not call.method.startswith("_"):
            raise MethodNotFound(f"Method not found: {call.method[:100]}")
        self._endpoint.calls_routed += 1  # NEG-14: it counts as a request like any other.
        return encode(await self._role.call(call.method, _plain(call.params)))

    def _other_note(self, note: Notification) -> None:
        # EXT-09: whatever nobody knows is ignored.
        unstable = self._settings.unstable and note.method in _UNSTABLE_NOTES
        if unstable or note.method.startswith("_"):
            self._role.tell(note.method, _plain(note.params))


def _plain(params: Payload) -> Any:
    return msgspec.json.decode(params) if params else None
