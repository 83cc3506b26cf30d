"""`--output text`: what the agent says, as it comes."""

from collections.abc import Sequence

from parley.frontend.headless.output import Answered, Opened, Result, Trouble, TurnEnd
from parley.frontend.headless.said import Said
from parley.frontend.headless.screen import Screen
from parley.frontend.visible import VisibleStream
from parley.session.event import Event, ToolCallChanged


class TextOutput:
    """Streams text to stdout. Everything else is for the status lines."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._said = Said()
        self._safe = VisibleStream()
        self._any = False
        self._wants_line = False

    def opened(self, opened: Opened) -> None:
        pass

    def events(self, session_id: str, events: Sequence[Event]) -> None:
        said = self._said
        pieces: list[str] = []
        for event in events:
            pieces.append(said.heard(event))
            if type(event) is ToolCallChanged:
                # What is said before a tool call and what is said behind it are two paragraphs.
                self._say(pieces)
                self._break()
        self._say(pieces)

    def answered(self, answered: Answered) -> None:
        self._break()

    async def turn_ended(self, end: TurnEnd) -> None:
        self._finish_line()
        self._said = Said()

    def failed(self, trouble: Trouble) -> None:
        self._finish_line()

    def finished(self, result: Result) -> None:
        self._finish_line()

    def _say(self, pieces: list[str]) -> None:
        """Show pieces, and have done with them."""
        text = "".join(pieces)
        pieces.clear()
        if self._wants_line:
            text = text.lstrip("\n")
        if text:
            self._any, self._wants_line = True, False
            self._screen.say(self._safe.feed(text))

    def _break(self) -> None:
        self._said.pause()
        if self._any and not self._wants_line:
            self._finish_line()
            self._wants_line = True

    def _finish_line(self) -> None:
        """The output ends with a whole line, so that what follows in a terminal starts on one."""
        self._screen.say(self._safe.close())
        if self._any and self._unfinished():
            self._screen.say("\n")
        self._any = False

    def _unfinished(self) -> bool:
        return self._screen.midline
