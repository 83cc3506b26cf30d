"""The events of one turn, as a client iterates over them.

The stream is bounded: when the reader is behind, the connection stops reading, and so the agent
is slowed down.
"""

import asyncio
from collections import deque

from parley.session.event import Event

HIGH_WATER = 1024


class EventStream:
    """A queue of events with one reader."""

    def __init__(self) -> None:
        self._events: deque[Event] = deque()
        self._reader: asyncio.Future[None] | None = None
        self._writer: asyncio.Future[None] | None = None
        self._ended = False

    @property
    def full(self) -> bool:
        return len(self._events) >= HIGH_WATER and not self._ended

    def put(self, event: Event) -> None:
        self._events.append(event)
        if self._reader is not None:
            _wake(self._reader)

    def end(self) -> None:
        """No event will follow."""
        self._ended = True
        for waiting in (self._reader, self._writer):
            if waiting is not None:
                _wake(waiting)

    async def room(self) -> None:
        """Wait until the reader has caught up."""
        while self.full:
            self._writer = asyncio.get_running_loop().create_future()
            await self._writer

    def __aiter__(self) -> "EventStream":
        return self

    async def __anext__(self) -> Event:
        while not self._events:
            if self._ended:
                raise StopAsyncIteration
            self._reader = asyncio.get_running_loop().create_future()
            await self._reader
        event = self._events.popleft()
        if self._writer is not None and len(self._events) < HIGH_WATER // 2:
            _wake(self._writer)
            self._writer = None
        return event


def _wake(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)
