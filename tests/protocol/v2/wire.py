"""A peer that speaks hand-written JSON, and a judge of everything the other side sends to it."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from jsonschema import Draft202012Validator

from parley.protocol.connect import RemoteAgent, connect
from parley.protocol.serve import serve
from parley.protocol.settings import Settings
from parley.rpc.transport import Transport
from parley.schema.base import UNSET, Model, Unknown
from parley.schema.codec import decode_strictly
from parley.schema.v2.methods import METHODS
from parley.session.role import AgentRole, ClientRole, SessionRequest, SessionSetup
from parley.transport.memory import memory_pair

BOUND = 5.0
Json = dict[str, Any]

_DEFINITIONS = json.loads((Path(__file__).parents[3] / "schema" / "v2.json").read_text())["$defs"]
_NAMES = {
    (facts["x-method"], name.endswith("Response")): name
    for name, facts in _DEFINITIONS.items()
    if "x-method" in facts and not name.startswith("MessageMcpNotification")
}
_TYPES = {(m.name, m.kind): m for m in METHODS}


@cache
def _validator(name: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": _DEFINITIONS})


def check_payload(method: str, payload: Any, *, answer: bool) -> None:
    """DEC-12, EXT-05: valid against the schema, and without members of our own."""
    name = _NAMES.get((method, answer))
    if name is None:
        assert method.startswith("_") or not answer, f"{method} is not a method of version 2"
        return
    problems = [error.message for error in _validator(name).iter_errors(payload)]
    assert problems == [], f"{name}: {problems}"
    row = _TYPES.get((method, "request")) or _TYPES[(method, "notification")]
    model = decode_strictly(row.result if answer else row.params, msgspec.json.encode(payload))
    assert list(_unknown_members(model)) == []


def _unknown_members(value: Any) -> Iterator[str]:
    if isinstance(value, Unknown):
        return
    if isinstance(value, Model):
        if value.extra is not UNSET:
            yield f"{type(value).__name__}: {list(value.extra)}"
        for field in value.__struct_fields__:
            yield from _unknown_members(getattr(value, field))
    elif isinstance(value, list):
        for item in value:
            yield from _unknown_members(item)


class RawWire:
    """One end of a wire, driven by a test. `seen` is everything received, in order."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport
        self.seen: list[Json] = []
        self._inbox: list[Json] = []
        self._ids = itertools.count(1)
        self._asked: dict[Any, str] = {}

    def send(self, message: Json) -> None:
        self.transport.send(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def ask(self, method: str, params: Any = None, *, today: str | None = None) -> Any:
        """Send a request and return its id. `today` is the name of an older method now."""
        id = next(self._ids)
        self._asked[id] = today or method
        self.send({"id": id, "method": method} | ({} if params is None else {"params": params}))
        return id

    def tell(self, method: str, params: Any = None) -> None:
        self.send({"method": method} | ({} if params is None else {"params": params}))

    def update(self, update: Json, session_id: str = "s1") -> None:
        self.tell("session/update", {"sessionId": session_id, "update": update})

    def reply(self, request: Json, result: Any) -> None:
        self.send({"id": request["id"], "result": result})

    def fail(self, request: Json, code: int, message: str = "no", data: Any = None) -> None:
        error: Json = {"code": code, "message": message}
        self.send({"id": request["id"], "error": error | ({} if data is None else {"data": data})})

    async def read(self) -> Json:
        """The next message of the other side."""
        async with asyncio.timeout(BOUND):
            while not self._inbox:
                frames = await self.transport.receive()
                assert frames, "the connection ended"
                for frame in frames:
                    assert isinstance(frame, bytes)
                    message = json.loads(frame)
                    self._check(message)
                    self._inbox.append(message)
        message = self._inbox.pop(0)
        self.seen.append(message)
        return message

    async def until(self, wanted: Callable[[Json], bool]) -> Json:
        while not wanted(message := await self.read()):
            pass
        return message

    async def answer(self, id: Any) -> Json:
        """The answer to a request, `result` or `error`, which may have come already."""

        def answers(message: Json) -> bool:
            return "method" not in message and message.get("id") == id

        found = next((message for message in self.seen if answers(message)), None)
        return found or await self.until(answers)

    def _check(self, message: Json) -> None:
        if "method" in message:
            check_payload(message["method"], message.get("params"), answer=False)
        elif "result" in message and message["id"] in self._asked:
            check_payload(self._asked[message["id"]], message["result"], answer=True)
        else:
            assert isinstance(message["error"]["code"], int)
            assert isinstance(message["error"]["message"], str)


class RawPeer(RawWire):
    """The steps that tests are made of."""

    async def call(self, method: str, params: Any = None) -> Any:
        """The result of a request."""
        message = await self.answer(self.ask(method, params))
        assert "result" in message, message
        return message["result"]

    async def refused(self, method: str, params: Any = None) -> int:
        """The code of the error that a request is answered with."""
        message = await self.answer(self.ask(method, params))
        assert "error" in message, message
        return message["error"]["code"]

    async def requested(self, method: str) -> Json:
        return await self.until(lambda m: m.get("method") == method and "id" in m)

    async def updated(self, kind: str) -> Json:
        """The next update of a kind."""
        message = await self.until(lambda m: update_of(m).get("sessionUpdate") == kind)
        return update_of(message)

    async def state(self, state: str) -> Json:
        message = await self.until(lambda m: update_of(m).get("state") == state)
        return update_of(message)

    async def settled(self) -> list[Json]:
        """What the other side sends before it answers a request that is unknown to it."""
        before = len(self.seen)
        await self.answer(self.ask("_no/such"))
        return self.seen[before:-1]

    async def initialize(self, **members: Any) -> Json:
        params = {"protocolVersion": 2, "info": {"name": "raw", "version": "0"}, **members}
        return await self.call("initialize", params)

    async def open(self, **members: Any) -> str:
        """Initialise, and open a session."""
        await self.initialize()
        return (await self.call("session/new", {"cwd": "/w", **members}))["sessionId"]

    async def accept(self, **members: Any) -> Json:
        """Answer `initialize` as an agent; return what the client asked."""
        request = await self.requested("initialize")
        answer = {"protocolVersion": 2, "info": {"name": "raw", "version": "0"}}
        self.reply(request, {**answer, "capabilities": {"session": {}}, **members})
        return request["params"]

    async def serve(self, method: str, result: Any) -> Json:
        """Answer the next request for a method; return its parameters."""
        request = await self.requested(method)
        self.reply(request, result)
        return request["params"]

    def updates(self) -> list[Json]:
        return [update_of(message) for message in self.seen if update_of(message)]


def update_of(message: Json) -> Json:
    if message.get("method") != "session/update":
        return {}
    return message["params"]["update"]


def text(words: str) -> Json:
    return {"type": "text", "text": words}


@asynccontextmanager
async def served(role: AgentRole, settings: Settings | None = None) -> AsyncIterator[RawPeer]:
    """A raw client of an agent."""
    ours, theirs = memory_pair()
    async with asyncio.timeout(BOUND), asyncio.TaskGroup() as group:
        group.create_task(serve(role, ours, settings or Settings(versions=(2,))))
        yield RawPeer(theirs)
        await theirs.aclose()


@asynccontextmanager
async def driven(
    client: ClientRole, settings: Settings | None = None, **members: Any
) -> AsyncIterator[tuple[RemoteAgent, RawPeer]]:
    """A raw agent, and what a client makes of it; `members` are of its `initialize` answer."""
    ours, theirs = memory_pair()
    peer = RawPeer(theirs)
    async with asyncio.timeout(BOUND), asyncio.TaskGroup() as group:
        group.create_task(peer.accept(**members))
        async with connect(ours, client, settings or Settings(versions=(2,))) as agent:
            yield agent, peer


async def opened(agent: RemoteAgent, peer: RawPeer, **members: Any) -> SessionSetup:
    """Let the client open the session `s1`."""
    answer = {"sessionId": "s1", **members}
    setup, _ = await asyncio.gather(
        agent.new_session(SessionRequest("/w")), peer.serve("session/new", answer)
    )
    return setup
