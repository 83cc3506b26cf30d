"""Typed messages over a connection: one `request()`, one `post()`, handlers by method.

It knows models and methods, and no version: `vN/agent_side.py` and `vN/client_side.py` bring the
tables. Every decoding mistake of the peer is turned into the right error here.
"""

from collections import Counter
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any, Self, TypeVar, cast

import msgspec
from msgspec import UNSET, Struct, field
from msgspec.structs import replace

from parley.errors import InvalidParams, MethodNotFound, RemoteProtocolError
from parley.rpc.connection import DEFAULT_LIMITS, Connection, Limits
from parley.rpc.message import Notification as NotificationMessage
from parley.rpc.message import Payload
from parley.rpc.peer import Call
from parley.rpc.transport import Transport
from parley.schema.base import Notification, Request
from parley.schema.codec import decoder, encode
from parley.schema.problem import DecodeProblem, Note

R = TypeVar("R")
T = TypeVar("T")

CallHandler = Callable[[Any, Call], Awaitable[Any]]
"""Takes the decoded parameters and the call; returns the model of the result."""
NoteHandler = Callable[[Any], Awaitable[None] | None]
Repair = Callable[[dict[str, Any]], str | None]
"""Rewrites parameters of an older dialect in place; names the dialect if it changed anything."""


class Route(Struct, frozen=True):
    """How a method is answered: the type of its parameters, and who takes them."""

    params: Any
    handler: CallHandler
    repairs: tuple[Repair, ...] = ()
    """Tried in turn when the parameters do not decode as they are."""
    alias: str | None = None
    """Set when the name is one of an older dialect, for the count."""


class NoteRoute(Struct, frozen=True):
    params: Any
    handler: NoteHandler
    repairs: tuple[Repair, ...] = ()


class Routes(Struct):
    """Everything one side answers on one connection."""

    calls: dict[str, Route] = field(default_factory=dict)
    notes: dict[str, NoteRoute] = field(default_factory=dict)
    other_calls: Callable[[Call], Awaitable[Payload]] | None = None
    """Takes methods that have no route: extensions. It raises `MethodNotFound` for others."""
    other_notes: Callable[[NotificationMessage], None] | None = None


class Beside(Struct):
    """What travels beside a request that is passed on to another peer: its `_meta` (EXT-03)."""

    sent: dict[str, Any] | None = None
    received: dict[str, Any] | None = None
    """That of the answer, once it is there."""


passed_on: ContextVar[Beside | None] = ContextVar("parley_passed_on", default=None)
"""Set by whoever answers a request by asking another peer, where its own words have no `_meta`."""


class Endpoint:
    """A connection that speaks models. `routes` may be replaced once the version is known."""

    def __init__(
        self, transport: Transport, routes: Routes | None = None, *, limits: Limits = DEFAULT_LIMITS
    ) -> None:
        self.routes = routes or Routes()
        self.dialects: Counter[str] = Counter()
        """How often the peer used a form of an older dialect, by name."""
        self.calls_routed = 0
        """How many calls were for a method of the version that is spoken."""
        self.transport = transport
        """Whether it is `blocked` is asked so often that nothing stands between."""
        self.connection = Connection(
            transport, on_call=self._call, on_notification=self._note, limits=limits
        )

    async def __aenter__(self) -> Self:
        await self.connection.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.connection.aclose()

    async def request(
        self, params: Request[R], *, timeout: float | None = None, repairs: tuple[Repair, ...] = ()
    ) -> R:
        """Ask the peer; the type of the parameters decides the type of the answer.

        `repairs` are for an answer that is written in an older dialect.

        Raises:
            RpcError: the peer answered with an error.
            RemoteProtocolError: the answer has the wrong shape.
            RequestTimeout: there was none within `timeout` seconds.
            TransportError: the connection is over.
        """
        beside = passed_on.get()
        if beside is not None:
            params = _with_meta(params, beside.sent)
        answer = await self.connection.request(params.METHOD, encode(params), timeout=timeout)
        # An empty result may be null in older dialects (SEE-04).
        if bytes(answer) == b"null":
            answer = b"{}"
        try:
            result = self._read(params.RESULT, answer, repairs)
        except DecodeProblem as problem:
            raise RemoteProtocolError(f"the answer to `{params.METHOD}`: {problem}") from None
        if beside is not None:
            beside.received = getattr(result, "meta", None) or None
        return result

    def post(self, params: Notification) -> None:
        """Tell the peer; never waits."""
        self.connection.post(params.METHOD, encode(params))

    def post_frame(self, frame: bytes) -> None:
        """Tell the peer what is a frame already; never waits."""
        self.transport.send(frame)

    async def drain(self) -> None:
        await self.connection.drain()

    async def _call(self, call: Call) -> Payload:
        route = self.routes.calls.get(call.method)
        if route is None:
            if self.routes.other_calls is None:
                # The name comes from outside: a long one is not sent back whole.
                raise MethodNotFound(f"Method not found: {call.method[:100]}")
            return await self.routes.other_calls(call)
        self.calls_routed += 1
        if route.alias is not None:
            self.dialects[route.alias] += 1
        params = self._decode(route.params, call.params, route.repairs)
        result = await route.handler(params, call)
        beside = passed_on.get()
        return encode(result if beside is None else _with_meta(result, beside.received))

    def _note(self, note: NotificationMessage) -> Awaitable[None] | None:
        route = self.routes.notes.get(note.method)
        if route is None:
            if self.routes.other_notes is not None:
                self.routes.other_notes(note)
            return None
        notes: list[Note] = []
        try:
            params = decoder(route.params)(note.params, notes)
        except DecodeProblem:
            notes.append(_UNREADABLE)
            params = None
        if notes:  # Anything unusual takes the longer way.
            try:
                params = self._decode(route.params, note.params, route.repairs)
            except InvalidParams as problem:
                # RPC-05: a notification is never answered, so the mistake is only counted.
                self.connection.fault(f"`{note.method}`: {problem.message}")
                return None
        return route.handler(params)

    def _decode(self, kind: Any, data: Payload, repairs: tuple[Repair, ...]) -> Any:
        # RPC-25: absent and null parameters are an empty object.
        if not data or (len(data) == 4 and bytes(data) == b"null"):
            data = b"{}"
        try:
            return self._read(kind, data, repairs)
        except DecodeProblem as problem:
            # RPC-09, RPC-29: the place of the mistake, never the value.
            raise InvalidParams(f"Invalid params: {problem}", {"path": problem.path}) from None

    def _read(self, kind: Any, data: Payload, repairs: tuple[Repair, ...]) -> Any:
        """The value, read as one of an older dialect if it is not quite one of today's.

        A forgiving member hides what an older dialect wrote in it, so a note counts as well.

        Raises:
            DecodeProblem: the data is not a value of the type in any dialect.
        """
        if not repairs:
            return decoder(kind)(data)
        notes: list[Note] = []
        try:
            value = decoder(kind)(data, notes)
        except DecodeProblem as problem:
            return self._repaired(kind, data, repairs, problem)
        return self._repaired(kind, data, repairs, value) if notes else value

    def _repaired(
        self, kind: Any, data: Payload, repairs: tuple[Repair, ...], otherwise: Any
    ) -> Any:
        """The value after the repairs; what it was before if they change nothing."""
        members = _members(data)
        used = [name for repair in repairs if members is not None and (name := repair(members))]
        if used:
            try:
                value = decoder(kind)(msgspec.json.encode(members))
            except DecodeProblem as problem:
                if isinstance(otherwise, DecodeProblem):
                    otherwise = problem
            else:
                self.dialects.update(used)
                return value
        if isinstance(otherwise, DecodeProblem):
            raise otherwise
        return otherwise


_UNREADABLE = Note("", "not a value of the type")


def _with_meta(model: T, meta: dict[str, Any] | None) -> T:
    """The model with this `_meta`, unless it has one already, or no place for it."""
    if meta is None or getattr(model, "meta", None) is not UNSET:
        return model
    return cast("T", replace(cast("Struct", model), meta=meta))


def _members(data: Payload) -> dict[str, Any] | None:
    try:
        value: Any = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None
