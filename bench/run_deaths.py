"""Let agents die, hang, close pipes and fork at random moments of a run, and see how it ends.

Usage: .venv/bin/python -m bench.run_deaths [--runs 1000] [--seed 1] [--at-once 8]

The moment is a number of bytes written, a number of messages read, or a time. The agent writes
down what it had done by then, so that the right exit status is known: 7 before it was introduced,
8 in a session, 0 when its turn had ended; for one that hangs 7 and 9 by `--deadline` and 5 by
`--timeout`. Everything that it had said must be on stdout, the report must name how it ended, it
must be over in time, and no process may be left. The exit status is 1 if any run fails.
"""

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from bench.acp_process import PARLEY, all_gone, environment
from bench.dying_agent import WORDS

AGENT = Path(__file__).with_name("dying_agent.py")
_SIGNALS = (signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT, signal.SIGTERM, signal.SIGPIPE)
_STATUSES = (0, 1, 2, 7, 70, 127, 255)
# How long a whole session takes on a machine that has nothing else to do, and its bytes.
_SESSION_SECONDS, _SESSION_BYTES, _SESSION_READS = 0.5, 9000, 10
_CLOSING = ("close_stdout", "close_stdin", "close_both", "close_all")
_CODES = {
    "death": {"starting": 7, "ready": 8, "open": 8, "done": 0},
    "hang": {"starting": 7, "ready": 9, "open": 5, "done": 0},
}


@dataclass(frozen=True)
class Limits:
    """Seconds that the run gets by its options, and how much later its end may be."""

    deadline: float = 4.0
    timeout: float = 8.0
    grace: float = 1.0
    slack: float = 6.0
    """From the moment, or from the last limit that holds, to the end of the run."""

    @property
    def options(self) -> tuple[str, ...]:
        given = {"deadline": self.deadline, "timeout": self.timeout, "grace": self.grace}
        return tuple(word for name, value in given.items() for word in (f"--{name}", f"{value}"))


@dataclass
class Run:
    """What one run was to be, and what became of it."""

    plan: dict[str, Any]
    code: int = -1
    after: float = 0.0
    """Seconds from the moment to the end of the run."""
    problems: list[str] = field(default_factory=list[str])
    stage: str = "never"

    @property
    def way(self) -> str:
        children = ", children" if self.plan.get("children") else ""
        return f"{self.plan['way']}{children}"


def plan_for(random: Random) -> dict[str, Any]:
    """A way to fail, and when."""
    ways = ("exit", "exit", "signal", "signal", "hang", "stop")
    way = random.choice((*ways, *_CLOSING))
    plan: dict[str, Any] = {"version": random.choice((1, 1, 2)), "way": way}
    match way:
        case "exit":
            plan["number"] = random.choice(_STATUSES)
        case "signal":
            plan["number"] = int(random.choice(_SIGNALS))
        case "stop":
            plan |= {"way": "signal", "number": int(signal.SIGSTOP)}
        case _:
            pass
    plan["children"] = random.choice((0, 0, 1, 3))
    plan["complains"] = random.random() < 0.2
    match random.randrange(3):
        case 0:
            plan["bytes"] = random.randrange(_SESSION_BYTES)
        case 1:
            plan["reads"] = random.randrange(_SESSION_READS)
        case _:
            plan["seconds"] = random.random() * _SESSION_SECONDS
    return plan


def one_run(folder: Path, plan: dict[str, Any], limits: Limits) -> Run:
    """Start `parley run` with an agent that follows the plan, and judge what comes of it."""
    run = Run(plan)
    notes = folder / "notes"
    agent = (sys.executable, "-I", "-S", str(AGENT), json.dumps(plan), str(notes))
    process = subprocess.Popen(
        (*PARLEY, "run", "--yes", *limits.options, "go", "--", *agent),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=environment(folder),
    )
    try:
        out, err = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        run.problems.append("it did not end within 60 s")
    ended = time.monotonic()
    run.code = process.returncode
    if all_gone(folder) is None:
        run.problems.append("a process was left behind")
    noted = json.loads(notes.read_text()) if notes.exists() else None
    run.problems += judged(run, out, err, noted)
    if noted is not None and noted["what"] == plan["way"]:
        run.stage, run.after = noted["stage"], ended - noted["time"]
        run.problems += _late(run, noted, ended, limits)
    return run


def judged(run: Run, out: str, err: str, noted: dict[str, Any] | None) -> list[str]:
    """What is wrong with the status, the output and the report."""
    problems: list[str] = []
    failed = noted is not None and noted["what"] == run.plan["way"]
    if noted is None:
        stages, said = ["done"], {WORDS}
    elif failed:
        stages = [noted["stage"], noted["later"][0]]
        said = {noted["said"], noted["later"][1]}
    else:
        stages, said = ["done"], {WORDS}
    kind = "hang" if failed and _hangs(run.plan) else "death"
    codes = {_CODES[kind][stage] for stage in stages}
    if run.code not in codes:
        problems.append(f"the status is {run.code} and not one of {codes}: {err[-600:]}")
    words = out.split()
    if words != [str(number) for number in range(len(words))] or len(words) not in said:
        problems.append(f"said {sorted(said)} words, shown: {out[-200:]!r}")
    if run.code in (7, 8, 9) and not all(each in err for each in _report(run.plan)):
        problems.append(f"the report does not tell {_report(run.plan)}: {err[-600:]}")
    if "Traceback" in err:
        problems.append(f"a traceback: {err[-2000:]}")
    return problems


def _report(plan: dict[str, Any]) -> tuple[str, ...]:
    """What the report must contain."""
    number = plan.get("number", 0)
    ended = "it still ran, and was ended"
    match plan["way"]:
        case "exit":
            ended = f"exited with status {number}"
        case "signal" if number != signal.SIGSTOP:
            ended = f"was ended by {signal.Signals(number).name}"
        case "close_stdin" | "close_both" | "close_all" if not _hangs(plan):
            # Which of the pipes is missed first is a matter of moments.
            return ("went away", "| last words", "try:")
        case _:
            pass
    return (ended, "waiting for:", "last frame:", "| last words", "try:")


def _hangs(plan: dict[str, Any]) -> bool:
    """Whether nothing can be noticed: children hold the pipes open that their parent closed."""
    held = plan["way"].startswith("close") and plan["children"]
    return plan["way"] == "hang" or plan.get("number") == signal.SIGSTOP or bool(held)


def _late(run: Run, noted: dict[str, Any], ended: float, limits: Limits) -> list[str]:
    limit = noted["time"] + limits.slack
    if _hangs(run.plan) and run.code in (7, 9):
        limit += limits.deadline
    elif run.code == 5:
        # Its time began when the agent was started.
        allowed = limits.timeout + limits.grace + limits.slack
        limit = max(limit, noted["started"] + allowed)
    return [] if ended <= limit else [f"it took {run.after:.1f} s from the moment"]


def campaign(
    folder: Path,
    runs: int,
    seed: int,
    *,
    at_once: int,
    quiet: bool = False,
    limits: Limits | None = None,
) -> list[Run]:
    """So many runs, several at the same time, since most of them wait."""
    random = Random(seed)
    plans = [plan_for(random) for _ in range(runs)]
    done: list[Run] = []

    def one(number: int) -> Run:
        place = folder / str(number)
        place.mkdir()
        return one_run(place, plans[number], limits or Limits())

    with ThreadPoolExecutor(at_once) as pool:
        for number, run in enumerate(pool.map(one, range(runs))):
            done.append(run)
            for problem in run.problems:
                print(f"run {number}, {run.plan}: {problem}", file=sys.stderr)
            if not quiet and number % 100 == 99:
                print(f"{number + 1} runs", flush=True)
    return done


def _table(title: str, counts: "Counter[str]") -> None:
    print(f"{title}: " + ", ".join(f"{name} {count}" for name, count in sorted(counts.items())))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--at-once", type=int, default=8)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runs = campaign(Path(folder), options.runs, options.seed, at_once=options.at_once)
    failed = sum(bool(run.problems) for run in runs)
    print(f"{len(runs)} runs: {failed} failed")
    _table("ways", Counter(run.way for run in runs))
    _table("stages", Counter(run.stage for run in runs))
    _table("exit statuses", Counter(str(run.code) for run in runs))
    for name, ways in (("a death", ("exit", "signal")), ("closed pipes", _CLOSING)):
        took = [run.after for run in runs if run.plan["way"] in ways and not _hangs(run.plan)]
        print(f"from {name} to the end: at most {max(took, default=0.0):.1f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
