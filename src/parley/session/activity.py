"""What an agent has at work in a session: tool calls, shown terminals, sub-agents.

Each keeps what its updates add up to. When an entity is made and where it stands in the
transcript is decided elsewhere.
"""

from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET

from parley.session.content import Location, Meta, ToolItem
from parley.session.event import (
    FINAL_STATUSES,
    Event,
    ExitStatus,
    StateChanged,
    SubagentChanged,
    TerminalChanged,
    TerminalSize,
    ToolCallChanged,
    ToolContentAdded,
)
from parley.session.patch import given, patched, patched_meta


@dataclass(slots=True, eq=False)
class ToolCall:
    """A tool call; one that nothing is known of is `pending` and of the kind `other`."""

    id: str
    title: str | None = None
    name: str | None = None
    kind: str = "other"
    status: str = "pending"
    locations: tuple[Location, ...] = ()
    raw_input: Any = None
    raw_output: Any = None
    cancellable: bool = False
    meta: Meta | None = None
    _items: list[ToolItem] = field(default_factory=list[ToolItem], init=False)
    _chunk_meta: dict[int, Meta] = field(default_factory=dict[int, Meta], init=False)

    @property
    def content(self) -> tuple[ToolItem, ...]:
        return tuple(self._items)

    @property
    def final(self) -> bool:
        """Whether it is over. An unknown status means that it still goes on (V2-TC-06)."""
        return self.status in FINAL_STATUSES

    def change(self, event: ToolCallChanged) -> None:
        """Merge an update; null resets a field to what it is on a new call (V2-TC-03)."""
        self.title = patched(self.title, event.title, None)
        self.name = patched(self.name, event.name, None)
        self.kind = patched(self.kind, event.kind, "other")
        self.status = patched(self.status, event.status, "pending")
        if event.content is not UNSET:
            self._items = list(event.content or ())
            self._chunk_meta = {}
        self.locations = patched(self.locations, event.locations, ())
        self.raw_input = patched(self.raw_input, event.raw_input, None)
        self.raw_output = patched(self.raw_output, event.raw_output, None)
        self.cancellable = patched(self.cancellable, event.cancellable, False)
        self.meta = patched_meta(self.meta, event.meta)

    def add(self, event: ToolContentAdded) -> None:
        # The meta of a chunk stays with what the chunk brought (EXT-15).
        if event.meta:
            self._chunk_meta[len(self._items)] = event.meta
        self._items.append(event.item)

    def events(self) -> list[Event]:
        """What makes the same tool call again."""
        whole = min(self._chunk_meta, default=len(self._items))
        made = ToolCallChanged(
            id=self.id,
            title=given(self.title),
            name=given(self.name),
            kind=UNSET if self.kind == "other" else self.kind,
            status=UNSET if self.status == "pending" else self.status,
            content=tuple(self._items[:whole]) or UNSET,
            locations=self.locations or UNSET,
            raw_input=given(self.raw_input),
            raw_output=given(self.raw_output),
            cancellable=self.cancellable or UNSET,
            meta=given(self.meta),
        )
        rest = range(whole, len(self._items))
        added = [ToolContentAdded(self.id, self._items[i], self._chunk_meta.get(i)) for i in rest]
        # The first chunk alone makes a call of which nothing else is known.
        return [*added] if added and made == ToolCallChanged(self.id) else [made, *added]

    def facts(self) -> dict[str, Any]:
        """What counts when two sessions are compared."""
        return {
            "item": "tool_call",
            "id": self.id,
            "title": self.title,
            "name": self.name,
            "kind": self.kind,
            "status": self.status,
            "content": self._items,
            "chunk_meta": {str(i): meta for i, meta in self._chunk_meta.items()},
            "locations": self.locations,
            "raw_input": self.raw_input,
            "raw_output": self.raw_output,
            "cancellable": self.cancellable,
            "meta": self.meta,
        }


@dataclass(slots=True, eq=False)
class ShownTerminal:
    """A terminal that the agent shows: its bytes as they came, the last `limit` of them."""

    id: str
    limit: int | None = None
    command: str | None = None
    cwd: str | None = None
    exit: ExitStatus | None = None
    """Any value, even an empty one, means that the command has ended (V2-TRM-08)."""
    size: TerminalSize | None = None
    cancellable: bool = False
    meta: Meta | None = None
    dropped: int = field(default=0, init=False)
    """How many bytes before `output` were not kept."""
    _kept: bytearray = field(default_factory=bytearray, init=False)
    _read: bytes | None = field(default=None, init=False)

    @property
    def output(self) -> bytes:
        if self._read is None:
            self._read = bytes(self._kept)
        return self._read

    def change(self, event: TerminalChanged) -> None:
        self.command = patched(self.command, event.command, None)
        self.cwd = patched(self.cwd, event.cwd, None)
        if event.output is not UNSET:
            # A snapshot replaces all bytes and is never merged with them (V2-TRM-04).
            self._kept = bytearray()
            self.dropped = 0
            self.add(event.output or b"")
        self.exit = patched(self.exit, event.exit, None)
        self.size = patched(self.size, event.size, None)
        self.cancellable = patched(self.cancellable, event.cancellable, False)
        self.meta = patched_meta(self.meta, event.meta)

    def add(self, data: bytes) -> None:
        """Append output; a chunk may end inside a character, so bytes stay bytes (V2-TRM-06)."""
        self._kept += data
        self._read = None
        if self.limit is not None and len(self._kept) > self.limit:
            excess = len(self._kept) - self.limit
            del self._kept[:excess]
            self.dropped += excess

    def events(self) -> list[Event]:
        """What makes the same terminal again, in one snapshot (V2-RES-11)."""
        made = TerminalChanged(
            id=self.id,
            command=given(self.command),
            cwd=given(self.cwd),
            output=self.output or UNSET,
            exit=given(self.exit),
            size=given(self.size),
            cancellable=self.cancellable or UNSET,
            meta=given(self.meta),
        )
        return [made]

    def facts(self) -> dict[str, Any]:
        """All but `limit` and `dropped`, which tell of this copy and not of the terminal."""
        return {
            "command": self.command,
            "cwd": self.cwd,
            "output": self.output,
            "exit": self.exit,
            "size": self.size,
            "cancellable": self.cancellable,
            "meta": self.meta,
        }


@dataclass(slots=True, eq=False)
class Subagent:
    """A session that works for this one. Without `state` its activity is not known."""

    session_id: str
    title: str | None = None
    description: str | None = None
    state: StateChanged | None = None
    cwd: str | None = None
    additional_directories: tuple[str, ...] | None = None
    """`None` means those of the session that it works for, `()` means none."""
    cancellable: bool = False
    meta: Meta | None = None

    def change(self, event: SubagentChanged) -> None:
        self.title = patched(self.title, event.title, None)
        self.description = patched(self.description, event.description, None)
        self.state = patched(self.state, event.state, None)
        self.cwd = patched(self.cwd, event.cwd, None)
        self.additional_directories = patched(
            self.additional_directories, event.additional_directories, None
        )
        self.cancellable = patched(self.cancellable, event.cancellable, False)
        self.meta = patched_meta(self.meta, event.meta)

    def events(self) -> list[Event]:
        """What makes the same sub-agent again."""
        made = SubagentChanged(
            session_id=self.session_id,
            title=given(self.title),
            description=given(self.description),
            state=given(self.state),
            cwd=given(self.cwd),
            additional_directories=given(self.additional_directories),
            cancellable=self.cancellable or UNSET,
            meta=given(self.meta),
        )
        return [made]

    def facts(self) -> dict[str, Any]:
        """What counts when two sessions are compared."""
        return {
            "title": self.title,
            "description": self.description,
            "state": self.state,
            "cwd": self.cwd,
            "additional_directories": self.additional_directories,
            "cancellable": self.cancellable,
            "meta": self.meta,
        }
