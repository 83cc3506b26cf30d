"""What Anthropic's API streams, read without a server."""

import json
from contextlib import suppress
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.coder.errors import ProviderError
from parley.coder.message import AgentMessage, CallPart, TextPart, ThinkingPart
from parley.coder.providers.anthropic_stream import AnthropicStream
from parley.coder.providers.failure import Place
from parley.coder.providers.provider import (
    Answer,
    CallBegun,
    ModelEvent,
    ModelInfo,
    ModelUsage,
    StopCause,
    TextDelta,
    ThoughtDelta,
)
from parley.coder.providers.sse import EventParser, ServerEvent
from tests.coder.providers.fakes.anthropic import AnthropicFake
from tests.coder.providers.fakes.reply import Call, Received, Reply, Say, Think, Tokens
from tests.coder.providers.fakes.samples import agent, request, results, user

MODEL = ModelInfo("claude-haiku-4-5")
PLACE = Place("anthropic", "https://localhost")
RECORDED = b"".join(
    AnthropicFake().frames(
        Received("POST", "/v1/messages", "", {}, {"model": MODEL.id}),
        Reply(
            (
                Think(("Où ", "est-il ?")),
                Say(("Là", " — voilà ✓")),
                Call("read_file", {"path": "naïve.py", "lines": [1, 2]}, pieces=5),
                Call("bash", {}),
            ),
            Tokens(50, 9, 0, 10, 5),
        ),
    )
)


def read(*events: Any) -> list[ModelEvent]:
    stream = AnthropicStream(request(MODEL), PLACE)
    found = [found for event in events for found in stream.feed(sent(event))]
    answer = stream.answer()
    assert stream.finished is (answer is not None)
    return [*found, answer] if answer else found


def sent(event: Any) -> ServerEvent:
    return ServerEvent("message", json.dumps(event))


def begun(index: int, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def grown(index: int, **delta: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": delta}


def stopped(reason: str | None) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": reason}}


STOP = {"type": "message_stop"}
NOTHING = ModelUsage()


def replayed(chunks: list[bytes]) -> list[ModelEvent]:
    stream, parser = AnthropicStream(request(MODEL), PLACE), EventParser()
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    found = [found for event in events for found in stream.feed(event)]
    answer = stream.answer()
    assert answer is not None
    return [*found, answer]


@given(st.lists(st.integers(0, len(RECORDED)), max_size=20).map(sorted))
def test_any_split_of_a_stream_gives_the_same_events(cuts: list[int]) -> None:
    edges = [0, *cuts, len(RECORDED)]
    chunks = [RECORDED[start:end] for start, end in pairwise(edges)]
    assert replayed(chunks) == replayed([RECORDED])


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_data_gives_events_or_the_one_error(data: bytes) -> None:
    stream = AnthropicStream(request(MODEL), PLACE)
    with suppress(ProviderError):
        assert stream.feed(ServerEvent("message", data.decode(errors="replace"))) == ()


@pytest.mark.parametrize(
    ("reason", "cause"),
    [
        ("end_turn", "end"),
        ("stop_sequence", "end"),
        ("pause_turn", "end"),
        ("tool_use", "end"),
        ("max_tokens", "max_tokens"),
        ("model_context_window_exceeded", "max_tokens"),
        ("refusal", "refusal"),
        ("invented_later", "end"),
        (None, "end"),
    ],
)
def test_each_stop_reason_has_its_cause(reason: str | None, cause: StopCause) -> None:
    events = read(begun(0, type="text", text="Hi"), stopped(reason), STOP)
    assert events == [TextDelta("Hi"), Answer(agent(TextPart("Hi")), cause, NOTHING)]


@pytest.mark.parametrize(
    ("reason", "cause"),
    [("tool_use", "tool_calls"), ("end_turn", "tool_calls"), ("max_tokens", "max_tokens")],
)
def test_calls_are_the_cause_unless_something_cut_them_off(reason: str, cause: StopCause) -> None:
    answer = read(begun(0, type="tool_use", id="a", name="bash"), stopped(reason), STOP)[-1]
    assert isinstance(answer, Answer)
    assert answer.cause == cause


def test_arguments_may_come_whole_with_the_beginning() -> None:
    events = read(begun(0, type="tool_use", id="a", name="bash", input={"command": "ls"}), STOP)
    call = CallPart("a", "bash", {"command": "ls"}, provider="anthropic")
    assert events == [CallBegun("a", "bash"), Answer(agent(call), "tool_calls", NOTHING)]


@pytest.mark.parametrize("written", ['{"a": ', "[1]", '"text"', "[" * 100_000])
def test_arguments_that_are_no_object_are_kept_as_written(written: str) -> None:
    block = begun(0, type="tool_use", id="a", name="bash")
    answer = read(block, grown(0, type="input_json_delta", partial_json=written), STOP)[-1]
    assert isinstance(answer, Answer)
    assert answer.message.calls == (CallPart("a", "bash", malformed=written, provider="anthropic"),)


def test_ids_that_are_missing_or_taken_are_replaced() -> None:
    spoken = (user("Go"), agent(CallPart("a", "bash")), results())
    stream = AnthropicStream(request(MODEL, *spoken), PLACE)
    blocks = [begun(n, type="tool_use", id=given) for n, given in enumerate(["a", "b", "b", None])]
    events = [found for block in blocks for found in stream.feed(sent(block))]
    ids = [event.id for event in events if isinstance(event, CallBegun)]
    assert ids[1] == "b"
    assert len({"a", *ids}) == 5


def test_thoughts_keep_their_signature_also_when_they_are_hidden() -> None:
    answer = read(
        begun(0, type="thinking", thinking="", signature=""),
        grown(0, type="signature_delta", signature="ab"),
        grown(0, type="signature_delta", signature="cd"),
        begun(1, type="redacted_thinking", data="Er"),
        begun(2, type="thinking", thinking=""),
        grown(2, type="thinking_delta", thinking="unsigned"),
        begun(3, type="thinking", thinking=""),
        STOP,
    )
    signed = ThinkingPart("", "anthropic", {"signature": "abcd", "model": MODEL.id})
    hidden = ThinkingPart("", "anthropic", {"redacted": "Er", "model": MODEL.id})
    unsigned = ThinkingPart("unsigned", "anthropic")
    assert answer == [
        ThoughtDelta("unsigned"),
        Answer(AgentMessage((signed, hidden, unsigned)), "end", NOTHING),
    ]


def test_what_nobody_knows_yet_is_passed_over() -> None:
    events = read(
        {"type": "message_start"},
        {"type": "ping"},
        {"type": "invented_later", "index": 3},
        begun(0, type="server_tool_use", id="x", name="search"),
        grown(0, type="invented_delta", text="?"),
        grown(9, type="text_delta", text="of no block"),
        begun(1, type="text", text=""),
        {"type": "content_block_stop", "index": 1},
        STOP,
    )
    assert events == [Answer(agent(), "end", NOTHING)]


def test_the_last_count_of_tokens_wins_and_all_input_is_counted() -> None:
    first = {"input_tokens": 5, "cache_read_input_tokens": 100, "output_tokens": 1}
    last = {"output_tokens": 30, "cache_creation_input_tokens": 7, "input_tokens": None}
    answer = read(
        {"type": "message_start", "message": {"usage": first}},
        {"type": "message_delta", "usage": {"output_tokens": 12}},
        {"type": "message_delta", "usage": last},
        STOP,
    )
    assert answer == [Answer(agent(), "end", ModelUsage(112, 30, 0, 100, 7))]


@pytest.mark.parametrize(
    ("error", "kind", "retryable"),
    [
        ({"type": "overloaded_error", "message": "Overloaded"}, "server", True),
        ({"type": "rate_limit_error", "message": "Slow down"}, "limit", True),
        ({"type": "authentication_error", "message": "no"}, "auth", False),
        (None, "server", True),
    ],
)
def test_an_error_in_the_stream_is_raised(error: Any, kind: str, retryable: bool) -> None:
    with pytest.raises(ProviderError) as raised:
        read({"type": "error", "error": error})
    assert (raised.value.kind, raised.value.retryable) == (kind, retryable)
