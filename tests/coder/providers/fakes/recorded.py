"""What a provider's reader makes of the bytes of a stream, without a network."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from parley.coder.providers.answering import Reader
from parley.coder.providers.provider import Answer, ModelEvent
from parley.coder.providers.sse import EventParser
from tests.coder.providers.fakes.reply import Received, Reply
from tests.coder.providers.fakes.server import FakeApi


def recording(api: FakeApi, reply: Reply, body: dict[str, Any]) -> bytes:
    """The whole stream of a reply."""
    return b"".join(api.frames(Received("POST", "/", "", {}, body), reply))


def heard(reader: Reader, chunks: Sequence[bytes]) -> tuple[list[ModelEvent], Answer | None]:
    """Every event before the answer, and the answer."""
    parser = EventParser()
    received = [event for chunk in chunks for event in parser.feed(chunk)]
    received += parser.end()
    events = [said for event in received for said in reader.feed(event)]
    return events, reader.answer()


def split(raw: bytes, cuts: list[int]) -> list[bytes]:
    """The bytes in pieces; a cut is a place anywhere, taken modulo the length."""
    places = [0, *sorted(cut % len(raw) for cut in cuts), len(raw)]
    return [raw[a:b] for a, b in pairwise(places)]
