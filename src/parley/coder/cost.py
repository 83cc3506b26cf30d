"""What requests to a model cost, and how tokens add up. Pure."""

from parley.coder.providers.provider import ModelInfo, ModelUsage
from parley.session.event import TurnUsage

CURRENCY = "USD"
_PER = 1_000_000


def cost_of(model: ModelInfo, usage: ModelUsage) -> float | None:
    """US dollars for one request; `None` where a price that is needed is not known."""
    fresh = max(usage.input - usage.cached_read - usage.cached_write, 0)
    parts = (
        (fresh, model.price_input),
        # Without a price of its own cached input is counted in full, never for nothing.
        (
            usage.cached_read,
            model.price_input if model.price_cached is None else model.price_cached,
        ),
        (
            usage.cached_write,
            model.price_input if model.price_cache_write is None else model.price_cache_write,
        ),
        (usage.output, model.price_output),
    )
    total = 0.0
    for tokens, price in parts:
        if tokens and price is None:
            return None
        total += tokens * (price or 0.0) / _PER
    return total


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
