"""The end of an output, cut between characters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.client.tail import Tail

WIDE = "\N{GRINNING FACE}"


def _fed(limit: int, *pieces: bytes) -> Tail:
    tail = Tail(limit)
    for piece in pieces:
        tail.feed(piece)
    tail.end()
    return tail


@pytest.mark.parametrize("limit", range(1, 21))
def test_a_cut_falls_between_characters_v1_trm_06(limit: int) -> None:
    tail = _fed(limit, (WIDE * 10).encode())
    assert tail.text == WIDE * (limit // 4)
    assert len(tail.text.encode()) <= limit
    assert tail.truncated


def test_the_end_is_kept_v1_trm_05() -> None:
    tail = _fed(10, b"one ", b"two ", b"three")
    assert (tail.text, tail.truncated) == (" two three", True)
    whole = _fed(13, b"one ", b"two ", b"three")
    assert (whole.text, whole.truncated) == ("one two three", False)


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_of_nothing_keeps_nothing(limit: int) -> None:
    assert (_fed(limit, b"x").text, _fed(limit, b"x").truncated) == ("", True)
    assert (_fed(limit).text, _fed(limit).truncated) == ("", False)


def test_a_character_is_shown_when_the_whole_of_it_has_come() -> None:
    tail = Tail(100)
    first, rest = WIDE.encode()[:3], WIDE.encode()[3:]
    tail.feed(b"a" + first)
    assert tail.text == "a"
    tail.feed(rest)
    assert tail.text == f"a{WIDE}"
    tail.feed(first)
    tail.end()
    assert tail.text == f"a{WIDE}\N{REPLACEMENT CHARACTER}"


def test_memory_stays_within_the_limit_and_a_little_more() -> None:
    tail = Tail(1_000)
    for number in range(1_000):
        tail.feed(b"%06d\n" % number * 100)
        assert len(tail._kept) <= 1_000 + 64 * 1024
    assert tail.text.endswith("000999\n" * 10)
    assert len(tail.text) == 1_000


@given(pieces=st.lists(st.binary(max_size=40), max_size=10), limit=st.integers(0, 60))
def test_however_bytes_come_the_text_is_the_end_of_all(pieces: list[bytes], limit: int) -> None:
    tail = _fed(limit, *pieces)
    whole = b"".join(pieces).decode(errors="replace")
    assert whole.endswith(tail.text)
    assert len(tail.text.encode()) <= limit
    assert tail.truncated == (len(whole.encode()) > limit)
    # Not one character more would fit.
    longer = whole[len(whole) - len(tail.text) - 1 :]
    assert tail.text == whole or len(longer.encode()) > limit
