"""Words of one's own begin with an underscore, so that they never meet those of the protocol."""

import pytest

from parley.sdk.report import Report
from tests.sdk.fake_client import NotingClient


def _report() -> Report:
    return Report(NotingClient(), "s", "/home")


@pytest.mark.parametrize("kind", ["weird", "Read", "", "tool"])
def test_a_kind_of_tool_call_that_is_not_of_the_protocol_is_refused(kind: str) -> None:
    # EXT-11, V2-TC-07
    with pytest.raises(ValueError, match=r"is no kind of tool call \(read, edit, .*\nhint: "):
        _report().tool("Work", kind=kind)


@pytest.mark.parametrize("kind", ["read", "other", "switch_mode", "_weird"])
def test_a_kind_of_the_protocol_or_of_ones_own_is_taken(kind: str) -> None:
    assert _report().tool("Work", kind=kind).id
