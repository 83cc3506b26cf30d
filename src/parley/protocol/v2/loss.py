"""What the converters share: how a loss is told, and how absent values are written. Pure.

Neutral values that say nothing are `None`; on the wire they are omitted, never null (DEC-14). In
the fields of an update the three states stay apart, which `mapped` does.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from parley.schema.base import Model
from parley.schema.codec import encode

T = TypeVar("T")
R = TypeVar("R")

Lose = Callable[[str, str], None]
"""Takes the short name of a loss and what happened."""


def again(what: str, detail: str) -> None:
    """Takes the losses of what is only sent once more: they were reported the first time."""


def given(value: T | None) -> T | UnsetType:
    """A neutral value as a member: `None` is omitted."""
    return UNSET if value is None else value


def told(value: T | UnsetType | None) -> T | None:
    """A member as a neutral value: null counts as omitted."""
    return None if isinstance(value, UnsetType) else value


def mapped(value: T | UnsetType | None, convert: Callable[[T], R]) -> R | UnsetType | None:
    """The value converted; omitted and null stay what they are (DEC-10)."""
    if isinstance(value, UnsetType):
        return UNSET
    return None if value is None else convert(value)


def members_of(model: Model) -> dict[str, Any]:
    """All members of a model as plain JSON, for what is kept as it came (DEC-08)."""
    return msgspec.json.decode(encode(model))
