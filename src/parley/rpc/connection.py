"""The driver: moves frames between a transport and a peer, and runs the handlers.

One reader. Notifications and answers are handled inline, in order of arrival; calls run in a
task each (`parley.rpc.calls`). Everything leaves through the outbox of the transport, first in
first out.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from contextvars import copy_context
from typing import Any, Self

from msgspec import Struct

from parley.errors import (
    ConnectionClosed,
    RemoteProtocolError,
    RequestTimeout,
    TransportError,
)
from parley.rpc.calls import CallHandler, Calls, answering
from parley.rpc.lane import Lane, asking
from parley.rpc.message import (
    NOTHING,
    Envelope,
    Notification,
    Payload,
    RequestId,
    notification_frame,
)
from parley.rpc.peer import Answered, Broken, Call, Cancelled, Event, Peer, Reply
from parley.rpc.transport import Handing, Incoming, Transport

NotificationHandler = Callable[[Notification], Awaitable[None] | None]
"""Handles a notification: returns when done, or returns a coroutine when it must wait.

Not a task: what runs already is not known to belong to the handler, so the answer to a request
that it makes would wait behind the handler.
"""

_log = logging.getLogger("parley.rpc")
_HANDLER_FAILED = "the handler of %.80r failed"
_ASKING = 8
"""How many times the backlog is let in while we wait for an answer that may be behind it."""


class Limits(Struct, frozen=True):
    """How much one connection may hold before it stops reading."""

    max_calls: int = 1024
    """Calls that run at once; further ones wait."""
    running_bytes: int = 4 << 20
    """Bytes of the calls that run at once; a single call may be larger."""
    backlog_bytes: int = 1 << 20
    """Messages that wait: for a free place, or behind a handler that has not finished."""
    end_grace: float = 0.25
    """Seconds that open calls get to finish after the peer has ended its side."""
    cancel_grace: float = 0.25
    """Seconds that cancelled calls get to clean up before they are left behind."""


DEFAULT_LIMITS = Limits()


class Connection:
    """A JSON-RPC conversation over a transport.

    Use it as a context manager to read in the background, or `await run()` to serve until the
    end. `faults` counts what the peer did wrong, by kind.
    """

    def __init__(
        self,
        transport: Transport,
        *,
        on_call: CallHandler,
        on_notification: NotificationHandler,
        limits: Limits = DEFAULT_LIMITS,
        peer: Peer | None = None,
    ) -> None:
        self.peer = peer or Peer()
        self._transport = transport
        self._limits = limits
        self._inbox = _Inbox(self.peer, transport, on_call, on_notification, limits)
        self.faults = self._inbox.faults
        self._causes: dict[RequestId, Call] = {}
        self._reader: asyncio.Task[None] | None = None
        self._end: TransportError | None = None
        self._closed = asyncio.Event()

    async def __aenter__(self) -> Self:
        self._reader = asyncio.create_task(self.run())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    @property
    def end(self) -> TransportError | None:
        """Why the conversation is over, once it is."""
        return self._end

    async def run(self) -> None:
        """Read and handle until the end of the stream; ends everything before it returns."""
        end: TransportError = ConnectionClosed("the connection was closed")
        grace = 0.0
        if isinstance(self._transport, Handing):
            self._transport.hand_to(self._inbox.take_at_once)
        try:
            while frames := await self._transport.receive():
                await self._inbox.take_all(frames)
            end = ConnectionClosed("the peer ended the connection")
            grace = self._limits.end_grace
        except TransportError as error:
            end = error
        finally:
            await self._finish(end, grace)

    async def aclose(self) -> None:
        """End the conversation now: cancel calls, fail requests, close the transport."""
        if self._reader is not None:
            if self._end is None:
                self._reader.cancel()
            await asyncio.wait([self._reader])
        # A reader that was cancelled before its first step has finished nothing.
        await self._finish(ConnectionClosed("the connection was closed"), 0.0)

    async def wait_closed(self) -> None:
        """Wait until the conversation is over, by whichever side."""
        await self._closed.wait()

    async def request(
        self, method: str, params: Payload = NOTHING, *, timeout: float | None = None
    ) -> Payload:
        """Ask the peer and wait for its answer, undecoded.

        Cancelling the wait tells the peer with `$/cancel_request` (CAN-01).

        Raises:
            RpcError: the peer answered with an error.
            RemoteProtocolError: it answered with something that is no answer.
            RequestTimeout: it did not answer within `timeout` seconds.
            TransportError: the connection is over, or ended while waiting.
        """
        try:
            self._check_open()
            async with asyncio.timeout(timeout):
                await self.drain()
                self._check_open()
                return await self._ask(method, params)
        except TimeoutError:
            raise RequestTimeout(f"no answer to `{method}` within {timeout:g} s") from None
        except TransportError as error:
            raise type(error)(f"no answer to `{method}`: {error}") from None

    async def notify(self, method: str, params: Payload = NOTHING) -> None:
        """Tell the peer something; waits only while the peer does not read what was sent."""
        self.post(method, params)
        if self._transport.blocked:
            await self._transport.drain()

    def post(self, method: str, params: Payload = NOTHING) -> None:
        """Tell the peer something without ever waiting; call `drain` now and then."""
        self._transport.send(notification_frame(method, params))

    async def drain(self) -> None:
        """Wait while more is on its way to the peer than should be."""
        while self._transport.blocked:
            await self._transport.drain()

    def recognise(self, handler: Callable[[Incoming], bool]) -> None:
        """Let the layer above take frames that it knows by their bytes, before they are parsed.

        It is asked in the order of arrival, and only while nothing waits to be handled.
        """
        self._inbox.recognise = handler

    def fault(self, problem: str) -> None:
        """Count something that the peer did wrong, as found out by the layer above."""
        self._inbox.fault(problem)

    def cause_of(self, id_: RequestId) -> Call | None:
        """The call, of any connection, that an open request of ours was made to answer."""
        return self._causes.get(id_)

    async def _ask(self, method: str, params: Payload) -> Payload:
        answer: asyncio.Future[Payload] = asyncio.get_running_loop().create_future()
        id_, frame = self.peer.request(method, params, answer)
        cause = answering.get()
        if cause is not None:
            self._causes[id_] = cause
        self._inbox.release()  # More may come in while we wait.
        try:
            self._transport.send(frame)
            with asking(self._inbox.lane):
                return await answer
        finally:
            self._causes.pop(id_, None)
            given_up = not answer.done() or answer.cancelled()
            if given_up and (cancellation := self.peer.abandon(id_)) is not None:
                with suppress(TransportError):
                    self._transport.send(cancellation)

    def _check_open(self) -> None:
        if self._end is not None:
            raise _again(self._end)

    async def _finish(self, end: TransportError, grace: float) -> None:
        if self._end is not None:
            await self._closed.wait()
            return
        self._end = end
        if isinstance(self._transport, Handing):
            self._transport.hand_to(None)
        for waiter in self.peer.end():
            _settle(waiter, NOTHING, _again(end))  # RPC-26
        try:
            await self._settle_tasks(grace)
        finally:
            await self._stop()

    async def _stop(self) -> None:
        """Cancel what still runs and close the transport; being cancelled only hurries it."""
        for task in self._inbox.tasks:
            task.cancel()
        self._inbox.calls.end()
        try:
            await self._settle_tasks(self._limits.cancel_grace)
        finally:
            self._inbox.lane.pass_answers()
            try:
                await self._transport.aclose()
            finally:
                self._closed.set()

    async def _settle_tasks(self, seconds: float) -> None:
        deadline = asyncio.get_running_loop().time() + seconds
        await asyncio.sleep(0)  # Every task makes its first step, so that it can clean up.
        while tasks := self._inbox.tasks:
            remaining = deadline - asyncio.get_running_loop().time()
            if remaining <= 0:
                return
            await asyncio.wait(tasks, timeout=remaining)


class _Inbox:
    """What becomes of frames that arrive: in order, bounded, and never by way of an exception."""

    def __init__(
        self,
        peer: Peer,
        transport: Transport,
        on_call: CallHandler,
        on_notification: NotificationHandler,
        limits: Limits,
    ) -> None:
        self._peer = peer
        self._transport = transport
        self._on_notification = on_notification
        self._limits = limits
        self._context = copy_context()
        self._arrivals = copy_context()
        """What handlers run in while no task reads: that of the event loop is a stranger's."""
        self._defect: Exception | None = None
        self.recognise: Callable[[Incoming], bool] = _recognise_nothing
        self.faults: Counter[str] = Counter()
        self.lane = Lane(self._handle, self.release)
        self._lane_task: asyncio.Task[None] | None = None
        self.calls = Calls(
            peer,
            transport,
            on_call,
            max_running=limits.max_calls,
            max_bytes=limits.running_bytes,
            changed=self.release,
        )
        self._released: asyncio.Future[None] | None = None
        self._unread_replies = 0

    @property
    def tasks(self) -> list[asyncio.Task[None]]:
        """What runs for this connection, except whoever asks: a handler may close it."""
        tasks = self.calls.tasks
        if self._lane_task is not None and not self._lane_task.done():
            tasks.append(self._lane_task)
        return [task for task in tasks if task is not asyncio.current_task()]

    async def take_all(self, frames: Sequence[Incoming]) -> None:
        """Handle these frames, then wait until there is room for more."""
        if self._defect is not None:
            raise self._defect
        while frames := self._take(frames):
            await self.calls.begin()
        if self._unread_replies > self._limits.backlog_bytes:
            with suppress(TransportError):
                await self._transport.drain()
            self._unread_replies = 0
        while self._full():
            self._released = asyncio.get_running_loop().create_future()
            await self._released

    def take_at_once(self, frames: Sequence[Incoming]) -> Sequence[Incoming]:
        """Handle frames at the moment they arrive; those that are returned have to wait."""
        if self._unread_replies > self._limits.backlog_bytes or self._full():
            return frames
        try:
            return self._arrivals.run(self._take, frames)
        except Exception as error:
            # A defect of ours. The task that reads must meet it, since it ends the connection.
            self._defect = error
            return frames

    def _take(self, frames: Sequence[Incoming]) -> Sequence[Incoming]:
        """Handle frames without waiting; from the first one that must wait on they are returned."""
        receive, lane, calls = self._peer.receive, self.lane, self.calls
        recognise = self.recognise
        for index, frame in enumerate(frames):
            if not lane.busy and not calls.about_to_begin and recognise(frame):
                continue
            event = receive(frame)
            if type(event) is Envelope and not lane.busy:  # A plain notification, the common case.
                if calls.about_to_begin:
                    # RPC-27: it finds the calls before it begun. Otherwise a `session/cancel`
                    # right behind a prompt would be handled before there is a turn to cancel.
                    # Reading it has changed nothing, so that it can be read again.
                    return frames[index:]
                unfinished = self._notified(event)
                if unfinished is not None:
                    self._open_lane(unfinished)
                continue
            size = len(frame) if isinstance(frame, bytes) else 0
            for one in event if isinstance(event, list) else (event,):
                if lane.busy and not lane.overtakes(one):
                    lane.put(one, size)
                elif (unfinished := self._handle(one)) is not None:
                    self._open_lane(unfinished)
        return ()

    def release(self) -> None:
        """Something has changed: go on reading if there is room now."""
        if self._released is not None and not self._full():
            _settle(self._released, None, None)
            self._released = None

    def fault(self, problem: str) -> None:
        """Count what the peer did wrong, and say it the 1st, 2nd, 4th, 8th ... time."""
        count = self.faults[problem] = self.faults[problem] + 1
        if count & (count - 1) == 0:
            _log.warning("the peer sent something wrong (%d times): %s", count, problem)

    def _open_lane(self, unfinished: Awaitable[None]) -> None:
        self.lane.busy = True
        self._lane_task = asyncio.get_running_loop().create_task(
            self.lane.run(unfinished), context=self._context.copy()
        )

    def _handle(self, event: Event) -> Awaitable[None] | None:
        match event:
            case Notification():
                return self._notified(event)
            case Answered(waiter=waiter, result=result, error=error):
                _settle(waiter, result, error)
            case Broken(waiter=waiter, problem=problem):
                self.fault(problem)
                _settle(waiter, NOTHING, RemoteProtocolError(f"not an answer: {problem}"))
            case Call():
                self.calls.take(event)
            case Cancelled(call=call):
                self.calls.cancel(call)
            case Reply(frame=frame, problem=problem):
                self.fault(problem)
                self._reply(frame)
            case _:
                if not event.expected:
                    self.fault(event.problem)
        return None

    def _notified(self, notification: Notification) -> Awaitable[None] | None:
        try:
            unfinished = self._on_notification(notification)
        except (Exception, asyncio.CancelledError):
            _log.exception(_HANDLER_FAILED, notification.method)
            return None
        return None if unfinished is None else self._guard(unfinished, notification.method)

    async def _guard(self, handler: Awaitable[None], method: str) -> None:
        try:
            await handler
        except asyncio.CancelledError:
            # Only the end of the connection stops the lane, not a handler that cancels itself.
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            _log.exception(_HANDLER_FAILED, method)
        except Exception:
            _log.exception(_HANDLER_FAILED, method)

    def _reply(self, frame: bytes) -> None:
        """Answer from the reader itself, which then waits if these answers are not read.

        It waits for nothing else that is in the outbox: two peers that stream at each other, and
        read only while they can write, would wait for each other for ever.
        """
        self._unread_replies = self._unread_replies + len(frame) if self._transport.blocked else 0
        with suppress(TransportError):
            self._transport.send(frame)

    def _full(self) -> bool:
        limit = self._limits.backlog_bytes
        if self.calls.waiting_bytes > (limit * _ASKING if self._peer.pending_requests else limit):
            return True
        return self.lane.size > (limit * _ASKING if self.lane.asking else limit)


def _recognise_nothing(frame: Incoming) -> bool:
    return False


def _settle(future: "asyncio.Future[Any]", result: Any, error: Exception | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)


def _again(end: TransportError) -> TransportError:
    """A fresh copy, so that one traceback does not grow with every caller that meets it."""
    return type(end)(*end.args)
