"""A model for agents of strangers: it calls one tool that writes a file, and then says that it did.

Whatever a stranger asks is answered. What the real APIs would refuse is not the subject here.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tests.coder.providers.fakes.gemini import GeminiFake
from tests.coder.providers.fakes.openai_chat import OpenAIChatFake
from tests.coder.providers.fakes.reply import (
    Call,
    Received,
    Reply,
    Scripted,
    Stall,
    Status,
    calls,
    says,
)
from tests.coder.providers.fakes.server import FakeServer, Refusal

Json = dict[str, Any]

ANSWER = "The file is written."
ASIDE = "Writing a file"
"""What is said to requests without tools: agents ask for titles and the like beside a turn."""
_SIMPLE = json.dumps({"complexity_reasoning": "one file", "complexity_score": 1})
"""What a router of models wants to hear; whoever wants something else takes it as text."""


@dataclass(frozen=True)
class WriteTool:
    """What an agent calls its tool that writes a file, and the arguments of it."""

    wire: Literal["openai", "gemini"]
    name: str
    path: str
    content: str = "content"

    def call(self, file: Path, text: str) -> Call:
        return Call(self.name, {self.path: str(file), self.content: text})


class LenientChat(OpenAIChatFake):
    """Takes every body and every key."""

    def judge(self, request: Received) -> Refusal | None:
        known = request.path.endswith("/chat/completions")
        return None if known else Refusal(404, f"no such path: {request.path}")


class LenientGemini(GeminiFake):
    """Takes every body and every key."""

    def judge(self, request: Received) -> Refusal | None:
        known = "/models/" in request.path
        return None if known else Refusal(404, f"no such path: {request.path}")


def serve(tool: WriteTool, file: Path, text: str, *, stalls: bool) -> FakeServer:
    """A server that is not started yet, for one agent.

    One that stalls says a word instead of calling the tool, and then nothing more.
    """
    call = tool.call(file, text)
    first = Stall(says("Begun", " and"), 2) if stalls else calls(call)
    if tool.wire == "openai":
        api = LenientChat(models=({"id": "fake", "object": "model"},))
        return FakeServer(api, chat(call.name, first))
    return FakeServer(LenientGemini(), gemini(call.name, first))


def chat(tool: str, first: Reply | Stall) -> Callable[[Received], Scripted]:
    """Chat completions, by what was asked and not by how often."""

    def step(request: Received) -> Scripted:
        body: Json = request.body
        offered = {each.get("function", {}).get("name") for each in body.get("tools") or ()}
        if not body.get("stream"):
            return Status(200, body=json.dumps(_completion(body)).encode())
        if tool not in offered:
            return says(ASIDE)
        return says(ANSWER) if body["messages"][-1]["role"] == "tool" else first

    return step


def gemini(tool: str, first: Reply | Stall) -> Callable[[Received], Scripted]:
    """The same for Gemini."""

    def step(request: Received) -> Scripted:
        body: Json = request.body
        if not request.path.endswith(":streamGenerateContent"):
            return Status(200, body=json.dumps(_content(request.path)).encode())
        declared = {
            declaration["name"]
            for each in body.get("tools") or ()
            for declaration in each.get("functionDeclarations", ())
        }
        if tool not in declared:
            return says(ASIDE)
        last = body["contents"][-1]["parts"]
        return says(ANSWER) if any("functionResponse" in part for part in last) else first

    return step


def _completion(body: Json) -> Json:
    message = {"role": "assistant", "content": ASIDE}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_800_000_000,
        "model": body.get("model", "fake"),
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


def _content(path: str) -> Json:
    if path.endswith(":countTokens"):
        return {"totalTokens": 10}
    content = {"role": "model", "parts": [{"text": _SIMPLE}]}
    return {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}]}
