"""The errors of the coding agent belong to the one tree."""

from parley.coder.errors import ProviderError, ToolError
from parley.errors import AcpError


def test_both_kinds_are_errors_of_the_library() -> None:
    assert issubclass(ToolError, AcpError)
    assert issubclass(ProviderError, AcpError)


def test_a_failed_request_says_whether_and_when_it_may_be_tried_again() -> None:
    error = ProviderError("too many requests", retryable=True, retry_after=2.5, kind="limit")
    assert (str(error), error.retryable, error.retry_after, error.kind) == (
        "too many requests",
        True,
        2.5,
        "limit",
    )
