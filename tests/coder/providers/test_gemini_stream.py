"""What the Gemini API streams, read without a server."""

import itertools
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.coder.errors import ProviderError
from parley.coder.message import AgentMessage, CallPart, TextPart, ThinkingPart
from parley.coder.providers.failure import Place
from parley.coder.providers.gemini_stream import GeminiStream
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
from tests.coder.providers.fakes.gemini import GeminiFake
from tests.coder.providers.fakes.reply import Call, Received, Reply, Say, Think, Tokens
from tests.coder.providers.fakes.samples import agent, request, results, user

MODEL = ModelInfo("gemini-3-flash")
PLACE = Place("gemini", "https://localhost")
PATH = f"/v1beta/models/{MODEL.id}:streamGenerateContent"
RECORDED = b"".join(
    GeminiFake().frames(
        Received("POST", PATH, "alt=sse", {}, {}),
        Reply(
            (
                Think(("Où ", "est-il ?")),
                Say(("Là", " — voilà ✓")),
                Call("read_file", {"path": "naïve.py", "lines": [1, 2]}),
                Call("bash", {}, id=""),
            ),
            Tokens(50, 9, 4, 10),
        ),
    )
)
STOPPED = {"finishReason": "STOP"}
NOTHING = ModelUsage()


def numbers() -> Callable[[], str]:
    counter = itertools.count(1)
    return lambda: f"made{next(counter)}"


def chunk(*parts: Any, **candidate: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"parts": list(parts)}, **candidate}]}


def sent(event: Any) -> ServerEvent:
    return ServerEvent("message", json.dumps(event))


def read(*events: Any) -> tuple[list[ModelEvent], Answer | None]:
    stream = GeminiStream(request(MODEL), PLACE, numbers())
    found = [found for event in events for found in stream.feed(sent(event))]
    return found, stream.answer()


def said(*parts: Any) -> AgentMessage:
    """The message that these parts become."""
    _, answer = read(chunk(*parts, **STOPPED))
    assert answer is not None
    return answer.message


def kept(signature: str, on: str, text: str = "") -> ThinkingPart:
    opaque = {"thoughtSignature": signature, "model": MODEL.id, "on": on}
    return ThinkingPart(text, "gemini", opaque)


def replayed(chunks: list[bytes]) -> tuple[list[ModelEvent], Answer | None]:
    stream, parser = GeminiStream(request(MODEL), PLACE, numbers()), EventParser()
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    return [found for event in events for found in stream.feed(event)], stream.answer()


@given(st.lists(st.integers(0, len(RECORDED)), max_size=20).map(sorted))
def test_any_split_of_a_stream_gives_the_same_events(cuts: list[int]) -> None:
    edges = [0, *cuts, len(RECORDED)]
    chunks = [RECORDED[start:end] for start, end in itertools.pairwise(edges)]
    found = replayed(chunks)
    assert found == replayed([RECORDED])
    assert found[1] is not None


@given(st.text(max_size=200))
def test_any_data_gives_events_or_the_one_error(data: str) -> None:
    with suppress(ProviderError):
        assert GeminiStream(request(MODEL), PLACE).feed(ServerEvent("message", data)) == ()


def test_pieces_of_one_kind_are_joined_and_each_is_reported() -> None:
    events, answer = read(
        chunk({"text": "Hm", "thought": True}),
        chunk({"text": ".", "thought": True}, {"text": "", "thought": True}),
        chunk({"text": "I "}, {"text": "do."}, {"text": ""}),
        chunk({"text": "Wait", "thought": True}, **STOPPED),
    )
    assert events == [
        ThoughtDelta("Hm"),
        ThoughtDelta("."),
        TextDelta("I "),
        TextDelta("do."),
        ThoughtDelta("Wait"),
    ]
    parts = (ThinkingPart("Hm.", "gemini"), TextPart("I do."), ThinkingPart("Wait", "gemini"))
    assert answer == Answer(AgentMessage(parts), "end", NOTHING)


def test_signatures_are_kept_with_what_they_were_on() -> None:
    assert said(
        {"text": "Hm", "thought": True},
        {"text": ".", "thought": True, "thoughtSignature": "s1"},
        {"text": "I "},
        {"text": "do.", "thoughtSignature": "s2"},
        {"text": "it"},
        {"text": "", "thoughtSignature": "s3"},
        {"functionCall": {"name": "bash"}, "thoughtSignature": "s4"},
    ).content == (
        ThinkingPart("Hm", "gemini"),
        kept("s1", "thought", "."),
        TextPart("I "),
        TextPart("do."),
        kept("s2", "text"),
        TextPart("it"),
        kept("s3", "nothing"),
        CallPart(
            "made1",
            "bash",
            provider="gemini",
            opaque={"model": MODEL.id, "thoughtSignature": "s4"},
        ),
    )


def test_ids_are_kept_for_the_wire_and_unique_for_us() -> None:
    spoken = (user("Go"), agent(CallPart("a", "bash")), results())
    stream = GeminiStream(request(MODEL, *spoken), PLACE, numbers())
    given_ids = ["a", "b", None]
    wire = [{"functionCall": {"name": "bash", "id": each}} for each in given_ids]
    events = stream.feed(sent(chunk(*wire, **STOPPED)))
    assert events == tuple(CallBegun(each, "bash") for each in ("made1", "b", "made2"))
    answer = stream.answer()
    assert answer is not None
    assert answer.cause == "tool_calls"
    assert [call.opaque for call in answer.message.calls] == [
        {"model": MODEL.id, "id": "a"},
        {"model": MODEL.id, "id": "b"},
        None,
    ]


@pytest.mark.parametrize(
    ("args", "arguments", "malformed"),
    [
        ({"a": 1}, {"a": 1}, None),
        (None, {}, None),
        ("ls", {}, '"ls"'),
        ([1], {}, "[1]"),
    ],
)
def test_arguments_that_are_no_object_are_kept_as_written(
    args: Any, arguments: dict[str, Any], malformed: str | None
) -> None:
    call = said({"functionCall": {"name": "bash", "args": args}}).calls[0]
    assert (call.arguments, call.malformed) == (arguments, malformed)


@pytest.mark.parametrize(
    ("reason", "cause"),
    [
        ("STOP", "end"),
        ("MAX_TOKENS", "max_tokens"),
        ("SAFETY", "refusal"),
        ("RECITATION", "refusal"),
        ("PROHIBITED_CONTENT", "refusal"),
        ("BLOCKLIST", "refusal"),
        ("SPII", "refusal"),
        ("LANGUAGE", "refusal"),
        ("INVENTED_LATER", "end"),
    ],
)
def test_each_reason_to_finish_has_its_cause(reason: str, cause: StopCause) -> None:
    _, answer = read(chunk({"text": "Hi"}), chunk(finishReason=reason))
    assert answer == Answer(agent(TextPart("Hi")), cause, NOTHING)


@pytest.mark.parametrize(
    "reason", ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "OTHER", "INVENTED_LATER"]
)
def test_a_model_that_slips_may_be_asked_again(reason: str) -> None:
    with pytest.raises(ProviderError) as raised:
        read(chunk(finishReason=reason))
    assert (raised.value.kind, raised.value.retryable) == ("server", True)


def test_a_blocked_prompt_is_a_refusal() -> None:
    _, answer = read({"promptFeedback": {"blockReason": "SAFETY"}})
    assert answer == Answer(agent(), "refusal", NOTHING)


def test_an_answer_without_a_reason_to_finish_is_not_complete() -> None:
    assert read(chunk({"text": "Hi"}), {"promptFeedback": {}}) == ([TextDelta("Hi")], None)


def test_all_tokens_are_counted_also_those_that_come_last() -> None:
    usage = {
        "promptTokenCount": 100,
        "toolUsePromptTokenCount": 3,
        "candidatesTokenCount": 10,
        "thoughtsTokenCount": 5,
        "cachedContentTokenCount": 60,
    }
    _, answer = read(
        {"usageMetadata": {"promptTokenCount": 1}},
        {"candidates": [{"content": None, **STOPPED}]},
        {"usageMetadata": usage},
    )
    assert answer == Answer(agent(), "end", ModelUsage(103, 15, 5, 60))


@pytest.mark.parametrize(
    ("error", "kind", "retryable"),
    [
        ({"code": 503, "message": "busy", "status": "UNAVAILABLE"}, "server", True),
        ({"code": 429, "message": "slow down"}, "limit", True),
        ({"code": 400, "message": "no"}, "request", False),
    ],
)
def test_an_error_in_the_stream_is_raised(error: Any, kind: str, retryable: bool) -> None:
    with pytest.raises(ProviderError) as raised:
        read({"error": error})
    assert (raised.value.kind, raised.value.retryable) == (kind, retryable)
