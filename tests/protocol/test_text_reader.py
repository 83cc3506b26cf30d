"""Chunks that are recognised by the bytes around their text."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parley.protocol.settings import Settings
from parley.protocol.text_reader import TextReader
from parley.rpc.transport import Oversize
from parley.sdk.client import Client
from parley.session.content import Text
from parley.session.event import ChunkAdded, Event
from parley.transport.memory import memory_pair
from tests.protocol.wire import RawPeer

HEAD = b'{"method":"session/update","params":{"sessionId":"s","update":{"content":{"text":'


class Listener:
    """A client that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, Event]] = []
        self.blocked = False

    def emit(self, session_id: str, event: Event) -> None:
        self.told.append((session_id, event))


def reader() -> tuple[TextReader, Listener]:
    listener = Listener()
    return TextReader(listener), listener  # pyright: ignore[reportArgumentType]


def frame(text: str, before: bytes = HEAD, behind: bytes = b"}}}}") -> bytes:
    return before + json.dumps(text).encode() + behind


def chunk(text: str, message_id: str | None = "m") -> ChunkAdded:
    return ChunkAdded("agent", Text(text), message_id)


def taught(*texts: bytes) -> tuple[TextReader, Listener]:
    """A reader that has seen the same message twice, in these frames or in plain ones."""
    texts_reader, listener = reader()
    for each in texts or (frame("a"), frame("b")):
        assert not texts_reader.recognise(each)
        texts_reader.learn("s", chunk("any"))
    return texts_reader, listener


def test_the_third_chunk_of_a_message_is_recognised() -> None:
    texts, listener = taught()
    assert texts.recognise(frame("c\n\u6f22"))
    assert listener.told == [("s", chunk("c\n\u6f22"))]


def test_a_chunk_of_another_message_is_not() -> None:
    texts, listener = taught()
    assert not texts.recognise(frame("c", HEAD.replace(b'"s"', b'"t"')))
    assert not texts.recognise(frame("c", behind=b"}},1}}"))
    assert listener.told == []


@pytest.mark.parametrize("middle", [b'"a","b"', b"1", b'"a', b'"\xff"', b'"\\ud800"', b"", b'"a"}'])
def test_what_is_not_one_string_is_left_to_the_parser(middle: bytes) -> None:
    texts, listener = taught()
    assert not texts.recognise(HEAD + middle + b"}}}}")
    assert listener.told == []


def test_a_client_that_is_behind_gets_its_chunks_the_usual_way() -> None:
    texts, listener = taught()
    listener.blocked = True
    assert not texts.recognise(frame("c"))


def test_a_message_is_learned_from_its_second_chunk() -> None:
    texts, _ = reader()
    texts.recognise(frame("a"))
    texts.learn("s", chunk("a", "one"))
    texts.recognise(frame("b"))
    texts.learn("s", chunk("b", "two"))
    assert not texts.recognise(frame("c"))


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        (HEAD, b',"_meta":{"text":"x"}}}}}'),
        (HEAD.replace(b"method", b"\\u006dethod"), b"}}}}"),
        (HEAD, b',"\\u0074ext":"x"}}}}'),
        (HEAD.replace(b'"text":', b'"other":'), b"}}}}"),
    ],
)
def test_a_frame_in_which_another_text_could_change_is_not_learned(
    before: bytes, behind: bytes
) -> None:
    texts, _ = taught(frame("a", before, behind), frame("b", before, behind))
    assert not texts.recognise(frame("c", before, behind))


def test_what_was_learned_can_be_forgotten() -> None:
    texts, _ = taught()
    texts.forget()
    assert not texts.recognise(frame("c"))


def test_a_frame_that_was_thrown_away_is_not_recognised() -> None:
    texts, _ = taught()
    assert not texts.recognise(Oversize(10, b"", 1))


# The same events with and without it, through the real client of both versions.

UPDATES = st.lists(
    st.tuples(
        st.sampled_from(["agent_message_chunk", "agent_thought_chunk", "user_message_chunk"]),
        st.sampled_from(["m1", "m2"]),
        st.text(st.characters(codec="utf-8"), max_size=5) | st.just('","text":"'),
        st.sampled_from([{}, {"_meta": {"text": "x"}}]),
        st.booleans(),
    ),
    max_size=12,
)


async def _events(version: int, updates: list[Any], *, all_different: bool) -> list[Event]:
    """What the client reports; `all_different` makes every frame look different."""
    seen: list[Event] = []
    client = Client("reader")
    client.event(lambda session, event: seen.append(event))
    near, far = memory_pair()
    peer = RawPeer(far)

    async def answer() -> None:
        info = {"info": {"name": "a", "version": "1"}, "capabilities": {"session": {}}}
        opening = {1: {"protocolVersion": 1}, 2: {"protocolVersion": 2, **info}}[version]
        peer.reply(await peer.request("initialize"), opening)
        request = await peer.request("session/new")
        for number, update in enumerate(updates):
            far.send(_frame(update, number if all_different else None))
        peer.reply(request, {"sessionId": "s"})

    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        group.create_task(answer())
        async with client.connect(near, settings=Settings(versions=(version,))) as agent:
            await agent.new_session("/")
    return seen


def _frame(update: tuple[str, str, str, dict[str, Any], bool], number: int | None) -> bytes:
    kind, message_id, text, meta, ascii_only = update
    content = {"type": "text", "text": text, **meta}
    body = {"sessionUpdate": kind, "messageId": message_id, "content": content}
    params = {"sessionId": "s", "update": body}
    message: dict[str, Any] = {} if number is None else {"number": number}
    message |= {"jsonrpc": "2.0", "method": "session/update", "params": params}
    return json.dumps(message, ensure_ascii=ascii_only).encode()


@pytest.mark.parametrize("version", [1, 2])
@settings(max_examples=60)
@given(updates=UPDATES)
def test_a_client_is_told_the_same_whether_frames_are_recognised_or_not(
    version: int, updates: list[Any]
) -> None:
    async def both() -> tuple[list[Event], list[Event]]:
        return (
            await _events(version, updates, all_different=False),
            await _events(version, updates, all_different=True),
        )

    recognised, parsed = asyncio.run(both())
    assert recognised == parsed
    assert len(parsed) >= len(updates)
