"""The calls of the peer: a task each, a bound on how many run at once, exactly one answer each.

`Calls` is the only place that turns an exception into a wire error.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import ContextVar, copy_context

from parley.errors import InternalError, RequestCancelled, RpcError, TransportError
from parley.rpc.lane import ENTRY_OVERHEAD
from parley.rpc.message import Payload
from parley.rpc.peer import Call, Peer
from parley.rpc.transport import Transport

CallHandler = Callable[[Call], Awaitable[Payload]]
"""Answers a call with an encoded result, or raises `RpcError` to choose the error."""

answering: ContextVar[Call | None] = ContextVar("parley_rpc_answering", default=None)
"""The call that the running task answers, until its answer has left."""

_log = logging.getLogger("parley.rpc")


class Calls:
    """Runs the handler for every call; those beyond `max_running` wait for a free place."""

    def __init__(
        self,
        peer: Peer,
        transport: Transport,
        handler: CallHandler,
        *,
        max_running: int,
        max_bytes: int,
        changed: Callable[[], None],
    ) -> None:
        self._peer = peer
        self._transport = transport
        self._handler = handler
        self._max_running = max_running
        self._max_bytes = max_bytes
        self._running_bytes = 0
        self._changed = changed
        self._context = copy_context()
        self._running: dict[Call, asyncio.Task[None]] = {}
        self._begun: set[Call] = set()
        self._waiting: deque[Call] = deque()
        self.waiting_bytes = 0
        self.about_to_begin = 0
        """How many calls were started whose handlers have not made their first step."""
        self._ended = False

    @property
    def tasks(self) -> list[asyncio.Task[None]]:
        """The tasks that have not ended."""
        return [task for task in self._running.values() if not task.done()]

    def take(self, call: Call) -> None:
        if not self._peer.is_open(call):
            return  # It was cancelled on its way here, and has been answered.
        if self._has_room(call):
            self._start(call)
        else:
            self._waiting.append(call)
            self.waiting_bytes += call.size + ENTRY_OVERHEAD

    async def begin(self) -> None:
        """Let every call that was started make its first step."""
        await asyncio.sleep(0)

    def cancel(self, call: Call) -> None:
        """The caller no longer wants the answer; it still gets one (CAN-03)."""
        task = self._running.get(call)
        if task is None:
            # It waits for its turn, and its place in the queue stays taken until then. So a peer
            # that asks and cancels, but does not read, is stopped like any other.
            frame = self._peer.fail(call, RequestCancelled())
            if frame is not None:
                with suppress(TransportError):
                    self._transport.send(frame)
        elif call in self._begun:
            task.cancel()
        # Otherwise the task is about to begin and will see the mark on the call: one that is
        # cancelled before its first step never runs, and so would never answer.

    def end(self) -> None:
        """Start no further call, and let answers no longer wait for the peer to read."""
        self._ended = True
        self._waiting.clear()
        self.waiting_bytes = 0

    def _has_room(self, call: Call) -> bool:
        """Whether the call may start: calls are counted, and so are their bytes.

        A call costs several times its own size until it is answered, and a large one need not
        have company.
        """
        if len(self._running) >= self._max_running:
            return False
        return not self._running or self._running_bytes + call.size <= self._max_bytes

    def _start(self, call: Call) -> None:
        self._running_bytes += call.size
        self.about_to_begin += 1
        # A clean context, whoever hands the call over: it must not inherit the lane's mark.
        self._running[call] = asyncio.get_running_loop().create_task(
            self._answer(call), context=self._context.copy()
        )

    async def _answer(self, call: Call) -> None:
        self.about_to_begin -= 1
        self._begun.add(call)
        answering.set(call)
        try:
            frame = await self._frame_for(call)
            task = self._running[call]
            while task.cancelling():
                task.uncancel()  # What was cancelled was the handler, and it has ended.
            # The wait comes before the answer, so that a peer which asks but does not read
            # leaves its calls open, and the bound on open calls stops us reading.
            while self._transport.blocked and not self._ended:
                await self._transport.drain()
            if frame is not None:
                self._transport.send(frame)
            answering.set(None)
            for callback in call.after:
                unfinished = callback()
                if unfinished is not None:
                    await unfinished
        except TransportError:
            pass  # Nobody is left to answer.
        except asyncio.CancelledError:
            pass  # The connection ends while the answer waits for the peer to read.
        except Exception:
            _log.exception("what follows the answer to %.80r failed", call.method)
        finally:
            del self._running[call]
            self._running_bytes -= call.size
            self._begun.discard(call)
            self._start_waiting()

    async def _frame_for(self, call: Call) -> bytes | None:
        failure: RpcError
        try:
            if call.cancelled:
                raise RequestCancelled
            return self._peer.respond(call, await self._handler(call))
        except RpcError as error:
            failure = error
        except asyncio.CancelledError:
            # CAN-03, CAN-08: cancelled by the caller, or by the handler itself.
            failure = RequestCancelled()
        except TransportError:
            failure = InternalError()  # A connection ended, which its owner knows already.
        except Exception:
            _log.exception("the handler of %.80r failed", call.method)
            failure = InternalError()  # RPC-10, RPC-29: no detail leaves the process.
        call.after = []
        return self._failure_frame(call, failure)

    def _failure_frame(self, call: Call, failure: RpcError) -> bytes | None:
        try:
            return self._peer.fail(call, failure)
        except (TypeError, ValueError, RecursionError):
            _log.exception("the error that %.80r failed with cannot be encoded", call.method)
            return self._peer.fail(call, InternalError())

    def _start_waiting(self) -> None:
        while self._waiting and self._has_room(self._waiting[0]):
            call = self._waiting.popleft()
            self.waiting_bytes -= call.size + ENTRY_OVERHEAD
            if self._peer.is_open(call):
                self._start(call)
        self._changed()
