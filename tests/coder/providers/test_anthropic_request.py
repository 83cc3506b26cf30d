"""Requests to Anthropic's Messages API, each of them judged by the fake as well."""

from typing import Any

import pytest

from parley.coder.message import (
    CallPart,
    ImagePart,
    TextPart,
    ThinkingPart,
    ToolResult,
    UserMessage,
)
from parley.coder.providers.anthropic_request import request_body
from parley.coder.providers.provider import ModelInfo, ModelRequest, ThoughtLevel
from tests.coder.providers.fakes.anthropic import AnthropicFake, signature
from tests.coder.providers.fakes.reply import Received
from tests.coder.providers.fakes.samples import PIXEL, agent, request, results, user

BUDGETED = ModelInfo("claude-haiku-4-5", max_output=32_000, images=True, thinking=True)
ADAPTIVE = ModelInfo("claude-opus-4-7", max_output=32_000, images=True, thinking=True)
CACHED = {"type": "ephemeral"}


def body_of(wanted: ModelRequest) -> dict[str, Any]:
    body = request_body(wanted, "anthropic")
    headers = {"x-api-key": "test-key", "anthropic-version": "2023-06-01"}
    verdict = AnthropicFake().judge(Received("POST", "/v1/messages", "", headers, body))
    assert verdict is None, verdict
    return body


def thought(text: str, model: ModelInfo = BUDGETED, provider: str = "anthropic") -> ThinkingPart:
    opaque = {"signature": signature(text), "model": model.id}
    return ThinkingPart(text, provider, opaque)


def kinds(message: dict[str, Any]) -> list[str]:
    return [block["type"] for block in message["content"]]


def test_a_first_request_has_system_tools_and_one_message_each_marked_for_the_cache() -> None:
    assert body_of(request(BUDGETED, user("Hello"))) == {
        "model": "claude-haiku-4-5",
        "max_tokens": 32_000,
        "stream": True,
        "system": [{"type": "text", "text": "Be brief.", "cache_control": CACHED}],
        "tools": [
            {
                "name": "read_file",
                "description": "Read a file.",
                "input_schema": {
                    "type": "object",
                    "properties": {"path": {"type": "string"}},
                    "required": ["path"],
                },
            },
            {
                "name": "bash",
                "description": "Run a command.",
                "input_schema": {
                    "type": "object",
                    "properties": {"command": {"type": "string"}},
                },
                "cache_control": CACHED,
            },
        ],
        "messages": [
            {
                "role": "user",
                "content": [{"type": "text", "text": "Hello", "cache_control": CACHED}],
            }
        ],
    }


def test_without_system_prompt_and_tools_both_are_left_out() -> None:
    body = body_of(ModelRequest(BUDGETED, " ", (user("Hello"),)))
    assert body.keys() == {"model", "max_tokens", "stream", "messages"}


def test_results_come_first_and_the_user_speaks_behind_them_in_one_message() -> None:
    body = body_of(
        request(
            BUDGETED,
            user("Go"),
            agent(TextPart("I read."), CallPart("a", "read_file"), CallPart("b", "bash")),
            results(
                ToolResult("a", "read_file", "text", images=(PIXEL,)),
                ToolResult("b", "bash", "", is_error=True),
            ),
            user("And now?"),
            user("Please."),
        )
    )
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]
    image = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
    assert body["messages"][2]["content"] == [
        {
            "type": "tool_result",
            "tool_use_id": "a",
            "content": [
                {"type": "text", "text": "text"},
                {"type": "image", "source": image},
            ],
        },
        {
            "type": "tool_result",
            "tool_use_id": "b",
            "content": [{"type": "text", "text": "(no output)"}],
            "is_error": True,
        },
        {"type": "text", "text": "And now?"},
        {"type": "text", "text": "Please.", "cache_control": CACHED},
    ]


def test_only_the_last_two_turns_of_the_user_are_marked_for_the_cache() -> None:
    turns = [each for n in range(4) for each in (user(f"q{n}"), agent(TextPart(f"a{n}")))]
    messages = body_of(request(BUDGETED, *turns, user("last")))["messages"]
    marked = [place for place, each in enumerate(messages) if "cache_control" in str(each)]
    assert marked == [6, 8]


def test_blank_text_and_messages_that_say_nothing_are_left_out() -> None:
    body = body_of(
        request(
            BUDGETED,
            user("", " \n"),
            agent(TextPart("  ")),
            user("Hello", ""),
        )
    )
    assert body["messages"] == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "(empty message)"},
                {"type": "text", "text": "Hello", "cache_control": CACHED},
            ],
        }
    ]


def test_a_conversation_begins_and_ends_with_the_user() -> None:
    messages = body_of(request(BUDGETED, agent(TextPart("Hi"))))["messages"]
    assert [each["role"] for each in messages] == ["user", "assistant", "user"]
    assert body_of(ModelRequest(BUDGETED, "", ()))["messages"][0]["role"] == "user"


def test_an_image_the_model_or_the_api_cannot_see_becomes_a_marker() -> None:
    bitmap = ImagePart("Qk0=", "image/bmp")
    blind = ModelInfo("claude-haiku-4-5")
    shown = body_of(request(BUDGETED, UserMessage((PIXEL, bitmap))))["messages"][0]
    assert kinds(shown) == ["image", "text"]
    assert shown["content"][1]["text"] == "[image: image/bmp]"
    unseen = body_of(request(blind, UserMessage((PIXEL,))))["messages"][0]
    assert unseen["content"][0]["text"] == "[image: image/png]"


def test_foreign_and_repeated_ids_and_names_get_the_alphabet_of_the_api() -> None:
    body = body_of(
        request(
            BUDGETED,
            user("Go"),
            agent(CallPart("a.1", "do it"), CallPart("", "")),
            results(ToolResult("a.1", "do it", "1"), ToolResult("", "", "2")),
            agent(CallPart("a_1", "bash")),
            results(ToolResult("a_1", "bash", "3")),
        )
    )
    calls = body["messages"][1]["content"]
    assert [(call["id"], call["name"]) for call in calls] == [("a_1", "do_it"), ("call", "unnamed")]
    assert body["messages"][3]["content"][0]["id"] == "a_1_2"
    assert body["messages"][4]["content"][0]["tool_use_id"] == "a_1_2"


@pytest.mark.parametrize(("level", "budget"), [("low", 2_048), ("medium", 8_192), ("high", 24_000)])
def test_a_level_of_thought_is_a_budget_below_the_limit_of_the_output(
    level: ThoughtLevel, budget: int
) -> None:
    body = body_of(request(BUDGETED, thought_level=level))
    assert body["thinking"] == {"type": "enabled", "budget_tokens": budget}


@pytest.mark.parametrize(
    "model",
    [
        ModelInfo("claude-haiku-4-5", max_output=1_200, thinking=True),
        ModelInfo("claude-haiku-4-5", thinking=False),
    ],
)
def test_a_model_without_room_for_thought_is_not_asked_to_think(model: ModelInfo) -> None:
    assert "thinking" not in body_of(request(model, thought_level="high"))


@pytest.mark.parametrize(
    ("model", "budgeted"),
    [
        ("claude-3-7-sonnet-latest", True),
        ("claude-sonnet-4-20250514", True),
        ("claude-opus-4-1-20250805", True),
        ("eu.anthropic.claude-sonnet-4.5-v1", True),
        ("some-local-model", True),
        ("claude-opus-4-6", False),
        ("anthropic/claude-opus-4.7", False),
        ("claude-sonnet-5", False),
    ],
)
def test_later_models_are_told_how_hard_to_think(model: str, budgeted: bool) -> None:
    info = ModelInfo(model, thinking=True)
    body = request_body(request(info, thought_level="medium"), "anthropic")
    assert (body["thinking"]["type"] == "enabled") is budgeted
    assert body.get("output_config") == (None if budgeted else {"effort": "medium"})


def test_thoughts_go_back_unchanged_with_the_calls_they_led_to() -> None:
    part = thought("Read it first.")
    hidden = ThinkingPart("", "anthropic", {"redacted": "Er123", "model": BUDGETED.id})
    body = body_of(
        request(
            BUDGETED,
            user("Go"),
            agent(part, hidden, CallPart("a", "bash")),
            results(ToolResult("a", "bash", "1")),
            thought_level="low",
        )
    )
    assert body["messages"][1]["content"][:2] == [
        {
            "type": "thinking",
            "thinking": "Read it first.",
            "signature": signature("Read it first."),
        },
        {"type": "redacted_thinking", "data": "Er123"},
    ]


@pytest.mark.parametrize(
    "part",
    [
        thought("of another provider", provider="gemini"),
        thought("of another model", model=ADAPTIVE),
        ThinkingPart("unsigned", "anthropic"),
        ThinkingPart("strange", "anthropic", {"model": BUDGETED.id}),
    ],
)
def test_thoughts_of_others_are_dropped_and_the_round_is_finished_without_any(
    part: ThinkingPart,
) -> None:
    body = body_of(
        request(
            BUDGETED,
            user("Go"),
            agent(part, CallPart("a", "bash")),
            results(ToolResult("a", "bash", "1")),
            thought_level="high",
        )
    )
    assert kinds(body["messages"][1]) == ["tool_use"]
    assert "thinking" not in body


def test_without_a_budget_a_model_that_wants_one_gets_no_thoughts_back() -> None:
    messages = (user("Go"), agent(thought("Hm."), TextPart("Done.")), user("More"))
    assert kinds(body_of(request(BUDGETED, *messages))["messages"][1]) == ["text"]
    again = body_of(request(BUDGETED, *messages, thought_level="low"))
    assert kinds(again["messages"][1]) == ["thinking", "text"]


def test_a_model_that_thinks_by_itself_always_gets_its_thoughts_back() -> None:
    said = agent(thought("Hm.", ADAPTIVE), CallPart("a", "bash"))
    body = body_of(request(ADAPTIVE, user("Go"), said, results(ToolResult("a", "bash", "1"))))
    assert kinds(body["messages"][1]) == ["thinking", "tool_use"]


def test_what_the_model_wrote_instead_of_arguments_is_shown_to_it() -> None:
    wrong = agent(CallPart("a", "bash", malformed="[1]"))
    body = body_of(request(BUDGETED, user("Go"), wrong, results(ToolResult("a", "bash", "no"))))
    assert body["messages"][1]["content"][0]["input"] == {"malformed_arguments": "[1]"}
