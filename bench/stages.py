"""The stages of the benchmark. Each measures one peer once and returns named figures."""

import itertools
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from harness import (
    AgentEnded,
    RawAgent,
    children,
    cpu_seconds,
    environment,
    one_core,
    rss_mb,
    wait_until_quiet,
)

HERE = Path(__file__).resolve().parent
SENDER = [sys.executable, str(HERE / "raw_sender.py")]
MB = 1_000_000
CJK = "\u6f22\u5b57\u4eee\u540d"


@dataclass(frozen=True)
class Peer:
    """One implementation under measurement."""

    name: str
    agent: str
    client: str | None = None
    protocol: int = 1

    @property
    def agent_command(self) -> list[str]:
        version = ["--protocol", "2"] if self.protocol == 2 else []
        return [sys.executable, str(HERE / self.agent), *version]

    @property
    def client_command(self) -> list[str] | None:
        return [sys.executable, str(HERE / self.client)] if self.client else None


@dataclass(frozen=True)
class Scale:
    """How much each stage does."""

    turns: int
    stream: int
    probes: tuple[int, ...]
    unread: int
    """Chunks that a client leaves unread."""
    unhandled: int
    """Chunks behind a handler that blocks."""


Figures = dict[str, float]
Stage = Callable[[Peer, Scale], Figures]


def cold_start(peer: Peer, scale: Scale) -> Figures:
    """From spawning the process to the answer to `initialize`."""
    with RawAgent(peer.agent_command, peer.protocol) as agent:
        agent.initialize()
        elapsed = time.perf_counter() - agent.started
        return {"cold start, ms": elapsed * 1e3, "RSS after initialize, MB": rss_mb(agent.pid)}


def turns(peer: Peer, scale: Scale) -> Figures:
    """Turns without output, one after the other, on one core and as the system places them.

    A turn is a strict exchange: one of the two processes always sleeps. Across two cores the time
    to wake a sleeping core, which is the machine's and the same for every peer, makes up most of
    a turn, and the system changes its mind about the placing from run to run. On one core what is
    left is the work of the peers.
    """
    with _ready(peer) as (agent, session):
        agent.block_on_pipes()
        prompts = iter([agent.prompt(session, "noop") for _ in range(2 * scale.turns)])
        for prompt in itertools.islice(prompts, scale.turns // 4):
            agent.short_turn(prompt)
        spread = _timed(agent, itertools.islice(prompts, scale.turns // 2))
        cpu = cpu_seconds(agent.pid)
        with one_core(agent.pid):
            together = _timed(agent, prompts)
        cpu = cpu_seconds(agent.pid) - cpu
        return {
            "turn p50, us": statistics.median(together) * 1e6,
            "turn p99, us": statistics.quantiles(together, n=100)[98] * 1e6,
            "turn CPU, us": cpu / len(together) * 1e6,
            "turn p50 across cores, us": statistics.median(spread) * 1e6,
        }


def _timed(agent: RawAgent, prompts: Iterable[bytes]) -> list[float]:
    times: list[float] = []
    for prompt in prompts:
        began = time.perf_counter()
        agent.short_turn(prompt)
        times.append(time.perf_counter() - began)
    return times


def stream(peer: Peer, scale: Scale) -> Figures:
    """One turn with very many chunks."""
    with _ready(peer) as (agent, session):
        agent.turn(agent.prompt(session, "stream 1000"))
        prompt = agent.prompt(session, f"stream {scale.stream}")
        cpu, began = cpu_seconds(agent.pid), time.perf_counter()
        chunks = agent.turn(prompt)
        elapsed = time.perf_counter() - began
        if chunks != scale.stream:
            raise AgentEnded(f"{chunks} chunks instead of {scale.stream}")
        cpu = cpu_seconds(agent.pid) - cpu
        return {"stream, chunks/s": chunks / elapsed, "stream CPU, us/chunk": cpu / chunks * 1e6}


def echo(peer: Peer, scale: Scale) -> Figures:
    """One very large message each way, and how many bytes text beyond ASCII takes."""
    with _ready(peer) as (agent, session):
        prompt = agent.prompt(session, "echo " + "x" * (10 * MB))
        began = time.perf_counter()
        agent.turn(prompt)
        elapsed = time.perf_counter() - began
        figures = {"10 MB echo, ms": elapsed * 1e3, "peak RSS, MB": rss_mb(agent.pid, "VmHWM")}
        before = agent.received
        agent.turn(agent.prompt(session, "echo " + CJK * (MB // len(CJK))))
        figures["3 MB CJK echo, MB out"] = (agent.received - before) / MB
    for size in scale.probes:
        figures[f"{size} MB echo answered"] = _probe(peer, size)
    return figures


def many_sessions(peer: Peer, scale: Scale) -> Figures:
    """200 turns of 50 chunks at the same time."""
    with _ready(peer) as (agent, session):
        agent.turn(agent.prompt(session, "stream 1000"))
        sessions = [agent.new_session() for _ in range(200)]
        prompts = b"".join(agent.prompt(each, "stream 50") for each in sessions)
        began = time.perf_counter()
        chunks = agent.turn(prompts, turns=200)
        elapsed = time.perf_counter() - began
        if chunks != 200 * 50:
            raise AgentEnded(f"{chunks} chunks instead of 10000")
        return {"200 x 50, ms": elapsed * 1e3}


def client(peer: Peer, scale: Scale) -> Figures:
    """The client side, fed by a sender that costs nothing."""
    if peer.client_command is None:
        return {}
    command = [*peer.client_command, str(scale.stream), *SENDER]
    finished = subprocess.run(
        command, env=environment(), capture_output=True, text=True, timeout=120, check=True
    )
    seen = json.loads(finished.stdout)
    return {
        "client, chunks/s": seen["n"] / seen["seconds"],
        "client CPU, us/chunk": seen["cpu_s"] / seen["n"] * 1e6,
        "client peak RSS, MB": seen["peak_rss_mb"],
    }


def blocked_reader(peer: Peer, scale: Scale) -> Figures:
    """Memory the agent gains when its client stops reading in the middle of a stream."""
    with _ready(peer) as (agent, session):
        agent.turn(agent.prompt(session, "stream 1000"))
        before = rss_mb(agent.pid)
        prompt = agent.prompt(session, f"stream {scale.unread}")
        agent.exchange(prompt, lambda received: True, 30)
        wait_until_quiet([agent.pid])
        return {"blocked reader, agent MB": rss_mb(agent.pid) - before}


def blocked_handler(peer: Peer, scale: Scale) -> Figures:
    """Memory both sides gain when the client's handler of the first update blocks."""
    if peer.client_command is None:
        return {}
    command = [*peer.client_command, "--block", str(scale.unhandled), *peer.agent_command]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment()
    )
    agents: list[int] = []
    try:
        assert process.stdout is not None
        process.stdout.readline()
        agents = children(process.pid)
        pids = [process.pid, *agents]
        before = [rss_mb(pid) for pid in pids]
        wait_until_quiet(pids)
        grown = [rss_mb(pid) - then for pid, then in zip(pids, before, strict=True)]
    finally:
        # The agent ends by itself when its input does.
        process.kill()
        process.communicate()
    return {"blocked handler, client MB": grown[0], "blocked handler, agent MB": sum(grown[1:])}


class _ready:
    """An initialized agent with one session."""

    def __init__(self, peer: Peer) -> None:
        self._agent = RawAgent(peer.agent_command, peer.protocol)

    def __enter__(self) -> tuple[RawAgent, str]:
        self._agent.initialize()
        return self._agent, self._agent.new_session()

    def __exit__(self, *_: object) -> None:
        self._agent.__exit__()


def _probe(peer: Peer, size: int) -> float:
    """Whether a message of that many megabytes comes back: 1 it does, 0 it does not."""
    with _ready(peer) as (agent, session):
        try:
            agent.turn(agent.prompt(session, "echo " + "x" * (size * MB)))
        except AgentEnded:
            return 0.0
    return 1.0
