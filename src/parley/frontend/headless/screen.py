"""The two streams of a run: the chosen output on stdout, and everything else on stderr.

Owns what a terminal needs: fresh lines, colours, and one line of progress that leaves no trace.
What is written here is text that is safe already.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from typing import Literal

from msgspec import Struct

from parley.frontend.headless.outlet import Outlet
from parley.frontend.visible import one_line

Tone = Literal["plain", "dim", "good", "bad", "warning"]
Line = tuple[str, Tone]

_COLOURS = {"plain": "", "dim": "\x1b[2m", "good": "\x1b[32m", "bad": "\x1b[31m"}
_COLOURS["warning"] = "\x1b[33m"
_CLEAR = "\r\x1b[2K"


class Facts(Struct, frozen=True):
    """What is known of the two streams."""

    stdout: int = 1
    stderr: int = 2
    stdout_is_terminal: bool = False
    stderr_is_terminal: bool = False
    colour: bool = False
    moving: bool = False
    """Whether stderr is a terminal that can erase a line."""
    columns: int = 80
    encoding: str = "utf-8"


class Screen:
    """Writes to both streams, in the order in which it is told."""

    def __init__(self, outlet: Outlet, facts: Facts) -> None:
        self.outlet = outlet
        self.facts = facts
        self._midline = False
        self._progress = False
        self._one_question = asyncio.Lock()
        # Both streams show on one terminal, as far as can be told.
        self._shared = facts.stdout_is_terminal and facts.stderr_is_terminal

    @property
    def midline(self) -> bool:
        """Whether the output stands in the middle of a line."""
        return self._midline

    async def room(self) -> None:
        await self.outlet.room()

    def say(self, text: str) -> None:
        """A piece of the output."""
        if text:
            self._erase()
            self._midline = not text.endswith("\n")
            self._write(self.facts.stdout, text)

    def put(self, data: bytes) -> None:
        """A whole line of the output, encoded already."""
        self._erase()
        self.outlet.write(self.facts.stdout, data)

    def note(self, text: str, tone: Tone = "plain") -> None:
        """One or more lines beside the output."""
        self._erase()
        if self._midline and self._shared:
            # Only on the screen: the output itself is not changed by what stands beside it.
            self._write(self.facts.stderr, "\n")
            self._midline = False
        self._write(self.facts.stderr, self.coloured(text, tone) + "\n")

    @asynccontextmanager
    async def asking(self, lines: Iterable[Line]) -> AsyncGenerator[None]:
        """Show a question, and nothing behind it for a block: an agent could answer it there."""
        async with self._one_question:
            for line, tone in lines:
                self.note(line, tone)
            self.outlet.hold(True)
            try:
                await self.outlet.flushed()
                yield
            finally:
                self.outlet.hold(False)

    def coloured(self, text: str, tone: Tone) -> str:
        if not self.facts.colour or tone == "plain":
            return text
        return "\n".join(f"{_COLOURS[tone]}{line}\x1b[0m" for line in text.split("\n"))

    def show_progress(self, text: str) -> None:
        """Show a line that the next one replaces; nothing where that would leave traces."""
        beside_text = self._midline and self._shared
        if not self.facts.moving or beside_text or self.outlet.held:
            return
        line = one_line(text, max(self.facts.columns - 1, 1))
        self._write(self.facts.stderr, _CLEAR + self.coloured(line, "dim"))
        self._progress = True

    def hide_progress(self) -> None:
        self._erase()

    async def flushed(self) -> None:
        """Wait until everything is on the screen."""
        await self.outlet.flushed()

    async def aclose(self, seconds: float) -> None:
        self._erase()
        await self.outlet.aclose(seconds)

    def _erase(self) -> None:
        if self._progress:
            self._progress = False
            self._write(self.facts.stderr, _CLEAR)

    def _write(self, fd: int, text: str) -> None:
        self.outlet.write(fd, text.encode(self.facts.encoding, "backslashreplace"))


async def keep_moving(screen: Screen, text: "ProgressText", seconds: float = 0.5) -> None:
    """Show what goes on, again and again, until cancelled."""
    while screen.facts.moving:
        await asyncio.sleep(seconds)
        now = text.now(asyncio.get_running_loop().time())
        if now is not None:
            screen.show_progress(now)


class ProgressText:
    """What the line of progress says: what is done, and for how long."""

    def __init__(self) -> None:
        self._what: str | None = None
        self._since = 0.0

    def set(self, what: str | None, now: float) -> None:
        """Something else is done now, or nothing that is worth a line."""
        if what != self._what:
            self._what, self._since = what, now

    def now(self, now: float) -> str | None:
        if self._what is None:
            return None
        seconds = int(now - self._since)
        return f"… {self._what}" + (f" ({seconds} s)" if seconds else "")
