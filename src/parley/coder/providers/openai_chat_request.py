"""A request to a model in the words of OpenAI's chat completions, as many servers speak them.

Pure: a `ModelRequest` in, the JSON body out.
"""

import hashlib
import re
from collections.abc import Iterator
from typing import Any

import msgspec

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
from parley.coder.providers.provider import ModelRequest, ToolSpec

ID_LIMIT = 64
"""Characters in the id of a call; OpenAI refuses longer ones."""
NAME_LIMIT = 64
"""Characters in the name of a tool."""
EMPTY = "(empty)"
"""Stands for a text that is empty, which APIs refuse."""


class Dialect(msgspec.Struct, frozen=True):
    """In what servers differ, as far as a request must know."""

    stream_usage: bool = True
    """Whether `stream_options` is understood."""
    cache_key: bool = False
    """Whether `prompt_cache_key` is understood."""
    max_tokens: str = ""
    """The name of the limit on output; empty leaves the limit to the server."""
    short_ids: bool = False
    """Whether ids of calls must be nine letters or digits."""
    user_after_tool: bool = True
    """Whether a user may speak right after a tool's result."""
    raw_text: bool = False
    """Whether thoughts and calls may come as text, since nothing between us and the model looks."""


_DIALECTS = {
    "api.openai.com": Dialect(cache_key=True),
    "api.deepseek.com": Dialect(max_tokens="max_tokens"),
    "api.mistral.ai": Dialect(stream_usage=False, short_ids=True, user_after_tool=False),
    "openrouter.ai": Dialect(),
    "api.groq.com": Dialect(),
}


def dialect_of(host: str) -> Dialect:
    """What is known of a host; unknown ones are taken for local servers with small models."""
    return _DIALECTS.get(host, Dialect(raw_text=True))


def request_body(
    request: ModelRequest,
    *,
    provider: str,
    dialect: Dialect,
    growing: Growing | None = None,
) -> dict[str, Any]:
    """The JSON body of a request; `growing` has what was written for earlier ones."""
    system = [{"role": "system", "content": request.system}] if request.system else []
    images, turn_begins = request.model.images, _last_user(request.messages)
    messages = (growing or Growing()).written(
        request.cache_key,
        (images, turn_begins),
        request.messages,
        lambda: ChatWriter(provider, dialect, turn_begins, images=images),
    )
    body: dict[str, Any] = {
        "model": request.model.id,
        "messages": [*system, *messages],
        "stream": True,
    }
    if dialect.stream_usage:
        body["stream_options"] = {"include_usage": True}
    if request.tools:
        body["tools"] = [{"type": "function", "function": _tool(spec)} for spec in request.tools]
    if request.model.thinking and request.thought_level != "off":
        body["reasoning_effort"] = request.thought_level
    if dialect.max_tokens:
        body[dialect.max_tokens] = request.model.max_output
    if dialect.cache_key and request.cache_key:
        body["prompt_cache_key"] = request.cache_key
    return body


def object_schema(spec: ToolSpec) -> dict[str, Any]:
    """The schema of a tool's arguments, always that of an object with properties."""
    return {"type": "object", "properties": {}, **spec.schema}


def marker(image: ImagePart) -> str:
    """What stands for an image where the model cannot see."""
    return f"[image: {image.mime_type}]"


def data_url(image: ImagePart) -> str:
    return f"data:{image.mime_type};base64,{image.data}"


def result_text(result: ToolResult, *, images: bool) -> str:
    """What the model reads of a result; a failure says so, since the API has no mark for it."""
    lines = [result.text] if result.text.strip() else []
    if not images:
        lines += [marker(image) for image in result.images]
    text = "\n".join(lines) or EMPTY
    if result.is_error and not text.lower().startswith("error"):
        return f"Error: {text}"
    return text


def wire_id(call_id: str, *, short: bool) -> str:
    """The id of a call in a form that the server accepts, the same each time."""
    if short:
        if len(call_id) == 9 and call_id.isascii() and call_id.isalnum():
            return call_id
        return hashlib.sha256(call_id.encode()).hexdigest()[:9]
    return call_id if len(call_id) <= ID_LIMIT else hashlib.sha256(call_id.encode()).hexdigest()


def wire_name(name: str) -> str:
    """The name of a call in a form that the server accepts; models invent others."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:NAME_LIMIT] or "unnamed"


def _tool(spec: ToolSpec) -> dict[str, Any]:
    return {
        "name": spec.name,
        "description": spec.description,
        "parameters": object_schema(spec),
    }


def _last_user(messages: tuple[Message, ...]) -> int:
    """The place of the last message of the user, found without a step of ours per message."""
    kinds = list(map(type, reversed(messages)))
    return len(kinds) - 1 - kinds.index(UserMessage) if UserMessage in kinds else 0


class ChatWriter:
    """The messages of a conversation, in the words of the API."""

    def __init__(self, provider: str, dialect: Dialect, turn_begins: int, *, images: bool) -> None:
        """`turn_begins` is the place of the last message of the user."""
        self.items: list[dict[str, Any]] = []
        self._provider = provider
        self._dialect = dialect
        self._images = images
        self._turn_begins = turn_begins
        self._taken = 0

    def take(self, message: Message) -> None:
        match message:
            case UserMessage(content):
                self._add_user(self._user_content(content))
            case AgentMessage():
                self.items += self._agent(message, current=self._taken > self._turn_begins)
            case ToolMessage(results):
                self._add_results(results)
        self._taken += 1

    def _add_user(self, content: str | list[dict[str, Any]]) -> None:
        done = self.items
        last: dict[str, Any] = done[-1] if done else {"role": ""}
        if last["role"] == "user":
            # Templates of local models want users and agents to take turns.
            last["content"] = _joined(last["content"], content)
            return
        if last["role"] == "tool" and not self._dialect.user_after_tool:
            done.append({"role": "assistant", "content": "Done."})
        done.append({"role": "user", "content": content})

    def _user_content(self, parts: tuple[TextPart | ImagePart, ...]) -> str | list[dict[str, Any]]:
        if self._images and any(isinstance(part, ImagePart) for part in parts):
            return [_block(part) for part in parts if not _is_empty(part)]
        texts = (
            part.text if isinstance(part, TextPart) else marker(part)
            for part in parts
            if not _is_empty(part)
        )
        return "\n".join(texts) or EMPTY

    def _agent(self, message: AgentMessage, *, current: bool) -> Iterator[dict[str, Any]]:
        calls = [self._call(call) for call in message.calls]
        # Blanks alone say nothing, and some servers refuse them.
        text = message.text if message.text.strip() else None
        if text is None and not calls:
            # Thoughts alone cannot be said again.
            return
        wire: dict[str, Any] = {"role": "assistant", "content": text}
        if calls:
            wire["tool_calls"] = calls
        if calls and current:
            wire.update(self._thoughts(message))
        yield wire

    def _thoughts(self, message: AgentMessage) -> dict[str, Any]:
        """Reasoning of the turn that goes on: servers that send it may want it back until then."""
        return {
            part.opaque["field"]: part.text
            for part in message.content
            if isinstance(part, ThinkingPart)
            and part.provider == self._provider
            and part.opaque
            and "field" in part.opaque
        }

    def _call(self, call: CallPart) -> dict[str, Any]:
        return {
            "id": wire_id(call.id, short=self._dialect.short_ids),
            "type": "function",
            "function": {"name": wire_name(call.name), "arguments": arguments_text(call)},
        }

    def _add_results(self, results: tuple[ToolResult, ...]) -> None:
        for result in results:
            self.items.append(
                {
                    "role": "tool",
                    "tool_call_id": wire_id(result.call_id, short=self._dialect.short_ids),
                    "content": result_text(result, images=self._images),
                }
            )
        if self._images:
            # A tool's message holds text only, so its images follow as if a user showed them.
            shown = [block for result in results for block in _images_of(result)]
            if shown:
                self._add_user(shown)


def _images_of(result: ToolResult) -> Iterator[dict[str, Any]]:
    if result.images:
        yield {"type": "text", "text": f"Images from {result.name}:"}
        yield from (_block(image) for image in result.images)


def _block(part: TextPart | ImagePart) -> dict[str, Any]:
    if isinstance(part, TextPart):
        return {"type": "text", "text": part.text}
    return {"type": "image_url", "image_url": {"url": data_url(part)}}


def _is_empty(part: TextPart | ImagePart) -> bool:
    return isinstance(part, TextPart) and not part.text.strip()


def _joined(
    first: str | list[dict[str, Any]], second: str | list[dict[str, Any]]
) -> str | list[dict[str, Any]]:
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}\n{second}"
    return [*_blocks(first), *_blocks(second)]


def _blocks(content: str | list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
