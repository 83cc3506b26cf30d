"""Newline frames over two descriptors with bare asyncio callbacks: the floor for an SDK in Python.

Output leaves once per tick of the loop; a sender above 64 KiB of unsent bytes waits. There is no
size limit, no fault handling and no order of shutdown: what an SDK adds is what is measured.
"""

import asyncio
import os
from collections.abc import Callable

_READ = 1 << 18
_HIGH_WATER = 1 << 16


class Pipe:
    """Reads lines from one descriptor into a callback and writes lines to another."""

    def __init__(self, source: int, sink: int, on_line: Callable[[bytes], None]) -> None:
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._loop = asyncio.get_running_loop()
        self._source, self._sink, self._on_line = source, sink, on_line
        self._rest: list[bytes] = []
        self._outbox: list[bytes] = []
        self._partial = memoryview(b"")
        self._unsent = 0
        self._scheduled = False
        self._waiters: list[asyncio.Future[None]] = []
        os.set_blocking(source, False)
        os.set_blocking(sink, False)
        self._loop.add_reader(source, self._readable)

    def send(self, line: bytes) -> None:
        self._outbox.append(line)
        self._unsent += len(line)
        if not self._scheduled:
            self._scheduled = True
            self._loop.call_soon(self._flush)

    @property
    def full(self) -> bool:
        return self._unsent > _HIGH_WATER

    async def drain(self) -> None:
        waiter = self._loop.create_future()
        self._waiters.append(waiter)
        await waiter

    def pause(self) -> None:
        self._loop.remove_reader(self._source)

    def _readable(self) -> None:
        try:
            data = os.read(self._source, _READ)
        except BlockingIOError:
            return
        if not data:
            self._loop.remove_reader(self._source)
            if not self.ended.done():
                self.ended.set_result(None)
            return
        first, *others = data.split(b"\n")
        self._rest.append(first)
        if others:
            line, self._rest = b"".join(self._rest), [others.pop()]
            self._on_line(line)
            for line in others:
                self._on_line(line)

    def _flush(self) -> None:
        if not self._partial:
            self._partial = memoryview(b"".join(self._outbox))
            self._outbox.clear()
        try:
            written = os.write(self._sink, self._partial) if self._partial else 0
        except BlockingIOError:
            written = 0
        self._partial = self._partial[written:]
        self._unsent -= written
        if self._unsent:
            self._loop.add_writer(self._sink, self._writable)
            return
        self._scheduled = False
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            waiter.set_result(None)

    def _writable(self) -> None:
        self._loop.remove_writer(self._sink)
        self._flush()
