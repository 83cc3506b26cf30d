"""Lines carry their numbers and are not longer than anybody can use."""

from parley.coder.tools.numbered import (
    LONGEST_LINE,
    has_numbers,
    lines_of,
    numbered,
    without_numbers,
)


def test_lines_have_their_numbers_before_a_tab() -> None:
    assert numbered(["a", "", "c"], 9) == "    9\ta\n   10\t\n   11\tc"
    assert numbered([], 1) == ""


def test_a_line_feed_at_the_end_begins_no_line() -> None:
    assert lines_of("a\nb\n") == lines_of("a\nb") == ["a", "b"]
    assert lines_of("\n\n") == ["", ""]
    assert lines_of("") == []


def test_a_long_line_is_cut_and_says_how_much_is_missing() -> None:
    shown = numbered(["x" * (LONGEST_LINE + 7)], 1)
    assert shown == "    1\t" + "x" * LONGEST_LINE + "… [7 more characters]"


def test_numbers_that_were_copied_are_recognised_and_taken_away() -> None:
    text = "a\n\n\tb\n"
    copied = numbered(lines_of(text), 9)
    assert has_numbers(copied)
    assert without_numbers(copied) == "a\n\n\tb"
    assert not has_numbers(text)
    assert not has_numbers("")
