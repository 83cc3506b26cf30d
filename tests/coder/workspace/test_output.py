"""Output of commands as text for a model."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.coder.workspace.output import (
    HEAD_CHARACTERS,
    TAIL_CHARACTERS,
    Cleaner,
    Kept,
    clean,
    shortened,
)

NOISE = st.text(st.sampled_from("ab é\n\r\t\x1b[]m0;\x07\\\x9b\x00\N{GRINNING FACE}"), max_size=60)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("plain\n\ttabbed\n", "plain\n\ttabbed\n"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bPdevice\x1b\\text", "text"),
        ("\x1b(Btext\x1b7", "text"),
        ("\x9b31mred", "red"),
        ("é\x9d0;title\x9ctext", "étext"),
        ("10%\r20%\r100%\ndone\n", "100%\ndone\n"),
        ("dos\r\nlines\r\n", "dos\nlines\n"),
        ("half \x1b]0;never ends\nnext", "half \nnext"),
        ("bell\x07 back\x08 null\x00 delete\x7f", "bell back null delete"),
    ],
)
def test_text_is_what_a_terminal_would_show(raw: str, text: str) -> None:
    assert clean(raw) == text


@given(NOISE)
def test_no_control_character_is_left_but_tab_and_newline(text: str) -> None:
    left = {character for character in clean(text) if not character.isprintable()}
    assert left <= {"\n", "\t"}


@given(NOISE, st.lists(st.integers(0, 200)))
def test_splitting_the_bytes_anywhere_changes_nothing(text: str, cuts: list[int]) -> None:
    data = text.encode()
    cleaner = Cleaner()
    found = ""
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    for start, end in pairwise(edges):
        found += cleaner.feed(data[start:end])
    assert found + cleaner.end() == clean(text)


def test_bytes_that_are_no_text_are_replaced() -> None:
    cleaner = Cleaner()
    assert cleaner.feed(b"a\xff\xf0\x9f\n") == "a\ufffd\ufffd\n"
    assert cleaner.feed(b"\xf0\x9f") == ""
    assert cleaner.end() == "\ufffd"


def test_an_incomplete_line_is_there_for_who_asks() -> None:
    cleaner = Cleaner()
    assert cleaner.feed(b"whole\npart") == "whole\n"
    assert cleaner.flush() == "part"
    assert cleaner.feed(b"ial\n") == "ial\n"


def test_an_endless_line_is_not_held_back() -> None:
    assert len(Cleaner().feed(b"x" * 100_000)) == 100_000


@given(st.lists(st.text("ab\n", max_size=30), max_size=30))
def test_beginning_and_end_are_kept_and_the_rest_is_counted(pieces: list[str]) -> None:
    kept = Kept(head=10, tail=20)
    whole = "".join(pieces)
    for piece in pieces:
        kept.add(piece)
    assert bool(kept) is bool(whole)
    if len(whole) <= 30:
        assert kept.text == whole
        assert kept.left_out == 0
    else:
        assert kept.left_out == len(whole) - 30
        note = f"\n[... {kept.left_out} characters left out here ...]\n"
        assert kept.text == whole[:10] + note + whole[-20:]


def test_what_is_kept_of_an_endless_text_is_bounded() -> None:
    kept = Kept()
    for _ in range(1_000):
        kept.add("y\n" * 1_000)
    assert sum(map(len, kept._tail)) < TAIL_CHARACTERS + 2_001
    assert kept.left_out == 2_000_000 - HEAD_CHARACTERS - TAIL_CHARACTERS


def test_a_text_that_is_there_already_is_shortened_the_same_way() -> None:
    assert shortened("short") == "short"
    assert len(shortened("x" * 100_000)) < HEAD_CHARACTERS + TAIL_CHARACTERS + 100
