"""Nothing that a person is shown hides or moves anything."""

from parley.coder.permission.visible import visible, visible_lines


def test_plain_text_stays_as_it_is() -> None:
    assert visible("Run `ls -la` in caf\u00e9") == "Run `ls -la` in caf\u00e9"


def test_controls_marks_and_odd_blanks_are_written_as_their_codes() -> None:
    text = "a\x1b[2Kb\r\n\u202ec\u200bd\u00a0e\U000e0041"
    assert visible(text) == "a\\u001b[2Kb\\u000d\\u000a\\u202ec\\u200bd\\u00a0e\\U000e0041"


def test_lines_are_kept_where_they_are_wanted() -> None:
    assert visible_lines("a\nb\x07\n") == "a\nb\\u0007\n"
