"""How many tokens a request has, and how many it may have. Pure.

Nobody but the model's own tokenizer knows the first number, so it is estimated from the size of
the text and corrected by what the provider counted for the requests before. The window is what
the model is known for, until a provider says that less was too much.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from parley.coder.message import (
    AgentMessage,
    CallPart,
    ImagePart,
    Message,
    TextPart,
    ThinkingPart,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from parley.coder.providers.provider import ModelInfo, ModelRequest, ModelUsage

BYTES_PER_TOKEN = 4
_PER_MESSAGE = 6
_PER_IMAGE = 1_500
# Code has fewer bytes per token than prose, so the first guess is on the safe side.
_FIRST_FACTOR = 1.15
# Some servers count only what was not cached, some count nothing; neither may mislead for good.
_LEAST_FACTOR, _MOST_FACTOR = 0.7, 3.0
_SMALLEST_WINDOW = 2_000


class Room(Struct, frozen=True):
    """How the window of a model is divided, in tokens."""

    window: int
    limit: int
    """A request above it makes the conversation shorter first."""
    goal: int
    """A shorter conversation should make requests no larger than this, so that it lasts."""
    tail: int
    """The end of the conversation that stays as it is."""
    summary: int
    """The longest summary of what came before."""


def room_in(window: int, max_output: int) -> Room:
    window = max(window, _SMALLEST_WINDOW)
    limit = min(window * 4 // 5, window - min(max_output, window // 4))
    return Room(window, limit, window // 2, window // 4, min(max(window // 12, 300), 4_096))


class Gauge:
    """Weighs the requests of one session."""

    def __init__(self) -> None:
        self._factor = _FIRST_FACTOR
        self.fixed = 0
        """What the last request had beside the conversation."""
        self._ceilings: dict[str, int] = {}
        # The windows that turned out to be smaller than the models are known for.
        self._weighed: list[tuple[Message, int]] = []

    def tokens(self, request: ModelRequest) -> int:
        """How many tokens of input a request probably has."""
        return self._corrected(self._raw(request))

    def weights(self, messages: Sequence[Message]) -> tuple[int, ...]:
        """The same, for each message of a conversation."""
        return tuple(self._corrected(weight(message)) for message in messages)

    def room(self, model: ModelInfo) -> Room:
        known = model.context_window
        return room_in(min(known, self._ceilings.get(model.id, known)), model.max_output)

    def learn(self, request: ModelRequest, usage: ModelUsage) -> None:
        """Take in what the provider counted for a request."""
        if usage.input > 0:
            found = usage.input / max(self._raw(request), 1)
            self._factor = min(max(found, _LEAST_FACTOR), _MOST_FACTOR)

    def overflowed(self, request: ModelRequest) -> None:
        """The provider refused a request for its size, so the window is smaller than that."""
        self._ceilings[request.model.id] = max(self.tokens(request) * 9 // 10, _SMALLEST_WINDOW)

    def _corrected(self, raw: int) -> int:
        return int(raw * self._factor) + 1

    def _raw(self, request: ModelRequest) -> int:
        fixed = _text(request.system) + sum(
            _text(tool.name) + _text(tool.description) + _json(tool.schema)
            for tool in request.tools
        )
        self.fixed = self._corrected(fixed)
        return fixed + self._conversation(request.messages)

    def _conversation(self, messages: tuple[Message, ...]) -> int:
        """A conversation grows at its end, so what has been weighed is not weighed again."""
        kept = self._weighed
        same = 0
        for (known, _), message in zip(kept, messages, strict=False):
            if known is not message:
                break
            same += 1
        del kept[same:]
        kept.extend((message, weight(message)) for message in messages[same:])
        return sum(each for _, each in kept)


def weight(message: Message) -> int:
    """A message in tokens, before any correction."""
    match message:
        case UserMessage(content=content):
            return _PER_MESSAGE + _parts(content)
        case AgentMessage(content=content):
            return _PER_MESSAGE + _parts(content)
        case ToolMessage(results=results):
            return sum(map(_result, results))


def _result(result: ToolResult) -> int:
    return (
        _PER_MESSAGE + _text(result.text) + _text(result.call_id) + _PER_IMAGE * len(result.images)
    )


def _parts(parts: Iterable[TextPart | ImagePart | ThinkingPart | CallPart]) -> int:
    return sum(map(_part, parts))


def _part(part: TextPart | ImagePart | ThinkingPart | CallPart) -> int:
    match part:
        case TextPart(text=text):
            return _text(text)
        case ImagePart():
            return _PER_IMAGE
        case ThinkingPart(text=text, opaque=opaque):
            return _text(text) + _json(opaque)
        case CallPart(id=id, name=name, arguments=arguments, opaque=opaque):
            return _text(id) + _text(name) + _json(arguments) + _json(opaque)


def _text(text: str) -> int:
    size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return -(-size // BYTES_PER_TOKEN)


def _json(value: dict[str, Any] | None) -> int:
    if not value:
        return 0
    try:
        return len(msgspec.json.encode(value)) // BYTES_PER_TOKEN + 1
    except (UnicodeEncodeError, OverflowError):
        # Half a surrogate pair, or a number beyond 64 bits: what a model may well write.
        return _text(repr(value))
