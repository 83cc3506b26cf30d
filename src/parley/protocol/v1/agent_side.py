"""An agent's end of a connection of version 1: every method it answers."""

from typing import Any

import msgspec

import parley.schema.v1 as v1
from parley.errors import InvalidParams, MethodNotFound
from parley.protocol.endpoint import Endpoint, NoteRoute, Route, Routes
from parley.protocol.settings import IAC_CODE, Settings
from parley.protocol.v1.agent_opening import Openings
from parley.protocol.v1.agent_turn import Turns
from parley.protocol.v1.client_handle import ClientHandle
from parley.protocol.v1.content import is_absolute, known
from parley.protocol.v1.iac_dialect import forks_in_dialect, with_unknown_sessions_told
from parley.protocol.v1.profile import client_profile_from, initialized_model
from parley.protocol.v1.values import info_model, sound_info
from parley.rpc.message import Notification, Payload
from parley.rpc.peer import Call
from parley.schema.base import known_values
from parley.schema.codec import decode, encode
from parley.schema.problem import DecodeProblem
from parley.session.patch import given
from parley.session.profile import AgentLogin, AgentProfile
from parley.session.role import AgentRole


class AgentSide:
    """Serves an `AgentRole` to one client. `routes` is complete after `initialize`."""

    def __init__(self, endpoint: Endpoint, role: AgentRole, settings: Settings) -> None:
        self.routes = Routes(other_calls=self._extension, other_notes=self._extension_note)
        self._endpoint = endpoint
        self._role = role
        self._settings = settings
        self._profile = AgentProfile()
        self._handle: ClientHandle | None = None

    async def initialize(self, params: Payload) -> Payload:
        """Answer `initialize`.

        Raises:
            InvalidParams: the parameters cannot be read.
        """
        try:
            request = decode(v1.InitializeRequest, params)
        except DecodeProblem as problem:
            raise InvalidParams(f"Invalid params: {problem}", {"path": problem.path}) from None
        unstable = self._settings.unstable
        client = client_profile_from(request, unstable=unstable)
        handle = ClientHandle(self._endpoint, client, self._settings)
        self._profile = await self._role.initialize(handle)
        self._handle = handle
        self._add_routes(handle)
        forks = forks_in_dialect(self._settings, self._profile.capabilities)
        return encode(
            initialized_model(
                self._profile, client, handle.lose_in(None), unstable=unstable, forks=forks
            )
        )

    async def aclose(self) -> None:
        """The connection is over: prompts that wait for their turn end."""
        if self._handle is not None:
            for session in self._handle.sessions.all():
                session.withdraw()

    def _add_routes(self, handle: ClientHandle) -> None:
        can = self._profile.capabilities
        turns = Turns(self._role, handle, can, self._settings)
        openings = Openings(self._role, handle, turns, can, self._settings)
        listing = Route(v1.ListSessionsRequest, self._list)
        self.routes.calls |= {
            "authenticate": Route(v1.AuthenticateRequest, self._authenticate),
            "logout": Route(v1.LogoutRequest, self._logout),
            "session/list": listing,
            "sessions/list": Route(listing.params, listing.handler, alias="sessions/list"),
        }
        turns.add_to(self.routes)
        openings.add_to(self.routes)
        if self._settings.unstable:
            self._add_unstable_routes(openings)
        if IAC_CODE in self._settings.dialects:
            for name, route in self.routes.calls.items():
                self.routes.calls[name] = with_unknown_sessions_told(route)

    def _add_unstable_routes(self, openings: Openings) -> None:
        """V1-U-01: only with the switch on; without it they are unknown methods."""
        # The table names every model there is, and hardly any agent needs it.
        from parley.schema.v1.methods import METHODS  # noqa: PLC0415

        for method in METHODS:
            if not method.unstable or method.side != "agent" or method.name in self.routes.calls:
                continue
            if method.kind == "request":
                self.routes.calls[method.name] = Route(method.params, self._unstable)
            else:
                self.routes.notes[method.name] = NoteRoute(
                    method.params, lambda params: self._role.tell(params.METHOD, _plain(params))
                )

        async def archive(params: v1.ArchiveSessionRequest, call: Call) -> Any:
            await openings.end_open(params.session_id)  # V1-U-06: it is closed first.
            return await self._unstable(params, call)

        self.routes.calls["session/archive"] = Route(v1.ArchiveSessionRequest, archive)

    async def _authenticate(
        self, params: v1.AuthenticateRequest, call: Call
    ) -> v1.AuthenticateResponse:
        # V1-AUTH-01, V1-AUTH-06: one of the advertised logins, and never one in a terminal.
        offered = [login.id for login in self._profile.logins if isinstance(login, AgentLogin)]
        if params.method_id not in offered:
            raise InvalidParams("Invalid params: no such login", {"path": "methodId"})
        await self._role.login(params.method_id)
        return v1.AuthenticateResponse()

    async def _logout(self, params: v1.LogoutRequest, call: Call) -> v1.LogoutResponse:
        await self._role.logout()
        return v1.LogoutResponse()

    async def _list(self, params: v1.ListSessionsRequest, call: Call) -> v1.ListSessionsResponse:
        unstable = self._settings.unstable
        cwd = known(params.cwd)
        if cwd is not None and not is_absolute(cwd):
            raise InvalidParams("Invalid params: `cwd` is not an absolute path", {"path": "cwd"})
        archived = known(params.archived) if unstable else None
        if archived is not None and archived not in known_values(v1.SessionArchiveFilter):
            raise InvalidParams("Invalid params: no such filter", {"path": "archived"})  # V1-U-07
        page = await self._role.list_sessions(
            cwd=cwd, cursor=known(params.cursor), archived=archived
        )
        sound = [sound_info(info, self._settings.lose) for info in page.sessions]
        return v1.ListSessionsResponse(
            sessions=[info_model(info, unstable=unstable) for info in sound if info is not None],
            next_cursor=given(page.next_cursor),
            meta=given(page.meta),
        )

    async def _unstable(self, params: Any, call: Call) -> Any:
        return await self._role.call(call.method, _plain(params))

    async def _extension(self, call: Call) -> Payload:
        if not call.method.startswith("_"):  # EXT-06, RPC-08
            raise MethodNotFound(f"Method not found: {call.method[:100]}")
        return encode(await self._role.call(call.method, _value(call.params)))

    def _extension_note(self, note: Notification) -> None:
        if note.method.startswith("_"):  # EXT-09: all others are ignored.
            self._role.tell(note.method, _value(note.params))


def _plain(params: Any) -> Any:
    return msgspec.json.decode(encode(params))


def _value(payload: Payload) -> Any:
    return msgspec.json.decode(payload) if payload else None
