"""The counting client of the benchmark on the official Python SDK.

Usage: official_count_client.py [--block] N SENDER-COMMAND...
"""

import asyncio
import sys
from collections.abc import Coroutine
from typing import Any, cast

from acp import Client, spawn_agent_process, text_block
from acp.schema import ClientCapabilities

from stopwatch import Stopwatch, arguments, report_blocked


class Counter:
    """Counts chunks, and blocks in the handler of the first one when it is to block."""

    def __init__(self, *, block: bool) -> None:
        self._block = block
        self._blocking = False
        self.wanted = 0
        self.complete = asyncio.Event()
        self.stopwatch: Stopwatch | None = None

    async def session_update(self, session_id: str, update: Any, **rest: Any) -> None:
        if update.content.text:
            self.wanted -= 1
        if self._block:
            if not self._blocking:
                self._blocking = True
                report_blocked()
            await asyncio.Event().wait()
        if self.wanted == 0:
            self.complete.set()
            if self.stopwatch:
                self.stopwatch.stop()

    async def all_of(self, count: int, turn: Coroutine[Any, Any, Any]) -> None:
        """Run a turn until its last chunk was handled.

        Updates are handled in tasks, which may still run when the prompt has returned.
        """
        self.wanted = count
        self.complete.clear()
        await turn
        await self.complete.wait()


async def main() -> None:
    block, count, sender = arguments(sys.argv[1:])
    counter = Counter(block=block)
    async with spawn_agent_process(cast("Client", counter), *sender) as (agent, _process):
        await agent.initialize(protocol_version=1, client_capabilities=ClientCapabilities())
        session = (await agent.new_session(cwd="/", mcp_servers=[])).session_id
        if not block:
            warm_up = agent.prompt(session_id=session, prompt=[text_block("stream 1000")])
            await counter.all_of(1000, warm_up)
        counter.stopwatch = Stopwatch(count)
        stream = agent.prompt(session_id=session, prompt=[text_block(f"stream {count}")])
        await counter.all_of(count, stream)
        print(counter.stopwatch.line(), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
