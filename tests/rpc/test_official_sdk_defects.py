"""One test for each way in which a JSON-RPC layer for this protocol has been seen to fail."""

import asyncio
import json

import pytest

from parley.errors import InvalidParams, MethodNotFound
from parley.rpc.connection import Limits
from parley.rpc.message import Notification, Payload
from parley.rpc.peer import Call
from parley.transport.memory import memory_pair
from tests.rpc.wire import Wire, connect, notification, request, run, settle, until


async def echo(call: Call) -> Payload:
    """Answers with the params as they came."""
    return call.params


def test_w01_meta_is_never_mixed_into_the_params() -> None:
    async def scenario() -> None:
        params = b'{"sessionId": "s1", "_meta": {"session_id": "EVIL", "self": 1, "prompt": []}}'
        wire = Wire()
        async with connect(wire, echo):
            wire.feed(b'{"jsonrpc":"2.0","id":1,"method":"m","params":%b}' % params)
            await until(lambda: wire.sent)
        assert wire.sent == [b'{"jsonrpc":"2.0","id":1,"result":%b}' % params]

    run(scenario)


@pytest.mark.parametrize("method", ["authenticate", "session/load", "session/list", "_x/y"])
def test_w02_a_method_that_is_not_offered_is_an_error(method: str) -> None:
    async def scenario() -> None:
        async def handler(_: Call) -> Payload:
            raise MethodNotFound

        wire = Wire()
        async with connect(wire, handler):
            wire.feed(request(1, method))
            await until(lambda: wire.sent)
        assert wire.answers[0]["error"]["code"] == -32601

    run(scenario)


@pytest.mark.parametrize("line", ["[]", '[{"jsonrpc":"2.0","method":"m"}]', "42", "null", '"x"'])
def test_w03_a_line_that_is_no_object_gets_one_error_and_the_connection_lives(line: str) -> None:
    async def scenario() -> None:
        wire = Wire()
        async with connect(wire, echo):
            wire.feed(line, request(1, params=5))
            await until(lambda: len(wire.sent) == 2)
            await settle()
        refusal, answer = wire.answers
        assert (refusal["id"], refusal["error"]["code"]) == (None, -32600)
        assert answer == {"jsonrpc": "2.0", "id": 1, "result": 5}

    run(scenario)


def test_w05_a_handler_that_raises_cancelled_error_is_answered() -> None:
    async def scenario() -> None:
        async def handler(call: Call) -> Payload:
            if call.method == "at once":
                raise asyncio.CancelledError
            task = asyncio.ensure_future(asyncio.Event().wait())
            task.cancel()
            await task
            return b""

        wire = Wire()  # CAN-08
        async with connect(wire, handler):
            wire.feed(request(1, "at once"), request(2, "through a task"))
            await until(lambda: len(wire.sent) == 2)
        assert [answer["error"]["code"] for answer in wire.answers] == [-32800] * 2

    run(scenario)


def test_w06_updates_are_handled_in_order_when_the_handler_awaits() -> None:
    async def scenario() -> None:
        seen: list[int] = []

        async def handler(note: Notification) -> None:
            number = json.loads(bytes(note.params))
            await settle(number * 7 % 5)
            seen.append(number)

        wire = Wire()
        async with connect(wire, on_notification=handler):
            wire.feed(*(notification(params=number) for number in range(200)))
            await until(lambda: len(seen) == 200)
        assert seen == list(range(200))

    run(scenario)


def test_w07_a_blocked_handler_slows_the_sender_and_makes_no_tasks() -> None:
    async def scenario() -> None:
        gate = asyncio.Event()

        async def handler(_: Notification) -> None:
            await gate.wait()

        ours, theirs = memory_pair(high_water=1000)
        limits = Limits(backlog_bytes=50_000)
        async with (
            connect(ours, on_notification=handler, limits=limits),
            connect(theirs) as sender,
        ):
            before = len(asyncio.all_tasks())
            sent = 0

            async def stream() -> None:
                nonlocal sent
                for _ in range(50_000):
                    await sender.notify("n", b'"%b"' % (b"x" * 40))
                    sent += 1

            task = asyncio.create_task(stream())
            await until(lambda: theirs.blocked)
            await settle(200)
            assert sent < 500
            assert len(asyncio.all_tasks()) <= before + 2
            task.cancel()
            await asyncio.wait([task])
            gate.set()

    run(scenario)


@pytest.mark.parametrize(
    ("line", "id_", "code"),
    [
        ("{", None, -32700),
        ("hello from a library", None, -32700),
        ('{"id":5,"method":"m"}', 5, -32600),
        ('{"jsonrpc":"2.0","id":5,"method":7}', 5, -32600),
        ('{"jsonrpc":"2.0","id":"open","method":"m"}', "open", -32600),
    ],
)
def test_w13_what_cannot_be_accepted_is_answered(
    line: str, id_: int | str | None, code: int
) -> None:
    async def scenario() -> None:
        async def hang(_: Call) -> Payload:
            await asyncio.Event().wait()
            return b""

        wire = Wire()
        async with connect(wire, hang) as connection:
            wire.feed(request("open"), line)
            await until(lambda: wire.sent)
            assert [(each["id"], each["error"]["code"]) for each in wire.answers] == [(id_, code)]
            assert connection.peer.open_calls == 1

    run(scenario)


def test_w17_text_leaves_as_utf_8() -> None:
    async def scenario() -> None:
        async def fail(_: Call) -> Payload:
            raise InvalidParams("漢字", "漢字")

        wire = Wire()
        async with connect(wire, fail) as connection:
            connection.post("漢字", '"漢字"'.encode())
            wire.feed(request("漢字"))
            await until(lambda: len(wire.sent) == 2)
        assert [frame.count("漢字".encode()) for frame in wire.sent] == [2, 3]
        assert all(b"\\u" not in frame for frame in wire.sent)

    run(scenario)


def test_w18_errors_carry_no_null_data_and_no_input() -> None:
    async def scenario() -> None:
        async def handler(call: Call) -> Payload:
            if call.id == 1:
                raise InvalidParams
            raise ValueError(bytes(call.params))

        wire = Wire()
        async with connect(wire, handler):
            for id_ in (1, 2):
                wire.feed(request(id_, params="the secret"))
            wire.feed('{"jsonrpc":"2.0","id":3,"method":["the secret"]}', '{"the secret')
            await until(lambda: len(wire.sent) == 4)
        assert all(b"data" not in frame and b"secret" not in frame for frame in wire.sent)

    run(scenario)
