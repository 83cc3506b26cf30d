"""However the client goes away, the agent is gone within a second, with the right status (R7)."""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hostile.case import Cost
from tests.hostile.gauge import Gauge
from tests.hostile.ledger import Ledger
from tests.hostile.life_states import STATES, with_a_turn_running
from tests.hostile.raw_client import (
    BOUND,
    NEW_SESSION,
    RawAgent,
    line,
)

GONE = 1.0
"""Seconds from the departure of the client to the end of the process."""
ROOT = Path(__file__).resolve().parents[2]
BUSY = ["with_a_turn_running", "with_output_full", "with_requests_piled_up"]
SIGNALLED = ["initialized", "in_the_middle_of_a_line", *BUSY]


def _gone_after(agent: RawAgent, leave: Callable[[], None]) -> float:
    """How long the agent lives on after that, while whatever it still says is read or not."""
    started = time.monotonic()
    leave()
    agent.process.wait(BOUND)
    return time.monotonic() - started


def _enter(ledger: Ledger, name: str, seconds: float) -> None:
    ledger.enter(name, Cost(1, seconds, 0))
    assert seconds <= GONE, f"it was there for {seconds:.2f} s"


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("state", STATES)
def test_the_end_of_the_input(state: str, version: int, ledger: Ledger) -> None:
    with RawAgent(version) as agent:
        STATES[state](agent)
        seconds = _gone_after(agent, agent.close_stdin)
        assert agent.process.returncode == 0
    _enter(ledger, f"end_of_input_{state}", seconds)


@pytest.mark.parametrize("state", STATES)
def test_the_end_of_the_input_while_the_client_reads_on(state: str, ledger: Ledger) -> None:
    with RawAgent() as agent:
        STATES[state](agent)
        agent.reading = True
        started = time.monotonic()
        agent.close_stdin()
        agent.read_to_end()
        agent.process.wait(BOUND)
        seconds = time.monotonic() - started
        assert agent.process.returncode == 0
    _enter(ledger, f"end_of_input_and_reading_on_{state}", seconds)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("state", SIGNALLED)
def test_a_signal(state: str, number: signal.Signals, ledger: Ledger) -> None:
    with RawAgent() as agent:
        STATES[state](agent)
        seconds = _gone_after(agent, lambda: agent.signal(number))
        assert agent.process.returncode == 128 + number
    _enter(ledger, f"{number.name.lower()}_{state}", seconds)


@pytest.mark.parametrize("state", ["initialized", *BUSY])
def test_the_output_closed_first(state: str, ledger: Ledger) -> None:
    with RawAgent() as agent:
        STATES[state](agent)
        seconds = _gone_after(agent, agent.close_stdout)
        assert agent.process.returncode == 0
    _enter(ledger, f"output_closed_{state}", seconds)


@pytest.mark.parametrize("state", ["initialized", *BUSY])
def test_a_client_that_is_killed(state: str, ledger: Ledger) -> None:
    command = [sys.executable, "-m", "tests.hostile.dying_client", state]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as client:
        assert client.stdout is not None
        agent = int(client.stdout.readline())
        assert Gauge(agent).is_running()
        watched = os.pidfd_open(agent)
        started = time.monotonic()
        client.kill()
        ended, _, _ = select.select([watched], [], [], BOUND)
        seconds = time.monotonic() - started
        os.close(watched)
    assert ended, "the agent is an orphan"
    assert not Gauge(agent).is_running()
    _enter(ledger, f"client_killed_{state}", seconds)


def test_a_last_line_without_a_newline_is_answered(ledger: Ledger) -> None:
    with RawAgent() as agent:
        agent.initialize()
        agent.send([line(1, "session/new", NEW_SESSION) + line(2, "session/new", NEW_SESSION)[:-1]])
        assert agent.leave() == 0
        assert sorted(each["id"] for each in agent.answers) == [1, 2]
    ledger.enter("last_line_without_a_newline", Cost(2, 0, 0))


def test_a_last_line_that_is_cut_off_is_refused(ledger: Ledger) -> None:
    with RawAgent() as agent:
        agent.initialize()
        agent.send([line(1, "session/new", NEW_SESSION)[:-5]])
        assert agent.leave() == 0
        assert [each["error"]["code"] for each in agent.answers] == [-32700]
    ledger.enter("last_line_cut_off", Cost(1, 0, 0))


def test_input_that_is_over_before_the_agent_starts_to_read(ledger: Ledger) -> None:
    with RawAgent() as agent:
        agent.send([line(n, "session/new", NEW_SESSION) for n in range(200)])
        assert agent.leave() == 0
        assert sorted(each["id"] for each in agent.answers) == list(range(200))
    ledger.enter("input_over_at_the_start", Cost(200, 0, 0))


@pytest.mark.parametrize("version", [1, 2])
def test_a_running_turn_gets_no_second_answer_at_the_end(version: int, ledger: Ledger) -> None:
    with RawAgent(version) as agent:
        with_a_turn_running(agent)
        agent.pump(lambda: agent.chunks_told > 1000)
        agent.close_stdin()
        agent.read_to_end()
        assert agent.process.wait(BOUND) == 0
        assert len(agent.answers) <= 1
    ledger.enter("turn_at_the_end", Cost(1, 0, 0))


def test_an_idle_agent_uses_no_processor(ledger: Ledger) -> None:
    with RawAgent() as agent:
        agent.initialize()
        agent.fence()
        before = agent.gauge.processor_seconds()
        assert not agent.step(1.0), "it says something by itself"
        used = agent.gauge.processor_seconds() - before
        assert used <= 0.002  # R10: 0.2 % of the second.
        assert agent.leave() == 0
    ledger.enter("idle_processor", Cost(1, 1, 0))
