"""What the tests of this package share: a transport played by the test, and bounded waiting."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from parley.errors import ConnectionClosed, MethodNotFound, TransportError
from parley.rpc.connection import DEFAULT_LIMITS, Connection, Limits
from parley.rpc.message import Notification, Payload
from parley.rpc.peer import Call, Peer
from parley.rpc.transport import Incoming

BOUND = 10.0
"""Seconds that any scenario may take."""


class Wire:
    """A transport whose far end is the test: it feeds frames and looks at what was sent."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.blocked = False
        self.closed = False
        self.receives = 0
        """How often frames were asked for, to see that nobody reads."""
        self._incoming: list[Incoming] = []
        self._ended = False
        self._loss: TransportError | None = None
        self._changed = asyncio.Event()

    def feed(self, *frames: Incoming | str) -> None:
        """Let these arrive together."""
        self._incoming += [frame.encode() if isinstance(frame, str) else frame for frame in frames]
        self._changed.set()

    def end(self) -> None:
        """The peer ends its side in an orderly way."""
        self._ended = True
        self._changed.set()

    def lose(self, error: TransportError) -> None:
        """The connection breaks."""
        self._loss = error
        self._changed.set()

    def unblock(self) -> None:
        """The peer has read what was sent."""
        self.blocked = False
        self._changed.set()

    @property
    def answers(self) -> list[Any]:
        """What was sent, decoded."""
        return [json.loads(frame) for frame in self.sent]

    async def receive(self) -> list[Incoming]:
        self.receives += 1
        while not self._incoming:
            if self._loss is not None:
                raise self._loss
            if self._ended or self.closed:
                return []
            await self._change()
        frames, self._incoming = self._incoming, []
        return frames

    def send(self, frame: bytes) -> None:
        if self.closed:
            raise ConnectionClosed("the transport was closed")
        if self._loss is not None:
            raise self._loss
        self.sent.append(frame)

    async def drain(self) -> None:
        while self.blocked:
            if self.closed:
                raise ConnectionClosed("the transport was closed")
            if self._loss is not None:
                raise self._loss
            await self._change()

    async def aclose(self) -> None:
        self.closed = True
        self._changed.set()

    async def _change(self) -> None:
        self._changed.clear()
        await self._changed.wait()


async def no_method(call: Call) -> Payload:
    """Answers like a program that offers nothing."""
    raise MethodNotFound


def ignore(notification: Notification) -> None:
    """Takes a notification and does nothing with it."""


def connect(
    wire: Any,
    on_call: Callable[[Call], Awaitable[Payload]] = no_method,
    on_notification: Callable[[Notification], Awaitable[None] | None] = ignore,
    limits: Limits = DEFAULT_LIMITS,
    peer: Peer | None = None,
) -> Connection:
    """A connection over this transport; what is not given does nothing."""
    return Connection(
        wire, on_call=on_call, on_notification=on_notification, limits=limits, peer=peer
    )


def run(scenario: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Play a scenario within the bound."""

    async def bounded() -> None:
        async with asyncio.timeout(BOUND):
            await scenario()

    asyncio.run(bounded())


async def until(condition: Callable[[], object]) -> None:
    """Let other tasks run until the condition holds; the bound of the scenario ends the wait."""
    while not condition():
        await settle(1)


async def settle(rounds: int = 20) -> None:
    """Let everything happen that can happen without a further event from outside."""
    for _ in range(rounds):
        await asyncio.sleep(0)


def request(id_: object, method: str = "m", params: object = None) -> bytes:
    """The frame of a request, as another implementation would write it."""
    members = {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}
    return json.dumps(members, ensure_ascii=False).encode()


def notification(method: str = "n", params: object = None) -> bytes:
    """The frame of a notification."""
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode()


def response(id_: object, result: object = None) -> bytes:
    """The frame of a successful response."""
    return json.dumps({"jsonrpc": "2.0", "id": id_, "result": result}).encode()


def cancellation(id_: object) -> bytes:
    """The frame that asks to cancel a request."""
    return notification("$/cancel_request", {"requestId": id_})
