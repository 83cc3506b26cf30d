"""What the tests of tools share: a witness of a call's progress, and a way to make a call."""

import asyncio
from collections.abc import Mapping
from typing import Any

from parley.coder.tools.tool import Desk, Outcome, Tool
from parley.session.content import ToolItem
from parley.session.event import Event, TerminalOutputAdded


class Witness:
    """Remembers what a call reported; a closed `gate` is a client that is behind."""

    def __init__(self) -> None:
        self.call_id = "call-1"
        self.shown: list[tuple[ToolItem, ...]] = []
        self.events: list[Event] = []
        self.gate = asyncio.Event()
        self.gate.set()

    @property
    def output(self) -> bytes:
        """The live output so far."""
        return b"".join(e.data for e in self.events if isinstance(e, TerminalOutputAdded))

    def show(self, *items: ToolItem) -> None:
        self.shown.append(items)

    def emit(self, event: Event) -> None:
        self.events.append(event)

    async def drain(self) -> None:
        await self.gate.wait()


async def call(
    tool: Tool, desk: Desk, arguments: Mapping[str, Any], witness: Witness | None = None
) -> Outcome:
    """Prepare a call and run it."""
    prepared = await tool.prepare(arguments, desk)
    return await prepared.run(witness or Witness())
