"""Help texts are as wide as the terminal, and keep the lines of descriptions."""

import argparse
import io
import os

import pytest

from parley.cli.help_text import HelpText, terminal_width


@pytest.fixture(autouse=True)
def no_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)


def test_a_width_that_is_set_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "123")
    assert terminal_width() == 123


@pytest.mark.parametrize("columns", ["", "0", "wide"])
def test_a_width_that_says_nothing_leaves_it_to_the_terminal(
    columns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)

    def size(descriptor: int) -> os.terminal_size:
        return os.terminal_size((97, 20))

    monkeypatch.setattr("os.get_terminal_size", size)
    with open(os.devnull) as output:
        monkeypatch.setattr("sys.__stdout__", output)
        assert terminal_width() == 97


@pytest.mark.parametrize("output", [None, io.StringIO()])
def test_without_a_terminal_there_is_a_usual_width(
    output: io.StringIO | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.__stdout__", output)
    assert terminal_width() == 80


def test_the_lines_of_a_description_stay_and_those_of_options_are_broken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    parser = argparse.ArgumentParser("test", description="a\n  b", formatter_class=HelpText)
    parser.add_argument("--long", help="many words " * 9)
    text = parser.format_help()
    assert "\na\n  b\n" in text
    assert max(map(len, text.splitlines())) <= 48
