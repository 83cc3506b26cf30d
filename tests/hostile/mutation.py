"""Seeded mutations of valid messages, and an oracle that knows which answers they must get.

The oracle reads JSON with the standard library, so it shares nothing with the code under test.
"""

import copy
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from random import Random
from typing import Any

from tests.hostile.raw_client import NEW_SESSION, Json, initialize_params, prompt_params

_BITES = [b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\", b"\n", b"\r", b"\0", b"\xff", b"\xc3"]
_VALUES: list[Any] = [
    None, True, False, 0, -1, 1.5, 2**53, 2**63, 2**64, -(2**63) - 1, 10**30, 1e300, "", "x", "1",
    "\0", "é\U0001f9ed", "../..", [], {}, [[]], [None], {"a": {}}, {"sessionId": 1}, "2.0", "1.0",
    "session/new", "initialize", "session/cancel", "$/cancel_request",
]  # fmt: skip
_KEYS = ["id", "method", "params", "result", "error", "jsonrpc", "_meta", "", "x", "sessionId", "é"]


def messages(version: int) -> list[Json]:
    """One valid message of every kind that an agent may receive."""

    def request(method: str, params: Any) -> Json:
        return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}

    def note(method: str, params: Any) -> Json:
        return {"jsonrpc": "2.0", "method": method, "params": params}

    server = {"type": "stdio", "name": "n", "command": "/c", "args": ["a"], "env": []}
    link = {"type": "resource_link", "name": "n", "uri": "u", "size": 5}
    return [
        request("initialize", initialize_params(version)),
        request("session/new", NEW_SESSION),
        request("session/new", {"cwd": "/", "mcpServers": [server], "_meta": {"a": [1, {"b": 2}]}}),
        request("session/prompt", prompt_params("s1", "noop")),
        request("session/prompt", prompt_params("s1", "echo é \U0001f9ed \u2028")),
        request("session/prompt", {"sessionId": "s1", "prompt": [link]}),
        request("no/such", {"a": 1}),
        request("_x/y", [1, 2]),
        note("session/cancel", {"sessionId": "s1"}),
        note("$/cancel_request", {"requestId": 1}),
        note("_no/such", {}),
        {"jsonrpc": "2.0", "id": 1, "result": {"outcome": {"outcome": "cancelled"}}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "x", "data": None}},
    ]


def flipped_bytes(random: Random, version: int) -> bytes:
    """A valid message with some bytes changed, lost, doubled or put in."""
    while _says_something_twice(data := _flipped(random, version)):
        pass
    return data


def _flipped(random: Random, version: int) -> bytes:
    data = bytearray(_fresh(random, version))
    for _ in range(random.randint(1, 4)):
        place = random.randrange(len(data) + 1)
        match random.randrange(6):
            case 0 if place < len(data):
                data[place] ^= 1 << random.randrange(8)
            case 1:
                data[place:place] = random.choice(_BITES)
            case 2:
                data[place:place] = random.randbytes(random.randint(1, 4))
            case 3:
                del data[place : place + random.randint(1, 8)]
            case 4:
                data[place:place] = data[place : place + random.randint(1, 20)]
            case _:
                data = data[: place + 1] if random.random() < 0.2 else data
        if not data:
            break
    return bytes(data) + b"\n"


def changed_structure(random: Random, version: int) -> bytes:
    """A valid message whose JSON has one to three values or members changed."""
    message: Any = json.loads(_fresh(random, version))
    for _ in range(random.randint(1, 3)):
        message = _change(random, message)
    data = json.dumps(message, ensure_ascii=False).encode()
    # Some writers put blanks where others put none.
    return data.replace(b",", b"\t, ") + b"\n" if random.random() < 0.1 else data + b"\n"


def valid_message(random: Random, version: int) -> bytes:
    """A valid message as it is: what is mutated then is the order they come in."""
    return _fresh(random, version) + b"\n"


def expected_ids(data: bytes) -> Iterator[str]:
    """The ids, as JSON, of the answers that the lines in these bytes must get."""
    for raw in data.split(b"\n"):
        if raw.strip(b" \t\r"):
            answer = _expected(raw)
            if answer is not None:
                yield answer


_NO_ID = "null"


def _expected(raw: bytes) -> str | None:
    try:
        message = json.loads(raw.decode("utf-8"), parse_constant=_refuse)
    except ValueError:
        return _NO_ID
    if not isinstance(message, dict):
        return _NO_ID
    id_ = message.get("id")
    own = json.dumps(id_) if _legal(id_) else _NO_ID
    if "method" not in message:
        return None if "result" in message or "error" in message else own
    if message.get("jsonrpc") != "2.0" or not isinstance(message["method"], str):
        return own
    return own if "id" in message else None


def _says_something_twice(data: bytes) -> bool:
    """Whether a key occurs twice in an object, for which JSON itself knows no right answer."""
    twice: list[str] = []

    def look(pairs: list[tuple[str, Any]]) -> None:
        twice.extend(key for key, n in Counter(key for key, _ in pairs).items() if n > 1)

    for raw in data.split(b"\n"):
        with suppress(ValueError):
            json.loads(raw, object_pairs_hook=look)
    return bool(twice)


def _legal(id_: object) -> bool:
    return isinstance(id_, str) or (type(id_) is int and -(2**63) <= id_ < 2**64)


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _fresh(random: Random, version: int) -> bytes:
    message = copy.deepcopy(random.choice(messages(version)))
    if "id" in message:
        message["id"] = random.choice([random.randrange(10**6), f"r{random.randrange(10**6)}"])
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()


def _change(random: Random, value: Any) -> Any:
    """The value with a change somewhere in it; changes deeper inside are as likely as outside."""
    if isinstance(value, dict) and value and random.random() < 0.8:
        return _change_member(random, value)
    if isinstance(value, list) and value and random.random() < 0.8:
        place = random.randrange(len(value))
        changed = _change(random, value[place])
        return [*value[:place], *random.choice([[], [changed], [changed] * 3]), *value[place + 1 :]]
    return random.choice([random.choice(_VALUES), [value], {"x": value}])


def _change_member(random: Random, value: Json) -> Json:
    key = random.choice(list(value))
    match random.randrange(5):
        case 0:
            return {k: v for k, v in value.items() if k != key}
        case 1:
            return value | {random.choice(_KEYS): random.choice(_VALUES)}
        case 2:
            return {random.choice(_KEYS) if k == key else k: v for k, v in value.items()}
        case _:
            return value | {key: _change(random, value[key])}
