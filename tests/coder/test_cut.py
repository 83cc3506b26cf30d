"""Where a conversation is cut, and what is shortened."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from parley.coder.budget import Gauge, Room, room_in
from parley.coder.cut import (
    OLD_RESULT,
    SUMMARY_MARK,
    Cut,
    applied,
    called,
    clipped,
    is_summary,
    last_requests,
    planned,
    shortened,
    summarised,
    tail_start,
)
from parley.coder.message import (
    INTERRUPTED,
    AgentMessage,
    Message,
    ThinkingPart,
    ToolMessage,
    ToolResult,
    UserMessage,
    repaired,
)
from parley.coder.store.entry import Compacted
from tests.coder.conversations import (
    IMAGE,
    agent,
    broken_conversations,
    conversations,
    result,
    steps,
    user,
)

SUMMARY = f"{SUMMARY_MARK}\nshort"
ROOM = room_in(4_000, 500)
_cuts = st.builds(
    Compacted,
    st.integers(0, 40),
    st.sampled_from(["", SUMMARY]),
    st.integers(0, 40),
    st.integers(0, 100),
)


def weigh(messages: Sequence[Message]) -> int:
    return sum(Gauge().weights(messages))


def plan_of(messages: Sequence[Message], fixed: int = 0, room: Room = ROOM) -> Cut | None:
    return planned(messages, Gauge().weights, fixed + weigh(messages), room)


@given(conversations(), _cuts)
def test_whatever_is_cut_the_conversation_stays_well_formed(
    messages: list[Message], cut: Compacted
) -> None:
    left = tuple(applied(messages, cut))
    assert repaired(left) == left
    # Nothing was repaired: every result is still there, and with its own call.
    assert not any(
        each.text == INTERRUPTED for m in left if isinstance(m, ToolMessage) for each in m.results
    )


@given(broken_conversations(), st.lists(_cuts, max_size=3))
def test_what_a_crash_left_behind_can_be_cut_as_well(
    messages: list[Message], cuts: list[Compacted]
) -> None:
    for cut in cuts:
        messages = applied(messages, cut)
    left = repaired(tuple(messages))
    assert repaired(left) == left


@given(conversations(), _cuts)
def test_what_the_model_said_stays_whole_with_its_thoughts(
    messages: list[Message], cut: Compacted
) -> None:
    said = [id(each) for each in messages if isinstance(each, AgentMessage)]
    left = [id(each) for each in applied(messages, cut) if isinstance(each, AgentMessage)]
    assert said[len(said) - len(left) :] == left
    for message in applied(messages, cut):
        if isinstance(message, AgentMessage) and message.calls:
            signed = [part for part in message.content if isinstance(part, ThinkingPart)]
            assert all(part.opaque for part in signed)


@given(conversations(), st.integers(0, 3_000))
def test_what_is_planned_makes_a_request_smaller_and_keeps_the_last_step(
    messages: list[Message], fixed: int
) -> None:
    cut = plan_of(messages, fixed)
    if cut is None:
        return
    summary = SUMMARY if cut.upto else ""
    left = applied(messages, Compacted(cut.upto, summary, cut.shortened, cut.longest))
    assert weigh(left) < weigh(messages)
    last = [each for each in messages if not isinstance(each, ToolMessage)][-1]
    assert any(each is last for each in left)


def test_old_results_are_shortened_before_anything_is_summarised() -> None:
    messages = steps(4, size=3_000)
    cut = plan_of(messages)
    assert cut is not None
    assert (cut.upto, cut.longest) == (0, OLD_RESULT)
    assert isinstance(messages[cut.shortened], UserMessage)


def test_a_conversation_without_long_results_is_summarised() -> None:
    messages = [each for at in range(40) for each in (user("u" * 300), agent(f"{at}" * 150))]
    cut = plan_of(messages)
    assert cut is not None
    assert 0 < cut.upto < len(messages)
    assert isinstance(messages[cut.upto], UserMessage)
    assert cut.shortened == 0


def test_a_last_result_that_does_not_fit_is_shortened_too() -> None:
    messages: list[Message] = [user("go"), *steps(1, size=40_000)[1:3]]
    cut = plan_of(messages)
    assert cut is not None
    assert (cut.upto, cut.shortened) == (0, len(messages))
    left = applied(messages, Compacted(0, "", cut.shortened, cut.longest))
    assert weigh(left) < ROOM.limit


def test_one_long_prompt_cannot_be_made_smaller() -> None:
    assert plan_of([user("x" * 100_000)]) is None


def test_less_than_a_summary_is_not_summarised() -> None:
    messages = [user(SUMMARY), *steps(1, size=10)]
    assert summarised(messages, Gauge().weights, weigh(messages), ROOM, 1) is None


def test_inside_a_long_turn_it_is_cut_between_two_steps() -> None:
    inner = [each for each in steps(30, size=100) if not isinstance(each, UserMessage)]
    messages = [user("Do all of it."), *(m for m in inner if isinstance(m, ToolMessage) or m.calls)]
    start = tail_start(messages, Gauge().weights(messages), 400)
    assert start > 1
    assert isinstance(messages[start], AgentMessage)
    assert tail_start([], [], 10) == 0


def test_a_result_that_is_too_long_keeps_its_beginning_and_its_end() -> None:
    text = clipped("begin" + "x" * 5_000 + "end", 90)
    assert text.startswith("begin")
    assert text.endswith("end")
    assert "4918 characters left out" in text
    assert clipped("short", 90) == "short"
    assert clipped("gone", 0).strip().startswith("[… 4 characters")


def test_images_of_old_results_are_left_out() -> None:
    message = ToolMessage((ToolResult("c", "look", "seen", images=(IMAGE,)),))
    expected = ToolMessage((ToolResult("c", "look", "seen\n[1 images left out]"),))
    assert shortened(message, 100) == expected
    plain = result("c", "short")
    assert shortened(plain, 100) is plain


def test_a_summary_is_known_by_its_mark() -> None:
    assert is_summary(user(SUMMARY))
    assert not is_summary(user("hello"))
    assert not is_summary(agent(SUMMARY))


def test_the_last_requests_and_the_calls_with_results_are_found() -> None:
    messages = [user(SUMMARY), *steps(3)]
    assert last_requests(messages) == ["Do step 1.", "Do step 2."]
    assert [answer.calls[0].id for answer, _ in called(messages)] == ["c0", "c1", "c2"]
