"""Calls over a played transport, for the tests of how they are answered and cancelled."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from parley.rpc.calls import Calls
from parley.rpc.message import NOTHING, Payload
from parley.rpc.peer import Call, Cancelled, Peer
from tests.rpc.wire import Wire, cancellation, request

CANCELLED = {"code": -32800, "message": "Request cancelled"}
INTERNAL = {"code": -32603, "message": "Internal error"}


class Desk:
    """Calls over a played transport."""

    def __init__(
        self,
        handler: Callable[[Call], Awaitable[Payload]],
        max_running: int = 8,
        max_bytes: int = 1 << 20,
    ) -> None:
        self.wire = Wire()
        self.peer = Peer()
        self.changes = 0
        self.calls = Calls(
            self.peer,
            self.wire,
            handler,
            max_running=max_running,
            max_bytes=max_bytes,
            changed=self._change,
        )

    def receive(self, frame: bytes) -> Call:
        """Take what the peer sends, as the reader does."""
        event = self.peer.receive(frame)
        if isinstance(event, Cancelled):
            self.calls.cancel(event.call)
            return event.call
        assert isinstance(event, Call)
        self.calls.take(event)
        return event

    def call(self, id_: object = 1) -> Call:
        return self.receive(request(id_))

    def cancel(self, id_: object = 1) -> None:
        self.receive(cancellation(id_))

    @property
    def errors(self) -> list[Any]:
        return [answer.get("error") for answer in self.wire.answers]

    def _change(self) -> None:
        self.changes += 1


async def hang(_: Call) -> Payload:
    await asyncio.Event().wait()
    return NOTHING


async def done(_: Call) -> Payload:
    return b"1"
