"""A trivially cheap v1 agent without any SDK: it measures clients, so it must cost nothing itself.

It renders one chunk once and writes it in large blocks, with plain blocking writes.
"""

import json
import os
import sys
from collections.abc import Callable
from typing import Any

_BLOCK = 500
_RESULTS: dict[str, dict[str, Any]] = {
    "initialize": {"protocolVersion": 1, "agentCapabilities": {}, "authMethods": []},
    "session/new": {"sessionId": "s1"},
}


def main(on_prompt: Callable[[], None] | None = None) -> None:
    for line in sys.stdin.buffer:
        message = json.loads(line)
        method = message.get("method")
        if method == "session/prompt":
            if on_prompt is not None:
                on_prompt()
            _stream(int(message["params"]["prompt"][0]["text"].split()[1]))
            _answer(message["id"], {"stopReason": "end_turn"})
        elif "id" in message:
            _answer(message["id"], _RESULTS.get(method, {}))


def _stream(count: int) -> None:
    update = {
        "sessionUpdate": "agent_message_chunk",
        "content": {"type": "text", "text": "x" * 40},
    }
    params = {"sessionId": "s1", "update": update}
    chunk = _line({"jsonrpc": "2.0", "method": "session/update", "params": params})
    block = chunk * _BLOCK
    for _ in range(count // _BLOCK):
        _write(block)
    _write(chunk * (count % _BLOCK))


def _answer(request: Any, result: dict[str, Any]) -> None:
    _write(_line({"jsonrpc": "2.0", "id": request, "result": result}))


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def _write(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]


if __name__ == "__main__":
    main()
