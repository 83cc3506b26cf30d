"""What a connection to a server consists of, whatever it travels over.

The official package is heavy. It is imported by `program`, `address`, `answer` and `conversation`,
which nothing imports before a session names a server; here it lends its types only.
"""

import asyncio
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from mcp.client._transport import ReadStream, WriteStream
    from mcp.shared.message import SessionMessage


class Terms(Struct, frozen=True):
    """How conversations with servers are held."""

    version: str = "0"
    """Of the agent, as servers are told."""
    start_seconds: float = 10.0
    call_seconds: float = 60.0
    patience: float = 5.0
    """Seconds that the first request to the model waits for servers, counted from their start."""


class ServerFailed(Exception):
    """A server cannot be used, or not any more; the text says why, for a person."""


class Link:
    """Streams for the session of the official package, and the news of their end."""

    def __init__(
        self,
        read: "ReadStream[SessionMessage | Exception]",
        write: "WriteStream[SessionMessage]",
    ) -> None:
        self.read = read
        self.write = write
        self._ended = asyncio.Event()
        self._reason = ""

    def end(self, reason: str) -> None:
        """Nothing will come any more; the first reason counts."""
        if not self._ended.is_set():
            self._reason = reason
            self._ended.set()

    async def ended(self) -> str:
        """Wait for the end, and say why it came."""
        await self._ended.wait()
        return self._reason
