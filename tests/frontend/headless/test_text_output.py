"""Text as it comes."""

from collections.abc import Sequence

from parley.frontend.headless.exit_code import ExitCode
from parley.frontend.headless.output import Result, Trouble, TurnEnd
from parley.frontend.headless.screen import Screen
from parley.frontend.headless.text_output import TextOutput
from parley.session.content import Text
from parley.session.event import ChunkAdded, Event, MessageChanged, ToolCallChanged
from tests.frontend.headless.staging import on_screen

END = TurnEnd("s", 1, "end_turn", ExitCode.DONE, 0.1)


def said(text: str, id_: str | None = None) -> ChunkAdded:
    return ChunkAdded("agent", Text(text), id_)


def text_of(events: Sequence[Event]) -> str:
    """What is shown, which is the same however many events come at once."""

    async def at_once(screen: Screen) -> None:
        output = TextOutput(screen)
        output.events("s", events)
        await output.turn_ended(END)
        output.finished(Result(ExitCode.DONE))

    async def one_by_one(screen: Screen) -> None:
        output = TextOutput(screen)
        for event in events:
            output.events("s", (event,))
        await output.turn_ended(END)
        output.finished(Result(ExitCode.DONE))

    shown = on_screen(at_once)[0]
    assert on_screen(one_by_one)[0] == shown
    return shown


def test_text_is_shown_with_the_end_of_its_last_line() -> None:
    assert text_of([said("hel"), said("lo")]) == "hello\n"
    assert text_of([said("hello\n")]) == "hello\n"
    assert text_of([]) == ""


def test_only_the_agent_is_heard() -> None:
    events = [
        ChunkAdded("user", Text("me")),
        ChunkAdded("thought", Text("hm")),
        MessageChanged("user", "m", (Text("me"),)),
        MessageChanged("agent", "n", (Text("you"),)),
        said(""),
    ]
    assert text_of(events) == "you\n"


def test_what_comes_behind_a_tool_call_begins_on_a_line_of_its_own() -> None:
    events = [said("first"), ToolCallChanged("t"), ToolCallChanged("t"), said("\n\nsecond")]
    assert text_of(events) == "first\nsecond\n"
    assert text_of([said("first"), ToolCallChanged("t"), said("\n"), said("\nsecond")]) == (
        "first\nsecond\n"
    )


def test_no_escape_sequence_gets_through_even_in_pieces() -> None:
    assert text_of([said("a\x1b"), said("[31mred"), said("\u202e")]) == "a\\u001b[31mred\\u202e\n"


def test_a_failure_ends_the_line() -> None:
    async def act(screen: Screen) -> None:
        output = TextOutput(screen)
        output.events("s", (said("half"),))
        output.failed(Trouble(ExitCode.AGENT_DIED, "gone"))

    assert on_screen(act)[0] == "half\n"
