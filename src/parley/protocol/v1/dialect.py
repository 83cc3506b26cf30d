"""Forms of version 1 that older peers use, as data: other names, and parameters to be rewritten.

They are understood and counted, never sent; the one exception is the list of models in the answers
that open a session (`Settings.legacy_models`). A repair is tried only on what does not decode, it
rewrites in place, and it returns the name under which its use is counted.
"""

from typing import Any

import parley.schema.v1 as v1
from parley.protocol.endpoint import Repair
from parley.schema.base import Model, Request
from parley.schema.reading import is_array, is_object
from parley.session.event import TurnUsage

ALIASES = {
    "sessions/list": v1.ListSessionsRequest.METHOD,
    "config/set": v1.SetSelectConfigOption.METHOD,
}
"""Older names of methods that the agent answers, with the names of today."""


class SetModelResponse(Model):
    """Confirms that the model was set."""


class SetModelRequest(Request[SetModelResponse]):
    """Sets the model by a method that version 1 no longer has (SEE-01)."""

    METHOD = "session/set_model"
    RESULT = SetModelResponse

    session_id: v1.SessionId
    model_id: str


def without_servers(params: dict[str, Any]) -> str | None:
    """IAC-05: a session that is opened without a list of MCP servers has none."""
    if "mcpServers" in params:
        return None
    params["mcpServers"] = []
    return "mcpServers missing"


def servers_by_name(params: dict[str, Any]) -> str | None:
    """MCP servers as an object, from name to configuration."""
    servers = params.get("mcpServers")
    if not is_object(servers):
        return None
    params["mcpServers"] = [_named(name, server) for name, server in servers.items()]
    return "mcpServers as an object"


def boolean_without_type(params: dict[str, Any]) -> str | None:
    """IAC-16: the value of an option says by itself that it is a boolean."""
    if not isinstance(params.get("value"), bool):
        return None
    params["type"] = "boolean"
    return "boolean value without a type"


def update_by_type(params: dict[str, Any]) -> str | None:
    """An update whose tag is in `type`, and whose text stands alone."""
    update = params.get("update")
    if not is_object(update) or "sessionUpdate" in update or "type" not in update:
        return None
    update["sessionUpdate"] = update.pop("type")
    if "content" not in update and isinstance(update.get("text"), str):
        update["content"] = {"type": "text", "text": update.pop("text")}
    return "update with `type`"


def mode_by_page(params: dict[str, Any]) -> str | None:
    """A changed mode under the name that a page of the protocol once printed."""
    update = params.get("update")
    if not is_object(update) or "modeId" not in update or "currentModeId" in update:
        return None
    update["currentModeId"] = update.pop("modeId")
    return "`modeId` of a changed mode"


def flat_outcome(answer: dict[str, Any]) -> str | None:
    """IAC-23: an answer to a permission request whose outcome is not an object.

    Only four words are known here. Any other stays what it is, which is no answer.
    """
    option_id = answer.get("optionId", answer.get("option_id"))
    match answer.get("outcome"):
        case "selected" | "allowed" if isinstance(option_id, str):
            answer["outcome"] = {"outcome": "selected", "optionId": option_id}
        case "cancelled" | "denied":
            answer["outcome"] = {"outcome": "cancelled"}
        case _:
            return None
    return "flat permission outcome"


def usage_in_meta(meta: dict[str, Any] | None) -> TurnUsage | None:
    """The tokens of a turn where the answer to a prompt has no stable place for them."""
    usage = None if meta is None else meta.get("usage")
    if not is_object(usage):
        return None

    def count(*names: str) -> int | None:
        found = [usage[name] for name in names if type(usage.get(name)) is int]
        return found[0] if found and found[0] >= 0 else None

    given = count("inputTokens", "input_tokens")
    made = count("outputTokens", "output_tokens")
    if given is None or made is None:
        return None
    total = count("totalTokens", "total_tokens")
    return TurnUsage(
        given + made if total is None else total,
        given,
        made,
        count("thoughtTokens", "thought_tokens"),
        count("cachedReadTokens", "cached_read_tokens"),
        count("cachedWriteTokens", "cached_write_tokens"),
    )


OPENING: tuple[Repair, ...] = (servers_by_name, without_servers)
"""For the requests that open a session."""
SETTING: tuple[Repair, ...] = (boolean_without_type,)
"""For the request that sets an option."""
UPDATING: tuple[Repair, ...] = (update_by_type, mode_by_page)
"""For updates."""
DECIDING: tuple[Repair, ...] = (flat_outcome,)
"""For the answer to a permission request."""


def _named(name: str, server: Any) -> Any:
    if not is_object(server):
        return server  # Left as it is, so that it is refused.
    named: dict[str, Any] = {**server, "name": name}
    if "url" in named:
        named.setdefault("type", "http")
        named["headers"] = _pairs(named.get("headers"))
        return named
    if named.get("type") == "stdio":
        del named["type"]
    named["args"] = named.get("args") or []
    named["env"] = _pairs(named.get("env"))
    return named


def _pairs(value: Any) -> Any:
    if is_object(value):
        return [{"name": name, "value": item} for name, item in value.items()]
    return value if is_array(value) else []
