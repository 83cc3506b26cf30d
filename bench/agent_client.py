"""An agent process for the benchmark, driven by lines of JSON; parses nothing while it measures.

Linux only: memory and processor time of the agent come from the system.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from model_server import cpu_seconds

SCRIPT = Path(sys.executable).with_name("parley")
OURS = (
    # Without an installed script: the same, but for what its first lines do.
    (str(SCRIPT),)
    if SCRIPT.exists()
    else (sys.executable, "-c", "import sys; from parley.cli.main import main; sys.exit(main())")
)


class AgentFailed(Exception):
    """The agent has ended, or answered with an error."""


class Agent:
    """One process. Whatever it runs, it finds an empty home and no settings of the user."""

    def __init__(
        self,
        home: Path,
        env: Mapping[str, str] | None = None,
        command: Sequence[str] = (*OURS, "acp"),
    ) -> None:
        kept = {"PATH": os.environ["PATH"], "HOME": str(home), "PARLEY_LOCAL_SERVERS": "false"}
        self.began = time.perf_counter()
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=home,
            env={**kept, **(env or {})},
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._sink, self._source = self._process.stdin, self._process.stdout
        self.pid = self._process.pid
        self._count = 0

    def __enter__(self) -> "Agent":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def begin(self) -> float:
        """Send `initialize`; seconds since the process was started."""
        self.call("initialize", protocolVersion=1, clientCapabilities={})
        return time.perf_counter() - self.began

    def open(self, folder: Path) -> str:
        return self.call("session/new", cwd=str(folder), mcpServers=[])["sessionId"]

    def prompt(self, *sessions: str) -> list[bytes]:
        """A turn in each session, all at once; the lines that came."""
        content = [{"type": "text", "text": "go on"}]
        numbers = [self.send("session/prompt", sessionId=each, prompt=content) for each in sessions]
        return self.wait(numbers)[1]

    def call(self, method: str, **params: Any) -> Any:
        """A request; its result."""
        return self.wait([self.send(method, **params)])[0]

    def send(self, method: str, **params: Any) -> int:
        self._count += 1
        request = {"jsonrpc": "2.0", "id": self._count, "method": method, "params": params}
        self._sink.write(json.dumps(request).encode() + b"\n")
        self._sink.flush()
        return self._count

    def wait(self, numbers: Iterable[int]) -> tuple[Any, list[bytes]]:
        """Read until all these requests are answered; the last result, and all other lines."""
        missing = set(numbers)
        result: Any = None
        lines: list[bytes] = []
        while missing:
            line = self._source.readline()
            if not line:
                raise AgentFailed("the agent has ended")
            if b'"method"' in line[:60]:
                lines.append(line)
                continue
            answer = json.loads(line)
            if "error" in answer:
                raise AgentFailed(f"the agent says {answer['error']}")
            missing.discard(answer["id"])
            result = answer.get("result")
        return result, lines

    def cpu(self) -> float:
        """Seconds of processor time so far."""
        return cpu_seconds(self.pid)

    def memory(self) -> float:
        """Megabytes that it holds now."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        return 0.0
