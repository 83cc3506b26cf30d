"""What the Responses API streams, as model events. Pure: events in, events out.

An answer is a row of items, by index: reasoning, messages, calls. Each is added, grows and is
done. The last event says how it ended, and carries the usage.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec import Struct

from parley.coder.message import AgentMessage, CallPart, TextPart, ThinkingPart
from parley.coder.providers.arguments import call_part
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

# The members of a reasoning item that the API takes back.
_REASONING_MEMBERS = ("type", "id", "summary", "content", "encrypted_content")


class _Text(Struct):
    text: str | None = None
    refusal: str | None = None


class _Item(Struct):
    type: str = ""
    call_id: str | None = None
    name: str | None = None
    arguments: str | None = None
    content: list[_Text] | None = None
    summary: list[_Text] | None = None
    encrypted_content: str | None = None


class _Read(Struct):
    cached_tokens: int | None = None


class _Made(Struct):
    reasoning_tokens: int | None = None


class _Usage(Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None
    input_tokens_details: _Read | None = None
    output_tokens_details: _Made | None = None


class _Details(Struct):
    reason: str | None = None


class _Response(Struct):
    output: list[msgspec.Raw] | None = None
    usage: _Usage | None = None
    incomplete_details: _Details | None = None
    error: Any = None


_NOTHING = msgspec.Raw(b"{}")


class _Event(Struct):
    type: str = ""
    output_index: int | None = None
    summary_index: int | None = None
    delta: str | None = None
    arguments: str | None = None
    item: msgspec.Raw = _NOTHING
    response: _Response | None = None
    error: Any = None
    code: Any = None
    message: Any = None


_DECODER = msgspec.json.Decoder(_Event)


@dataclass(slots=True)
class _Slot:
    """An item while it is written."""

    kind: str
    call_id: str = ""
    name: str = ""
    text: list[str] = field(default_factory=list[str])
    """What was streamed of it: text, reasoning or arguments."""
    raw: dict[str, Any] = field(default_factory=dict[str, Any])


class ResponsesReader:
    """One answer while it comes in."""

    def __init__(
        self, request: ModelRequest, place: Place, *, make_id: Callable[[], str] = random_id
    ) -> None:
        self.finished = False
        self._place = place
        self._model = request.model.id
        self._make_id = make_id
        self._taken = taken_ids(request.messages)
        self._slots: dict[int, _Slot] = {}
        self._refused = False
        self._response = _Response()

    def feed(self, event: ServerEvent) -> Iterator[ModelEvent]:
        """What one event says.

        Raises:
            ProviderError: it reports a failure or cannot be read.
        """
        if event.data.strip() == "[DONE]":
            return
        try:
            found = _DECODER.decode(event.data)
            yield from self._event(found.type or event.event, found)
        except (msgspec.DecodeError, RecursionError) as error:
            raise unreadable(self._place, str(error)) from None

    def answer(self) -> Answer | None:
        """The whole answer, or `None` while the last event has not come."""
        if not self.finished:
            return None
        parts = (self._part(self._slots[index]) for index in sorted(self._slots))
        message = AgentMessage(tuple(part for part in parts if part is not None))
        return Answer(message, self._cause(message), _usage(self._response.usage))

    def _event(self, kind: str, event: _Event) -> Iterator[ModelEvent]:
        match kind:
            case "response.output_item.added":
                yield from self._begin(event)
            case "response.output_text.delta":
                yield from self._say("message", event, event.delta)
            case "response.refusal.delta":
                self._refused = True
                yield from self._say("message", event, event.delta)
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                yield from self._say("reasoning", event, event.delta)
            case "response.reasoning_summary_part.added" if event.summary_index:
                yield from self._say("reasoning", event, "\n\n")
            case "response.function_call_arguments.delta" if event.delta:
                self._slot("function_call", event).text.append(event.delta)
            case "response.function_call_arguments.done" if event.arguments is not None:
                self._slot("function_call", event).text[:] = [event.arguments]
            case "response.output_item.done":
                yield from self._end(event)
            case "response.completed" | "response.incomplete" | "response.done":
                yield from self._finish(event.response or _Response())
            case "response.failed":
                raise failure_of_payload(self._place, (event.response or _Response()).error)
            case "error":
                plain = {"code": event.code, "message": event.message}
                raise failure_of_payload(self._place, event.error or plain)
            case _:
                # What repeats other events, and what is yet to be invented.
                pass

    def _slot(self, kind: str, event: _Event) -> _Slot:
        index = event.output_index
        if index is None:
            index = max(self._slots, default=0)
        if index not in self._slots:
            self._slots[index] = _Slot(kind)
        return self._slots[index]

    def _say(self, kind: str, event: _Event, text: str | None) -> Iterator[ModelEvent]:
        if text:
            self._slot(kind, event).text.append(text)
            yield TextDelta(text) if kind == "message" else ThoughtDelta(text)

    def _begin(self, event: _Event) -> Iterator[ModelEvent]:
        item = _item(event.item)
        slot = self._slot(item.type, event)
        slot.kind = item.type
        if slot.kind == "function_call" and not slot.call_id:
            slot.call_id = unique_id(item.call_id, self._taken, self._make_id)
            slot.name = item.name or ""
            yield CallBegun(slot.call_id, slot.name)

    def _end(self, event: _Event) -> Iterator[ModelEvent]:
        """Take what an item came to; what was not streamed of it is said now."""
        yield from self._begin(event)
        item = _item(event.item)
        slot = self._slot(item.type, event)
        match item.type:
            case "function_call" if item.arguments is not None:
                slot.text[:] = [item.arguments]
            case "message" if not slot.text:
                for block in item.content or ():
                    self._refused = self._refused or bool(block.refusal)
                    yield from self._say("message", event, block.text or block.refusal)
            case "reasoning":
                raw = msgspec.json.decode(event.item, type=dict[str, Any])
                slot.raw = {name: raw[name] for name in _REASONING_MEMBERS if raw.get(name)}
                slot.raw.setdefault("summary", [])
                if not slot.text:
                    texts = [block.text for block in item.summary or () if block.text]
                    yield from self._say("reasoning", event, "\n\n".join(texts))
            case _:
                pass

    def _finish(self, response: _Response) -> Iterator[ModelEvent]:
        if not self._slots:
            # Some servers say everything at the end only.
            for index, raw in enumerate(response.output or ()):
                yield from self._end(_Event(output_index=index, item=raw))
        self._response = response
        self.finished = True

    def _part(self, slot: _Slot) -> TextPart | ThinkingPart | CallPart | None:
        text = "".join(slot.text)
        provider = self._place.name
        match slot.kind:
            case "message" if text:
                return TextPart(text)
            case "reasoning":
                # Without its encrypted form the API does not take a thought back.
                kept = "encrypted_content" in slot.raw
                opaque = {"model": self._model, "item": slot.raw} if kept else None
                return ThinkingPart(text, provider, opaque) if text or kept else None
            case "function_call" if slot.name:
                return call_part(slot.call_id, slot.name, text, provider=provider)
            case _:
                return None

    def _cause(self, message: AgentMessage) -> StopCause:
        details = self._response.incomplete_details
        if details is not None and details.reason:
            return "refusal" if details.reason == "content_filter" else "max_tokens"
        if self._refused:
            return "refusal"
        return "tool_calls" if message.calls else "end"


def _item(raw: msgspec.Raw) -> _Item:
    return msgspec.json.decode(raw, type=_Item)


def _usage(usage: _Usage | None) -> ModelUsage:
    counts = usage or _Usage()
    return ModelUsage(
        input=counts.input_tokens or 0,
        output=counts.output_tokens or 0,
        thought=(counts.output_tokens_details or _Made()).reasoning_tokens or 0,
        cached_read=(counts.input_tokens_details or _Read()).cached_tokens or 0,
    )
