"""Tricks in every field that an agent controls, through `parley run` on a terminal: none gets out.

The terminal is dumb in most runs, so that Parley itself has no reason to send an escape.
"""

import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from tests.frontend.tricks import TRICKS, leaked

# All runs are made before the first test.
pytestmark = pytest.mark.timeout(240)

AGENT = Path(__file__).with_name("tricky_agent.py")
SECONDS = 40.0
WIDE = 60_000
# `parley` in a session whose terminal is the one on its stdin.
PARLEY = (
    "import fcntl, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    "from parley.cli.main import main; sys.exit(main())"
)
# A text that was cut has no end, so the next one must not be taken for it.
_REGION = re.compile(r"<([a-z]+)\.(\d+):((?:(?!<[a-z]+\.\d+:).)*?):\1\.\2>", re.DOTALL)
# What ends a question, and the answer of a person who is careful.
_QUESTIONS = ((b"any other key: no\n? ", b"r"), (b"any other key: no ? ", b"n"), (b"): ", b"\r"))


@dataclass(frozen=True)
class Show:
    """A run, and the fields of which every trick must be seen."""

    mode: str
    options: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    term: str = "dumb"
    columns: int = WIDE
    code: int = 1

    def __str__(self) -> str:
        return " ".join((self.mode, self.term, str(self.columns), *self.options))


_SAID = ("message", "thought", "title", "name", "kind", "plan", "markdown", "notice", "more")
_TOLD = ("session", "mode", "subagent", "compaction", "update", "reason", "grade")
_ASKED = ("title", "kind", "command", "cwd", "path", "file", "old", "new", "content", "option")
SHOWS = [
    Show("fields", ("--verbose",), (*_SAID, *_TOLD)),
    Show("fields", ("--verbose",), ("message",), columns=40),
    Show("v2", ("--verbose",), ("message", "title")),
    Show("permission", (), _ASKED, columns=WIDE),
    Show("form", (), ("form", "url"), columns=WIDE),
    Show("final", ("--output", "final"), ("message",), code=0),
    Show("prompt", ("--quiet",), ("message", "error")),
    Show("session", (), ("error",)),
    Show("login", (), ("error",), code=7),
    Show("initialize", (), ("error",), code=7),
    Show("stderr", ("--verbose",), ("stderr",), code=8),
    Show("fields", ("--mode", "missing"), code=2),
    Show("fields", ("--set", "missing=1"), code=2),
]
COLOURFUL = [
    Show("fields", ("--verbose",), term="xterm"),
    Show("stderr", ("--verbose",), term="xterm", columns=80, code=8),
    Show("permission", (), term="xterm", columns=80),
]
JSON = Show("fields", ("--output", "json", "--verbose"), term="xterm")


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str]]:
    tricks = tmp_path_factory.mktemp("tricks") / "tricks.json"
    tricks.write_text(json.dumps([trick.text for trick in TRICKS]))
    shows = [*SHOWS, *COLOURFUL, JSON]
    with ThreadPoolExecutor(3) as pool:
        seen = pool.map(partial(on_terminal, tricks), shows)
        return dict(zip(map(str, shows), seen, strict=True))


@pytest.mark.parametrize("show", SHOWS, ids=str)
def test_no_trick_reaches_the_terminal_raw(show: Show, shown: dict[str, tuple[int, str]]) -> None:
    code, text = shown[str(show)]
    assert code == show.code, text[-2000:]
    assert leaked(text) == []
    regions = list(_regions(text))
    assert [TRICKS[number] for _, number, part in regions if TRICKS[number].never in part] == []
    seen = {(field, number) for field, number, _ in regions}
    whole = [number for number, trick in enumerate(TRICKS) if not _is_unreadable(trick.text)]
    assert {(field, number) for field in show.fields for number in whole} - seen == set()


@pytest.mark.parametrize("show", COLOURFUL, ids=str)
def test_no_escape_is_on_the_terminal_but_our_own(
    show: Show, shown: dict[str, tuple[int, str]]
) -> None:
    code, text = shown[str(show)]
    assert (code, "\x1b[" in text) == (show.code, True)
    assert [line for line in _without_our_own(text) if leaked(line)] == []


def test_json_is_ascii_without_controls_on_a_terminal(
    shown: dict[str, tuple[int, str]],
) -> None:
    code, text = shown[str(JSON)]
    assert code == 1
    lines = [line for line in text.splitlines() if line.startswith("{")]
    assert len(lines) > len(TRICKS)
    assert all(line.isascii() and line.isprintable() for line in lines)
    assert json.loads(lines[-1])["event"] == "result"


def test_what_would_be_a_leak_is_noticed() -> None:
    assert leaked("\x1b[31mred")
    assert [line for line in _without_our_own("\x1b[2ma \x1b[31mb\x1b[0m\n") if leaked(line)]
    assert list(_regions("<a.1:x:a.1> <b.2:\ny:b.2>")) == [("a", 1, "x"), ("b", 2, "\ny")]


def on_terminal(tricks: Path, show: Show) -> tuple[int, str]:
    """Run with stdin, stdout and stderr on a terminal; the status and what came out."""
    person, program = pty.openpty()
    mode = termios.tcgetattr(program)
    mode[1] &= ~termios.OPOST  # What comes out is what was written.
    termios.tcsetattr(program, termios.TCSANOW, mode)
    fcntl.ioctl(program, termios.TIOCSWINSZ, struct.pack("HHHH", 50, show.columns, 0, 0))
    agent = (sys.executable, "-I", "-S", str(AGENT), show.mode, str(tricks))
    env = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    process = subprocess.Popen(
        (sys.executable, "-c", PARLEY, "run", *show.options, "hi", "--", *agent),
        stdin=program,
        stdout=program,
        stderr=program,
        start_new_session=True,
        env={**env, "TERM": show.term},
        cwd=tricks.parent,
    )
    os.close(program)
    try:
        text = _read_to_end(person)
        return process.wait(SECONDS), text
    finally:
        process.kill()
        os.close(person)


def _read_to_end(person: int) -> str:
    """Everything, with an answer to every question."""
    data = bytearray()
    deadline = time.monotonic() + SECONDS
    while select.select([person], [], [], deadline - time.monotonic())[0]:
        try:
            piece = os.read(person, 1 << 16)
        except OSError:
            return data.decode()
        data += piece
        tail = re.sub(rb"\x1b\[\d*m", b"", bytes(data[-60:]))
        for question, answer in _QUESTIONS:
            if tail.endswith(question):
                os.write(person, answer)
                break
    raise AssertionError(f"it did not end: {bytes(data[-500:])!r}")


def _regions(text: str) -> Iterator[tuple[str, int, str]]:
    for found in _REGION.finditer(text):
        yield found[1], int(found[2]), found[3]


def _without_our_own(text: str) -> Iterator[str]:
    """The lines without the colours around them and what erases the line of progress."""
    for line in re.split("\n|\r\x1b\\[2K", text):
        yield re.sub("^\x1b\\[(?:2|31|32|33)m|\x1b\\[0m$", "", line)


def _is_unreadable(text: str) -> bool:
    """Half a pair of surrogates, which no JSON may have."""
    try:
        json.loads(json.dumps(text)).encode()
    except UnicodeEncodeError:
        return True
    return False
