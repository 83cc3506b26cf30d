"""Turns cancelled at random moments, a few of them; `tests.agent.random_cancels` does many."""

import random
from pathlib import Path

import pytest

from tests.agent.random_cancels import Campaign
from tests.agent.wire_formats import ANTHROPIC, GEMINI, WireFormat


@pytest.mark.parametrize(("wire", "version"), [(ANTHROPIC, 1), (GEMINI, 2)], ids=["v1", "v2"])
def test_a_turn_can_be_cancelled_at_any_moment(
    tmp_path: Path, wire: WireFormat, version: int
) -> None:
    campaign = Campaign(wire, tmp_path, version, random.Random(version))
    campaign.run(8, between_loads=5)
    assert campaign.counts["cancelled"] > 0
    assert campaign.counts["loads"] == 1
    assert campaign.slowest < 5.0
