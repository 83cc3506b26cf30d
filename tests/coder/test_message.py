"""The conversation a model sees, and its repair."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from parley.coder.message import (
    INTERRUPTED,
    AgentMessage,
    CallPart,
    ImagePart,
    Message,
    TextPart,
    ThinkingPart,
    ToolMessage,
    ToolResult,
    UserMessage,
    repaired,
)

names = st.sampled_from(["read_file", "bash"])
ids = st.sampled_from(["a", "b", "c", "d"])
calls = st.builds(CallPart, ids, names)
agent_parts = st.one_of(st.builds(TextPart, st.text(min_size=1)), st.builds(ThinkingPart), calls)
messages = st.one_of(
    st.builds(UserMessage, st.tuples(st.builds(TextPart, st.text()))),
    st.builds(
        AgentMessage,
        st.lists(agent_parts, max_size=4, unique_by=lambda part: getattr(part, "id", id(part))).map(
            tuple
        ),
    ),
    st.builds(
        ToolMessage,
        st.lists(st.builds(ToolResult, ids, names, st.text()), max_size=4).map(tuple),
    ),
)
conversations = st.lists(messages, max_size=8).map(tuple)


def is_well_formed(conversation: tuple[Message, ...]) -> bool:
    expected: tuple[str, ...] = ()
    for message in conversation:
        answered = message.results if isinstance(message, ToolMessage) else ()
        if tuple(result.call_id for result in answered) != expected:
            return False
        expected = ()
        if isinstance(message, AgentMessage):
            expected = tuple(call.id for call in message.calls)
            if not message.content:
                return False
    return expected == ()


@given(conversations)
def test_a_repaired_conversation_is_well_formed(conversation: tuple[Message, ...]) -> None:
    assert is_well_formed(repaired(conversation))


@given(conversations)
def test_repair_leaves_a_well_formed_conversation_alone(conversation: tuple[Message, ...]) -> None:
    fixed = repaired(conversation)
    assert repaired(fixed) == fixed


@given(conversations)
def test_repair_drops_nothing_the_user_or_the_model_said(
    conversation: tuple[Message, ...],
) -> None:
    def kept(each: tuple[Message, ...]) -> list[Message]:
        return [
            message
            for message in each
            if isinstance(message, UserMessage)
            or (isinstance(message, AgentMessage) and message.content)
        ]

    assert kept(repaired(conversation)) == kept(conversation)


def test_a_call_without_result_is_answered_with_an_error() -> None:
    cut_off = (AgentMessage((CallPart("1", "bash"), CallPart("2", "bash"))),)
    result = ToolResult("2", "bash", "fine")
    assert repaired((*cut_off, ToolMessage((result,)))) == (
        *cut_off,
        ToolMessage((ToolResult("1", "bash", INTERRUPTED, is_error=True), result)),
    )


def test_a_conversation_survives_its_storage() -> None:
    conversation: tuple[Message, ...] = (
        UserMessage((TextPart("look"), ImagePart("AAAA", "image/png"))),
        AgentMessage(
            (
                ThinkingPart("hm", "anthropic", {"signature": "s"}),
                TextPart("so"),
                CallPart("1", "bash", {"command": "ls"}),
            )
        ),
        ToolMessage((ToolResult("1", "bash", "a\nb"),)),
    )
    stored = msgspec.json.encode(conversation)
    assert msgspec.json.decode(stored, type=tuple[Message, ...]) == conversation


def test_the_text_and_the_calls_of_a_message_are_found() -> None:
    call = CallPart("1", "bash")
    message = AgentMessage((TextPart("a"), ThinkingPart("no"), call, TextPart("b")))
    assert message.text == "ab"
    assert message.calls == (call,)
