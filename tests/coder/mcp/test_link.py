"""The end of a connection is told once, to everybody."""

import asyncio

import anyio
from mcp.shared.message import SessionMessage

from parley.coder.mcp.link import Link


def test_the_first_reason_counts() -> None:
    async def scenario() -> None:
        send, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        write, receive = anyio.create_memory_object_stream[SessionMessage](0)
        with send, read, write, receive:
            link = Link(read, write)
            link.end("one")
            link.end("two")
            assert await asyncio.wait_for(link.ended(), 5) == "one"

    asyncio.run(scenario())
