"""Measure the coding agent as an editor feels it: start, sessions, turns, tool rounds, lists.

Usage: .venv/bin/python bench/agent.py [--quick] [--stages NAME...] [--peer COMMAND...]

`parley acp` runs as a process that a raw client drives. Its model is another process behind HTTP on
loopback which answers at once, and what the model takes is subtracted. If `iac-code` is on the
search path, or another agent is given with `--peer`, it is started in turns with ours, and the
processor times are compared.

Every round measures every stage, and the table shows the median over the rounds. Times are those of
a machine that has nothing else to do: on a busy one compare processor times. The exit status is 1
when a goal is not met. Linux only.
"""

import argparse
import compileall
import contextlib
import io
import os
import shutil
import statistics
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import agent_stages
from agent_client import AgentFailed
from agent_stages import STAGES, Figures, Place
from model_server import ModelServer

ROOT = Path(__file__).resolve().parents[1]
ROUNDS, QUICK = 9, 3


@dataclass(frozen=True)
class Goal:
    metric: str
    most: float


GOALS = (
    Goal("initialize, ms", 150),
    Goal("initialize, MB", 40),
    Goal("initialize, cpu to peer's", 0.1),
    Goal("text turn, ms", 5),
    Goal("read_file round, ms", 8),
    Goal("rounds, last to first", 1.3),
    Goal("load, ms", 1000),
    Goal("list first page, ms", 100),
    Goal("list slowest page, ms", 100),
)


class Table:
    """All figures of all rounds."""

    def __init__(self) -> None:
        self._figures: dict[str, list[float]] = defaultdict(list)
        self.failures: list[str] = []

    def add(self, figures: Figures) -> None:
        for metric, value in figures.items():
            self._figures[metric].append(value)

    def show(self) -> None:
        print(f"{'':<34}{'median':>10}{'least':>10}{'most':>10}")
        for metric, values in self._figures.items():
            cells = (statistics.median(values), min(values), max(values))
            print(f"{metric:<34}" + "".join(f"{value:>10,.2f}" for value in cells))

    def judge(self) -> bool:
        """Print what became of the goals; whether all were met."""
        print("\nGoals, of the medians:")
        met = not self.failures
        for goal in GOALS:
            values = self._figures.get(goal.metric)
            if not values:
                print(f"  not measured  {goal.metric}")
                continue
            value = statistics.median(values)
            met &= value <= goal.most
            verdict = "met     " if value <= goal.most else "NOT met "
            print(f"  {verdict}      {goal.metric}: {value:.3g} (goal <= {goal.most:g})")
        for failure in self.failures:
            print(f"  FAILED        {failure}")
        return met


def main() -> int:
    options = _options()
    with contextlib.redirect_stdout(io.StringIO()):
        # Without bytecode a start takes two to three times as long.
        compileall.compile_dir(ROOT / "src", quiet=2)
    table = Table()
    print(f"load of the machine before: {os.getloadavg()[0]:.1f}")
    print(f"peer: {' '.join(options.peer) or 'not installed'}\n")
    with tempfile.TemporaryDirectory() as folder, ModelServer() as model:
        place = _prepared(Path(folder), model, options)
        for _ in range(QUICK if options.quick else ROUNDS):
            for name in options.stages:
                try:
                    table.add(STAGES[name](place))
                except AgentFailed as error:
                    table.failures.append(f"{name}: {error}")
    table.show()
    return 0 if table.judge() else 1


def _prepared(folder: Path, model: ModelServer, options: argparse.Namespace) -> Place:
    loaded = ""
    if "loading" in options.stages:
        loaded = agent_stages.long_session(folder / "loading")
    if "listing" in options.stages:
        agent_stages.many_sessions(folder / "listing")
    return Place(folder, model, loaded, options.peer)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="fewer rounds, for a first look")
    parser.add_argument("--stages", nargs="+", choices=STAGES, default=list(STAGES))
    found = shutil.which("iac-code")
    parser.add_argument(
        "--peer",
        nargs="+",
        default=[found, "acp"] if found else [],
        metavar="COMMAND",
        help="an agent to start beside ours; by default `iac-code acp`",
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
