"""A miss is answered with the region that comes closest and with what differs."""

import time

from hypothesis import given
from hypothesis import strategies as st

from parley.coder.tools.edit_closest import closest_region

TEXT = """import os


def first(a):
    total = a + 1
    return total


def second(b):
    total = b + 2
    return total
"""


def test_the_closest_region_is_shown_with_what_differs() -> None:
    assert closest_region(TEXT, "def second(b):\n    total = b + 3\n    return total\n") == (
        "The closest region is lines 9-11:\n"
        "    9\tdef second(b):\n   10\t    total = b + 2\n   11\t    return total\n"
        "It differs from your text:\n"
        "line 10 of the file: `    total = b + 2`\n"
        "your text instead: `    total = b + 3`"
    )


def test_a_line_that_is_only_similar_is_found() -> None:
    told = closest_region(TEXT, "    totl = a - 1")
    assert told.startswith("The closest region is line 5:\n    5\t    total = a + 1\n")
    assert closest_region("a\nfoo(x)\n", "  bar\n  foo(y)\n").startswith(
        "The closest region is lines 1-2:\n"
    )


def test_invisible_differences_are_made_visible() -> None:
    told = closest_region("\tx = 1  \n\ty = 2\n", "    x = 1\n    y = 3")
    assert "line 1 of the file: `\\tx = 1  `" in told
    assert "your text instead: `    x = 1`" in told


def test_many_differences_are_shortened() -> None:
    lines = [f"value_{number} = {number}" for number in range(40)]
    told = closest_region("\n".join(lines), "\n".join(line + "0" for line in lines))
    assert told.endswith("\nand 72 more lines")
    assert "   30\tvalue_29 = 29\n" in told
    assert "   31\t" not in told


def test_line_numbers_in_the_text_are_recognised() -> None:
    assert "leave them out" in closest_region(TEXT, "    9\tdef second(b):\n   10\t    total")
    assert "leave them out" not in closest_region(TEXT, "9 def second(b)")


def test_nothing_similar_is_said_to_be_nothing() -> None:
    for text, old in ((TEXT, "@@@@ %%%%"), ("", "x"), ("x", "\n\n"), (TEXT, "\n")):
        assert closest_region(text, old) == "Nothing in the file is similar: read the file again"


def test_a_large_file_is_searched_in_a_moment() -> None:
    text = "\n".join(f"    value_{number} = compute({number}, other)" for number in range(20_000))
    before = time.process_time()
    told = closest_region(text, "    value_1234 = computed(1234, others)\n" * 50)
    assert time.process_time() - before < 3
    assert told.startswith("The closest region is lines ")


@given(
    st.text(alphabet="ab \n\t", max_size=40), st.text(alphabet="abc \n\t", min_size=1, max_size=40)
)
def test_any_miss_is_answered(text: str, old: str) -> None:
    assert closest_region(text, old)
