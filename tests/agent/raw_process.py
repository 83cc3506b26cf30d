"""A program that speaks lines of JSON: what it sent, and a way to send it something.

A thread reads; whoever waits is woken by every message. It knows requests and answers, and nothing
of any protocol above them.
"""

import json
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

Json = dict[str, Any]
SECONDS = 20.0
"""A process takes its time where many run at once."""

Answers = Callable[[Json], Json | None]
"""The result for a request of the agent, `{"error": ...}` for an error, or `None` for no answer."""


class RawProcess:
    def __init__(
        self, command: tuple[str, ...], cwd: Path, env: Mapping[str, str], answers: Answers
    ) -> None:
        self.answers = answers
        """Called in the thread that reads."""
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
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=env,
        )
        self._threads = [
            threading.Thread(target=work, daemon=True) for work in (self._read, self._listen)
        ]
        for thread in self._threads:
            thread.start()

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

    def answer(self, number: int) -> Json:
        """The whole answer to a request of ours; waits for it."""
        return self.messages[self._position(number)]

    def answered_at(self, number: int) -> float:
        """When the answer came."""
        return self.arrived[self._position(number)]

    def answered(self) -> set[int]:
        """The requests of ours that have their answer."""
        return set(self._answered)

    def notify(self, method: str, **params: Any) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def reply(self, request: Json, result: Json) -> None:
        """Answer a request of the agent."""
        body = result if "error" in result else {"result": result}
        self.send({"jsonrpc": "2.0", "id": request["id"], **body})

    def send(self, message: Any) -> None:
        self.send_line(json.dumps(message).encode())

    def send_line(self, line: bytes) -> None:
        assert self.process.stdin is not None
        with self._writing:
            self.process.stdin.write(line + b"\n")
            self.process.stdin.flush()

    def wait(self, condition: Callable[[], object], seconds: float = SECONDS) -> None:
        """Wait until a condition on what came holds."""
        with self._changed:
            held = self._changed.wait_for(lambda: self._over or condition(), seconds)
        assert held, f"waited in vain; the last messages were {self.messages[-5:]}"
        assert condition(), f"the agent has gone: {self.complaints}"

    def end(self) -> int:
        """Hang up; the exit status."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        status = self.process.wait(SECONDS)
        for thread in self._threads:
            thread.join(SECONDS)
        return status

    def _position(self, number: int) -> int:
        self.wait(lambda: number in self._answered)
        return self._answered[number]

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            message = json.loads(line)
            asked = "method" in message and "id" in message
            with self._changed:
                if "method" not in message and isinstance(message.get("id"), int):
                    self._answered[message["id"]] = len(self.messages)
                self.messages.append(message)
                self.arrived.append(time.monotonic())
                self._changed.notify_all()
            result = self.answers(message) if asked else None
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
