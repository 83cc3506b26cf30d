"""The counting client of the benchmark on the SDK.

Usage: sdk_count_client.py [--block] N SENDER-COMMAND...
"""

import asyncio
import sys

import parley
from parley.session.content import Text
from parley.session.event import ChunkAdded, Event
from stopwatch import Stopwatch, arguments, report_blocked


class Counter:
    """Counts chunks in the handler of events."""

    def __init__(self) -> None:
        self.wanted = 0
        self.stopwatch: Stopwatch | None = None

    def seen(self, session: parley.RemoteSession, event: Event) -> None:
        if isinstance(event, ChunkAdded) and isinstance(event.content, Text):
            self.wanted -= bool(event.content.text)
            if self.wanted == 0 and self.stopwatch:
                self.stopwatch.stop()


async def block_at_first_chunk(session: parley.RemoteSession, count: int) -> None:
    async for event in session.prompt(f"stream {count}"):
        if isinstance(event, ChunkAdded):
            report_blocked()
            await asyncio.Event().wait()


async def main() -> None:
    block, count, sender = arguments(sys.argv[1:])
    counter = Counter()
    client = parley.Client("count")
    client.event(counter.seen)
    async with client.connect(sender, settings=parley.Settings(versions=(1,))) as agent:
        session = await agent.new_session("/")
        if block:
            await block_at_first_chunk(session, count)
        counter.wanted = 1000
        await session.prompt("stream 1000")
        counter.wanted = count
        counter.stopwatch = Stopwatch(count)
        await session.prompt(f"stream {count}")
        print(counter.stopwatch.line(), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
