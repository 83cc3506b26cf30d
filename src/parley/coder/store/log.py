"""One open session: what is appended to it, and when that is safe.

Appending never waits. Whoever must not run ahead looks at `behind` and waits in `flush`; whoever
tells somebody about an entry does so in `on_stored`, so that nothing is told that could get lost.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from parley.coder.store.entry import Entry
from parley.coder.store.failure import StoreFailed
from parley.coder.store.reading import Head
from parley.coder.store.record import packed
from parley.coder.store.writer import Item, Lane, Writer

# What may wait for the disk before whoever appends should wait, too.
_MOST_ITEMS = 2_000
_MOST_BYTES = 4 * 1024 * 1024


def _nobody(entries: Sequence[Entry]) -> None:
    """Nobody wants to know."""


class SessionLog:
    """The log of one session. Only its holder can append to it."""

    def __init__(
        self,
        head: Head,
        writer: Writer,
        read: Callable[[Head], Awaitable[tuple[Sequence[Entry], int]]],
        release: Callable[[], None],
    ) -> None:
        self.session_id = head.session_id
        self.cwd = head.cwd
        self.additional = head.additional
        self.title = head.title
        self.on_stored: Callable[[Sequence[Entry]], None] = _nobody
        """Called in the event loop, in order, with entries that `kill -9` cannot take any more."""
        self.damage: str | None = None
        """What was lost when the session was opened, for a person."""
        self.store_damage: str | None = None
        """What the store as a whole has lost, if whoever opened this log is the first to hear."""
        self.unknown = 0
        """How many records `entries` left out because only a newer version knows their kind."""
        self._head = head
        self._writer = writer
        self._read = read
        self._release = release
        self._lane = Lane(head.key, head.session_id, self._stored, asyncio.get_running_loop())
        self._waiting_items = 0
        self._waiting_bytes = 0
        self._closed = False

    @property
    def damaged(self) -> bool:
        return self.damage is not None

    @property
    def closed(self) -> bool:
        return self._closed

    @property
    def behind(self) -> bool:
        """Whether entries come faster than they can be stored, so that one should `flush`."""
        return self._waiting_items > _MOST_ITEMS or self._waiting_bytes > _MOST_BYTES

    def append(self, *entries: Entry) -> None:
        """Have entries stored, in this order. Never waits, never touches the disk."""
        for entry in entries:
            kept, body = packed(entry)
            self._put(Item(body, kept))

    def set_title(self, title: str) -> None:
        """Name the session; takes effect behind everything appended before."""
        self.title = title.encode("utf-8", "replace").decode()
        self._put(Item(title=self.title))

    async def flush(self, *, durable: bool = False) -> None:
        """Wait until everything appended is stored; `durable` makes it survive a loss of power.

        Raises:
            StoreFailed: it is not stored. It is kept and tried again with the next `append` or
                `flush`.
        """
        self._check_open()
        await self._writer.flush(self._lane, durable=durable)

    async def entries(self) -> tuple[Entry, ...]:
        """The whole log, in order."""
        await self.flush()
        known, self.unknown = await self._read(self._head)
        return tuple(known)

    async def close(self) -> None:
        """Store what is left and let others open the session.

        Raises:
            StoreFailed: what was appended last is lost. The session is closed all the same.
        """
        if self._closed:
            return
        self._closed = True
        try:
            await self._writer.flush(self._lane, durable=True)
        finally:
            self._release()

    def _put(self, item: Item) -> None:
        self._check_open()
        self._waiting_items += 1
        self._waiting_bytes += len(item.body)
        self._writer.append(self._lane, item)

    def _check_open(self) -> None:
        if self._closed:
            raise StoreFailed(f"Session `{self.session_id}` is closed\nhint: load it", "closed")

    def _stored(self, items: Sequence[Item]) -> None:
        self._waiting_items -= len(items)
        self._waiting_bytes -= sum(len(item.body) for item in items)
        entries = [item.entry for item in items if item.entry is not None]
        if entries:
            self.on_stored(entries)
