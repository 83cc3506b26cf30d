"""Anthropic's Messages API as a fake: it streams a scripted reply and judges every request.

A signature is computed from what it signs, so that a thought that was changed, invented or taken
from elsewhere is found out without remembering what was sent.
"""

import hashlib
import itertools
import json
import re
from collections.abc import Iterator
from typing import Any

from tests.coder.providers.fakes.reply import Call, Received, Reply, Say, Think
from tests.coder.providers.fakes.server import Refusal

Json = dict[str, Any]

BODY = {
    "max_tokens", "messages", "model", "output_config", "stream", "system", "thinking", "tools",
}  # fmt: skip
BLOCKS = {
    ("user", "text"): {"text"},
    ("user", "image"): {"source"},
    ("user", "tool_result"): {"tool_use_id", "content", "is_error"},
    ("assistant", "text"): {"text"},
    ("assistant", "thinking"): {"thinking", "signature"},
    ("assistant", "redacted_thinking"): {"data"},
    ("assistant", "tool_use"): {"id", "name", "input"},
}
THOUGHTS = ("thinking", "redacted_thinking")
REASONS = {
    "end": "end_turn",
    "tool_calls": "tool_use",
    "max_tokens": "max_tokens",
    "refusal": "refusal",
}
ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
ADAPTIVE = re.compile(r"claude-(opus|sonnet)-(4-[6-9]|5)")
"""Models of this fake that take no budget."""


def signature(text: str) -> str:
    return "Eq" + hashlib.sha256(text.encode()).hexdigest()


class AnthropicFake:
    prefix = ""

    def __init__(self, key: str = "test-key") -> None:
        self.key = key
        self._ids = itertools.count(1)

    def judge(self, request: Received) -> Refusal | None:
        if request.headers.get("x-api-key") != self.key:
            return Refusal(401, f"invalid x-api-key {request.headers.get('x-api-key')}")
        if request.path != "/v1/messages":
            return Refusal(404, f"no such path: {request.path}")
        try:
            _need(request.headers.get("anthropic-version") == "2023-06-01", "anthropic-version")
            _judge_body(request.body)
        except _Violation as violation:
            return Refusal(400, str(violation))
        return None

    def frames(self, request: Received, reply: Reply) -> list[bytes]:
        return [_frame(event) for event in self._events(request.body, reply)]

    def error(self, status: int, message: str, code: str | None) -> Json:
        kind = code or ERRORS.get(status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": message}}

    def document(self, request: Received) -> Json | None:
        if request.path != "/v1/models" or request.headers.get("x-api-key") != self.key:
            return None
        abilities = {"image_input": {"supported": True}, "thinking": {"supported": False}}
        models = [
            {
                "type": "model",
                "id": "claude-opus-4-7",
                "display_name": "Claude Opus 4.7",
                "created_at": "2026-04-16T00:00:00Z",
                "max_input_tokens": 1_000_000,
                "max_tokens": 128_000,
                "capabilities": abilities,
            },
            {"type": "model", "id": "claude-haiku-4-5", "display_name": "Claude Haiku 4.5"},
        ]
        return {"data": models, "has_more": False}

    def _events(self, body: Json, reply: Reply) -> Iterator[Json]:
        tokens = reply.tokens
        start: Json = {}
        end: Json = {}
        if tokens:
            start = {
                "input_tokens": tokens.input - tokens.cached_read - tokens.cached_write,
                "cache_read_input_tokens": tokens.cached_read,
                "cache_creation_input_tokens": tokens.cached_write,
                "output_tokens": 1,
            }
            end = {"output_tokens": tokens.output}
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"]}
        yield {"type": "message_start", "message": {**message, "content": [], "usage": start}}
        yield {"type": "ping"}
        for index, part in enumerate(reply.parts):
            yield from self._block(index, part)
        delta = {"stop_reason": REASONS[reply.cause], "stop_sequence": None}
        yield {"type": "message_delta", "delta": delta, "usage": end}
        yield {"type": "message_stop"}

    def _block(self, index: int, part: Say | Think | Call) -> Iterator[Json]:
        match part:
            case Say(pieces):
                block: Json = {"type": "text", "text": ""}
                deltas: list[Json] = [{"type": "text_delta", "text": piece} for piece in pieces]
            case Think(pieces):
                block = {"type": "thinking", "thinking": "", "signature": ""}
                deltas = [{"type": "thinking_delta", "thinking": piece} for piece in pieces]
                signed = signature("".join(pieces))
                deltas.append({"type": "signature_delta", "signature": signed})
            case Call():
                given = f"toolu_{next(self._ids):04}" if part.id is None else part.id
                block = {"type": "tool_use", "id": given, "name": part.name, "input": {}}
                deltas = [
                    {"type": "input_json_delta", "partial_json": piece} for piece in _pieces(part)
                ]
        yield {"type": "content_block_start", "index": index, "content_block": block}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}


class _Violation(Exception):
    pass


def _need(condition: bool, text: str) -> None:
    if not condition:
        raise _Violation(text)


def _pieces(call: Call) -> list[str]:
    text = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
    # The real API begins with an empty piece.
    size = max(1, -(-len(text) // call.pieces))
    return ["", *(text[start : start + size] for start in range(0, len(text), size))]


def _frame(event: Json) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


def _judge_body(body: Any) -> None:
    _need(isinstance(body, dict), "the body is no object")
    _need(body.keys() <= BODY, f"unknown fields: {sorted(body.keys() - BODY)}")
    _need(body.get("stream") is True, "stream")
    _need(isinstance(body.get("model"), str) and body["model"] != "", "model")
    _need(isinstance(body.get("max_tokens"), int) and body["max_tokens"] > 0, "max_tokens")
    for block in body.get("system", []):
        _judge_block("user", block)
    _judge_tools(body.get("tools", []))
    _judge_thinking(body)
    _judge_messages(body.get("messages"))
    _judge_start_of_round(body)
    marks = json.dumps(body).count('"cache_control"')
    _need(marks <= 4, f"a maximum of 4 blocks with cache_control may be provided, found {marks}")


def _judge_tools(tools: list[Json]) -> None:
    names = [tool.get("name", "") for tool in tools]
    _need(len(set(names)) == len(names), "tools: names must be unique")
    known = {"name", "description", "input_schema", "cache_control"}
    for tool in tools:
        _need(tool.keys() <= known, f"tools: unknown fields in {sorted(tool)}")
        _need(NAME.fullmatch(tool["name"]) is not None, "tools: name")
        schema = tool.get("input_schema")
        _need(isinstance(schema, dict) and schema.get("type") == "object", "tools: input_schema")


def _judge_thinking(body: Json) -> None:
    thinking = body.get("thinking")
    if thinking is None:
        _need("output_config" not in body, "output_config without thinking")
    elif thinking.get("type") == "enabled":
        _need(not ADAPTIVE.match(body["model"]), "thinking.type.enabled is not supported")
        _need(thinking.keys() == {"type", "budget_tokens"}, "thinking: fields")
        _need(thinking["budget_tokens"] >= 1024, "thinking.budget_tokens: at least 1024")
        _need(thinking["budget_tokens"] < body["max_tokens"], "max_tokens must be greater")
        _need("output_config" not in body, "effort is not supported")
    else:
        _need(ADAPTIVE.match(body["model"]) is not None, "adaptive thinking is not supported")
        _need(thinking == {"type": "adaptive", "display": "summarized"}, "thinking")
        _need(body["output_config"]["effort"] in ("low", "medium", "high"), "effort")


def _judge_messages(messages: Any) -> None:
    _need(isinstance(messages, list) and bool(messages), "messages: at least one")
    seen: set[str] = set()
    open_calls: list[str] = []
    for place, message in enumerate(messages):
        where = f"messages.{place}"
        _need(message.keys() == {"role", "content"}, f"{where}: fields")
        _need(message["role"] == ("user", "assistant")[place % 2], f"{where}: roles alternate")
        content = message["content"]
        _need(isinstance(content, list) and bool(content), f"{where}: must have content")
        for block in content:
            _judge_block(message["role"], block)
        kinds = [block["type"] for block in content]
        results = [block["tool_use_id"] for block in content if block["type"] == "tool_result"]
        _need("tool_result" not in kinds[len(results) :], f"{where}: tool_results come first")
        _need(sorted(results) == sorted(open_calls), f"{where}: tool_use without tool_result")
        open_calls = [block["id"] for block in content if block["type"] == "tool_use"]
        _need(not seen & set(open_calls), f"{where}: tool_use ids must be unique")
        _need(len(set(open_calls)) == len(open_calls), f"{where}: tool_use ids must be unique")
        seen.update(open_calls)
    _need(messages[-1]["role"] == "user", "this model does not support assistant prefill")


def _judge_block(role: str, block: Json) -> None:
    kind = block.get("type", "")
    known = BLOCKS.get((role, kind))
    _need(known is not None, f"a {kind} block has no place in a message of the {role}")
    rest = block.keys() - (known or set()) - {"type", "cache_control"}
    _need(not rest, f"{kind}: unknown fields {sorted(rest)}")
    _need(kind not in THOUGHTS or "cache_control" not in block, f"{kind}: cache_control")
    match kind:
        case "text":
            _need(block["text"].strip() != "", "text content blocks must contain non-whitespace")
        case "image":
            source = block["source"]
            _need(source.keys() == {"type", "media_type", "data"}, "image: source")
            _need(source["media_type"] in ("image/png", "image/jpeg"), "image: media_type")
        case "tool_use":
            _need(NAME.fullmatch(block["id"]) is not None, "tool_use.id: pattern")
            _need(NAME.fullmatch(block["name"]) is not None, "tool_use.name: pattern")
            _need(isinstance(block["input"], dict), "tool_use.input: an object")
        case "tool_result":
            for inner in block["content"]:
                _need(inner["type"] in ("text", "image"), "tool_result: content")
                _judge_block("user", inner)
        case "thinking":
            _need(block["signature"] == signature(block["thinking"]), "thinking: signature")
        case _:
            _need(block["data"].startswith("Er"), "redacted_thinking: data")


def _judge_start_of_round(body: Json) -> None:
    messages = body["messages"]
    budgeted = body.get("thinking", {}).get("type") == "enabled"
    if budgeted and messages[-1]["content"][0]["type"] == "tool_result":
        first = messages[-2]["content"][0]["type"]
        _need(first in THOUGHTS, f"expected thinking, but found {first}")
