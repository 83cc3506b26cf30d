"""Typed messages over a connection: decoding mistakes become the right errors."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from parley.errors import (
    InvalidParams,
    MethodNotFound,
    RemoteProtocolError,
    RequestTimeout,
    ResourceNotFound,
)
from parley.protocol.endpoint import Beside, Endpoint, NoteRoute, Route, Routes, passed_on
from parley.rpc.message import Notification as Note
from parley.rpc.message import Payload
from parley.rpc.peer import Call
from parley.schema.base import UNSET, Model, Notification, Request, UnsetType
from parley.transport.memory import memory_pair
from tests.protocol.wire import BOUND, RawPeer


class Sum(Model):
    total: int


class Add(Request[Sum]):
    METHOD = "add"
    RESULT = Sum

    one: int
    other: int | UnsetType = UNSET


class Told(Notification):
    METHOD = "told"

    text: str


async def _add(params: Add, call: Call) -> Sum:
    return Sum(total=params.one + (params.other or 0))


def _words(params: dict[str, Any]) -> str | None:
    if params.get("one") != "one":
        return None
    params["one"] = 1
    return "numbers in words"


def run(
    scenario: Callable[[Endpoint, RawPeer], Awaitable[None]], routes: Routes | None = None
) -> None:
    async def main() -> None:
        ours, theirs = memory_pair()
        async with asyncio.timeout(BOUND), Endpoint(ours, routes) as endpoint:
            await scenario(endpoint, RawPeer(theirs))

    asyncio.run(main())


def test_a_call_is_decoded_handled_and_answered() -> None:
    async def scenario(endpoint: Endpoint, peer: RawPeer) -> None:
        assert await peer.result("add", {"one": 1, "other": 2}) == {"total": 3}
        assert endpoint.calls_routed == 1
        assert endpoint.dialects == {}

    run(scenario, Routes({"add": Route(Add, _add)}))


@pytest.mark.parametrize("params", [{"one": "x"}, {}, None, [1], "x", 5])
def test_wrong_parameters_name_the_place_and_not_the_value_rpc_09_29(params: Any) -> None:
    async def scenario(endpoint: Endpoint, peer: RawPeer) -> None:
        error = await peer.error("add", params)
        assert error["code"] == -32602
        assert "data" in error
        assert "x" not in error["message"].replace("expected", "")
        assert await peer.result("add", {"one": 1}) == {"total": 1}

    run(scenario, Routes({"add": Route(Add, _add)}))


def test_a_repair_is_tried_on_what_does_not_decode_and_counted() -> None:
    async def scenario(endpoint: Endpoint, peer: RawPeer) -> None:
        assert await peer.result("add", {"one": "one"}) == {"total": 1}
        assert endpoint.dialects == {"numbers in words": 1}
        assert (await peer.error("add", {"one": "two"}))["code"] == -32602
        assert (await peer.error("add", {"one": "one", "other": "x"}))["data"] == {"path": "other"}
        assert (await peer.error("add", [1]))["code"] == -32602
        assert endpoint.dialects == {"numbers in words": 1}
        await peer.result("plus", {"one": 1})
        assert endpoint.dialects == {"numbers in words": 1, "plus": 1}

    routes = {
        "add": Route(Add, _add, (_words,)),
        "plus": Route(Add, _add, alias="plus"),
    }
    run(scenario, Routes(routes))


def test_methods_without_a_route_go_elsewhere_or_are_unknown_rpc_08() -> None:
    async def other(call: Call) -> Payload:
        if call.method == "_x":
            return b"[1]"
        raise MethodNotFound

    async def scenario(endpoint: Endpoint, peer: RawPeer) -> None:
        assert (await peer.error("_x"))["code"] == -32601
        endpoint.routes = Routes(other_calls=other)
        assert await peer.result("_x") == [1]
        assert (await peer.error("_y"))["code"] == -32601
        assert endpoint.calls_routed == 0

    run(scenario)


def test_notifications_are_handled_and_mistakes_in_them_counted_rpc_05() -> None:
    heard: list[Any] = []

    def told(params: Told) -> None:
        heard.append(params.text)

    def other(note: Note) -> None:
        heard.append(note.method)

    async def scenario(endpoint: Endpoint, peer: RawPeer) -> None:
        peer.note("told", {"text": "a"})
        peer.note("told", {"text": 5})
        peer.note("else")
        peer.note("told", {"text": "b"})
        await peer.error("alive")
        assert heard == ["a", "else", "b"]
        assert endpoint.connection.faults.total() == 1
        endpoint.routes.other_notes = None
        peer.note("else")
        await peer.error("alive")
        assert heard == ["a", "else", "b"]

    run(scenario, Routes(notes={"told": NoteRoute(Told, told)}, other_notes=other))


async def _asked(endpoint: Endpoint, peer: RawPeer, reply: dict[str, Any], **how: Any) -> Any:
    async with asyncio.TaskGroup() as group:
        task = group.create_task(_outcome(endpoint.request(Add(one=1), **how)))
        request = await peer.request("add")
        peer.send({"id": request["id"], **reply})
    return task.result()


async def _outcome(work: Awaitable[Any]) -> Any:
    try:
        return await work
    except Exception as error:
        return error


def test_an_answer_has_the_type_that_the_request_names() -> None:
    async def scenario(endpoint: Endpoint, peer: RawPeer) -> None:
        assert await _asked(endpoint, peer, {"result": {"total": 3}}) == Sum(total=3)
        wrong = await _asked(endpoint, peer, {"result": {"total": "3"}})
        assert isinstance(wrong, RemoteProtocolError)
        assert isinstance(await _asked(endpoint, peer, {"result": None}), RemoteProtocolError)
        error = {"error": {"code": -32002, "message": "m", "data": 1}}
        assert isinstance(await _asked(endpoint, peer, error), ResourceNotFound)

    run(scenario)


def test_an_answer_can_be_repaired_too() -> None:
    def repair(members: dict[str, Any]) -> str | None:
        if "sum" not in members:
            return None
        members["total"] = members.pop("sum")
        return "sum"

    async def scenario(endpoint: Endpoint, peer: RawPeer) -> None:
        answer = await _asked(endpoint, peer, {"result": {"sum": 3}}, repairs=(repair,))
        assert answer == Sum(total=3)
        assert endpoint.dialects == {"sum": 1}

    run(scenario)


def test_an_empty_result_may_be_null_see_04() -> None:
    class Nothing(Model):
        pass

    class Ping(Request[Nothing]):
        METHOD = "ping"
        RESULT = Nothing

    async def scenario(endpoint: Endpoint, peer: RawPeer) -> None:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(endpoint.request(Ping()))
            peer.reply(await peer.request("ping"), None)
        assert task.result() == Nothing()

    run(scenario)


def test_a_request_may_have_a_deadline() -> None:
    async def scenario(endpoint: Endpoint, peer: RawPeer) -> None:
        with pytest.raises(RequestTimeout):
            await endpoint.request(Add(one=1), timeout=0.01)

    run(scenario)


def test_telling_never_waits_and_draining_does() -> None:
    async def scenario(endpoint: Endpoint, peer: RawPeer) -> None:
        while not endpoint.transport.blocked:
            endpoint.post(Told(text="x" * 10_000))
        async with asyncio.TaskGroup() as group:
            drained = group.create_task(endpoint.drain())
            assert not drained.done()
            await peer.request("told")
        assert not endpoint.transport.blocked

    run(scenario)


def test_a_handler_may_refuse_parameters_itself() -> None:
    async def refuse(params: Add, call: Call) -> Sum:
        raise InvalidParams("Invalid params: no", {"path": "one"})

    async def scenario(endpoint: Endpoint, peer: RawPeer) -> None:
        assert await peer.error("add", {"one": 1}) == {
            "code": -32602,
            "message": "Invalid params: no",
            "data": {"path": "one"},
        }

    run(scenario, Routes({"add": Route(Add, refuse)}))


class Answer(Model):
    meta: dict[str, Any] | UnsetType = UNSET


class Ask(Request[Answer]):
    METHOD = "ask"
    RESULT = Answer

    meta: dict[str, Any] | UnsetType = UNSET


@pytest.mark.parametrize(
    ("own", "asked"), [(UNSET, {"traceparent": "00-1"}), ({"own": 1}, {"own": 1})]
)
def test_what_is_passed_on_takes_its_meta_along_both_ways(own: Any, asked: Any) -> None:
    """EXT-03"""

    async def scenario() -> None:
        one, client = memory_pair()
        other, agent = memory_pair()
        asking, answered = RawPeer(client), RawPeer(agent)
        outward = Endpoint(other)

        async def pass_on(params: Ask, call: Call) -> Answer:
            assert isinstance(params.meta, dict)
            passed_on.set(Beside(params.meta))
            await outward.request(Ask(meta=own))
            return Answer(meta=own)

        async with (
            asyncio.timeout(BOUND),
            outward,
            Endpoint(one, Routes({"ask": Route(Ask, pass_on)})),
        ):
            sent = asking.ask("ask", {"_meta": {"traceparent": "00-1"}})
            request = await answered.request("ask")
            assert request["params"]["_meta"] == asked
            answered.reply(request, {"_meta": {"b": 2}})
            answer = (await asking.answer(sent))["result"]
            assert answer["_meta"] == ({"b": 2} if own is UNSET else own)

    asyncio.run(scenario())


def test_an_answer_without_meta_gets_none() -> None:
    async def handle(params: Add, call: Call) -> Sum:
        passed_on.set(Beside({"a": 1}, {"b": 2}))  # This model has no place for it.
        return Sum(total=1)

    async def scenario(endpoint: Endpoint, peer: RawPeer) -> None:
        assert await peer.result("add", {"one": 1}) == {"total": 1}

    run(scenario, Routes({"add": Route(Add, handle)}))
