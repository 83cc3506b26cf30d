"""What is shown of a sub-agent while it works, and how long its report may be."""

from parley.coder.subagents.report import LONGEST, SHOWN, Report, bounded


def test_text_is_shown_when_there_is_enough_of_it_or_when_it_is_wanted() -> None:
    shown: list[str] = []
    report = Report(shown.append)
    report.tell()
    report.add("a" * 999)
    assert shown == []
    report.add("b")
    assert shown == ["a" * 999 + "b"]
    report.add("c")
    report.tell()
    report.tell()
    assert shown[1:] == ["a" * 999 + "bc"]


def test_paragraphs_stand_apart() -> None:
    shown: list[str] = []
    report = Report(shown.append)
    report.end_paragraph()
    report.add("one")
    report.end_paragraph()
    report.end_paragraph()
    report.add("two")
    report.add(" three")
    report.tell()
    assert shown == ["one\n\ntwo three"]


def test_only_the_end_of_much_text_is_shown_and_not_too_often() -> None:
    shown: list[str] = []
    report = Report(shown.append)
    for number in range(20_000):
        report.add(f"{number:05}")
    assert len(shown) == 100
    assert shown[-1].startswith("…")
    assert shown[-1].endswith("1999819999")
    assert max(map(len, shown)) == SHOWN + 1


def test_a_long_report_keeps_its_beginning_and_its_end() -> None:
    assert bounded("x" * LONGEST) == "x" * LONGEST
    text = bounded("a" + "x" * LONGEST + "z")
    assert text.startswith("ax")
    assert text.endswith("xz")
    assert "[… 2 characters left out …]" in text
    assert len(text) < LONGEST + 100
