"""A conversation becomes a request that the Responses API accepts, whatever is in it."""

from typing import Any

import pytest

from parley.coder.message import CallPart, Message, TextPart, ThinkingPart, ToolResult, UserMessage
from parley.coder.providers.openai_responses_request import request_body
from parley.coder.providers.provider import ModelInfo, ModelRequest
from tests.coder.providers.fakes.openai_responses import OpenAIResponsesFake, encrypted
from tests.coder.providers.fakes.reply import Received
from tests.coder.providers.fakes.samples import PIXEL, READ, agent, results, user

BLIND = ModelInfo("m")
SEEING = ModelInfo("m", images=True, thinking=True)
ITEM = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [],
    "encrypted_content": encrypted("[]", "m"),
}
THOUGHT = ThinkingPart("", "acme", {"model": "m", "item": ITEM})
IMAGE = {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="}


def body(wanted: ModelRequest, *, summaries: bool = True) -> dict[str, Any]:
    """The body, which the strict server accepts."""
    made = request_body(wanted, provider="acme", summaries=summaries)
    headers = {"authorization": "Bearer test-key"}
    refusal = OpenAIResponsesFake().judge(Received("POST", "/v1/responses", "", headers, made))
    assert refusal is None
    return made


def items(*talk: Message, model: ModelInfo = BLIND) -> list[dict[str, Any]]:
    return body(ModelRequest(model, "", talk))["input"]


def said(text: str) -> dict[str, Any]:
    return {"type": "input_text", "text": text}


def test_a_small_request_keeps_nothing_at_the_server() -> None:
    assert body(ModelRequest(BLIND, "", (user("Hi"),))) == {
        "model": "m",
        "input": [{"type": "message", "role": "user", "content": [said("Hi")]}],
        "stream": True,
        "store": False,
    }


def test_everything_that_can_be_asked_for_is() -> None:
    made = body(ModelRequest(SEEING, "Be brief.", (user("Hi"),), (READ,), "low", "session-1"))
    assert made["instructions"] == "Be brief."
    assert made["include"] == ["reasoning.encrypted_content"]
    assert made["reasoning"] == {"effort": "low", "summary": "auto"}
    assert made["prompt_cache_key"] == "session-1"
    assert made["tools"] == [
        {
            "type": "function",
            "name": "read_file",
            "description": "Read a file.",
            "parameters": READ.schema,
            "strict": False,
        }
    ]


def test_a_model_that_does_not_think_is_not_asked_to() -> None:
    made = body(ModelRequest(BLIND, "", (user("Hi"),), thought_level="high"))
    assert "reasoning" not in made
    assert "include" not in made


def test_without_summaries_and_effort_nothing_is_said_of_reasoning() -> None:
    made = body(ModelRequest(SEEING, "", (user("Hi"),)), summaries=False)
    assert "reasoning" not in made
    assert made["include"] == ["reasoning.encrypted_content"]


def test_reasoning_stands_before_what_it_led_to() -> None:
    made = items(
        user("go"),
        agent(THOUGHT, TextPart("I look."), CallPart("a", "bash", {"command": "ls"})),
        results(ToolResult("a", "bash", "no", is_error=True)),
    )
    text = {"type": "output_text", "text": "I look."}
    assert made[1:] == [
        ITEM,
        {"type": "message", "role": "assistant", "content": [text]},
        {
            "type": "function_call",
            "call_id": "a",
            "name": "bash",
            "arguments": '{"command":"ls"}',
        },
        {"type": "function_call_output", "call_id": "a", "output": "Error: no"},
    ]


@pytest.mark.parametrize(
    "thought",
    [
        ThinkingPart("hm"),
        ThinkingPart("hm", "acme", {"field": "reasoning"}),
        ThinkingPart("hm", "other", {"model": "m", "item": ITEM}),
        ThinkingPart("hm", "acme", {"model": "another", "item": ITEM}),
    ],
)
def test_reasoning_of_others_is_left_out(thought: ThinkingPart) -> None:
    made = items(user("go"), agent(thought, TextPart("Hi")), user("more"))
    assert [item["type"] for item in made] == ["message"] * 3


def test_reasoning_that_led_to_nothing_is_left_out() -> None:
    made = items(user("go"), agent(TextPart("Hi"), TextPart(""), THOUGHT), user("more"))
    assert [item["type"] for item in made] == ["message"] * 3


def test_images_are_shown_to_models_that_see_and_named_to_the_others() -> None:
    talk = (
        UserMessage((PIXEL, TextPart(""))),
        agent(CallPart("a", "read_file")),
        results(ToolResult("a", "read_file", "a picture", images=(PIXEL,))),
        user(""),
    )
    seen = items(*talk, model=SEEING)
    assert seen[0]["content"] == [IMAGE]
    assert seen[2]["output"] == [said("a picture"), IMAGE]
    assert seen[3]["content"] == [said("(empty)")]
    named = items(*talk)
    assert named[0]["content"] == [said("[image: image/png]")]
    assert named[2]["output"] == "a picture\n[image: image/png]"


def test_names_that_models_invent_get_the_alphabet_of_the_api() -> None:
    odd = CallPart("1", "functions.read file", {})
    made = items(user("Go"), agent(odd), results(ToolResult("1", odd.name, "no such tool")))
    assert made[1]["name"] == "functions_read_file"


def test_an_answer_of_blanks_is_left_out() -> None:
    made = items(user("Go"), agent(TextPart(" \n")), user("And?"))
    assert [item["role"] for item in made] == ["user", "user"]
