"""Newline framing: the same frames for any splitting, in linear time and bounded memory."""

import sys
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.rpc.transport import Incoming, Oversize, Unfinished
from parley.transport.lines import HEAD_SIZE, LineSplitter

# Bytes in which everything that matters is frequent.
STREAMS = st.lists(st.sampled_from([b"\n", b"\r", b"\r\n", b" ", b"\t", b"a", b"{}", b"\xff" * 7]))


def frames_of(*chunks: bytes, limit: int = 1 << 20) -> list[Incoming]:
    """All frames of a stream that comes in these chunks and then ends."""
    splitter = LineSplitter(limit)
    return [frame for chunk in chunks for frame in splitter.feed(chunk)] + splitter.end()


def expected(stream: bytes, limit: int) -> list[Incoming]:
    """The same by a plain reading of the rules."""
    found: list[Incoming] = []
    for line in stream.split(b"\n"):
        text = line.removesuffix(b"\r")
        if len(text) > limit:
            found.append(Oversize(len(text), text[:HEAD_SIZE], limit))
        elif text.strip(b" \t\r"):
            found.append(text)
    return found


def test_each_line_is_a_frame() -> None:
    assert frames_of(b'{"a":1}\n{"b":2}\n') == [b'{"a":1}', b'{"b":2}']


def test_a_line_may_come_in_many_pieces() -> None:
    assert frames_of(b"on", b"e\ntw", b"", b"o", b"\nth", b"ree\n") == [b"one", b"two", b"three"]


def test_blank_lines_are_ignored() -> None:
    assert frames_of(b"\n\r\n  \n\t\r\na\n\n \nb\n") == [b"a", b"b"]


def test_a_line_of_other_white_space_is_not_blank_for_json() -> None:
    assert frames_of(b"\x0c\n\x0b\n") == [b"\x0c", b"\x0b"]


def test_one_carriage_return_before_the_newline_is_dropped() -> None:
    assert frames_of(b"a\r\nb\r\r\nc\rd\r", b"\n") == [b"a", b"b\r", b"c\rd"]


def test_a_last_line_without_terminator_is_a_frame() -> None:
    assert frames_of(b"a\nlast") == [b"a", b"last"]
    assert frames_of(b"a\nlast\r") == [b"a", b"last"]


def test_a_last_line_without_terminator_can_be_told_from_the_others() -> None:
    assert [type(frame) for frame in frames_of(b"a\nlast")] == [bytes, Unfinished]


def test_nothing_follows_the_end_of_a_complete_stream() -> None:
    splitter = LineSplitter()
    assert splitter.feed(b"a\n") == [b"a"]
    assert splitter.end() == []
    assert splitter.end() == []


def test_a_line_at_the_limit_passes_and_one_above_is_oversize() -> None:
    assert frames_of(b"12345\n123456\r\n12345\r\n", limit=5) == [
        b"12345",
        Oversize(6, b"123456", 5),
        b"12345",
    ]


def test_an_oversize_line_keeps_its_head_and_the_stream_goes_on() -> None:
    line = bytes(range(33, 126)) * 1000
    found = frames_of(b"a\n", *_pieces(line, 1000), b"\nb\n", limit=50_000)
    assert found == [b"a", Oversize(len(line), line[:HEAD_SIZE], 50_000), b"b"]


def test_an_oversize_last_line_is_reported_at_the_end() -> None:
    assert frames_of(b"123", b"4567", limit=3) == [Oversize(7, b"1234567", 3)]


def test_the_head_of_an_oversize_line_may_be_longer_than_the_limit() -> None:
    assert frames_of(b"12345", b"67", b"89\r", b"\n", limit=3) == [Oversize(9, b"123456789", 3)]


def test_an_endless_line_costs_the_limit_and_no_more() -> None:
    splitter = LineSplitter(100_000)
    for _ in range(1000):
        assert splitter.feed(b"x" * 1000) == []
    assert _held(splitter) < 10_000
    assert splitter.feed(b"\n") == [Oversize(1_000_000, b"x" * HEAD_SIZE, 100_000)]


def test_a_line_below_the_limit_costs_little_more_than_its_bytes() -> None:
    splitter = LineSplitter(1 << 20)
    for _ in range(100_000):
        splitter.feed(b"xyz")
    assert _held(splitter) < 300_000 * 1.2 + 10_000


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="positive"):
        LineSplitter(0)


def test_the_time_for_a_long_line_grows_with_its_length_only() -> None:
    def seconds(count: int) -> float:
        splitter = LineSplitter()
        began = time.perf_counter()
        for _ in range(count):
            splitter.feed(b"x" * 100)
        splitter.feed(b"\n")
        return time.perf_counter() - began

    short = min(seconds(2_000) for _ in range(3))
    # Ten times the length; quadratic work would take a hundred times as long.
    assert min(seconds(20_000) for _ in range(3)) < short * 50


@given(stream=STREAMS.map(b"".join), cuts=st.lists(st.integers(0, 300)), limit=st.integers(1, 40))
def test_any_splitting_gives_the_same_frames(stream: bytes, cuts: list[int], limit: int) -> None:
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    chunks = [stream[start:end] for start, end in pairwise(edges)]
    assert frames_of(*chunks, limit=limit) == expected(stream, limit)


@given(stream=st.binary(max_size=400), size=st.integers(1, 50))
def test_any_bytes_in_chunks_of_any_size_give_the_same_frames(stream: bytes, size: int) -> None:
    assert frames_of(*_pieces(stream, size)) == expected(stream, 1 << 20)


def _pieces(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


def _held(splitter: LineSplitter) -> int:
    """How much memory the attributes of a splitter take, one level deep."""
    return sum(sys.getsizeof(value) for value in vars(splitter).values())
