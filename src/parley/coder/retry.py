"""When a model that failed is asked again. Pure: time and chance come from outside."""

from collections.abc import Callable

from parley.coder.errors import ProviderError
from parley.coder.settings import RetryLimits


class Retries:
    """The tries for one answer of the model."""

    def __init__(self, limits: RetryLimits, chance: Callable[[], float]) -> None:
        self._limits = limits
        self._chance = chance
        self._first_failure: float | None = None
        self.failures = 0

    @property
    def tries(self) -> int:
        """How many requests there may be in all."""
        return self._limits.tries

    def wait_after(self, error: ProviderError, now: float) -> float | None:
        """Seconds to wait before the next try; `None` gives up.

        A wait that the provider asks for is not shortened: who comes back early is refused again.
        """
        if self._first_failure is None:
            self._first_failure = now
        self.failures += 1
        limits = self._limits
        if not error.retryable or self.failures >= limits.tries:
            return None
        wait = error.retry_after if error.retry_after is not None else self._delay()
        too_late = now - self._first_failure + wait > limits.total
        return None if too_late else wait

    def _delay(self) -> float:
        delays = self._limits.delays
        if not delays:
            return 0.0
        delay = delays[min(self.failures, len(delays)) - 1]
        return delay * (1 + self._limits.jitter * self._chance())
