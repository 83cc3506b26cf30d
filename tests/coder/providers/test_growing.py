"""A conversation that grows is written on, and comes out as if it had been written at once."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from parley.coder.message import CallPart, Message, TextPart, ThinkingPart, ToolResult
from parley.coder.providers import (
    anthropic_request,
    gemini_request,
    openai_chat_request,
    openai_responses_request,
)
from parley.coder.providers.growing import MOST_KEPT, Growing
from parley.coder.providers.openai_chat_request import Dialect
from parley.coder.providers.provider import ModelInfo, ModelRequest
from tests.coder.providers.fakes.samples import PIXEL, agent, request, results, user

Format = Callable[[ModelRequest, Growing | None], dict[str, Any]]
MODEL = ModelInfo("claude-haiku-4-5", max_output=32_000, images=True, thinking=True)
FORMATS: dict[str, Format] = {
    "anthropic": lambda wanted, growing: anthropic_request.request_body(wanted, "acme", growing),
    "gemini": lambda wanted, growing: gemini_request.request_body(wanted, "acme", growing),
    "chat": lambda wanted, growing: openai_chat_request.request_body(
        wanted, provider="acme", dialect=Dialect(user_after_tool=False), growing=growing
    ),
    "responses": lambda wanted, growing: openai_responses_request.request_body(
        wanted, provider="acme", summaries=True, growing=growing
    ),
}
EVERY_FORMAT = pytest.mark.parametrize("body_of", FORMATS.values(), ids=FORMATS)


def round_of(number: int) -> tuple[Message, Message]:
    call = CallPart(f"call {number}", "read_file", {"path": f"{number}.txt"})
    result = ToolResult(call.id, call.name, f"text {number}", images=(PIXEL,) * (number % 2))
    opaque = {"field": "reasoning", "model": MODEL.id, "signature": "s", "item": {"id": number}}
    return agent(ThinkingPart("hm", "acme", opaque), call), results(result)


MESSAGES = st.one_of(
    st.text(max_size=3).map(user),
    st.text(max_size=3).map(lambda text: agent(TextPart(text))),
    st.just(agent(ThinkingPart("only thinks", "acme"))),
    st.integers(0, 3),
)


def conversation(parts: list[Message | int]) -> tuple[Message, ...]:
    messages: list[Message] = []
    for part in parts:
        messages += round_of(part) if isinstance(part, int) else (part,)
    return tuple(messages)


@EVERY_FORMAT
@given(parts=st.lists(MESSAGES, min_size=1), sizes=st.lists(st.integers(1, 40)))
def test_a_grown_conversation_is_the_same_text_as_one_written_at_once(
    body_of: Format, parts: list[Message | int], sizes: list[int]
) -> None:
    messages, growing = conversation(parts), Growing()
    for size in (*sorted(sizes), len(messages)):
        for level in ("off", "low"):
            wanted = request(MODEL, *messages[:size], thought_level=level)
            grown = msgspec.json.encode(body_of(wanted, growing))
            assert grown == msgspec.json.encode(body_of(wanted, None))


@EVERY_FORMAT
def test_what_is_not_a_continuation_is_written_anew(body_of: Format) -> None:
    growing = Growing()
    first = (user("Hello"), *round_of(1), *round_of(2), *round_of(3))
    others = [
        request(MODEL, *first[:3]),
        request(MODEL, user("Hi"), *first[1:]),
        request(replace(MODEL, images=False), *first),
        request(MODEL, *first, user("And now?")),
    ]
    body_of(request(MODEL, *first), growing)
    for wanted in others:
        grown = msgspec.json.encode(body_of(wanted, growing))
        assert grown == msgspec.json.encode(body_of(wanted, None))


class Counted:
    """A writer that writes numbers and can be made to fail."""

    def __init__(self) -> None:
        self.items: list[Any] = []

    def take(self, message: Message) -> None:
        self.items.append(len(self.items))
        if message == user("fail"):
            raise ValueError("cannot be written")


def test_only_new_messages_are_written_for_the_next_request() -> None:
    growing, made = Growing(), list[Counted]()

    def fresh() -> Counted:
        made.append(Counted())
        return made[-1]

    messages = tuple(user(str(number)) for number in range(9))
    for size in range(1, 10):
        written = growing.written("one", None, messages[:size], fresh)
        assert msgspec.json.decode(msgspec.json.encode(written)) == list(range(size))
    assert len(made) == 1


def test_a_message_that_cannot_be_written_leaves_nothing_half_written_behind() -> None:
    growing, good, bad = Growing(), user("good"), user("fail")
    assert growing.written("one", None, (good,), Counted) == [0]
    with pytest.raises(ValueError, match="cannot be written"):
        growing.written("one", None, (good, bad), Counted)
    assert growing.written("one", None, (good, good), Counted) == [0, 1]


def test_the_conversation_that_was_longest_unused_is_forgotten_first() -> None:
    growing, made = Growing(), list[str]()

    def asked(name: str) -> None:
        def fresh() -> Counted:
            made.append(name)
            return Counted()

        growing.written(name, None, (user("same"),), fresh)

    names = [str(number) for number in range(MOST_KEPT + 1)]
    for name in (*names[:-1], "0", names[-1], "0", "1"):
        asked(name)
    assert made == [*names, "1"]
