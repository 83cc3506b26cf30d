"""Every case against a process of its own, and all of them one after the other against one.

In a process of its own a case ends with the end of the input, so that everything it has caused is
seen. In the shared process what an earlier case left behind would fail a later one.
"""

import pytest

from tests.hostile import envelopes, framing, sizes, types
from tests.hostile.case import Case, perform
from tests.hostile.ledger import Ledger, Shared
from tests.hostile.raw_client import RawAgent

CASES = [*framing.CASES, *envelopes.CASES, *types.CASES, *sizes.CASES]


@pytest.mark.parametrize("each", CASES, ids=lambda each: each.name)
def test_a_fresh_agent_survives(each: Case, ledger: Ledger) -> None:
    with RawAgent(each.versions[0]) as agent:
        agent.initialize()
        cost = perform(agent, each)
        assert agent.leave() == 0
        assert agent.answers == []
        ledger.enter(each.name, cost)


@pytest.mark.parametrize(
    ("each", "version"),
    [pytest.param(each, v, id=f"{each.name}-v{v}") for each in CASES for v in each.versions],
)
def test_an_agent_survives_after_all_the_others(
    each: Case, version: int, shared: Shared, ledger: Ledger
) -> None:
    ledger.enter(each.name, perform(shared.agent(version), each))


@pytest.mark.parametrize("version", [1, 2])
def test_the_shared_agent_never_ended_and_holds_nothing(version: int, shared: Shared) -> None:
    agent, start = shared.agent(version), shared.at_start[version]
    agent.fence()
    assert shared.deaths == 0
    assert agent.gauge.descriptors() == start.descriptors
    assert agent.gauge.threads() == start.threads
    assert agent.gauge.children() == []
    # The allocator keeps some of what the large cases gave back, but no more than they needed.
    assert agent.gauge.megabytes() <= start.megabytes + 128


@pytest.mark.parametrize("version", [1, 2])
def test_the_shared_agent_does_not_grow_when_everything_small_comes_again(
    version: int, shared: Shared
) -> None:
    agent = shared.agent(version)
    before = agent.gauge.megabytes()
    for each in [*framing.CASES, *envelopes.CASES, *types.CASES]:
        if version in each.versions:
            perform(agent, each)
    assert agent.gauge.megabytes() - before <= 4
