"""What has arrived and no step has taken yet.

It knows the envelope of a message, and nothing of the script.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from parley.errors import RpcError
from parley.rpc.message import Notification, Payload, Request, RequestId, Response, parse
from parley.rpc.transport import Incoming, Oversize

Json = Any


@dataclass(frozen=True, slots=True)
class Arrived:
    """One message that came, as plain JSON."""

    kind: Literal["request", "notification", "response", "none"]
    """`none` is what is not a message at all."""
    method: str = ""
    id: RequestId = None
    body: Json = None
    """The params of a request or notification, the result of a response."""
    error: Json = None
    """The error object of a response."""

    def __str__(self) -> str:
        match self.kind:
            case "response":
                return f"an answer to {self.id!r}"
            case "none":
                return f"no message ({self.method})"
            case kind:
                return f"{kind} `{self.method}`"


class Inbox:
    """Messages in the order they came."""

    def __init__(self) -> None:
        self._waiting: list[Arrived] = []

    def put(self, message: Arrived) -> None:
        self._waiting.append(message)

    def take_first(self, matches: Callable[[Arrived], bool]) -> Arrived | None:
        """The first message that matches, which is gone from here afterwards."""
        for position, message in enumerate(self._waiting):
            if matches(message):
                return self._waiting.pop(position)
        return None

    def take_requests(self, unwanted: Callable[[Arrived], bool]) -> list[Arrived]:
        """The requests that nobody wants, which are gone from here afterwards."""
        taken = [each for each in self._waiting if each.kind == "request" and unwanted(each)]
        if taken:
            self._waiting = [each for each in self._waiting if each not in taken]
        return taken

    def take_all(self) -> list[Arrived]:
        waiting, self._waiting = self._waiting, []
        return waiting

    def __str__(self) -> str:
        return ", ".join(map(str, self._waiting)) or "nothing"


def read(frame: Incoming) -> Arrived | None:
    """The message in a frame; `None` for a blank one."""
    if isinstance(frame, Oversize):
        return Arrived("none", f"{frame.size} bytes, over the limit of {frame.limit}")
    match parse(frame):
        case None:
            return None
        case Request(id=id_, method=method, params=params):
            return Arrived("request", method, id_, _decoded(params))
        case Notification(method=method, params=params):
            return Arrived("notification", method, body=_decoded(params))
        case Response(id=id_, result=result, error=error):
            return Arrived("response", id=id_, body=_decoded(result), error=_plain(error))
        case _:
            return Arrived("none", frame[:200].decode(errors="replace"))


def _decoded(payload: Payload) -> Json:
    return msgspec.json.decode(payload) if payload else {}


def _plain(error: RpcError | None) -> Json:
    if error is None:
        return None
    plain = {"code": error.code, "message": error.message}
    return plain if error.data is None else {**plain, "data": error.data}
