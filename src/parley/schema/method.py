"""What a row of a method table says. The tables are in `vN/methods.py`."""

from typing import Any, Literal

from msgspec import Struct


class Method(Struct, frozen=True):
    """One method of the protocol, as a request or as a notification."""

    name: str
    side: Literal["agent", "client", "both", "proxy"]
    """Who handles it."""
    kind: Literal["request", "notification"]
    params: Any
    """The type of the parameters: a model or a union of models."""
    result: Any
    """The type of the answer; `None` for a notification."""
    unstable: bool
    """Whether it is outside the stable part of the protocol."""
