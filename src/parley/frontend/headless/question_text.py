"""A permission question as a person must see it before answering: all of it, and safe. Pure.

Nothing is cut: what is not shown cannot be allowed. What the agent calls the thing comes first,
and what it is by its own data follows.
"""

import json
from collections.abc import Iterator
from typing import Any

from parley.frontend.headless.command_words import command_of
from parley.frontend.headless.diff_text import diff_lines
from parley.frontend.headless.screen import Line, Tone
from parley.frontend.visible import cells, visible
from parley.session.activity import ToolCall
from parley.session.content import ContentItem, DiffItem, Text
from parley.session.question import (
    CommandSubject,
    OtherSubject,
    PermissionOption,
    PermissionQuestion,
)

_GOES_ON = "    ┆ "

KEYS = {"allow_once": "a", "allow_always": "A", "reject_once": "r", "reject_always": "R"}
_MEANINGS = {
    "allow_once": "allow once",
    "allow_always": "allow always",
    "reject_once": "reject",
    "reject_always": "reject always",
}


def about(question: PermissionQuestion, call: ToolCall | None) -> str:
    """What a question is about, in raw text: the command if there is one, else the title."""
    match question.subject:
        case CommandSubject(command=command):
            return command
        case _:
            pass
    command = command_of(call.raw_input) if call is not None else None
    if command is not None and call is not None and call.kind == "execute":
        return command if isinstance(command, str) else " ".join(command)
    return question.title or (call.title if call and call.title else "a permission")


def question_lines(question: PermissionQuestion, call: ToolCall | None) -> Iterator[Line]:
    """Everything that is known about what is asked for."""
    kind = f" ({visible(call.kind)})" if call is not None else ""
    yield f"The agent asks: {_block(question.title, 2)}{kind}", "warning"
    if question.description:
        yield f"  {_block(question.description, 2)}", "plain"
    match question.subject:
        case CommandSubject(command=command, cwd=cwd):
            yield f"  command: {_block(command, 11)}", "plain"
            yield f"  in:      {_block(cwd, 11)}", "plain"
        case OtherSubject(kind=other, raw=raw):
            yield f"  {visible(other)}: {_block(_json(raw), 2)}", "plain"
        case _:
            pass
    if call is not None:
        yield from _call_lines(call)


def keys_for(options: tuple[PermissionOption, ...]) -> dict[str, PermissionOption]:
    """Which key chooses which option: a letter by its kind, a digit where that is taken.

    An option of a kind nobody knows has no key, since it cannot allow anything.
    """
    keys: dict[str, PermissionOption] = {}
    digits = iter("123456789")
    for option in options:
        letter = KEYS.get(option.kind)
        if letter is None:
            continue
        key = letter if letter not in keys else next(digits, None)
        if key is not None:
            keys[key] = option
    return keys


def key_lines(keys: dict[str, PermissionOption]) -> Iterator[Line]:
    for key, option in keys.items():
        yield f"  [{key}] {_MEANINGS[option.kind]}: {_block(option.name, 6)}", "plain"
    yield "  any other key: no", "dim"


def wrapped(text: str, columns: int) -> str:
    """Safe text that never reaches the edge, since a terminal would go on in the first column.

    There a long name of an option could look like an option of ours.
    """
    room = max(columns - 1, 20)
    return "\n".join("\n".join(_pieces(line, room)) for line in text.split("\n"))


def _pieces(line: str, room: int) -> Iterator[str]:
    start, width = "", 0
    piece: list[str] = []
    for letter in line:
        size = cells(letter)
        if width + size > room:
            yield start + "".join(piece)
            start, piece = _GOES_ON, []
            width = cells(start)
        piece.append(letter)
        width += size
    yield start + "".join(piece)


def _call_lines(call: ToolCall) -> Iterator[Line]:
    command = command_of(call.raw_input)
    if command is not None:
        text = command if isinstance(command, str) else json.dumps(command, ensure_ascii=False)
        yield f"  command: {_block(text, 11)}", "plain"
    match call.raw_input:
        case {"cwd": str(cwd)}:
            yield f"  in:      {_block(cwd, 11)}", "plain"
        case _:
            pass
    for location in call.locations:
        line = f":{location.line}" if location.line is not None else ""
        yield f"  file:    {_block(location.path, 11)}{line}", "plain"
    shown = command is not None
    for item in call.content:
        match item:
            case DiffItem():
                shown = True
                yield from _diff(item)
            case ContentItem(content=Text(text=text)):
                shown = True
                yield f"  {_block(text, 2)}", "plain"
            case _:
                pass
    if not shown and call.raw_input is not None:
        yield f"  input:   {_block(_json(call.raw_input), 11)}", "plain"


def _diff(item: DiffItem) -> Iterator[Line]:
    for line in diff_lines(item):
        tone: Tone = "good" if line[:1] == "+" else "bad" if line[:1] == "-" else "plain"
        # The sign is ours, and a mark behind it must not change it.
        yield f"  {visible(line[:1])}{_block(line[1:], 4)}", tone


def _block(text: str, indent: int) -> str:
    """Safe text; its further lines stand under the first one, so that none looks like ours."""
    return visible(text).replace("\n", "\n" + " " * indent + "┆ ")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
