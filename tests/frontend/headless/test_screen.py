"""Two streams on one terminal, and on none."""

import asyncio
import os

from parley.frontend.headless.screen import ProgressText, Screen, keep_moving
from tests.frontend.headless.staging import on_screen, shown


def test_output_and_notes_go_to_their_own_streams() -> None:
    async def act(screen: Screen) -> None:
        screen.say("half a line")
        screen.note("beside")
        screen.say(", the other half\n")
        screen.put(b"raw\n")
        screen.say("")

    assert on_screen(act) == ("half a line, the other half\nraw\n", "beside\n")


def test_a_note_on_the_same_terminal_begins_on_a_fresh_line_and_leaves_stdout_alone() -> None:
    async def act(screen: Screen) -> None:
        screen.say("half")
        assert screen.midline
        screen.note("beside")
        screen.say("rest\n")
        screen.note("again")

    out, err = on_screen(act, stdout_is_terminal=True, stderr_is_terminal=True)
    assert (out, err) == ("halfrest\n", "\nbeside\nagain\n")


def test_progress_leaves_no_trace_and_keeps_within_the_columns() -> None:
    async def act(screen: Screen) -> None:
        screen.show_progress("a very long thing that is done")
        screen.note("note")
        screen.show_progress("short")
        screen.hide_progress()
        screen.hide_progress()

    _, err = on_screen(act, moving=True, columns=12)
    assert err == "\r\x1b[2Ka very lon…\r\x1b[2Knote\n\r\x1b[2Kshort\r\x1b[2K"


def test_progress_is_not_shown_where_it_would_stay_or_hide_something() -> None:
    async def act(screen: Screen) -> None:
        screen.show_progress("no terminal")

    assert on_screen(act) == ("", "")

    async def beside_text(screen: Screen) -> None:
        screen.say("half")
        screen.show_progress("hidden")

    facts = {"moving": True, "stdout_is_terminal": True, "stderr_is_terminal": True}
    assert on_screen(beside_text, **facts) == ("half", "")

    async def while_asking(screen: Screen) -> None:
        screen.outlet.hold(True)
        screen.show_progress("hidden")

    assert on_screen(while_asking, moving=True) == ("", "")


def test_colours_end_with_each_line_and_only_where_they_are_wanted() -> None:
    async def act(screen: Screen) -> None:
        screen.note("a\nb", "bad")
        screen.note("c")

    assert on_screen(act, colour=True)[1] == "\x1b[31ma\x1b[0m\n\x1b[31mb\x1b[0m\nc\n"
    assert on_screen(act)[1] == "a\nb\nc\n"


def test_what_the_encoding_lacks_is_escaped() -> None:
    async def act(screen: Screen) -> None:
        screen.say("ü✓\n")

    assert on_screen(act, encoding="ascii")[0] == "\\xfc\\u2713\n"


def test_the_line_of_progress_says_what_and_for_how_long() -> None:
    text = ProgressText()
    assert text.now(0) is None
    text.set("reading", 10)
    assert text.now(10.4) == "… reading"
    text.set("reading", 12)
    assert text.now(13.2) == "… reading (3 s)"
    text.set(None, 14)
    assert text.now(15) is None


class Telling(ProgressText):
    """Has nothing to say at first, and tells when it was asked again."""

    def __init__(self) -> None:
        super().__init__()
        self.told = asyncio.Event()
        self._answers: list[str | None] = [None, "… working"]

    def now(self, now: float) -> str | None:
        if len(self._answers) == 1:
            self.told.set()
            return self._answers[0]
        return self._answers.pop(0)


def test_progress_moves_until_it_is_cancelled() -> None:
    async def scenario() -> str:
        async with shown(moving=True) as stage:
            text = Telling()
            moving = asyncio.ensure_future(keep_moving(stage.screen, text, 0))
            await text.told.wait()
            moving.cancel()
        return stage.err

    assert "… working" in asyncio.run(asyncio.wait_for(scenario(), 5))


def test_nothing_moves_where_nothing_can() -> None:
    async def scenario() -> None:
        async with shown() as stage:
            await keep_moving(stage.screen, ProgressText())

    asyncio.run(asyncio.wait_for(scenario(), 5))


def test_nothing_is_shown_behind_a_question_until_it_is_answered() -> None:
    async def act(screen: Screen) -> None:
        screen.say("before\n")
        async with screen.asking([("really?", "warning")]):
            screen.say("any key: yes\n")
            screen.show_progress("any key: yes")
            os.write(screen.facts.stdout, b"r\n")

    out, err = on_screen(act, stderr_is_terminal=True, moving=True)
    assert (out, err) == ("before\nr\nany key: yes\n", "really?\n")


def test_one_question_is_asked_at_a_time() -> None:
    async def act(screen: Screen) -> None:
        async def ask(text: str) -> None:
            async with screen.asking([(text, "plain")]):
                await asyncio.sleep(0)
                os.write(screen.facts.stderr, b"no\n")

        await asyncio.gather(ask("first?"), ask("second?"))

    assert on_screen(act)[1] == "first?\nno\nsecond?\nno\n"
