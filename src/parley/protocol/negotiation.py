"""Which version a connection speaks. Pure; the only place that compares version numbers."""

from collections.abc import Collection
from typing import Any

import msgspec

from parley.errors import InvalidParams, VersionMismatch
from parley.rpc.message import Payload

KNOWN = (1, 2)


def requested_version(params: Payload) -> int:
    """The version in the parameters of `initialize`, read before anything version-specific.

    Raises:
        InvalidParams: there is no integer between 0 and 65535 (NEG-10).
    """
    try:
        value: Any = msgspec.json.decode(params or b"{}", type=dict[str, msgspec.Raw])
        version = msgspec.json.decode(value["protocolVersion"], type=int)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, KeyError):
        raise _no_version() from None
    if not 0 <= version <= 65535:
        raise _no_version()
    return version


def chosen_version(requested: int, supported: Collection[int]) -> int:
    """The version an agent answers with.

    Raises:
        VersionMismatch: it supports none at or below the requested one (NEG-05).
    """
    if set(supported) == {1}:
        return 1  # NEG-06: an agent of version 1 alone keeps the older rule.
    below = [version for version in supported if version <= requested]
    if not below:
        data = {"requested": requested, "supported": sorted(supported)}
        raise VersionMismatch(data=data)
    return max(below)  # NEG-03, NEG-04


def _no_version() -> InvalidParams:
    return InvalidParams(
        "Invalid params: `protocolVersion` is not an integer from 0 to 65535",
        {"path": "protocolVersion"},
    )
