"""What a server of chat completions streams, as model events. Pure: events in, events out.

Servers differ in nearly everything here: ids that are missing or come twice, arguments in pieces,
at once or as an object, one index for all calls, no last event. What can be understood in one way
only is understood.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import msgspec
from msgspec import Struct

from parley.coder.errors import ProviderError
from parley.coder.message import AgentMessage, CallPart, TextPart, ThinkingPart
from parley.coder.providers.arguments import arguments_from, call_part
from parley.coder.providers.call_id import random_id, taken_ids, unique_id
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
from parley.coder.providers.text_call import call_in_text
from parley.coder.providers.think_tags import ThinkTags

_CAUSES: dict[str, StopCause] = {
    "length": "max_tokens",
    "content_filter": "refusal",
}


class _Function(Struct):
    name: str | None = None
    arguments: Any = None


class _Call(Struct):
    index: int | None = None
    id: str | None = None
    function: _Function | None = None


class _Block(Struct):
    """Reasoning models of Mistral stream their content in blocks."""

    text: str | None = None
    thinking: "list[_Block] | str | None" = None


class _Delta(Struct):
    content: str | list[_Block] | None = None
    reasoning_content: str | None = None
    reasoning: Any = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None


class _Choice(Struct):
    delta: _Delta | None = None
    message: _Delta | None = None
    finish_reason: str | None = None


class _Chunk(Struct):
    choices: list[_Choice] | None = None
    usage: dict[str, Any] | None = None
    error: Any = None


_DECODER = msgspec.json.Decoder(_Chunk)


@dataclass(slots=True)
class _Slot:
    """A call while it is written."""

    given_id: str | None
    call_id: str
    name: str = ""
    written: list[str] = field(default_factory=list[str])


class ChatReader:
    """One answer while it comes in."""

    def __init__(
        self,
        request: ModelRequest,
        place: Place,
        *,
        raw_text: bool = False,
        make_id: Callable[[], str] = random_id,
    ) -> None:
        self.finished = False
        self._place = place
        self._make_id = make_id
        self._tools = {spec.name for spec in request.tools} if raw_text else set[str]()
        self._tags = ThinkTags() if raw_text else None
        self._taken = taken_ids(request.messages)
        self._text: list[str] = []
        self._thoughts: list[str] = []
        self._thought_field = ""
        self._slots: list[_Slot] = []
        self._by_index: dict[int, _Slot] = {}
        self._usage = ModelUsage()
        self._finish: str | None = None
        self._refused = False

    def feed(self, event: ServerEvent) -> Iterator[ModelEvent]:
        """What one event says.

        Raises:
            ProviderError: it reports a failure or cannot be read.
        """
        if event.data.strip() == "[DONE]":
            yield from self._rest()
            self.finished = True
            return
        try:
            chunk = _DECODER.decode(event.data)
        except (msgspec.DecodeError, RecursionError) as error:
            raise unreadable(self._place, str(error)) from None
        if chunk.error or event.event == "error":
            raise failure_of_payload(self._place, chunk.error)
        if chunk.usage:
            self._usage = _usage(chunk.usage)
        # More than one choice was never asked for.
        for choice in (chunk.choices or ())[:1]:
            yield from self._delta(choice.delta or choice.message or _Delta())
            if choice.finish_reason:
                yield from self._rest()
                self._finish = choice.finish_reason

    def answer(self) -> Answer | None:
        """The whole answer; `None` while the server has not said that it is one.

        Raises:
            ProviderError: the server says that it failed midway.
        """
        if self._finish is None and not (self.finished and (self._text or self._slots)):
            return None
        if self._finish == "error":
            text = f"{self._place.name} ({self._place.host}): the model failed midway"
            raise ProviderError(text, retryable=True, kind="server")
        parts = tuple(self._parts())
        called = any(isinstance(part, CallPart) for part in parts)
        # Many servers say `stop` whether there are calls or not.
        cause: StopCause = "tool_calls" if called else "end"
        cause = _CAUSES.get(self._finish or "", "refusal" if self._refused else cause)
        return Answer(AgentMessage(parts), cause, self._usage)

    def _delta(self, delta: _Delta) -> Iterator[ModelEvent]:
        for name, thought in (
            ("reasoning_content", delta.reasoning_content),
            ("reasoning", delta.reasoning),
        ):
            if isinstance(thought, str) and thought:
                self._thought_field = self._thought_field or name
                if name == self._thought_field:
                    # Some servers send the same under both names.
                    yield self._piece(ThoughtDelta(thought))
        yield from self._content(delta.content)
        if delta.refusal:
            self._refused = True
            yield from self._content(delta.refusal)
        for piece in delta.tool_calls or ():
            yield from self._call(piece)

    def _content(self, content: str | list[_Block] | None) -> Iterator[ModelEvent]:
        if isinstance(content, list):
            for block in content:
                thoughts = block.thinking or ()
                whole = [_Block(thoughts)] if isinstance(thoughts, str) else thoughts
                texts = (each.text for each in whole if each.text)
                yield from (self._piece(ThoughtDelta(text)) for text in texts)
                yield from self._content(block.text)
        elif content and self._tags is not None:
            yield from (self._piece(piece) for piece in self._tags.feed(content))
        elif content:
            yield self._piece(TextDelta(content))

    def _rest(self) -> Iterator[ModelEvent]:
        """What was held back because it might have become a tag."""
        if self._tags is not None:
            yield from (self._piece(piece) for piece in self._tags.end())

    def _piece(self, piece: TextDelta | ThoughtDelta) -> TextDelta | ThoughtDelta:
        (self._text if isinstance(piece, TextDelta) else self._thoughts).append(piece.text)
        return piece

    def _call(self, piece: _Call) -> Iterator[ModelEvent]:
        function = piece.function or _Function()
        written = function.arguments
        if written is not None and not isinstance(written, str):
            written = msgspec.json.encode(written).decode()
        slot = self._slot(piece, function.name, written or "")
        if function.name and not slot.name:
            slot.name = function.name
            yield CallBegun(slot.call_id, slot.name)
        if written:
            slot.written.append(written)

    def _slot(self, piece: _Call, name: str | None, written: str) -> _Slot:
        """The call that a piece belongs to."""
        current = self._slots[-1] if self._slots else None
        if piece.index is not None:
            current = self._by_index.get(piece.index)
        if current is None or _begins_another(current, piece.id, name, written):
            call_id = unique_id(piece.id, self._taken, self._make_id)
            current = _Slot(piece.id, call_id)
            self._slots.append(current)
        if piece.index is not None:
            self._by_index[piece.index] = current
        return current

    def _parts(self) -> Iterator[TextPart | ThinkingPart | CallPart]:
        provider = self._place.name
        if self._thoughts:
            opaque = {"field": self._thought_field} if self._thought_field else None
            yield ThinkingPart("".join(self._thoughts), provider, opaque)
        text = "".join(self._text)
        if text:
            yield TextPart(text)
        for slot in self._slots:
            # A call without a name is none: there is nothing that could be run or answered.
            if slot.name:
                yield call_part(slot.call_id, slot.name, "".join(slot.written), provider=provider)
        if not self._slots and (found := call_in_text(text, self._tools)) is not None:
            call_id = unique_id(None, self._taken, self._make_id)
            yield CallPart(call_id, found.name, found.arguments, provider=provider)


def _begins_another(slot: _Slot, given_id: str | None, name: str | None, written: str) -> bool:
    """Whether a piece with the index of a call, or without one, is the beginning of the next."""
    if given_id and slot.given_id and given_id != slot.given_id:
        return True
    if not (name and slot.name and written) or (given_id and slot.given_id):
        return False
    # Whole calls without ids, all under one index.
    return bool(slot.written) and arguments_from("".join(slot.written)) is not None


def _usage(counts: dict[str, Any]) -> ModelUsage:
    given = counts.get("prompt_tokens_details"), counts.get("completion_tokens_details")
    read, made = (cast("dict[str, Any]", each) if isinstance(each, dict) else {} for each in given)
    cached = read.get("cached_tokens") or counts.get("prompt_cache_hit_tokens")
    return ModelUsage(
        input=_count(counts.get("prompt_tokens")),
        output=_count(counts.get("completion_tokens")),
        thought=_count(made.get("reasoning_tokens")),
        cached_read=_count(cached),
    )


def _count(value: Any) -> int:
    return int(value) if isinstance(value, (int, float)) and value > 0 else 0
