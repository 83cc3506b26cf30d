"""A session as Markdown. Pure.

What was said stays Markdown, inside a quotation, so that it cannot pass for a part of the document
around it. Tags and images of an agent are not left working: whoever opens the file loads nothing.
"""

import re
from collections.abc import Iterator

from parley.frontend.story import (
    Call,
    Changed,
    Mark,
    Picture,
    Piece,
    Prose,
    Quoted,
    Ran,
    Speech,
    Story,
)
from parley.frontend.visible import one_line, visible

_WHO = {"user": "You", "agent": "Agent", "thought": "Thinking"}
_STEPS = {"completed": "[x]", "cancelled": "[x]"}
_FENCE = re.compile(r"(`{3,}|~{3,})([^`]*)")
_RUNS = re.compile("`+")
_ACTIVE = re.compile(r"<(?=[A-Za-z/!?])|!(?=\[)")
# A backslash would not do: one that stands before it already would take it away.
_ENTITIES = {"<": "&lt;", "!": "&#33;"}
_SPECIAL = re.compile(r"[\\`*_{}\[\]<>#|!~&]")


def markdown(story: Story) -> str:
    """The whole document."""
    return "\n".join(_lines(story)) + "\n"


def harmless(text: str) -> str:
    """Markdown of somebody else without tags and images; code stays as it is.

    Code is left alone only where every reader of Markdown agrees that it is code.
    """
    out: list[str] = []
    fence = ""
    open_span = False
    for line in text.split("\n"):
        if fence:
            bare = line.strip()
            fence = "" if len(bare) >= len(fence) and not bare.strip(fence[0]) else fence
            out.append(line)
            continue
        if match := _FENCE.fullmatch(line):
            fence = match[1]
            open_span = False
            out.append(line)
            continue
        # A blank line ends a paragraph, and with it whatever was left open in it.
        open_span = open_span and bool(line.strip())
        spans = None if open_span or "\\`" in line else _code_spans(line)
        open_span = spans is None
        out.append(_without_tags(line, spans or []))
    return "\n".join(out)


def _lines(story: Story) -> Iterator[str]:
    yield f"# {_escaped(story.title) or 'A session'}"
    yield ""
    yield f"- session: {_code(story.info.session_id)}"
    yield f"- folder: {_code(story.info.cwd)}"
    if story.info.updated_at:
        yield f"- changed: {_escaped(story.info.updated_at)}"
    if story.usage:
        yield f"- context: {_escaped(story.usage)}"
    for part in story.parts:
        yield ""
        match part:
            case Speech():
                yield f"**{_WHO[part.speaker]}**"
                for piece in part.pieces:
                    yield ""
                    yield from _spoken(piece)
            case Call():
                yield f"**Tool** {_escaped(part.title)} ({_escaped(part.status)})"
                for piece in part.pieces:
                    yield ""
                    yield from _piece(piece)
            case Mark():
                yield f"*{_escaped(part.text)}*"
    if story.plan:
        yield ""
        yield "**Plan**"
        yield ""
        for step in story.plan:
            mark = f"{_STEPS.get(step.status, '[ ]')} " if step.status else ""
            yield f"- {mark}{_escaped(step.text)}"


def _spoken(piece: Piece) -> Iterator[str]:
    if isinstance(piece, Prose):
        for line in harmless(visible(piece.text.strip("\n"))).split("\n"):
            yield f"> {line}".rstrip()
    else:
        yield from _piece(piece)


def _piece(piece: Piece) -> Iterator[str]:
    match piece:
        case Prose(text=text):
            yield from _block(text)
        case Quoted(label=label, text=text):
            if label:
                yield _escaped(label)
            if text.strip("\n"):
                if label:
                    yield ""
                yield from _block(text)
        case Ran(command=command, text=text, ended=ended):
            yield from _block(f"$ {one_line(command)}\n{text}")
            if ended:
                yield ""
                yield _escaped(ended)
        case Changed(label=label, lines=lines):
            if label:
                yield _escaped(label)
            if lines:
                yield ""
                yield from _block("\n".join(lines), "diff")
        case Picture(mime_type=mime_type, data=data):
            yield f"*image ({_escaped(mime_type)}, {len(data) * 3 // 4} bytes)*"


def _block(text: str, language: str = "") -> Iterator[str]:
    """Text in a fence that nothing in it can end."""
    text = visible(text.strip("\n"))
    longest = max((len(run) for run in _RUNS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    yield f"{fence}{language}"
    yield text
    yield fence


def _code(text: str) -> str:
    text = one_line(text)
    longest = max((len(run) for run in _RUNS.findall(text)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", one_line(text))


def _code_spans(line: str) -> list[tuple[int, int]] | None:
    """Where a line has code, if all that begins in it ends in it; `None` if not."""
    runs = list(_RUNS.finditer(line))
    spans: list[tuple[int, int]] = []
    at = 0
    while at < len(runs):
        size = len(runs[at][0])
        end = next((i for i in range(at + 1, len(runs)) if len(runs[i][0]) == size), None)
        if end is None:
            return None
        spans.append((runs[at].start(), runs[end].end()))
        at = end + 1
    return spans


def _without_tags(line: str, spans: list[tuple[int, int]]) -> str:
    out: list[str] = []
    at = 0
    for start, end in [*spans, (len(line), len(line))]:
        out.append(_ACTIVE.sub(lambda found: _ENTITIES[found[0]], line[at:start]))
        out.append(line[start:end])
        at = end
    return "".join(out)
