"""Thousands of seeded mutations: no death, no hang, and exactly one answer where one is due (R3).

`PARLEY_FUZZ` sets how many inputs there are, `PARLEY_FUZZ_SEED` which ones.
"""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from time import monotonic

import pytest

from tests.hostile.case import Cost
from tests.hostile.ledger import Ledger
from tests.hostile.mutation import (
    changed_structure,
    expected_ids,
    flipped_bytes,
    messages,
    valid_message,
)
from tests.hostile.raw_client import RawAgent

COUNT = int(os.environ.get("PARLEY_FUZZ", "10000"))
SEED = int(os.environ.get("PARLEY_FUZZ_SEED", "20"))
ROUND = 100
"""Inputs between two looks at what came back."""
KINDS = [flipped_bytes, changed_structure, valid_message]


@pytest.mark.timeout(60 + COUNT / 500)
@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_mutation_gets_the_answers_it_must(
    kind: Callable[[Random, int], bytes], version: int, ledger: Ledger
) -> None:
    random, started = Random(f"{SEED} {kind.__name__} {version}"), monotonic()
    count = COUNT // (2 * len(KINDS)) + 1
    with RawAgent(version) as agent:
        agent.initialize()
        before = agent.gauge.forget_peak()
        for _ in range(0, count, ROUND):
            data = b"".join(kind(random, version) for _ in range(ROUND))
            _one_round(agent, data, random)
        assert agent.gauge.peak() - before <= 16
        ledger.enter(
            f"fuzz_{kind.__name__}", Cost(count, monotonic() - started, agent.gauge.peak())
        )
        assert agent.leave() == 0


def test_the_oracle_knows_the_answers_to_what_is_written_down() -> None:
    known = {
        b'{"jsonrpc":"2.0","id":7,"method":"x"}': ["7"],
        b'{"jsonrpc":"2.0","id":"7","method":"x"}': ['"7"'],
        b'{"jsonrpc":"2.0","method":"x"}': [],
        b'{"jsonrpc":"2.0","id":7,"result":1}': [],
        b'{"jsonrpc":"2.0","id":1.5,"method":"x"}': ["null"],
        b'{"jsonrpc":"1.0","id":7,"method":"x"}': ["7"],
        b"{": ["null"],
        b"[]": ["null"],
        b"NaN": ["null"],
        b" \t\r\n\n": [],
        b"0\n\xff\n": ["null", "null"],
    }
    assert {data: list(expected_ids(data)) for data in known} == known


def test_the_messages_that_are_mutated_are_valid() -> None:
    with RawAgent() as agent:
        agent.initialize()
        for message in messages(1):
            if message.get("method") in ("initialize", "session/new", "session/prompt"):
                agent.request(message["method"], message["params"])
        assert agent.leave() == 0


def _one_round(agent: RawAgent, data: bytes, random: Random) -> None:
    """Send some inputs, cut anywhere, and compare what came back with what must come."""
    wanted = Counter(expected_ids(data))
    agent.send(_pieces(data, random))
    try:
        agent.pump(lambda: agent.sent() and len(agent.answers) >= wanted.total())
        agent.fence()
    finally:
        seen = Counter(json.dumps(each["id"]) for each in agent.answers)
        assert seen == wanted, f"unwanted {seen - wanted}, missing {wanted - seen} for {data!r}"
    agent.forget()


def _pieces(data: bytes, random: Random) -> Iterator[bytes]:
    place = 0
    while place < len(data):
        size = random.choice([1, 7, 100, 5000, 60_000])
        yield data[place : place + size]
        place += size
