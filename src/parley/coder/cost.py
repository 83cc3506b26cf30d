"""What requests to a model cost, and how tokens add up. Pure."""

from parley.coder.providers.provider import ModelInfo, ModelUsage
from parley.session.event import TurnUsage

CURRENCY = "USD"
_PER = 1_000_000


def cost_of(model: ModelInfo, usage: ModelUsage) -> float | None:
    """US dollars for one request; `None` where the prices are not known."""
    per_input, per_output = model.price_input, model.price_output
    if per_input is None or per_output is None:
        return None
    # Without a price of its own cached input is counted in full, never for nothing.
    per_read = per_input if model.price_cached is None else model.price_cached
    per_write = per_input if model.price_cache_write is None else model.price_cache_write
    fresh = max(usage.input - usage.cached_read - usage.cached_write, 0)
    total = (
        fresh * per_input
        + usage.cached_read * per_read
        + usage.cached_write * per_write
        + usage.output * per_output
    )
    return total / _PER


def is_priced(model: ModelInfo) -> bool:
    """Whether what requests cost can be known."""
    return model.price_input is not None and model.price_output is not None


def added(first: ModelUsage, second: ModelUsage) -> ModelUsage:
    return ModelUsage(
        first.input + second.input,
        first.output + second.output,
        first.thought + second.thought,
        first.cached_read + second.cached_read,
        first.cached_write + second.cached_write,
    )


def turn_usage(usage: ModelUsage) -> TurnUsage:
    """The sum over the requests of a turn, as its client is told."""
    return TurnUsage(
        usage.input + usage.output,
        usage.input,
        usage.output,
        usage.thought,
        usage.cached_read,
        usage.cached_write,
    )
