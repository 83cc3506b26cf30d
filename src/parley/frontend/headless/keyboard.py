"""The person at the terminal: one key, or one line, and never a key that was typed before."""

import asyncio
import os
import termios
import tty
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Protocol

_MOST_BYTES = 4096


class Keyboard(Protocol):
    """Somebody who can be asked. Texts are safe already."""

    async def key(self, question: str) -> str:
        """One key; whatever is no single character is nothing."""
        ...

    async def line(self, question: str, *, hidden: bool = False) -> str | None:
        """One line without its end; `None` where there is none any more."""
        ...


class TerminalKeyboard:
    """Asks on the terminal that this process belongs to, wherever stdin and stdout lead."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._asking = asyncio.Lock()

    async def key(self, question: str) -> str:
        async with self._asking:
            with _mode(self._fd, tty.setcbreak):
                # A key that was pressed before the question was seen is no answer to it.
                termios.tcflush(self._fd, termios.TCIFLUSH)
                self._show(question)
                typed = (await self._read()).decode("utf-8", "replace")
            self._show((typed if typed.isprintable() and len(typed) == 1 else "") + "\n")
        return typed if len(typed) == 1 else ""

    async def line(self, question: str, *, hidden: bool = False) -> str | None:
        async with self._asking:
            with _mode(self._fd, _silent if hidden else _as_it_is):
                termios.tcflush(self._fd, termios.TCIFLUSH)
                self._show(question)
                typed = (await self._read()).decode("utf-8", "replace")
            if hidden:
                self._show("\n")
        return typed.rstrip("\r\n") if typed else None

    def _show(self, text: str) -> None:
        os.write(self._fd, text.encode("utf-8", "backslashreplace"))

    async def _read(self) -> bytes:
        loop = asyncio.get_running_loop()
        ready: asyncio.Future[None] = loop.create_future()
        loop.add_reader(self._fd, lambda: ready.done() or ready.set_result(None))
        try:
            await ready
        finally:
            loop.remove_reader(self._fd)
        with suppress(OSError):
            return os.read(self._fd, _MOST_BYTES)
        return b""


@asynccontextmanager
async def keyboard() -> AsyncGenerator[TerminalKeyboard | None]:
    """The terminal of this process; `None` where there is none, or where it is not ours now."""
    fd = _terminal()
    try:
        yield None if fd is None else TerminalKeyboard(fd)
    finally:
        if fd is not None:
            os.close(fd)


def _terminal() -> int | None:
    # Who has led all streams elsewhere does not wait in front of a screen.
    if not (os.isatty(0) or os.isatty(2)):
        return None
    try:
        fd = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError:
        return None
    try:
        # Whoever reads in the background is stopped by the system.
        if os.tcgetpgrp(fd) == os.getpgrp():
            return fd
    except OSError:
        pass
    os.close(fd)
    return None


@contextmanager
def _mode(fd: int, change: Callable[[int], object]) -> Generator[None]:
    """The terminal in another mode; as it was before, whatever happens."""
    before = termios.tcgetattr(fd)
    try:
        change(fd)
        yield
    finally:
        with suppress(termios.error):
            termios.tcsetattr(fd, termios.TCSADRAIN, before)


def _silent(fd: int) -> None:
    attributes = termios.tcgetattr(fd)
    attributes[3] &= ~termios.ECHO
    termios.tcsetattr(fd, termios.TCSADRAIN, attributes)


def _as_it_is(fd: int) -> None:
    pass
