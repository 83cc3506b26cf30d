"""An agent that fails in one way at one moment; `run_deaths` says which. It uses no SDK.

Usage: dying_agent.py PLAN NOTES, with a plan in JSON. What it had done by then stands in NOTES.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Json = dict[str, Any]
WORDS = 40
_FOREVER = 120.0
_PAUSE = 0.002
# It does not listen either, and has children.
_COMMAND = "trap '' TERM HUP; sleep 100 & sleep 100"
# More than the pipe of stderr holds, if nobody reads it.
_COMPLAINT = b"so it goes\n" * 8000


class Agent:
    """Plays one session with text, a tool call, a file, a command and a question."""

    def __init__(self, plan: Json, notes: Path) -> None:
        self._plan = plan
        self._notes = notes
        self._version: int = plan["version"]
        self._started = time.monotonic()
        self._begun = False
        self._stage = "starting"
        self._next: tuple[str, int] | None = None
        """What holds once the frame is out that is being written."""
        self._said = 0
        self._written = 0
        self._read = 0
        self._asked = 0
        if "seconds" in plan:
            signal.signal(signal.SIGALRM, self._alarmed)
            signal.setitimer(signal.ITIMER_REAL, max(plan["seconds"], 1e-3))

    def serve(self) -> None:
        self._check_reads()
        while (message := self._receive()) is not None:
            match message.get("method"):
                case "initialize":
                    known = message["params"]["protocolVersion"] == self._version
                    self._answer(message, self._introduction(), "ready" if known else "starting")
                case "session/new":
                    self._answer(message, {"sessionId": "s1"}, "open")
                case "session/prompt":
                    self._turn(message)
                case "session/cancel" | None:
                    pass
                case _:
                    self._answer(message, {}, self._stage)
        self.note("end of input")

    def fail(self) -> None:
        """The moment has come."""
        if self._begun:
            return
        self._begun = True
        for _ in range(self._plan.get("children", 0)):
            leave_a_child()
        if self._plan.get("complains"):
            os.write(2, _COMPLAINT)
        os.write(2, b"last words\n")
        self.note(self._plan["way"])
        WAYS[self._plan["way"]](self._plan.get("number", 1))

    def _alarmed(self, *_: object) -> None:
        self.fail()

    def note(self, what: str) -> None:
        later = self._next or (self._stage, self._said)
        notes = {"what": what, "stage": self._stage, "said": self._said, "later": later}
        times = {"started": self._started, "time": time.monotonic()}
        self._notes.write_text(json.dumps(notes | times))

    def _turn(self, request: Json) -> None:
        if self._version == 2:
            self._answer(request, {"messageId": "u1"}, "open")
            self._update({"sessionUpdate": "state_update", "state": "running"})
        self._say(WORDS // 2)
        self._work()
        self._say(WORDS // 2)
        if self._version == 2:
            idle = {"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"}
            self._update(idle, "done")
        else:
            self._answer(request, {"stopReason": "end_turn"}, "done")

    def _work(self) -> None:
        call: Json = {"toolCallId": "t1", "title": "Work", "kind": "execute", "status": "pending"}
        kind = "tool_call" if self._version == 1 else "tool_call_update"
        self._update({"sessionUpdate": kind, **call})
        options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]
        if self._version == 1:
            self._ask("session/request_permission", toolCall=call, options=options)
            path = str(Path.cwd() / "file.txt")
            self._ask("fs/write_text_file", path=path, content="text")
            self._ask("fs/read_text_file", path=path)
            made = self._ask("terminal/create", command="sh", args=["-c", _COMMAND])
            terminal = made["result"]["terminalId"]
            self._ask("terminal/output", terminalId=terminal)
        else:
            subject = {"type": "tool_call", "toolCall": call}
            title = "Work?"
            self._ask("session/request_permission", title=title, subject=subject, options=options)
        done = {"toolCallId": "t1", "status": "completed"}
        self._update({"sessionUpdate": "tool_call_update", **done})

    def _say(self, count: int) -> None:
        for _ in range(count):
            text = {"type": "text", "text": f"{self._said} "}
            chunk = {"sessionUpdate": "agent_message_chunk", "messageId": "a1", "content": text}
            self._update(chunk, said=1)
            time.sleep(_PAUSE)

    def _introduction(self) -> Json:
        if self._version == 1:
            return {"protocolVersion": 1}
        info = {"name": "dying", "version": "1"}
        return {"protocolVersion": 2, "info": info, "capabilities": {"session": {}}}

    # The wire.

    def _ask(self, method: str, **params: Any) -> Json:
        self._asked += 1
        id_ = f"a{self._asked}"
        self._send({"id": id_, "method": method, "params": {"sessionId": "s1", **params}})
        while (message := self._receive()) is not None:
            if message.get("id") == id_:
                return message
        sys.exit(0)

    def _answer(self, request: Json, result: Json, stage: str) -> None:
        self._send({"id": request["id"], "result": result}, stage)

    def _update(self, update: Json, stage: str | None = None, said: int = 0) -> None:
        params = {"sessionId": "s1", "update": update}
        self._send({"method": "session/update", "params": params}, stage, said)

    def _send(self, message: Json, stage: str | None = None, said: int = 0) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        after = (stage or self._stage, self._said + said)
        self._next = after
        left = self._plan.get("bytes", 1 << 60) - self._written
        _write(data[:left])
        self._written += len(data)
        if left < len(data):
            self.fail()
        self._stage, self._said = after
        self._next = None

    def _receive(self) -> Json | None:
        line = sys.stdin.buffer.readline()
        self._read += bool(line)
        self._check_reads()
        return json.loads(line) if line else None

    def _check_reads(self) -> None:
        if self._read >= self._plan.get("reads", 1 << 60):
            self.fail()


def _write(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]


def deaf() -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)


def leave_a_child() -> None:
    """Somebody who holds our pipes, has a child of its own, and listens to nobody."""
    if os.fork() == 0:
        deaf()
        os.fork()
        time.sleep(_FOREVER)
        os._exit(0)


def _die(number: int) -> None:
    if number == signal.SIGPIPE:  # The interpreter ignores it.
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    time.sleep(_FOREVER)


def _hang(_: int) -> None:
    deaf()
    time.sleep(_FOREVER)


def _replace(*descriptors: int) -> Callable[[int], None]:
    """Let go of some of the pipes, and live on."""

    def close(_: int) -> None:
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in descriptors:
            os.dup2(nothing, descriptor)
        _hang(0)

    return close


WAYS: dict[str, Callable[[int], None]] = {
    "exit": os._exit,
    "signal": _die,
    "hang": _hang,
    "close_stdout": _replace(1),
    "close_stdin": _replace(0),
    "close_both": _replace(0, 1),
    "close_all": _replace(0, 1, 2),
}


if __name__ == "__main__":
    Agent(json.loads(sys.argv[1]), Path(sys.argv[2])).serve()
