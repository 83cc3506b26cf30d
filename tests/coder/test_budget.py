"""How many tokens a request has, and how many it may have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.coder.budget import Gauge, room_in, weight
from parley.coder.message import (
    AgentMessage,
    CallPart,
    Message,
    TextPart,
    ThinkingPart,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from parley.coder.providers.provider import ModelInfo, ModelRequest, ModelUsage, ToolSpec
from tests.coder.conversations import IMAGE, agent, conversations, user

MODEL = ModelInfo("one", context_window=100_000, max_output=8_000)


def request(*messages: Message, system: str = "", tools: tuple[ToolSpec, ...] = ()) -> ModelRequest:
    return ModelRequest(MODEL, system, messages, tools)


def test_everything_that_is_sent_weighs_something() -> None:
    gauge = Gauge()
    bare = gauge.tokens(request())
    tool = ToolSpec("look", "Looks around.", {"type": "object"})
    for more in (
        request(user("hello")),
        request(system="You are an agent."),
        request(tools=(tool,)),
        request(UserMessage((IMAGE,))),
        request(AgentMessage((ThinkingPart("so", "p", {"signature": "x" * 40}),))),
        request(AgentMessage((CallPart("c", "look", {"path": "a"}),))),
        request(ToolMessage((ToolResult("c", "look", "found"),))),
    ):
        assert gauge.tokens(more) > bare


def test_letters_that_take_more_bytes_weigh_more() -> None:
    assert weight(user("日本語日本語")) > weight(user("abcdef"))


@pytest.mark.parametrize("value", ["\ud800", 2**70])
def test_arguments_that_json_cannot_hold_are_weighed_all_the_same(value: object) -> None:
    assert weight(AgentMessage((CallPart("c", "look", {"path": value}),))) > 0


def test_what_the_provider_counts_corrects_the_estimate() -> None:
    gauge = Gauge()
    asked = request(user("word " * 4_000))
    gauge.learn(asked, ModelUsage(8_000, 10))
    assert gauge.tokens(asked) == pytest.approx(8_000, abs=2)
    assert sum(gauge.weights(asked.messages)) == pytest.approx(8_000, abs=2)


@pytest.mark.parametrize(("counted", "most"), [(0, 6_000), (3, 3_600), (10**9, 16_000)])
def test_a_provider_that_counts_nonsense_is_not_believed(counted: int, most: int) -> None:
    gauge = Gauge()
    asked = request(user("word " * 4_000))
    gauge.learn(asked, ModelUsage(counted, 10))
    assert 3_000 < gauge.tokens(asked) < most


def test_a_request_that_was_refused_shows_how_small_the_window_is() -> None:
    gauge = Gauge()
    asked = request(user("word " * 8_000))
    gauge.overflowed(asked)
    assert gauge.room(MODEL).window == gauge.tokens(asked) * 9 // 10
    assert gauge.tokens(asked) > gauge.room(MODEL).limit
    assert gauge.room(ModelInfo("two", context_window=90_000)).window == 90_000


def test_what_is_beside_the_conversation_is_kept_apart() -> None:
    gauge = Gauge()
    gauge.tokens(request(user("word " * 100), system="s" * 400))
    assert gauge.fixed == pytest.approx(115, abs=2)


@pytest.mark.parametrize("window", [0, 4_000, 32_000, 200_000, 1_000_000])
@pytest.mark.parametrize("output", [1_000, 64_000, 1_000_000])
def test_a_window_has_room_for_the_parts_and_for_the_answer(window: int, output: int) -> None:
    room = room_in(window, output)
    assert room.tail + room.summary < room.goal < room.limit <= room.window * 0.8
    assert room.limit <= room.window - min(output, room.window // 4)


@given(conversations(), st.integers(0, 10))
def test_a_conversation_that_grows_or_changes_weighs_what_it_weighs(
    messages: list[Message], cut: int
) -> None:
    gauge = Gauge()
    for part in (messages[:cut], messages, [agent("new"), *messages[cut:]]):
        assert gauge.tokens(request(*part)) == Gauge().tokens(request(*part))


def test_text_alone_is_a_quarter_of_its_bytes() -> None:
    assert weight(UserMessage((TextPart("x" * 400),))) == 106
