"""The running turns of the echo agents of the benchmark, so that they can be cancelled."""

import asyncio
from collections.abc import Awaitable
from typing import Literal


class Turns:
    def __init__(self) -> None:
        # A client may prompt again while a turn of the same session runs.
        self._running: dict[str, set[asyncio.Task[object]]] = {}
        self._cancelled: set[asyncio.Task[object]] = set()

    async def run(self, session: str, work: Awaitable[None]) -> Literal["end_turn", "cancelled"]:
        """Run a turn in the task of its call; how it ended."""
        task = asyncio.current_task()
        assert task is not None
        running = self._running.setdefault(session, set())
        running.add(task)
        try:
            await work
        except asyncio.CancelledError:
            if task not in self._cancelled:
                raise
            task.uncancel()
            return "cancelled"
        finally:
            running.discard(task)
            self._cancelled.discard(task)
            if not running:
                self._running.pop(session, None)
        return "end_turn"

    def cancel(self, session: str) -> None:
        for task in self._running.get(session, ()):
            if task not in self._cancelled:
                self._cancelled.add(task)
                task.cancel()
