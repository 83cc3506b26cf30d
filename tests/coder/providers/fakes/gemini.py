"""The Gemini API as a fake: it streams a scripted reply and judges every request.

A signature is computed from what it signs, so that one that was changed, lost or put on another
part is found out without remembering what was sent.
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

PATH = re.compile(r"/v1beta/models/([a-z0-9.-]+):streamGenerateContent")
BODY = {"contents", "generationConfig", "systemInstruction", "tools"}
KINDS = {"text", "inlineData", "functionCall", "functionResponse"}
SCHEMA = {
    "anyOf", "description", "enum", "format", "items", "maximum", "maxItems", "maxLength",
    "maxProperties", "minimum", "minItems", "minLength", "minProperties", "nullable", "pattern",
    "properties", "required", "title", "type",
}  # fmt: skip
TYPES = {"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT"}
REASONS = {"end": "STOP", "tool_calls": "STOP", "max_tokens": "MAX_TOKENS", "refusal": "SAFETY"}
STATUSES = {
    400: "INVALID_ARGUMENT",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
}
NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}")
UNSIGNED = "skip_thought_signature_validator"


def signature(signed: Any) -> str:
    text = json.dumps(signed, sort_keys=True)
    return "Cs" + hashlib.sha256(text.encode()).hexdigest()


class GeminiFake:
    prefix = ""

    def __init__(self, key: str = "test-key") -> None:
        self.key = key
        self._ids = itertools.count(1)

    def judge(self, request: Received) -> Refusal | None:
        if request.headers.get("x-goog-api-key") != self.key:
            return Refusal(403, f"the caller has no permission: {self.key}")
        path = PATH.fullmatch(request.path)
        if path is None:
            return Refusal(404, f"no such path: {request.path}")
        try:
            _need(request.query == "alt=sse", f"query: {request.query}")
            _judge_body(request.body, newer=_is_newer(path[1]))
        except _Violation as violation:
            return Refusal(400, str(violation))
        return None

    def frames(self, request: Received, reply: Reply) -> list[bytes]:
        path = PATH.fullmatch(request.path)
        assert path is not None
        chunks = self._chunks(reply, newer=_is_newer(path[1]))
        return [b"data: " + json.dumps(chunk).encode() + b"\r\n\r\n" for chunk in chunks]

    def error(self, status: int, message: str, code: str | None) -> Json:
        name = code or STATUSES.get(status, "INTERNAL")
        return {"error": {"code": status, "message": message, "status": name}}

    def document(self, request: Received) -> Json | None:
        if request.path != "/v1beta/models" or request.headers.get("x-goog-api-key") != self.key:
            return None
        talks = ["generateContent", "countTokens"]
        return {
            "models": [
                {
                    "name": "models/gemini-3-flash",
                    "displayName": "Gemini 3 Flash",
                    "inputTokenLimit": 1_048_576,
                    "outputTokenLimit": 60_000,
                    "supportedGenerationMethods": talks,
                    "thinking": False,
                },
                {"name": "models/gemini-2.5-pro", "supportedGenerationMethods": talks},
                {"name": "models/gemini-2.5-flash-image", "supportedGenerationMethods": talks},
                {"name": "models/embedding-001", "supportedGenerationMethods": ["embedContent"]},
            ]
        }

    def _chunks(self, reply: Reply, *, newer: bool) -> Iterator[Json]:
        finish = REASONS[reply.cause]
        signed = False
        for part in reply.parts:
            match part:
                case Say(pieces):
                    yield from (_chunk({"text": piece}) for piece in pieces)
                case Think(pieces):
                    yield from (_chunk({"text": piece, "thought": True}) for piece in pieces)
                case Call(arguments=str()):
                    finish = "MALFORMED_FUNCTION_CALL"
                case Call():
                    yield _chunk(self._call(part, newer=newer, signed=newer and not signed))
                    signed = True
        last = {"text": ""} if signed or not newer else _signed_nothing()
        chunk = _chunk(last)
        chunk["candidates"][0]["finishReason"] = finish
        if reply.tokens:
            chunk["usageMetadata"] = {
                "promptTokenCount": reply.tokens.input,
                "candidatesTokenCount": reply.tokens.output - reply.tokens.thought,
                "thoughtsTokenCount": reply.tokens.thought,
                "cachedContentTokenCount": reply.tokens.cached_read,
                "totalTokenCount": reply.tokens.input + reply.tokens.output,
            }
        yield chunk

    def _call(self, part: Call, *, newer: bool, signed: bool) -> Json:
        call: Json = {"name": part.name, "args": part.arguments}
        given = f"fc{next(self._ids)}" if newer and part.id is None else part.id
        if given:
            call["id"] = given
        return {"functionCall": call, **({"thoughtSignature": signature(call)} if signed else {})}


class _Violation(Exception):
    pass


def _need(condition: bool, text: str) -> None:
    if not condition:
        raise _Violation(text)


def _is_newer(model: str) -> bool:
    return not model.startswith(("gemini-1", "gemini-2"))


def _chunk(part: Json) -> Json:
    return {"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}]}


def _signed_nothing() -> Json:
    return {"text": "", "thoughtSignature": signature("")}


def _judge_body(body: Any, *, newer: bool) -> None:
    _need(isinstance(body, dict), "the body is no object")
    _need(body.keys() <= BODY, f"unknown names: {sorted(body.keys() - BODY)}")
    instruction = body.get("systemInstruction", {"parts": []})
    _need(instruction.keys() == {"parts"}, "systemInstruction")
    for tool in body.get("tools", []):
        _need(tool.keys() == {"functionDeclarations"}, "tools")
        for declaration in tool["functionDeclarations"]:
            _judge_declaration(declaration)
    _judge_settings(body.get("generationConfig", {}), newer=newer)
    _judge_contents(body.get("contents"), newer=newer)


def _judge_settings(settings: Json, *, newer: bool) -> None:
    _need(settings.keys() <= {"maxOutputTokens", "thinkingConfig"}, "generationConfig")
    thinking = settings.get("thinkingConfig", {})
    known = {"includeThoughts", "thinkingLevel" if newer else "thinkingBudget"}
    _need(thinking.keys() <= known, f"thinkingConfig: {sorted(thinking)}")
    level = thinking.get("thinkingLevel", "low")
    _need(level in ("minimal", "low", "medium", "high"), f"thinkingLevel: {level}")


def _judge_declaration(declaration: Json) -> None:
    _need(declaration.keys() <= {"name", "description", "parameters"}, "functionDeclarations")
    _need(NAME.fullmatch(declaration["name"]) is not None, "functionDeclarations: name")
    if "parameters" in declaration:
        parameters = declaration["parameters"]
        _need(parameters.get("type") == "OBJECT", "parameters: type")
        _need(bool(parameters.get("properties")), "parameters: should be non-empty for OBJECT")
        judge_schema(parameters)


def judge_schema(schema: Json) -> None:
    """Refuse a schema as the parser of the real API does: by the first name that it lacks."""
    rest = schema.keys() - SCHEMA
    _need(not rest, f"schema: unknown names {sorted(rest)}")
    kind = schema.get("type")
    _need(kind in TYPES or (kind is None and "anyOf" in schema), f"schema: type {kind!r}")
    _need(kind != "ARRAY" or "items" in schema, "schema: items: missing field")
    _need("enum" not in schema or kind == "STRING", "schema: enum: only allowed for STRING")
    _need(all(isinstance(value, str) for value in schema.get("enum", [])), "schema: enum")
    properties = schema.get("properties", {})
    _need(set(schema.get("required", ())) <= properties.keys(), "schema: required")
    inner = [*properties.values(), *schema.get("anyOf", [])]
    for each in [*inner, schema["items"]] if "items" in schema else inner:
        judge_schema(each)


def _judge_contents(contents: Any, *, newer: bool) -> None:
    _need(isinstance(contents, list) and bool(contents), "contents is not specified")
    expected: list[Json] = []
    for place, content in enumerate(contents):
        where = f"contents[{place}]"
        _need(content.keys() == {"role", "parts"}, f"{where}: fields")
        _need(content["role"] == ("user", "model")[place % 2], f"{where}: roles alternate")
        parts = content["parts"]
        _need(isinstance(parts, list) and bool(parts), f"{where}: parts must not be empty")
        for part in parts:
            _judge_part(content["role"], part)
        answers = [part["functionResponse"] for part in parts if "functionResponse" in part]
        leading = parts[: len(answers)]
        _need(all("functionResponse" in part for part in leading), f"{where}: responses first")
        _judge_answers(where, expected, answers)
        signed = [part for part in parts if "functionCall" in part]
        expected = [part["functionCall"] for part in signed]
        if newer and signed:
            found = signed[0].get("thoughtSignature")
            _need(found is not None, f"{where}: function call is missing a thought_signature")
    _need(contents[-1]["role"] == "user", "contents: the last turn must be of the user")


def _judge_answers(where: str, calls: list[Json], answers: list[Json]) -> None:
    text = "the number of function response parts must equal the number of function call parts"
    _need(len(calls) == len(answers), f"{where}: {text}")
    for call, answer in zip(calls, answers, strict=True):
        _need(call["name"] == answer["name"], f"{where}: functionResponse.name")
        _need(call.get("id") == answer.get("id"), f"{where}: functionResponse.id")
        _need(isinstance(answer.get("response"), dict), f"{where}: functionResponse.response")
        known = {"id", "name", "response", "parts"}
        _need(answer.keys() <= known, f"{where}: functionResponse")


def _judge_part(role: str, part: Json) -> None:
    kinds = part.keys() & KINDS
    _need(len(kinds) == 1, f"a part has one kind of data, not {sorted(kinds)}")
    rest = part.keys() - KINDS - {"thought", "thoughtSignature"}
    _need(not rest, f"part: unknown names {sorted(rest)}")
    kind = kinds.pop()
    allowed = ("text", "functionCall") if role == "model" else KINDS - {"functionCall"}
    _need(kind in allowed, f"{kind} has no place in a turn of the {role}")
    if kind == "text":
        _need(part["text"] != "" or "thoughtSignature" in part, "part: empty text")
    if kind == "functionCall":
        call = part["functionCall"]
        _need(call.keys() <= {"id", "name", "args"}, "functionCall")
        _need(NAME.fullmatch(call["name"]) is not None, "functionCall.name")
        _need(isinstance(call["args"], dict), "functionCall.args")
    found = part.get("thoughtSignature")
    if found is not None and not (kind == "functionCall" and found == UNSIGNED):
        _need(found == signature(part[kind]), "thought signature is not valid")
