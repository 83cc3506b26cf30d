"""A permission question as a person must see it before answering: all of it, and safe. Pure.

Nothing is cut: what is not shown cannot be allowed. What the agent calls the thing comes first,
and what it is by its own data follows. Where its words repeat the data, the data stands in the
place of those words, under our label.

`┆` stands before lines of the agent, `↳` where a line is too long for the terminal and goes on.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

from parley.frontend.headless.command_words import command_of
from parley.frontend.headless.diff_text import diff_lines
from parley.frontend.headless.screen import Line, Tone
from parley.frontend.visible import cells, visible
from parley.session.activity import ToolCall
from parley.session.content import ContentItem, DiffItem, Text, ToolItem
from parley.session.question import (
    CommandSubject,
    OtherSubject,
    PermissionOption,
    PermissionQuestion,
    Subject,
)

_GOES_ON = "    ↳ "
_QUOTED = "┆ "
_FENCE = re.compile(r"(`{3,}|~{3,})[\w-]*")
# A word with a blank behind it, so that both stay on one line.
_RUNS = re.compile(r"[^ ]+ ?| +")

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
    words = _unfenced(visible(question.description or ""))
    facts = [*_subject_facts(question.subject), *(() if call is None else _call_facts(call, words))]
    told: list[_Fact] = []
    yield from _described(words, facts, told)
    if isinstance(question.subject, OtherSubject):
        other = question.subject
        yield f"  {visible(other.kind)}: {_block(_json(other.raw), 2)}", "plain"
    yield from (_fact_line(fact) for fact in dict.fromkeys(facts) if fact not in told)
    if call is not None:
        yield from _content_lines(call)


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
        meaning = _MEANINGS[option.kind]
        # A name that says it itself needs no word of ours.
        says_so = {*meaning.split()} <= {*option.name.casefold().split()[:2]}
        name = _block(option.name, 6)
        yield f"  [{key}] {name if says_so else f'{meaning}: {name}'}", "plain"
    yield "  any other key: no", "dim"


def wrapped(text: str, columns: int, goes_on: str = _GOES_ON) -> str:
    """Safe text that never reaches the edge, since a terminal would go on in the first column.

    There a long name of an option could look like an option of ours. Lines are broken at blanks,
    and no blank is lost: a line that ends without one is full, and its last word goes on.
    """
    room = max(columns - 1, 20)
    return "\n".join("\n".join(_pieces(line, room, goes_on)) for line in text.split("\n"))


def _pieces(line: str, room: int, goes_on: str) -> Iterator[str]:
    piece: list[str] = []
    width, margin = 0, cells(goes_on)
    for run in _RUNS.findall(line):
        size = cells(run)
        if width + size > room >= margin + size and run[0] != " ":
            yield "".join(piece)
            piece, width = [goes_on], margin
        for letter in run:
            size = cells(letter)
            if width + size > room:
                yield "".join(piece)
                piece, width = [goes_on], margin
            piece.append(letter)
            width += size
    yield "".join(piece)


class _Fact(NamedTuple):
    """A label of ours, and lines of the agent that are safe already."""

    label: str
    lines: tuple[str, ...]


_Words = list[tuple[str, str]]
"""Lines of the agent, each with what stands before it."""


def _unfenced(text: str) -> _Words:
    """The lines of a safe text; what it fences is indented instead, so that it stays apart."""
    lines = text.split("\n") if text else []
    words: _Words = []
    at = 0
    while at < len(lines):
        fence = _FENCE.fullmatch(lines[at])
        try:
            end = lines.index(fence[1], at + 1) if fence else -1
        except ValueError:
            end = -1
        if end < 0:
            words.append(("", lines[at]))
            at += 1
        else:
            words += [("    ", line) for line in lines[at + 1 : end]]
            at = end + 1
    return words


def _described(words: _Words, facts: list[_Fact], told: list[_Fact]) -> Iterator[Line]:
    """The words of the agent; where they repeat data, the data. Notes which are told by that."""
    at = 0
    while at < len(words):
        fact = next((each for each in facts if each not in told and _is_at(words, at, each)), None)
        if fact is None:
            yield f"  {_QUOTED}{''.join(words[at])}", "plain"
            at += 1
        else:
            told.append(fact)
            yield _fact_line(fact)
            at += len(fact.lines)


def _is_at(words: _Words, at: int, fact: _Fact) -> bool:
    """Whether the words have a fact here, as whole lines."""
    lines = fact.lines
    if words[at][1] != lines[0]:
        return False
    return tuple(line for _, line in words[at : at + len(lines)]) == lines


def _is_in(words: _Words, fact: _Fact) -> bool:
    return any(_is_at(words, at, fact) for at in range(len(words)))


def _fact(label: str, text: str) -> _Fact:
    return _Fact(label, tuple(visible(text).split("\n")))


def _subject_facts(subject: Subject | None) -> Iterator[_Fact]:
    match subject:
        case CommandSubject(command=command, cwd=cwd):
            yield _fact("command:", command)
            yield _fact("in:", cwd)
        case _:
            pass


def _call_facts(call: ToolCall, words: _Words) -> Iterator[_Fact]:
    command = command_of(call.raw_input)
    if command is not None:
        yield _fact("command:", command if isinstance(command, str) else _json(command))
    match call.raw_input:
        case {"cwd": str(cwd)}:
            yield _fact("in:", cwd)
        case _:
            pass
    # A diff shows its files itself.
    shown = {change.path for item in call.content for change in getattr(item, "changes", ())}
    for location in call.locations:
        if location.path not in shown:
            line = f":{location.line}" if location.line is not None else ""
            yield _fact("file:", f"{location.path}{line}")
    has_content = any(map(_is_shown, call.content))
    if command is None and not has_content and call.raw_input is not None:
        yield from _input_facts(call.raw_input, words)


def _input_facts(raw_input: Any, words: _Words) -> Iterator[_Fact]:
    """The input, in the form that the agent's words have if they have it."""
    whole = _fact("input:", json.dumps(raw_input, ensure_ascii=False, default=str, indent=2))
    if _is_in(words, whole):
        yield whole
        return
    rest = raw_input
    if isinstance(raw_input, dict):
        given = cast("dict[str, Any]", raw_input)
        texts = {name: _fact("input:", value) for name, value in given.items() if _is_text(value)}
        told = {name: fact for name, fact in texts.items() if _is_in(words, fact)}
        yield from told.values()
        rest = {name: value for name, value in given.items() if name not in told}
        if not rest and told:
            return
    yield _fact("input:", _json(rest))


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _fact_line(fact: _Fact) -> Line:
    return f"  {fact.label:<9}" + f"\n{' ' * 11}{_QUOTED}".join(fact.lines), "plain"


def _is_shown(item: ToolItem) -> bool:
    return isinstance(item, DiffItem) or isinstance(getattr(item, "content", None), Text)


def _content_lines(call: ToolCall) -> Iterator[Line]:
    for item in call.content:
        match item:
            case DiffItem():
                yield from _diff(item)
            case ContentItem(content=Text(text=text)):
                yield from _described(_unfenced(visible(text)), [], [])
            case _:
                pass


def _diff(item: DiffItem) -> Iterator[Line]:
    for line in diff_lines(item):
        tone: Tone = "good" if line[:1] == "+" else "bad" if line[:1] == "-" else "plain"
        # The sign is ours, and a mark behind it must not change it.
        yield f"  {visible(line[:1])}{_block(line[1:], 4)}", tone


def _block(text: str, indent: int) -> str:
    """Safe text; its further lines stand under the first one, so that none looks like ours."""
    return visible(text).replace("\n", "\n" + " " * indent + _QUOTED)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
