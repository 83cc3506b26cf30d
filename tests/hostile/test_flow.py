"""A client that does not read: memory stays bounded, and afterwards nothing is missing (R6)."""

import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from time import monotonic

import pytest

from tests.hostile.case import Cost
from tests.hostile.ledger import Ledger
from tests.hostile.raw_client import NEW_SESSION, Json, RawAgent, line, note, prompt_params

GROWTH = 32.0
"""How many MB more the agent may use while nobody reads."""
STALLED = 0.5
"""Seconds without room for a single byte, after which the agent is taken not to read."""
TAKEN = 6 * 1024 * 1024
"""Bytes the agent may take in before it stops reading: calls that run, and some that wait."""
REQUESTS = 50_000
CHUNKS = 200_000


class _Deaf(AbstractContextManager[None]):
    """The client does not read; at the end the memory of the agent is checked."""

    def __init__(self, agent: RawAgent) -> None:
        self._agent = agent

    def __enter__(self) -> None:
        self._agent.reading = False
        self._before = self._agent.gauge.forget_peak()

    def __exit__(self, *_: object) -> None:
        self._agent.reading = True
        growth = self._agent.gauge.peak() - self._before
        assert growth <= GROWTH, f"{growth:.1f} MB more than before"


@pytest.mark.parametrize("version", [1, 2])
def test_backpressure_requests(version: int, ledger: Ledger) -> None:
    started = monotonic()
    with RawAgent(version) as agent:
        agent.initialize()
        with _Deaf(agent):
            agent.send(_requests("session/new", NEW_SESSION))
            _write_until_stalled(agent)
        _all_answered(agent, REQUESTS)
        _finish(agent, "backpressure_requests", REQUESTS, started, ledger)


@pytest.mark.parametrize("version", [1, 2])
def test_backpressure_updates(version: int, ledger: Ledger) -> None:
    started = monotonic()
    with RawAgent(version) as agent:
        agent.initialize()
        with _Deaf(agent):
            agent.send([line("turn", "session/prompt", prompt_params("s", f"stream {CHUNKS}"))])
            agent.send(_requests("no/such", {}))
            _write_until_stalled(agent)
        # While the turn runs, the client goes on asking, and both come through in full.
        agent.pump(lambda: len(agent.answers) > REQUESTS and agent.chunks_told >= CHUNKS)
        agent.answers = [each for each in agent.answers if each["id"] != "turn"]
        _all_answered(agent, REQUESTS)
        assert agent.chunks_told == CHUNKS
        _finish(agent, "backpressure_updates", REQUESTS + 1, started, ledger)


def test_backpressure_faults(ledger: Ledger) -> None:
    started, count = monotonic(), 600_000
    with RawAgent() as agent:
        agent.initialize()
        with _Deaf(agent):
            agent.send([b"0\n" * 1000] * (count // 1000))
            _write_until_stalled(agent)
        agent.pump(lambda: len(agent.answers) >= count)
        assert {(each["id"], each["error"]["code"]) for each in agent.answers} == {(None, -32600)}
        assert len(agent.answers) == count
        _finish(agent, "backpressure_faults", count, started, ledger)


def test_backpressure_of_large_answers(ledger: Ledger) -> None:
    started, count = monotonic(), 400
    text = "y" * 100_000
    with RawAgent() as agent:
        agent.initialize()
        with _Deaf(agent):
            asked = prompt_params("s", f"echo {text}")
            agent.send(line(n, "session/prompt", asked) for n in range(count))
            _write_until_stalled(agent)
        _all_answered(agent, count)
        assert agent.chunks() == [text] * count
        _finish(agent, "backpressure_of_large_answers", count, started, ledger)


def test_backpressure_with_cancellations(ledger: Ledger) -> None:
    started, count = monotonic(), 20_000
    with RawAgent() as agent:
        agent.initialize()
        with _Deaf(agent):
            asked = prompt_params("s", "stream 10")
            agent.send(
                line(n, "session/prompt", asked) + note("$/cancel_request", {"requestId": n})
                for n in range(count)
            )
            _write_until_stalled(agent)
        _all_answered(agent, count)
        _finish(agent, "backpressure_with_cancellations", 2 * count, started, ledger)


def test_stderr_not_drained(ledger: Ledger) -> None:
    faults = [b"0\n", b"{\n", b"[]\n", b"\xff\n", b'{"jsonrpc":"2.0","id":[]}\n', b'{"id":1}\n']
    started, rounds = monotonic(), 5000
    with RawAgent(stderr=subprocess.PIPE) as agent:
        agent.initialize()
        before = agent.gauge.forget_peak()
        agent.send(faults * rounds)
        agent.pump(lambda: len(agent.answers) >= len(faults) * rounds)
        assert len(agent.answers) == len(faults) * rounds
        assert agent.gauge.peak() - before <= GROWTH
        _finish(agent, "stderr_not_drained", len(faults) * rounds, started, ledger)


def test_stderr_full_from_the_start(ledger: Ledger) -> None:
    started, rounds = monotonic(), 1000
    nobody_reads, stderr = os.pipe()
    _fill(stderr)
    with RawAgent(stderr=stderr) as agent:
        agent.initialize()
        agent.send([b"0\n", b"{\n", b"\xff\n", b"[]\n"] * rounds)
        agent.send(line(n, "session/prompt", {"sessionId": n}) for n in range(rounds))
        agent.pump(lambda: len(agent.answers) >= 5 * rounds)
        _finish(agent, "stderr_full_from_the_start", 5 * rounds, started, ledger)
    os.close(stderr)
    os.close(nobody_reads)


def _fill(pipe: int) -> None:
    """Leave no room in a pipe; whoever writes to it next has to wait."""
    os.set_blocking(pipe, False)
    with suppress(BlockingIOError):
        while True:
            os.write(pipe, bytes(4096))
    os.set_blocking(pipe, True)


def _write_until_stalled(agent: RawAgent) -> None:
    """Write without reading, until the agent takes nothing more."""
    while not agent.sent() and agent.step(STALLED):
        pass
    assert not agent.sent(), "the agent took everything in without being read"
    assert agent.bytes_sent - agent.unread() <= TAKEN


def _all_answered(agent: RawAgent, count: int) -> None:
    """Every request has exactly one answer."""
    agent.pump(lambda: len(agent.answers) >= count)
    assert Counter(each["id"] for each in agent.answers) == Counter(range(count))


def _requests(method: str, params: Json) -> Iterator[bytes]:
    """Many requests, some hundred in a write."""
    for start in range(0, REQUESTS, 500):
        yield b"".join(line(n, method, params) for n in range(start, start + 500))


def _finish(agent: RawAgent, name: str, inputs: int, started: float, ledger: Ledger) -> None:
    agent.forget()
    agent.fence()
    ledger.enter(name, Cost(inputs, monotonic() - started, agent.gauge.peak()))
    assert agent.leave() == 0
