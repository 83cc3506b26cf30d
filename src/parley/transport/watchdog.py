"""A thread that ends the process when the event loop does not do it in time.

It sees signals and the departure of the peer even while the event loop is held up by blocking
code. What it cannot outrun is C code that keeps the interpreter lock for itself.
"""

import asyncio
import os
import select
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any

from msgspec import Struct

from parley.process import children

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""What ends an agent. They count even if they were ignored at the start: a background shell
ignores SIGINT for what it starts, but a client that sends it means it."""
_HEARTBEAT_SECONDS = 0.1
_NUDGE = b"\0"
# A half-closed socket is the end of the input, too; only Linux can be asked for it.
_INPUT_ENDED = getattr(select, "POLLRDHUP", 0)


def leave(status: int) -> None:
    """End this process and everything it started, now."""
    children.kill_all()
    os._exit(status)


class Listener(Struct, frozen=True):
    """What the watchdog tells the event loop, in the thread of the loop."""

    loop: asyncio.AbstractEventLoop
    on_signal: Callable[[int], None]
    on_hang_up: Callable[[], None]


class Watchdog:
    """Ends the process when a deadline passes, or when the loop is deaf and somebody wants the end.

    `answer_seconds` is how long the loop may be deaf after a signal, or after the peer has gone.
    """

    def __init__(
        self, *, answer_seconds: float = 0.65, leave: Callable[[int], None] = leave
    ) -> None:
        self._answer_seconds = answer_seconds
        self._leave = leave
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_read, False)
        os.set_blocking(self._wake_write, False)
        self._listener: Listener | None = None
        self._watched: list[int] = []
        self._previous: dict[int, Any] = {}
        self._deadline: float | None = None
        self._status = 0
        self._asked_at: float | None = None
        self._answered = False
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="parley-watchdog", daemon=True)

    def start(self, listener: Listener, *, stdin: int, stdout: int) -> None:
        """Begin to watch the two descriptors, of which copies are taken."""
        self._listener = listener
        self._poller = select.poll()
        self._poller.register(self._wake_read, select.POLLIN)
        for fd, events in ((stdin, _INPUT_ENDED), (stdout, 0)):
            copy = os.dup(fd)
            self._poller.register(copy, events)
            self._watched.append(copy)
        # Input that was complete before we began, as from `printf ... | agent`, is a batch: nobody
        # waits for us to notice its end, so it is no reason to be impatient.
        for fd, _ in self._poller.poll(0):
            if fd == self._watched[0]:
                self._poller.unregister(fd)
        self._thread.start()

    def catch_signals(self) -> None:
        """Take the signals that end an agent, if this is the main thread."""
        if threading.current_thread() is not threading.main_thread():
            return
        for number in SIGNALS:
            self._previous[number] = signal.signal(number, self._caught)
        # The byte is written by the interpreter at once, even while Python code cannot run.
        signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)

    def release_signals(self) -> None:
        """Put the handlers back that were there before."""
        if self._previous:
            signal.set_wakeup_fd(-1)
            for number, handler in self._previous.items():
                signal.signal(number, handler)
            self._previous.clear()

    def expect_end(self, status: int, within: float) -> None:
        """Let the process be over within that many seconds; the first to ask sets the status."""
        if self._deadline is None:
            self._status = status
            self._deadline = time.monotonic() + within
            self._nudge()

    def stop(self) -> None:
        """Stop watching without ending the process."""
        self._stopped = True
        self._nudge()
        if self._thread.is_alive():
            self._thread.join()
        self._close()

    def _nudge(self) -> None:
        self._write(_NUDGE)

    def _write(self, data: bytes) -> None:
        with suppress(OSError):
            os.write(self._wake_write, data)

    def _caught(self, number: int, _: FrameType | None) -> None:
        # Only needed when somebody has taken the wake-up descriptor for himself.
        self._write(bytes([number]))

    # In the thread.

    def _run(self) -> None:
        while not self._stopped:
            for fd, _ in self._poller.poll(self._wait_milliseconds()):
                if fd == self._wake_read:
                    self._read_signals()
                else:
                    self._poller.unregister(fd)
                    self._tell_hang_up()
            if self._overdue():
                self._leave(self._status)
                return
            if self._answered:
                self._ask()

    def _wait_milliseconds(self) -> float | None:
        if self._asked_at is not None:
            return _HEARTBEAT_SECONDS * 1000
        if self._deadline is None:
            return None
        # One more, since the wait is cut to whole milliseconds.
        return max(self._deadline - time.monotonic(), 0.0) * 1000 + 1

    def _overdue(self) -> bool:
        now = time.monotonic()
        if self._deadline is not None and now >= self._deadline:
            return True
        if self._asked_at is None or self._answered:
            return False
        return now >= self._asked_at + self._answer_seconds

    def _read_signals(self) -> None:
        with suppress(BlockingIOError):
            for number in os.read(self._wake_read, 4096):
                if number in SIGNALS:
                    self._tell_signal(number)

    def _tell_signal(self, number: int) -> None:
        if self._deadline is None:
            self._status = 128 + number
        assert self._listener is not None
        self._call_loop(self._listener.on_signal, number)
        self._ask()

    def _tell_hang_up(self) -> None:
        assert self._listener is not None
        self._call_loop(self._listener.on_hang_up)
        self._ask()

    def _ask(self) -> None:
        """Ask the loop for a sign of life, unless it owes one already."""
        if self._asked_at is None or self._answered:
            self._asked_at = time.monotonic()
            self._answered = False
            self._call_loop(self._answer)

    def _answer(self) -> None:
        self._answered = True

    def _call_loop(self, callback: Callable[..., None], *arguments: int) -> None:
        assert self._listener is not None
        try:
            self._listener.loop.call_soon_threadsafe(callback, *arguments)
        except RuntimeError:
            # The loop is closed, so it holds nothing up; a deadline is set for the rest.
            self._answered = True

    def _close(self) -> None:
        for fd in (self._wake_read, self._wake_write, *self._watched):
            os.close(fd)
        self._watched.clear()
