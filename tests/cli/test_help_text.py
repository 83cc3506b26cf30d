"""Help texts are as wide as the terminal, and break no word."""

import argparse
import io
import os

import pytest

from parley.cli.help_text import HelpText, filled, known_width, packed, terminal_width


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


@pytest.mark.parametrize(("columns", "widest"), [("50", 48), ("300", 98)])
def test_indented_lines_stay_and_all_others_are_as_wide_as_fits(
    columns: str, widest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    words = "many-words " * 20
    parser = argparse.ArgumentParser("test", description=f"a\n  b\n{words}")
    parser.formatter_class = HelpText
    parser.add_argument("--long", help=words)
    text = parser.format_help()
    assert "\na\n  b\nmany-words many-words" in text
    assert text.count("many-words") == 40
    assert widest - len("many-words") <= max(map(len, text.splitlines())) <= widest


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("one two\nthree\n\nfour", "one two three\n\nfour"),
        ("a\n  b c\nd", "a\n  b c\nd"),
        ("a\n", "a\n"),
        ("  parley x        what it does for you", "  parley x\n      what it does for\n      you"),
        (
            "  a   b\n  c   d e f g h i j k l m",
            "  a\n      b\n  c\n      d e f g h i j k\n      l m",
        ),
        (
            "  parley x --allow 'a b c' \"d e\"",
            "  parley x --allow \\\n      'a b c' \"d e\"",
        ),
        ("    {1, 2, 3, 4, 5, 6, 7, 8}", "    {1, 2, 3, 4, 5, 6,\n        7, 8}"),
        ("a-word-that-is-longer-than-a-line b", "a-word-that-is-longer-than-a-line\nb"),
    ],
)
def test_lines_are_broken_at_blanks_and_stay_what_they_mean(text: str, shown: str) -> None:
    assert filled(text, 22) == shown


def test_words_are_measured_as_they_are_shown() -> None:
    assert packed(["ab", "cd", "ef"], 5) == ["ab cd", "ef"]
    assert packed(["ab", "cd", "ef"], 5, size=lambda text: 2 * len(text)) == ["ab", "cd", "ef"]
    assert packed([], 5) == []


def test_a_pipe_has_no_width() -> None:
    with open(os.devnull) as output, pytest.MonkeyPatch.context() as patched:
        patched.setattr("sys.__stdout__", output)
        assert known_width() is None
