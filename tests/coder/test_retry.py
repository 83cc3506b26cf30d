"""When a model that failed is asked again."""

from parley.coder.errors import ProviderError
from parley.coder.retry import Retries
from parley.coder.settings import RetryLimits


def test_waits_grow_and_end_after_five_tries() -> None:
    retries = Retries(RetryLimits(), lambda: 0.0)
    error = ProviderError("busy", retryable=True)
    assert [retries.wait_after(error, 0.0) for _ in range(5)] == [0.5, 1.0, 2.0, 4.0, None]
    assert (retries.failures, retries.tries) == (5, 5)


def test_chance_adds_a_quarter_of_a_delay_at_most() -> None:
    retries = Retries(RetryLimits(), lambda: 1.0)
    assert retries.wait_after(ProviderError("busy", retryable=True), 0.0) == 0.625


def test_the_time_that_a_provider_asks_for_is_kept() -> None:
    retries = Retries(RetryLimits(), lambda: 1.0)
    error = ProviderError("busy", retryable=True, retry_after=7.0)
    assert retries.wait_after(error, 0.0) == 7.0


def test_a_permanent_failure_is_not_tried_again() -> None:
    retries = Retries(RetryLimits(), lambda: 0.0)
    assert retries.wait_after(ProviderError("no such key", retryable=False), 0.0) is None


def test_no_try_begins_later_than_a_minute_after_the_first_failure() -> None:
    retries = Retries(RetryLimits(), lambda: 0.0)
    assert retries.wait_after(ProviderError("x", retryable=True, retry_after=60.0), 100.0) == 60.0
    assert retries.wait_after(ProviderError("x", retryable=True, retry_after=1.0), 159.5) is None
    hours = Retries(RetryLimits(), lambda: 0.0)
    assert hours.wait_after(ProviderError("x", retryable=True, retry_after=7200.0), 0.0) is None


def test_further_tries_wait_as_long_as_the_last_delay() -> None:
    retries = Retries(RetryLimits(tries=9, delays=(1.0, 2.0)), lambda: 0.0)
    error = ProviderError("busy", retryable=True)
    assert [retries.wait_after(error, 0.0) for _ in range(4)] == [1.0, 2.0, 2.0, 2.0]
    assert Retries(RetryLimits(delays=()), lambda: 0.0).wait_after(error, 0.0) == 0.0
