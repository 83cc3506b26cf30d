"""A title is one visible line, whatever a model or a file name puts into it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.coder.tools.title import one_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Edit src/app.py", "Edit src/app.py"),
        ("grüße/日本.txt", "grüße/日本.txt"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("\x1b[2Jrm", "\\u001b[2Jrm"),
        ("a\rb\x00\x7f\x9b", "a\\u000db\\u0000\\u007f\\u009b"),
        ("x\u202etxt.exe", "x\\u202etxt.exe"),
        ("\u2066\u2028\u200b\ufeff", "\\u2066\\u2028\\u200b\\ufeff"),
        ("tag\U000e0041", "tag\\U000e0041"),
        ("\udc80", "\\udc80"),
        ("", ""),
    ],
)
def test_what_is_not_visible_is_shown_as_an_escape(text: str, shown: str) -> None:
    assert one_line(text) == shown


def test_a_long_text_is_cut_with_a_mark_and_never_inside_an_escape() -> None:
    assert one_line("x" * 200) == "x" * 200
    assert one_line("x" * 201) == "x" * 199 + "…"
    assert one_line("abc\x1bdef", limit=7) == "abc…"
    assert one_line("abc\x1b", limit=9) == "abc\\u001b"


@given(st.text(alphabet=st.characters(), max_size=60), st.integers(1, 40))
def test_every_title_is_printable_and_within_its_limit(text: str, limit: int) -> None:
    shown = one_line(text, limit)
    assert shown.isprintable()
    assert len(shown) <= limit
