"""What the Gemini API streams, as model events. Pure: data of events in, events out.

Every event is a piece of the same answer: some parts, perhaps a reason to finish, the usage so
far. There is no last event; the answer is complete when a reason came and the stream ends.
"""

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Struct

from parley.coder.errors import ProviderError
from parley.coder.message import AgentMessage, CallPart, TextPart, ThinkingPart
from parley.coder.providers.call_id import random_id, taken_ids, unique_id
from parley.coder.providers.failure import Place, failure_of_payload, unreadable
from parley.coder.providers.gemini_request import SIGNATURE, SignedPart
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
    "STOP": "end",
    "MAX_TOKENS": "max_tokens",
    "SAFETY": "refusal",
    "RECITATION": "refusal",
    "LANGUAGE": "refusal",
    "BLOCKLIST": "refusal",
    "PROHIBITED_CONTENT": "refusal",
    "SPII": "refusal",
    "IMAGE_SAFETY": "refusal",
    "IMAGE_PROHIBITED_CONTENT": "refusal",
    "IMAGE_RECITATION": "refusal",
}
# The model slipped where it usually does not: the same request may well succeed.
_SLIPS = {
    "MALFORMED_FUNCTION_CALL": "the model wrote a tool call that cannot be read",
    "UNEXPECTED_TOOL_CALL": "the model called a tool where it has none",
    "TOO_MANY_TOOL_CALLS": "the model called too many tools in a row",
    "MALFORMED_RESPONSE": "the model wrote an answer that cannot be read",
}


class _Call(Struct):
    name: str | None = None
    args: Any = None
    id: str | None = None


class _Part(Struct, rename="camel"):
    text: str | None = None
    thought: bool | None = None
    thought_signature: str | None = None
    function_call: _Call | None = None


class _Content(Struct):
    parts: list[_Part] | None = None


class _Candidate(Struct, rename="camel"):
    content: _Content | None = None
    finish_reason: str | None = None


class _Feedback(Struct, rename="camel"):
    block_reason: str | None = None


class _Usage(Struct, rename="camel"):
    prompt_token_count: int | None = None
    candidates_token_count: int | None = None
    thoughts_token_count: int | None = None
    cached_content_token_count: int | None = None
    tool_use_prompt_token_count: int | None = None


class _Chunk(Struct, rename="camel"):
    candidates: list[_Candidate] | None = None
    prompt_feedback: _Feedback | None = None
    usage_metadata: _Usage | None = None
    error: Any = None


_DECODER = msgspec.json.Decoder(_Chunk)


class GeminiStream:
    """One answer while it comes in; what follows the reason to finish may still count tokens."""

    finished = False

    def __init__(
        self, request: ModelRequest, place: Place, new_id: Callable[[], str] = random_id
    ) -> None:
        self._place = place
        self._model = request.model.id
        self._new_id = new_id
        self._taken = taken_ids(request.messages)
        self._parts: list[TextPart | ThinkingPart | CallPart] = []
        self._finish: str | None = None
        self._blocked = False
        self._usage = ModelUsage()

    def feed(self, event: ServerEvent) -> tuple[ModelEvent, ...]:
        """What one event of the stream says.

        Raises:
            ProviderError: the event reports a failure, or cannot be read.
        """
        try:
            chunk = _DECODER.decode(event.data)
        except (msgspec.DecodeError, RecursionError) as error:
            raise unreadable(self._place, str(error)) from None
        if chunk.error is not None:
            raise failure_of_payload(self._place, chunk.error)
        if chunk.usage_metadata:
            self._usage = _usage(chunk.usage_metadata)
        if chunk.prompt_feedback and chunk.prompt_feedback.block_reason:
            self._blocked = True
        if not chunk.candidates:
            return ()
        # Only one candidate was asked for.
        candidate = chunk.candidates[0]
        self._finish = candidate.finish_reason or self._finish
        parts = (candidate.content and candidate.content.parts) or []
        return tuple(said for part in parts if (said := self._take(part)))

    def answer(self) -> Answer | None:
        """The whole answer, when the stream has ended; `None` if it was cut off.

        Raises:
            ProviderError: the model slipped.
        """
        message = AgentMessage(tuple(self._parts))
        if self._blocked:
            return Answer(message, "refusal", self._usage)
        if self._finish is None:
            return None
        if self._finish in _SLIPS:
            text = f"{self._place.name}: {_SLIPS[self._finish]}"
            raise ProviderError(text, retryable=True, kind="server")
        cause = _CAUSES.get(self._finish)
        if cause is None and not message.content:
            said = self._place.clean(self._finish)
            text = f"{self._place.name} gave no answer; its reason is {said!r}"
            raise ProviderError(text, retryable=True, kind="server")
        if message.calls and cause in ("end", None):
            cause = "tool_calls"
        return Answer(message, cause or "end", self._usage)

    def _take(self, part: _Part) -> ModelEvent | None:
        if part.function_call:
            return self._call(part.function_call, part.thought_signature)
        text = part.text or ""
        if part.thought:
            self._add(ThinkingPart(text, self._place.name), part.thought_signature, "thought")
            return ThoughtDelta(text) if text else None
        if text:
            self._add(TextPart(text), part.thought_signature, "text")
            return TextDelta(text)
        if part.thought_signature:
            self._parts.append(self._signed("", part.thought_signature, "nothing"))
        return None

    def _call(self, call: _Call, signature: str | None) -> CallBegun:
        call_id = unique_id(call.id, self._taken, self._new_id)
        name = call.name or ""
        opaque: dict[str, Any] = {"model": self._model}
        if signature:
            opaque[SIGNATURE] = signature
        if call.id:
            opaque["id"] = call.id
        try:
            arguments, malformed = msgspec.convert(call.args or {}, dict[str, Any]), None
        except msgspec.ValidationError:
            arguments, malformed = {}, msgspec.json.encode(call.args).decode()
        kept = opaque if len(opaque) > 1 else None
        self._parts.append(CallPart(call_id, name, arguments, malformed, self._place.name, kept))
        return CallBegun(call_id, name)

    def _add(self, part: TextPart | ThinkingPart, signature: str | None, on: SignedPart) -> None:
        """Append a piece to the part before it, unless one of them is signed or another kind."""
        last = self._parts[-1] if self._parts else None
        match part, last:
            case TextPart(), TextPart() if not signature:
                self._parts[-1] = TextPart(last.text + part.text)
            case TextPart(), _:
                self._parts.append(part)
                if signature:
                    self._parts.append(self._signed("", signature, on))
            case ThinkingPart(), ThinkingPart(opaque=None) if not signature:
                self._parts[-1] = ThinkingPart(last.text + part.text, part.provider)
            case ThinkingPart(), _:
                signed = self._signed(part.text, signature, on) if signature else part
                self._parts.append(signed)

    def _signed(self, text: str, signature: str, on: SignedPart) -> ThinkingPart:
        opaque = {SIGNATURE: signature, "model": self._model, "on": on}
        return ThinkingPart(text, self._place.name, opaque)


def _usage(found: _Usage) -> ModelUsage:
    thought = found.thoughts_token_count or 0
    return ModelUsage(
        input=(found.prompt_token_count or 0) + (found.tool_use_prompt_token_count or 0),
        output=(found.candidates_token_count or 0) + thought,
        thought=thought,
        cached_read=found.cached_content_token_count or 0,
    )
