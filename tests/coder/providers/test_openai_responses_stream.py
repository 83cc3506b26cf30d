"""What the Responses API streams, whole and with what lesser servers leave out."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parley.coder.errors import ProviderError
from parley.coder.message import AgentMessage, CallPart, TextPart, ThinkingPart
from parley.coder.providers.failure import Place
from parley.coder.providers.openai_responses_stream import ResponsesReader
from parley.coder.providers.provider import (
    Answer,
    CallBegun,
    ModelEvent,
    ModelInfo,
    ModelUsage,
    TextDelta,
    ThoughtDelta,
)
from parley.coder.providers.sse import ServerEvent
from tests.coder.providers.fakes.openai_responses import OpenAIResponsesFake
from tests.coder.providers.fakes.recorded import heard, recording, split
from tests.coder.providers.fakes.reply import Call, Reply, Say, Think, Tokens
from tests.coder.providers.fakes.samples import agent, request, user

PLACE = Place("acme", "http://localhost/v1")
REPLY = Reply(
    (
        Think(("Höm…", "so")),
        Say(("Hé", "llo")),
        Call("read_file", {"path": "ä\n€"}, "a", pieces=5),
        Call("bash", "{oops", "old", pieces=4),
    ),
    Tokens(50, 20, 5, 30),
)
RECORDED = recording(OpenAIResponsesFake(), REPLY, {"model": "m"})
COMPLETED = {"type": "response.completed", "response": {}}


def reader() -> ResponsesReader:
    numbers = iter(range(1, 100))
    history = (user("x"), agent(CallPart("old", "bash")))
    wanted = request(ModelInfo("m"), *history)
    return ResponsesReader(wanted, PLACE, make_id=lambda: f"made-{next(numbers)}")


def read(*events: dict[str, Any]) -> tuple[list[ModelEvent], Answer | None]:
    source = reader()
    seen = [
        said for event in events for said in source.feed(ServerEvent("message", json.dumps(event)))
    ]
    return seen, source.answer()


def done(item: dict[str, Any], index: int = 0) -> dict[str, Any]:
    return {"type": "response.output_item.done", "output_index": index, "item": item}


def test_a_whole_answer_is_understood() -> None:
    events, answer = heard(reader(), [RECORDED])
    assert [event for event in events if not isinstance(event, ThoughtDelta)] == [
        TextDelta("Hé"),
        TextDelta("llo"),
        CallBegun("a", "read_file"),
        CallBegun("made-1", "bash"),
    ]
    assert answer is not None
    thought, *rest = answer.message.content
    assert isinstance(thought, ThinkingPart)
    assert thought.text == "Höm…\n\nso"
    assert rest == [
        TextPart("Héllo"),
        CallPart("a", "read_file", {"path": "ä\n€"}, provider="acme"),
        CallPart("made-1", "bash", malformed="{oops", provider="acme"),
    ]
    assert (answer.cause, answer.usage) == ("tool_calls", ModelUsage(50, 20, 5, 30))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 20_000), max_size=10))
def test_any_split_of_the_stream_gives_the_same(cuts: list[int]) -> None:
    assert heard(reader(), split(RECORDED, cuts)) == heard(reader(), [RECORDED])


@pytest.mark.parametrize("end", range(0, len(RECORDED) - 2, 193))
def test_no_beginning_of_the_stream_is_an_answer(end: int) -> None:
    assert heard(reader(), [RECORDED[:end]])[1] is None


def test_items_that_were_not_streamed_are_said_when_they_are_done() -> None:
    summary = [{"type": "summary_text", "text": "hm"}]
    events, answer = read(
        done({"type": "reasoning", "id": "rs_1", "summary": summary, "status": None}, 0),
        done({"type": "message", "content": [{"type": "output_text", "text": "Hi"}]}, 1),
        done({"type": "function_call", "call_id": "c", "name": "bash", "arguments": "{}"}, 2),
        {**COMPLETED, "response": {"usage": {"input_tokens": 3}}},
    )
    assert events == [ThoughtDelta("hm"), TextDelta("Hi"), CallBegun("c", "bash")]
    parts = (ThinkingPart("hm", "acme"), TextPart("Hi"), CallPart("c", "bash", provider="acme"))
    assert answer == Answer(AgentMessage(parts), "tool_calls", ModelUsage(3))


def test_an_answer_that_comes_at_the_end_only_is_understood() -> None:
    refusal = {"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}
    events, answer = read({**COMPLETED, "response": {"output": [refusal, {"type": "web_search"}]}})
    assert events == [TextDelta("No.")]
    assert answer == Answer(AgentMessage((TextPart("No."),)), "refusal", ModelUsage())


def test_pieces_without_an_index_or_a_beginning_find_their_item() -> None:
    events, answer = read(
        {"type": "response.reasoning_text.delta", "delta": "hm"},
        {"type": "response.output_text.delta", "output_index": 1, "delta": "Hi"},
        {"type": "response.output_text.delta", "delta": "!"},
        {"type": "response.output_text.delta", "delta": ""},
        COMPLETED,
    )
    assert events == [ThoughtDelta("hm"), TextDelta("Hi"), TextDelta("!")]
    assert answer is not None
    assert answer.message.content == (ThinkingPart("hm", "acme"), TextPart("Hi!"))


def test_arguments_without_the_end_of_their_item_are_those_that_came() -> None:
    added = {"type": "function_call", "call_id": "c", "name": "bash", "arguments": ""}
    kind = "response.function_call_arguments"
    _, answer = read(
        {"type": "response.output_item.added", "output_index": 0, "item": added},
        {"type": f"{kind}.delta", "output_index": 0, "delta": '{"comm'},
        {
            "type": "response.incomplete",
            "response": {"incomplete_details": {"reason": "max_output_tokens"}},
        },
    )
    assert answer is not None
    assert answer.cause == "max_tokens"
    assert answer.message.calls == (CallPart("c", "bash", malformed='{"comm', provider="acme"),)


def test_the_name_of_the_event_counts_where_the_data_has_none() -> None:
    source = reader()
    delta = ServerEvent("response.output_text.delta", '{"delta": "Hi"}')
    assert list(source.feed(delta)) == [TextDelta("Hi")]
    list(source.feed(ServerEvent("response.completed", "{}")))
    list(source.feed(ServerEvent("message", "[DONE]")))
    assert source.finished


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        ({"type": "error", "code": "rate_limit_exceeded", "message": "x"}, "limit"),
        ({"type": "error", "error": {"type": "invalid_request_error"}}, "request"),
        ({"type": "response.failed", "response": {"error": {"code": "server_error"}}}, "server"),
        ({"type": "response.failed"}, "server"),
        ({"type": "response.output_item.done", "item": None}, "server"),
        ({"type": "response.output_item.added", "item": [1]}, "server"),
        ({"type": "response.completed", "response": {"usage": 7}}, "server"),
    ],
)
def test_failures_and_nonsense_are_provider_errors(event: dict[str, Any], kind: str) -> None:
    with pytest.raises(ProviderError) as caught:
        read(event)
    assert caught.value.kind == kind


def test_what_is_not_known_is_passed_over() -> None:
    events, answer = read(
        {"type": "response.code_interpreter_call.in_progress", "output_index": 0},
        {"type": "response.output_item.added", "output_index": 0, "item": {"type": "new"}},
        done({"type": "new", "content": None}),
        {"type": "response.reasoning_summary_part.added", "summary_index": 0},
        {"type": "response.function_call_arguments.delta"},
        {"type": "response.function_call_arguments.done"},
        COMPLETED,
    )
    assert events == []
    assert answer == Answer(AgentMessage(()), "end", ModelUsage())
