"""Server-sent events arrive whole, however their bytes are split."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.coder.providers.sse import EventParser, EventTooLarge, ServerEvent

STREAM = (
    b"\xef\xbb\xbf: hello\r\nevent: first\r\ndata: one\r\ndata:two\r\n\r\n"
    b"id: 7\rdata: \xc3\xa4\xe2\x82\xac\r\rretry: 3\n\ndata\n\nevent: none\n\n"
    b": keep-alive\n\nevent: last\ndata:  x\n\n"
)
EVENTS = [
    ServerEvent("first", "one\ntwo"),
    ServerEvent("message", "ä€"),
    ServerEvent("message", ""),
    ServerEvent("last", " x"),
]


def parsed(*chunks: bytes, limit: int = 1000) -> list[ServerEvent]:
    parser = EventParser(limit)
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    return [*events, *parser.end()]


def test_events_have_a_name_and_their_data_lines_joined() -> None:
    assert parsed(STREAM) == EVENTS


def test_one_byte_at_a_time_gives_the_same_events() -> None:
    assert parsed(*(STREAM[at : at + 1] for at in range(len(STREAM)))) == EVENTS


@given(st.lists(st.integers(0, len(STREAM)), max_size=8))
def test_any_split_gives_the_same_events(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(STREAM)]
    chunks = [STREAM[a:b] for a, b in pairwise(places)]
    assert parsed(*chunks) == EVENTS


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=5))
def test_any_bytes_in_any_split_give_the_same_events(raw: bytes, cuts: list[int]) -> None:
    places = [0, *sorted(cut for cut in cuts if cut < len(raw)), len(raw)]
    chunks = [raw[a:b] for a, b in pairwise(places)]
    assert parsed(*chunks) == parsed(raw)


def test_an_event_is_given_as_soon_as_its_last_line_is_complete() -> None:
    parser = EventParser()
    assert list(parser.feed(b"data: 1\r\n\r")) == [ServerEvent("message", "1")]
    assert list(parser.feed(b"\ndata: 2\n\n")) == [ServerEvent("message", "2")]


def test_the_last_event_may_lack_its_blank_line_but_not_the_end_of_its_line() -> None:
    assert parsed(b"data: [DONE]\n") == [ServerEvent("message", "[DONE]")]
    assert parsed(b'data: {"half": ') == []


@pytest.mark.parametrize("step", [1, 7, 1000])
def test_a_large_event_is_refused_after_the_events_before_it(step: int) -> None:
    raw = b"data: small\n\ndata: " + b"x" * 50 + b"\n\n"
    parser = EventParser(40)
    seen: list[ServerEvent] = []
    chunks = (raw[at : at + step] for at in range(0, len(raw), step))
    with pytest.raises(EventTooLarge, match="40 bytes"):
        seen.extend(event for chunk in chunks for event in parser.feed(chunk))
    assert seen == [ServerEvent("message", "small")]


def test_many_lines_of_one_event_count_together() -> None:
    parser = EventParser(40)
    with pytest.raises(EventTooLarge):
        list(parser.feed(b"data: 1234567890\n" * 4))


def test_comments_never_add_up() -> None:
    assert parsed(b": ping\n" * 100, b"data: x\n\n", limit=40) == [ServerEvent("message", "x")]
