"""Gives an agent a wire: reads `initialize`, picks the version, hands over to that version."""

from collections.abc import Callable
from typing import Protocol

from parley.errors import InvalidRequest
from parley.protocol.endpoint import Endpoint, Routes
from parley.protocol.negotiation import chosen_version, requested_version
from parley.protocol.settings import Settings
from parley.rpc.message import Payload
from parley.rpc.peer import Call
from parley.rpc.transport import Transport
from parley.session.role import AgentRole


class AgentSide(Protocol):
    """What each version provides: an agent's end of one connection."""

    routes: Routes

    async def initialize(self, params: Payload) -> Payload:
        """Answer the client's `initialize`; afterwards `routes` is complete."""
        ...

    async def aclose(self) -> None:
        """The connection is over."""
        ...


async def serve(role: AgentRole, transport: Transport, settings: Settings | None = None) -> None:
    """Let a client drive the agent until the connection ends."""
    server = _Server(role, transport, settings or Settings())
    try:
        await server.endpoint.connection.run()
    finally:
        if server.side is not None:
            await server.side.aclose()


class _Server:
    def __init__(self, role: AgentRole, transport: Transport, settings: Settings) -> None:
        self._role = role
        self._settings = settings
        self._first = Routes(other_calls=self._before, other_notes=None)
        self.endpoint = Endpoint(transport, self._first, limits=settings.limits)
        self.side: AgentSide | None = None

    async def _before(self, call: Call) -> Payload:
        """Takes calls until the version is settled."""
        if call.method != "initialize":
            # NEG-12: refused, and the client can still initialise afterwards.
            raise InvalidRequest("Invalid request: `initialize` comes first")
        version = chosen_version(requested_version(call.params), self._settings.versions)
        side = _side_class(version)(self.endpoint, self._role, self._settings)
        answer = await side.initialize(call.params)
        self.side = side
        # RPC-15, RPC-16: only version 1 knows null ids.
        self.endpoint.connection.peer.null_ids = version == 1
        self.endpoint.routes = self._with_initialize(side.routes)
        return answer

    def _with_initialize(self, routes: Routes) -> Routes:
        """The routes of a version, still watching for a repeated `initialize`."""
        others = routes.other_calls

        async def other(call: Call) -> Payload:
            if call.method == "initialize":
                return await self._again(call)
            if others is None:
                raise InvalidRequest("Invalid request")
            return await others(call)

        return Routes(routes.calls, routes.notes, other, routes.other_notes)

    async def _again(self, call: Call) -> Payload:
        # NEG-13, NEG-14: version 2 allows it until the first other request. Version 1 does not
        # say (NEG-15); a client of both asks again there, in the form of the version it was given.
        if self.endpoint.calls_routed:
            raise InvalidRequest("Invalid request: already initialized")
        return await self._before(call)


def _side_class(version: int) -> Callable[[Endpoint, AgentRole, Settings], AgentSide]:
    """The part of one version; a start imports the models of the version it speaks alone."""
    if version == 1:
        # Each version takes as long to import as everything else together.
        from parley.protocol.v1 import agent_side as v1_side  # noqa: PLC0415

        return v1_side.AgentSide
    # The same for the other one.
    from parley.protocol.v2 import agent_side as v2_side  # noqa: PLC0415

    return v2_side.AgentSide
