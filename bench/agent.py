"""Measure the coding agent as an editor feels it: start, turns, tool rounds, loading.

Usage: .venv/bin/python bench/agent.py [--rounds N] [--beside COMMAND...]

The agent runs as a process with a script for a model, so every figure is the agent's own. With
`--beside` another agent is started in turns with ours, and processor times are compared. The exit
status is 1 when a goal is not met. Linux only: memory and processor time come from `/proc`.
"""

import argparse
import compileall
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
OURS = (sys.executable, "-c", "import sys; from parley.cli.main import main; sys.exit(main())")
ROUNDS = 300
EVENTS = 10_000
_TICKS = os.sysconf("SC_CLK_TCK")


class Agent:
    """One agent process, driven by lines of JSON."""

    def __init__(self, command: Sequence[str], home: Path, env: dict[str, str]) -> None:
        kept = {"PATH": os.environ["PATH"], "HOME": str(home), "PARLEY_LOCAL_SERVERS": "false"}
        self.began = time.perf_counter()
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=home,
            env=kept | env,
        )
        self._count = 0

    def __enter__(self) -> "Agent":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def call(self, method: str, **params: Any) -> tuple[Any, list[tuple[float, bytes]]]:
        """A request; its result, and every line that came before it with its time."""
        assert self._process.stdin
        assert self._process.stdout
        self._count += 1
        request = {"jsonrpc": "2.0", "id": self._count, "method": method, "params": params}
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()
        lines: list[tuple[float, bytes]] = []
        while line := self._process.stdout.readline():
            # Nothing is parsed while it measures, apart from the line it waits for.
            if b'"method"' in line[:60]:
                lines.append((time.perf_counter(), line))
                continue
            answer = json.loads(line)
            if "error" in answer:
                raise SystemExit(f"{method} failed: {answer['error']}")
            return answer.get("result"), lines
        raise SystemExit(f"the agent ended during {method}")

    def begin(self) -> float:
        """Send `initialize`; seconds since the process was started."""
        self.call("initialize", protocolVersion=1, clientCapabilities={})
        return time.perf_counter() - self.began

    def open(self, folder: Path) -> str:
        return self.call("session/new", cwd=str(folder), mcpServers=[])[0]["sessionId"]

    def cpu(self) -> float:
        """Seconds of processor time so far."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def memory(self) -> float:
        """Megabytes that it holds now."""
        for line in Path(f"/proc/{self._process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        return 0.0


class Report:
    """Prints figures beside their goals."""

    def __init__(self) -> None:
        self.missed = 0

    def figure(self, name: str, value: float, unit: str, most: float | None = None) -> None:
        verdict = ""
        if most is not None:
            met = value <= most
            self.missed += not met
            verdict = f"  (goal: at most {most:g}) {'met' if met else 'MISSED'}"
        print(f"{name:<46} {value:9.2f} {unit}{verdict}", flush=True)


def starts(report: Report, home: Path, beside: Sequence[str]) -> None:
    walls: list[float] = []
    cpus: dict[bool, list[float]] = {True: [], False: []}
    memory = 0.0
    for _ in range(15):
        with Agent((*OURS, "acp"), home, {}) as agent:
            walls.append(agent.begin())
            cpus[True].append(agent.cpu())
            memory = max(memory, agent.memory())
        if beside:
            with Agent(beside, home, {}) as other:
                other.begin()
                cpus[False].append(other.cpu())
    report.figure("spawn to initialize, fastest", min(walls) * 1000, "ms", 150)
    report.figure("spawn to initialize, median", statistics.median(walls) * 1000, "ms")
    ours = statistics.median(cpus[True])
    report.figure("processor time to initialize, median", ours * 1000, "ms")
    report.figure("memory after initialize", memory, "MB", 40)
    if beside:
        ratio = ours / statistics.median(cpus[False])
        report.figure("processor time, ours to the other's", ratio, "", 0.1)


def scripted(home: Path, answers: list[dict[str, Any]]) -> dict[str, str]:
    """The environment of an agent that plays these answers."""
    script = home / "script.json"
    script.write_text(json.dumps(answers))
    most = {"PARLEY_MAX_REQUESTS": str(len(answers) + 10)}
    return {"PARLEY_PROVIDER": "scripted", "PARLEY_SCRIPT": str(script), **most}


def prompt(agent: Agent, session: str) -> list[tuple[float, bytes]]:
    content = [{"type": "text", "text": "go on"}]
    return agent.call("session/prompt", sessionId=session, prompt=content)[1]


def text_turns(report: Report, home: Path, rounds: int) -> None:
    env = scripted(home, [{"text": "Yes.", "repeat": True}])
    spent: list[float] = []
    with Agent((*OURS, "acp"), home, env) as agent:
        agent.begin()
        session = agent.open(home)
        for _ in range(rounds):
            before = time.perf_counter()
            prompt(agent, session)
            spent.append(time.perf_counter() - before)
    flat(report, "text turn", spent, 5)


def read_rounds(report: Report, home: Path, rounds: int) -> None:
    (home / "a.txt").write_text("some text\n" * 20)
    call = {"name": "read_file", "arguments": {"path": "a.txt"}}
    env = scripted(home, [{"calls": [call]}] * rounds + [{"text": "Done."}])
    with Agent((*OURS, "acp"), home, env) as agent:
        agent.begin()
        lines = prompt(agent, agent.open(home))
    # What is stored together is told together, so single rounds say nothing.
    several = max(rounds // 6, 1)
    ends = [moment for moment, line in lines if b'"completed"' in line][:: several - 1]
    spent = [(after - before) / several for before, after in itertools.pairwise(ends)]
    flat(report, "read_file round", spent, 8)


def flat(report: Report, name: str, spent: list[float], most: float) -> None:
    """The median, and whether the last tenth takes longer than the first."""
    tenth = max(len(spent) // 10, 1)
    first, last = statistics.median(spent[:tenth]), statistics.median(spent[-tenth:])
    report.figure(f"{name}, median", statistics.median(spent) * 1000, "ms", most)
    report.figure(f"{name}, last tenth to first", last / first, "", 2)


def loading(report: Report, home: Path) -> None:
    env = scripted(home, [{"text": [f"word {number} " for number in range(EVENTS)]}])
    with Agent((*OURS, "acp"), home, env) as agent:
        agent.begin()
        session = agent.open(home)
        prompt(agent, session)
        agent.call("session/close", sessionId=session)
    with Agent((*OURS, "acp"), home, env) as agent:
        agent.begin()
        agent.open(home)
        before = time.perf_counter()
        _, lines = agent.call("session/load", sessionId=session, cwd=str(home), mcpServers=[])
        spent = time.perf_counter() - before
    report.figure(f"loading a session of {EVENTS} pieces", spent, "s", 1)
    report.figure("updates in it", len(lines), "")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--beside", nargs="+", default=[], metavar="COMMAND")
    options = parser.parse_args()
    compileall.compile_dir(ROOT / "src", quiet=2)
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        starts(report, home, options.beside)
        text_turns(report, home, options.rounds)
        read_rounds(report, home, options.rounds)
        loading(report, home)
    return int(report.missed > 0)


if __name__ == "__main__":
    sys.exit(main())
