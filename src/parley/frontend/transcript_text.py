"""A session as lines for a terminal. Pure; every text of an agent is made safe here."""

from collections.abc import Iterator, Sequence
from textwrap import TextWrapper
from typing import Literal

from msgspec import Struct

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
from parley.frontend.visible import cells, one_line, visible

Tone = Literal["plain", "strong", "dim", "good", "bad", "warning"]
Line = tuple[str, Tone]


class Limits(Struct, frozen=True):
    """How many lines are shown of each thing; `None` shows all."""

    output: int | None = 12
    diff: int | None = 60
    thought: int | None = 6


EVERYTHING = Limits(None, None, None)

_WHO = {"user": "you", "agent": "agent", "thought": "thinking"}
_STATUS: dict[str, tuple[str, Tone]] = {
    "completed": ("✓", "good"),
    "failed": ("✗", "bad"),
    "cancelled": ("-", "warning"),
}
_TONES: dict[str, Tone] = {"info": "dim", "warning": "warning", "error": "bad"}
_CODE_INDENT = 4
_STEPS = {"completed": "[x]", "in_progress": "[>]", "cancelled": "[-]", "pending": "[ ]"}


def text_lines(story: Story, width: int | None = None, limits: Limits | None = None) -> list[Line]:
    """The whole transcript; titles are cut to `width` cells."""
    return list(_Lines(width, limits or Limits()).story(story))


class _Lines:
    def __init__(self, width: int | None, limits: Limits) -> None:
        self._width = width
        self._limits = limits

    def story(self, story: Story) -> Iterator[Line]:
        yield self._cut("", story.title or "(no title)"), "strong"
        facts = {
            "session": story.info.session_id,
            "folder": story.info.cwd,
            "changed": story.info.updated_at or "",
            "context": story.usage,
        }
        for name, fact in facts.items():
            if fact:
                yield self._cut(f"{name:<9}", fact), "dim"
        for part in story.parts:
            match part:
                case Speech():
                    yield "", "plain"
                    yield from self._speech(part)
                case Call():
                    yield from self._call(part)
                case Mark():
                    first, *rest = self._wrapped(one_line(part.text), 3) or [""]
                    yield f"-- {first}", _TONES[part.severity]
                    for line in rest:
                        yield f"   {line}", _TONES[part.severity]
        if story.plan:
            yield "", "plain"
            yield "plan", "strong"
            for step in story.plan:
                mark = _STEPS.get(step.status, "[?]") if step.status else "-"
                yield self._cut(f"{mark} ", step.text), "plain"

    def _speech(self, speech: Speech) -> Iterator[Line]:
        thought = speech.speaker == "thought"
        yield _WHO[speech.speaker], "dim" if thought else "strong"
        for piece in speech.pieces:
            if isinstance(piece, Prose):
                most = self._limits.thought if thought else None
                tone: Tone = "dim" if thought else "plain"
                yield from self._limited(self._wrapped(piece.text), most, tone)
            else:
                yield from self._piece(piece)

    def _call(self, call: Call) -> Iterator[Line]:
        mark, tone = _STATUS.get(call.status, ("?", "warning"))
        status = "" if call.status in _STATUS else f" [{one_line(call.status)}]"
        yield self._cut(f"{mark} ", one_line(call.title) + status), tone
        for piece in call.pieces:
            yield from self._piece(piece)

    def _piece(self, piece: Piece) -> Iterator[Line]:
        match piece:
            case Prose(text=text):
                yield from self._quoted("", text)
            case Quoted(label=label, text=text):
                yield from self._quoted(label, text)
            case Ran(command=command, text=text, ended=ended):
                yield from self._quoted(f"$ {one_line(command)}{ended and f' ({ended})'}", text)
            case Changed(label=label, lines=lines):
                yield from self._quoted(label, "")
                most = self._limits.diff
                for line, _ in self._limited([_diff_line(line) for line in lines], most, "dim"):
                    yield f"    {line}", _diff_tone(line)
            case Picture(mime_type=mime_type, data=data):
                size = len(data) * 3 // 4
                yield self._cut("    ", f"image ({one_line(mime_type)}, {size} bytes)"), "dim"

    def _quoted(self, label: str, text: str) -> Iterator[Line]:
        if label:
            yield self._cut("    ", label), "dim"
        text = visible(text).strip("\n")
        if text:
            for line, tone in self._limited(text.split("\n"), self._limits.output, "dim"):
                yield f"    {line}", tone

    def _wrapped(self, text: str, margin: int = 0) -> list[str]:
        """The lines of a text, broken between words where they do not fit; code stays as it is."""
        lines: list[str] = []
        width = None if self._width is None else max(self._width - margin, 10)
        for line in visible(text.strip("\n")).split("\n"):
            words = line.lstrip(" ")
            indent = line[: len(line) - len(words)]
            if width is None or len(line) <= width or len(indent) >= _CODE_INDENT:
                lines.append(line)
            else:
                wrapper = TextWrapper(
                    width,
                    initial_indent=indent,
                    subsequent_indent=indent,
                    expand_tabs=False,
                    replace_whitespace=False,
                    break_long_words=False,
                    break_on_hyphens=False,
                )
                lines += wrapper.wrap(words)
        return lines

    def _limited(self, lines: Sequence[str], most: int | None, tone: Tone) -> Iterator[Line]:
        shown = lines if most is None or len(lines) <= most + 1 else lines[:most]
        for line in shown:
            yield line, tone
        if len(shown) < len(lines):
            yield f"... {len(lines) - len(shown)} more lines (--full shows them)", "dim"

    def _cut(self, ours: str, theirs: str) -> str:
        """A line that begins with a word of ours; only what comes behind it is cut."""
        if self._width is None:
            return ours + one_line(theirs)
        return ours + one_line(theirs, max(self._width - cells(ours), 10))


def _diff_line(line: str) -> str:
    """The sign in front is ours, so nothing behind it may join it."""
    return line[:1] + visible(line[1:]) if line[:1] in ("+", "-", " ") else visible(line)


def _diff_tone(line: str) -> Tone:
    if line.startswith("+"):
        return "good"
    return "bad" if line.startswith("-") else "dim"
