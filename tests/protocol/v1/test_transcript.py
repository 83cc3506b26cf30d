"""Terminals of the agent as text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.protocol.v1.transcript import KEPT, Transcript, sanitised
from parley.session.event import ExitStatus, TerminalChanged


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"plain\n", "plain\n"),
        (b"a\r\nb", "a\nb"),
        (b"10%\r50%\rdone", "done"),
        (b"longer\rhi", "hinger"),
        (b"\x1b[31mred\x1b[0m", "red"),
        (b"\x1b]0;title\x07x", "x"),
        (b"\x1b]8;;http://a\x1b\\link", "link"),
        (b"\x1bPstring\x1b\\x", "x"),
        (b"\x1b(Bx\x1b=y\x1b", "xy"),
        (b"a\x00b\x08\x7f\tc", "ab\tc"),
        (b"\xff\xfe", "\ufffd\ufffd"),
        ("é".encode()[1:] + b"x", "x"),
        (b"", ""),
    ],
)
def test_terminal_output_becomes_plain_text(data: bytes, text: str) -> None:
    assert sanitised(data) == text


@given(st.binary(max_size=200))
def test_any_bytes_become_text_without_control_characters(data: bytes) -> None:
    assert not {"\x1b", "\r", "\x00"} & set(sanitised(data))


def test_a_transcript_holds_command_output_and_exit() -> None:
    terminal = Transcript()
    terminal.change(TerminalChanged("t", command="make", output=b"ok\n"))
    assert terminal.render() == "```\n$ make\nok\n```"
    terminal.change(TerminalChanged("t", exit=ExitStatus(2)))
    assert terminal.render() == "```\n$ make\nok\n```\nexit code 2"
    terminal.change(TerminalChanged("t", command=None, output=None, exit=ExitStatus(signal="K")))
    assert terminal.render() == "```\n\n```\nended by signal K"
    terminal.change(TerminalChanged("t", exit=ExitStatus()))
    assert terminal.render() == "```\n\n```\nended"


def test_a_fence_is_longer_than_any_inside() -> None:
    terminal = Transcript()
    terminal.add(b"```\n````")
    assert terminal.render().startswith("`````\n")


def test_only_the_end_of_much_output_is_kept() -> None:
    terminal = Transcript()
    for index in range(10_000):
        terminal.add(b"line %d\n" % index)
    text = terminal.render()
    assert len(text) < KEPT + 200
    assert "[earlier output is left out]" in text
    assert "line 9999" in text


def test_it_is_sent_when_it_has_grown_enough_not_every_time() -> None:
    terminal = Transcript()
    assert not terminal.due
    sent = 0
    for _ in range(10_000):
        terminal.add(b"x" * 10)
        if terminal.due:
            sent += 1
            terminal.render()
    assert 10 < sent < 40
    terminal.add(b"x")
    assert terminal.behind
    assert not terminal.due
    terminal.change(TerminalChanged("t", exit=ExitStatus(0)))
    assert terminal.due
