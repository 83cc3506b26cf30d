"""An agent with bad habits: lines of JSON on stdio, without any code of Parley.

Usage: hostile_agent.py [HABIT | STAGE:FAULT]...

A habit is what agents exist that do; the turn is to end well all the same, and then it has said
`hello`. A fault is what happens when a stage is reached: the agent dies, hangs or talks nonsense.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any, cast

Json = dict[str, Any]
TEXT = "hello"
LONG = 5 * 1024 * 1024
STAGES = (
    *("start", "initialize", "initialized", "session/new", "opened"),
    *("session/prompt", "midturn", "asking", "ended", "session/cancel"),
)
INTRODUCTIONS: dict[int, Json] = {
    1: {"protocolVersion": 1},
    2: {
        "protocolVersion": 2,
        "info": {"name": "hostile", "version": "1"},
        "capabilities": {"session": {}},
    },
}
# How much longer than every run this program lives if nobody ends it.
_FOREVER = 60.0


class Agent:
    """Answers as an agent of version 1 or 2, and does at every stage what it was told to."""

    def __init__(self, words: list[str]) -> None:
        self.version = 2 if "v2" in words else 1
        self.results: Json = {
            "initialize": INTRODUCTIONS[self.version],
            "session/new": {"sessionId": "s1"},
        }
        self.stop_reason: Any = "end_turn"
        self.text = TEXT
        self.request: Json = {}
        self.faults = [word.rpartition(":")[::2] for word in words if ":" in word]
        self.habits = [HABITS[word] for word in words if word in HABITS]
        self._count = 0

    def serve(self) -> None:
        self.reach("start")
        while (message := self.read()) is not None:
            self.take(message)

    def take(self, message: Json) -> None:
        method = message.get("method")
        if method == "session/cancel":
            self.stop_reason = "cancelled"
            self.reach(method)
        elif method == "session/prompt":
            self.request = message
            self.reach(method)
            self.turn()
        elif method is not None and "id" in message:
            self.request = message
            self.reach(method)
            self.answer(self.results.get(method, {}))
            self.reach(self.after(message))

    def after(self, message: Json) -> str:
        """The stage behind an answer. A client of both versions introduces itself twice."""
        asked = message.get("params", {}).get("protocolVersion")
        match message["method"]:
            case "initialize" if asked == self.version:
                return "initialized"
            case "session/new":
                return "opened"
            case _:
                return ""

    def turn(self) -> None:
        request = self.request
        if self.version == 2:
            self.answer({"messageId": "u1"})
            self.update("state_update", state="running")
        self.reach("midturn")
        if any(stage == "asking" for stage, _ in self.faults):
            self.ask("session/request_permission", **permission(), wait=False)
            self.reach("asking")
        if self.text:
            self.say(self.text)
        self.request = request
        if self.version == 2:
            self.update("state_update", state="idle", stopReason=self.stop_reason)
        else:
            self.answer(self.results.get("session/prompt", {"stopReason": self.stop_reason}))
        self.reach("ended")

    def reach(self, stage: str) -> None:
        for habit_stage, habit in self.habits:
            if habit_stage == stage:
                habit(self)
        for fault_stage, fault in self.faults:
            if fault_stage == stage:
                FAULTS[fault](self)

    def read(self) -> Json | None:
        line = sys.stdin.buffer.readline()
        return json.loads(line) if line else None

    def answer(self, result: Any) -> None:
        self.send({"id": self.request["id"], "result": result})

    def say(self, text: str) -> None:
        content = {"type": "text", "text": text}
        self.update("agent_message_chunk", content=content, messageId="a1")

    def update(self, update: str, session: str = "s1", **fields: Any) -> None:
        params = {"sessionId": session, "update": {"sessionUpdate": update, **fields}}
        self.send({"method": "session/update", "params": params})

    def ask(self, method: str, *, id_: Any = None, wait: bool = True, **params: Any) -> Json:
        """Ask the client something; the whole answer, if it is waited for."""
        self._count += 1
        id_ = 1000 + self._count if id_ is None else id_
        self.send({"id": id_, "method": method, "params": {"sessionId": "s1", **params}})
        while wait:
            message = self.read()
            if message is None:
                sys.exit(0)
            if message.get("id") == id_ and "method" not in message:
                return message
            self.take(message)
        return {}

    def send(self, message: Any) -> None:
        if isinstance(message, dict):
            message = {"jsonrpc": "2.0", **cast("Json", message)}
        self.write(json.dumps(message).encode() + b"\n")

    def write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(1, view) :]

    def expect(self, answer: Json, code: int) -> None:
        """Say what was answered instead of what was expected."""
        found = answer.get("error", {}).get("code")
        if found != code:
            self.text = f"expected the error {code}, got {json.dumps(answer)}"


def permission() -> Json:
    kinds = ("allow_once", "allow_always", "reject_once", "reject_always")
    return {
        "toolCall": {"toolCallId": "t1", "title": "Delete everything", "kind": "delete"},
        "options": [{"optionId": kind, "name": kind, "kind": kind} for kind in kinds],
    }


# Habits: the turn ends well all the same.


def chatter(agent: Agent) -> None:
    agent.write(b"Welcome to the agent!\n\n\xef\xbb\xbf\n[1, 2\n\xff\xfe\x00\n")
    for value in (None, 7, "text", [], {}, {"jsonrpc": "2.0"}, {"id": 77}, [{"id": 1}]):
        agent.send(value)


def early_updates(agent: Agent) -> None:
    agent.update("available_commands_update", availableCommands=[{"name": "x", "description": ""}])
    agent.update("current_mode_update", currentModeId="m")
    agent.update("plan", entries=[])


def string_ids(agent: Agent) -> None:
    for id_ in ("0", "q-1", "", "é" * 100, -1, 2**40):
        path = os.path.join(os.getcwd(), "missing")
        agent.expect(agent.ask("fs/read_text_file", id_=id_, path=path), -32002)


def long_line(agent: Agent) -> None:
    agent.say("x" * LONG)


def unknown_updates(agent: Agent) -> None:
    agent.update("horoscope", sign="aries", content={"type": "text", "text": "luck"})
    agent.update("agent_message_chunk", content={"type": "smell", "data": "rose"}, messageId="a0")
    agent.send({"method": "session/vibes", "params": {"sessionId": "s1"}})
    agent.send({"method": "_vendor/note", "params": None})


def malformed_updates(agent: Agent) -> None:
    agent.send({"method": "session/update"})
    agent.send({"method": "session/update", "params": []})
    agent.send({"method": "session/update", "params": {"sessionId": 7, "update": {}}})
    agent.update("agent_message_chunk")
    for content in (None, {"type": "text"}, "hi"):
        agent.update("agent_message_chunk", content=content)
    agent.update("tool_call", title=["no"], toolCallId={})
    agent.update("plan", entries="none")
    agent.send({"method": 9, "params": {}})


def unknown_tool_call(agent: Agent) -> None:
    agent.update("tool_call_update", toolCallId="never", status="completed", title="Ghost")


def unknown_tool_words(agent: Agent) -> None:
    agent.update("tool_call", toolCallId="t", title="T", kind="juggle", status="pondering")
    agent.update("tool_call_update", toolCallId="t", status="completed", content=[{"type": "odd"}])


def not_advertised(agent: Agent) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    form: Json = {"message": "?", "mode": "form", "requestedSchema": schema}
    agent.expect(agent.ask("elicitation/create", **form), -32602)
    agent.expect(agent.ask("editor/open", path="/"), -32601)
    agent.expect(agent.ask("_vendor/dance"), -32601)


def outside(agent: Agent) -> None:
    agent.expect(agent.ask("fs/read_text_file", path="/etc/passwd"), -32602)
    agent.expect(agent.ask("fs/write_text_file", path="/etc/passwd", content=""), -32602)
    agent.expect(agent.ask("terminal/create", command="true", cwd="/"), -32602)
    agent.expect(agent.ask("terminal/output", terminalId="none"), -32002)


def other_session(agent: Agent) -> None:
    content = {"type": "text", "text": "not yours" * 40_000}
    for number in range(200):
        session = f"other-{min(number, 100)}"
        agent.update("agent_message_chunk", session=session, content=content)


def duplicates(agent: Agent) -> None:
    for _ in range(3):
        agent.update("tool_call", toolCallId="t", title="Twice", status="completed")
    agent.send({"id": 4242, "result": {}})
    agent.send({"id": "4242", "error": {"code": 1, "message": "no"}})
    agent.send({"id": None, "error": {"code": -32700, "message": "Parse error"}})


def answer_twice(agent: Agent) -> None:
    agent.answer({"sessionId": "s1"})


def extra_members(agent: Agent) -> None:
    agent.write(
        b'{"jsonrpc":"2.0","type":"com.example.Note","method":"session/update","trace":[1],'
        b'"params":{"sessionId":"s1","update":{"sessionUpdate":"agent_thought_chunk",'
        b'"content":{"type":"text","text":"hm","x":{}},"y":1},"_meta":{"a":null}}}\n'
    )


def in_pieces(agent: Agent) -> None:
    line = json.dumps({"jsonrpc": "2.0", "method": "_vendor/x", "params": {"a": "é" * 9}})
    for byte in line.encode() + b"\r\n":
        agent.write(bytes([byte]))


def batch(agent: Agent) -> None:
    note: Json = {"jsonrpc": "2.0", "method": "_vendor/x", "params": {}}
    agent.send([note, note])


def complains(agent: Agent) -> None:
    # More than a pipe holds, without the end of a line in it.
    os.write(2, b"warning: deprecated\n")
    for _ in range(8):
        os.write(2, b"w" * 65536)


def late_update(agent: Agent) -> None:
    agent.update("session_info_update", title="Late")


def says(agent: Agent) -> None:
    agent.say("so far")
    agent.text = ""


def forks(agent: Agent) -> None:
    fork_children()


def odd_capabilities(agent: Agent) -> None:
    agent.results["initialize"] = {"protocolVersion": 1, "agentCapabilities": {"loadSession": "x"}}


HABITS: dict[str, tuple[str, Callable[[Agent], None]]] = {
    "v2": ("", complains),
    "chatter_at_start": ("start", chatter),
    "chatter_in_turn": ("midturn", chatter),
    "early_updates": ("session/new", early_updates),
    "string_ids": ("midturn", string_ids),
    "long_line": ("midturn", long_line),
    "unknown_updates": ("midturn", unknown_updates),
    "malformed_updates": ("midturn", malformed_updates),
    "unknown_tool_call": ("midturn", unknown_tool_call),
    "unknown_tool_words": ("midturn", unknown_tool_words),
    "not_advertised": ("midturn", not_advertised),
    "outside": ("midturn", outside),
    "other_session": ("midturn", other_session),
    "duplicates": ("midturn", duplicates),
    "answer_twice": ("opened", answer_twice),
    "extra_members": ("midturn", extra_members),
    "in_pieces": ("midturn", in_pieces),
    "batch": ("midturn", batch),
    "complains": ("midturn", complains),
    "late_update": ("ended", late_update),
    "says": ("midturn", says),
    "forks": ("midturn", forks),
    "odd_capabilities": ("initialize", odd_capabilities),
}


# Faults: something ends here.


def last_words() -> None:
    os.write(2, b"first complaint\nfatal: the hamster is tired \x1b[31m\n")


def exits(status: int) -> Callable[[Agent], None]:
    def end(agent: Agent) -> None:
        last_words()
        os._exit(status)

    return end


def dies(number: int) -> Callable[[Agent], None]:
    def end(agent: Agent) -> None:
        last_words()
        os.kill(os.getpid(), number)
        time.sleep(_FOREVER)

    return end


def hang(agent: Agent) -> None:
    """Neither reads nor ends, whatever anybody asks."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    last_words()
    time.sleep(_FOREVER)


def close_stdout(agent: Agent) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    hang(agent)


def close_stdin(agent: Agent) -> None:
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    hang(agent)


def close_all(agent: Agent) -> None:
    for fd in (0, 1, 2):
        os.close(fd)
    time.sleep(_FOREVER)


def half_a_frame(agent: Agent) -> None:
    agent.write(b'{"jsonrpc":"2.0","method":"session/upd')
    os._exit(1)


def fork_children() -> None:
    """Leave somebody in our group who holds our pipes and does not listen to anybody."""
    for _ in range(2):
        if os.fork() == 0:
            hang_quietly()


def hang_quietly() -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    time.sleep(_FOREVER)
    os._exit(0)


def fork_and_exit(agent: Agent) -> None:
    fork_children()
    exits(1)(agent)


def flood(agent: Agent) -> None:
    while True:
        agent.say("x" * 1000)


def flood_stderr(agent: Agent) -> None:
    while True:
        os.write(2, b"e" * 999 + b"\n")


def endless_line(agent: Agent) -> None:
    while True:
        agent.write(b"x" * 65536)


def error(agent: Agent) -> None:
    problem = {"code": -32603, "message": "the hamster is tired \x1b[31m", "data": {"why": "?"}}
    agent.send({"id": agent.request["id"], "error": problem})
    agent.request, agent.text = {"id": 990}, ""


def login(agent: Agent) -> None:
    agent.send({"id": agent.request["id"], "error": {"code": -32000, "message": "log in"}})
    agent.request = {"id": 990}


def result(value: Any) -> Callable[[Agent], None]:
    def answer_so(agent: Agent) -> None:
        agent.results[agent.request["method"]] = value

    return answer_so


def stops(reason: Any) -> Callable[[Agent], None]:
    def stop_so(agent: Agent) -> None:
        agent.stop_reason = reason

    return stop_so


def ask(agent: Agent) -> None:
    answer = agent.ask("session/request_permission", **permission())
    agent.text = json.dumps(answer.get("result"))


def signals(*numbers: int) -> Callable[[Agent], None]:
    """Signals for the client, as a person at its terminal or a shell would send them."""

    def send(agent: Agent) -> None:
        agent.say("begun")
        for number in numbers:
            os.kill(os.getppid(), number)
            # Two of the same at once are one, so the first is acted on before the second.
            read_on(agent)
            agent.stop_reason = "end_turn"
        hang(agent)

    return send


def read_on(agent: Agent) -> None:
    """Wait for the client to say something more."""
    while agent.stop_reason == "end_turn":
        message = agent.read()
        if message is None:
            sys.exit(0)
        agent.take(message)


FAULTS: dict[str, Callable[[Agent], None]] = {
    "exit0": exits(0),
    "exit1": exits(1),
    "exit70": exits(70),
    "kill": dies(signal.SIGKILL),
    "abort": dies(signal.SIGABRT),
    "stop": dies(signal.SIGSTOP),
    "hang": hang,
    "close_stdout": close_stdout,
    "close_stdin": close_stdin,
    "close_all": close_all,
    "half_a_frame": half_a_frame,
    "fork_and_exit": fork_and_exit,
    "flood": flood,
    "flood_stderr": flood_stderr,
    "endless_line": endless_line,
    "error": error,
    "login": login,
    "null": result(None),
    "text": result("hello"),
    "empty": result({}),
    "future": result({"protocolVersion": 99}),
    "words": result({"protocolVersion": "one"}),
    "refusal": stops("refusal"),
    "max_tokens": stops("max_tokens"),
    "max_turn_requests": stops("max_turn_requests"),
    "cancelled": stops("cancelled"),
    "shrug": stops("shrug \x1b[31m"),
    "number": stops(7),
    "interrupt": signals(signal.SIGINT),
    "interrupt_twice": signals(signal.SIGINT, signal.SIGINT),
    "terminate": signals(signal.SIGTERM),
    "hang_up": signals(signal.SIGHUP),
    "ask": ask,
    "read_on": read_on,
}


if __name__ == "__main__":
    Agent(sys.argv[1:]).serve()
