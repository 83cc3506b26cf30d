"""The automatic title of a session."""

import pytest

from parley.coder.title import LIMIT, title_of
from parley.session.content import Block, Image, Link, Resource, Text


@pytest.mark.parametrize(
    ("blocks", "title"),
    [
        ((Text("Fix the bug"),), "Fix the bug"),
        ((Text("\n\n  two   spaces\nmore"),), "two spaces"),
        ((Text("   \n"), Text("second")), "second"),
        ((Text("a\u202eb\x1b[31m\u0007c"),), "a b [31m c"),
        ((Image("", "image/png"),), ""),
        ((Link("file:///x.py", "x.py"),), "x.py"),
        ((Link("file:///x.py", "x.py", title="The X"),), "The X"),
        ((Resource("file:///y.py", text="z"),), "file:///y.py"),
        ((), ""),
    ],
)
def test_the_title_is_one_visible_line_of_the_prompt(blocks: tuple[Block, ...], title: str) -> None:
    assert title_of(blocks) == title


def test_a_long_title_ends_between_words_where_it_can() -> None:
    words = title_of((Text("word " * 30),))
    assert words == " ".join(["word"] * 11) + "…"
    assert len(words) <= LIMIT
    assert title_of((Text("x" * 100),)) == "x" * (LIMIT - 1) + "…"
    assert title_of((Text("x" * LIMIT),)) == "x" * LIMIT


def test_the_end_of_a_very_long_prompt_is_not_looked_at() -> None:
    assert title_of((Text("word " * 200_000),)).startswith("word word")
    assert title_of((Text(" " * 200_000 + "late"),)) == ""
