"""Watches what the calls of a session do to files, beside the event loop.

A disk that is full or forbids something costs the undo, never the call.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from parley.coder.permission.access import Access, FetchesUrl, ReadsPath, TouchesNothing, WritesPath
from parley.coder.undo.books import Books, Result

T = TypeVar("T")

_HARMLESS = (ReadsPath, FetchesUrl, TouchesNothing)
_LOG = logging.getLogger(__name__)


class Recorder:
    """For one session. Without a folder nothing is recorded."""

    def __init__(self, folder: Path | None, roots: tuple[str, ...]) -> None:
        self._folder = folder
        self._roots = roots
        self._books: Books | None = None
        self._running = 0
        # Calls that may change anything and run now.

    @asynccontextmanager
    async def watching(self, turn: str, access: tuple[Access, ...]) -> AsyncGenerator[None]:
        """Record what happens to files in this block."""
        changing = [each for each in access if not isinstance(each, _HARMLESS)]
        known = [each.path for each in changing if isinstance(each, WritesPath)]
        if self._folder is None or not changing:
            yield
        elif len(known) == len(changing):
            before = await self._aside(lambda books: books.states(known))
            try:
                yield
            finally:
                if before is not None:
                    await self._aside(lambda books: books.wrote(turn, before))
        else:
            self._running += 1
            alone = self._running == 1
            try:
                await self._aside(lambda books: books.begin(turn, alone=alone))
                yield
            finally:
                await self._aside(lambda books: books.end(turn))
                self._running -= 1

    async def undo(self, count: int | None, *, force: bool = False) -> Result | None:
        """Take back the last turns, as `Books.undo` does; `None` if the disk does not allow it."""
        if self._folder is None:
            return Result()
        return await self._aside(lambda books: books.undo(count, force=force))

    @property
    def left_out(self) -> tuple[str, ...]:
        return () if self._books is None else self._books.left_out

    async def aclose(self) -> None:
        if self._books is not None:
            books, self._books, self._folder = self._books, None, None
            await asyncio.to_thread(books.close)

    async def _aside(self, work: Callable[[Books], T]) -> T | None:
        try:
            return await asyncio.to_thread(lambda: work(self._opened()))
        except OSError as error:
            _LOG.warning("changes of files cannot be kept: %s", error)
            return None

    def _opened(self) -> Books:
        assert self._folder is not None
        if self._books is None:
            self._books = Books(self._folder, self._roots)
        return self._books
