"""MCP servers of every bad kind, beside sessions that must not notice.

Usage: .venv/bin/python -m bench.mcp_servers [--only TEXT]

For every kind a session is opened that names such a server, in both versions of the protocol. It
must be open within two seconds, another session must go on answering meanwhile, memory must not
grow by more than 32 MB, and nothing may be left of the server when its session is closed and when
the agent is killed. The exit status is 1 if a run fails.
"""

import argparse
import json
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench.acp_process import AcpProcess, Json, all_gone, running
from bench.hostile_mcp import KINDS

OPENED = 2.0
QUICK = 2.0
GROWTH = 32.0
GONE = 2.0
CALLED = ("honest", "dies_in_call", "slow_call", "huge_result", "breeds", "ignores_signals")
"""Kinds that are well until they are used."""
_SERVER = Path(__file__).with_name("hostile_mcp.py")
_SCRIPT: list[Json] = [
    {"when": "quick", "text": "Quick.", "repeat": True},
    {"when": "work", "calls": [{"name": "bad__work", "arguments": {}}]},
    {"when": "work", "text": "Over."},
]


@dataclass(frozen=True)
class Ran:
    """How one run went; megabytes and seconds."""

    name: str
    opened: float
    quickest: float
    slowest: float
    growth: float
    problem: str | None = None


def server(kind: str, name: str = "bad") -> Json:
    """A server as a client names it."""
    program = "/nowhere/mcp-server" if kind == "missing" else sys.executable
    args = ["-I", "-S", str(_SERVER), kind]
    return {"type": "stdio", "name": name, "command": program, "args": args, "env": []}


def agent_in(folder: Path, version: int) -> AcpProcess:
    """An agent that plays the script; its home is `folder`."""
    script = folder / "script.json"
    script.write_text(json.dumps(_SCRIPT))
    flags = ("--provider", "scripted", "--script", str(script), "--mode", "full-access")
    agent = AcpProcess(*flags, home=folder, version=version)
    agent.begin()
    return agent


def opened(agent: AcpProcess, cwd: Path, *servers: Json) -> tuple[str, float]:
    """A session with servers, and how long it took to open it."""
    began = time.monotonic()
    answer = agent.call("session/new", cwd=str(cwd), mcpServers=list(servers))
    return answer["sessionId"], time.monotonic() - began


def one_run(folder: Path, version: int, *kinds: str, seconds: float = 3.0) -> Ran:
    """Open a session for each kind beside a quiet one, let them be bad, and look what is left."""
    folder.mkdir()
    with agent_in(folder, version) as agent:
        quiet, _ = opened(agent, folder, server("honest", "good"))
        agent.prompt(quiet, "quick")  # The package is loaded, and its memory is not the server's.
        before = _resident(agent)
        found = [opened(agent, folder, server(kind)) for kind in kinds]
        for kind, (session, _) in zip(kinds, found, strict=True):
            if kind in CALLED:
                _use(agent, session, kind)
        times = _quick_turns(agent, quiet, seconds)
        growth = _resident(agent, peak=True) - before
        for session, _ in found:
            agent.call("session/close", sessionId=session)
        problem = _left(agent, folder, kinds, quiet)
    took = max(seconds for _, seconds in found)
    limits = ((took, OPENED, "opening took"), (max(times), QUICK, "another session waited"))
    for value, most, text in (*limits, (growth, GROWTH, "memory grew by")):
        if value > most:
            problem = problem or f"{text} {value:.1f}"
    name = kinds[0] if len(kinds) == 1 else f"{kinds[0]} x{len(kinds)}"
    return Ran(f"v{version} {name}", took, min(times), max(times), growth, problem)


def _quick_turns(agent: AcpProcess, session: str, seconds: float) -> list[float]:
    """How long turns of another session take meanwhile."""
    times: list[float] = []
    end = time.monotonic() + seconds
    while (began := time.monotonic()) < end:
        agent.prompt(session, "quick")
        times.append(time.monotonic() - began)
    return times


def _use(agent: AcpProcess, session: str, kind: str) -> None:
    number = agent.start_prompt(session, "work")
    if kind == "slow_call":
        agent.pump(lambda: '"in_progress"' in json.dumps(agent.updates(session)))
        agent.send({"method": "session/cancel", "params": {"sessionId": session}})
    agent.answer(number)
    if agent.version > 1:
        agent.pump(lambda: '"idle"' in json.dumps(agent.updates(session)))


def _left(agent: AcpProcess, folder: Path, kinds: tuple[str, ...], quiet: str) -> str | None:
    """What is left of servers when their sessions are closed, and when the agent is killed."""
    deadline = time.monotonic() + GONE
    # The agent and the server of the quiet session stay.
    agent.pump(lambda: len(running(folder)) <= 2 or time.monotonic() > deadline)
    if len(running(folder)) > 2:
        return f"left after the end of sessions: {len(running(folder)) - 2}"
    for kind in kinds:
        opened(agent, folder, server(kind))
    _quick_turns(agent, quiet, 0.3)
    agent.kill()
    return (
        None if all_gone(folder, GONE) is not None else f"left after a kill: {len(running(folder))}"
    )


def _resident(agent: AcpProcess, *, peak: bool = False) -> float:
    field = "VmHWM:" if peak else "VmRSS:"
    lines = Path(f"/proc/{agent.process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(field))


def main() -> int:
    parser = argparse.ArgumentParser(description="Meet MCP servers of every bad kind.")
    parser.add_argument("--only", default="")
    wanted = parser.parse_args().only
    runs = [(version, (kind,)) for kind in ("missing", *KINDS) for version in (1, 2)]
    runs += [(1, (kind,) * 10) for kind in ("floods_notes", "huge_line", "hangs", "honest")]
    bad = 0
    for version, kinds in runs:
        if wanted not in kinds[0]:
            continue
        with tempfile.TemporaryDirectory() as folder:
            ran = one_run(Path(folder) / "run", version, *kinds)
        bad += ran.problem is not None
        print(
            f"{ran.name:22} opened {ran.opened * 1000:4.0f} ms, quick turns "
            f"{ran.quickest * 1000:2.0f} to {ran.slowest * 1000:4.0f} ms, "
            f"memory {ran.growth:+5.1f} MB: {ran.problem or 'ok'}",
            flush=True,
        )
    print(f"{bad} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
