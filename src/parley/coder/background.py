"""Work that goes on beside the requests of a client and ends with its connection.

A task group cannot hold it: it would have to be open from before `initialize` until after the
last request, around code that is not ours.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any


class Background:
    """Tasks that nobody waits for; `aclose` ends them."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    async def aclose(self) -> None:
        for task in self._tasks:
            task.cancel()
        while self._tasks:
            await asyncio.wait(self._tasks)

    def _done(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            # A defect; whoever runs the loop decides where it is written.
            task.get_loop().call_exception_handler(
                {"message": "work in the background failed", "exception": error, "task": task}
            )
