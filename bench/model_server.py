"""A model that answers at once: chat completions over loopback HTTP, in a process of its own.

It looks at no request and keeps none, so that it is never the slow part. For every request it
notes when the last byte came and when the answer left, and the processor time of the agent then.
Run as a program it serves until its input ends; `ModelServer` starts it and talks to it.
"""

import asyncio
import http.client
import json
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

PIECES = ("The ", "answer ", "is ", "forty", "-two.")
MODEL = "bench"
_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: %s\r\ncontent-length: %d\r\n\r\n%s"


@dataclass(frozen=True)
class Request:
    """One request to the model; the times are seconds of the clock that all processes share."""

    came: float
    left: float
    cpu: float
    """Seconds of processor time of the agent, when the request had come."""


class ModelServer:
    """Runs the model and says what to answer next."""

    def __enter__(self) -> "ModelServer":
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self._process.stdout is not None
        self._port = int(self._process.stdout.readline())
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def environment(self, requests: int) -> dict[str, str]:
        """What an agent needs to ask this model, and as often as this in a turn."""
        return {
            "PARLEY_MODEL": f"openai/{MODEL}",
            "PARLEY_MAX_REQUESTS": str(requests),
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": f"http://127.0.0.1:{self._port}/v1",
        }

    def plan(self, pid: int, *, calls: int = 0, path: str = "", delay: float = 0.0) -> None:
        """Answer the next requests with calls that read a file, all others with text."""
        self._get(f"/plan?pid={pid}&calls={calls}&path={path}&delay={delay}")

    def requests(self) -> list[Request]:
        """The requests since the plan was made."""
        return [Request(*times) for times in self._get("/times")]

    def _get(self, path: str) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=20)
        try:
            connection.request("GET", path)
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()


def cpu_seconds(pid: int) -> float:
    """Processor time of all threads of a process."""
    # This is how the kernel names the clock of another process.
    return time.clock_gettime((~pid << 3) | 2)


@dataclass
class _State:
    """What all connections share."""

    pid: int = 0
    calls: int = 0
    path: str = ""
    delay: float = 0.0
    times: list[tuple[float, float, float]] = field(default_factory=list)
    made: int = 0


class _Connection(asyncio.Protocol):
    def __init__(self, state: _State) -> None:
        self._state = state
        self._head = b""
        self._missing: int | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        if self._missing is None:
            self._head += data
            head, end, body = self._head.partition(b"\r\n\r\n")
            if not end:
                return
            self._head = head
            self._missing = _length(head) - len(body)
        else:
            self._missing -= len(data)
        if self._missing <= 0:
            head, self._head, self._missing = self._head, b"", None
            self._answer(head)

    def _answer(self, head: bytes) -> None:
        method, target, _ = head.split(b" ", 2)
        if method == b"POST":
            self._play()
            return
        url = urlsplit(target.decode())
        document: Any = {}
        if url.path == "/plan":
            self._state.__init__(**_planned(url.query))
        elif url.path == "/times":
            document = self._state.times
        else:
            document = {"object": "list", "data": [{"id": MODEL, "object": "model"}]}
        self._send(b"application/json", json.dumps(document).encode())

    def _play(self) -> None:
        came, cpu = time.perf_counter(), cpu_seconds(self._state.pid)
        if self._state.delay:
            asyncio.get_running_loop().call_later(self._state.delay, self._stream, came, cpu)
        else:
            self._stream(came, cpu)

    def _stream(self, came: float, cpu: float) -> None:
        state = self._state
        state.made += 1
        calls = state.made <= state.calls
        self._send(b"text/event-stream", _call(state) if calls else _TEXT)
        state.times.append((came, time.perf_counter(), cpu))

    def _send(self, kind: bytes, body: bytes) -> None:
        self._transport.write(_HEAD % (kind, len(body), body))


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0


def _planned(query: str) -> dict[str, Any]:
    given = {name: values[0] for name, values in parse_qs(query).items()}
    return {
        "pid": int(given["pid"]),
        "calls": int(given["calls"]),
        "path": given.get("path", ""),
        "delay": float(given["delay"]),
    }


def _call(state: _State) -> bytes:
    function = {"name": "read_file", "arguments": json.dumps({"path": state.path})}
    call = {"index": 0, "id": f"call_{state.made}", "type": "function", "function": function}
    return _events([{"tool_calls": [call]}], "tool_calls")


def _events(deltas: list[dict[str, Any]], finish: str) -> bytes:
    choices: list[dict[str, Any]] = [
        *({"index": 0, "delta": delta, "finish_reason": None} for delta in deltas),
        {"index": 0, "delta": {}, "finish_reason": finish},
    ]
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    documents: list[dict[str, Any]] = [{"choices": [choice]} for choice in choices]
    documents.append({"choices": [], "usage": usage})
    shared = {"id": "chat", "object": "chat.completion.chunk", "created": 0, "model": MODEL}
    lines = [f"data: {json.dumps({**shared, **each})}\n\n" for each in documents]
    return "".join([*lines, "data: [DONE]\n\n"]).encode()


_TEXT = _events([{"content": piece} for piece in PIECES], "stop")


async def _serve() -> None:
    loop = asyncio.get_running_loop()
    state = _State()
    server = await loop.create_server(lambda: _Connection(state), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    ended = asyncio.Event()
    loop.add_reader(sys.stdin.fileno(), ended.set)
    await ended.wait()
    server.close()


if __name__ == "__main__":
    asyncio.run(_serve())
