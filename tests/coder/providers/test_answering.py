"""A stream of server events becomes a stream of model events with a whole answer at its end."""

import asyncio
from collections.abc import Iterator

import pytest

from parley.coder.errors import ProviderError
from parley.coder.message import AgentMessage, TextPart
from parley.coder.providers.answering import answered
from parley.coder.providers.failure import Place
from parley.coder.providers.http import Http
from parley.coder.providers.provider import Answer, ModelEvent, ModelUsage, TextDelta
from parley.coder.providers.sse import ServerEvent
from tests.coder.providers.fakes.echo import Echo
from tests.coder.providers.fakes.reply import Raw, Scripted, Stall, says
from tests.coder.providers.fakes.samples import KEY
from tests.coder.providers.fakes.server import WAIT, FakeServer


class Until:
    """A format in which each event is a piece of text, and a point ends the answer."""

    def __init__(self) -> None:
        self.finished = False
        self._said: list[str] = []

    def feed(self, event: ServerEvent) -> Iterator[ModelEvent]:
        self.finished = event.data == "."
        self._said.append(event.data)
        yield TextDelta(event.data)

    def answer(self) -> Answer | None:
        message = AgentMessage((TextPart("".join(self._said)),))
        return Answer(message, "end", ModelUsage()) if self.finished else None


def read(*frames: bytes) -> tuple[list[ModelEvent], FakeServer]:
    return play(Raw(frames))


def play(step: Scripted) -> tuple[list[ModelEvent], FakeServer]:
    async def scenario(url: str) -> list[ModelEvent]:
        place = Place("echo", url, "", (KEY,))
        door = Http(place)
        try:
            async with asyncio.timeout(WAIT), door.open_stream("/talk", {}, {}) as stream:
                return [event async for event in answered(stream, Until(), place)]
        finally:
            await door.aclose()

    with FakeServer(Echo(), [step]) as server:
        return asyncio.run(scenario(server.url)), server


def test_the_answer_is_the_last_event_and_what_follows_it_is_ignored() -> None:
    events, server = read(b"data: a\n\n", b"data: .\n\n", b"data: b\n\n")
    assert events == [
        TextDelta("a"),
        TextDelta("."),
        Answer(AgentMessage((TextPart("a."),)), "end", ModelUsage()),
    ]
    assert server.hung_up == 0


def test_a_stream_without_its_last_event_is_a_dropped_one() -> None:
    with pytest.raises(ProviderError, match="before the answer was complete") as caught:
        read(b"data: a\n\n")
    assert (caught.value.kind, caught.value.retryable) == ("network", True)


def test_an_answer_is_given_though_the_server_does_not_end_its_stream() -> None:
    events, _ = play(Stall(says("a", "."), after=2))
    assert events[-1] == Answer(AgentMessage((TextPart("a."),)), "end", ModelUsage())
