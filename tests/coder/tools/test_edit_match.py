"""An edit finds the text it means, and says clearly when it does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.coder.errors import ToolError
from parley.coder.tools.edit_match import Edit, edited, line_at


def _after(text: str, *edits: Edit) -> str:
    return edited(text, edits, "a.py").text


def _refusal(text: str, *edits: Edit) -> str:
    with pytest.raises(ToolError) as caught:
        edited(text, edits, "a.py")
    return str(caught.value)


def test_an_exact_match_is_replaced_and_nothing_is_noted() -> None:
    result = edited("one two three", (Edit("two", "2"),), "a.py")
    assert (result.text, result.spans, result.notes) == ("one 2 three", ((4, 5),), ())


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        # Blanks at the end of lines, in the file or in the edit.
        ("a  \nb\t\nc", "a\nb", "x", "x\nc"),
        ("a\nb\nc\n", "a \nb  \n", "x\n", "x\nc\n"),
        # The last line of the file has no line feed.
        ("a\nb  ", "a\nb\n", "x\ny\n", "x\ny"),
        # Quotes, dashes and blanks that look alike.
        ("say “hi”", 'say "hi"', "say hello", "say hello"),
        ("it's \u2013 fine", "it\u2019s - fine", "ok", "ok"),
        ("a\u00a0b", "a b", "c", "c"),
        # Indentation: too little, too much, tabs for blanks.
        ("def f():\n    if x:\n        y\n", "if x:\n    y\n", "if z:\n    w\n", None),
        ("if x:\n    y\nz", "    if x:\n        y", "    if w:\n        y", "if w:\n    y\nz"),
        ("\tone\n\ttwo", "    one\n    two", "    1\n    2", "\t1\n\t2"),
        ("  a\n\n  b", "a\n\nb", "a\n\n\nc", "  a\n\n\n  c"),
        ("\ta\n\t\tb", "  a\n    b", "  a\n    c\n      d", "\ta\n\t\tc\n\t\t\td"),
        ("if a:\n    b", "if a:\n\tb", "if a:\n\tc", "if a:\n    c"),
    ],
)
def test_what_a_model_cannot_see_is_tolerated(
    text: str, old: str, new: str, after: str | None
) -> None:
    result = edited(text, (Edit(old, new),), "a.py")
    assert result.text == (after or "def f():\n    if z:\n        w\n")
    assert len(result.notes) == 1
    assert result.notes[0].startswith("`edits[0].old_text` matched although ")


def test_a_new_line_that_is_less_deep_becomes_less_deep() -> None:
    text = "class A:\n    def f(self):\n        return 1\n"
    old = "    def f(self):\n        return 1\n".replace("    ", "      ", 1)
    assert "was not found" in _refusal(text, Edit(old, "x"))
    deeper = "        def f(self):\n            return 1\n"
    new = "        def f(self):\n            return 2\n    x = 3\n"
    assert _after(text, Edit(deeper, new)) == (
        "class A:\n    def f(self):\n        return 2\nx = 3\n"
    )


@pytest.mark.parametrize(
    ("text", "old", "new", "after", "note"),
    [
        ("a\nb\nc", "    1\ta\n    2\tb", "    1\tx", "x\nc", "without the line numbers"),
        ("a\nb\n", "    2\tb\n", "y\n", "a\ny\n", "without the line numbers"),
        ("  b\n", "    2\tb", "    2\ty", "  y\n", "without the line numbers"),
        ("a\nb\nc", "\n\na\nb\n\n", "\nx\n", "x\nc", "without the empty lines around it"),
    ],
)
def test_what_a_model_adds_is_left_out(
    text: str, old: str, new: str, after: str, note: str
) -> None:
    result = edited(text, (Edit(old, new),), "a.py")
    assert (result.text, result.notes) == (after, (f"`edits[0].old_text` matched {note}",))


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("x = 10\n", "\nx = 1\n"),
        ("\ta\n\t\tb", "  a\n   b"),
        ("\ta\n  b", "    a\n    b"),
        ("    a\n  b", "a\nb"),
        ("a\n    b", "a\n  b"),
        ("a b", "a  b"),
        ("\n\n", "  \n"),
        ("abc", "\n"),
    ],
)
def test_what_differs_in_more_than_that_is_not_tolerated(text: str, old: str) -> None:
    assert "was not found" in _refusal(text, Edit(old, "x"))


def test_an_exact_match_goes_before_a_tolerant_one() -> None:
    assert _after('“a” and "a"', Edit('"a"', "b")) == "“a” and b"


def test_each_edit_sees_the_result_of_the_one_before() -> None:
    assert _after("one two", Edit("one", "three"), Edit("three two", "done")) == "done"


def test_the_changes_are_told_as_places_of_the_new_text() -> None:
    text = "a\nb\nc\nd\n"
    result = edited(text, (Edit("d", "DDD"), Edit("a", "AAA"), Edit("b\n", "")), "a.py")
    assert result.text == "AAA\nc\nDDD\n"
    assert result.spans == ((0, 3), (4, 4), (6, 9))
    assert [line_at(result.text, start) for start, _ in result.spans] == [1, 2, 3]
    overlapping = edited("abcdef", (Edit("cd", "xxxx"), Edit("bx", "yy")), "a.py")
    assert (overlapping.text, overlapping.spans) == ("ayyxxxef", ((1, 6),))


def test_every_occurrence_is_replaced_on_demand() -> None:
    result = edited("a b a b a", (Edit("a", "cc", every=True),), "a.py")
    assert (result.text, result.spans) == ("cc b cc b cc", ((0, 2), (5, 7), (10, 12)))
    assert _after(" x\n  x\n", Edit("x ", "y", every=True)) == " y\n  y\n"


def test_very_many_occurrences_are_replaced_in_a_moment() -> None:
    edits = (Edit("a", "bb", every=True), Edit("b", "c", every=True))
    result = edited("a\n" * 50_000, edits, "a.py")
    assert result.text == "cc\n" * 50_000
    assert len(result.spans) == 100


def test_several_occurrences_are_listed() -> None:
    text = "".join(f"    x = {number}\n" for number in range(25))
    assert _refusal("a\n  b = 1\n\n  b = 2\n", Edit("b =", "c =")) == (
        "`edits[0].old_text` occurs 2 times in `a.py`:\n"
        "line 2:   b = 1\nline 4:   b = 2\n"
        "Add lines around it until it is the only one, or set `replace_all`. Nothing was changed"
    )
    assert "line 20:     x = 19\nand 5 more\n" in _refusal(text, Edit("x =", "y ="))


def test_an_edit_that_was_made_before_is_recognised() -> None:
    told = _refusal("one\nnew text\n", Edit("old text", "new text"))
    assert "`new_text` is there already, in line 2: perhaps it was edited before\n" in told
    assert told.endswith("\nNothing was changed")


def test_an_edit_that_changes_nothing_is_refused() -> None:
    assert _refusal("a", Edit("a", "a")) == (
        "`edits[0].old_text` and its `new_text` are the same; leave that edit out"
    )


texts = st.text(alphabet='ab \n\t“"', max_size=25)


@given(texts, texts.filter(bool), texts)
def test_an_edit_is_made_as_python_would_or_refused(text: str, old: str, new: str) -> None:
    try:
        result = edited(text, (Edit(old, new),), "a.py")
    except ToolError:
        assert old == new or text.count(old) != 1
        return
    if text.count(old) == 1:
        assert result.text == text.replace(old, new)
    for start, end in result.spans:
        assert 0 <= start <= end <= len(result.text)


@given(texts, texts.filter(bool), texts)
def test_what_lies_around_the_changes_stays(text: str, old: str, new: str) -> None:
    try:
        result = edited(text, (Edit(old, new, every=True),), "a.py")
    except ToolError:
        return
    head = result.text[: result.spans[0][0]]
    tail = result.text[result.spans[-1][1] :]
    assert text.startswith(head)
    assert text.endswith(tail)
