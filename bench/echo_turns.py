"""The running turns of the echo agents of the benchmark, so that they can be cancelled."""

import asyncio
from collections.abc import Awaitable
from typing import Literal


class Turns:
    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[object]] = {}
        self._cancelled: set[str] = set()

    async def run(self, session: str, work: Awaitable[None]) -> Literal["end_turn", "cancelled"]:
        """Run a turn in the task of its call; how it ended."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks[session] = task
        try:
            await work
        except asyncio.CancelledError:
            if session not in self._cancelled:
                raise
            task.uncancel()
            return "cancelled"
        finally:
            del self._tasks[session]
            self._cancelled.discard(session)
        return "end_turn"

    def cancel(self, session: str) -> None:
        if session in self._tasks:
            self._cancelled.add(session)
            self._tasks[session].cancel()
