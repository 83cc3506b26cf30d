"""Measure `parley run` beside the client of the official SDK: notifications, memory and start.

Usage: .venv/bin/python -m bench.run_speed [--rounds 5] [--notifications 300000] [--million]

The sender notes when each prompt comes, so that a turn is timed from outside: from its prompt to
the next one, which is sent when everything was handled and handed out. Every round measures every
client. The start is the time from the first moment to the first prompt, compared with that of a
bare client that starts the same agent; of several starts the fastest one counts, since whatever
else the machine does only adds to it. The exit status is 1 when a goal is not met.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.acp_process import PARLEY
from bench.harness import RawAgent, environment

HERE = Path(__file__).resolve().parent
OUTPUTS = ("final", "json", "text")
LEAST_RATIO = 8.0
MOST_START_MS = 250.0
MOST_GROWTH_MB = 8.0
"""Over a million notifications; each of them takes 150 bytes on the wire."""
_WARM_UP = 1000
_OFFICIAL = 20_000
_START_ROUNDS = 9


class Prompt(NamedTuple):
    """What the sender noted when a prompt came."""

    time: float
    rss_mb: float
    peak_mb: float
    cpu: float


class Turn(NamedTuple):
    rate: float
    """Notifications per second."""
    growth_mb: float
    peak_mb: float


def run_turn(folder: Path, output: str, count: int) -> Turn:
    """One large turn between two small ones."""
    prompts = folder / "prompts"
    prompts.write_text(f"stream {_WARM_UP}\nstream {count}\nstream 1\n")
    noted = _run(folder, ("--output", output, "--prompts", str(prompts)))
    _, before, after = noted
    seconds = after.time - before.time
    return Turn(count / seconds, after.rss_mb - before.rss_mb, after.peak_mb)


def official_rate(count: int) -> float:
    """The same measured by the counting client itself."""
    client = (sys.executable, str(HERE / "official_count_client.py"), str(count))
    sender = (sys.executable, str(HERE / "raw_sender.py"))
    done = subprocess.run((*client, *sender), capture_output=True, check=True, env=environment())
    found = json.loads(done.stdout)
    return found["n"] / found["seconds"]


def run_start(folder: Path, output: str = "text") -> float:
    """Milliseconds from the start of `parley run` to the first prompt at the agent."""
    began = time.monotonic()
    [prompt] = _run(folder, ("--output", output, "stream 1"))
    return (prompt.time - began) * 1e3


def bare_start(folder: Path) -> float:
    """The same with a client that costs nothing: the agent's own part of it."""
    notes = folder / "notes"
    began = time.monotonic()
    with RawAgent(_sender(notes)) as agent:
        agent.initialize()
        agent.turn(agent.prompt(agent.new_session(), "stream 1"))
    [prompt] = _noted(notes)
    return (prompt.time - began) * 1e3


def start_cpu(folder: Path) -> float:
    """Milliseconds of processor time that `parley run` took up to the first prompt."""
    [prompt] = _run(folder, ("stream 1",))
    return prompt.cpu * 1e3


def own_start(folder: Path) -> float:
    """Milliseconds from the start of `parley run` with our own agent to the open session."""
    environ = _environment(folder)
    began = time.monotonic()
    with subprocess.Popen(
        (*PARLEY, "run", "--output", "json", "--no-stdin", "hello"),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environ,
        cwd=folder,
    ) as process:
        assert process.stdout is not None
        first = json.loads(process.stdout.readline())
        took = (time.monotonic() - began) * 1e3
        process.stdout.read()
    assert first["event"] == "session_opened", first
    return took


def own_bare_start(folder: Path) -> float:
    """The same with a client that costs nothing."""
    os.environ.update(_environment(folder))
    began = time.monotonic()
    with RawAgent((*PARLEY, "acp")) as agent:
        agent.initialize()
        agent.new_session()
        return (time.monotonic() - began) * 1e3


def _run(folder: Path, arguments: Sequence[str]) -> list[Prompt]:
    notes = folder / "notes"
    subprocess.run(
        (*PARLEY, "run", "--quiet", *arguments, "--", *_sender(notes)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        check=True,
        env=_environment(folder),
        cwd=folder,
    )
    return _noted(notes)


def _sender(notes: Path) -> tuple[str, ...]:
    return (sys.executable, str(HERE / "timed_sender.py"), str(notes))


def _noted(notes: Path) -> list[Prompt]:
    lines = notes.read_text().splitlines()
    notes.unlink()
    return [Prompt(*map(float, line.split())) for line in lines]


def _environment(folder: Path) -> dict[str, str]:
    """Nothing is configured, and the home is empty."""
    return environment() | {"HOME": str(folder), "PARLEY_LOCAL_SERVERS": "false"}


def measure_rates(folder: Path, rounds: int, count: int) -> bool:
    official: list[float] = []
    ours: dict[str, list[Turn]] = {output: [] for output in OUTPUTS}
    for _ in range(rounds):
        official.append(official_rate(_OFFICIAL))
        for output in OUTPUTS:
            ours[output].append(run_turn(folder, output, count))
    theirs = statistics.median(official)
    print(f"official client: {theirs:,.0f} notifications/s")
    met = True
    for output, turns in ours.items():
        rate = statistics.median(turn.rate for turn in turns)
        growth = statistics.median(turn.growth_mb for turn in turns)
        peak = max(turn.peak_mb for turn in turns)
        ratio = rate / theirs
        met &= ratio >= LEAST_RATIO
        print(f"--output {output}: {rate:,.0f}/s, {ratio:.1f} times the official one", end="; ")
        print(f"{growth:+.1f} MB over {count:,}, peak {peak:.0f} MB")
    return met


def measure_million(folder: Path) -> bool:
    met = True
    for output in OUTPUTS:
        turn = run_turn(folder, output, 1_000_000)
        met &= turn.growth_mb <= MOST_GROWTH_MB
        print(f"--output {output}, a million: {turn.growth_mb:+.1f} MB, peak {turn.peak_mb:.0f} MB")
    return met


def measure_start(
    folder: Path, name: str, ours: Callable[[Path], float], bare: Callable[[Path], float]
) -> bool:
    pairs = [(ours(folder), bare(folder)) for _ in range(_START_ROUNDS)]
    whole, alone = (min(each) for each in zip(*pairs, strict=True))
    more = whole - alone
    usual = statistics.median(each - least for each, least in pairs)
    print(f"start with {name}: {whole:.0f} ms, the agent alone {alone:.0f} ms", end=": ")
    print(f"{more:+.0f} ms (median {usual:+.0f} ms)")
    return more <= MOST_START_MS


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--notifications", type=int, default=300_000)
    parser.add_argument("--million", action="store_true", help="see memory over a million, too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        met = [
            measure_rates(folder, options.rounds, options.notifications),
            measure_start(folder, "a bare agent", run_start, bare_start),
            measure_start(folder, "our own agent", own_start, own_bare_start),
        ]
        cpu = statistics.median(start_cpu(folder) for _ in range(_START_ROUNDS))
        print(f"processor time up to the first prompt: {cpu:.0f} ms")
        if options.million:
            met.append(measure_million(folder))
    print("all goals are met" if all(met) else "a goal is NOT met")
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
