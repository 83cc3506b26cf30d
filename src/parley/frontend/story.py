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

from parley.frontend.headless.diff_text import diff_parts
from parley.frontend.visible import joined, one_line
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
from parley.session.event import (
    PARENT_CALL,
    Event,
    Failure,
    NoticeGiven,
    Speaker,
    StateChanged,
)
from parley.session.message import Compaction, Message, SessionMessage
from parley.session.option import Plan, PlanFile, PlanItems, PlanMarkdown
from parley.session.role import SessionInfo
from parley.session.state import SessionState

Severity = Literal["info", "warning", "error"]


class Prose(Struct, frozen=True):
    """Text of a speaker."""

    text: str


class Quoted(Struct, frozen=True):
    """Text from somewhere else: a file, a command, a web page. `label` says from where."""

    label: str
    text: str = ""


class Ran(Struct, frozen=True):
    """A command with its output. `ended` says how, where that was not well."""

    command: str
    text: str = ""
    ended: str = ""


class Changed(Struct, frozen=True):
    """The lines of a diff. `label` says what is done to which file."""

    label: str
    lines: tuple[str, ...] = ()


class Picture(Struct, frozen=True):
    mime_type: str
    data: str
    """Base64, as the other side sent it."""


Piece = Prose | Quoted | Ran | Changed | Picture


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
        if (mark := _mark(event, state)) is not None:
            marks.append((len(state.transcript), mark))
    following = {at: [mark for _, mark in some] for at, some in groupby(marks, lambda m: m[0])}
    nested = _nested(state)
    parts: list[Part] = [*following.get(0, ())]
    for at, item in enumerate(state.transcript, 1):
        if not isinstance(item, ToolCall):
            parts += _part(item)
        elif item.id not in nested.parents:
            parts += _calls(item, state, nested)
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
            case Ran(command=command, text=text):
                yield command
                yield text
            case Changed(label=label, lines=lines):
                yield label
                yield "\n".join(lines)
            case Picture():
                pass


class _Nested(Struct, frozen=True):
    """Calls that are a part of another one, such as those of a sub-agent."""

    parents: dict[str, str]
    children: dict[str, list[ToolCall]]


def _nested(state: SessionState) -> _Nested:
    nested = _Nested({}, {})
    before: set[str] = set()
    for call in state.tool_calls.values():
        parent = (call.meta or {}).get(PARENT_CALL)
        # Only a call that came before can have others below it, so that there is no circle.
        if isinstance(parent, str) and parent in before:
            outermost = nested.parents.get(parent, parent)
            nested.parents[call.id] = outermost
            nested.children.setdefault(outermost, []).append(call)
        before.add(call.id)
    return nested


def _calls(call: ToolCall, state: SessionState, nested: _Nested) -> Iterator[Part]:
    """A call, and below it those that are a part of it."""
    for each in (call, *nested.children.get(call.id, ())):
        title = each.title or each.name or each.kind
        yield Call(title, each.kind, each.status, tuple(_call_pieces(each, state)))


def _mark(event: Event, state: SessionState) -> Mark | None:
    match event:
        case StateChanged(state="idle", stop_reason=str(reason), failure=failure):
            if failure is not None:
                return _failed(failure, state)
            return _ENDS.get(reason) or Mark(f"the turn ended: {one_line(reason)}", "warning")
        case NoticeGiven(title=title, description=description):
            text = joined(one_line(title), one_line(description or ""))
            severity: Severity = "warning" if event.severity in ("warning", "error") else "info"
            return Mark(text, severity)
        case _:
            return None


def _failed(failure: Failure, state: SessionState) -> Mark:
    last = state.transcript[-1] if state.transcript else None
    if isinstance(last, Message) and last.speaker == "agent":
        said = "".join(block.text for block in last.blocks if isinstance(block, Text))
        if said.strip() == failure.message.strip():
            return _ENDS["error"]
    return Mark(f"the turn failed: {one_line(failure.message)} ({failure.code})", "error")


_ENDS: dict[str, Mark] = {
    "end_turn": Mark("the turn ended"),
    "cancelled": Mark("the turn was cancelled", "warning"),
    "refusal": Mark("the model refused to go on", "warning"),
    "max_tokens": Mark("the turn ended: the limit of tokens was reached", "warning"),
    "max_turn_requests": Mark("the turn ended: the limit of requests was reached", "warning"),
    "error": Mark("the turn failed", "error"),
}


def _part(item: Message | Compaction | SessionMessage) -> Iterator[Part]:
    match item:
        case Message():
            if item.blocks:
                yield Speech(item.speaker, tuple(map(_piece, item.blocks)))
        case Compaction():
            yield _compacted(item)
        case SessionMessage():
            yield Mark(f"a message between sessions: {one_line(item.content.text)}")


def _compacted(item: Compaction) -> Mark:
    match item.status:
        case "completed":
            return Mark("the conversation was shortened")
        case "failed":
            error = f": {one_line(item.error)}" if item.error else ""
            return Mark(f"the conversation could not be shortened{error}", "warning")
        case status:
            return Mark(f"compaction of the conversation: {one_line(status)}")


def _call_pieces(call: ToolCall, state: SessionState) -> Iterator[Piece]:
    for item in call.content:
        match item:
            case ContentItem(content=Text(text=text)):
                yield Quoted("", text)
            case ContentItem(content=block):
                yield _piece(block)
            case DiffItem():
                named = replace(item, changes=tuple(map(_named, item.changes)))
                yield from (Changed(label, tuple(lines)) for label, lines in diff_parts(named))
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


def _terminal(terminal: ShownTerminal | None) -> Piece:
    if terminal is None:
        return Quoted("a terminal of the client")
    ended = ""
    if terminal.exit is not None and terminal.exit.signal is not None:
        ended = f"ended by {one_line(terminal.exit.signal)}"
    elif terminal.exit is not None and terminal.exit.code:
        ended = f"exit status {terminal.exit.code}"
    text = terminal.output.decode("utf-8", "replace").replace("\r\n", "\n")
    return Ran(terminal.command or "", text, ended)


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
