"""Our own stdin and stdout as a transport, and the life of a process that serves on them.

`StdioTransport` moves frames. `run_stdio` adds what a process owes its client: it is gone within
a second when the client is, whatever the application is doing at that moment.
"""

import asyncio
from collections.abc import Awaitable, Callable

from msgspec import Struct

from parley.errors import ConnectionLost
from parley.process import children
from parley.rpc.transport import Transport
from parley.transport.lossy import never_wait_for_stderr
from parley.transport.pipe import PipeLimits, PipeTransport
from parley.transport.takeover import StdioTakeover
from parley.transport.watchdog import Listener, Watchdog

Serve = Callable[[Transport], Awaitable[None]]
"""The application: serves on the transport and returns at the end of the conversation."""


class Lifetime(Struct, frozen=True):
    """How many seconds the application has once the end has come."""

    to_return: float = 0.55
    """From the end of the input until the application is cancelled."""
    to_end: float = 0.8
    """From the end of the input, or from a signal, until the process ends itself by force."""
    to_receive: float = 0.5
    """How long it may leave input unread after the client hung up, before it is cancelled."""


class StdioTransport(PipeTransport):
    """Frames on the real stdin and stdout, which belong to it alone until it is closed.

    It ends when stdin ends or stdout breaks, even while a write is blocked.
    """

    def __init__(
        self,
        takeover: StdioTakeover | None = None,
        *,
        limits: PipeLimits | None = None,
        on_end: Callable[[], None] | None = None,
    ) -> None:
        self._takeover = takeover or StdioTakeover()
        super().__init__(self._takeover.source, self._takeover.sink, limits=limits, on_end=on_end)

    async def aclose(self) -> None:
        """Flush for a short while and put stdin and stdout back. Idempotent."""
        try:
            await super().aclose()
        finally:
            self._takeover.restore()


def run_stdio(
    serve: Serve,
    *,
    limits: PipeLimits | None = None,
    lifetime: Lifetime | None = None,
    takeover: StdioTakeover | None = None,
    watchdog: Watchdog | None = None,
) -> int:
    """Run an application on stdin and stdout until the client goes; return the exit status.

    The status is 0 when the client went away or the application returned, and 128 plus the number
    of the signal after SIGTERM, SIGINT and SIGHUP. The caller exits with it: a process that is
    still there after `lifetime.to_end` seconds is ended by force with the same status, together
    with the child processes it started. stdout is not given back, so that nothing printed on the
    way out reaches the client (STD-05).
    """
    # Before anything else opens a file: the number of a closed stream must not be taken.
    takeover = takeover or StdioTakeover()
    takeover.forget()
    never_wait_for_stderr()
    watchdog = watchdog or Watchdog()
    watchdog.catch_signals()

    async def live() -> int:
        return await _Life(takeover, watchdog, limits, lifetime or Lifetime()).live(serve)

    try:
        with asyncio.Runner() as runner:
            return runner.run(live())
    finally:
        watchdog.release_signals()
        children.kill_all()


class _Life:
    """One run of an application, from its start to an end that mostly somebody else decides."""

    def __init__(
        self,
        takeover: StdioTakeover,
        watchdog: Watchdog,
        limits: PipeLimits | None,
        lifetime: Lifetime,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        self._lifetime = lifetime
        self._watchdog = watchdog
        self._status = 0
        self._ending = False
        self._stopped = False
        self._transport = PipeTransport(
            takeover.source, takeover.sink, limits=limits, on_end=self._client_ended
        )
        watchdog.start(
            Listener(self._loop, self._signalled, self._hung_up),
            stdin=takeover.source.fd,
            stdout=takeover.sink.fd,
        )

    async def live(self, serve: Serve) -> int:
        status = 1
        try:
            await self._serve(serve)
            status = self._status
        finally:
            self._task = None
            self._watchdog.expect_end(status, self._lifetime.to_end)
            await self._transport.aclose()
        return status

    async def _serve(self, serve: Serve) -> None:
        try:
            try:
                await serve(self._transport)
            except* ConnectionLost:
                # The client is gone: that is how an agent ends, and nobody is left to be told.
                pass
        except asyncio.CancelledError:
            if self._task is None or not self._stopped:
                raise
            self._task.uncancel()

    # What the transport and the watchdog report.

    def _client_ended(self) -> None:
        """No more frames will come: the application has a moment to return by itself (STD-11)."""
        if not self._ending:
            self._end(self._lifetime.to_end)
            self._loop.call_later(self._lifetime.to_return, self._stop)

    def _signalled(self, number: int) -> None:
        if not self._ending:
            self._status = 128 + number
            self._end(self._lifetime.to_end)
        self._stop()

    def _hung_up(self) -> None:
        self._loop.call_later(
            self._lifetime.to_receive, self._look_for_progress, self._transport.handed_out
        )

    def _look_for_progress(self, before: int) -> None:
        """Stop an application that does not take what the client left behind."""
        if self._ending:
            return
        if self._transport.handed_out != before:
            self._hung_up()
            return
        self._end(self._lifetime.to_end - self._lifetime.to_receive)
        self._stop()

    def _end(self, within: float) -> None:
        self._ending = True
        self._watchdog.expect_end(self._status, within)

    def _stop(self) -> None:
        self._stopped = True
        if self._task is not None:
            self._task.cancel()
