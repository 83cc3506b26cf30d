"""`--output final`: only the answer, which is what was said behind the last tool call.

What was said before is kept until it is known not to be the answer. A long text lies on the disk
meanwhile, so that memory does not grow with it.
"""

from collections.abc import Sequence
from tempfile import SpooledTemporaryFile

from parley.frontend.headless.output import Answered, Opened, Result, Trouble, TurnEnd
from parley.frontend.headless.said import Said
from parley.frontend.headless.screen import Screen
from parley.frontend.visible import VisibleStream
from parley.session.event import Event, ToolCallChanged

_IN_MEMORY = 1024 * 1024
_AT_ONCE = 64 * 1024


class FinalOutput:
    """Holds what is said, and shows it when a turn has ended."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._said = Said()
        self._held = SpooledTemporaryFile[bytes](_IN_MEMORY)
        self._size = 0
        self._old = False

    def opened(self, opened: Opened) -> None:
        pass

    def events(self, session_id: str, events: Sequence[Event]) -> None:
        said = self._said
        pieces: list[str] = []
        for event in events:
            pieces.append(said.heard(event))
            if type(event) is ToolCallChanged:
                # It is the answer still if nothing follows.
                self._hold(pieces)
                self._old = True
                said.pause()
        self._hold(pieces)

    def answered(self, answered: Answered) -> None:
        pass

    async def turn_ended(self, end: TurnEnd) -> None:
        await self._show()
        self._said = Said()

    def failed(self, trouble: Trouble) -> None:
        pass

    def finished(self, result: Result) -> None:
        self._held.close()

    def _hold(self, pieces: list[str]) -> None:
        """Keep pieces, and have done with them."""
        text = "".join(pieces)
        pieces.clear()
        if not text:
            return
        if self._old:
            self._old = False
            self._clear()
        data = text.encode("utf-8", "surrogatepass")
        self._size += len(data)
        self._held.write(data)

    async def _show(self) -> None:
        """Write the answer, piece by piece, with the end of its last line."""
        if not self._size:
            return
        safe = VisibleStream()
        self._held.seek(0)
        rest = b""
        while piece := self._held.read(_AT_ONCE):
            whole = rest + piece
            # A character may lie across two pieces.
            cut = _whole_characters(whole)
            self._screen.say(safe.feed(whole[:cut].decode("utf-8", "surrogatepass")))
            rest = whole[cut:]
            await self._screen.room()
        self._screen.say(safe.close())
        if self._screen.midline:
            self._screen.say("\n")
        self._clear()

    def _clear(self) -> None:
        self._held.seek(0)
        self._held.truncate()
        self._size = 0


def _whole_characters(data: bytes) -> int:
    """How many bytes there are up to the last whole character."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte & 0xC0 != 0x80:
            needed = 1 if byte < 0x80 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return len(data) if needed <= back else len(data) - back
    return len(data)
