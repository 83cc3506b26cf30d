"""An MCP server that does as badly as it is told: `python -I -S hostile_mcp.py KIND`.

It knows just enough of the protocol to be believed, and uses no package, so that it starts at once.
"""

import json
import os
import signal
import subprocess
import sys
import time
from typing import Any

Json = dict[str, Any]

NOTE = {"method": "notifications/message", "params": {"level": "info", "data": "x" * 500}}
KINDS = (
    "honest",
    "exits",
    "hangs",
    "hangs_in_list",
    "floods_garbage",
    "floods_notes",
    "floods_stderr",
    "huge_line",
    "bad_json",
    "wrong_ids",
    "wrong_version",
    "asks_without_end",
    "many_tools",
    "closes_stdout",
    "dies_in_call",
    "slow_call",
    "huge_result",
    "breeds",
    "ignores_signals",
)


def main(kind: str) -> None:
    _before(kind)
    for line in sys.stdin:
        message = json.loads(line)
        if "method" in message and "id" in message:
            _answer(kind, message["method"], message["id"])
    if kind == "ignores_signals":
        time.sleep(600)


def say(message: Json) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def _before(kind: str) -> None:
    if kind == "exits":
        sys.exit("there is no key")
    if kind == "floods_garbage":
        _without_end(1, b"y" * 100 + b"\n")
    if kind == "floods_notes":
        _without_end(1, json.dumps({"jsonrpc": "2.0", **NOTE}).encode() + b"\n")
    if kind == "huge_line":
        _without_end(1, b"y" * 100_000)
    if kind == "floods_stderr":
        while True:
            os.write(2, b"y" * 60_000)
    if kind == "closes_stdout":
        os.close(1)
        time.sleep(600)
    if kind == "breeds":
        for _ in range(3):
            subprocess.Popen(("sleep", "600"), stdin=subprocess.DEVNULL)
    if kind == "ignores_signals":
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)


def _without_end(descriptor: int, data: bytes) -> None:
    while True:
        os.write(descriptor, data)


def _answer(kind: str, method: str, id: object) -> None:
    match kind, method:
        case ("hangs", _) | ("hangs_in_list", "tools/list") | ("slow_call", "tools/call"):
            return
        case "bad_json", _:
            for _ in range(2_000):
                os.write(1, b'{"jsonrpc": "2.0", "id": 1, "result": {]\n')
        case "asks_without_end", _:
            for number in range(10_000):
                say({"id": number, "method": "ping"})
        case "dies_in_call", "tools/call":
            os._exit(9)
        case "huge_result", "tools/call":
            say({"id": id, "result": {"content": [{"type": "text", "text": "z" * 3_500_000}]}})
        case "wrong_ids", _:
            say({"id": 4711, "result": _result(kind, method)})
        case _:
            say({"id": id, "result": _result(kind, method)})


def _result(kind: str, method: str) -> Json:
    if method == "initialize":
        version = "1999-01-01" if kind == "wrong_version" else "2025-11-25"
        info = {"name": kind, "version": "1"}
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        tool = {"name": "work", "description": "Works.", "inputSchema": {"type": "object"}}
        count = 3_000 if kind == "many_tools" else 1
        return {"tools": [{**tool, "name": f"work{n or ''}"} for n in range(count)]}
    return {"content": [{"type": "text", "text": "the work is done"}]}


if __name__ == "__main__":
    main(sys.argv[1])
