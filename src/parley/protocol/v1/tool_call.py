"""Tool calls, between the neutral words and version 1.

Pure. In version 1 the first report of a call is a `tool_call`, later ones are updates, a list
replaces the list before it, and null changes nothing (V1-TC-04, V1-TC-05). So what was reported
is added up here, and each change is sent as the value that it leads to.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from msgspec import UNSET, UnsetType

import parley.schema.v1 as v1
from parley.protocol.v1.content import (
    Lose,
    again,
    block_from,
    block_model,
    known,
    location_from,
    location_model,
    marked,
)
from parley.protocol.v1.diff import diff_from, diff_models
from parley.protocol.v1.transcript import Transcript
from parley.session.content import (
    ContentItem,
    DiffItem,
    Meta,
    OtherItem,
    TerminalItem,
    ToolItem,
)
from parley.session.event import (
    FINAL_STATUSES,
    TerminalChanged,
    TerminalOutputAdded,
    ToolCallChanged,
    ToolContentAdded,
)
from parley.session.patch import given, patched_meta

T = TypeVar("T")
U = TypeVar("U")

_KINDS = frozenset(
    {
        *("read", "edit", "delete", "move", "search"),
        *("execute", "think", "fetch", "switch_mode", "other"),
    }
)
_STATUSES = frozenset({"pending", "in_progress", "completed", "failed"})
_UNTITLED = "Tool call"


def tool_call_from(model: v1.ToolCall | v1.ToolCallUpdate) -> ToolCallChanged:
    """What a report says. Null is as good as omitted (V1-TC-05, V1-TC-12)."""
    return ToolCallChanged(
        model.tool_call_id,
        title=given(known(model.title)),
        name=given(known(model.name)),
        kind=given(known(model.kind)),
        status=given(known(model.status)),
        content=_each(model.content, item_from),
        locations=_each(model.locations, location_from),
        raw_input=given(known(model.raw_input)),
        raw_output=given(known(model.raw_output)),
        meta=given(known(model.meta)),
    )


def item_from(model: v1.ToolCallContent) -> ToolItem:
    match model:
        case v1.Content():
            return ContentItem(block_from(model.content), known(model.meta))
        case v1.Diff():
            return diff_from(model)
        case v1.Terminal():
            return TerminalItem(model.terminal_id, known(model.meta))
        case v1.OtherToolCallContent():
            return OtherItem(model.tag, dict(model.extra))


def _each(
    models: list[T] | UnsetType | None, convert: Callable[[T], U]
) -> tuple[U, ...] | UnsetType:
    if models is None or isinstance(models, UnsetType):
        return UNSET
    return tuple(convert(model) for model in models)


class _Call:
    """One tool call as the client knows it."""

    __slots__ = ("content", "final", "last", "meta", "title")

    def __init__(self) -> None:
        self.title: str | None = None
        self.content: tuple[ToolItem, ...] | None = ()
        """`None` once it was forgotten, after the turn."""
        self.meta: Meta | None = None
        self.final = False
        self.last: ToolCallChanged | None = None
        """The latest change, of this turn."""


class ToolCalls:
    """The tool calls of one session, on their way to the client."""

    def __init__(self, lose: Lose) -> None:
        self._lose = lose
        self._calls: dict[str, _Call] = {}
        self._terminals: dict[str, Transcript] = {}
        self._shown_in: dict[str, dict[str, None]] = {}
        """The calls that show, or once showed, a terminal."""
        self._projected: set[str] = set()
        self._hidden: set[str] = set()
        """Terminals that ended without a call that shows them."""
        self.client_terminals: set[str] = set()
        """Terminals that the client itself runs; only those are sent as terminals (V1-TC-08)."""

    def __contains__(self, tool_call_id: str) -> bool:
        return tool_call_id in self._calls

    def title(self, tool_call_id: str) -> str:
        """The title under which the client shows the call."""
        call = self._calls.get(tool_call_id)
        return _UNTITLED if call is None or call.title is None else call.title

    def content(self, tool_call_id: str) -> list[v1.ToolCallContent]:
        """All that the call shows, once more."""
        call = self._calls.get(tool_call_id)
        return [] if call is None else self._items(call.content or (), again)

    def has_told(self, change: ToolCallChanged) -> bool:
        """Whether the client was told this change last of all about its call."""
        call = self._calls.get(change.id)
        return call is not None and call.last == change

    def changed(self, event: ToolCallChanged) -> v1.ToolCall | v1.ToolCallProgress:
        call = self._calls.get(event.id)
        if call is None:
            return self._begun(event)
        self._note(call, event)
        self._unclearable(event)
        return v1.ToolCallProgress(
            tool_call_id=event.id,
            title=event.title if event.title is not None else UNSET,
            name=event.name if event.name is not None else UNSET,
            raw_input=event.raw_input if event.raw_input is not None else UNSET,
            raw_output=event.raw_output if event.raw_output is not None else UNSET,
            **self._fields(call, event, self._lose),
        )

    def added(self, event: ToolContentAdded) -> v1.ToolCall | v1.ToolCallProgress:
        """The call with one more item; the whole list is sent, since a list replaces a list."""
        if event.meta:
            self._lose("tool_call.chunk_meta", "the `_meta` of added content is dropped")
        call = self._calls.get(event.id)
        if call is None:
            return self._begun(ToolCallChanged(event.id, content=(event.item,)))
        if call.content is None:
            self._lose("tool_call.content", "content added after the turn replaces the earlier one")
        before = call.content or ()
        self._show(event.id, call, (*before, event.item))
        items = [*self._items(before, again), *self._items((event.item,), self._lose)]
        return v1.ToolCallProgress(tool_call_id=event.id, content=items)

    def update_for_asking(self, event: ToolCallChanged) -> v1.ToolCallUpdate:
        """A change that was told already, in the shape that a permission request holds."""
        call = self._calls.get(event.id) or _Call()
        return v1.ToolCallUpdate(
            tool_call_id=event.id,
            title=event.title if event.title is not None else UNSET,
            name=event.name if event.name is not None else UNSET,
            raw_input=event.raw_input if event.raw_input is not None else UNSET,
            raw_output=event.raw_output if event.raw_output is not None else UNSET,
            **self._fields(call, event, again),
        )

    def terminal_changed(
        self, event: TerminalChanged | TerminalOutputAdded
    ) -> list[v1.ToolCallProgress]:
        """New text for the calls that show a terminal of the agent, when it is worth sending."""
        terminal = self._transcript_of(event.id)
        if isinstance(event, TerminalOutputAdded):
            terminal.add(event.data)
        else:
            terminal.change(event)
        showing = self._showing(event.id)
        if not showing:
            if terminal.exit is not None and event.id not in self._hidden:
                self._hidden.add(event.id)
                self._lose("terminal.hidden", "no tool call shows the terminal, so nothing does")
            return []
        if not terminal.due:
            return []
        return [
            v1.ToolCallProgress(tool_call_id=id_, content=self._items(call.content or (), again))
            for id_, call in showing
        ]

    def late_output(self) -> list[v1.ToolCallProgress]:
        """New text for the calls whose terminals wrote too little to be sent at once."""
        behind = [id_ for id_, terminal in self._terminals.items() if terminal.behind]
        return [
            v1.ToolCallProgress(tool_call_id=id_, content=self._items(call.content or (), again))
            for terminal_id in behind
            for id_, call in self._showing(terminal_id)
        ]

    def turn_ended(self) -> None:
        """Forget the content of calls that are over, so that a long session does not add it up."""
        for call in self._calls.values():
            call.last = None
            shown = [self._terminal_of(item) for item in call.content or ()]
            running = any(each is not None and each.exit is None for each in shown)
            if call.final and not running:
                call.content = None
        shown = {
            item.terminal_id
            for call in self._calls.values()
            for item in call.content or ()
            if isinstance(item, TerminalItem)
        }
        for id_ in [id_ for id_, terminal in self._terminals.items() if terminal.exit is not None]:
            if id_ not in shown:
                del self._terminals[id_]
                self._shown_in.pop(id_, None)

    def _begun(self, event: ToolCallChanged) -> v1.ToolCall:
        call = self._calls[event.id] = _Call()
        self._note(call, event)
        name = event.name or UNSET
        if not event.title:
            # V1-TC-01: a title is required, so the name stands in for a missing one.
            self._lose("tool_call.title", "a tool call without a title is given one")
        call.title = call.title or (name if isinstance(name, str) else _UNTITLED)
        return v1.ToolCall(
            tool_call_id=event.id,
            title=call.title,
            name=name,
            raw_input=event.raw_input if event.raw_input is not None else UNSET,
            raw_output=event.raw_output if event.raw_output is not None else UNSET,
            **self._fields(call, event, self._lose),
        )

    def _note(self, call: _Call, event: ToolCallChanged) -> None:
        call.last = event
        if isinstance(event.title, str):
            call.title = event.title
        if not isinstance(event.content, UnsetType):
            self._show(event.id, call, event.content or ())
        if isinstance(event.status, str):
            call.final = event.status in FINAL_STATUSES
        if event.cancellable is True:
            self._lose("tool_call.cancel", "the client cannot cancel a single tool call")

    def _unclearable(self, event: ToolCallChanged) -> None:
        for field in ("title", "name", "raw_input", "raw_output"):
            if getattr(event, field) is None:
                self._lose(f"tool_call.{field}", "null changes nothing, so the value stays")

    def _fields(self, call: _Call, event: ToolCallChanged, lose: Lose) -> dict[str, Any]:
        """The members that are sent alike in the first report and in updates."""
        status, trace = _status(event.status, lose)
        fields: dict[str, Any] = {"kind": _kind(event.kind, lose), "status": status}
        if not isinstance(event.content, UnsetType):
            fields["content"] = self._items(event.content or (), lose)
        elif call.final and any(
            terminal.behind for terminal in map(self._terminal_of, call.content or ()) if terminal
        ):
            # The last words of a terminal must not be lost with the end of its call.
            fields["content"] = self._items(call.content or (), again)
        if not isinstance(event.locations, UnsetType):
            fields["locations"] = [location_model(place) for place in event.locations or ()]
        if not isinstance(event.meta, UnsetType):
            if event.meta is None and call.meta:
                lose("tool_call.meta", "the `_meta` of a tool call cannot be cleared")
            call.meta = patched_meta(call.meta, event.meta)
            fields["meta"] = given(call.meta)
        if trace is not None:
            fields["meta"] = marked(call.meta, status=trace)
        return fields

    def _items(self, items: tuple[ToolItem, ...], lose: Lose) -> list[v1.ToolCallContent]:
        found: list[v1.ToolCallContent] = []
        for item in items:
            match item:
                case ContentItem():
                    block = block_model(item.content, lose)
                    found.append(v1.Content(content=block, meta=given(item.meta)))
                case DiffItem():
                    found += diff_models(item, lose)
                case TerminalItem() if item.terminal_id in self.client_terminals:
                    found.append(v1.Terminal(terminal_id=item.terminal_id, meta=given(item.meta)))
                case TerminalItem():
                    text = v1.TextContent(text=self._transcript_of(item.terminal_id).render())
                    found.append(v1.Content(content=text, meta=given(item.meta)))
                case OtherItem():
                    lose("tool_call.item", f"an item of type `{item.kind}` is named only")
                    found.append(v1.Content(content=v1.TextContent(text=f"[{item.kind}]")))
        return found

    def _transcript_of(self, terminal_id: str) -> Transcript:
        if terminal_id not in self._projected:
            self._projected.add(terminal_id)
            self._lose("terminal", "a terminal of the agent is shown as text, if a call shows it")
        return self._terminals.setdefault(terminal_id, Transcript())

    def _show(self, tool_call_id: str, call: _Call, content: tuple[ToolItem, ...]) -> None:
        call.content = content
        for item in content:
            if isinstance(item, TerminalItem):
                self._shown_in.setdefault(item.terminal_id, {})[tool_call_id] = None

    def _showing(self, terminal_id: str) -> list[tuple[str, _Call]]:
        found: list[tuple[str, _Call]] = []
        for id_ in self._shown_in.get(terminal_id, ()):
            call = self._calls[id_]
            if any(
                isinstance(item, TerminalItem) and item.terminal_id == terminal_id
                for item in call.content or ()
            ):
                found.append((id_, call))
        return found

    def _terminal_of(self, item: ToolItem) -> Transcript | None:
        if isinstance(item, TerminalItem):
            return self._terminals.get(item.terminal_id)
        return None


def _kind(kind: str | UnsetType | None, lose: Lose) -> str | UnsetType:
    if isinstance(kind, UnsetType) or kind in _KINDS:
        return kind
    if kind is not None:
        lose("tool_call.kind", f"the kind `{kind}` is sent as `other`")
    return "other"


def _status(status: str | UnsetType | None, lose: Lose) -> tuple[str | UnsetType, str | None]:
    """The status in the closed list of version 1, and what it was if that is not in it."""
    if isinstance(status, UnsetType) or status in _STATUSES:
        return status, None
    if status is None:
        return "pending", None
    projected = "failed" if status == "cancelled" else "in_progress"
    lose("tool_call.status", f"the status `{status}` is sent as `{projected}`")
    return projected, status
