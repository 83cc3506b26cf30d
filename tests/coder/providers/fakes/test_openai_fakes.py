"""Both fakes of OpenAI refuse what the real APIs refuse; otherwise passing them proves nothing."""

from typing import Any

import pytest

from tests.coder.providers.fakes.openai_chat import OpenAIChatFake
from tests.coder.providers.fakes.openai_responses import OpenAIResponsesFake, encrypted
from tests.coder.providers.fakes.reply import Received
from tests.coder.providers.fakes.server import Refusal

HEADERS = {"authorization": "Bearer test-key"}
USER = {"role": "user", "content": "Hi"}
FUNCTION = {"name": "bash", "arguments": "{}"}
CALL = {"id": "a", "type": "function", "function": FUNCTION}
CALLING = {"role": "assistant", "content": None, "tool_calls": [CALL]}
TOOL = {"role": "tool", "tool_call_id": "a", "content": "ok"}
SPEC = {"name": "bash", "description": "Run.", "parameters": {"type": "object", "properties": {}}}

SAID = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]}
CALLED = {"type": "function_call", "call_id": "a", "name": "bash", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "a", "output": "ok"}
THOUGHT = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [],
    "encrypted_content": encrypted("[]", "m"),
}


def chat(*messages: Any, **members: Any) -> Refusal | None:
    body = {"model": "m", "messages": list(messages), "stream": True, **members}
    return OpenAIChatFake().judge(Received("POST", "/v1/chat/completions", "", HEADERS, body))


def respond(*items: Any, **members: Any) -> Refusal | None:
    body = {"model": "m", "input": list(items), "stream": True, "store": False, **members}
    return OpenAIResponsesFake().judge(Received("POST", "/v1/responses", "", HEADERS, body))


def test_what_is_well_formed_is_accepted() -> None:
    tools = [{"type": "function", "function": SPEC}]
    assert chat(USER, CALLING, TOOL, USER, tools=tools) is None
    flat = [{"type": "function", **SPEC}]
    assert respond(SAID, THOUGHT, CALLED, OUTPUT, SAID, tools=flat) is None


@pytest.mark.parametrize(
    ("messages", "complaint"),
    [
        ([], "non-empty"),
        ([7], "must be an object"),
        ([{"role": "robot", "content": "x"}], "no role"),
        ([{**USER, "content": ""}], "must be a text"),
        ([{**USER, "content": []}], "must not be empty"),
        ([{**USER, "content": [{"type": "text", "text": ""}]}], "must be a text"),
        ([{**USER, "content": [{"type": "video", "text": "x"}]}], "no type"),
        ([{**USER, "content": [{"type": "image_url", "image_url": {"url": "x"}}]}], "no image"),
        ([{**USER, "extra": 1}], "unknown parameters"),
        ([USER, {"role": "system", "content": "x"}], "must come first"),
        ([USER, {"role": "assistant", "content": ""}, USER], "must be a text"),
        ([USER, {"role": "assistant", "content": "x"}], "last message"),
        ([USER, CALLING], "without a tool message"),
        ([USER, CALLING, USER], "without a tool message"),
        ([USER, TOOL], "must follow"),
        ([USER, CALLING, TOOL, TOOL], "must follow"),
        ([USER, CALLING, {**TOOL, "tool_call_id": "b"}], "another call"),
        ([USER, CALLING, {**TOOL, "content": ""}], "must be a text"),
        ([USER, CALLING, TOOL, CALLING, TOOL], "used twice"),
        ([USER, {**CALLING, "tool_calls": [CALL, CALL]}, TOOL, TOOL], "used twice"),
        ([USER, {**CALLING, "tool_calls": []}, USER], "must not be empty"),
        ([USER, {**CALLING, "tool_calls": [{**CALL, "id": "x" * 65}]}, TOOL], "64"),
        (
            [USER, {**CALLING, "tool_calls": [{**CALL, "function": {**FUNCTION, "name": ""}}]}],
            "bad name",
        ),
        (
            [
                USER,
                {**CALLING, "tool_calls": [{**CALL, "function": {**FUNCTION, "arguments": "{"}}]},
            ],
            "no JSON",
        ),
    ],
)
def test_chat_completions_refuse(messages: list[Any], complaint: str) -> None:
    refusal = chat(*messages)
    assert refusal is not None
    assert refusal.status == 400
    assert complaint in refusal.message


@pytest.mark.parametrize(
    "members",
    [
        {"stream": False},
        {"unknown": 1},
        {"model": ""},
        {"tools": []},
        {"tools": [{"type": "function", "function": {**SPEC, "parameters": {}}}]},
        {"tools": [{"type": "function", "function": {**SPEC, "name": "a b"}}]},
        {"reasoning_effort": "off"},
        {"stream_options": {"x": 1}},
    ],
)
def test_chat_completions_refuse_members(members: dict[str, Any]) -> None:
    refusal = chat(USER, **members)
    assert refusal is not None
    assert refusal.status == 400


@pytest.mark.parametrize(
    ("items", "complaint"),
    [
        ([], "must not be empty"),
        ([7], "must be an object"),
        ([{"type": "robot"}], "no type"),
        ([{**SAID, "content": []}], "is empty"),
        ([{**SAID, "content": [{"type": "output_text", "text": "x"}]}], "no type"),
        ([{**SAID, "role": "robot"}], "no role"),
        ([{**SAID, "id": "msg_1"}], "unknown parameters"),
        ([SAID, CALLED], "no tool output"),
        ([SAID, CALLED, SAID], "no tool output"),
        ([SAID, OUTPUT], "no tool call"),
        ([SAID, CALLED, OUTPUT, OUTPUT], "no tool call"),
        ([SAID, CALLED, {**CALLED, "call_id": "b"}, OUTPUT, SAID], "no tool output"),
        ([SAID, CALLED, {**OUTPUT, "call_id": "b"}], "another call"),
        ([SAID, CALLED, {**OUTPUT, "output": ""}], "must be a text"),
        ([SAID, CALLED, {**OUTPUT, "output": []}], "must not be empty"),
        ([SAID, CALLED, OUTPUT, CALLED, OUTPUT], "used twice"),
        ([SAID, {**CALLED, "arguments": "[]"}, OUTPUT], "must be an object"),
        ([SAID, THOUGHT], "following item"),
        ([SAID, THOUGHT, SAID], "following item"),
        ([SAID, {**THOUGHT, "encrypted_content": "x"}, CALLED, OUTPUT], "decrypted"),
    ],
)
def test_responses_refuse(items: list[Any], complaint: str) -> None:
    refusal = respond(*items)
    assert refusal is not None
    assert refusal.status == 400
    assert complaint in refusal.message


@pytest.mark.parametrize(
    "members",
    [
        {"store": True},
        {"include": ["everything"]},
        {"reasoning": {"effort": "off"}},
        {"messages": []},
        {"tools": []},
        {"tools": [{"type": "function", **SPEC, "parameters": {"type": "string"}}]},
        {"instructions": ""},
    ],
)
def test_responses_refuse_members(members: dict[str, Any]) -> None:
    refusal = respond(SAID, **members)
    assert refusal is not None
    assert refusal.status == 400


@pytest.mark.parametrize("api", [OpenAIChatFake(), OpenAIResponsesFake()])
def test_another_path_is_not_found(api: OpenAIChatFake | OpenAIResponsesFake) -> None:
    refusal = api.judge(Received("POST", "/v1/nowhere", "", HEADERS, {}))
    assert refusal is not None
    assert refusal.status == 404
