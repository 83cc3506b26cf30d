"""`parley acp` as a process, and a client that is nothing but lines of JSON and a list of them.

It knows no more of the protocol than the names of a few methods, so that what it proves does not
rest on the code under test. Any number of requests may be open at once. A thread reads; whoever
waits is woken by every message.
"""

import json
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.cli.raw_agent import PARLEY, allow, environment

Json = dict[str, Any]
SECONDS = 20.0
"""A process takes its time where many run at once."""

Answers = Callable[[Json], Json | None]
"""The result for a request of the agent, `{"error": ...}` for an error, or `None` for no answer."""


def refuse(request: Json) -> Json:
    """Answers every question with the option that refuses it once."""
    options = request["params"]["options"]
    chosen = next(each["optionId"] for each in options if each["kind"] == "reject_once")
    return {"outcome": {"outcome": "selected", "optionId": chosen}}


def silent(request: Json) -> None:
    """Never answers."""


class RawClient:
    """One process and one conversation with it."""

    def __init__(
        self,
        *arguments: str,
        home: Path,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        answers: Answers = allow,
        version: int = 1,
        command: tuple[str, ...] = (*PARLEY, "acp"),
    ) -> None:
        self.version = version
        self.answers = answers
        self.messages: list[Json] = []
        """Everything the agent sent, in order."""
        self.arrived: list[float] = []
        """When each of them came, by the clock `time.monotonic`."""
        self.complaints = ""
        """What it wrote to stderr; complete after `end`."""
        self._count = 0
        self._answered: dict[int, int] = {}
        # Where in `messages` the answer to a request of ours is.
        self._changed = threading.Condition()
        self._writing = threading.Lock()
        self._over = False
        self.process = subprocess.Popen(
            (*command, *arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd or home,
            env=environment(home, env),
        )
        self._threads = [
            threading.Thread(target=work, daemon=True) for work in (self._read, self._listen)
        ]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> "RawClient":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(SECONDS)
        for thread in self._threads:
            thread.join(SECONDS)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()

    # What a client says.

    def begin(self, **capabilities: Any) -> Json:
        """Send `initialize`; its result."""
        if self.version == 1:
            return self.call("initialize", protocolVersion=1, clientCapabilities=capabilities)
        info = {"name": "raw", "version": "1"}
        return self.call("initialize", protocolVersion=2, info=info, capabilities=capabilities)

    def open(self, cwd: Path) -> str:
        """A new session; its id."""
        return self.call("session/new", cwd=str(cwd), mcpServers=[])["sessionId"]

    def prompt(self, session: str, *content: Any) -> Json:
        """A whole turn; how it ended, with `stopReason`."""
        return self.ended(self.start_prompt(session, *content))

    def start_prompt(self, session: str, *content: Any) -> "Turn":
        """Begin a turn. Texts are blocks of text."""
        blocks = [{"type": "text", "text": c} if isinstance(c, str) else c for c in content]
        since = len(self.messages)
        return Turn(self.start("session/prompt", sessionId=session, prompt=blocks), session, since)

    def ended(self, turn: "Turn") -> Json:
        """How a turn ended: the answer of version 1, or the update of version 2."""
        answer = self.answer(turn.request)
        if self.version == 1 or "error" in answer:
            return answer.get("result") or answer

        def idle() -> Json | None:
            return next((u for u in self.updates(turn.session, turn.since) if _is_idle(u)), None)

        self.wait(lambda: idle() is not None)
        ending = idle()
        assert ending is not None
        return ending

    def cancel(self, session: str) -> None:
        self.notify("session/cancel", sessionId=session)

    def call(self, method: str, **params: Any) -> Json:
        """A request; its result."""
        answer = self.answer(self.start(method, **params))
        assert "error" not in answer, answer
        return answer["result"]

    def start(self, method: str, **params: Any) -> int:
        """Send a request; its id, for `answer`."""
        with self._writing:
            self._count += 1
            number = self._count
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return number

    def notify(self, method: str, **params: Any) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def send(self, message: Any) -> None:
        self.send_line(json.dumps(message).encode())

    def send_line(self, line: bytes) -> None:
        assert self.process.stdin is not None
        with self._writing:
            self.process.stdin.write(line + b"\n")
            self.process.stdin.flush()

    def reply(self, request: Json, result: Json) -> None:
        """Answer a request of the agent."""
        body = result if "error" in result else {"result": result}
        self.send({"jsonrpc": "2.0", "id": request["id"], **body})

    def end(self) -> int:
        """Hang up; the exit status."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        status = self.process.wait(SECONDS)
        for thread in self._threads:
            thread.join(SECONDS)
        return status

    # What the agent said.

    def answer(self, number: int) -> Json:
        """The whole answer to a request of ours; waits for it."""
        return self.messages[self._position(number)]

    def answered_at(self, number: int) -> float:
        """When the answer came."""
        return self.arrived[self._position(number)]

    def updates(self, session: str | None = None, since: int = 0) -> list[Json]:
        """What was reported, of one session or of all, from a number of messages on."""
        return [
            message["params"]["update"]
            for message in self.messages[since:]
            if message.get("method") == "session/update"
            and session in (None, message["params"]["sessionId"])
        ]

    def requests(self, method: str, since: int = 0) -> list[Json]:
        """What the agent asked of us."""
        found = self.messages[since:]
        return [each for each in found if each.get("method") == method and "id" in each]

    def said(self, session: str | None = None, since: int = 0) -> str:
        """Everything that the agent said as text."""
        return "".join(
            update["content"]["text"]
            for update in self.updates(session, since)
            if update["sessionUpdate"] == "agent_message_chunk"
        )

    def wait(self, condition: Callable[[], object], seconds: float = SECONDS) -> None:
        """Wait until a condition on what came holds."""
        with self._changed:
            held = self._changed.wait_for(lambda: self._over or condition(), seconds)
        assert held, f"waited in vain; the last messages were {self.messages[-5:]}"
        assert condition(), f"the agent has gone: {self.complaints}"

    def wait_for_request(self, method: str, since: int = 0) -> Json:
        """The first request with this method, from a number of messages on."""
        self.wait(lambda: self.requests(method, since))
        return self.requests(method, since)[0]

    def _position(self, number: int) -> int:
        self.wait(lambda: number in self._answered)
        return self._answered[number]

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            message = json.loads(line)
            result = None
            if "method" in message and "id" in message:
                result = self.answers(message)
            with self._changed:
                if "method" not in message and isinstance(message.get("id"), int):
                    self._answered[message["id"]] = len(self.messages)
                self.messages.append(message)
                self.arrived.append(time.monotonic())
                self._changed.notify_all()
            if result is not None:
                self._reply_if_it_listens(message, result)
        with self._changed:
            self._over = True
            self._changed.notify_all()

    def _reply_if_it_listens(self, request: Json, result: Json) -> None:
        try:
            self.reply(request, result)
        except (OSError, ValueError):
            return  # It has gone, or we hung up.

    def _listen(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.complaints += line.decode(errors="replace")


class Turn:
    """A turn that was begun."""

    def __init__(self, request: int, session: str, since: int) -> None:
        self.request = request
        """The id of the prompt."""
        self.session = session
        self.since = since
        """How many messages had come before."""


def _is_idle(update: Json) -> bool:
    return update["sessionUpdate"] == "state_update" and update["state"] == "idle"
