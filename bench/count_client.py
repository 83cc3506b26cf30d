"""The counting client of the benchmark on Parley, version 1.

Usage: count_client.py [--block] N SENDER-COMMAND...
"""

import asyncio
import sys
from collections.abc import Awaitable
from typing import Any

from parley.errors import MethodNotFound
from parley.rpc.connection import Connection
from parley.rpc.message import Notification, Payload
from parley.rpc.peer import Call
from parley.schema import v1
from parley.schema.base import Request
from parley.schema.codec import decode, decoder, encode
from parley.transport.process import spawn
from stopwatch import Stopwatch, arguments, report_blocked

_update = decoder(v1.SessionNotification)


class Counter:
    """Counts chunks, and blocks in the handler of the first one when it is to block."""

    def __init__(self, *, block: bool) -> None:
        self._block = block
        self.wanted = 0
        self.stopwatch: Stopwatch | None = None

    def updated(self, notification: Notification) -> Awaitable[None] | None:
        update = _update(notification.params).update
        if isinstance(update, v1.AgentMessageChunk) and isinstance(update.content, v1.TextContent):
            self.wanted -= bool(update.content.text)
        if self._block:
            return self._wait_forever()
        if self.wanted == 0 and self.stopwatch:
            self.stopwatch.stop()
        return None

    async def _wait_forever(self) -> None:
        report_blocked()
        await asyncio.Event().wait()


async def refuse(call: Call) -> Payload:
    raise MethodNotFound


async def ask(connection: Connection, params: Request[Any]) -> Any:
    return decode(params.RESULT, await connection.request(params.METHOD, encode(params)))


async def main() -> None:
    block, count, sender = arguments(sys.argv[1:])
    counter = Counter(block=block)
    transport = await spawn(sender)
    async with Connection(transport, on_call=refuse, on_notification=counter.updated) as connection:
        await ask(connection, v1.InitializeRequest(protocol_version=1))
        session = await ask(connection, v1.NewSessionRequest(cwd="/", mcp_servers=[]))
        if not block:
            counter.wanted = 1000
            await ask(connection, _stream(session.session_id, 1000))
        counter.wanted = count
        counter.stopwatch = Stopwatch(count)
        await ask(connection, _stream(session.session_id, count))
        print(counter.stopwatch.line(), flush=True)


def _stream(session: str, count: int) -> v1.PromptRequest:
    text = v1.TextContent(text=f"stream {count}")
    return v1.PromptRequest(session_id=session, prompt=[text])


if __name__ == "__main__":
    asyncio.run(main())
