"""What protocol tests share: a raw peer that writes JSON by hand, and a judge of what we send.

`Judge` listens to a transport of ours and validates every frame that leaves it against the schema
facts of a version: shapes by JSON Schema, then that nothing unstable and no member of our own is
among them (DEC-12, EXT-05, V1-U-01).
"""

import asyncio
import json
from collections import deque
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
from jsonschema import Draft202012Validator
from msgspec import UNSET

from parley.rpc.transport import Oversize, Transport
from parley.schema.base import Model, Unknown
from parley.schema.codec import decode_strictly
from parley.schema.method import Method
from parley.transport.tap import TappedFrame

BOUND = 5.0
"""Seconds that any wait of a test may take."""

_ROOT = Path(__file__).parents[2]


class Judge:
    """Collects what is wrong with the frames that we send."""

    def __init__(
        self,
        version: int,
        *,
        unstable: bool = False,
        extras: tuple[str, ...] = (),
        methods: tuple[str, ...] = (),
    ) -> None:
        """`extras` and `methods` are older members and methods that may be sent all the same."""
        self.version = version
        self.problems: list[str] = []
        self.judged = 0
        self._unstable = unstable
        self._extras = set(extras)
        self._methods = methods
        self._asked: dict[Any, str] = {}

    def record(self, frame: TappedFrame) -> None:
        """For a `TapTransport` around our end of the wire."""
        assert not isinstance(frame.frame, Oversize)
        try:
            message = json.loads(frame.frame)
        except ValueError:
            return
        if frame.direction == "in":
            if isinstance(message, dict) and "method" in message and "id" in message:
                self._asked[json.dumps(message["id"])] = message["method"]
            return
        self.judged += 1
        self._judge(message)

    def _judge(self, message: dict[str, Any]) -> None:
        if message.get("jsonrpc") != "2.0":
            self.problems.append(f"no envelope: {message}")
        if "method" in message:
            kind = "request" if "id" in message else "notification"
            self._judge_payload(message["method"], kind, message.get("params"), "params")
        elif "result" in message:
            method = self._asked.get(json.dumps(message["id"]), "")
            self._judge_payload(method, "request", message["result"], "result")
        else:
            error = message["error"]
            if type(error.get("code")) is not int or type(error.get("message")) is not str:
                self.problems.append(f"not an error object: {error}")

    def _judge_payload(self, method: str, kind: str, payload: Any, part: str) -> None:
        if method.startswith("_") or method in self._methods:
            return
        row = _rows(self.version).get((method, kind))
        if row is None:
            if part == "params":
                self.problems.append(f"no such method: {method}")
            return
        if row.unstable and not self._unstable:
            self.problems.append(f"unstable method: {method}")
        judge = _validator(self.version, method, row.side, kind, part)
        errors = [f"{error.json_path}: {error.message}" for error in judge.iter_errors(payload)]
        if errors:
            self.problems += [f"{method} {part} {error}" for error in errors]
            return
        model = decode_strictly(
            row.params if part == "params" else row.result, msgspec.json.encode(payload)
        )
        for found in _models(model):
            self._judge_model(method, found)

    def _judge_model(self, method: str, model: Model) -> None:
        if model.extra is not UNSET and not isinstance(model, Unknown):
            strange = set(model.extra) - self._extras
            if strange:
                self.problems.append(f"{method}: members of our own: {sorted(strange)}")
        if self._unstable:
            return
        if type(model).UNSTABLE:
            self.problems.append(f"{method}: unstable type {type(model).__name__}")
        for field in type(model).UNSTABLE_FIELDS:
            if getattr(model, field) is not UNSET:
                self.problems.append(f"{method}: unstable member {field}")


def _models(value: Any) -> Iterator[Model]:
    if isinstance(value, Model):
        yield value
        for field in type(value).__struct_fields__:
            yield from _models(getattr(value, field))
    elif isinstance(value, list):
        for item in value:
            yield from _models(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _models(item)


@cache
def _rows(version: int) -> dict[tuple[str, str], Method]:
    methods = import_module(f"parley.schema.v{version}.methods").METHODS
    return {(method.name, method.kind): method for method in methods}


@cache
def _schema(version: int) -> dict[str, Any]:
    return json.loads((_ROOT / "schema" / f"v{version}.json").read_text())


@cache
def _validator(version: int, method: str, side: str, kind: str, part: str) -> Draft202012Validator:
    ending = (
        "Notification" if kind == "notification" else {"params": "Request"}.get(part, "Response")
    )
    schema = _schema(version)
    wanted = "protocol" if side == "both" else side
    name = next(
        name
        for name, facts in schema["$defs"].items()
        if facts.get("x-method") == method
        and facts.get("x-side") == wanted
        and name.endswith(ending)
    )
    return Draft202012Validator({"$defs": schema["$defs"], "$ref": f"#/$defs/{name}"})


class RawPeer:
    """The other end of a wire, as a test plays it: plain JSON both ways, nothing of ours."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._waiting: deque[dict[str, Any]] = deque()
        self._last_id = 100
        self.seen: list[dict[str, Any]] = []
        """Everything received, in order."""

    def send(self, message: dict[str, Any]) -> None:
        self._transport.send(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def ask(self, method: str, params: Any = None) -> int:
        """Send a request and return its id."""
        self._last_id += 1
        body = {} if params is None else {"params": params}
        self.send({"id": self._last_id, "method": method, **body})
        return self._last_id

    def note(self, method: str, params: Any = None) -> None:
        self.send({"method": method, **({} if params is None else {"params": params})})

    def reply(self, request: dict[str, Any], result: Any) -> None:
        self.send({"id": request["id"], "result": result})

    def refuse(self, request: dict[str, Any], code: int = -32603, message: str = "no") -> None:
        self.send({"id": request["id"], "error": {"code": code, "message": message}})

    async def next(self) -> dict[str, Any]:
        """The next message."""
        async with asyncio.timeout(BOUND):
            while not self._waiting:
                frames = await self._transport.receive()
                assert frames, "the connection ended"
                for frame in frames:
                    assert isinstance(frame, bytes)
                    self._waiting.append(json.loads(frame))
        message = self._waiting.popleft()
        self.seen.append(message)
        return message

    async def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The next message that is wanted; those before it are in `seen`."""
        while not wanted(message := await self.next()):
            pass
        return message

    async def request(self, method: str) -> dict[str, Any]:
        """The next request or notification with this name."""
        return await self.until(lambda message: message.get("method") == method)

    async def answer(self, id_: int) -> dict[str, Any]:
        """The answer to a request of ours, whenever it came."""

        def answers(message: dict[str, Any]) -> bool:
            return message.get("id") == id_ and "method" not in message

        found = next((message for message in self.seen if answers(message)), None)
        return found or await self.until(answers)

    async def call(self, method: str, params: Any = None) -> dict[str, Any]:
        """Ask and wait for the answer."""
        return await self.answer(self.ask(method, params))

    async def result(self, method: str, params: Any = None) -> Any:
        answer = await self.call(method, params)
        assert "result" in answer, answer
        return answer["result"]

    async def error(self, method: str, params: Any = None) -> dict[str, Any]:
        answer = await self.call(method, params)
        assert "error" in answer, answer
        return answer["error"]

    async def close(self) -> None:
        """Leave."""
        await self._transport.aclose()

    def updates(self) -> list[dict[str, Any]]:
        """The updates seen so far."""
        return [m["params"]["update"] for m in self.seen if m.get("method") == "session/update"]
