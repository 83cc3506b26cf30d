"""What the doctor has found, for a terminal."""

from parley.cli.finding import Finding, is_bad, lines


def test_a_finding_is_shown_with_its_fix() -> None:
    assert lines(Finding("store", "ok", "fine")) == ["ok       store: fine"]
    assert lines(Finding("store", "problem", "torn", "mend it")) == [
        "PROBLEM  store: torn",
        "         to fix it: mend it",
    ]


def test_what_a_damaged_file_says_cannot_reach_the_terminal() -> None:
    shown = lines(Finding("store", "note", "a\x1b[31m", "b\x07"))
    assert shown == ["note     store: a\\u001b[31m", "         to fix it: b\\u0007"]


def test_only_a_problem_is_bad() -> None:
    assert not is_bad([Finding("a", "ok", ""), Finding("b", "note", "")])
    assert is_bad([Finding("a", "ok", ""), Finding("b", "problem", "")])
