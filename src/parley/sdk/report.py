"""What an agent's author says with: messages, thoughts, tool calls, plans, notices.

`Report` turns handles into session events. It makes the ids, so that a message keeps its identity
in both versions, and waits when the client is behind.
"""

import os
from collections.abc import Iterable
from typing import Any, Literal, get_args

from msgspec import UNSET, Struct, UnsetType

from parley.sdk.compaction import Compaction
from parley.sdk.outlet import Outlet
from parley.sdk.tool import ToolCall, absolute_places
from parley.session.content import Block, Location, Text
from parley.session.event import (
    ChunkAdded,
    Cost,
    Event,
    ExitStatus,
    InfoChanged,
    NoticeGiven,
    PlanChanged,
    PlanRemoved,
    Speaker,
    TerminalChanged,
    TerminalOutputAdded,
    ToolCallChanged,
    ToolKind,
    UsageChanged,
)
from parley.session.option import MAIN_PLAN, OtherPlan, PlanEntry, PlanItems
from parley.session.role import ClientRole

Severity = Literal["info", "warning", "error"]

_TOOL_KINDS: tuple[str, ...] = get_args(get_args(ToolKind)[0])


class Report:
    """Reports what happens in one session."""

    def __init__(self, client: ClientRole, session_id: str, cwd: str) -> None:
        self.client = client
        """The client: its profile, its files and terminals, its extension methods."""
        self.cwd = cwd
        self._out: Outlet = client
        self._session_id = session_id
        # Random, because ids must stay unique when a later process goes on with the session.
        self._prefix = os.urandom(4).hex()
        self._count = 0
        self._speaker: Speaker | None = None
        self._message_id = ""

    async def emit(self, event: Event) -> None:
        """Report any event; the other methods are ways of saying the usual ones.

        Raises:
            ValueError: it is a plan of one's own kind without an underscore before it.
        """
        if type(event) is PlanChanged and isinstance(event.plan, OtherPlan):
            _check_kind(event.plan.kind)
        out = self._out
        out.emit(self._session_id, event)
        if out.blocked:
            await out.drain()

    async def say(self, content: str | Block) -> None:
        """Add to the agent's message; a tool call or a thought in between begins a new one."""
        # This is the hot path, so what `think` shares with it is one plain call.
        out = self._out
        out.emit(self._session_id, self._chunk("agent", content))
        if out.blocked:
            await out.drain()

    async def think(self, content: str | Block) -> None:
        """Add to the agent's thought."""
        await self.emit(self._chunk("thought", content))

    async def replay_user(self, content: str | Block) -> None:
        """Add to a message of the user, when a stored session is loaded."""
        await self.emit(self._chunk("user", content))

    def new_message(self) -> None:
        """What is said next begins a new message."""
        self._speaker = None

    def tool(
        self,
        title: str,
        *,
        kind: ToolKind = "other",
        name: str | None = None,
        id: str | None = None,
        input: Any = UNSET,
        locations: Iterable[Location | str] = (),
    ) -> ToolCall:
        """A tool call, as a context manager that always ends in a final status.

        Paths of `locations` may be relative to the directory of the session.

        Raises:
            ValueError: the kind is not one of the protocol and does not start with an underscore.
        """
        if kind not in _TOOL_KINDS and not kind.startswith("_"):
            # EXT-11, V2-TC-07: other words belong to the protocol, which may need them later.
            known = ", ".join(_TOOL_KINDS)
            raise ValueError(
                f"{kind!r} is no kind of tool call ({known})\nhint: `_{kind}` is one of your own"
            )
        self.new_message()
        first = ToolCallChanged(
            id or self.new_id("call"),
            title=title,
            name=name or UNSET,
            kind=kind,
            locations=absolute_places(locations, self.cwd) or UNSET,
            raw_input=input,
        )
        return ToolCall(lambda: self._out, self._session_id, self.cwd, first)

    async def plan(
        self, entries: Iterable[PlanEntry | str], *, id: str = MAIN_PLAN
    ) -> tuple[PlanEntry, ...]:
        """Show the whole plan; it replaces the one with the same id."""
        items = tuple(PlanEntry(entry) if isinstance(entry, str) else entry for entry in entries)
        await self.emit(PlanChanged(id, PlanItems(items)))
        return items

    async def remove_plan(self, id: str = MAIN_PLAN) -> None:
        await self.emit(PlanRemoved(id))

    def compaction(self) -> Compaction:
        """A compaction of the context, as a context manager that always ends in a final status."""
        self.new_message()
        return Compaction(self.client, self._session_id, self.new_id("compaction"))

    async def notice(
        self, title: str, *, severity: Severity = "info", description: str | None = None
    ) -> None:
        """Tell the user something that is not part of the conversation."""
        await self.emit(NoticeGiven(title, severity, description))

    async def usage(
        self, used: int, size: int, *, cost: tuple[float, str] | UnsetType | None = UNSET
    ) -> None:
        """How full the context is, in tokens, and what the session has cost, with its currency."""
        price = Cost(*cost) if isinstance(cost, tuple) else cost
        await self.emit(UsageChanged(used, size, price))

    async def title(self, title: str | None) -> None:
        """Name the session; `None` takes its name away."""
        await self.emit(InfoChanged(title=title))

    async def terminal(self, command: str, *, cwd: str | None = None) -> "Screen":
        """A terminal that the agent runs and only shows; reference it with `tool.terminal()`."""
        screen = Screen(self, self.new_id("term"))
        where = os.path.join(self.cwd, cwd or "")
        await self.emit(TerminalChanged(screen.id, command=command, cwd=where))
        return screen

    def new_id(self, kind: str) -> str:
        """An id that is unique in the session, also across processes."""
        self._count += 1
        return f"{kind}-{self._prefix}-{self._count}"

    def _chunk(self, speaker: Speaker, content: str | Block) -> ChunkAdded:
        if self._speaker != speaker:
            self._speaker = speaker
            self._message_id = self.new_id("msg")
        if isinstance(content, str):
            return ChunkAdded(speaker, Text(content), self._message_id)
        if not isinstance(content, Struct):  # pyright: ignore[reportUnnecessaryIsInstance] - authors err
            kind = type(content).__name__
            raise TypeError(f"a text or a block of content is needed, not `{kind}`")
        return ChunkAdded(speaker, content, self._message_id)


def _check_kind(kind: str) -> None:
    if not kind.startswith("_"):  # V2-PLN-03: other words belong to the protocol.
        raise ValueError(f"{kind!r} is no kind of plan\nhint: `_{kind}` is one of your own")


class Screen:
    """A terminal the agent shows. Output may be cut anywhere, also inside a character."""

    def __init__(self, report: Report, id: str) -> None:
        self._report = report
        self.id = id

    async def write(self, data: bytes) -> None:
        await self._report.emit(TerminalOutputAdded(self.id, data))

    async def exit(self, code: int | None = None, signal: str | None = None) -> None:
        await self._report.emit(TerminalChanged(self.id, exit=ExitStatus(code, signal)))
