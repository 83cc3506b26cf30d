"""Which version a connection speaks."""

import json
from typing import Any

import pytest

from parley.errors import InvalidParams, VersionMismatch
from parley.protocol.negotiation import chosen_version, requested_version


@pytest.mark.parametrize("version", [0, 1, 2, 9, 65535])
def test_the_requested_version_is_read_before_anything_else_neg_11(version: int) -> None:
    params = {"protocolVersion": version, "clientInfo": 5, "strange": [None]}
    assert requested_version(json.dumps(params).encode()) == version


@pytest.mark.parametrize(
    "params",
    [
        {"protocolVersion": -1},
        {"protocolVersion": 65536},
        {"protocolVersion": "1"},
        {"protocolVersion": 1.5},
        {"protocolVersion": None},
        {"protocolVersion": True},
        {},
        [],
        "x",
        None,
    ],
)
def test_what_is_no_version_is_invalid_neg_10(params: Any) -> None:
    with pytest.raises(InvalidParams) as caught:
        requested_version(json.dumps(params).encode())
    assert caught.value.data == {"path": "protocolVersion"}


@pytest.mark.parametrize("params", [b"", b"{", b'{"protocolVersion":', b"[" * 100_000, b"\xff"])
def test_what_cannot_be_read_has_no_version(params: bytes) -> None:
    with pytest.raises(InvalidParams):
        requested_version(params)


@pytest.mark.parametrize(
    ("requested", "supported", "chosen"),
    [
        (1, (1, 2), 1),  # NEG-03
        (2, (1, 2), 2),
        (3, (1, 2), 2),  # NEG-04
        (65535, (1, 2), 2),
        (2, (2,), 2),
        (0, (1,), 1),  # NEG-06
        (1, (1,), 1),
        (65535, (1,), 1),
    ],
)
def test_an_agent_answers_with_the_highest_version_it_may(
    requested: int, supported: tuple[int, ...], chosen: int
) -> None:
    assert chosen_version(requested, supported) == chosen


@pytest.mark.parametrize(("requested", "supported"), [(1, (2,)), (0, (1, 2))])
def test_there_may_be_no_version_at_all_neg_05(requested: int, supported: tuple[int, ...]) -> None:
    with pytest.raises(VersionMismatch) as caught:
        chosen_version(requested, supported)
    assert caught.value.code == -32022
    assert caught.value.data == {"requested": requested, "supported": list(supported)}
