"""Ids of tool calls: unique within a conversation, also where a server gives none or one twice."""

from collections.abc import Callable, Iterable
from uuid import uuid4

from parley.coder.message import AgentMessage, CallPart, Message


def taken_ids(messages: Iterable[Message]) -> set[str]:
    """The ids of all calls in a conversation."""
    return {
        part.id
        for message in messages
        if isinstance(message, AgentMessage)
        for part in message.content
        if isinstance(part, CallPart)
    }


def random_id() -> str:
    """An id like no other; a number would come again when a long conversation is shortened."""
    return f"call_{uuid4().hex}"


def unique_id(given: str | None, taken: set[str], make: Callable[[], str] = random_id) -> str:
    """The id that was given, or a new one if there is none or it is taken; it is taken then."""
    call_id = given if given and given not in taken else make()
    taken.add(call_id)
    return call_id
