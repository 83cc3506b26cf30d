"""What the doctor has found, for a terminal."""

import pytest

from parley.cli.finding import Finding, is_bad, lines


@pytest.fixture(autouse=True)
def no_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)


def test_a_finding_is_shown_with_its_fix() -> None:
    assert lines(Finding("store", "ok", "fine")) == ["ok       store: fine"]
    assert lines(Finding("store", "problem", "torn", "mend it")) == [
        "PROBLEM  store: torn",
        "         to fix it: mend it",
    ]


def test_what_a_damaged_file_says_cannot_reach_the_terminal() -> None:
    shown = lines(Finding("store", "note", "a\x1b[31m", "b\x07"))
    assert shown == ["note     store: a\\u001b[31m", "         to fix it: b\\u0007"]


def test_on_a_terminal_lines_are_broken_at_blanks_and_indented(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    path = "/a/path/that/is/longer/than/a/line"
    finding = Finding("store", "problem", f"it is torn, {path} too\nand  more", "mend it with care")
    assert lines(finding) == [
        "PROBLEM  store: it is torn,",
        f"         {path}",
        "         too",
        "         and  more",
        "         to fix it: mend it",
        "         with care",
    ]
    assert lines(Finding("x", "ok", path)) == ["ok       x:", f"         {path}"]
    assert lines(Finding("x", "ok", "漢字漢字漢 漢字漢字")) == [
        "ok       x: 漢字漢字漢",
        "         漢字漢字",
    ]


def test_in_a_pipe_a_finding_is_one_line() -> None:
    assert lines(Finding("store", "ok", "word " * 99 + "end"))[1:] == []


def test_only_a_problem_is_bad() -> None:
    assert not is_bad([Finding("a", "ok", ""), Finding("b", "note", "")])
    assert is_bad([Finding("a", "ok", ""), Finding("b", "problem", "")])
