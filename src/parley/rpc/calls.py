"""The calls of the peer: a task each, a bound on how many run at once, exactly one answer each.

`Calls` is the only place that turns an exception into a wire error.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import copy_context

from parley.errors import InternalError, RequestCancelled, RpcError, TransportError
from parley.rpc.lane import ENTRY_OVERHEAD
from parley.rpc.message import Payload
from parley.rpc.peer import Call, Peer
from parley.rpc.transport import Transport

CallHandler = Callable[[Call], Awaitable[Payload]]
"""Answers a call with an encoded result, or raises `RpcError` to choose the error."""

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
        changed: Callable[[], None],
    ) -> None:
        self._peer = peer
        self._transport = transport
        self._handler = handler
        self._max_running = max_running
        self._changed = changed
        self._context = copy_context()
        self._running: dict[Call, asyncio.Task[None]] = {}
        self._waiting: deque[Call] = deque()
        self.waiting_bytes = 0

    @property
    def tasks(self) -> list[asyncio.Task[None]]:
        return list(self._running.values())

    def take(self, call: Call) -> None:
        if len(self._running) < self._max_running:
            self._start(call)
        else:
            self._waiting.append(call)
            self.waiting_bytes += call.size + ENTRY_OVERHEAD

    def cancel(self, call: Call) -> None:
        """The caller no longer wants the answer; it still gets one (CAN-03)."""
        task = self._running.get(call)
        if task is not None:
            task.cancel()
        elif (frame := self._peer.fail(call, RequestCancelled())) is not None:
            with suppress(TransportError):
                self._transport.send(frame)  # It was still waiting for its turn.

    def drop_waiting(self) -> None:
        """Forget the calls that have not started; for the end of the connection."""
        self._waiting.clear()

    def _start(self, call: Call) -> None:
        # A clean context, whoever hands the call over: it must not inherit the lane's mark.
        self._running[call] = asyncio.get_running_loop().create_task(
            self._answer(call), context=self._context.copy()
        )

    async def _answer(self, call: Call) -> None:
        try:
            frame = await self._frame_for(call)
            # The wait comes before the answer, so that a peer which asks but does not read
            # leaves its calls open, and the bound on open calls stops us reading.
            while self._transport.blocked:
                await self._transport.drain()
            if frame is not None:
                self._transport.send(frame)
            for callback in call.after:
                unfinished = callback()
                if unfinished is not None:
                    await unfinished
        except TransportError:
            pass  # Nobody is left to answer.
        except asyncio.CancelledError:
            pass  # The connection ends while the answer waits for the peer to read.
        except Exception:
            _log.exception("what follows the answer to `%s` failed", call.method)
        finally:
            del self._running[call]
            self._start_waiting()

    async def _frame_for(self, call: Call) -> bytes | None:
        failure: RpcError
        try:
            return self._peer.respond(call, await self._handler(call))
        except RpcError as error:
            failure = error
        except asyncio.CancelledError:
            # CAN-03, CAN-08: cancelled by the caller, or by the handler itself.
            failure = RequestCancelled()
            task = asyncio.current_task()
            if task is not None:
                task.uncancel()
        except Exception:
            _log.exception("the handler of `%s` failed", call.method)
            failure = InternalError()  # RPC-10, RPC-29: no detail leaves the process.
        call.after = []
        return self._peer.fail(call, failure)

    def _start_waiting(self) -> None:
        while self._waiting and len(self._running) < self._max_running:
            call = self._waiting.popleft()
            self.waiting_bytes -= call.size + ENTRY_OVERHEAD
            if self._peer.is_open(call):
                self._start(call)
        self._changed()
