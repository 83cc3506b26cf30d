"""The fake of Anthropic's API refuses what the real one refuses."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from tests.coder.providers.fakes.anthropic import AnthropicFake, signature
from tests.coder.providers.fakes.reply import Received

Body = dict[str, Any]


def text(words: str, **more: Any) -> Body:
    return {"type": "text", "text": words, **more}


def tool_use(call_id: str, **more: Any) -> Body:
    return {"type": "tool_use", "id": call_id, "name": "bash", "input": {}, **more}


def tool_result(call_id: str) -> Body:
    return {"type": "tool_result", "tool_use_id": call_id, "content": [text("ok")]}


THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": signature("Hm.")}
GOOD: Body = {
    "model": "claude-haiku-4-5",
    "max_tokens": 8_000,
    "stream": True,
    "thinking": {"type": "enabled", "budget_tokens": 2_000},
    "tools": [{"name": "bash", "description": "", "input_schema": {"type": "object"}}],
    "messages": [
        {"role": "user", "content": [text("Go")]},
        {"role": "assistant", "content": [THOUGHT, tool_use("a"), tool_use("b")]},
        {"role": "user", "content": [tool_result("a"), tool_result("b"), text("And?")]},
    ],
}


def refused(body: Any) -> str | None:
    headers = {"x-api-key": "test-key", "anthropic-version": "2023-06-01"}
    refusal = AnthropicFake().judge(Received("POST", "/v1/messages", "", headers, body))
    return refusal.message if refusal else None


def content(body: Body, place: int) -> list[Body]:
    return body["messages"][place]["content"]


def test_a_good_request_is_accepted() -> None:
    assert refused(GOOD) is None


@pytest.mark.parametrize(
    "spoil",
    [
        lambda body: body.update(temperature=1),
        lambda body: body.update(stream=False),
        lambda body: body.update(max_tokens=2_000),
        lambda body: body.update(model=""),
        lambda body: body.update(messages=[]),
        lambda body: body.update(model="claude-opus-4-7"),
        lambda body: body.update(thinking={"type": "adaptive", "display": "summarized"}),
        lambda body: body.update(thinking={"type": "enabled", "budget_tokens": 100}),
        lambda body: body.update(output_config={"effort": "low"}),
        lambda body: body["tools"].append(body["tools"][0]),
        lambda body: body["tools"][0].update(input_schema={"type": "string"}),
        lambda body: body["tools"][0].update(name="no name"),
        lambda body: body["messages"].pop(),
        lambda body: body["messages"].pop(0),
        lambda body: body["messages"].append({"role": "user", "content": [text("again")]}),
        lambda body: body["messages"].append({"role": "assistant", "content": [text("pre")]}),
        lambda body: content(body, 0).clear(),
        lambda body: content(body, 0).append(text(" \n")),
        lambda body: content(body, 0).append(tool_result("z")),
        lambda body: content(body, 0).append(tool_use("z")),
        lambda body: content(body, 0).extend(text("x", cache_control={}) for _ in range(5)),
        lambda body: content(body, 1).pop(0),
        lambda body: content(body, 1)[0].update(signature="other"),
        lambda body: content(body, 1)[0].update(thinking="changed"),
        lambda body: content(body, 1)[0].update(cache_control={}),
        lambda body: content(body, 1)[1].update(id="not an id"),
        lambda body: content(body, 1)[1].update(id="b"),
        lambda body: content(body, 1)[1].update(input="text"),
        lambda body: content(body, 1)[1].update(opaque={}),
        lambda body: content(body, 2).pop(0),
        lambda body: content(body, 2).reverse(),
        lambda body: content(body, 2).append(tool_result("c")),
        lambda body: content(body, 2)[0].update(content=[text("")]),
    ],
)
def test_each_violation_is_refused(spoil: Callable[[Body], object]) -> None:
    body = deepcopy(GOOD)
    spoil(body)
    assert refused(body) is not None


@pytest.mark.parametrize("body", [None, [], {}])
def test_a_body_of_another_form_is_refused(body: Any) -> None:
    assert refused(body) is not None
