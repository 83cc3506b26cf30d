"""An independent raw client: starts an agent, writes prepared bytes, counts bytes that come back.

It uses no SDK and parses nothing while it measures, so that it is never the slow part. Memory and
processor time of the agent come from `/proc`, so it runs on Linux only.
"""

import contextlib
import json
import os
import selectors
import subprocess
import time
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any

CHUNK = b"agent_message_chunk"
END_OF_TURN = b"stopReason"
FAULT = b'"error"'
_READ = 1 << 20
# What comes back from a short turn. A larger buffer would cost more than the turn.
_SHORT_READ = 4096
_TICKS = os.sysconf("SC_CLK_TCK")


class AgentEnded(Exception):
    """The agent closed its output while something was expected of it."""


class Counter:
    """Counts one byte string in a stream, also where it is split between two reads."""

    def __init__(self, needle: bytes) -> None:
        self._needle = needle
        self._tail = b""
        self.seen = 0

    def feed(self, data: bytes) -> None:
        # The tail is shorter than the needle, so nothing is counted twice.
        overlap = len(self._needle) - 1
        self.seen += data.count(self._needle)
        self.seen += (self._tail + data[:overlap]).count(self._needle)
        self._tail = (self._tail + data[-overlap:])[-overlap:]


class RawAgent:
    """One agent process and the pipes to it."""

    def __init__(self, command: Sequence[str], protocol: int = 1) -> None:
        self._protocol = protocol
        self._ids = 0
        self.received = 0
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment(),
            bufsize=0,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._sink, self._source = self.process.stdin.fileno(), self.process.stdout.fileno()
        os.set_blocking(self._sink, False)
        os.set_blocking(self._source, False)

    def __enter__(self) -> "RawAgent":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()

    @property
    def pid(self) -> int:
        return self.process.pid

    def initialize(self) -> None:
        info = {"name": "bench", "version": "1"}
        params: dict[str, Any] = {"protocolVersion": 1, "clientCapabilities": {}}
        if self._protocol == 2:
            params = {"protocolVersion": 2, "info": info, "capabilities": {}}
        self._call("initialize", params)

    def new_session(self) -> str:
        result = self._call("session/new", {"cwd": "/", "mcpServers": []})
        return str(result["sessionId"])

    def prompt(self, session: str, text: str) -> bytes:
        """The line of one prompt, to be sent later."""
        self._ids += 1
        block = {"type": "text", "text": text}
        params = {"sessionId": session, "prompt": [block]}
        return line("session/prompt", params, self._ids)

    def turn(self, data: bytes, *, turns: int = 1, timeout: float = 120) -> int:
        """Send prompts, wait until all their turns have ended, and return the chunks seen."""
        ended, chunks = Counter(END_OF_TURN), Counter(CHUNK)
        fault = Counter(FAULT)

        def enough(received: bytes) -> bool:
            ended.feed(received)
            chunks.feed(received)
            fault.feed(received)
            return ended.seen >= turns or fault.seen > 0

        self.exchange(data, enough, timeout)
        if fault.seen:
            raise AgentEnded("the agent answered with an error")
        return chunks.seen

    def short_turn(self, data: bytes) -> None:
        """One turn whose messages fit into the pipes: a blocking write, then blocking reads."""
        os.write(self._sink, data)
        received = self._read(_SHORT_READ)
        while END_OF_TURN not in received or not received.endswith(b"\n"):
            received += self._read(_SHORT_READ)

    def block_on_pipes(self) -> None:
        """Let `short_turn` wait in the kernel, which costs least."""
        os.set_blocking(self._sink, True)
        os.set_blocking(self._source, True)

    def exchange(self, data: bytes, enough: Callable[[bytes], bool], timeout: float) -> None:
        """Write while reading, so that neither side can block the other, until it is enough."""
        unsent = memoryview(data)
        deadline = time.monotonic() + timeout
        with selectors.DefaultSelector() as selector:
            selector.register(self._source, selectors.EVENT_READ)
            if unsent:
                selector.register(self._sink, selectors.EVENT_WRITE)
            while True:
                ready = selector.select(deadline - time.monotonic())
                if not ready:
                    raise TimeoutError("the agent did not finish in time")
                for key, _ in ready:
                    if key.fd == self._sink:
                        unsent = unsent[self._write(unsent) :]
                        if not unsent:
                            selector.unregister(self._sink)
                    elif enough(self._read()):
                        return

    def _write(self, data: memoryview) -> int:
        try:
            return os.write(self._sink, data)
        except BrokenPipeError:
            raise AgentEnded("the agent stopped reading") from None

    def _read(self, size: int = _READ) -> bytes:
        data = os.read(self._source, size)
        if not data:
            raise AgentEnded("the agent ended")
        self.received += len(data)
        return data

    def _call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._ids += 1
        received = bytearray()

        def enough(data: bytes) -> bool:
            received.extend(data)
            return received.endswith(b"\n")

        self.exchange(line(method, params, self._ids), enough, 60)
        for each in received.splitlines():
            answer = json.loads(each)
            if answer.get("id") == self._ids:
                return answer["result"]
        raise AgentEnded(f"no answer to {method}")


def line(method: str, params: dict[str, Any], request: int) -> bytes:
    message = {"jsonrpc": "2.0", "id": request, "method": method, "params": params}
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def environment() -> dict[str, str]:
    """Ours, without the setting that would make every start compile its imports again."""
    return {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


@contextlib.contextmanager
def one_core(pid: int) -> Generator[None]:
    """Keep a process and ourselves on one core."""
    allowed = os.sched_getaffinity(0)
    for each in (0, pid):
        os.sched_setaffinity(each, {min(allowed)})
    try:
        yield
    finally:
        for each in (0, pid):
            os.sched_setaffinity(each, allowed)


def rss_mb(pid: int, field: str = "VmRSS") -> float:
    for each in Path(f"/proc/{pid}/status").read_text().splitlines():
        if each.startswith(f"{field}:"):
            return int(each.split()[1]) / 1024
    return 0.0


def cpu_seconds(pid: int) -> float:
    """Processor time of all threads so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def children(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def wait_until_quiet(pids: Sequence[int], *, quiet: float = 0.4, timeout: float = 20) -> None:
    """Return when the processes used no processor time for a while, or when time is up."""
    deadline = time.monotonic() + timeout
    last, since = -1.0, time.monotonic()
    while time.monotonic() < deadline:
        now = sum(cpu_seconds(pid) for pid in pids)
        if now != last:
            last, since = now, time.monotonic()
        elif time.monotonic() - since > quiet:
            return
        time.sleep(0.05)
