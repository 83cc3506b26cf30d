"""Seeded fuzzing: no frame raises or hangs, and splitting the bytes changes nothing."""

import os
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from parley.rpc.message import Notification
from parley.rpc.peer import Call, Event, Ignored, Peer, Reply
from parley.rpc.transport import Incoming
from parley.transport.lines import LineSplitter
from tests.rpc.fuzz_frames import SEEDS, fuzz

COUNT = int(os.environ.get("PARLEY_FUZZ", "50000"))


def test_random_and_mutated_frames_never_raise_and_never_hang() -> None:
    kinds = fuzz(COUNT, seed=7)
    assert set(kinds) >= {"Call", "Envelope", "Answered", "Broken", "Reply", "Ignored"}


def frames_in(stream: bytes, cuts: list[int]) -> list[Incoming]:
    lines = LineSplitter(limit=85)
    frames: list[Incoming] = []
    edges = [0, *sorted(cut % (len(stream) + 1) for cut in cuts), len(stream)]
    for start, end in pairwise(edges):
        frames += lines.feed(stream[start:end])
    return [*frames, *lines.end()]


def outline(frames: list[Incoming]) -> list[object]:
    """What the events say, without the identity of the calls in them."""
    peer = Peer(process_batches=True)
    events: list[Event] = []
    for frame in frames:
        event = peer.receive(frame)
        events += event if isinstance(event, list) else [event]
    found: list[object] = []
    for event in events:
        match event:
            case Call():
                found.append((event.id, event.method, bytes(event.params)))
            case Notification():
                found.append((event.method, bytes(event.params)))
            case Reply() | Ignored():
                found.append(event)
            case _:
                found.append(type(event))
    return found


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(SEEDS) | st.binary(max_size=30), max_size=6),
    st.lists(st.integers(0, 2000), max_size=8),
)
def test_splitting_the_bytes_anywhere_gives_the_same_events(
    lines: list[bytes], cuts: list[int]
) -> None:
    stream = b"\n".join(lines)
    whole = outline(frames_in(stream, []))
    assert outline(frames_in(stream, cuts)) == whole
    assert outline(frames_in(stream, list(range(len(stream))))) == whole
