"""However the coding agent ends, and whatever it does at that moment: it is gone, and all it began.

Usage: .venv/bin/python -m bench.agent_endings [--only TEXT]

Every state of the agent meets every way to end it, in both versions of the protocol. The process
must be gone within a second with the documented exit status, with everything that it started, and
a new process must be able to load the session and to go on. The exit status is 1 if a run fails.
"""

import argparse
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.acp_process import SECONDS, AcpProcess, Json, allow, running, silent
from bench.agent_kills import FINAL, LAST_ANSWER, LAST_PROMPT, history, missing

GONE = 1.0
"""Seconds from the departure of the client, or from a signal, to the end of the process."""
TREE = "sleep 301 & (sleep 302 & sleep 303; true) & echo ready; wait"
STUBBORN = f"trap '' TERM HUP INT; {TREE}; wait; wait"
ENDLESS = 100_000


@dataclass(frozen=True)
class Ended:
    """How one run went."""

    name: str
    seconds: float
    problem: str | None = None


def script() -> list[Json]:
    def shell(command: str, **more: object) -> list[Json]:
        return [{"name": "bash", "arguments": {"command": command, **more}}]

    never = {"for": "never", "after": 5}
    return [
        {"when": "hello", "text": "Hello."},
        {"when": "stream", "text": [f"{n} " for n in range(10)], "wait": never},
        {"when": "ask", "calls": shell("touch asked")},
        {"when": "stubborn", "calls": shell(STUBBORN)},
        {"when": "tree", "calls": shell(TREE)},
        {"when": "job", "calls": shell(TREE, background=True)},
        {"when": "job", "text": "It runs."},
        {"when": "write", "text": [f"{n} " for n in range(ENDLESS)]},
        {"when": LAST_PROMPT, "text": LAST_ANSWER, "repeat": True},
    ]


class Place:
    """The folders of a run."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.cwd = folder / "project"
        self.home.mkdir()
        self.cwd.mkdir()
        self._script = folder / "script.json"
        self._script.write_text(json.dumps(script()))

    def agent(self, version: int, answers: Callable[[Json], Json | None] = allow) -> AcpProcess:
        return AcpProcess(
            "--provider", "scripted", "--script", str(self._script),
            home=self.home, cwd=self.cwd, version=version, answers=answers,
        )  # fmt: skip


def _idle(agent: AcpProcess, session: str) -> None:
    agent.prompt(session, "hello")


def _model_streaming(agent: AcpProcess, session: str) -> None:
    agent.start_prompt(session, "stream")
    agent.pump(lambda: agent.said(session).endswith("4 "))


def _permission_open(agent: AcpProcess, session: str) -> None:
    agent.answers = silent
    agent.start_prompt(session, "ask")
    agent.pump(lambda: bool(agent.requests()))


def _command_running(agent: AcpProcess, session: str) -> None:
    agent.start_prompt(session, "tree")
    agent.pump(lambda: _sleepers(agent) >= 3)


def _stubborn_command_running(agent: AcpProcess, session: str) -> None:
    agent.start_prompt(session, "stubborn")
    agent.pump(lambda: _sleepers(agent) >= 3)


def _job_running(agent: AcpProcess, session: str) -> None:
    agent.prompt(session, "job")
    agent.pump(lambda: _sleepers(agent) >= 3)


def _store_writing(agent: AcpProcess, session: str) -> None:
    agent.start_prompt(session, "write")
    agent.pump(lambda: agent.received > 200_000)


STATES: dict[str, Callable[[AcpProcess, str], None]] = {
    state.__name__.strip("_"): state
    for state in (
        _idle, _model_streaming, _permission_open, _command_running,
        _stubborn_command_running, _job_running, _store_writing,
    )
}  # fmt: skip


def _signalled(number: int) -> Callable[[AcpProcess], None]:
    return lambda agent: agent.process.send_signal(number)


def _gone(agent: AcpProcess) -> None:
    """The client is dead, and its ends of the pipes with it."""
    agent.hang_up()
    agent.stop_reading()


WAYS: dict[str, tuple[Callable[[AcpProcess], None], int]] = {
    "end_of_input": (AcpProcess.hang_up, 0),
    "sigterm": (_signalled(signal.SIGTERM), 128 + signal.SIGTERM),
    "sigint": (_signalled(signal.SIGINT), 128 + signal.SIGINT),
    "sighup": (_signalled(signal.SIGHUP), 128 + signal.SIGHUP),
    "dead_client": (_gone, 0),
    "output_closed": (AcpProcess.stop_reading, 0),
    "sigkill": (_signalled(signal.SIGKILL), -signal.SIGKILL),
}
"""How the end comes, and the exit status that it must have."""


def one_run(folder: Path, version: int, state: str, way: str, within: float = GONE) -> Ended:
    place, name = Place(folder), f"{way}, {state}, version {version}"
    try:
        return Ended(name, _ended(place, version, state, way, within))
    except AssertionError as error:
        return Ended(name, 0.0, str(error)[:2000] or "an assertion failed")


def _ended(place: Place, version: int, state: str, way: str, within: float) -> float:
    leave, status = WAYS[way]
    with place.agent(version) as agent:
        agent.begin()
        session = agent.open(place.cwd)
        STATES[state](agent, session)
        family = descendants(agent.process.pid)
        started = time.monotonic()
        leave(agent)
        agent.read_to_end()
        agent.process.wait(SECONDS)
        seconds = time.monotonic() - started
        told = history(agent.updates(session))
        assert agent.process.returncode == status, f"exit status {agent.process.returncode}"
        assert seconds <= within, f"it was there for {seconds:.2f} s"
        assert not agent.complaints(), agent.complaints()
    _nobody_left(place, family, within)
    _goes_on(place, version, session, told)
    return seconds


def _nobody_left(place: Place, family: set[int], within: float) -> None:
    deadline = time.monotonic() + within
    while left := (_alive(family) | set(running(place.home))):
        assert time.monotonic() < deadline, f"left behind: {[_command(pid) for pid in left]}"
        time.sleep(0.005)


def _goes_on(place: Place, version: int, session: str, told: list[Json]) -> None:
    """A new process has all of it, closed, and can go on."""
    with place.agent(version) as agent:
        agent.begin()
        answer = agent.load(session, place.cwd)
        assert "error" not in answer, f"{answer} {agent.complaints()}"
        replayed = [each for each in history(agent.updates(session)) if "user" not in each]
        problem = missing(told, replayed)
        assert problem is None, problem
        statuses = {
            update["toolCallId"]: update["status"]
            for update in replayed
            if "toolCallId" in update and "status" in update
        }
        assert set(statuses.values()) <= set(FINAL), f"a tool call is open: {statuses}"
        since = len(agent.messages)
        ending = agent.prompt(session, LAST_PROMPT)
        assert ending.get("stopReason") == "end_turn", ending
        assert agent.said(session, since) == LAST_ANSWER
        assert agent.end() == 0
    assert not (place.cwd / "asked").exists(), "what nobody allowed was run"


def descendants(pid: int) -> set[int]:
    """Every process that a process started, directly or not."""
    parents: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit() and (fields := _stat(int(entry))):
            parents.setdefault(int(fields[1]), []).append(int(entry))
    found: set[int] = set()
    ahead = [pid]
    while ahead:
        children = parents.get(ahead.pop(), [])
        found.update(children)
        ahead += children
    return found


def _sleepers(agent: AcpProcess) -> int:
    return sum(_command(pid).startswith("sleep 30") for pid in descendants(agent.process.pid))


def _alive(pids: set[int]) -> set[int]:
    return {pid for pid in pids if (fields := _stat(pid)) and fields[0] != "Z"}


def _stat(pid: int) -> list[str]:
    """State, parent and so on; nothing for a process that has gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def campaign(folder: Path, only: str = "") -> list[Ended]:
    done: list[Ended] = []
    for state in STATES:
        for way in WAYS:
            for version in (1, 2):
                if only not in f"{way}, {state}":
                    continue
                place = folder / f"run-{len(done)}"
                place.mkdir()
                done.append(one_run(place, version, state, way))
                if done[-1].problem:
                    print(f"{done[-1].name}: {done[-1].problem}", file=sys.stderr)
    return done


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="", help="runs whose name has this in it")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        done = campaign(Path(folder), options.only)
    failed = sum(each.problem is not None for each in done)
    print(f"{len(done)} endings: {failed} failed")
    print(f"slowest: {max(each.seconds for each in done):.2f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
