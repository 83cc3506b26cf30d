"""Watches what the calls of a session do to files, beside the event loop.

A disk that is full or forbids something costs the undo, never the call.
"""

import asyncio
import logging
import os
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from parley.coder.permission.access import (
    Access,
    Delegates,
    FetchesUrl,
    ReadsPath,
    RunsCommand,
    TouchesNothing,
    WritesPath,
)
from parley.coder.permission.paths import Scope
from parley.coder.permission.readonly import impact_of
from parley.coder.permission.shell import parse
from parley.coder.undo.books import Books, Result

T = TypeVar("T")

_LOG = logging.getLogger(__name__)


class Recorder:
    """For one session. Without a folder nothing is recorded."""

    def __init__(self, folder: Path | None, roots: tuple[str, ...]) -> None:
        self._folder = folder
        self._roots = roots
        self._books: Books | None = None
        self._opening = threading.Lock()
        self._running = 0
        # Calls that may change anything and run now.

    @asynccontextmanager
    async def watching(self, turn: str, access: tuple[Access, ...]) -> AsyncGenerator[None]:
        """Record what happens to files in this block."""
        changing = [each for each in access if _may_change(each, self._roots)]
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
            alone, begun = self._running == 1, False
            try:
                await self._aside(lambda books: books.begin(turn, alone=alone))
                begun = True
                yield
            finally:
                if begun:  # Otherwise it was cancelled before anything ran.
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
        self._folder = None
        if self._books is not None:
            await asyncio.to_thread(self._books.close)

    async def _aside(self, work: Callable[[Books], T]) -> T | None:
        try:
            return await asyncio.to_thread(lambda: work(self._opened()))
        except _Closed:
            return None  # Who ends a session in the middle of a call wants to know nothing of it.
        except OSError as error:
            _LOG.warning("changes of files cannot be kept: %s", error)
            return None

    def _opened(self) -> Books:
        with self._opening:
            if self._folder is None:
                raise _Closed
            if self._books is None:
                self._books = Books(self._folder, self._roots)
            return self._books


class _Closed(Exception):
    """The session has ended, so nothing is kept of it any more."""


def _may_change(access: Access, roots: tuple[str, ...]) -> bool:
    match access:
        case ReadsPath() | FetchesUrl() | TouchesNothing() | Delegates():
            # The calls of a sub-agent are watched one by one.
            return False
        case RunsCommand(command=command, cwd=cwd):
            return impact_of(parse(command), Scope(roots, cwd, os.path.realpath)) != "reads"
        case _:
            return True
