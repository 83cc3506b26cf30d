"""Ids of tool calls: unique within a conversation, also where a server gives none or one twice."""

from collections.abc import Callable
from uuid import uuid4


def random_id() -> str:
    return f"call_{uuid4().hex}"


def unique_id(given: str | None, taken: set[str], make: Callable[[], str] = random_id) -> str:
    """The id that was given, or a new one if there is none or it is taken; it is taken then."""
    call_id = given if given and given not in taken else make()
    taken.add(call_id)
    return call_id
