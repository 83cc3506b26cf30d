"""The raw client of the benchmark counts right, whatever the reads look like."""

import sys
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from bench.harness import CHUNK, END_OF_TURN, Counter, RawAgent
from tests.architecture.source_tree import ROOT

REFERENCE = [sys.executable, str(ROOT / "bench" / "reference_echo_agent.py")]


@given(
    st.lists(st.sampled_from([CHUNK, b"agent_message", b"_chunk", b"x", b'{"a":1}\n'])),
    st.lists(st.integers(0, 200)),
)
def test_where_the_stream_is_split_changes_no_count(pieces: list[bytes], cuts: list[int]) -> None:
    stream = b"".join(pieces)
    counter = Counter(CHUNK)
    places = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    for start, end in pairwise(places):
        counter.feed(stream[start:end])
    assert counter.seen == stream.count(CHUNK)


def test_a_turn_of_a_real_agent_is_counted() -> None:
    with RawAgent(REFERENCE) as agent:
        agent.initialize()
        session = agent.new_session()
        assert agent.turn(agent.prompt(session, "stream 250 7"), timeout=20) == 250
        assert agent.turn(agent.prompt(session, "noop"), timeout=20) == 0
        assert agent.turn(agent.prompt(session, "echo " + "y" * 300_000), timeout=20) == 1
        assert agent.received > 300_000


def test_many_sessions_are_served_in_one_exchange() -> None:
    with RawAgent(REFERENCE) as agent:
        agent.initialize()
        sessions = [agent.new_session() for _ in range(20)]
        prompts = b"".join(agent.prompt(each, "stream 50") for each in sessions)
        assert agent.turn(prompts, turns=20, timeout=20) == 1000


def test_the_end_of_a_turn_is_seen_by_a_word_that_a_prompt_does_not_hold() -> None:
    with RawAgent(REFERENCE) as agent:
        assert END_OF_TURN not in agent.prompt("s1", "stream 3")
