"""What requests use adds up, also for whoever they are made for."""

from parley.coder.providers.provider import ModelUsage
from parley.coder.tally import Tally


def test_what_is_added_counts_here_and_above() -> None:
    above = Tally()
    first, second = Tally(above), Tally(above)
    first.add(requests=1)
    first.add(ModelUsage(10, 5, 1, 2, 3))
    second.add(ModelUsage(1, 1), 2)
    assert (first.requests, first.usage) == (1, ModelUsage(10, 5, 1, 2, 3))
    assert (second.requests, second.usage) == (2, ModelUsage(1, 1))
    assert (above.requests, above.usage) == (3, ModelUsage(11, 6, 1, 2, 3))
