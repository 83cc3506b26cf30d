"""Only the answer."""

from collections.abc import Sequence

from parley.frontend.headless.exit_code import ExitCode
from parley.frontend.headless.final_output import FinalOutput
from parley.frontend.headless.output import Result, Trouble, TurnEnd
from parley.frontend.headless.screen import Screen
from parley.session.content import Text
from parley.session.event import ChunkAdded, Event, MessageChanged, ToolCallChanged
from tests.frontend.headless.staging import on_screen

END = TurnEnd("s", 1, "end_turn", ExitCode.DONE, 0.1)


def said(text: str) -> ChunkAdded:
    return ChunkAdded("agent", Text(text))


def final(*turns: Sequence[Event]) -> str:
    async def act(screen: Screen) -> None:
        output = FinalOutput(screen)
        for events in turns:
            output.events("s", events)
            await output.turn_ended(END)
        output.failed(Trouble(ExitCode.FAILED, "x"))
        output.finished(Result(ExitCode.DONE))

    return on_screen(act)[0]


def test_the_answer_is_what_follows_the_last_tool_call() -> None:
    assert final([said("look"), ToolCallChanged("t"), said("4"), said("2")]) == "42\n"


def test_what_was_said_last_is_the_answer_if_nothing_follows() -> None:
    assert final([said("done"), said(""), ToolCallChanged("t")]) == "done\n"


def test_no_words_are_no_line() -> None:
    assert final([ChunkAdded("thought", Text("hm")), MessageChanged("user", "m")]) == ""


def test_each_turn_has_its_answer() -> None:
    whole = MessageChanged("agent", "m", (Text("two\n"),))
    assert final([said("one")], [whole]) == "one\ntwo\n"


def test_a_long_answer_comes_whole_and_safe_however_it_is_cut() -> None:
    text = "ü€𝄞\x1b" * 40_000
    assert final([said(text)]) == text.replace("\x1b", "\\u001b") + "\n"
