"""How an update changes what is stored: omitted keeps, null clears, a value replaces (DEC-10).

Pure functions on single values. Which fields an entity has is the business of the entity.
"""

from typing import TypeVar

from msgspec import UNSET, UnsetType

from parley.session.content import Meta

T = TypeVar("T")


def patched(old: T, new: T | UnsetType | None, empty: T) -> T:
    """The value after an update; `empty` is what null resets it to."""
    if isinstance(new, UnsetType):
        return old
    return empty if new is None else new


def patched_meta(old: Meta | None, new: Meta | UnsetType | None) -> Meta | None:
    """The stored `meta` after an upsert.

    A given object patches by top-level key: null removes the key and any other value replaces it
    whole, nested objects included (EXT-14). An empty result is stored as `None`.
    """
    if isinstance(new, UnsetType):
        return old
    if new is None:
        return None
    changed = {**(old or {}), **new}
    return {key: value for key, value in changed.items() if value is not None} or None


def given(value: T | None) -> T | UnsetType:
    """The way back: the field of an event that sets this value on something new."""
    return UNSET if value is None else value
