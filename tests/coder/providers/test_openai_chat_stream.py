"""What servers of chat completions stream, with all the ways in which they differ."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parley.coder.errors import ProviderError
from parley.coder.message import AgentMessage, CallPart, TextPart, ThinkingPart
from parley.coder.providers.failure import Place
from parley.coder.providers.openai_chat_stream import ChatReader
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
from tests.coder.providers.fakes.openai_chat import OpenAIChatFake
from tests.coder.providers.fakes.recorded import heard, recording, split
from tests.coder.providers.fakes.reply import Call, Reply, Say, Think, Tokens
from tests.coder.providers.fakes.samples import agent, request, results, user

PLACE = Place("acme", "http://localhost/v1")
MODEL = ModelInfo("m")
REPLY = Reply(
    (
        Think(("Höm", "…")),
        Say(("Hé", "llo")),
        Call("read_file", {"path": "ä\n€"}, "a", pieces=5),
        Call("bash", "{oops", "", pieces=4),
    ),
    Tokens(50, 20, 5, 30),
)
RECORDED = recording(OpenAIChatFake(), REPLY, {"model": "m", "stream_options": {"x": True}})


def reader(*taken: str, raw_text: bool = False) -> ChatReader:
    history = [agent(CallPart(each, "bash")) for each in taken]
    numbers = iter(range(1, 100))
    return ChatReader(
        request(MODEL, user("x"), *history, results()),
        PLACE,
        raw_text=raw_text,
        make_id=lambda: f"made-{next(numbers)}",
    )


def chunk(delta: Any, finish: str | None = None, **members: Any) -> ServerEvent:
    choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
    return ServerEvent("message", json.dumps({"choices": choices, **members}))


def read(*deltas: Any, finish: str = "stop", source: ChatReader | None = None) -> Answer:
    source = source or reader()
    for delta in deltas:
        list(source.feed(chunk(delta)))
    list(source.feed(chunk({}, finish)))
    answer = source.answer()
    assert answer is not None
    return answer


def piece(
    index: int | None = None,
    call_id: str | None = None,
    name: str | None = None,
    arguments: Any = None,
) -> dict[str, Any]:
    given = {"index": index, "id": call_id, "function": {"name": name, "arguments": arguments}}
    return {"tool_calls": [{key: value for key, value in given.items() if value is not None}]}


def calls_of(answer: Answer) -> list[tuple[str, str, Any]]:
    return [(call.id, call.name, call.malformed or call.arguments) for call in answer.message.calls]


def test_a_whole_answer_is_understood() -> None:
    events, answer = heard(reader(), [RECORDED])
    assert events == [
        ThoughtDelta("Höm"),
        ThoughtDelta("…"),
        TextDelta("Hé"),
        TextDelta("llo"),
        CallBegun("a", "read_file"),
        CallBegun("made-1", "bash"),
    ]
    message = AgentMessage(
        (
            ThinkingPart("Höm…", "acme", {"field": "reasoning_content"}),
            TextPart("Héllo"),
            CallPart("a", "read_file", {"path": "ä\n€"}, provider="acme"),
            CallPart("made-1", "bash", malformed="{oops", provider="acme"),
        )
    )
    assert answer == Answer(message, "tool_calls", ModelUsage(50, 20, 5, 30))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 10_000), max_size=10))
def test_any_split_of_the_stream_gives_the_same(cuts: list[int]) -> None:
    assert heard(reader(), split(RECORDED, cuts)) == heard(reader(), [RECORDED])


@pytest.mark.parametrize("end", range(0, len(RECORDED), 97))
def test_no_beginning_of_the_stream_is_an_answer_before_the_server_says_so(end: int) -> None:
    said = b'"finish_reason": "tool_calls"' in RECORDED[:end]
    answer = heard(reader(), [RECORDED[:end]])[1]
    assert answer is None or said


def test_ids_are_unique_in_the_conversation() -> None:
    answer = read(
        piece(0, "old", "bash", "{}"),
        piece(1, "new", "bash", "{}"),
        piece(2, "new", "bash", "{}"),
        piece(3, "", "bash", "{}"),
        source=reader("old"),
    )
    assert [call.id for call in answer.message.calls] == ["made-1", "new", "made-2", "made-3"]


@pytest.mark.parametrize(
    "deltas",
    [
        # An id on every piece.
        [piece(0, "a", "bash", '{"x"'), piece(0, "a", "", ": 1}"), piece(1, "b", "ls", "{}")],
        # No index at all.
        [piece(None, "a", "bash", '{"x"'), piece(arguments=": 1}"), piece(None, "b", "ls", "{}")],
        # One index for all.
        [piece(0, "a", "bash", '{"x": 1}'), piece(0, "b", "ls", "{}")],
        # An object, and nothing.
        [piece(0, "a", "bash", {"x": 1}), piece(1, "b", "ls")],
        # The name after the id.
        [piece(0, "a"), piece(0, None, "bash", '{"x": 1}'), piece(1, "b", "ls", None)],
        # Pieces of two calls in turn.
        [
            piece(0, "a", "bash", '{"x"'),
            piece(1, "b", "ls", "{"),
            piece(0, None, None, ": 1}"),
            piece(1, None, None, "}"),
        ],
        # The name on every piece.
        [
            piece(0, "a", "bash", '{"x"'),
            piece(0, "a", "bash", ": 1}"),
            piece(0, "a", "bash", ""),
            piece(1, "b", "ls", "{}"),
        ],
    ],
)
def test_calls_are_put_together_from_every_kind_of_pieces(deltas: list[Any]) -> None:
    assert calls_of(read(*deltas)) == [("a", "bash", {"x": 1}), ("b", "ls", {})]


def test_whole_calls_without_ids_under_one_index_are_told_apart() -> None:
    answer = read(piece(0, None, "bash", '{"x": 1}'), piece(0, None, "ls", '{"y": 2}'))
    assert calls_of(answer) == [("made-1", "bash", {"x": 1}), ("made-2", "ls", {"y": 2})]


def test_a_call_without_a_name_is_no_call() -> None:
    answer = read({"content": "x"}, piece(0, "a", None, "{}"), {"tool_calls": [{"index": 1}]})
    assert answer.message == AgentMessage((TextPart("x"),))
    assert answer.cause == "end"


@pytest.mark.parametrize(
    ("finish", "delta", "cause"),
    [
        ("stop", {"content": "x"}, "end"),
        ("eos", {"content": "x"}, "end"),
        ("stop", piece(0, "a", "bash", "{}"), "tool_calls"),
        ("tool_calls", {"content": "x"}, "end"),
        ("length", piece(0, "a", "bash", '{"x'), "max_tokens"),
        ("content_filter", {"content": "x"}, "refusal"),
        ("stop", {"refusal": "No."}, "refusal"),
    ],
)
def test_each_reason_to_finish_is_a_cause(finish: str, delta: Any, cause: str) -> None:
    assert read(delta, finish=finish).cause == cause


def test_a_failure_of_the_model_midway_is_an_error() -> None:
    with pytest.raises(ProviderError, match="midway") as caught:
        read({"content": "x"}, finish="error")
    assert caught.value.retryable


def test_thoughts_under_two_names_are_said_once() -> None:
    answer = read({"reasoning_content": "a", "reasoning": "a"}, {"reasoning": "b"})
    assert answer.message.content == (ThinkingPart("a", "acme", {"field": "reasoning_content"}),)


def test_content_in_blocks_is_text_and_thoughts() -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    answer = read(
        {"content": [thinking, {"type": "thinking", "thinking": "so"}]},
        {"content": [{"type": "text", "text": "Hi"}, {"type": "reference"}]},
    )
    assert answer.message.content == (ThinkingPart("hmso", "acme"), TextPart("Hi"))


def test_a_whole_message_instead_of_a_delta_is_understood() -> None:
    source = reader()
    choices = [{"message": {"content": "Hi"}, "finish_reason": "stop"}]
    list(source.feed(ServerEvent("message", json.dumps({"choices": choices}))))
    assert source.answer() == Answer(AgentMessage((TextPart("Hi"),)), "end", ModelUsage())


def test_the_last_event_alone_completes_an_answer_that_says_something() -> None:
    source = reader()
    list(source.feed(chunk({"content": "Hi"})))
    assert source.answer() is None
    list(source.feed(ServerEvent("message", "[DONE]")))
    assert source.answer() is not None


def test_the_last_event_alone_is_no_answer() -> None:
    source = reader()
    assert list(source.feed(ServerEvent("message", "[DONE]"))) == []
    assert source.finished
    assert source.answer() is None


@pytest.mark.parametrize(
    ("usage", "counted"),
    [
        ({"prompt_tokens": 5, "completion_tokens": 2}, ModelUsage(5, 2)),
        ({"prompt_tokens": 5, "prompt_cache_hit_tokens": 3}, ModelUsage(5, cached_read=3)),
        ({"prompt_tokens": None, "completion_tokens": "x"}, ModelUsage()),
        ({"prompt_tokens": 5.0, "completion_tokens_details": None}, ModelUsage(5)),
    ],
)
def test_tokens_are_counted_in_each_form(usage: dict[str, Any], counted: ModelUsage) -> None:
    source = reader()
    list(source.feed(chunk({"content": "x"}, "stop", usage=usage)))
    answer = source.answer()
    assert answer is not None
    assert answer.usage == counted


def test_a_call_as_text_counts_only_where_models_are_small() -> None:
    text = '<tool_call>{"name": "bash", "arguments": {"command": "ls"}}</tool_call>'
    assert read({"content": text}).cause == "end"
    answer = read({"content": text}, source=reader(raw_text=True))
    assert calls_of(answer) == [("made-1", "bash", {"command": "ls"})]
    assert answer.cause == "tool_calls"


def test_thoughts_between_tags_count_only_where_nothing_else_looks_for_them() -> None:
    deltas = [{"content": "<thi"}, {"content": "nk>hm</think>\n\nHi"}]
    assert read(*deltas).message.text == "<think>hm</think>\n\nHi"
    answer = read(*deltas, source=reader(raw_text=True))
    assert answer.message.content == (ThinkingPart("hm", "acme"), TextPart("Hi"))


def test_what_might_have_become_a_tag_is_said_at_the_end() -> None:
    source = reader(raw_text=True)
    assert list(source.feed(chunk({"content": "<"}))) == []
    assert list(source.feed(chunk({}, "stop"))) == [TextDelta("<")]
    assert list(source.feed(ServerEvent("message", "[DONE]"))) == []


def test_an_event_nested_too_deeply_is_unreadable() -> None:
    deep = '{"usage": {"a": ' + "[" * 100_000
    with pytest.raises(ProviderError, match="cannot be read"):
        list(reader().feed(ServerEvent("message", deep)))


NAMES = st.sampled_from(
    ["choices", "delta", "content", "tool_calls", "function", "name", "arguments", "index", "id",
     "usage", "finish_reason", "reasoning", "error", "thinking", "text"]
)  # fmt: skip
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=15,
)


@settings(max_examples=100, deadline=None)
@given(st.lists(JSON_VALUES | st.just("[DONE]"), max_size=4))
def test_any_json_gives_events_or_a_provider_error(values: list[Any]) -> None:
    source = reader()
    try:
        events = [event for value in values for event in _fed(source, value)]
        assert all(isinstance(event, (TextDelta, ThoughtDelta, CallBegun)) for event in events)
        source.answer()
    except ProviderError:
        pass


def _fed(source: ChatReader, value: Any) -> Iterator[ModelEvent]:
    data = value if value == "[DONE]" else json.dumps(value)
    return source.feed(ServerEvent("message", data))
