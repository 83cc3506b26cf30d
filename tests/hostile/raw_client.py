"""A client that sends any bytes: a child process, its pipes, and a strict look at what it says.

It imports nothing of the package under test. Waiting happens in one place, `pump`, which moves
bytes in both directions so that neither side can block the other, and is bounded by a deadline.
"""

import fcntl
import json
import os
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any, Self

from tests.hostile.gauge import Gauge

Json = dict[str, Any]

BOUND = 20.0
"""Seconds; no wait is longer unless a case says so."""
AGENT = os.environ.get(
    "PARLEY_HOSTILE_AGENT", str(Path(__file__).resolve().parents[2] / "bench" / "echo_agent.py")
)
"""The program under test, which takes `--protocol 1` or `--protocol 2`."""
_READ_SIZE = 1 << 20


class AgentGone(AssertionError):
    """The agent ended its output although something was still expected from it."""


class AgentHangs(AssertionError):
    """Something expected did not happen in time."""


class _Pipes:
    """The two pipes to a process: bytes go out, lines come in."""

    def __init__(self, sink: int, source: int) -> None:
        self.sink, self.source = sink, source
        os.set_blocking(sink, False)
        os.set_blocking(source, False)
        self.answers: list[Json] = []
        self.told: list[Json] = []
        self.chunks_told = 0
        """How many pieces of text there are in `told`, for whoever waits for many."""
        self.reading = True
        self.ended = False
        self.bytes_sent = 0
        self.lines_sent = 0
        self._outgoing: Iterator[bytes] = iter(())
        self._unsent = memoryview(b"")
        self._partial = bytearray()

    def send(self, writes: Iterable[bytes]) -> None:
        """Line up writes behind those that are waiting; they leave in `pump`."""
        self._outgoing = _chained(self._outgoing, iter(writes))

    def pump(self, until: Callable[[], bool], seconds: float = BOUND) -> None:
        """Write what is lined up and read what comes, until the condition holds."""
        deadline = time.monotonic() + seconds
        while not until():
            if self.ended:
                raise AgentGone("the agent ended its output")
            if not self.step(deadline - time.monotonic()):
                raise AgentHangs(f"nothing more happened for {seconds:g} s")

    def step(self, seconds: float) -> bool:
        """Move bytes once; whether there was something to move within the time."""
        readable = [self.source] if self.reading and not self.ended else []
        writable = [self.sink] if self._more_to_send() else []
        if not readable and not writable:
            return False
        to_read, to_write, _ = select.select(readable, writable, [], max(seconds, 0))
        if to_read:
            self._read()
        if to_write:
            self._write()
        return bool(to_read or to_write)

    def sent(self) -> bool:
        """Whether everything that was lined up has been written."""
        return not self._more_to_send()

    def unread(self) -> int:
        """How many bytes lie in the pipe to the agent."""
        buffer = bytearray(4)
        fcntl.ioctl(self.sink, termios.FIONREAD, buffer)
        return int.from_bytes(buffer, sys.byteorder)

    def await_consumed(self) -> None:
        """Wait until the agent has taken everything out of its pipe."""
        self.pump(self.sent)
        deadline = time.monotonic() + BOUND
        while self.unread():
            if time.monotonic() > deadline:
                raise AgentHangs("the agent does not read")
            os.sched_yield()

    def read_to_end(self, seconds: float = BOUND) -> None:
        """Read until the agent closes its output."""
        deadline = time.monotonic() + seconds
        while not self.ended:
            if not self.step(deadline - time.monotonic()):
                raise AgentHangs(f"the output did not end within {seconds:g} s")

    def forget(self) -> None:
        """Drop what was received so far."""
        self.answers.clear()
        self.told.clear()
        self.chunks_told = 0

    def _send_nothing_more(self) -> None:
        self._outgoing, self._unsent = iter(()), memoryview(b"")

    def _more_to_send(self) -> bool:
        while not self._unsent:
            chunk = next(self._outgoing, None)
            if chunk is None:
                return False
            self._unsent = memoryview(chunk)
            self.lines_sent += chunk.count(b"\n")
        return True

    def _write(self) -> None:
        try:
            written = os.write(self.sink, self._unsent)
        except BlockingIOError:
            # A pipe has room, but not enough to take a short write in one piece.
            return
        except BrokenPipeError:
            raise AgentGone("the agent no longer reads") from None
        self.bytes_sent += written
        self._unsent = self._unsent[written:]

    def _read(self) -> None:
        data = os.read(self.source, _READ_SIZE)
        if not data:
            self.ended = True
            # STD-03: every message ends with a newline.
            assert not self._partial, f"the last line is cut off: {bytes(self._partial[:200])!r}"
            return
        lines = data.split(b"\n")
        if self._partial:
            self._partial += lines[0]
            if len(lines) == 1:
                return
            lines[0] = bytes(self._partial)
            self._partial.clear()
        self._partial += lines.pop()
        for raw in lines:
            message = checked(raw)
            (self.told if "method" in message else self.answers).append(message)
            self.chunks_told += b'"agent_message_chunk"' in raw[:500]


class RawAgent(_Pipes):
    """One echo agent as a child process, or another agent that is started by a `command`."""

    def __init__(
        self,
        version: int = 1,
        *,
        stderr: int = subprocess.DEVNULL,
        command: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.version = version
        self.process = subprocess.Popen(
            command or [sys.executable, AGENT, "--protocol", str(version)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=_environment() if env is None else env,
            bufsize=0,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        super().__init__(self.process.stdin.fileno(), self.process.stdout.fileno())
        self.gauge = Gauge(self.process.pid)
        self._fences = count(1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()

    def initialize(self) -> None:
        self.request("initialize", initialize_params(self.version))

    def new_session(self) -> str:
        return str(self.request("session/new", NEW_SESSION)["sessionId"])

    def request(self, method: str, params: Json) -> Json:
        """A valid request; its result."""
        id_ = f"fence-{next(self._fences)}"
        self.send([line(id_, method, params)])
        self.pump(lambda: self._answer(id_) is not None)
        answer = self._answer(id_)
        assert answer is not None
        self.answers.remove(answer)
        assert "result" in answer, answer
        return answer["result"]

    def fence(self) -> None:
        """The agent is alive, and has dealt with everything that was sent before."""
        # The second round trip gives what the first one overtook the time to come out.
        assert isinstance(self.new_session(), str)
        assert isinstance(self.new_session(), str)

    def chunks(self, session: str | None = None) -> list[str]:
        """What the agent said in a session, or in all of them, piece by piece."""
        return [
            message["params"]["update"]["content"]["text"]
            for message in self.told
            if message["params"]["update"]["sessionUpdate"] == "agent_message_chunk"
            and session in (None, message["params"]["sessionId"])
        ]

    def close_stdin(self) -> None:
        assert self.process.stdin is not None
        self._send_nothing_more()
        self.process.stdin.close()

    def close_stdout(self) -> None:
        assert self.process.stdout is not None
        self.reading = False
        self.process.stdout.close()

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def leave(self) -> int:
        """End the input, take what still comes, and return the exit status."""
        self.pump(self.sent)
        self.close_stdin()
        self.read_to_end()
        return self.process.wait(BOUND)

    def _answer(self, id_: str) -> Json | None:
        found = (each for each in reversed(self.answers) if each["id"] == id_)
        return next(found, None)


@lru_cache(1024)  # A stream repeats itself, and nobody changes what was received.
def checked(raw: bytes) -> Json:
    """The message in a line of output. Anything that is not JSON-RPC 2.0 fails (R2, STD-05)."""
    message = json.loads(raw.decode("utf-8"), parse_constant=_not_json)
    assert isinstance(message, dict), raw[:200]
    assert message.get("jsonrpc") == "2.0", raw[:200]
    if "method" in message:
        assert isinstance(message["method"], str), raw[:200]
        return message
    assert "id" in message, raw[:200]
    assert ("result" in message) != ("error" in message), raw[:200]
    if "error" in message:
        error = message["error"]
        assert type(error["code"]) is int, raw[:200]
        assert type(error["message"]) is str, raw[:200]
        # A bad message is never the agent's own fault (R4), and is not sent back in the text.
        assert error["code"] != -32603, raw[:200]
        assert len(error["message"]) <= 500, raw[:200]
    return message


NEW_SESSION: Json = {"cwd": "/", "mcpServers": []}


def initialize_params(version: int) -> Json:
    if version == 1:
        return {"protocolVersion": 1, "clientCapabilities": {}}
    return {"protocolVersion": 2, "info": {"name": "raw", "version": "1"}, "capabilities": {}}


def prompt_params(session: str, text: str) -> Json:
    return {"sessionId": session, "prompt": [{"type": "text", "text": text}]}


def line(id_: Any, method: str, params: Any) -> bytes:
    """A request as it stands on the wire."""
    message = {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def note(method: str, params: Any) -> bytes:
    """A notification as it stands on the wire."""
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def _not_json(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _chained(first: Iterator[bytes], second: Iterator[bytes]) -> Iterator[bytes]:
    yield from first
    yield from second


def _environment() -> dict[str, str]:
    """Ours, without what would slow the agent down or make it larger."""
    unwanted = ("PYTHONDONTWRITEBYTECODE", "COVERAGE")
    return {key: value for key, value in os.environ.items() if not key.startswith(unwanted)}
