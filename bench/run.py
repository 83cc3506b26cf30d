"""Measure Parley beside the official SDK and a bare reference, all in one interleaved run.

Usage: .venv/bin/python bench/run.py [--quick] [--stages NAME...] [--peers NAME...]

The machine is rarely quiet, so trust the ratios: every round measures every peer, one after the
other, and the table shows the median over the rounds. The exit status is 1 when a goal is not met.
"""

import argparse
import compileall
import contextlib
import io
import statistics
import sys
from collections import defaultdict
from dataclasses import dataclass

import stages
from stages import HERE, Peer, Scale, Stage

OURS, SECOND, OFFICIAL, REFERENCE = "parley v1", "parley v2", "official", "reference"
SDK, SDK_SECOND = "sdk v1", "sdk v2"
PEERS = [
    Peer(OURS, "echo_agent.py", "count_client.py"),
    Peer(SECOND, "echo_agent.py", protocol=2),
    Peer(SDK, "sdk_echo_agent.py", "sdk_count_client.py"),
    Peer(SDK_SECOND, "sdk_echo_agent.py", protocol=2),
    Peer(OFFICIAL, "official_echo_agent.py", "official_count_client.py"),
    Peer(REFERENCE, "reference_echo_agent.py", "reference_count_client.py"),
]


@dataclass(frozen=True)
class Plan:
    """A stage and how often it runs, whole and quick."""

    stage: Stage
    rounds: int
    quick: int


PLANS = {
    "start": Plan(stages.cold_start, 9, 5),
    "turns": Plan(stages.turns, 5, 3),
    "stream": Plan(stages.stream, 7, 3),
    "echo": Plan(stages.echo, 3, 1),
    "sessions": Plan(stages.many_sessions, 7, 3),
    "client": Plan(stages.client, 7, 3),
    "reader": Plan(stages.blocked_reader, 2, 1),
    "handler": Plan(stages.blocked_handler, 2, 1),
}
# Without back-pressure the blocked stages would hold at least 200 bytes per chunk, which must come
# to well over the goal: a stage that an unbounded agent passes would prove nothing.
WHOLE = Scale(turns=2000, stream=50_000, probes=(33, 51, 101), unread=400_000, unhandled=250_000)
QUICK = Scale(turns=1000, stream=50_000, probes=(33,), unread=400_000, unhandled=250_000)


@dataclass(frozen=True)
class Goal:
    """A ratio of ours to a peer, or a bound on ours alone when there is no peer."""

    metric: str
    peer: str | None
    least: float | None = None
    most: float | None = None
    ours: str = OURS

    def judge(self, table: "Table") -> tuple[str, bool] | None:
        """The figure as text and whether it is met, or nothing when it was not measured."""
        ours = table.median(self.metric, self.ours)
        theirs = table.median(self.metric, self.peer) if self.peer else 1.0
        if ours is None or theirs is None:
            return None
        value = ours / theirs
        met = value >= self.least if self.least is not None else value <= (self.most or 0)
        sign = f">= {self.least:.3g}" if self.least is not None else f"<= {self.most:.3g}"
        against = f" of {self.peer}" if self.peer else ""
        return f"{self.ours}, {self.metric}: {value:.3g}{against} (goal {sign})", met


# Times are better when smaller, so "6 times as fast" is a ratio of at most one sixth.
GOALS = [
    Goal("stream, chunks/s", OFFICIAL, least=15),
    Goal("stream, chunks/s", REFERENCE, least=0.6),
    Goal("client, chunks/s", OFFICIAL, least=12),
    Goal("cold start, ms", OFFICIAL, most=1 / 6),
    Goal("RSS after initialize, MB", OFFICIAL, most=0.65),
    Goal("200 x 50, ms", OFFICIAL, most=1 / 6),
    Goal("turn p50, us", OFFICIAL, most=1 / 1.8),
    Goal("blocked reader, agent MB", None, most=32),
    Goal("blocked handler, client MB", None, most=32),
    Goal("blocked handler, agent MB", None, most=32),
    Goal("stream, chunks/s", OFFICIAL, least=12, ours=SDK),
    Goal("client, chunks/s", OFFICIAL, least=10, ours=SDK),
    Goal("cold start, ms", OFFICIAL, most=1 / 5, ours=SDK),
    Goal("cold start, ms", OFFICIAL, most=1 / 5, ours=SDK_SECOND),
    Goal("stream, chunks/s", SDK, least=1 / 1.3, ours=SDK_SECOND),
]


class Table:
    """All figures of all rounds."""

    def __init__(self) -> None:
        self._figures: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        self.failures: list[str] = []

    def add(self, peer: str, figures: stages.Figures) -> None:
        for metric, value in figures.items():
            self._figures[metric][peer].append(value)

    def median(self, metric: str, peer: str) -> float | None:
        values = self._figures.get(metric, {}).get(peer)
        return statistics.median(values) if values else None

    def show(self, peers: list[str]) -> None:
        print(f"\n{'median':<28}" + "".join(f"{peer:>20}" for peer in peers))
        for metric in self._figures:
            cells = "".join(f"{self._cell(metric, peer):>20}" for peer in peers)
            print(f"{metric:<28}{cells}")

    def _cell(self, metric: str, peer: str) -> str:
        value = self.median(metric, peer)
        if value is None:
            return "-"
        base = self.median(metric, OFFICIAL)
        # A ratio to almost nothing, such as memory that did not grow, says nothing.
        ratio = f" ({value / base:.2f}x)" if base and base >= 1 and peer != OFFICIAL else ""
        return f"{value:,.1f}{ratio}" if value < 1000 else f"{value:,.0f}{ratio}"


def main() -> int:
    options = _options()
    _compile()
    table = Table()
    peers = [peer for peer in PEERS if peer.name in options.peers]
    scale = QUICK if options.quick else WHOLE
    for name in options.stages:
        plan = PLANS[name]
        for number in range(plan.quick if options.quick else plan.rounds):
            for peer in peers:
                _progress(f"{name} round {number + 1}: {peer.name}")
                _measure(plan.stage, peer, scale, table)
    _progress("")
    table.show([peer.name for peer in peers])
    return _verdict(table)


def _measure(stage: Stage, peer: Peer, scale: Scale, table: Table) -> None:
    try:
        table.add(peer.name, stage(peer, scale))
    except (stages.AgentEnded, OSError, TimeoutError) as error:
        table.failures.append(f"{stage.__name__} of {peer.name}: {error}")


def _progress(text: str) -> None:
    """Show where the run is, on a terminal only."""
    if sys.stderr.isatty():
        print(f"\r{text:<40}\r", end="", file=sys.stderr, flush=True)


def _verdict(table: Table) -> int:
    print("\nAgainst the official SDK in brackets; goals:")
    failed = bool(table.failures)
    for goal in GOALS:
        judged = goal.judge(table)
        if judged is None:
            print(f"  not measured  {goal.metric}")
            continue
        text, met = judged
        failed |= not met
        print(f"  {'met     ' if met else 'NOT met '}      {text}")
    for failure in table.failures:
        print(f"  FAILED        {failure}")
    return 1 if failed else 0


def _compile() -> None:
    """Compile what the peers import: without bytecode a start takes two to three times as long."""
    for folder in (HERE, HERE.parent / "src"):
        with contextlib.redirect_stdout(io.StringIO()):
            compileall.compile_dir(folder, quiet=2)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds, for a first look")
    parser.add_argument("--stages", nargs="+", choices=PLANS, default=list(PLANS))
    names = [peer.name for peer in PEERS]
    parser.add_argument("--peers", nargs="+", choices=names, default=names)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
