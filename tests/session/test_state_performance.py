"""A long session costs as much per event as a short one (W16)."""

import gc
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from parley.session.content import ContentItem, Text
from parley.session.event import (
    ChunkAdded,
    Event,
    MessageChanged,
    TerminalOutputAdded,
    ToolCallChanged,
    ToolContentAdded,
)
from parley.session.state import SessionState

MANY = 100_000
SECONDS = 2.0

STREAMS: dict[str, Callable[[int], Event]] = {
    "one message": lambda n: ChunkAdded("agent", Text(f"word {n} "), "m1"),
    "one message without an id": lambda n: ChunkAdded("agent", Text(f"word {n} ")),
    "two speakers in turn": lambda n: ChunkAdded(("agent", "thought")[n % 2], Text(f"word {n} ")),
    "chunks with meta": lambda n: ChunkAdded("agent", Text(f"word {n} "), "m1", {"parent": "t1"}),
    "one tool call": lambda n: ToolContentAdded("t1", ContentItem(Text(f"line {n}"))),
    "many tool calls": lambda n: ToolCallChanged(f"t{n}", title=f"call {n}"),
    "one terminal": lambda n: TerminalOutputAdded("term", b"line %d\n" % n),
    "many messages": lambda n: MessageChanged("agent", f"m{n}", (Text(f"word {n}"),)),
}


@pytest.mark.parametrize("name", STREAMS)
def test_w16_a_hundred_thousand_events_are_taken_in_two_seconds(name: str) -> None:
    with untraced():
        told = [STREAMS[name](n) for n in range(MANY)]
        began = time.process_time()
        state = SessionState.from_events(told)
        took = time.process_time() - began
    assert len(state.transcript) + len(state.terminals) >= 1
    assert took < SECONDS


def test_the_whole_text_is_there_although_it_was_read_now_and_then() -> None:
    state = SessionState()
    with untraced():
        began = time.process_time()
        for n in range(MANY):
            state.apply(STREAMS["one message"](n))
            if n % 1000 == 0:
                assert state.messages["agent:m1"].text.endswith(f"word {n} ")
        took = time.process_time() - began
    assert state.messages["agent:m1"].text == "".join(f"word {n} " for n in range(MANY))
    assert took < SECONDS


@pytest.mark.parametrize("make", STREAMS.values(), ids=list(STREAMS))
def test_memory_grows_with_the_number_of_events_and_not_faster(
    make: Callable[[int], Event],
) -> None:
    small, large = _memory(make, 4_000), _memory(make, 16_000)
    # Four times as much, with room for the steps in which lists and tables grow.
    assert large < small * 5.5


def test_a_limited_terminal_keeps_its_limit() -> None:
    limit = 10_000
    tracemalloc.start()
    try:
        state = SessionState(output_limit=limit)
        for n in range(20_000):
            state.apply(TerminalOutputAdded("term", b"line %d\n" % n))
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    terminal = state.terminals["term"]
    assert len(terminal.output) == limit
    assert kept < limit * 5


@contextmanager
def untraced() -> Iterator[None]:
    """Without the tool that measures coverage, and without what thousands of tests left behind.

    The price of the code is meant, not that of tracing it, nor of collecting around strangers.
    """
    tracing = sys.gettrace()
    sys.settrace(None)
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        sys.settrace(tracing)


def _memory(make: Callable[[int], Event], count: int) -> int:
    tracemalloc.start()
    try:
        with untraced():
            state = SessionState.from_events(make(n) for n in range(count))
        kept, _ = tracemalloc.get_traced_memory()
        assert len(state.transcript) + len(state.terminals) >= 1
    finally:
        tracemalloc.stop()
    return kept
