"""A session as something to read: who said what, what was done, how turns ended. Pure.

Makes a few kinds of parts out of many kinds of events, so that whoever renders them need not know
events. Long texts in it are raw, and a renderer makes them safe for its medium. What is put into a
sentence of ours is made visible before, so that it cannot change the letters around it.
"""

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from parley.frontend.headless.diff_text import diff_lines
from parley.frontend.visible import one_line
from parley.session.activity import ShownTerminal, ToolCall
from parley.session.content import (
    Audio,
    Block,
    ContentItem,
    DiffItem,
    FileChange,
    Image,
    Link,
    OtherBlock,
    Resource,
    TerminalItem,
    Text,
)
from parley.session.event import Event, NoticeGiven, Speaker, StateChanged
from parley.session.message import Compaction, Message
from parley.session.option import Plan, PlanFile, PlanItems, PlanMarkdown
from parley.session.role import SessionInfo
from parley.session.state import SessionState
from parley.session.transcript import Item

Severity = Literal["info", "warning", "error"]


class Prose(Struct, frozen=True):
    """Text of a speaker."""

    text: str


class Quoted(Struct, frozen=True):
    """Text from somewhere else: a file, a command, a web page. `label` says from where."""

    label: str
    text: str = ""


class Changed(Struct, frozen=True):
    """The lines of a diff."""

    lines: tuple[str, ...]


class Picture(Struct, frozen=True):
    mime_type: str
    data: str
    """Base64, as the other side sent it."""


Piece = Prose | Quoted | Changed | Picture


class Speech(Struct, frozen=True):
    """What one speaker said in one go."""

    speaker: Speaker
    pieces: tuple[Piece, ...]


class Call(Struct, frozen=True):
    """A tool call."""

    title: str
    kind: str
    status: str
    pieces: tuple[Piece, ...] = ()


class Mark(Struct, frozen=True):
    """Something between the messages: the end of a turn, a notice, a compaction."""

    text: str
    severity: Severity = "info"


Part = Speech | Call | Mark


class Step(Struct, frozen=True):
    """An entry of the plan; its status is empty where the plan is no list."""

    text: str
    status: str = ""


class Story(Struct, frozen=True):
    """All of a session."""

    info: SessionInfo
    title: str
    parts: tuple[Part, ...] = ()
    plan: tuple[Step, ...] = ()
    usage: str = ""


def story_of(info: SessionInfo, events: Iterable[Event]) -> Story:
    """The session that these events make."""
    state = SessionState(info.session_id)
    marks: list[tuple[int, Mark]] = []
    for event in events:
        state.apply(event)
        if (mark := _mark(event)) is not None:
            marks.append((len(state.transcript), mark))
    following = {at: [mark for _, mark in some] for at, some in groupby(marks, lambda m: m[0])}
    parts: list[Part] = [*following.get(0, ())]
    for at, item in enumerate(state.transcript, 1):
        part = _part(item, state)
        if part is not None:
            parts.append(part)
        parts += following.get(at, ())
    plan = [step for changed in state.plans.values() for step in _steps(changed.plan)]
    title = state.info.title or info.title or ""
    return Story(info, title, tuple(parts), tuple(plan), _usage(state))


def texts_of(story: Story) -> Iterator[str]:
    """Every text of a story, for whoever looks for something in it."""
    yield story.title
    for part in story.parts:
        match part:
            case Speech(pieces=pieces):
                yield from _piece_texts(pieces)
            case Call(title=title, pieces=pieces):
                yield title
                yield from _piece_texts(pieces)
            case Mark(text=text):
                yield text
    yield from (step.text for step in story.plan)


def _piece_texts(pieces: Iterable[Piece]) -> Iterator[str]:
    for piece in pieces:
        match piece:
            case Prose(text=text):
                yield text
            case Quoted(label=label, text=text):
                yield label
                yield text
            case Changed(lines=lines):
                yield "\n".join(lines)
            case Picture():
                pass


def _mark(event: Event) -> Mark | None:
    match event:
        case StateChanged(state="idle", stop_reason=str(reason), failure=failure):
            if failure is not None:
                text = f"the turn failed: {one_line(failure.message)} ({failure.code})"
                return Mark(text, "error")
            return _ENDS.get(reason) or Mark(f"the turn ended: {one_line(reason)}", "warning")
        case NoticeGiven(title=title, description=description):
            text = one_line(title) + (f": {one_line(description)}" if description else "")
            severity: Severity = "warning" if event.severity in ("warning", "error") else "info"
            return Mark(text, severity)
        case _:
            return None


_ENDS: dict[str, Mark] = {
    "end_turn": Mark("the turn ended"),
    "cancelled": Mark("the turn was cancelled", "warning"),
    "refusal": Mark("the model refused to go on", "warning"),
    "max_tokens": Mark("the turn ended: the limit of tokens was reached", "warning"),
    "max_turn_requests": Mark("the turn ended: the limit of requests was reached", "warning"),
    "error": Mark("the turn failed", "error"),
}


def _part(item: Item, state: SessionState) -> Part | None:
    match item:
        case Message():
            pieces = tuple(_piece(block) for block in item.blocks)
            return Speech(item.speaker, pieces) if pieces else None
        case ToolCall():
            title = item.title or item.name or item.kind
            return Call(title, item.kind, item.status, tuple(_call_pieces(item, state)))
        case Compaction():
            error = f": {one_line(item.error)}" if item.error else ""
            return Mark(f"the conversation was shortened: {one_line(item.status)}{error}")
        case _:
            return Mark(f"a message between sessions: {one_line(item.content.text)}")


def _call_pieces(call: ToolCall, state: SessionState) -> Iterator[Piece]:
    for item in call.content:
        match item:
            case ContentItem(content=Text(text=text)):
                yield Quoted("", text)
            case ContentItem(content=block):
                yield _piece(block)
            case DiffItem():
                named = replace(item, changes=tuple(map(_named, item.changes)))
                yield Changed(tuple(diff_lines(named)))
            case TerminalItem(terminal_id=terminal_id):
                yield _terminal(state.terminals.get(terminal_id))
            case _:
                yield Quoted(f"content of an unknown kind: {one_line(item.kind)}")
    if not call.content and call.raw_output is not None:
        yield Quoted("", _plain_text(call.raw_output))


def _piece(block: Block) -> Piece:
    match block:
        case Text(text=text):
            return Prose(text)
        case Image(mime_type=mime_type, data=data):
            return Picture(mime_type, data)
        case Audio(mime_type=mime_type):
            return Quoted(f"sound ({one_line(mime_type)})")
        case Link(uri=uri, name=name):
            return Quoted(f"link: {one_line(name)} ({one_line(uri)})")
        case Resource(uri=uri, text=text):
            return Quoted(f"file: {one_line(uri)}", text or "")
        case OtherBlock(kind=kind):
            return Quoted(f"content of an unknown kind: {one_line(kind)}")


def _terminal(terminal: ShownTerminal | None) -> Quoted:
    if terminal is None:
        return Quoted("a terminal of the client")
    ended = ""
    if terminal.exit is not None and terminal.exit.signal is not None:
        ended = f" (ended by {one_line(terminal.exit.signal)})"
    elif terminal.exit is not None and terminal.exit.code:
        ended = f" (exit status {terminal.exit.code})"
    text = terminal.output.decode("utf-8", "replace").replace("\r\n", "\n")
    return Quoted(f"$ {one_line(terminal.command or '')}{ended}", text)


def _named(change: FileChange) -> FileChange:
    """A change whose names can stand in a line of ours."""
    old_path = None if change.old_path is None else one_line(change.old_path)
    operation, path = one_line(change.operation), one_line(change.path)
    return replace(change, operation=operation, path=path, old_path=old_path)


def _plain_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


def _steps(plan: Plan) -> Iterator[Step]:
    match plan:
        case PlanItems(entries=entries):
            yield from (Step(entry.content, entry.status) for entry in entries)
        case PlanMarkdown(content=content):
            yield Step(content)
        case PlanFile(uri=uri):
            yield Step(uri)
        case _:
            yield Step(f"a plan of an unknown kind: {one_line(plan.kind)}")


def _usage(state: SessionState) -> str:
    if state.usage is None:
        return ""
    text = f"{state.usage.used} of {state.usage.size} tokens"
    cost = state.usage.cost
    return f"{text}, {cost.amount:.4g} {one_line(cost.currency)}" if cost else text
