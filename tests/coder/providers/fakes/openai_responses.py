"""OpenAI's Responses API as a fake: it streams a scripted reply and judges every request.

What it encrypts is computed from the reasoning and the model, so that reasoning that was changed,
invented or made by another model is found out without remembering what was sent.
"""

import hashlib
import itertools
import json
from collections.abc import Iterator
from typing import Any

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
BODY = {"instructions", "tools", "include", "reasoning", "prompt_cache_key", "max_output_tokens"}


def encrypted(text: str, model: str) -> str:
    return "gAAAA" + hashlib.sha256(f"{model}\n{text}".encode()).hexdigest()


class OpenAIResponsesFake:
    """`verified` is whether the organisation may see summaries of reasoning."""

    prefix = "/v1"

    def __init__(
        self,
        key: str = "test-key",
        *,
        verified: bool = True,
        models: tuple[Json, ...] = ({"id": "gpt-5", "object": "model"},),
    ) -> None:
        self.key = key
        self.verified = verified
        self.models = models
        self._ids = itertools.count(1)

    def judge(self, request: Received) -> Refusal | None:
        if request.path != "/v1/responses":
            return Refusal(404, f"Unknown request URL: POST {request.path}")
        try:
            _judge_body(request.body)
            summary = request.body.get("reasoning", {}).get("summary")
            need(self.verified or summary is None, "verify to generate reasoning summaries")
        except Violation as violation:
            return Refusal(400, str(violation))
        return unauthorised(request, self.key)

    def frames(self, request: Received, reply: Reply) -> list[bytes]:
        events = enumerate(self._events(request.body, reply))
        return [
            f"event: {event['type']}\ndata: {json.dumps({**event, 'sequence_number': number})}\n\n"
            .encode()
            for number, event in events
        ]  # fmt: skip

    def error(self, status: int, message: str, code: str | None) -> Json:
        return error_body(status, message, code)

    def document(self, request: Received) -> Json | None:
        if request.path != "/v1/models" or unauthorised(request, self.key):
            return None
        return {"object": "list", "data": list(self.models)}

    def _events(self, body: Json, reply: Reply) -> Iterator[Json]:
        response: Json = {
            "id": "resp_1",
            "object": "response",
            "model": body["model"],
            "status": "in_progress",
            "output": [],
            "usage": None,
            "incomplete_details": None,
            "error": None,
        }
        yield {"type": "response.created", "response": response}
        yield {"type": "response.in_progress", "response": response}
        output: list[Json] = []
        for index, part in enumerate(reply.parts):
            for event in self._item(part, body["model"], refused=reply.cause == "refusal"):
                if event["type"] == "response.output_item.done":
                    output.append(event["item"])
                yield {**event, "output_index": index}
        response = {**response, "output": output, "usage": _usage(reply.tokens)}
        reasons = {"max_tokens": "max_output_tokens", "refusal": "content_filter"}
        if reply.cause == "max_tokens" or (reply.cause == "refusal" and not reply.parts):
            response["status"] = "incomplete"
            response["incomplete_details"] = {"reason": reasons[reply.cause]}
        else:
            response["status"] = "completed"
        yield {"type": f"response.{response['status']}", "response": response}

    def _item(self, part: Say | Think | Call, model: str, *, refused: bool) -> Iterator[Json]:
        number = next(self._ids)
        match part:
            case Say(texts):
                return _message(f"msg_{number}", texts, "refusal" if refused else "output_text")
            case Think(texts):
                return _reasoning(f"rs_{number}", texts, model)
            case Call():
                return _call(part, f"fc_{number}", f"call_{number:04}")


def _message(item_id: str, texts: tuple[str, ...], kind: str) -> Iterator[Json]:
    item: Json = {"id": item_id, "type": "message", "role": "assistant", "status": "in_progress"}
    member = "text" if kind == "output_text" else "refusal"
    place = {"item_id": item_id, "content_index": 0}
    part = {"type": kind, member: ""}
    yield {"type": "response.output_item.added", "item": {**item, "content": []}}
    yield {"type": "response.content_part.added", **place, "part": part}
    for text in texts:
        yield {"type": f"response.{kind}.delta", **place, "delta": text}
    whole = "".join(texts)
    part = {"type": kind, member: whole}
    yield {"type": f"response.{kind}.done", **place, member: whole}
    yield {"type": "response.content_part.done", **place, "part": part}
    done = {**item, "status": "completed", "content": [part]}
    yield {"type": "response.output_item.done", "item": done}


def _reasoning(item_id: str, texts: tuple[str, ...], model: str) -> Iterator[Json]:
    item: Json = {"id": item_id, "type": "reasoning", "summary": [], "encrypted_content": ""}
    yield {"type": "response.output_item.added", "item": item}
    summary: list[Json] = []
    for index, text in enumerate(texts):
        place = {"item_id": item_id, "summary_index": index}
        part = {"type": "summary_text", "text": text}
        empty = {"type": "summary_text", "text": ""}
        yield {"type": "response.reasoning_summary_part.added", **place, "part": empty}
        for piece in pieces(text, 2):
            yield {"type": "response.reasoning_summary_text.delta", **place, "delta": piece}
        yield {"type": "response.reasoning_summary_text.done", **place, "text": text}
        yield {"type": "response.reasoning_summary_part.done", **place, "part": part}
        summary.append(part)
    secret = encrypted(json.dumps(summary), model)
    done = {**item, "summary": summary, "encrypted_content": secret, "status": None}
    yield {"type": "response.output_item.done", "item": done}


def _call(call: Call, item_id: str, call_id: str) -> Iterator[Json]:
    text = written(call)
    item: Json = {"id": item_id, "type": "function_call", "name": call.name, "arguments": ""}
    item["call_id"] = call_id if call.id is None else call.id
    yield {"type": "response.output_item.added", "item": {**item, "status": "in_progress"}}
    for piece in pieces(text, call.pieces):
        kind = "response.function_call_arguments.delta"
        yield {"type": kind, "item_id": item_id, "delta": piece}
    kind = "response.function_call_arguments.done"
    yield {"type": kind, "item_id": item_id, "arguments": text}
    done = {**item, "status": "completed", "arguments": text}
    yield {"type": "response.output_item.done", "item": done}


def _usage(tokens: Tokens | None) -> Json | None:
    if tokens is None:
        return None
    return {
        "input_tokens": tokens.input,
        "input_tokens_details": {"cached_tokens": tokens.cached_read},
        "output_tokens": tokens.output,
        "output_tokens_details": {"reasoning_tokens": tokens.thought},
        "total_tokens": tokens.input + tokens.output,
    }


def _judge_body(body: Any) -> None:
    need_fields(body, "the request", {"model", "input", "stream", "store"}, BODY)
    need_text(body["model"], "model")
    need(body["stream"] is True, "this fake only streams")
    need(body["store"] is False, "the client must not rely on stored responses")
    need_text(body.get("instructions", "x"), "instructions")
    need(body.get("include", ["reasoning.encrypted_content"]) == ["reasoning.encrypted_content"],
         "bad include")  # fmt: skip
    need_fields(body.get("reasoning", {}), "reasoning", set(), {"effort", "summary"})
    need(body.get("reasoning", {}).get("effort", "low") in EFFORTS, "bad reasoning.effort")
    if "tools" in body:
        need(bool(body["tools"]), "tools must not be empty")
        for at, tool in enumerate(body["tools"]):
            need_function(tool, f"tools[{at}]", extra={"type", "strict"})
            need(tool.get("type") == "function", f"tools[{at}].type must be function")
    need(isinstance(body["input"], list) and bool(body["input"]), "input must not be empty")
    _judge_input(body["input"], body["model"])


def _judge_input(items: list[Any], model: str) -> None:
    waiting: list[str] = []
    answering = False
    seen: set[str] = set()
    for at, item in enumerate(items):
        where = f"input[{at}]"
        need(isinstance(item, dict), f"{where} must be an object")
        kind = item.get("type")
        after = items[at + 1] if at + 1 < len(items) else {}
        if kind == "function_call_output":
            need_fields(item, where, {"type", "call_id", "output"}, set())
            need(bool(waiting), f"{where}: no tool call found for call_id {item['call_id']}")
            need(item["call_id"] == waiting.pop(0), f"{where} answers another call")
            _judge_output(item["output"], where)
            answering = True
            continue
        need(not (answering and waiting), f"{where}: no tool output found for {waiting}")
        answering = False
        if kind == "function_call":
            need_fields(item, where, {"type", "call_id", "name", "arguments"}, set())
            need_id(item["call_id"], f"{where}.call_id")
            need(item["call_id"] not in seen, f"{where}: an id is used twice")
            need_called(item["name"], item["arguments"], where)
            seen.add(item["call_id"])
            waiting.append(item["call_id"])
        elif kind == "reasoning":
            _judge_reasoning(item, after, where, model)
        else:
            need(kind == "message", f"{where}: there is no type {kind!r}")
            user = item.get("role") == "user"
            need(not (user and waiting), f"{where}: no tool output found for {waiting}")
            _judge_message(item, where)
    need(not waiting, f"no tool output found for {waiting}")
    last = items[-1]
    need(
        last["type"] == "function_call_output" or last.get("role") == "user",
        "the last item must be the user's or a tool's",
    )


def _judge_reasoning(item: Json, after: Json, where: str, model: str) -> None:
    need_fields(item, where, {"type", "id", "summary", "encrypted_content"}, set())
    secret = encrypted(json.dumps(item["summary"]), model)
    need(item["encrypted_content"] == secret, f"{where} could not be decrypted")
    own = after.get("type") in ("function_call", "reasoning") or after.get("role") == "assistant"
    need(own, f"{where}: reasoning without its required following item")


def _judge_message(item: Json, where: str) -> None:
    need_fields(item, where, {"type", "role", "content"}, set())
    need(item["role"] in ("user", "assistant"), f"{where}: there is no role {item['role']!r}")
    need(isinstance(item["content"], list) and bool(item["content"]), f"{where} is empty")
    for block in item["content"]:
        _judge_block(block, where, "input_text" if item["role"] == "user" else "output_text")


def _judge_output(output: Any, where: str) -> None:
    if not isinstance(output, list):
        need_text(output, f"{where}.output")
        return
    need(bool(output), f"{where}.output must not be empty")
    for block in output:
        _judge_block(block, where, "input_text")


def _judge_block(block: Any, where: str, text_type: str) -> None:
    if isinstance(block, dict) and block.get("type") == "input_image":
        need(text_type == "input_text", f"{where}: only a user shows images")
        need_fields(block, where, {"type", "image_url"}, {"detail"})
        need_image_url(block["image_url"], where)
        return
    need_fields(block, where, {"type", "text"}, set())
    need(block["type"] == text_type, f"{where}: there is no type {block['type']!r}")
    need_text(block["text"], where)
