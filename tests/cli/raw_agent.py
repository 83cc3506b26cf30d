"""`parley acp` as a process, driven by lines of JSON and nothing else."""

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

PARLEY = [sys.executable, "-c", "import sys; from parley.cli.main import main; sys.exit(main())"]
SECONDS = 20.0
"""A process takes its time where many run at once."""
# What the tests themselves need of the environment; no key gets through.
_KEPT = ("PATH", "LANG", "COVERAGE_PROCESS_START", "COVERAGE_PROCESS_CONFIG", "COV_CORE_SOURCE")

Answers = Callable[[dict[str, Any]], Any]
"""What the client answers to a request of the agent."""


def environment(home: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """An environment in which nothing is configured, and every way out is blocked."""
    kept = {name: value for name, value in os.environ.items() if name in _KEPT}
    nowhere = "http://127.0.0.1:9"
    return kept | {
        "HOME": str(home),
        "HTTP_PROXY": nowhere,
        "HTTPS_PROXY": nowhere,
        "ALL_PROXY": nowhere,
        "PARLEY_LOCAL_SERVERS": "false",
        "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
        **(more or {}),
    }


def allow(request: dict[str, Any]) -> Any:
    """Answers every question with the option that allows it once."""
    options = request["params"]["options"]
    chosen = next(each["optionId"] for each in options if each["kind"] == "allow_once")
    return {"outcome": {"outcome": "selected", "optionId": chosen}}


class RawAgent:
    """The process and its lines. `updates` and `requests` hold what it sent so far."""

    def __init__(
        self,
        *arguments: str,
        home: Path,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        answers: Answers = allow,
        command: tuple[str, ...] = (*PARLEY, "acp"),
    ) -> None:
        self.updates: list[dict[str, Any]] = []
        self.requests: list[dict[str, Any]] = []
        self.sent: list[str] = []
        """Every line that the agent wrote."""
        self._answers = answers
        self._count = 0
        self._lines: queue.Queue[bytes] = queue.Queue()
        self.process = subprocess.Popen(
            (*command, *arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd or home,
            env=environment(home, env),
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> "RawAgent":
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
        self._reader.join(SECONDS)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()

    def begin(self, version: int = 1, **capabilities: Any) -> dict[str, Any]:
        """Send `initialize`; its result."""
        if version == 1:
            return self.call("initialize", protocolVersion=1, clientCapabilities=capabilities)
        info = {"name": "raw", "version": "1"}
        return self.call("initialize", protocolVersion=2, info=info, capabilities=capabilities)

    def open(self, cwd: Path) -> str:
        """A new session; its id."""
        return self.call("session/new", cwd=str(cwd), mcpServers=[])["sessionId"]

    def prompt(self, session: str, text: str) -> dict[str, Any]:
        content = [{"type": "text", "text": text}]
        return self.call("session/prompt", sessionId=session, prompt=content)

    def talk(self, session: str, text: str) -> dict[str, Any]:
        """A prompt of version 2, until the session is idle again; that update."""
        before = len(self.updates)
        self.prompt(session, text)
        while True:
            for update in self.updates[before:]:
                if update["sessionUpdate"] == "state_update" and update["state"] == "idle":
                    return update
            self.receive()

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """A request; its result. What the agent asks meanwhile is answered."""
        answer = self.ask(method, **params)
        assert "error" not in answer, answer
        return answer["result"]

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """A request; the whole answer."""
        self._count += 1
        self.send({"jsonrpc": "2.0", "id": self._count, "method": method, "params": params})
        while True:
            message = self.receive()
            if message.get("id") == self._count and "method" not in message:
                return message

    def receive(self) -> dict[str, Any]:
        """The next message. Requests are answered, and updates kept."""
        message: dict[str, Any] = json.loads(self._lines.get(timeout=SECONDS))
        self.sent.append(json.dumps(message, ensure_ascii=False))
        if "method" in message and "id" in message:
            self.requests.append(message)
            result = self._answers(message)
            self.send({"jsonrpc": "2.0", "id": message["id"], "result": result})
        elif message.get("method") == "session/update":
            self.updates.append(message["params"]["update"])
        return message

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def end(self) -> tuple[int, str]:
        """Hang up; the exit status, and what was written to stderr."""
        assert self.process.stdin is not None
        assert self.process.stderr is not None
        self.process.stdin.close()
        complaints = self.process.stderr.read().decode()
        return self.process.wait(SECONDS), complaints

    def said(self) -> str:
        """Everything that the agent said as text."""
        return "".join(
            each["content"]["text"]
            for each in self.updates
            if each["sessionUpdate"] == "agent_message_chunk"
        )

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
