"""A terminal that the agent runs, as text for a client that can only show its own terminals.

Pure. The terminals of version 1 belong to the client, so one of the agent's is never sent as one:
its output becomes a fenced block in the tool calls that show it. Without a clock, how often it is
sent depends on how much it grew.
"""

import re

from msgspec import UnsetType

from parley.session.event import ExitStatus, TerminalChanged

KEPT = 32 * 1024
"""How many bytes at the end of the output are shown."""
_FIRST_STEP = 256

# Compiled when they are first used: an agent starts without.
_ESCAPES = (
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # Operating system commands: titles, links.
    r"|\x1b\[[0-?]*[ -/]*[@-~]?"  # Colours and cursor movements.
    r"|\x1b[PX^_][^\x1b]*(?:\x1b\\)?"  # Strings for the device.
    r"|\x1b[ -/]*[0-~]?"
)
_CONTROLS = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"


class Transcript:
    """What one terminal has shown so far, bounded."""

    def __init__(self) -> None:
        self.exit: ExitStatus | None = None
        self._command: str | None = None
        self._tail = bytearray()
        self._cut = False
        self._grown = 0
        """How much the output grew since it was last rendered."""
        self._step = 0
        self._stale = False

    @property
    def due(self) -> bool:
        """Whether enough has changed to be worth sending."""
        return self._stale or (self._grown > 0 and self._grown >= self._step)

    @property
    def behind(self) -> bool:
        """Whether anything at all has changed since it was last rendered."""
        return self._stale or self._grown > 0

    def change(self, event: TerminalChanged) -> None:
        if not isinstance(event.command, UnsetType):
            self._command = event.command
            self._stale = True
        if not isinstance(event.output, UnsetType):
            self._tail.clear()
            self._cut = False
            self._stale = True
            self.add(event.output or b"")
        if not isinstance(event.exit, UnsetType):
            self.exit = event.exit
            self._stale = True

    def add(self, data: bytes) -> None:
        self._grown += len(data)
        self._tail += data
        if len(self._tail) > KEPT:
            self._cut = True
            del self._tail[: len(self._tail) - KEPT]

    def render(self) -> str:
        """The whole of it as Markdown."""
        self._stale = False
        self._grown = 0
        # Each sending holds everything, so it waits for the output to grow by half.
        self._step = max(_FIRST_STEP, len(self._tail) // 2) if self._tail else 0
        text = sanitised(bytes(self._tail))
        lines = [] if self._command is None else [f"$ {self._command}"]
        if self._cut:
            lines.append("[earlier output is left out]")
        lines.append(text.rstrip("\n"))
        body = "\n".join(lines)
        longest = max((len(run) for run in re.findall("`+", body)), default=0)
        fence = "`" * max(3, longest + 1)
        return f"{fence}\n{body}\n{fence}{self._exit_line()}"

    def _exit_line(self) -> str:
        if self.exit is None:
            return ""
        if self.exit.signal is not None:
            return f"\nended by signal {self.exit.signal}"
        return "\nended" if self.exit.code is None else f"\nexit code {self.exit.code}"


def sanitised(data: bytes) -> str:
    """Terminal output as plain text: no escapes, carriage returns applied, always valid."""
    # The beginning may be in the middle of a character.
    start = 0
    while start < min(3, len(data)) and data[start] & 0xC0 == 0x80:
        start += 1
    text = re.sub(_ESCAPES, "", str(data[start:], "utf-8", "replace")).replace("\r\n", "\n")
    lines = [_overwritten(line) if "\r" in line else line for line in text.split("\n")]
    return re.sub(_CONTROLS, "", "\n".join(lines))


def _overwritten(line: str) -> str:
    shown = ""
    for part in line.split("\r"):
        shown = part + shown[len(part) :]
    return shown
