"""Starts a child that starts a child, prints both ids, and ends without closing anything."""

import asyncio
import os

from parley.transport.process import spawn


async def main() -> None:
    transport = await spawn(["sh", "-c", "sleep 60 & echo $$; echo $!; wait"])
    received: list[object] = []
    while len(received) < 2:
        received += await transport.receive()
    os.write(1, b" ".join(frame for frame in received if isinstance(frame, bytes)))


asyncio.run(main())
