"""The dialect `iac-code` of version 1: what an agent answers otherwise if its settings name it.

Clients written against that older server look for these forms. Version 2 has no such dialect.
"""

from typing import Any

from msgspec.structs import replace

from parley.errors import InvalidParams, ResourceNotFound
from parley.protocol.endpoint import Route
from parley.protocol.settings import IAC_CODE, Settings
from parley.rpc.peer import Call
from parley.session.content import Audio, Block, Image, Text
from parley.session.profile import AgentCapabilities

# Here the session is all that an agent can look for, so whatever it misses is the session.
_OPENINGS = ("session/load", "session/resume", "session/fork")


def with_unknown_sessions_told(route: Route) -> Route:
    """IAC-24: a route that calls an unknown session an invalid parameter."""

    async def handler(params: Any, call: Call) -> Any:
        try:
            return await route.handler(params, call)
        except ResourceNotFound as missing:
            if call.method in _OPENINGS or _names_session(missing, params):
                raise InvalidParams(data={"session_id": "Session not found"}) from None
            raise

    return replace(route, handler=handler)


def forks_in_dialect(settings: Settings, can: AgentCapabilities) -> bool:
    """IAC-08: clients of that server fork sessions without the unstable part."""
    return can.fork and IAC_CODE in settings.dialects


def with_markers(content: tuple[Block, ...], can: AgentCapabilities) -> tuple[Block, ...]:
    """IAC-10: images and sounds that the agent does not take become text that says so."""
    return tuple(_marker(block, can) for block in content)


def _marker(block: Block, can: AgentCapabilities) -> Block:
    match block:
        case Image(mime_type=kind) if not can.image:
            return Text(f"[image: {kind}]")
        case Audio(mime_type=kind) if not can.audio:
            return Text(f"[audio: {kind}]")
        case _:
            return block


def _names_session(missing: ResourceNotFound, params: Any) -> bool:
    asked = getattr(params, "session_id", None)
    return asked is not None and missing.data == {"sessionId": asked}
