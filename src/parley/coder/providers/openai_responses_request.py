"""A request to a model in the words of OpenAI's Responses API, which keeps nothing for us.

Pure: a `ModelRequest` in, the JSON body out. Each request carries the whole conversation, with the
model's reasoning in the encrypted form in which the API gave it.
"""

from collections.abc import Iterator
from typing import Any

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
from parley.coder.providers.arguments import arguments_text
from parley.coder.providers.growing import Growing
from parley.coder.providers.openai_chat_request import (
    EMPTY,
    data_url,
    marker,
    object_schema,
    result_text,
    wire_id,
    wire_name,
)
from parley.coder.providers.provider import ModelRequest, ToolSpec

ENCRYPTED = "reasoning.encrypted_content"


def request_body(
    request: ModelRequest,
    *,
    provider: str,
    summaries: bool,
    growing: Growing | None = None,
) -> dict[str, Any]:
    """The JSON body of a request; `summaries` asks for readable reasoning.

    `growing` has what was written for earlier requests.
    """
    model = request.model
    items = (growing or Growing()).written(
        request.cache_key,
        (model.id, model.images),
        request.messages,
        lambda: ResponsesWriter(provider, model.id, images=model.images),
    )
    body: dict[str, Any] = {
        "model": model.id,
        "input": items,
        "stream": True,
        "store": False,
    }
    if request.system:
        body["instructions"] = request.system
    if request.tools:
        body["tools"] = [_tool(spec) for spec in request.tools]
    if request.model.thinking:
        # Models that do not think refuse both.
        body["include"] = [ENCRYPTED]
        reasoning = {"summary": "auto"} if summaries else {}
        if request.thought_level != "off":
            reasoning["effort"] = request.thought_level
        if reasoning:
            body["reasoning"] = reasoning
    if request.cache_key:
        body["prompt_cache_key"] = request.cache_key
    return body


def _tool(spec: ToolSpec) -> dict[str, Any]:
    return {
        "type": "function",
        "name": spec.name,
        "description": spec.description,
        "parameters": object_schema(spec),
        # A strict schema would have to name every property as required.
        "strict": False,
    }


class ResponsesWriter:
    """The items of a conversation, in the words of the API."""

    def __init__(self, provider: str, model: str, *, images: bool) -> None:
        self.items: list[dict[str, Any]] = []
        self._provider = provider
        self._model = model
        self._images = images

    def take(self, message: Message) -> None:
        match message:
            case UserMessage(content):
                blocks = _blocks(content, images=self._images)
                self.items.append({"type": "message", "role": "user", "content": blocks})
            case AgentMessage():
                self.items += _agent_items(message, self._provider, self._model)
            case ToolMessage(results):
                self.items += (_output(result, images=self._images) for result in results)


def _agent_items(message: AgentMessage, provider: str, model: str) -> Iterator[dict[str, Any]]:
    waiting: list[dict[str, Any]] = []
    for part in message.content:
        match part:
            case ThinkingPart():
                waiting += _reasoning(part, provider, model)
                continue
            case TextPart(text):
                if not text.strip():
                    continue
                said = {"type": "output_text", "text": text}
                item = {"type": "message", "role": "assistant", "content": [said]}
            case CallPart():
                item = {
                    "type": "function_call",
                    "call_id": wire_id(part.id, short=False),
                    "name": wire_name(part.name),
                    "arguments": arguments_text(part),
                }
        # The API refuses reasoning that nothing follows, so it is held back until something does.
        yield from waiting
        waiting.clear()
        yield item


def _reasoning(part: ThinkingPart, provider: str, model: str) -> list[dict[str, Any]]:
    """The item that a thought came as, if this very model made it."""
    opaque = part.opaque or {}
    if part.provider != provider or opaque.get("model") != model or "item" not in opaque:
        return []
    return [opaque["item"]]


def _output(result: ToolResult, *, images: bool) -> dict[str, Any]:
    output: str | list[dict[str, Any]] = result_text(result, images=images)
    if images and result.images:
        output = [{"type": "input_text", "text": output}, *map(_image, result.images)]
    call_id = wire_id(result.call_id, short=False)
    return {"type": "function_call_output", "call_id": call_id, "output": output}


def _blocks(content: tuple[TextPart | ImagePart, ...], *, images: bool) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    for part in content:
        if isinstance(part, ImagePart):
            blocks.append(_image(part) if images else _text(marker(part)))
        elif part.text.strip():
            blocks.append(_text(part.text))
    return blocks or [_text(EMPTY)]


def _text(text: str) -> dict[str, Any]:
    return {"type": "input_text", "text": text}


def _image(image: ImagePart) -> dict[str, Any]:
    return {"type": "input_image", "image_url": data_url(image)}
