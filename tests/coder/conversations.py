"""Conversations as models and people hold them, and as crashes leave them, for property tests."""

from hypothesis import strategies as st

from parley.coder.message import (
    AgentMessage,
    CallPart,
    ImagePart,
    Message,
    TextPart,
    ThinkingPart,
    ToolMessage,
    ToolResult,
    UserMessage,
)

IMAGE = ImagePart("AAAA", "image/png")
_texts = st.text(max_size=20) | st.integers(1, 3_000).map(lambda size: "word " * (size // 5))


def user(text: str) -> UserMessage:
    return UserMessage((TextPart(text),))


def agent(text: str, *calls: CallPart) -> AgentMessage:
    return AgentMessage((TextPart(text), *calls))


def result(id: str, text: str, name: str = "look", *, failed: bool = False) -> ToolMessage:
    return ToolMessage((ToolResult(id, name, text, failed),))


def step(number: int, size: int = 400) -> tuple[Message, ...]:
    """One turn with one call."""
    call = CallPart(f"c{number}", "look", {"path": f"src/file{number}.py"})
    return (
        user(f"Do step {number}."),
        AgentMessage((call,)),
        result(call.id, f"{number}:" + "x" * size),
        agent(f"Done {number}."),
    )


def steps(count: int, size: int = 400) -> list[Message]:
    return [message for number in range(count) for message in step(number, size)]


@st.composite
def conversations(draw: st.DrawFn) -> list[Message]:
    """Well formed ones."""
    found: list[Message] = []
    for number in range(draw(st.integers(0, 6))):
        found.append(user(draw(_texts) or "go"))
        for round in range(draw(st.integers(0, 3))):
            answer = _called(draw, f"{number}.{round}")
            found += [answer, _results(draw, answer)]
        if draw(st.booleans()):
            found.append(agent(draw(_texts) or "done"))
    return found


@st.composite
def broken_conversations(draw: st.DrawFn) -> list[Message]:
    """Some of whose messages are lost."""
    return [message for message in draw(conversations()) if draw(st.integers(0, 4))]


def _called(draw: st.DrawFn, name: str) -> AgentMessage:
    count = draw(st.integers(1, 3))
    calls = tuple(CallPart(f"{name}.{at}", "look", {"path": draw(_texts)}) for at in range(count))
    thinking = ThinkingPart(draw(_texts), "anthropic", {"signature": f"of {name}"})
    return AgentMessage((thinking, *calls) if draw(st.booleans()) else calls)


def _results(draw: st.DrawFn, answer: AgentMessage) -> ToolMessage:
    return ToolMessage(
        tuple(
            ToolResult(
                call.id, call.name, draw(_texts), images=(IMAGE,) if draw(st.booleans()) else ()
            )
            for call in answer.calls
        )
    )
