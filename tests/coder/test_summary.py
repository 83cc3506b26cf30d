"""What stands for the part of a conversation that was cut off."""

from hypothesis import given
from hypothesis import strategies as st

from parley.coder.cut import SUMMARY_MARK
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
from parley.coder.summary import mechanical, summary_message, summary_request, transcript
from parley.session.option import PlanEntry, PlanFile, PlanItems, PlanMarkdown
from tests.coder.conversations import (
    IMAGE,
    agent,
    broken_conversations,
    conversations,
    result,
    steps,
    user,
)


def bash(id: str, command: str) -> AgentMessage:
    return AgentMessage((CallPart(id, "bash", {"command": command}),))


def edit(id: str, path: str) -> AgentMessage:
    return AgentMessage((CallPart(id, "edit_file", {"path": path}),))


WORK: list[Message] = [
    user("The port is 4711."),
    edit("e1", "src/a.py"),
    result("e1", "done", "edit_file"),
    edit("e2", "src/b.py"),
    result("e2", "no match", "edit_file", failed=True),
    bash("b1", "make test"),
    result("b1", "Exit code 2\n\nboom", "bash"),
    agent("I decided to use sockets."),
]


def test_a_transcript_says_who_said_what() -> None:
    thoughtful = AgentMessage(
        (ThinkingPart("hm", "p", {}), TextPart("I look."), CallPart("c", "look", {"path": "a"}))
    )
    messages: list[Message] = [
        UserMessage((TextPart("see"), IMAGE)),
        thoughtful,
        result("c", "found"),
    ]
    assert transcript(messages, 10_000) == (
        "[user] see\n[image: image/png]\n\n[agent] I look.\n\n"
        '[call of look] {"path":"a"}\n\n[result of look] found'
    )


@given(conversations() | broken_conversations(), st.integers(500, 5_000))
def test_a_transcript_and_a_mechanical_summary_are_as_short_as_they_must_be(
    messages: list[Message], size: int
) -> None:
    assert len(transcript(messages, size)) <= size + 100
    assert len(mechanical(messages, size // 4)) <= size * 1.2 + 300


def test_an_earlier_summary_is_carried_over_whole() -> None:
    earlier = user(f"{SUMMARY_MARK} " + "fact " * 300)
    text = transcript([earlier, *steps(60, size=3_000)], 8_000)
    assert text.startswith("[earlier summary] ")
    assert text.count("fact ") == 300


def test_what_the_user_wants_of_a_summary_is_passed_on() -> None:
    plain, asked = (summary_request(WORK, wish, 1_000) for wish in ("", "keep the ports"))
    assert "keep the ports" not in _text(plain)
    assert "keep the ports" in _text(asked)
    assert "The port is 4711." in _text(plain)


def test_arguments_that_json_cannot_hold_are_shown_all_the_same() -> None:
    assert "'\\ud800'" in transcript([AgentMessage((CallPart("c", "x", {"a": "\ud800"}),))], 500)


def test_without_a_model_words_files_commands_and_decisions_are_kept() -> None:
    text = mechanical(WORK, 1_000)
    assert "The user said:\n- The port is 4711." in text
    assert "Files changed:\n- src/a.py\n\n" in text
    assert "- `make test`: Exit code 2\n" in text
    assert "The agent said:\n- I decided to use sockets." in text


def test_a_mechanical_summary_of_a_summary_keeps_what_was_known() -> None:
    message = summary_message(mechanical(WORK, 1_000), WORK, WORK[:1], None, 1_000)
    again = mechanical([user(message), *steps(3)], 1_000)
    assert "The port is 4711." in again
    assert again.count("without a model") == 1


def test_of_many_lines_the_first_and_the_last_are_kept() -> None:
    text = mechanical([user(f"Request {at} " + "x" * 50) for at in range(500)], 500)
    assert "Request 0 " in text
    assert "Request 499 " in text
    assert "more …" in text
    assert "Request 250 " not in text


def test_a_result_that_belongs_to_no_call_is_no_command() -> None:
    stray = [bash("b1", "make"), ToolMessage((ToolResult("other", "bash", "Exit code 0"),))]
    assert "make" not in mechanical(stray, 500)
    assert "Files changed" not in mechanical([], 500)


def test_the_plan_is_pinned() -> None:
    plan = PlanItems((PlanEntry("Read", status="completed"), PlanEntry("Write")))
    assert "The plan as it stands:\n[x] Read\n[ ] Write" in _message(plan)
    assert "The plan as it stands:\n# Steps" in _message(PlanMarkdown("# Steps"))
    assert "plan" not in _message(PlanFile("file:///plan"))


def test_in_the_middle_of_a_turn_the_request_is_pinned() -> None:
    assert "own words" not in summary_message("body", WORK, [user("next")], None, 500)
    inside = summary_message("body", WORK, WORK[5:], None, 500)
    assert inside.startswith(SUMMARY_MARK)
    assert inside.endswith("The user's own words, the request you work on:\nThe port is 4711.")


def _message(plan: PlanItems | PlanMarkdown | PlanFile) -> str:
    return summary_message("body", WORK, [user("next")], plan, 500)


def _text(message: UserMessage) -> str:
    return "".join(part.text for part in message.content if isinstance(part, TextPart))
