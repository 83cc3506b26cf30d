"""A model that does what a prompt tells it: chat completions over loopback, in its own process.

A prompt carries its orders behind a mark, as JSON: the rounds of tool calls, then the text to say.
The model keeps nothing but how far the latest turns have come, so it is as quick in the last hour
as in the first. Run as a program it serves until its input ends; `SoakModel` starts it.
"""

import asyncio
import json
import re
import subprocess
import sys
from collections import OrderedDict
from typing import Any, Self

Json = dict[str, Any]

MARK = "@@"
JOB = "$JOB"
"""In the arguments of a call: the job that the result before it names."""
SUMMARY = "The user gives orders behind a mark; all of them were carried out."
WINDOW = 32_000
MODEL = "soak"
_MOST_TURNS = 200
_HEAD = b"HTTP/1.1 %s\r\ncontent-type: %s\r\n"


def orders(turn: int, **more: Any) -> str:
    """The text of a prompt.

    `rounds` has the calls of each answer, as name and arguments; `pieces` is what is said in the
    end; `hold` lets the last answer never end; `fail` refuses the request.
    """
    # The last mark is that of the prompt, also if there are prompts for others in it.
    written = json.dumps({"turn": turn, **more}).replace(MARK, f"\\u{ord(MARK[0]):04x}{MARK[1:]}")
    return f"Please do what stands here.\n{MARK}{written}"


class SoakModel:
    """Runs the model."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self._process.stdout is not None
        self._port = int(self._process.stdout.readline())
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def environment(self) -> dict[str, str]:
        """What an agent needs to ask this model."""
        return {
            "PARLEY_MODEL": f"openai/{MODEL}",
            "PARLEY_RETRY_SECONDS": "0",
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": f"http://127.0.0.1:{self._port}/v1",
        }


class _Turns:
    """How many answers each of the latest turns had."""

    def __init__(self) -> None:
        self._answers: OrderedDict[int, int] = OrderedDict()

    def next_round(self, turn: int) -> int:
        number = self._answers.pop(turn, -1) + 1
        self._answers[turn] = number
        if len(self._answers) > _MOST_TURNS:
            self._answers.popitem(last=False)
        return number


class _Connection(asyncio.Protocol):
    def __init__(self, turns: _Turns) -> None:
        self._turns = turns
        self._data = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._data += data
        head, end, body = bytes(self._data).partition(b"\r\n\r\n")
        found = re.search(rb"content-length: *(\d+)", head, re.IGNORECASE)
        if not end or len(body) < (int(found[1]) if found else 0):
            return
        self._data.clear()
        if head.startswith(b"POST"):
            self._answer(body)
        else:
            listed = {"id": MODEL, "object": "model", "context_window": WINDOW}
            document = {"object": "list", "data": [listed]}
            self._send(b"200 OK", b"application/json", json.dumps(document).encode())

    def _answer(self, body: bytes) -> None:
        messages: list[Json] = json.loads(body)["messages"]
        order = _order(messages)
        # Much text has four bytes in a token; the agent learns how full the window is from this.
        tokens = len(body) // 4
        if order is None:
            self._stream(_events([{"content": SUMMARY}], "stop", tokens))
            return
        number = self._turns.next_round(order["turn"])
        rounds = order.get("rounds", [])
        if order.get("fail"):
            error = {"error": {"message": "the soak wants this", "type": "invalid_request_error"}}
            self._send(b"400 Bad Request", b"application/json", json.dumps(error).encode())
        elif number < len(rounds):
            calls = _calls(rounds[number], order["turn"], number, messages)
            self._stream(_events([{"tool_calls": calls}], "tool_calls", tokens))
        else:
            deltas = [{"content": piece} for piece in order.get("pieces", [])]
            self._stream(
                _events(deltas, "" if order.get("hold") else "stop", tokens),
                length=not order.get("hold"),
            )

    def _stream(self, body: bytes, *, length: bool = True) -> None:
        if length:
            self._send(b"200 OK", b"text/event-stream", body)
        else:
            # Without a length the answer ends with the connection, which the agent closes.
            self._transport.write(_HEAD % (b"200 OK", b"text/event-stream") + b"\r\n" + body)

    def _send(self, status: bytes, kind: bytes, body: bytes) -> None:
        head = _HEAD % (status, kind)
        self._transport.write(head + b"content-length: %d\r\n\r\n%s" % (len(body), body))


def _order(messages: list[Json]) -> Json | None:
    """What the last prompt wants; nothing if a summary is asked for."""
    if not any(message["role"] == "assistant" for message in messages) and len(messages) <= 2:
        text = _text(messages[-1])
        if "Write the summary of this transcript." in text:
            return None
    prompt = next(_text(each) for each in reversed(messages) if each["role"] == "user")
    _, mark, rest = prompt.rpartition(MARK)
    if not mark:
        return {"turn": 0, "pieces": ["There were no orders."]}
    return json.JSONDecoder().raw_decode(rest)[0]


def _text(message: Json) -> str:
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content)


def _calls(
    wanted: list[tuple[str, Json]], turn: int, number: int, messages: list[Json]
) -> list[Json]:
    jobs = re.findall(r"job-\d+", _text(messages[-1]))
    calls: list[Json] = []
    for index, (name, arguments) in enumerate(wanted):
        written = json.dumps(arguments)
        if jobs:
            written = written.replace(JOB, jobs[-1])
        function = {"name": name, "arguments": written}
        id = f"call_{turn}_{number}_{index}"
        calls.append({"index": index, "id": id, "type": "function", "function": function})
    return calls


def _events(deltas: list[Json], finish: str, tokens: int) -> bytes:
    """A stream of server-sent events; without a reason to finish it breaks off."""
    documents: list[Json] = [
        {"choices": [{"index": 0, "delta": each, "finish_reason": None}]} for each in deltas
    ]
    if finish:
        documents.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
        usage = {"prompt_tokens": tokens, "completion_tokens": 20, "total_tokens": tokens + 20}
        documents.append({"choices": [], "usage": usage})
    shared = {"id": "chat", "object": "chat.completion.chunk", "created": 0, "model": MODEL}
    lines = [f"data: {json.dumps({**shared, **each})}\n\n" for each in documents]
    return "".join([*lines, *(["data: [DONE]\n\n"] if finish else [])]).encode()


async def _serve() -> None:
    loop = asyncio.get_running_loop()
    turns = _Turns()
    server = await loop.create_server(lambda: _Connection(turns), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    ended = asyncio.Event()
    loop.add_reader(sys.stdin.fileno(), ended.set)
    await ended.wait()
    server.close()


if __name__ == "__main__":
    asyncio.run(_serve())
