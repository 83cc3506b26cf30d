"""Chat completions as a fake: it streams a scripted reply and judges every request."""

import itertools
import json
from collections.abc import Iterator
from typing import Any, Literal

from tests.coder.providers.fakes.openai_rules import (
    EFFORTS,
    Violation,
    error_body,
    need,
    need_called,
    need_fields,
    need_function,
    need_id,
    need_image_url,
    need_text,
    pieces,
    unauthorised,
    written,
)
from tests.coder.providers.fakes.reply import Call, Received, Reply, Say, Think, Tokens
from tests.coder.providers.fakes.server import Refusal

Json = dict[str, Any]
Style = Literal["pieces", "whole", "object"]
"""How calls are streamed: as OpenAI does, each in one chunk, or with arguments as an object."""
DONE = b"data: [DONE]\n\n"
FINISH = {
    "end": "stop",
    "tool_calls": "tool_calls",
    "max_tokens": "length",
    "refusal": "content_filter",
}
BODY = {
    "stream_options", "tools", "reasoning_effort", "max_tokens", "max_completion_tokens",
    "prompt_cache_key",
}  # fmt: skip


class OpenAIChatFake:
    """`thought_field` is where a vendor puts reasoning; OpenAI itself has none."""

    prefix = "/v1"

    def __init__(
        self,
        key: str = "test-key",
        *,
        style: Style = "pieces",
        thought_field: str = "reasoning_content",
        models: tuple[Json, ...] = ({"id": "gpt-5", "object": "model"},),
    ) -> None:
        self.key = key
        self.style = style
        self.thought_field = thought_field
        self.models = models
        self._ids = itertools.count(1)

    def judge(self, request: Received) -> Refusal | None:
        if request.path != "/v1/chat/completions":
            return Refusal(404, f"Unknown request URL: POST {request.path}")
        try:
            _judge_body(request.body, self.thought_field)
        except Violation as violation:
            return Refusal(400, str(violation))
        return unauthorised(request, self.key)

    def frames(self, request: Received, reply: Reply) -> list[bytes]:
        body = request.body
        chunks = [_chunk(body, delta) for delta in self._deltas(reply)]
        refused = reply.cause == "refusal" and bool(reply.parts)
        chunks.append(_chunk(body, {}, "stop" if refused else FINISH[reply.cause]))
        if reply.tokens is not None and body.get("stream_options"):
            chunks.append({**_chunk(body, {}), "choices": [], "usage": _usage(reply.tokens)})
        return [*(b"data: %s\n\n" % json.dumps(chunk).encode() for chunk in chunks), DONE]

    def error(self, status: int, message: str, code: str | None) -> Json:
        return error_body(status, message, code)

    def document(self, request: Received) -> Json | None:
        if request.path != "/v1/models" or unauthorised(request, self.key):
            return None
        return {"object": "list", "data": list(self.models)}

    def _deltas(self, reply: Reply) -> Iterator[Json]:
        yield {"role": "assistant", "content": "", "refusal": None}
        text_field = "refusal" if reply.cause == "refusal" else "content"
        index = 0
        for part in reply.parts:
            match part:
                case Say(texts):
                    yield from ({text_field: text} for text in texts)
                case Think(texts):
                    yield from ({self.thought_field: text, "content": None} for text in texts)
                case Call():
                    yield from self._call(index, part)
                    index += 1

    def _call(self, index: int, call: Call) -> Iterator[Json]:
        head: Json = {"index": index, "type": "function"}
        if call.id != "":
            head["id"] = call.id or f"call_{next(self._ids):04}"
        text = written(call)
        if self.style != "pieces":
            arguments = json.loads(text) if self.style == "object" else text
            yield {"tool_calls": [{**head, "function": _function(call.name, arguments)}]}
            return
        yield {"tool_calls": [{**head, "function": _function(call.name, "")}]}
        for piece in pieces(text, call.pieces):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _function(name: str, arguments: Any) -> Json:
    return {"name": name, "arguments": arguments}


def _chunk(body: Json, delta: Json, finish: str | None = None) -> Json:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1_800_000_000,
        "model": body["model"],
        "system_fingerprint": "fp_1",
        "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}],
        "usage": None,
    }


def _usage(tokens: Tokens) -> Json:
    return {
        "prompt_tokens": tokens.input,
        "completion_tokens": tokens.output,
        "total_tokens": tokens.input + tokens.output,
        "prompt_tokens_details": {"cached_tokens": tokens.cached_read, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": tokens.thought},
    }


def _judge_body(body: Any, thought_field: str) -> None:
    need_fields(body, "the request", {"model", "messages", "stream"}, BODY)
    need_text(body["model"], "model")
    need(body["stream"] is True, "this fake only streams")
    need(body.get("stream_options", {}) in ({}, {"include_usage": True}), "bad stream_options")
    need(body.get("reasoning_effort", "low") in EFFORTS, "bad reasoning_effort")
    tools = body.get("tools", [{}])
    need(isinstance(tools, list) and bool(tools), "tools must be a non-empty list")
    for at, tool in enumerate(tools if "tools" in body else ()):
        need_fields(tool, f"tools[{at}]", {"type", "function"}, set())
        need(tool["type"] == "function", f"tools[{at}].type must be function")
        need_function(tool["function"], f"tools[{at}].function", extra={"strict"})
    messages = body["messages"]
    need(isinstance(messages, list) and bool(messages), "messages must be a non-empty list")
    _judge_messages(messages, thought_field)


def _judge_messages(messages: list[Any], thought_field: str) -> None:
    open_calls: list[str] = []
    seen: set[str] = set()
    for at, message in enumerate(messages):
        where = f"messages[{at}]"
        need(isinstance(message, dict), f"{where} must be an object")
        role = message.get("role")
        if role == "tool":
            need_fields(message, where, {"role", "content", "tool_call_id"}, set())
            need(bool(open_calls), f"{where}: a tool message must follow tool_calls")
            need(message["tool_call_id"] == open_calls.pop(0), f"{where} answers another call")
            need_text(message["content"], f"{where}.content")
            continue
        need(not open_calls, f"{where}: tool_calls without a tool message: {open_calls}")
        if role == "assistant":
            open_calls = _judge_assistant(message, where, thought_field)
            need(not seen & set(open_calls), f"{where}: an id is used twice")
            need(len(set(open_calls)) == len(open_calls), f"{where}: an id is used twice")
            seen |= set(open_calls)
        elif role == "system":
            need_fields(message, where, {"role", "content"}, set())
            need(at == 0, f"{where}: a system message must come first")
            need_text(message["content"], f"{where}.content")
        else:
            need(role == "user", f"{where}: there is no role {role!r}")
            need_fields(message, where, {"role", "content"}, set())
            _judge_content(message["content"], f"{where}.content")
    need(not open_calls, f"tool_calls without a tool message: {open_calls}")
    need(
        messages[-1]["role"] in ("user", "tool"), "the last message must be the user's or a tool's"
    )


def _judge_assistant(message: Json, where: str, thought_field: str) -> list[str]:
    need_fields(message, where, {"role", "content"}, {"tool_calls", thought_field})
    if "tool_calls" not in message or message["content"] is not None:
        need_text(message["content"], f"{where}.content")
    if thought_field in message:
        need_text(message[thought_field], f"{where}.{thought_field}")
    calls = message.get("tool_calls", [{}])
    need(isinstance(calls, list) and bool(calls), f"{where}.tool_calls must not be empty")
    ids: list[str] = []
    for call in calls if "tool_calls" in message else ():
        need_fields(call, f"{where}.tool_calls", {"id", "type", "function"}, set())
        need_id(call["id"], f"{where}.tool_calls.id")
        need(call["type"] == "function", f"{where}.tool_calls.type must be function")
        function = call["function"]
        need_fields(function, f"{where}.function", {"name", "arguments"}, set())
        need_called(function["name"], function["arguments"], where)
        ids.append(call["id"])
    return ids


def _judge_content(content: Any, where: str) -> None:
    if not isinstance(content, list):
        need_text(content, where)
        return
    need(bool(content), f"{where} must not be empty")
    for block in content:
        if isinstance(block, dict) and block.get("type") == "image_url":
            need_fields(block, where, {"type", "image_url"}, set())
            need_fields(block["image_url"], where, {"url"}, {"detail"})
            need_image_url(block["image_url"]["url"], where)
        else:
            need_fields(block, where, {"type", "text"}, set())
            need(block["type"] == "text", f"{where}: there is no type {block['type']!r}")
            need_text(block["text"], where)
