"""Whether a message is what the schema of its version allows.

It judges strictly: nothing is forgiven, closed lists are closed. Extension methods, whose names
begin with an underscore, are anybody's business and pass.
"""

from collections.abc import Mapping
from typing import Any, Literal, get_args

import msgspec

from parley.schema.base import Unknown
from parley.schema.codec import decode_strictly
from parley.schema.method import Method
from parley.schema.problem import DecodeProblem
from parley.schema.v1.methods import METHODS as V1
from parley.schema.v1.update import SessionUpdate as UpdateV1
from parley.schema.v2.methods import METHODS as V2
from parley.schema.v2.update import SessionUpdate as UpdateV2

Json = Any
Sender = Literal["agent", "client"]

METHODS: Mapping[int, tuple[Method, ...]] = {1: V1, 2: V2}
"""The method table of each version."""
_UPDATES: Mapping[int, Any] = {1: UpdateV1, 2: UpdateV2}


def update_variants(version: int) -> frozenset[str]:
    """Every value that the schema knows for the `sessionUpdate` of an update."""
    variants = get_args(_UPDATES[version])
    return frozenset(
        variant.__struct_config__.tag for variant in variants if not issubclass(variant, Unknown)
    )


class WireCheck:
    """Judges what one side of a conversation sends."""

    def __init__(self, version: int, sender: Sender) -> None:
        others = {"agent": "client", "client": "agent"}
        # A message that a proxy handles may come from either side of it.
        sides = {others[sender], "both", "proxy"}
        self._rows = {(m.name, m.kind): m for m in METHODS[version] if m.side in sides}
        self._asked = {(m.name, m.kind): m for m in METHODS[version] if m.side != others[sender]}

    def request(self, method: str, params: Json) -> str | None:
        """What is wrong with a request; `None` if nothing is."""
        return self._message(method, "request", params)

    def notification(self, method: str, params: Json) -> str | None:
        """What is wrong with a notification; `None` if nothing is."""
        return self._message(method, "notification", params)

    def result(self, method: str, result: Json) -> str | None:
        """What is wrong with the result of a request the other side made; `None` if nothing is."""
        if method.startswith("_"):
            return None
        row = self._asked.get((method, "request"))
        if row is None:
            return f"`{method}` is no request that it could answer"
        return _problem(row.result, result, "result")

    def _message(
        self, method: str, kind: Literal["request", "notification"], params: Json
    ) -> str | None:
        if method.startswith("_"):
            return None
        row = self._rows.get((method, kind))
        if row is None:
            return f"`{method}` is no {kind} that it may send"
        return _problem(row.params, params, "params")


def _problem(kind: Any, value: Json, what: str) -> str | None:
    try:
        decode_strictly(kind, msgspec.json.encode(value))
    except DecodeProblem as problem:
        place = f"{what}.{problem.path}" if problem.path else what
        return f"`{place}` {problem.problem}"
    return None
