"""One end of a JSON-RPC conversation as a pure machine: frames in, events out, frames out.

It owns ids, what is pending both ways, and batches. It does no I/O, reads no clock, starts no
task, and knows no method but `$/cancel_request`. The driver is `parley.rpc.connection`.

The two directions have independent id spaces (RPC-12): `_pending` holds the requests we sent,
`_open` the calls we received.
"""

from collections.abc import Callable
from typing import Any, Final

import msgspec
from msgspec import Struct

from parley.errors import InvalidRequest, RpcError
from parley.rpc.message import (
    Batch,
    BrokenResponse,
    Envelope,
    Malformed,
    Notification,
    Payload,
    Request,
    RequestId,
    Response,
    Single,
    entries_of,
    error_frame,
    notification_frame,
    parse,
    request_frame,
    result_frame,
    unreadable,
)
from parley.rpc.transport import Incoming, Oversize, Unfinished

CANCEL_REQUEST: Final = "$/cancel_request"


class Call(Struct, eq=False):
    """A request that the peer made of us and that we have not answered yet."""

    id: RequestId
    method: str
    params: Payload
    size: int
    """Bytes of the frame, for whoever keeps calls waiting."""
    batch: "_OpenBatch | None" = None
    cancelled: bool = False
    """Whether the peer has said that it no longer wants the answer."""
    after: list[Callable[[], Any]] = []
    """What runs once the answer has been handed to the transport."""

    def after_response(self, callback: Callable[[], Any]) -> None:
        """Run `callback` right behind the answer; an awaitable it returns is awaited.

        Frames it sends are behind the answer on the wire. It does not run when the call fails.
        """
        self.after = [*self.after, callback]


class Answered(Struct, frozen=True):
    """The peer answered one of our requests."""

    waiter: Any
    """What `Peer.request` was given."""
    result: Payload
    error: RpcError | None


class Broken(Struct, frozen=True):
    """The peer answered one of our requests with something that is no answer."""

    waiter: Any
    problem: str


class Cancelled(Struct, frozen=True):
    """The peer no longer wants the answer to this call."""

    call: Call


class Reply(Struct, frozen=True):
    """A frame to send at once: the answer to something malformed."""

    frame: bytes
    problem: str


class Ignored(Struct, frozen=True):
    """Something that must stay unanswered; worth counting unless it was `expected`."""

    problem: str
    expected: bool = False


Event = Call | Notification | Answered | Broken | Cancelled | Reply | Ignored

_NO_EVENTS: Final[list[Event]] = []
_REMEMBERED: Final = 1024
"""How many abandoned requests are remembered: some peers never answer them."""


class _OpenBatch:
    """Collects the answers to the entries of one incoming array."""

    def __init__(self) -> None:
        self.missing = 0
        self.answers: list[bytes] = []
        self.after: list[Callable[[], Any]] = []

    def frame(self) -> bytes | None:
        """One array once all entries are answered (RPC-21); nothing if no entry needs one."""
        if self.missing or not self.answers:
            return None
        return b"[%b]" % b",".join(self.answers)


class _CancelParams(Struct):
    requestId: int | str | None


class Peer:
    """The state of one conversation, seen from one end."""

    def __init__(self, *, null_ids: bool = True, process_batches: bool = False) -> None:
        self.null_ids = null_ids
        """Whether null is a legal request id: yes in version 1 (RPC-15), no in 2 (RPC-16)."""
        self.process_batches = process_batches
        """Whether arrays are executed (RPC-20) or refused as a whole (RPC-19)."""
        self._last_id = 0
        self._pending: dict[RequestId, Any] = {}
        self._abandoned: dict[RequestId, None] = {}
        self._open: dict[RequestId, Call] = {}

    @property
    def open_calls(self) -> int:
        """How many requests of the peer wait for our answer."""
        return len(self._open)

    @property
    def pending_requests(self) -> int:
        """How many requests of ours wait for the answer of the peer."""
        return len(self._pending)

    def receive(self, frame: Incoming) -> list[Event] | Event:
        """What a frame means. Never raises, whatever the bytes."""
        if isinstance(frame, Oversize):
            return self._oversize(frame)
        message = parse(frame)
        if type(message) is Envelope:  # A notification: the common case, without detours.
            if message.method == CANCEL_REQUEST:
                return self._cancelled(message)
            return message
        if message is None:
            return _NO_EVENTS
        if isinstance(message, Batch):
            return self._batch(message)
        if isinstance(message, Malformed) and isinstance(frame, Unfinished) and message.answers:
            # How the connection ends says more than that an answer was cut off by it.
            return Ignored("half an answer, at the end of the stream")
        return self._single(message, len(frame), None)

    def request(self, method: str, params: Payload, waiter: Any) -> tuple[int, bytes]:
        """The id and the frame of a new request; `waiter`, not `None`, comes back with its answer.

        Ids count up and are never used twice (RPC-13). They start at 1, because peers exist that
        take 0 for absent.
        """
        self._last_id += 1
        self._pending[self._last_id] = waiter
        return self._last_id, request_frame(self._last_id, method, params)

    def abandon(self, id_: int) -> bytes | None:
        """Stop waiting for an answer: the frame that tells the peer, if it is still open.

        The id stays known, so that a late answer is swallowed quietly (CAN-09).
        """
        if self._pending.pop(id_, None) is None:
            return None
        self._abandoned[id_] = None
        if len(self._abandoned) > _REMEMBERED:
            del self._abandoned[next(iter(self._abandoned))]
        return notification_frame(CANCEL_REQUEST, b'{"requestId":%d}' % id_)

    def respond(self, call: Call, result: Payload) -> bytes | None:
        """The frame that answers a call; `None` if it is already answered or in a batch."""
        return self._close(call, result_frame(call.id, result))

    def fail(self, call: Call, error: RpcError) -> bytes | None:
        """The frame that fails a call; `None` if it is already answered or in a batch."""
        return self._close(call, error_frame(call.id, error))

    def end(self) -> list[Any]:
        """No answer will come any more: return the waiters that are left without one."""
        waiters = list(self._pending.values())
        self._pending.clear()
        return waiters

    def is_open(self, call: Call) -> bool:
        """Whether the call still waits for its answer."""
        return self._open.get(call.id) is call

    def _close(self, call: Call, frame: bytes) -> bytes | None:
        if not self.is_open(call):
            return None  # RPC-03, CAN-12: exactly one answer.
        del self._open[call.id]
        batch = call.batch
        if batch is None:
            return frame
        batch.answers.append(frame)
        batch.missing -= 1
        # What follows an answer follows the array, so the last call of it carries all of that.
        batch.after += call.after
        call.after = [] if batch.missing else batch.after
        return batch.frame()

    def _single(self, message: Single, size: int, batch: _OpenBatch | None) -> Event:
        match message:
            case Request():
                return self._called(message, size, batch)
            case Notification():
                return message if message.method != CANCEL_REQUEST else self._cancelled(message)
            case Response(id=id_, result=result, error=error):
                waiter = self._pending.pop(id_, None)
                return self._unawaited(id_) if waiter is None else Answered(waiter, result, error)
            case BrokenResponse(id=id_, problem=problem):
                return self._broken(id_, problem)
            case _:
                if message.answers in self._pending:
                    return self._broken(message.answers, message.problem)
                return Reply(error_frame(message.id, message.error), message.problem)

    def _broken(self, id_: RequestId, problem: str) -> Event:
        waiter = self._pending.pop(id_, None)
        return self._unawaited(id_) if waiter is None else Broken(waiter, problem)

    def _unawaited(self, id_: RequestId) -> Ignored:
        """RPC-11: an answer that nobody waits for is never answered itself."""
        if id_ in self._abandoned:
            del self._abandoned[id_]
            return Ignored("the late answer to an abandoned request", expected=True)
        return Ignored("an answer to no open request")

    def _called(self, request: Request, size: int, batch: _OpenBatch | None) -> Event:
        if request.id is None and not self.null_ids:
            return _refused(None, "a null `id` is not allowed")
        if request.id in self._open:
            return _refused(request.id, "the `id` belongs to a request that is still open")
        call = Call(request.id, request.method, request.params, size, batch)
        self._open[request.id] = call
        return call

    def _cancelled(self, notification: Notification) -> Event:
        """CAN-02: only calls of this peer; CAN-06: anything that matches none is ignored."""
        try:
            params = msgspec.json.decode(notification.params, type=_CancelParams)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return Ignored("a cancellation without a valid `requestId`")
        call = self._open.get(params.requestId)
        if call is None or call.cancelled:
            # It may have crossed our answer on the way, so it is no fault of the peer.
            return Ignored("a cancellation of no open request", expected=True)
        call.cancelled = True
        return Cancelled(call)

    def _oversize(self, frame: Oversize) -> Event:
        text = f"Invalid request: the message has {frame.size} bytes, the limit is {frame.limit}"
        message = unreadable(frame.head, InvalidRequest(text), "a message over the size limit")
        return self._single(message, 0, None)

    def _batch(self, batch: Batch) -> list[Event] | Event:
        if not self.process_batches:
            return _refused(None, "arrays are not accepted")
        entries = entries_of(batch)
        if not entries:
            return _refused(None, "an empty array")
        size = len(batch.frame) // len(entries)
        collected = _OpenBatch()
        events: list[Event] = []
        for entry in entries:
            event = self._single(entry, size, collected)
            if isinstance(event, Reply):
                collected.answers.append(event.frame)
                event = Ignored(event.problem)
            elif isinstance(event, Call):
                collected.missing += 1
            events.append(event)
        if collected.missing == 0 and (frame := collected.frame()):
            events.append(Reply(frame, "an array without a valid request"))
        return events


def _refused(id_: RequestId, problem: str) -> Reply:
    return Reply(error_frame(id_, InvalidRequest(f"Invalid request: {problem}")), problem)
