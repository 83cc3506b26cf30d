"""A conversation becomes a request that chat completions accept, whatever is in it."""

from typing import Any

import pytest

from parley.coder.message import CallPart, Message, TextPart, ThinkingPart, ToolResult, UserMessage
from parley.coder.providers.openai_chat_request import (
    Dialect,
    dialect_of,
    request_body,
    wire_id,
    wire_name,
)
from parley.coder.providers.provider import ModelInfo, ModelRequest, ToolSpec
from tests.coder.providers.fakes.openai_chat import OpenAIChatFake
from tests.coder.providers.fakes.reply import Received
from tests.coder.providers.fakes.samples import PIXEL, READ, agent, results, user

BLIND = ModelInfo("m")
SEEING = ModelInfo("m", images=True)
URL = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
THOUGHT = ThinkingPart("hm", "acme", {"field": "reasoning_content"})


def body(wanted: ModelRequest, dialect: Dialect | None = None) -> dict[str, Any]:
    """The body, which the strict server accepts."""
    made = request_body(wanted, provider="acme", dialect=dialect or Dialect())
    headers = {"authorization": "Bearer test-key"}
    request = Received("POST", "/v1/chat/completions", "", headers, made)
    assert OpenAIChatFake().judge(request) is None
    return made


def messages(
    *talk: Message, model: ModelInfo = BLIND, dialect: Dialect | None = None
) -> list[dict[str, Any]]:
    return body(ModelRequest(model, "", talk), dialect)["messages"]


def test_a_small_request_has_nothing_that_is_not_needed() -> None:
    assert body(ModelRequest(BLIND, "", (user("Hi"),)), Dialect(stream_usage=False)) == {
        "model": "m",
        "messages": [{"role": "user", "content": "Hi"}],
        "stream": True,
    }


def test_everything_that_can_be_asked_for_is() -> None:
    model = ModelInfo("m", thinking=True, max_output=77)
    bare = ToolSpec("todo", "Plan.", {})
    wanted = ModelRequest(model, "Be brief.", (user("Hi"),), (READ, bare), "high", "session-1")
    made = body(wanted, Dialect(cache_key=True, max_tokens="max_tokens"))
    assert made["messages"][0] == {"role": "system", "content": "Be brief."}
    assert made["stream_options"] == {"include_usage": True}
    assert made["reasoning_effort"] == "high"
    assert made["max_tokens"] == 77
    assert made["prompt_cache_key"] == "session-1"
    assert [tool["function"]["parameters"] for tool in made["tools"]] == [
        READ.schema,
        {"type": "object", "properties": {}},
    ]


def test_effort_is_for_models_that_think_and_when_it_is_wanted() -> None:
    thinker = ModelInfo("m", thinking=True)
    assert "reasoning_effort" not in body(
        ModelRequest(BLIND, "", (user("Hi"),), thought_level="high")
    )
    assert "reasoning_effort" not in body(
        ModelRequest(thinker, "", (user("Hi"),), thought_level="off")
    )


def test_calls_and_their_results_follow_each_other() -> None:
    made = messages(
        user("go"),
        agent(
            TextPart("I look."), CallPart("a", "read_file", {"path": "x"}), CallPart("b", "bash")
        ),
        results(ToolResult("a", "read_file", "text"), ToolResult("b", "bash", "", is_error=True)),
    )
    assert made[1:] == [
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [
                {
                    "id": "a",
                    "type": "function",
                    "function": {"name": "read_file", "arguments": '{"path":"x"}'},
                },
                {"id": "b", "type": "function", "function": {"name": "bash", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "a", "content": "text"},
        {"role": "tool", "tool_call_id": "b", "content": "Error: (empty)"},
    ]


def test_calls_alone_have_no_text_and_malformed_ones_are_sent_as_json() -> None:
    made = messages(
        user("go"),
        agent(CallPart("a", "bash", malformed="{oops")),
        results(ToolResult("a", "bash", "Error: no JSON", is_error=True)),
    )
    assert made[1]["content"] is None
    assert made[1]["tool_calls"][0]["function"]["arguments"] == '{"malformed_arguments":"{oops"}'
    assert made[2]["content"] == "Error: no JSON"


def test_images_are_shown_to_models_that_see_and_named_to_the_others() -> None:
    talk = UserMessage((TextPart("look"), PIXEL, TextPart(" ")))
    assert messages(talk, model=SEEING)[0]["content"] == [{"type": "text", "text": "look"}, URL]
    assert messages(talk)[0]["content"] == "look\n[image: image/png]"


def test_images_of_tools_follow_all_results_as_if_a_user_showed_them() -> None:
    talk = (
        user("go"),
        agent(CallPart("a", "read_file"), CallPart("b", "bash")),
        results(ToolResult("a", "read_file", "", images=(PIXEL,)), ToolResult("b", "bash", "ok")),
        user("and?"),
    )
    made = messages(*talk, model=SEEING)
    assert [message["role"] for message in made] == ["user", "assistant", "tool", "tool", "user"]
    assert made[4]["content"] == [
        {"type": "text", "text": "Images from read_file:"},
        URL,
        {"type": "text", "text": "and?"},
    ]
    assert messages(*talk)[2]["content"] == "[image: image/png]"


def test_nothing_empty_is_sent() -> None:
    made = messages(user("", " "), agent(ThinkingPart("only thoughts")), user("Hi"))
    assert made == [{"role": "user", "content": "(empty)\nHi"}]


def test_users_who_speak_twice_are_one() -> None:
    assert messages(user("a"), user("b")) == [{"role": "user", "content": "a\nb"}]


@pytest.mark.parametrize(
    ("thought", "sent"),
    [
        (THOUGHT, True),
        (ThinkingPart("hm", "other", {"field": "reasoning_content"}), False),
        (ThinkingPart("hm", "acme"), False),
        (ThinkingPart("hm", "acme", {"signature": "x"}), False),
    ],
)
def test_thoughts_of_this_turn_go_back_to_who_made_them(thought: ThinkingPart, sent: bool) -> None:
    call = agent(thought, CallPart("a", "bash"))
    made = messages(user("go"), call, results(ToolResult("a", "bash", "ok")))
    assert ("reasoning_content" in made[1]) is sent


def test_thoughts_of_earlier_turns_and_of_plain_answers_stay_here() -> None:
    made = messages(
        user("go"),
        agent(THOUGHT, CallPart("a", "bash")),
        results(ToolResult("a", "bash", "ok")),
        agent(THOUGHT, TextPart("done")),
        user("more"),
    )
    assert all("reasoning_content" not in message for message in made)


def test_a_strict_vendor_gets_short_ids_and_no_user_right_after_a_tool() -> None:
    made = messages(
        user("go"),
        agent(CallPart("call_0123456789", "bash"), CallPart("abcdefgh9", "bash")),
        results(ToolResult("call_0123456789", "bash", "x"), ToolResult("abcdefgh9", "bash", "x")),
        user("stop"),
        dialect=dialect_of("api.mistral.ai"),
    )
    first, second = (call["id"] for call in made[1]["tool_calls"])
    assert (len(first), first.isalnum(), second) == (9, True, "abcdefgh9")
    assert made[2]["tool_call_id"] == first
    assert [message["role"] for message in made[3:]] == ["tool", "assistant", "user"]


def test_a_long_id_is_shortened_to_the_same_each_time() -> None:
    assert wire_id("x" * 65, short=False) == wire_id("x" * 65, short=False)
    assert len(wire_id("x" * 65, short=False)) == 64
    assert wire_id("x" * 64, short=False) == "x" * 64


def test_vendors_are_known_and_strangers_are_taken_for_local_servers() -> None:
    assert dialect_of("api.openai.com").cache_key
    assert not dialect_of("api.openai.com").raw_text
    assert dialect_of("localhost").raw_text


def test_names_that_models_invent_get_the_alphabet_of_the_api() -> None:
    odd = CallPart("1", "functions.read file", {})
    made = messages(user("Go"), agent(odd), results(ToolResult("1", odd.name, "no such tool")))
    assert made[1]["tool_calls"][0]["function"]["name"] == "functions_read_file"
    assert wire_name("") == "unnamed"
    assert wire_name("x" * 99) == "x" * 64


def test_an_answer_of_blanks_is_left_out() -> None:
    blank = TextPart(" \n")
    assert messages(user("Go"), agent(blank), user("And?")) == [
        {"role": "user", "content": "Go\nAnd?"}
    ]
    made = messages(
        user("Go"), agent(blank, CallPart("1", "bash")), results(ToolResult("1", "bash", "x"))
    )
    assert made[1]["content"] is None
