"""Tasks that belong to a block and end with it.

`asyncio.TaskGroup` would wrap what the author's own code raises into an exception group. Here a
failure stays with the task that failed, for the one who awaits it.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, Self, TypeVar

T = TypeVar("T")


class Tasks:
    """A block of tasks; leaving it cancels those that still run and waits for them."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        while self._tasks:  # A task on its way out may start another one.
            for task in self._tasks:
                task.cancel()
            await asyncio.wait(self._tasks)

    def start(self, work: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: "asyncio.Task[Any]") -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # Seen here, so that a task nobody awaits makes no noise.
