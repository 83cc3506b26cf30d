"""What requests cost and how tokens add up."""

import pytest

from parley.coder.cost import added, cost_of, is_priced, turn_usage
from parley.coder.providers.provider import ModelInfo, ModelUsage
from parley.session.event import TurnUsage

PRICED = ModelInfo("m", price_input=2.0, price_output=10.0)
CACHED = ModelInfo("m", price_input=2.0, price_output=10.0, price_cached=0.5, price_cache_write=4.0)


@pytest.mark.parametrize(
    ("model", "usage", "cost"),
    [
        (PRICED, ModelUsage(1_000_000, 100_000), 3.0),
        (PRICED, ModelUsage(1_000_000, 0, cached_read=1_000_000), 2.0),
        (CACHED, ModelUsage(1_000_000, 0, cached_read=400_000, cached_write=100_000), 1.6),
        # A provider that counts wrongly never makes a request cheaper than nothing.
        (CACHED, ModelUsage(0, 0, cached_read=1_000_000), 0.5),
        (ModelInfo("m"), ModelUsage(10, 1), None),
        (ModelInfo("m", price_input=1.0), ModelUsage(10, 1), None),
        (ModelInfo("m"), ModelUsage(), None),
        (PRICED, ModelUsage(), 0.0),
    ],
)
def test_a_request_costs_what_its_tokens_cost(
    model: ModelInfo, usage: ModelUsage, cost: float | None
) -> None:
    assert cost_of(model, usage) == (None if cost is None else pytest.approx(cost))


def test_a_model_is_priced_when_input_and_output_have_a_price() -> None:
    assert is_priced(PRICED)
    assert not is_priced(ModelInfo("m", price_input=1.0))


def test_tokens_add_up_field_by_field() -> None:
    total = added(ModelUsage(1, 2, 3, 4, 5), ModelUsage(10, 20, 30, 40, 50))
    assert total == ModelUsage(11, 22, 33, 44, 55)
    assert turn_usage(total) == TurnUsage(33, 11, 22, 33, 44, 55)
