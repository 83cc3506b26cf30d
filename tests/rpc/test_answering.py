"""Which call a task answers, and which call a request of ours was made for."""

import asyncio

from parley.rpc.calls import answering
from parley.rpc.connection import Connection
from parley.rpc.message import NOTHING, Notification, Payload
from parley.rpc.peer import Call
from parley.transport.memory import memory_pair
from tests.protocol.wire import BOUND, RawPeer


def _ignore(note: Notification) -> None: ...


async def _refuse(call: Call) -> Payload:
    raise AssertionError(call.method)


def test_a_task_knows_its_call_until_the_answer_has_left() -> None:
    seen: list[object] = []

    async def handler(call: Call) -> Payload:
        seen.append(answering.get() is call)
        call.after_response(lambda: seen.append(answering.get()))
        return NOTHING

    async def scenario() -> None:
        near, far = memory_pair()
        peer = RawPeer(near)
        async with (
            asyncio.timeout(BOUND),
            Connection(far, on_call=handler, on_notification=_ignore),
        ):
            for _ in range(2):
                await peer.result("a")
        assert seen == [True, None] * 2
        assert answering.get() is None

    asyncio.run(scenario())


def test_a_request_made_to_answer_a_call_of_another_connection_names_that_call() -> None:
    async def scenario() -> None:
        one, client = memory_pair()
        other, agent = memory_pair()
        asking, answered = RawPeer(client), RawPeer(agent)
        outward = Connection(other, on_call=_refuse, on_notification=_ignore)

        async def pass_on(call: Call) -> Payload:
            return await outward.request(call.method)

        async with (
            asyncio.timeout(BOUND),
            outward,
            Connection(one, on_call=pass_on, on_notification=_ignore),
        ):
            asked = asking.ask("a")
            request = await answered.request("a")
            cause = outward.cause_of(request["id"])
            assert cause is not None
            assert cause.id == asked != request["id"]
            assert outward.cause_of(99) is None
            answered.reply(request, {})
            await asking.answer(asked)
            assert outward.cause_of(request["id"]) is None

            async with asyncio.TaskGroup() as group:
                group.create_task(outward.request("of our own"))
                request = await answered.request("of our own")
                assert outward.cause_of(request["id"]) is None
                answered.reply(request, {})

    asyncio.run(scenario())
