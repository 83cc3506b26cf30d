"""What a script can touch besides the frames: the connection as a whole, stderr, the process."""

import os
import sys
from collections.abc import Callable
from typing import Literal

from parley.rpc.transport import Transport
from parley.transport.memory import MemoryTransport
from parley.transport.pipe import PipeTransport

Part = Literal["output", "input", "both"]


class Stage:
    """A stage with nothing but the transport: what would be on stderr is kept."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.complaints: list[str] = []

    def complain(self, text: str) -> None:
        self.complaints.append(text)

    async def close(self, part: Part) -> None:
        """Close the connection. A transport that cannot close one direction closes both."""
        await self._transport.aclose()

    async def die(self, status: int, stderr: str) -> None:
        """End as a process would whose peer is told how it ended."""
        if stderr:
            self.complain(stderr)
        if isinstance(self._transport, MemoryTransport):
            words = f"; its last words on stderr:\n{stderr}" if stderr else ""
            self._transport.break_(f"the peer exited with status {status}{words}")
        else:
            await self._transport.aclose()


class HalfClosingPipe(PipeTransport):
    """A transport over descriptors that can close one direction alone."""

    async def flush(self) -> None:
        """Give what was sent some time to leave."""
        await self._outflow.flush(self.limits.flush_seconds)

    async def close_output(self) -> None:
        await self.flush()
        self._outflow.close()

    def close_input(self) -> None:
        self._inflow.close()


class ProcessStage(Stage):
    """The stage of a script that has a process for itself."""

    def __init__(self, transport: HalfClosingPipe, leave: Callable[[int], None] = os._exit) -> None:
        super().__init__(transport)
        self._pipe = transport
        self._leave = leave

    def complain(self, text: str) -> None:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()

    async def close(self, part: Part) -> None:
        match part:
            case "output":
                await self._pipe.close_output()
            case "input":
                self._pipe.close_input()
            case "both":
                await self._pipe.aclose()

    async def die(self, status: int, stderr: str) -> None:
        await self._pipe.flush()
        if stderr:
            self.complain(stderr)
        self._leave(status)
