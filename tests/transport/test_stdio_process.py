"""A process on the real stdin and stdout: what they may be, what reaches them, how it ends."""

import os
import pty
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.transport.wires import BOUND, PROGRAMS, alive, until

# Buffered, as it is for most people, so that it matters what becomes of the buffer.
AGENT = ["env", "-u", "PYTHONUNBUFFERED", sys.executable, str(PROGRAMS / "agent.py")]
# Where the time is taken, nobody writes coverage data on the way out.
TIMED_AGENT = ["env", "-u", "COVERAGE_PROCESS_CONFIG", "-u", "COVERAGE_PROCESS_START", *AGENT]
PROMISE = 1.0
"""Seconds within which the process is gone when its client is."""


@dataclass
class Agent:
    """A running agent and the client's ends of its pipes."""

    process: "subprocess.Popen[bytes]"

    def ask(self, command: str) -> str:
        """Send a command and wait for its answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(command.encode() + b"\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().decode().strip()

    def end_input(self) -> None:
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.close()

    def die(self) -> None:
        """Do what the kernel does when the client is killed."""
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.end_input()


@pytest.fixture
def agents() -> Iterator[Callable[[], Agent]]:
    """Starts agents, and leaves none of them behind."""
    started: list[Agent] = []

    def start() -> Agent:
        process = subprocess.Popen(
            TIMED_AGENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        started.append(Agent(process))
        return started[-1]

    yield start
    for agent in started:
        agent.process.kill()
        agent.process.wait(BOUND)
        agent.die()
        assert agent.process.stderr is not None
        agent.process.stderr.close()


@pytest.fixture
def agent(agents: Callable[[], Agent]) -> Agent:
    """One running agent."""
    return agents()


@dataclass
class End:
    """A way in which the life of an agent ends, and the status that it must have then."""

    act: Callable[[Agent], None]
    status: int


ENDS = {
    "dead client": End(Agent.die, 0),
    "end of input": End(Agent.end_input, 0),
    "SIGTERM": End(lambda agent: agent.process.send_signal(signal.SIGTERM), 143),
    "SIGINT": End(lambda agent: agent.process.send_signal(signal.SIGINT), 130),
    "SIGHUP": End(lambda agent: agent.process.send_signal(signal.SIGHUP), 129),
}
STATES = ["echo ready", "stream", "wait", "stubborn", "block", "spin", "thread"]


@pytest.mark.parametrize("state", STATES)
def test_the_process_is_gone_within_a_second_in_every_state(
    agents: Callable[[], Agent], state: str
) -> None:
    dying = {name: agents() for name in ENDS}
    for agent in dying.values():
        assert agent.ask(state) == "ready"
    began = {name: _end(ENDS[name], agent) for name, agent in dying.items()}
    gone = {name: _gone_at(agent) for name, agent in dying.items()}
    assert _statuses(dying) == {name: end.status for name, end in ENDS.items()}
    assert {name for name in ENDS if gone[name] - began[name] >= PROMISE} == set()


@pytest.mark.parametrize("state", ["child", "child_and_block"])
def test_no_child_is_left_behind(agents: Callable[[], Agent], state: str) -> None:
    dying = {name: agents() for name in ENDS}
    pids = [int(pid) for agent in dying.values() for pid in agent.ask(state).split()]
    assert len(pids) == 2 * len(ENDS)
    for name, agent in dying.items():
        _end(ENDS[name], agent)
    for agent in dying.values():
        _gone_at(agent)
    assert _statuses(dying) == {name: end.status for name, end in ENDS.items()}
    assert until(lambda: not any(map(alive, pids)), PROMISE)


def test_the_child_of_a_killed_agent_is_gone_too(agent: Agent) -> None:
    child, grandchild = map(int, agent.ask("child").split())
    agent.process.kill()
    assert until(lambda: not alive(child), PROMISE)
    # It belongs to a shell that had no time to end it, and is nobody's business but the test's.
    os.kill(grandchild, signal.SIGKILL)


def test_an_agent_that_was_hung_up_on_while_its_input_waits_ends(agent: Agent) -> None:
    assert agent.ask("block") == "ready"
    assert agent.process.stdin is not None
    agent.process.stdin.write(b"echo never read\n")
    agent.process.stdin.flush()
    began = time.monotonic()
    agent.end_input()
    assert agent.process.wait(BOUND) == 0
    assert time.monotonic() - began < PROMISE


def test_nothing_but_frames_reaches_stdout(agent: Agent) -> None:
    assert agent.ask("noise") == "ready"
    agent.end_input()
    assert agent.process.stdout is not None
    assert agent.process.stderr is not None
    assert agent.process.stdout.read() == b""
    stderr = agent.process.stderr.read()
    for text in (b"from print", b"from descriptor 1", b"from the old stdout", b"from a child"):
        assert text in stderr
    assert b"before the takeover" in stderr


def test_a_mistake_in_the_application_is_a_traceback_and_status_one(agent: Agent) -> None:
    assert agent.ask("crash") == ""
    _, stderr = agent.process.communicate(timeout=BOUND)
    assert agent.process.returncode == 1
    assert b"a mistake in the application" in stderr


def test_an_application_that_returns_ends_the_process(agent: Agent) -> None:
    assert agent.ask("return") == ""
    assert agent.process.wait(BOUND) == 0


def test_piped_input_is_answered_to_its_end() -> None:
    lines = b"".join(b"echo %d\r\n\n" % number for number in range(5000)) + b"echo last"
    finished = subprocess.run(AGENT, input=lines, capture_output=True, timeout=BOUND, check=True)
    assert finished.stdout.split() == [b"%d" % number for number in range(5000)] + [b"last"]


def test_input_and_output_may_be_files(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"echo a\necho b\n")
    with (tmp_path / "in").open("rb") as stdin, (tmp_path / "out").open("ab") as stdout:
        stdout.write(b"before\n")
        stdout.flush()
        assert subprocess.run(AGENT, stdin=stdin, stdout=stdout, timeout=BOUND).returncode == 0
    assert (tmp_path / "out").read_bytes() == b"before\na\nb\n"


def test_input_and_output_may_be_devices() -> None:
    null = subprocess.DEVNULL
    assert subprocess.run(AGENT, stdin=null, stdout=null, timeout=BOUND).returncode == 0


def test_a_full_device_ends_the_agent() -> None:
    with open("/dev/full", "wb") as stdout:
        process = subprocess.Popen(AGENT, stdin=subprocess.PIPE, stdout=stdout)
        assert process.stdin is not None
        process.stdin.write(b"echo x\n")
        process.stdin.flush()
        assert process.wait(BOUND) == 0
        process.stdin.close()


@pytest.mark.parametrize("redirection", ["<&-", ">&-", "<&- >&-", "<&- >&- 2>&-", "2>&-"])
def test_streams_may_be_closed(redirection: str) -> None:
    command = ["sh", "-c", f'exec "$0" "$@" {redirection}', *AGENT]
    finished = subprocess.run(command, input=b"echo x\n", capture_output=True, timeout=BOUND)
    assert finished.returncode == 0
    assert finished.stdout == (b"" if "&-" in redirection and redirection != "2>&-" else b"x\n")
    assert b"Traceback" not in finished.stderr


def test_input_and_output_may_be_one_socket() -> None:
    here, there = socket.socketpair()
    with here:
        here.settimeout(BOUND)
        process = subprocess.Popen(AGENT, stdin=there, stdout=there)
        there.close()
        here.sendall(b"echo over a socket\n")
        assert here.recv(100) == b"over a socket\n"
        # Its half of the socket is closed: the end of the input, while we still read.
        here.shutdown(socket.SHUT_WR)
        assert process.wait(BOUND) == 0


def test_input_and_output_may_be_two_sockets() -> None:
    ours_in, theirs_in = socket.socketpair()
    ours_out, theirs_out = socket.socketpair()
    with ours_in, ours_out:
        ours_out.settimeout(BOUND)
        process = subprocess.Popen(TIMED_AGENT, stdin=theirs_in, stdout=theirs_out)
        theirs_in.close()
        theirs_out.close()
        ours_in.sendall(b"block\n")
        assert ours_out.recv(100) == b"ready\n"
        began = time.monotonic()
        ours_in.shutdown(socket.SHUT_WR)
        assert process.wait(BOUND) == 0
        assert time.monotonic() - began < PROMISE


def test_input_and_output_may_be_a_terminal() -> None:
    controller, terminal = pty.openpty()
    process = subprocess.Popen(AGENT, stdin=terminal, stdout=terminal, stderr=subprocess.DEVNULL)
    os.write(controller, b"echo typed\n")
    assert _read_until(controller, b"\r\ntyped\r\n")
    # The terminal is still as the shell wants it.
    assert os.get_blocking(terminal)
    os.write(controller, b"\x04")
    assert process.wait(BOUND) == 0
    os.close(terminal)
    os.close(controller)


def test_a_terminal_that_is_hung_up_ends_the_agent() -> None:
    controller, terminal = pty.openpty()
    process = subprocess.Popen(AGENT, stdin=terminal, stdout=terminal, stderr=subprocess.DEVNULL)
    os.close(terminal)
    os.write(controller, b"echo typed\n")
    assert _read_until(controller, b"\r\ntyped\r\n")
    os.close(controller)
    assert process.wait(BOUND) == 0


def _end(end: End, agent: Agent) -> float:
    """End an agent and return when that was."""
    began = time.monotonic()
    end.act(agent)
    return began


def _gone_at(agent: Agent) -> float:
    """Wait until an agent is gone and return the time: not earlier than it was, hardly later."""
    agent.process.wait(BOUND)
    return time.monotonic()


def _statuses(agents: dict[str, Agent]) -> dict[str, int]:
    return {name: agent.process.returncode for name, agent in agents.items()}


def _read_until(fd: int, wanted: bytes) -> bool:
    seen = b""
    while wanted not in seen:
        seen += os.read(fd, 1000)
    return True
