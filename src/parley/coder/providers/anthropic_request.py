"""The body of a request to Anthropic's Messages API. Pure: a `ModelRequest` in, JSON out.

What the API insists on is made true here: roles alternate, results of tools come first and right
after their calls, no text is blank, ids and names have its alphabet, and thinking goes back
unchanged to the model that made it and to no other.
"""

import re
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
from parley.coder.providers.growing import Growing
from parley.coder.providers.provider import ModelInfo, ModelRequest, ThoughtLevel, ToolSpec

Json = dict[str, Any]

_IMAGES = frozenset({"image/gif", "image/jpeg", "image/png", "image/webp"})
_BUDGETS: dict[ThoughtLevel, int] = {"low": 2_048, "medium": 8_192, "high": 24_576}
_LEAST_BUDGET = 1_024
# Claude models of these generations take a budget of tokens. Later ones refuse it, and are told
# how hard to think instead; the list is closed, so a model nobody knows yet counts as later.
_BUDGET_MODELS = re.compile(
    r"claude-(3-|instant|[12]|(opus|sonnet)-4-(0|1|2025|5)|haiku-4-|(opus|sonnet)-4$)"
)
_CACHED = {"type": "ephemeral"}
_CACHED_TURNS = 2
"""System prompt and tools take two of the four breakpoints that a request may have."""


def request_body(request: ModelRequest, provider: str, growing: Growing | None = None) -> Json:
    """The body for `POST /v1/messages`; `provider` is who may have its thinking back.

    `growing` has what was written for earlier requests.
    """
    growing = growing or Growing()
    thinking = _thinking(request)
    budgeted = _takes_budget(request.model)
    # Models with a budget refuse thinking without one. The others think as they see fit, and what
    # they thought without being asked is theirs as well.
    thinker = provider if thinking or not budgeted else None
    messages = _messages(request, thinker, growing)
    if thinking and budgeted and _began_without_thinking(messages):
        # A round of tool calls must be finished in the way it was begun.
        thinking = {}
        messages = _messages(request, None, growing)
    body: Json = {
        "model": request.model.id,
        "max_tokens": request.model.max_output,
        "stream": True,
        "messages": _with_breakpoints(messages),
        **thinking,
    }
    if request.system.strip():
        body["system"] = [{"type": "text", "text": request.system, "cache_control": _CACHED}]
    if request.tools:
        tools = [_tool(spec) for spec in request.tools]
        body["tools"] = [*tools[:-1], {**tools[-1], "cache_control": _CACHED}]
    return body


def _takes_budget(model: ModelInfo) -> bool:
    # Proxies write `anthropic/claude-opus-4.5` and `eu.anthropic.claude-opus-4-5` for the same.
    name = model.id.lower().replace(".", "-")
    start = name.find("claude-")
    # Models of others behind this wire format follow its first form.
    return start < 0 or _BUDGET_MODELS.match(name, start) is not None


def _thinking(request: ModelRequest) -> Json:
    level = request.thought_level
    if level == "off" or not request.model.thinking:
        return {}
    if not _takes_budget(request.model):
        return {
            "thinking": {"type": "adaptive", "display": "summarized"},
            "output_config": {"effort": level},
        }
    # Thinking counts against `max_tokens`; a quarter is left for the answer.
    budget = min(_BUDGETS[level], request.model.max_output * 3 // 4)
    if budget < _LEAST_BUDGET:
        return {}
    return {"thinking": {"type": "enabled", "budget_tokens": budget}}


def _began_without_thinking(messages: list[Json]) -> bool:
    if len(messages) < 2 or messages[-1]["content"][0]["type"] != "tool_result":
        return False
    return messages[-2]["content"][0]["type"] not in ("thinking", "redacted_thinking")


def _tool(spec: ToolSpec) -> Json:
    return {
        "name": spec.name,
        "description": spec.description,
        "input_schema": {"type": "object", **spec.schema},
    }


def _with_breakpoints(messages: list[Json]) -> list[Json]:
    """Mark the last turns of the user, so that the next request finds this one in the cache."""
    # Roles take turns, and the last is the user's.
    for place in range(len(messages) - 1, -1, -2)[:_CACHED_TURNS]:
        content = messages[place]["content"]
        marked = [*content[:-1], {**content[-1], "cache_control": _CACHED}]
        messages[place] = {"role": "user", "content": marked}
    return messages


def _messages(request: ModelRequest, thinker: str | None, growing: Growing) -> list[Json]:
    """The conversation; `thinker` is whose thinking goes along."""
    model = request.model
    messages = growing.written(
        # Some requests are written in both ways, again and again.
        f"{request.cache_key} {thinker}",
        (model.id, model.images),
        request.messages,
        lambda: AnthropicWriter(model, thinker),
    )
    if not messages or messages[-1]["role"] != "user":
        # The words of the model at the end would be a beginning that it has to go on from.
        messages.append({"role": "user", "content": [_text("Continue.")]})
    return messages


class AnthropicWriter:
    """Writes one conversation; it knows which ids are taken and which stand for which."""

    def __init__(self, model: ModelInfo, thinker: str | None) -> None:
        self.items: list[Json] = []
        self._model = model
        self._thinker = thinker
        self._taken: set[str] = set()
        self._ids: dict[str, str] = {}

    def take(self, message: Message) -> None:
        match message:
            case UserMessage():
                self._add("user", self._user(message) or [_text("(empty message)")])
            case AgentMessage():
                self._add("assistant", self._agent(message))
            case ToolMessage():
                self._add("user", [self._result(result) for result in message.results])

    def _add(self, role: str, content: list[Json]) -> None:
        if not content:
            return
        if not self.items and role != "user":
            self.items.append({"role": "user", "content": [_text("(start)")]})
        if self.items and self.items[-1]["role"] == role:
            self.items[-1]["content"].extend(content)
        else:
            self.items.append({"role": role, "content": content})

    def _user(self, message: UserMessage) -> list[Json]:
        return [block for part in message.content if (block := self._shown(part))]

    def _agent(self, message: AgentMessage) -> list[Json]:
        self._ids = {}
        return [block for part in message.content if (block := self._said(part))]

    def _result(self, result: ToolResult) -> Json:
        content = [self._shown(TextPart(result.text)) or _text("(no output)")]
        content += [self._image(image) for image in result.images]
        block: Json = {
            "type": "tool_result",
            "tool_use_id": self._ids.get(result.call_id, result.call_id),
            "content": content,
        }
        return {**block, "is_error": True} if result.is_error else block

    def _shown(self, part: TextPart | ImagePart) -> Json | None:
        if isinstance(part, ImagePart):
            return self._image(part)
        return _text(part.text) if part.text.strip() else None

    def _image(self, image: ImagePart) -> Json:
        if not self._model.images or image.mime_type not in _IMAGES:
            return _text(f"[image: {image.mime_type}]")
        source = {"type": "base64", "media_type": image.mime_type, "data": image.data}
        return {"type": "image", "source": source}

    def _said(self, part: TextPart | ThinkingPart | CallPart) -> Json | None:
        match part:
            case TextPart():
                return self._shown(part)
            case ThinkingPart():
                return self._thought(part)
            case CallPart():
                name = re.sub(r"[^a-zA-Z0-9_-]", "_", part.name)[:128] or "unnamed"
                call_id = self._call_id(part.id)
                wrong = {"malformed_arguments": part.malformed}
                given = part.arguments if part.malformed is None else wrong
                return {"type": "tool_use", "id": call_id, "name": name, "input": given}

    def _thought(self, part: ThinkingPart) -> Json | None:
        opaque = part.opaque or {}
        if part.provider != self._thinker or opaque.get("model") != self._model.id:
            return None
        if "redacted" in opaque:
            return {"type": "redacted_thinking", "data": opaque["redacted"]}
        if "signature" in opaque:
            return {"type": "thinking", "thinking": part.text, "signature": opaque["signature"]}
        return None

    def _call_id(self, call_id: str) -> str:
        """An id that the API takes, the same in every request: ids of others may be refused."""
        clean = re.sub(r"[^a-zA-Z0-9_-]", "_", call_id) or "call"
        wire, count = clean, 1
        while wire in self._taken:
            count += 1
            wire = f"{clean}_{count}"
        self._taken.add(wire)
        self._ids[call_id] = wire
        return wire


def _text(text: str) -> Json:
    return {"type": "text", "text": text}
