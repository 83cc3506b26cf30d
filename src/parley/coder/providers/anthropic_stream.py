"""What Anthropic's Messages API streams, as model events. Pure: data of events in, events out.

A message is a row of blocks that are begun, grow and end, by index. The usage comes in two parts,
of which the second one counts from the beginning.
"""

from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec import Struct

from parley.coder.message import AgentMessage, CallPart, TextPart, ThinkingPart
from parley.coder.providers.arguments import call_part
from parley.coder.providers.call_id import taken_ids, unique_id
from parley.coder.providers.failure import Place, failure_of_payload, unreadable
from parley.coder.providers.provider import (
    Answer,
    CallBegun,
    ModelEvent,
    ModelRequest,
    ModelUsage,
    StopCause,
    TextDelta,
    ThoughtDelta,
)
from parley.coder.providers.sse import ServerEvent

_CAUSES: dict[str, StopCause] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "pause_turn": "end",
    "tool_use": "tool_calls",
    "max_tokens": "max_tokens",
    "model_context_window_exceeded": "max_tokens",
    "refusal": "refusal",
}


class _Usage(Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class _Message(Struct):
    usage: _Usage | None = None


class _Piece(Struct):
    """The beginning of a block or a piece of it: both have the same members."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    data: str | None = None
    partial_json: str | None = None
    id: str | None = None
    name: str | None = None
    input: dict[str, Any] | None = None
    stop_reason: str | None = None


class _Event(Struct):
    type: str
    index: int = 0
    message: _Message | None = None
    content_block: _Piece | None = None
    delta: _Piece | None = None
    usage: _Usage | None = None
    error: Any = None


_DECODER = msgspec.json.Decoder(_Event)


@dataclass(slots=True)
class _Block:
    kind: str
    call_id: str = ""
    name: str = ""
    data: str = ""
    given: dict[str, Any] = field(default_factory=dict[str, Any])
    text: list[str] = field(default_factory=list[str])
    signature: list[str] = field(default_factory=list[str])


class AnthropicStream:
    """One answer while it comes in."""

    def __init__(self, request: ModelRequest, place: Place) -> None:
        self.finished = False
        self._place = place
        self._provider = place.name
        self._model = request.model.id
        self._taken = taken_ids(request.messages)
        self._blocks: dict[int, _Block] = {}
        self._usage = _Usage()
        self._stop_reason: str | None = None

    def feed(self, event: ServerEvent) -> tuple[ModelEvent, ...]:
        """What one event of the stream says; its name is in the data as well.

        Raises:
            ProviderError: the event reports a failure, or cannot be read.
        """
        try:
            said = _DECODER.decode(event.data)
        except (msgspec.DecodeError, RecursionError) as error:
            raise unreadable(self._place, str(error)) from None
        match said:
            case _Event(type="message_start", message=_Message(usage=usage)):
                self._count(usage)
            case _Event(type="content_block_start", content_block=_Piece() as piece):
                return self._begin(said.index, piece)
            case _Event(type="content_block_delta", delta=_Piece() as piece):
                return self._grow(said.index, piece)
            case _Event(type="message_delta"):
                self._count(said.usage)
                if said.delta and said.delta.stop_reason:
                    self._stop_reason = said.delta.stop_reason
            case _Event(type="message_stop"):
                self.finished = True
            case _Event(type="error"):
                raise failure_of_payload(self._place, said.error)
            case _:
                # Pings, the ends of blocks, and what is yet to be invented.
                pass
        return ()

    def answer(self) -> Answer | None:
        """The whole answer, or `None` while it is not complete."""
        if not self.finished:
            return None
        parts = (self._part(self._blocks[index]) for index in sorted(self._blocks))
        message = AgentMessage(tuple(part for part in parts if part is not None))
        cause = _CAUSES.get(self._stop_reason or "", "end")
        if message.calls and cause == "end":
            cause = "tool_calls"
        elif cause == "tool_calls" and not message.calls:
            cause = "end"
        read = self._usage.cache_read_input_tokens or 0
        written = self._usage.cache_creation_input_tokens or 0
        usage = ModelUsage(
            input=(self._usage.input_tokens or 0) + read + written,
            output=self._usage.output_tokens or 0,
            cached_read=read,
            cached_write=written,
        )
        return Answer(message, cause, usage)

    def _begin(self, index: int, piece: _Piece) -> tuple[ModelEvent, ...]:
        block = _Block(piece.type or "", data=piece.data or "", given=piece.input or {})
        self._blocks[index] = block
        if block.kind == "tool_use":
            block.call_id = unique_id(piece.id, self._taken)
            block.name = piece.name or ""
            return (CallBegun(block.call_id, block.name),)
        return self._grow(index, piece)

    def _grow(self, index: int, piece: _Piece) -> tuple[ModelEvent, ...]:
        block = self._blocks.get(index)
        if block is None:
            return ()
        if piece.signature:
            block.signature.append(piece.signature)
        match block.kind:
            case "text" if piece.text:
                block.text.append(piece.text)
                return (TextDelta(piece.text),)
            case "thinking" if piece.thinking:
                block.text.append(piece.thinking)
                return (ThoughtDelta(piece.thinking),)
            case "tool_use" if piece.partial_json:
                block.text.append(piece.partial_json)
            case _:
                pass
        return ()

    def _count(self, usage: _Usage | None) -> None:
        for name in _Usage.__struct_fields__:
            value = getattr(usage, name, None)
            if value is not None:
                setattr(self._usage, name, value)

    def _part(self, block: _Block) -> TextPart | ThinkingPart | CallPart | None:
        text = "".join(block.text)
        match block.kind:
            case "text" if text:
                return TextPart(text)
            case "thinking" if text or block.signature:
                signature = "".join(block.signature)
                opaque = {"signature": signature, "model": self._model} if signature else None
                return ThinkingPart(text, self._provider, opaque)
            case "redacted_thinking":
                opaque = {"redacted": block.data, "model": self._model}
                return ThinkingPart("", self._provider, opaque)
            case "tool_use" if text:
                return call_part(block.call_id, block.name, text, provider=self._provider)
            case "tool_use":
                # Some servers give all arguments at once, where the others give an empty object.
                return CallPart(block.call_id, block.name, block.given, provider=self._provider)
            case _:
                return None
