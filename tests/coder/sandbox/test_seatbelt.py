"""The profile for macOS, as text."""

import pytest

from parley.coder.sandbox import seatbelt
from parley.coder.sandbox.policy import Limits
from parley.coder.sandbox.seatbelt import PROGRAM, SeatbeltBox, profile


def test_writes_are_denied_first_and_allowed_where_they_may_be() -> None:
    lines = profile(Limits(("/w", "/tmp"), ("/k",), ("/w/.git/hooks",))).splitlines()
    assert lines.index("(deny file-write*)") < lines.index(
        '(allow file-write* (subpath "/w") (subpath "/tmp"))'
    )
    assert lines.index('(allow file-write* (subpath "/w") (subpath "/tmp"))') < lines.index(
        '(deny file-write* (subpath "/w/.git/hooks"))'
    )
    assert '(deny file-read* file-write* (subpath "/k"))' in lines
    assert "(deny network*)" not in lines


def test_the_folders_around_what_is_held_cannot_be_renamed() -> None:
    text = profile(Limits(("/w",), ("/w/.config/gh",), own=("/w/.config/parley",)))
    assert '(deny file-write* (subpath "/w/.config/parley"))' in text
    assert '(deny file-write-unlink (literal "/w/.config"))' in text


def test_the_network_can_be_denied() -> None:
    assert "(deny network*)" in profile(Limits(("/w",), network=False))


def test_a_path_cannot_end_its_rule() -> None:
    text = profile(Limits(('/a"b\\c) (allow default',)))
    assert '(subpath "/a\\"b\\\\c) (allow default")' in text


def test_a_command_starts_behind_the_program_of_the_system() -> None:
    with SeatbeltBox(Limits(("/w",))).launch(("sh", "-c", "true"), "/w") as launch:
        assert launch.command[:2] == (PROGRAM, "-p")
        assert launch.command[3:] == ("sh", "-c", "true")


def test_it_is_there_where_its_program_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seatbelt, "PROGRAM", "/bin/sh")
    assert seatbelt.available()
    monkeypatch.setattr(seatbelt, "PROGRAM", "/no/such/program")
    assert not seatbelt.available()
