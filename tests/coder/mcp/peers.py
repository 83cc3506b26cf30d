"""Servers to talk to: honest ones made with the official package, and others that are not.

The others are small programs without the package, so that each starts in a moment and says exactly
what its text says.
"""

import asyncio
import socket
import sys
import textwrap
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from parley.coder.mcp.link import Terms
from parley.coder.mcp.servers import Servers
from parley.session.role import McpServer, StdioServer

BOUND = 5.0
SLOW = 20.0
"""For programs that load the official package on a busy machine."""

HONEST = """
    import asyncio, os, sys
    from mcp.server.mcpserver import Context, Image, MCPServer

    server = MCPServer("honest")

    @server.tool()
    def add(a: int, b: int) -> int:
        "Add two numbers."
        return a + b

    @server.tool()
    def fail() -> str:
        raise ValueError("it went wrong")

    @server.tool()
    def where() -> list[str]:
        return [os.getcwd(), *sorted(os.environ)]
"""

# A server by hand. `answers` is told of requests and says the results; what it has no answer for
# is left open.
_BY_HAND = """
    import json, os, sys, time

    def say(message):
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\\n")
        sys.stdout.flush()

    TOOLS = [{"name": "work", "description": "Works.", "inputSchema": {"type": "object"}}]

    def usual(method, params):
        if method == "initialize":
            return {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                    "serverInfo": {"name": "odd", "version": "1"}}
        if method == "tools/list":
            return {"tools": TOOLS}
        if method == "tools/call":
            return {"content": [{"type": "text", "text": "done"}]}

    answer = usual
"""
_LOOP = """
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message:
            result = answer(message["method"], message.get("params"))
            if result is not None:
                say({"id": message["id"], "result": result})
        else:
            heard(message) if "heard" in globals() else None
"""


def honest(folder: Path, *, run: str = 'server.run("stdio")', name: str = "honest") -> StdioServer:
    """A server of the official package."""
    return _program(folder, name, textwrap.dedent(HONEST) + f"\n{run}\n")


def by_hand(folder: Path, changes: str = "", *, name: str = "odd") -> StdioServer:
    """A server by hand; `changes` is code that makes it odd."""
    text = textwrap.dedent(_BY_HAND) + textwrap.dedent(changes) + textwrap.dedent(_LOOP)
    return _program(folder, name, text, "-I", "-S")


def shell(script: str, *, name: str = "odd") -> StdioServer:
    return StdioServer(name, "/bin/sh", ("-c", script))


def _program(folder: Path, name: str, text: str, *flags: str) -> StdioServer:
    path = folder / f"{name}.py"
    path.write_text(text)
    return StdioServer(name, sys.executable, (*flags, str(path)))


class Stand:
    """The servers of one session, and what its user was told."""

    def __init__(self, folder: Path, terms: Terms) -> None:
        self.notices: list[str] = []
        self._news = asyncio.Event()
        self.servers = Servers((str(folder),), self._told, terms=terms)

    def _told(self, text: str) -> None:
        self.notices.append(text)
        self._news.set()

    async def notice(self, number: int = 1) -> str:
        """The notice of this number, when it has come."""
        async with asyncio.timeout(BOUND):
            while len(self.notices) < number:
                self._news.clear()
                await self._news.wait()
        return self.notices[number - 1]

    async def ready(self, seconds: float = BOUND) -> None:
        """Wait until no server is starting."""
        await until(lambda: all(r.state != "starting" for r in self.servers.reports), seconds)


@asynccontextmanager
async def standing(
    folder: Path, *wanted: McpServer, start: float = BOUND, call: float = BOUND
) -> AsyncGenerator[Stand]:
    stand = Stand(folder, Terms("1", start, call))
    stand.servers.start(wanted)
    try:
        yield stand
    finally:
        await stand.servers.aclose()


async def until(met: Callable[[], bool], seconds: float = BOUND) -> None:
    """Wait for something that nobody announces."""
    async with asyncio.timeout(seconds):
        while True:
            if met():
                return
            await asyncio.sleep(0.005)


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]
