"""How a stream of server events becomes a stream of model events, for every wire format.

The rules of a format live in its reader, which is pure; this drives one.
"""

from collections.abc import AsyncGenerator, Iterable
from typing import Protocol

from parley.coder.providers.failure import Place, dropped
from parley.coder.providers.http import EventStream
from parley.coder.providers.provider import Answer, ModelEvent
from parley.coder.providers.sse import ServerEvent


class Reader(Protocol):
    """The state of one answer while it arrives."""

    @property
    def finished(self) -> bool:
        """Whether the last event of the format has come."""
        ...

    def feed(self, event: ServerEvent) -> Iterable[ModelEvent]:
        """Take an event.

        Raises:
            ProviderError: it reports a failure or cannot be read.
        """
        ...

    def answer(self) -> Answer | None:
        """The whole answer, or `None` while it is not complete."""
        ...


async def answered(
    stream: EventStream, reader: Reader, place: Place
) -> AsyncGenerator[ModelEvent, None]:
    """Everything the model says, and the whole answer at last.

    Raises:
        ProviderError: among others when the stream ends before the answer is complete.
    """
    async for event in stream:
        for said in reader.feed(event):
            yield said
        if reader.finished:
            # Read to its end, the connection can be used for the next request.
            await stream.drain()
            break
    answer = reader.answer()
    if answer is None:
        raise dropped(place)
    yield answer
