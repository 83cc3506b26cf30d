"""What was written of a conversation for one request, so that the next request only adds to it.

A turn of many rounds sends the same beginning again and again; writing it anew each time would make
every round longer than the one before. Knows no wire format.
"""

from collections.abc import Callable, Hashable
from typing import Any, Protocol

import msgspec
from msgspec import Raw, Struct

from parley.coder.message import Message

MOST_KEPT = 16
"""Conversations that are kept; who has more at work at once writes some of them anew."""
OPEN = 4
"""Items at the end that are never encoded before the request is, so that it can be finished."""


class Writer(Protocol):
    """Writes a conversation, message by message; what it wrote depends on nothing that follows.

    It may change or look at the last of its items only.
    """

    items: list[Any]

    def take(self, message: Message) -> None: ...


class _Kept(Struct, frozen=True):
    settings: Hashable
    messages: tuple[Message, ...]
    writer: Writer
    encoded: int
    """How many items are."""


class Growing:
    """The writers of the latest conversations of one provider."""

    def __init__(self) -> None:
        self._kept: dict[str, _Kept] = {}

    def written(
        self,
        conversation: str,
        settings: Hashable,
        messages: tuple[Message, ...],
        fresh: Callable[[], Writer],
    ) -> list[Any]:
        """All these messages, written: JSON, or its text where it stood in an earlier request.

        `settings` is what a writer of the conversation depends on beside the messages: after a
        change nothing that was written can be used.
        """
        # It is put back when it is whole: a message that cannot be written may leave half of it.
        kept = self._kept.pop(conversation, None)
        if kept is None or kept.settings != settings or not _begins(messages, kept.messages):
            kept = _Kept(settings, (), fresh(), 0)
        items = kept.writer.items
        encoded = max(kept.encoded, len(items) - OPEN)
        for place in range(kept.encoded, encoded):
            items[place] = Raw(msgspec.json.encode(items[place]))
        for message in messages[len(kept.messages) :]:
            kept.writer.take(message)
        self._kept[conversation] = _Kept(settings, messages, kept.writer, encoded)
        if len(self._kept) > MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        return [*items]


def _begins(messages: tuple[Message, ...], beginning: tuple[Message, ...]) -> bool:
    return messages[: len(beginning)] == beginning
