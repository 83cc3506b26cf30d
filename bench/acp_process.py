"""`parley acp` as a process whose life is the subject, and a client that is lines of JSON alone.

One thread moves bytes in both directions. What the agent had written before it was killed is read
to its end, so that "the client was told" means every whole line that left the process.
"""

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

Json = dict[str, Any]
SECONDS = 20.0
"""No wait is longer."""
PARLEY = (sys.executable, "-c", "import sys; from parley.cli.main import main; sys.exit(main())")
_READ_SIZE = 4096
# Small enough that a kill after a number of bytes can come between any two messages.
_LOOK_AGAIN = 0.02
_KEPT = (
    *("PATH", "LANG", "PYTHONPATH"),
    *("COVERAGE_PROCESS_START", "COVERAGE_PROCESS_CONFIG", "COV_CORE_SOURCE"),
)


class Killed(Exception):
    """The fuse has burnt: the agent was killed in the middle of something."""


class Fuse:
    """When to kill: after so many bytes were received, or after so many seconds."""

    def __init__(self, *, size: int | None = None, seconds: float | None = None) -> None:
        self.size = size
        self.deadline = None if seconds is None else time.monotonic() + seconds

    def burnt(self, received: int) -> bool:
        if self.size is not None and received >= self.size:
            return True
        return self.deadline is not None and time.monotonic() >= self.deadline


def environment(home: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """An environment in which nothing is configured. `HOME` marks all processes of one run."""
    kept = {name: value for name, value in os.environ.items() if name in _KEPT}
    return kept | {"HOME": str(home), "PARLEY_LOCAL_SERVERS": "false", **(more or {})}


def allow(request: Json) -> Json | None:
    """Answers a question with the option that allows it once."""
    return chosen(request, "allow_once")


def silent(request: Json) -> Json | None:
    """Never answers."""


def chosen(request: Json, kind: str) -> Json:
    """The answer that chooses the option of a kind."""
    options = request["params"]["options"]
    option = next(each["optionId"] for each in options if each["kind"] == kind)
    return {"outcome": {"outcome": "selected", "optionId": option}}


class LineProcess:
    """One process and its lines. `messages` holds everything it sent, in order."""

    def __init__(
        self,
        *arguments: str,
        home: Path,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        version: int = 1,
        answers: Callable[[Json], Json | None] = allow,
        program: Sequence[str] = PARLEY,
    ) -> None:
        self.version = version
        self.answers = answers
        self.messages: list[Json] = []
        self.received = 0
        self.ended = False
        self.fuse: Fuse | None = None
        self._count = 0
        self._answers: dict[int, Json] = {}
        self._partial = b""
        self._errors = (home / f"stderr-{time.monotonic_ns()}").open("w+b")
        self.process = subprocess.Popen(
            (*program, "acp", *arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=cwd or home,
            env=environment(home, env),
            bufsize=0,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._sink, self._source = self.process.stdin, self.process.stdout

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(SECONDS)
        for stream in (self._sink, self._source, self._errors):
            stream.close()

    def start(self, method: str, **params: Any) -> int:
        self._count += 1
        self.send({"id": self._count, "method": method, "params": params})
        return self._count

    def answer(self, number: int) -> Json:
        self.pump(lambda: number in self._answers)
        return self._answers[number]

    def send(self, message: Json) -> None:
        try:
            self._sink.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        except OSError:
            self.ended = True

    def complaints(self) -> str:
        """What it wrote to stderr so far."""
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace")

    def pump(self, until: Callable[[], bool], seconds: float = SECONDS) -> None:
        """Read until a condition holds.

        Raises:
            Killed: the fuse burnt before.
        """
        deadline = time.monotonic() + seconds
        while not until():
            if self.fuse is not None and self.fuse.burnt(self.received):
                self.kill()
                raise Killed
            assert not self.ended, f"the agent has gone: {self.complaints()}"
            left = deadline - time.monotonic()
            assert left > 0, f"waited in vain; the last messages were {self.messages[-3:]}"
            # A condition may be about something that the agent does not tell.
            self._step(min(left, _LOOK_AGAIN))

    def kill(self) -> None:
        """End it without a word, and take what it had said before."""
        self.process.send_signal(signal.SIGKILL)
        self.read_to_end()
        self.process.wait(SECONDS)

    def hang_up(self) -> None:
        """End the input."""
        self._sink.close()

    def stop_reading(self) -> None:
        """Close the output, as a client does that is gone."""
        self._source.close()
        self.ended = True

    def end(self) -> int:
        """Hang up; the exit status."""
        self.hang_up()
        self.read_to_end()
        return self.process.wait(SECONDS)

    def read_to_end(self) -> None:
        deadline = time.monotonic() + SECONDS
        while not self.ended:
            left = deadline - time.monotonic()
            assert left > 0, "the output does not end"
            self._step(left, answering=False)

    def _step(self, seconds: float, *, answering: bool = True) -> None:
        if self.fuse is not None and self.fuse.deadline is not None:
            seconds = min(seconds, max(self.fuse.deadline - time.monotonic(), 0))
        if not select.select([self._source], [], [], seconds)[0]:
            return
        data = os.read(self._source.fileno(), _READ_SIZE)
        self.ended = not data
        self.received += len(data)
        *lines, self._partial = (self._partial + data).split(b"\n")
        for line in lines:
            self._take(json.loads(line), answering=answering)

    def _take(self, message: Json, *, answering: bool) -> None:
        self.messages.append(message)
        if "method" not in message:
            self._answers[message["id"]] = message
        elif "id" in message and answering:
            result = self.answers(message)
            if result is not None:
                self.send({"id": message["id"], "result": result})


class AcpProcess(LineProcess):
    """The process with the words that a client needs."""

    def begin(self) -> Json:
        if self.version == 1:
            return self.call("initialize", protocolVersion=1, clientCapabilities={})
        info = {"name": "raw", "version": "1"}
        return self.call("initialize", protocolVersion=2, info=info, capabilities={})

    def open(self, cwd: Path) -> str:
        return self.call("session/new", cwd=str(cwd), mcpServers=[])["sessionId"]

    def load(self, session: str, cwd: Path) -> Json:
        """Open a session again with its whole history; the whole answer."""
        more: Json = {} if self.version == 1 else {"replayFrom": {"type": "start"}}
        method = "session/load" if self.version == 1 else "session/resume"
        return self.ask(method, sessionId=session, cwd=str(cwd), mcpServers=[], **more)

    def prompt(self, session: str, text: str) -> Json:
        """A whole turn; the answer of version 1, or the last update of version 2."""
        since = len(self.messages)
        answer = self.answer(self.start_prompt(session, text))
        if self.version == 1 or "error" in answer:
            return answer.get("result", answer)
        self.pump(lambda: _idle(self.messages[since:]) is not None)
        return _idle(self.messages[since:]) or {}

    def start_prompt(self, session: str, text: str) -> int:
        blocks = [{"type": "text", "text": text}]
        return self.start("session/prompt", sessionId=session, prompt=blocks)

    def call(self, method: str, **params: Any) -> Json:
        """A request; its result."""
        answer = self.ask(method, **params)
        assert "error" not in answer, answer
        return answer["result"]

    def ask(self, method: str, **params: Any) -> Json:
        """A request; the whole answer."""
        return self.answer(self.start(method, **params))

    def updates(self, session: str, since: int = 0) -> list[Json]:
        return [
            message["params"]["update"]
            for message in self.messages[since:]
            if message.get("method") == "session/update"
            and message["params"]["sessionId"] == session
        ]

    def said(self, session: str, since: int = 0) -> str:
        return "".join(
            update["content"]["text"]
            for update in self.updates(session, since)
            if update["sessionUpdate"] == "agent_message_chunk"
        )

    def requests(self) -> list[Json]:
        """What the agent asked."""
        return [each for each in self.messages if "method" in each and "id" in each]


def running(home: Path) -> list[int]:
    """The processes that live and were started, directly or not, with this home."""
    mark = f"HOME={home}".encode()
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            variables = (entry / "environ").read_bytes().split(b"\0")
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if mark in variables and state != "Z":
            found.append(int(entry.name))
    return found


def all_gone(home: Path, seconds: float = 1.0) -> float | None:
    """How long it took until none of them was left; `None` if one was left in the end."""
    started = time.monotonic()
    while running(home):
        if time.monotonic() > started + seconds:
            return None
        time.sleep(0.005)
    return time.monotonic() - started


def _idle(messages: list[Json]) -> Json | None:
    for message in messages:
        if message.get("method") == "session/update":
            update = message["params"]["update"]
            if update["sessionUpdate"] == "state_update" and update["state"] == "idle":
                return update
    return None
