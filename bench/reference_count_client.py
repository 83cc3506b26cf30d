"""The counting client of the benchmark with bare msgspec and asyncio.

Usage: reference_count_client.py [--block] N SENDER-COMMAND...
"""

import asyncio
import subprocess
import sys

import reference_messages as messages
from reference_pipe import Pipe
from stopwatch import Stopwatch, arguments, report_blocked


class Client:
    """Counts chunks, and stops reading at the first one when it is to block."""

    def __init__(self, child: subprocess.Popen[bytes], *, block: bool) -> None:
        assert child.stdin is not None
        assert child.stdout is not None
        self._pipe = Pipe(child.stdout.fileno(), child.stdin.fileno(), self._arrived)
        self._answers: dict[int | str | None, asyncio.Future[messages.Incoming]] = {}
        self._block = block
        self._wanted = 0
        self.stopwatch: Stopwatch | None = None

    async def call(self, method: str, params: dict[str, object]) -> messages.Incoming:
        answer: asyncio.Future[messages.Incoming] = asyncio.get_running_loop().create_future()
        number = len(self._answers)
        self._answers[number] = answer
        self._pipe.send(messages.encode(messages.Call(number, method, params)) + b"\n")
        return await answer

    async def stream(self, count: int) -> None:
        self._wanted = count
        text = {"type": "text", "text": f"stream {count}"}
        await self.call("session/prompt", {"sessionId": "s1", "prompt": [text]})

    def _arrived(self, line: bytes) -> None:
        message = messages.incoming(line)
        if message.method is None:
            self._answers[message.id].set_result(message)
            return
        content = messages.update(message.params).update.content
        if isinstance(content, messages.Text) and content.text:
            self._wanted -= 1
        if self._block:
            self._block = False
            self._pipe.pause()
            report_blocked()
        if self._wanted == 0 and self.stopwatch:
            self.stopwatch.stop()


async def main(child: subprocess.Popen[bytes], count: int, *, block: bool) -> None:
    client = Client(child, block=block)
    await client.call("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
    await client.call("session/new", {"cwd": "/", "mcpServers": []})
    if not block:
        await client.stream(1000)
    client.stopwatch = Stopwatch(count)
    await client.stream(count)
    print(client.stopwatch.line(), flush=True)


if __name__ == "__main__":
    block, count, sender = arguments(sys.argv[1:])
    child = subprocess.Popen(sender, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    asyncio.run(main(child, count, block=block))
    child.terminate()
    child.wait()
