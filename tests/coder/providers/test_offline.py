"""The stand-in without a model, driven as the loop drives it."""

import asyncio
from typing import Any

import pytest

from parley.coder.message import (
    AgentMessage,
    ImagePart,
    Message,
    TextPart,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from parley.coder.providers.offline import MODEL, Offline
from parley.coder.providers.provider import (
    Answer,
    CallBegun,
    ModelEvent,
    ModelRequest,
    ModelUsage,
    TextDelta,
    ToolSpec,
)

TOOLS = ("list_files", "read_file", "grep", "edit_file", "write_file", "bash")


def ask(*messages: Message, tools: tuple[str, ...] = TOOLS) -> list[ModelEvent]:
    specs = tuple(ToolSpec(name, "", {}) for name in tools)
    request = ModelRequest(MODEL, "", messages, specs)

    async def scenario() -> list[ModelEvent]:
        provider = Offline()
        assert await provider.models() == (MODEL,)
        async with provider.stream(request) as events:
            heard = [event async for event in events]
        await provider.aclose()
        return heard

    return asyncio.run(scenario())


def answer(*messages: Message, tools: tuple[str, ...] = TOOLS) -> AgentMessage:
    last = ask(*messages, tools=tools)[-1]
    assert isinstance(last, Answer)
    return last.message


def user(*texts: str) -> UserMessage:
    return UserMessage(tuple(map(TextPart, texts)))


def session(text: str, *results: tuple[str, bool]) -> tuple[list[Any], str]:
    """Play a whole turn with these results; the calls that were made, and the last words."""
    messages: list[Message] = [user(text)]
    made: list[Any] = []
    given = iter(results)
    while (said := answer(*messages)).calls:
        (call,) = said.calls
        made.append((call.name, call.arguments))
        result, failed = next(given, ("fine", False))
        messages += [said, ToolMessage((ToolResult(call.id, call.name, result, failed),))]
    return made, said.text


def test_a_command_becomes_a_call_and_its_result_is_told() -> None:
    assert session("list src", ("app.py", False)) == (
        [("list_files", {"path": "src"})],
        "One step done. The result of `list_files`:\n\n```\napp.py\n```",
    )


def test_the_stream_has_the_text_the_call_and_the_whole_answer() -> None:
    text, begun, end = ask(user("run make"))
    assert text == TextDelta("Running `make`.")
    assert begun == CallBegun("offline_1", "bash")
    assert isinstance(end, Answer)
    assert (end.cause, end.usage) == ("tool_calls", ModelUsage())


def test_steps_come_one_at_a_time_and_a_replacement_reads_first() -> None:
    made, said = session("replace all a with b in x.py then run make; create y with z")
    assert made == [
        ("read_file", {"path": "x.py"}),
        (
            "edit_file",
            {"path": "x.py", "edits": [{"old_text": "a", "new_text": "b", "replace_all": True}]},
        ),
        ("bash", {"command": "make"}),
        ("write_file", {"path": "y", "content": "z"}),
    ]
    assert said.startswith("All 4 steps done.")


def test_a_search_is_for_the_text_itself() -> None:
    assert session("search 'f(x)*' in src")[0] == [
        ("grep", {"pattern": r"f\(x\)\*", "path": "src"}),
    ]
    assert session("search x")[0] == [("grep", {"pattern": "x"})]


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("read a", "`read_file` failed, so I stop.\n"),
        ("read a; read b", "`read_file` failed, so I stop. One step is left undone.\n"),
        ("read a; read b; read c", "`read_file` failed, so I stop. 2 steps are left undone.\n"),
    ],
)
def test_a_failing_step_stops_the_rest_and_says_so(text: str, rest: str) -> None:
    made, said = session(text, ("no such file", True))
    assert len(made) == 1
    assert said.startswith(rest)
    assert "no such file" in said


def test_unknown_text_is_answered_with_what_is_possible() -> None:
    said = answer(user("Fix the bug\nin " + "x" * 200)).text
    assert said.startswith("I do not understand “Fix the bug”. These plain commands work")
    assert "No model is configured" not in said, "the first answer of a session says so"
    assert "ANTHROPIC_API_KEY" in said
    assert "parley acp --login" in said
    assert answer(UserMessage((ImagePart("", "image/png"),))).text.startswith("These plain")


def test_long_unknown_text_is_shortened() -> None:
    said = answer(user("fix " + "x" * 200)).text
    assert "x" * 75 + "…" in said


def test_help_explains() -> None:
    assert answer(user("help")).text.startswith("These plain commands work without a model")


def test_what_an_editor_adds_to_a_prompt_does_not_disturb() -> None:
    assert answer(user("<file>some text</file>", " ", "read a")).calls[0].name == "read_file"


def test_a_later_prompt_begins_anew_with_fresh_ids() -> None:
    first = answer(user("read a"))
    result = ToolMessage((ToolResult("offline_1", "read_file", "x"),))
    end = answer(user("read a"), first, result)
    again = answer(user("read a"), first, result, end, user("read b"))
    assert [(call.id, call.arguments) for call in again.calls] == [("offline_2", {"path": "b"})]


def test_a_missing_tool_is_said() -> None:
    said = answer(user("run make"), tools=("read_file",))
    assert not said.calls
    assert "`bash` is not available" in said.text


def test_results_are_shortened_and_fenced_safely() -> None:
    _, said = session("read a", ("```\n" + "x" * 5000, False))
    assert "````\n```\nxxx" in said
    assert "… (1004 more characters)" in said


def test_a_conversation_without_a_prompt_is_no_reason_to_fail() -> None:
    assert not answer().calls
