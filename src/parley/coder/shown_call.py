"""Tool calls as a person sees them: how they begin, what they are about, how they end. Pure."""

from typing import Any

from msgspec import UNSET

from parley.coder.message import CallPart
from parley.coder.tools.title import one_line
from parley.coder.tools.tool import Outcome, Prepared, Tool
from parley.session.content import ContentItem, Image, Text, ToolItem
from parley.session.event import ToolCallChanged

_LONGEST_NAME = 100


def begun_call(id: str, name: str, tool: Tool | None) -> ToolCallChanged:
    """A call that the model begins to write; what it is about is not known yet."""
    # A tool that does not exist has whatever name the model wrote.
    shown = one_line(name, _LONGEST_NAME)
    return ToolCallChanged(
        id,
        title=shown.replace("_", " ").capitalize() or "Unknown tool",
        name=shown,
        kind="other" if tool is None else tool.kind,
        status="pending",
    )


def prepared_call(call: CallPart, prepared: Prepared, tool: Tool) -> ToolCallChanged:
    """What the call would do; the question about it must be clear by itself."""
    return ToolCallChanged(
        call.id,
        title=prepared.title,
        kind=tool.kind,
        status="pending",
        content=prepared.preview or UNSET,
        locations=prepared.locations or UNSET,
        raw_input=call.arguments,
    )


def ended_call(
    id: str, text: str, *, status: str = "failed", raw_input: Any = UNSET
) -> ToolCallChanged:
    """A call that came to nothing."""
    return ToolCallChanged(
        id,
        status=status,
        content=(ContentItem(Text(text)),),
        raw_input=raw_input,
        raw_output=text,
    )


def done_call(id: str, outcome: Outcome, *, shown: bool) -> ToolCallChanged:
    """A call that ran. `shown` says whether something is shown of it already."""
    content = outcome.content
    if content is None and not shown:
        content = _items(outcome)
    return ToolCallChanged(
        id,
        status="failed" if outcome.failed else "completed",
        content=UNSET if content is None else content,
        locations=UNSET if outcome.locations is None else outcome.locations,
        raw_output=outcome.text if outcome.raw_output is None else outcome.raw_output,
    )


def _items(outcome: Outcome) -> tuple[ToolItem, ...]:
    text = (ContentItem(Text(outcome.text)),) if outcome.text else ()
    return (*text, *(ContentItem(Image(image.data, image.mime_type)) for image in outcome.images))
