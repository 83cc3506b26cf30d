"""One key and one line, at a terminal that is a pair of descriptors here."""

import asyncio
import os
import pty
import subprocess
import sys
import termios
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager

from parley.frontend.headless.keyboard import TerminalKeyboard

SECONDS = 5.0
# A process with the terminal as its own: the only one that `/dev/tty` leads to.
ASKING = """
import asyncio, fcntl, os, sys, termios
from parley.frontend.headless.keyboard import keyboard
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
async def main():
    async with keyboard() as keys:
        print("there" if keys else "nobody", await keys.key("? ") if keys else "", flush=True)
asyncio.run(main())
"""


@contextmanager
def terminal() -> Generator[tuple[int, int]]:
    person, program = pty.openpty()
    try:
        yield person, program
    finally:
        os.close(person)
        os.close(program)


async def typed(
    person: int, ask: Callable[[], Awaitable[str | None]], answer: bytes
) -> tuple[str | None, str]:
    """What is understood when this is typed once the question is seen, and what was shown."""
    loop = asyncio.get_running_loop()
    asking = asyncio.ensure_future(ask())
    seen = b""
    while b"?" not in seen:
        seen += await loop.run_in_executor(None, os.read, person, 1000)
    os.write(person, answer)
    result = await asking
    return result, seen.decode()


def key(answer: bytes, before: bytes = b"") -> str | None:
    async def scenario() -> str | None:
        with terminal() as (person, program):
            mode = termios.tcgetattr(program)
            os.write(person, before)
            keys = TerminalKeyboard(program)
            result, _ = await typed(person, lambda: keys.key("go on? "), answer)
            assert termios.tcgetattr(program) == mode
            return result

    return asyncio.run(asyncio.wait_for(scenario(), SECONDS))


def test_one_key_is_enough() -> None:
    assert key(b"a") == "a"
    assert key("ü".encode()) == "ü"


def test_what_was_typed_before_the_question_is_no_answer() -> None:
    assert key(b"r", before=b"aaaa\n") == "r"


def test_more_than_one_key_at_once_is_none() -> None:
    assert key(b"ab") == ""
    assert key(b"\x1b[A") == ""


def test_the_terminal_is_as_before_when_nobody_waits_any_more() -> None:
    async def scenario() -> None:
        with terminal() as (_, program):
            mode = termios.tcgetattr(program)
            asking = asyncio.ensure_future(TerminalKeyboard(program).key("? "))
            await asyncio.sleep(0)
            assert termios.tcgetattr(program) != mode
            asking.cancel()
            await asyncio.wait([asking])
            assert termios.tcgetattr(program) == mode

    asyncio.run(asyncio.wait_for(scenario(), SECONDS))


def test_a_line_is_read_and_can_be_hidden() -> None:
    async def scenario() -> None:
        with terminal() as (person, program):
            keys = TerminalKeyboard(program)
            assert (await typed(person, lambda: keys.line("name? "), b"Ada\n"))[0] == "Ada"
            os.read(person, 1000)
            ask = lambda: keys.line("secret? ", hidden=True)  # noqa: E731
            result, shown = await typed(person, ask, b"pssst\n")
            assert result == "pssst"
            assert "pssst" not in shown + os.read(person, 1000).decode()
            assert (await typed(person, lambda: keys.line("end? "), b"\x04"))[0] is None

    asyncio.run(asyncio.wait_for(scenario(), SECONDS))


def test_a_terminal_that_goes_away_is_no_answer() -> None:
    async def scenario() -> str | None:
        person, program = pty.openpty()
        asking = asyncio.ensure_future(TerminalKeyboard(program).line("? "))
        await asyncio.sleep(0)
        os.close(person)
        try:
            return await asking
        finally:
            os.close(program)

    assert asyncio.run(asyncio.wait_for(scenario(), SECONDS)) is None


def test_the_terminal_of_the_process_is_found_wherever_stdout_leads() -> None:
    with terminal() as (person, program):
        process = subprocess.Popen(
            [sys.executable, "-c", ASKING], stdin=program, stdout=subprocess.PIPE
        )
        assert os.read(person, 10).startswith(b"?")
        os.write(person, b"y")
        assert process.communicate(timeout=SECONDS)[0] == b"there y\n"


def test_who_works_in_the_background_does_not_ask() -> None:
    program = ASKING.replace(
        "async def main",
        "if child := os.fork(): os._exit(os.waitpid(child, 0)[1])\n"
        "os.setpgid(0, 0)\nasync def main",
    )
    with terminal() as (_, end):
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, stdin=end, stdout=subprocess.PIPE, timeout=SECONDS)
    assert done.stdout == b"nobody \n"


def test_without_a_terminal_there_is_nobody() -> None:
    program = ASKING.replace("fcntl.ioctl(0, termios.TIOCSCTTY, 0)", "")
    for stdin in (subprocess.DEVNULL, "terminal without a process"):
        with terminal() as (_, end):
            done = subprocess.run(
                [sys.executable, "-c", program],
                stdin=stdin if isinstance(stdin, int) else end,
                capture_output=True,
                timeout=SECONDS,
            )
        assert done.stdout == b"nobody \n"
