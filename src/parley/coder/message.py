"""The conversation as a model sees it. Pure data, stored as it is and sent by every provider.

A conversation is well formed when every message of the model that calls tools is followed by one
`ToolMessage` with exactly one result per call, in the order of the calls. Model APIs refuse
anything else, for good: `repaired` makes every conversation well formed.
"""

from typing import Any

from msgspec import Struct


class TextPart(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="text"):
    text: str


class ImagePart(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="image"):
    data: str
    """Base64."""
    mime_type: str


class ThinkingPart(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="thinking"):
    """Reasoning of the model. Some APIs want it back, unchanged, together with its tool calls."""

    text: str = ""
    provider: str = ""
    """The provider that made it; no other may be given it back."""
    opaque: dict[str, Any] | None = None
    """What the provider needs to send it back: a signature, an encrypted item."""


class CallPart(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="call"):
    """A tool call that the model made."""

    id: str
    name: str
    arguments: dict[str, Any] = {}
    malformed: str | None = None
    """What the model wrote instead of a JSON object; the call is answered with an error."""
    provider: str = ""
    opaque: dict[str, Any] | None = None
    """What the provider needs beside the call, for instance a signature."""


class ToolResult(Struct, frozen=True, omit_defaults=True):
    call_id: str
    name: str
    text: str
    is_error: bool = False
    images: tuple[ImagePart, ...] = ()


class UserMessage(Struct, frozen=True, omit_defaults=True, tag_field="role", tag="user"):
    content: tuple[TextPart | ImagePart, ...]


class AgentMessage(Struct, frozen=True, omit_defaults=True, tag_field="role", tag="agent"):
    content: tuple[TextPart | ThinkingPart | CallPart, ...]

    @property
    def calls(self) -> tuple[CallPart, ...]:
        return tuple(part for part in self.content if isinstance(part, CallPart))

    @property
    def text(self) -> str:
        return "".join(part.text for part in self.content if isinstance(part, TextPart))


class ToolMessage(Struct, frozen=True, omit_defaults=True, tag_field="role", tag="tool"):
    results: tuple[ToolResult, ...]


Message = UserMessage | AgentMessage | ToolMessage

INTERRUPTED = "The call was interrupted, and its outcome is unknown."


def repaired(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The same conversation, well formed: calls without a result get one, strays are dropped."""
    fixed: list[Message] = []
    expected: tuple[CallPart, ...] = ()
    for message in (*messages, None):
        given = message.results if isinstance(message, ToolMessage) else ()
        if expected:
            fixed.append(_results(expected, given))
        if isinstance(message, AgentMessage):
            # A model API refuses a message of the model that says nothing.
            if message.content:
                fixed.append(message)
            expected = message.calls
        else:
            expected = ()
            if isinstance(message, UserMessage):
                fixed.append(message)
    return tuple(fixed)


def _results(calls: tuple[CallPart, ...], given: tuple[ToolResult, ...]) -> ToolMessage:
    known = {result.call_id: result for result in given}
    return ToolMessage(
        tuple(
            known.get(call.id) or ToolResult(call.id, call.name, INTERRUPTED, is_error=True)
            for call in calls
        )
    )
