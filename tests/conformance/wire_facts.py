"""What a conversation consists of, judged by the facts of the schema instead of our models."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from jsonschema import Draft202012Validator

from parley.conformance.player_report import Report
from parley.conformance.wire_check import METHODS
from parley.rpc.transport import Incoming

ROOT = Path(__file__).resolve().parents[2]


class Said(NamedTuple):
    """One message of a report: what it is an example of, and what it carries."""

    version: int
    sender: str
    kind: str
    method: str
    payload: Any


def said_in(report: Report) -> Iterator[Said]:
    """Everything that was sent and is not marked a fault; errors have no schema of their own."""
    asked: dict[Any, str] = {}
    for each in report.traffic:
        message = _message(each.frame)
        if each.direction == "in":
            if "method" in message and "id" in message:
                asked[message["id"]] = message["method"]
        elif "method" in message and not each.fault:
            kind = "request" if "id" in message else "notification"
            payload = message.get("params", {})
            yield Said(report.protocol, report.plays, kind, message["method"], payload)
        elif "result" in message and not each.fault:
            method = asked[message["id"]]
            yield Said(report.protocol, report.plays, "result", method, message["result"])


def _message(frame: Incoming) -> dict[str, Any]:
    """The object in a frame; an empty one for what is none."""
    try:
        message = json.loads(frame) if isinstance(frame, bytes) else {}
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}


def problems_with(said: Said) -> list[str]:
    """What the schema of the version has against a message."""
    if said.method.startswith("_"):
        return []
    return [error.message for error in _validator(*said[:4]).iter_errors(said.payload)]


@cache
def _validator(version: int, sender: str, kind: str, method: str) -> Draft202012Validator:
    handler = sender if kind == "result" else {"agent": "client", "client": "agent"}[sender]
    wanted = "notification" if kind == "notification" else "request"
    rows = [
        row
        for row in METHODS[version]
        if row.name == method and row.kind == wanted and row.side in (handler, "both", "proxy")
    ]
    (row,) = rows
    facts = _facts(version)
    name = _definition(facts, row.result if kind == "result" else row.params, method, kind)
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": facts["$defs"]})


def _definition(facts: Any, model: Any, method: str, kind: str) -> str:
    """The name of the definition: the model's own, or the one that carries the method."""
    named = getattr(model, "__name__", "")
    if named in facts["$defs"]:
        return named
    ending = {"request": "Request", "notification": "Notification", "result": "Response"}[kind]
    (found,) = [
        name
        for name, node in facts["$defs"].items()
        if node.get("x-method") == method and name.endswith(ending)
    ]
    return found


@cache
def _facts(version: int) -> Any:
    return json.loads((ROOT / "schema" / f"v{version}.json").read_text())
