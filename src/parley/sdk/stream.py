"""The events of one turn, as a client iterates over them.

The stream is bounded: when the reader is behind, the connection stops reading, and so the agent
is slowed down. `Pace` keeps that from stopping the reader itself.
"""

import asyncio
from collections import deque
from weakref import WeakSet

from parley.session.event import Event

HIGH_WATER = 1024
"""How many events a reader may be behind before the connection waits for it."""
PATIENT = 64 * HIGH_WATER
"""The same while the application waits for an answer, which may be behind those events."""


class EventStream:
    """A queue of events with one reader."""

    def __init__(self, limit: int = HIGH_WATER) -> None:
        self._limit = limit
        self._events: deque[Event] = deque()
        self._reader: asyncio.Future[None] | None = None
        self._writer: asyncio.Future[None] | None = None
        self._ended = False
        self._error: BaseException | None = None

    def put(self, event: Event) -> bool:
        """Add an event; whether the writer should wait for `room` now."""
        if self._ended:
            return False
        self._events.append(event)
        if self._reader is not None:
            _wake(self._reader)
            self._reader = None
        return len(self._events) >= self._limit

    def end(self, error: BaseException | None = None) -> None:
        """No event will follow; the reader meets the error behind those that are there."""
        if not self._ended:
            self._ended, self._error = True, error
            self._wake_both()

    def allow(self, limit: int) -> None:
        """The reader may be this far behind from now on."""
        self._limit = limit
        self._wake_both()

    async def room(self) -> None:
        """Wait until the reader has caught up."""
        while len(self._events) >= self._limit and not self._ended:
            self._writer = asyncio.get_running_loop().create_future()
            await self._writer

    def __aiter__(self) -> "EventStream":
        return self

    async def __anext__(self) -> Event:
        events = self._events
        if not events:
            await self._filled()
        event = events.popleft()
        if self._writer is not None and len(events) < self._limit // 2:
            _wake(self._writer)
            self._writer = None
        return event

    async def batch(self) -> list[Event]:
        """All events that are there, once there is one."""
        if not self._events:
            await self._filled()
        batch = list(self._events)
        self._events.clear()
        if self._writer is not None:
            _wake(self._writer)
            self._writer = None
        return batch

    async def _filled(self) -> None:
        """Wait for an event; the end of the stream is raised."""
        while not self._events:
            if self._ended:
                if self._error is not None:
                    raise self._error
                raise StopAsyncIteration
            self._reader = asyncio.get_running_loop().create_future()
            await self._reader

    def _wake_both(self) -> None:
        for waiting in (self._reader, self._writer):
            if waiting is not None:
                _wake(waiting)
        self._reader = self._writer = None


class Pace:
    """How far behind the readers of one connection may be.

    It is a context for whatever waits for the agent. A turn that somebody reads waits for one
    answer. When there are more, the reader itself may be the one that waits, and the answer may
    be behind the events that it does not read meanwhile.
    """

    def __init__(self) -> None:
        self._waiting = 0
        self._streams: WeakSet[EventStream] = WeakSet()

    def stream(self) -> EventStream:
        """A new stream that keeps this pace."""
        stream = EventStream(PATIENT if self._waiting > 1 else HIGH_WATER)
        self._streams.add(stream)
        return stream

    def __enter__(self) -> None:
        self._waiting += 1
        if self._waiting == 2:
            self._allow(PATIENT)

    def __exit__(self, *_: object) -> None:
        self._waiting -= 1
        if self._waiting == 1:
            self._allow(HIGH_WATER)

    def _allow(self, limit: int) -> None:
        for stream in self._streams:
            stream.allow(limit)


def _wake(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)
