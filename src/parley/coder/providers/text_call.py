"""A tool call that a small model wrote as text instead of calling the tool.

It counts only when the text is nothing else and names a tool that was offered: an explanation
that shows a call is no call.
"""

from collections.abc import Collection
from typing import Any

import msgspec


class TextCall(msgspec.Struct, frozen=True):
    name: str
    arguments: dict[str, Any]


class _Written(msgspec.Struct):
    name: str
    arguments: dict[str, Any] | None = None
    parameters: dict[str, Any] | None = None


def call_in_text(text: str, tools: Collection[str]) -> TextCall | None:
    """The call that the whole text is, if it is a call of one of these tools."""
    inner = _unwrapped(text.strip())
    if inner is None or not tools:
        return None
    try:
        found = msgspec.json.decode(inner, type=_Written)
    except (msgspec.DecodeError, RecursionError):
        return None
    arguments = found.arguments if found.arguments is not None else found.parameters
    if arguments is None or found.name not in tools:
        return None
    return TextCall(found.name, arguments)


def _unwrapped(text: str) -> str | None:
    if text.startswith("<tool_call>") and text.endswith("</tool_call>"):
        return text.removeprefix("<tool_call>").removesuffix("</tool_call>")
    if text.startswith("```") and text.endswith("```"):
        # What stands behind the opening fence is the name of a language.
        return text.partition("\n")[2].removesuffix("```")
    return None
