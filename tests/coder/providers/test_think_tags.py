"""Thoughts between tags at the beginning are told from text, in any split."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.coder.providers.provider import TextDelta, ThoughtDelta
from parley.coder.providers.think_tags import ThinkTags


def told(*pieces: str) -> tuple[str, str]:
    """All thoughts and all text."""
    tags = ThinkTags()
    found = [each for piece in pieces for each in tags.feed(piece)]
    found += tags.end()
    assert list(tags.end()) == []
    assert all(each.text for each in found)
    return (
        "".join(each.text for each in found if isinstance(each, ThoughtDelta)),
        "".join(each.text for each in found if isinstance(each, TextDelta)),
    )


@pytest.mark.parametrize(
    ("whole", "thought", "text"),
    [
        ("Hi", "", "Hi"),
        ("", "", ""),
        ("\n<think>\nhm\n</think>\n\nHi", "\nhm\n", "Hi"),
        ("<think></think>Hi", "", "Hi"),
        ("<think>hm", "hm", ""),
        ("<think>a </th b</thin", "a </th b</thin", ""),
        ("<think>hm</think> ", "hm", ""),
        ("<thi", "", "<thi"),
        ("<thing> <think>x</think>", "", "<thing> <think>x</think>"),
        ("Hi <think>x</think>", "", "Hi <think>x</think>"),
        ("<think>a</think>b<think>c</think>", "a", "b<think>c</think>"),
        ("  ", "", "  "),
    ],
)
def test_tags_at_the_beginning_hold_thoughts(whole: str, thought: str, text: str) -> None:
    assert told(whole) == (thought, text)
    assert told(*whole) == (thought, text)


@given(st.lists(st.sampled_from(["<think>", "</think>", "<", "/th", "ink>", "a", "\n", ""])))
def test_any_split_gives_the_same(pieces: list[str]) -> None:
    whole = "".join(pieces)
    assert told(*pieces) == told(whole) == told(*whole)


def test_thoughts_are_given_as_they_come() -> None:
    tags = ThinkTags()
    assert list(tags.feed("<think>one ")) == [ThoughtDelta("one ")]
    assert list(tags.feed("two")) == [ThoughtDelta("two")]
