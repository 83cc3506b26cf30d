"""The body of a request to the Gemini API. Pure: a `ModelRequest` in, JSON out.

Gemini signs what it thought. A signature goes back on the very part that it came with, to the
model that made it; `gemini_stream` keeps it in `opaque`, with the model and what part it was on.
"""

import re
from typing import Any, Literal

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
from parley.coder.providers.gemini_schema import gemini_schema
from parley.coder.providers.growing import Growing
from parley.coder.providers.provider import ModelInfo, ModelRequest, ThoughtLevel, ToolSpec

Json = dict[str, Any]

SIGNATURE = "thoughtSignature"

SignedPart = Literal["thought", "text", "nothing"]
"""What a kept signature was on: a thought, the text before it, or a part without any text."""

# What Gemini accepts in place of a signature on calls that it did not make itself.
_UNSIGNED = "skip_thought_signature_validator"
_OLDER = re.compile(r"gemini-(1|2)\b|gemma|learnlm|gemini-pro")
_BUDGETS: dict[ThoughtLevel, int] = {"low": 2_048, "medium": 8_192, "high": 24_576}
_LEAST_PRO_BUDGET = 128


def request_body(request: ModelRequest, provider: str, growing: Growing | None = None) -> Json:
    """The body for `:streamGenerateContent`; `provider` is who may have its signatures back.

    `growing` has what was written for earlier requests.
    """
    settings: Json = {"maxOutputTokens": request.model.max_output}
    if request.model.thinking:
        settings["thinkingConfig"] = _thinking(request)
    body: Json = {
        "contents": _contents(request, provider, growing or Growing()),
        "generationConfig": settings,
    }
    if request.system.strip():
        body["systemInstruction"] = {"parts": [{"text": request.system}]}
    if request.tools:
        body["tools"] = [{"functionDeclarations": [_tool(spec) for spec in request.tools]}]
    return body


def _is_older(model: ModelInfo) -> bool:
    """Whether a model is from before version 3, which changed signatures, levels and results."""
    return _OLDER.search(model.id.lower()) is not None


def _thinking(request: ModelRequest) -> Json:
    model, level = request.model, request.thought_level
    if _is_older(model):
        # The large models of that generation cannot do without.
        least = _LEAST_PRO_BUDGET if "pro" in model.id else 0
        choice: Json = {"thinkingBudget": _BUDGETS.get(level, least)}
    else:
        least_level = "minimal" if "flash" in model.id else "low"
        choice = {"thinkingLevel": least_level if level == "off" else level}
    return choice if level == "off" else {"includeThoughts": True, **choice}


def _tool(spec: ToolSpec) -> Json:
    tool: Json = {"name": spec.name, "description": spec.description}
    schema = gemini_schema(spec.schema)
    return {**tool, "parameters": schema} if schema else tool


def _contents(request: ModelRequest, provider: str, growing: Growing) -> list[Json]:
    model = request.model
    settings = (model.id, model.images)
    contents = growing.written(
        request.cache_key, settings, request.messages, lambda: GeminiWriter(model, provider)
    )
    if not contents or contents[-1]["role"] != "user":
        contents.append({"role": "user", "parts": [{"text": "Continue."}]})
    return contents


class GeminiWriter:
    """Writes one conversation; it knows the calls of the last message of the model."""

    def __init__(self, model: ModelInfo, provider: str) -> None:
        self.items: list[Json] = []
        self._model = model
        self._provider = provider
        self._older = _is_older(model)
        self._calls: dict[str, Json] = {}

    def take(self, message: Message) -> None:
        match message:
            case UserMessage():
                self._add("user", self._user(message) or [{"text": "(empty message)"}])
            case AgentMessage():
                self._add("model", self._agent(message))
            case ToolMessage():
                self._add("user", self._results(message))

    def _add(self, role: str, parts: list[Json]) -> None:
        if not parts:
            return
        if not self.items and role != "user":
            # A call must follow a turn of the user, and a conversation begins with one.
            self.items.append({"role": "user", "parts": [{"text": "(start)"}]})
        if self.items and self.items[-1]["role"] == role:
            self.items[-1]["parts"].extend(parts)
        else:
            self.items.append({"role": role, "parts": parts})

    def _user(self, message: UserMessage) -> list[Json]:
        return [
            self._image(part) if isinstance(part, ImagePart) else {"text": part.text}
            for part in message.content
            if isinstance(part, ImagePart) or part.text
        ]

    def _agent(self, message: AgentMessage) -> list[Json]:
        self._calls = {}
        parts: list[Json] = []
        for part in message.content:
            match part:
                case TextPart():
                    if part.text:
                        parts.append({"text": part.text})
                case ThinkingPart():
                    self._sign(parts, part)
                case CallPart():
                    parts.append(self._call(part))
        return parts

    def _results(self, message: ToolMessage) -> list[Json]:
        answers: list[Json] = []
        images: list[Json] = []
        for result in message.results:
            answer = self._answer(result)
            shown = [self._image(image) for image in result.images]
            answers.append({"functionResponse": answer})
            if shown and not self._older and all("inlineData" in image for image in shown):
                answer["parts"] = shown
            else:
                images += shown
        return answers + images

    def _answer(self, result: ToolResult) -> Json:
        call = self._calls.get(result.call_id, {"name": _name(result.name)})
        named = {key: call[key] for key in ("id", "name") if key in call}
        return {**named, "response": {"error" if result.is_error else "output": result.text}}

    def _image(self, image: ImagePart) -> Json:
        if not self._model.images:
            return {"text": f"[image: {image.mime_type}]"}
        return {"inlineData": {"mimeType": image.mime_type, "data": image.data}}

    def _call(self, part: CallPart) -> Json:
        kept = self._own(part)
        wrong = {"malformed_arguments": part.malformed}
        given = part.arguments if part.malformed is None else wrong
        call: Json = {"name": _name(part.name), "args": given}
        if "id" in kept:
            call = {"id": kept["id"], **call}
        # Only the first call of a step is signed, and newer models insist on that signature.
        unsigned = not self._calls and not self._older
        self._calls[part.id] = call
        # A signature is for what the model wrote, so a call that had to be changed has none.
        signed = (
            kept.get(SIGNATURE) if part.malformed is None and call["name"] == part.name else None
        )
        signature = signed or (_UNSIGNED if unsigned else None)
        return {"functionCall": call, **({SIGNATURE: signature} if signature else {})}

    def _sign(self, parts: list[Json], part: ThinkingPart) -> None:
        kept = self._own(part)
        if SIGNATURE not in kept:
            return
        signature = {SIGNATURE: kept[SIGNATURE]}
        if kept.get("on") == "thought":
            parts.append({"text": part.text, "thought": True, **signature})
        elif kept.get("on") == "text" and parts and "text" in parts[-1]:
            parts[-1] = {**parts[-1], **signature}
        else:
            parts.append({"text": "", **signature})

    def _own(self, part: ThinkingPart | CallPart) -> Json:
        kept = part.opaque or {}
        own = part.provider == self._provider and kept.get("model") == self._model.id
        return kept if own else {}


def _name(name: str) -> str:
    """A name that the API takes; models invent others."""
    name = re.sub(r"[^a-zA-Z0-9_.:-]", "_", name)[:128]
    return name if re.match(r"[a-zA-Z_]", name) else f"_{name}"[:128]
