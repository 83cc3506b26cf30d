"""What the soak measures, what it must be, and how it is shown. Linux only."""

import math
import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.agent_endings import descendants
from bench.model_server import cpu_seconds
from bench.soak_agent import read_times
from bench.soak_client import SoakClient
from bench.soak_day import Done

VERSIONS = (1, 2)
"""There is one process for each."""
WARM = 1 / 3
"""The part of the day that is for warming up."""
_WHOLE_DAY = 5_000
"""With fewer turns memory and latency have not settled, so that they are not judged."""


@dataclass(frozen=True)
class Sample:
    """One look at one process; memory is in megabytes, the processor time in seconds."""

    version: int
    turn: int
    memory: float
    cpu: float
    descriptors: int
    """Without those of connections: some to the model are kept for the next request."""
    connections: int
    threads: int
    children: int


_MOST_CONNECTIONS = 8
"""Two are those by which the loop wakes itself; the others lead to the model."""

_MOST_THREADS = (os.cpu_count() or 1) + 8
"""The loop, the writer of the store, two readers, and a pool that begins its threads as it needs
them: four more than there are processors."""


def sampled(client: SoakClient, turn: int) -> Sample:
    place = Path(f"/proc/{client.process.pid}")
    opened = [_target(each) for each in (place / "fd").iterdir()]
    connections = sum(target.startswith("socket:") for target in opened)
    status = dict(
        line.split(":", 1) for line in (place / "status").read_text().splitlines() if ":" in line
    )
    return Sample(
        client.version,
        turn,
        int(status["VmRSS"].split()[0]) / 1024,
        cpu_seconds(client.process.pid),
        len(opened) - connections,
        connections,
        int(status["Threads"]),
        len(descendants(client.process.pid)),
    )


class PlainWrites:
    """What the disk takes for one page with nothing around it, at the same time of the day."""

    def __init__(self, path: Path) -> None:
        self.times: list[float] = []
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)

    def write(self) -> None:
        began = time.perf_counter()
        os.pwrite(self._file, b"x" * 4096, 0)
        os.fdatasync(self._file)
        self.times.append(time.perf_counter() - began)

    def close(self) -> None:
        os.close(self._file)


@dataclass(frozen=True)
class Looks:
    working: list[Sample]
    resting: list[Sample]
    plain: list[float]


@dataclass(frozen=True)
class Figures:
    taken: float
    """Seconds of the whole day."""
    looks: Looks
    times: Sequence[Path]
    """Where each process has noted the times of its store."""
    data: Path


@dataclass(frozen=True)
class Goal:
    name: str
    value: float | None
    most: float | None
    """Nothing: it is shown beside the others and not judged."""
    whole_day: bool = False
    """Whether it takes a whole day to settle."""

    @property
    def met(self) -> bool:
        return self.value is None or self.most is None or self.value <= self.most


def shown(figures: Figures, done: Done) -> None:
    """Print how the day went, hour by hour."""
    print(f"{done.turns} turns in {done.sessions} sessions, {figures.taken:.0f} s,", end=" ")
    print(f"{done.turns / figures.taken:.1f} turns a second")
    print(", ".join(f"{name} {count}" for name, count in sorted(done.counts.items())))
    names = ("MB", "cpu s", "files", "sockets", "threads", "children")
    print(f"\n{'at rest':<10}{'turn':>7}" + "".join(f"{name:>10}" for name in names))
    for each in sorted(figures.looks.resting, key=lambda sample: (sample.version, sample.turn)):
        row = f"version {each.version:<2}{each.turn:>7}{each.memory:>10.1f}{each.cpu:>10.1f}"
        counts = (each.descriptors, each.connections, each.threads, each.children)
        print(row + "".join(f"{count:>10}" for count in counts))


def judged(figures: Figures, done: Done) -> bool:
    """Print what became of the goals; whether all were met."""
    print("\nGoals:")
    met = not done.problems and done.turns > 0
    for goal in goals(figures, done):
        if goal.value is None:
            print(f"  not measured  {goal.name}")
        elif goal.most is None:
            print(f"  {'':<14}{goal.name}: {goal.value:.4g}")
        else:
            judging = not goal.whole_day or done.turns >= _WHOLE_DAY
            met &= goal.met or not judging
            verdict = "met" if goal.met else "NOT met" if judging else "not judged"
            print(f"  {verdict:<14}{goal.name}: {goal.value:.4g} (goal <= {goal.most:g})")
    print(f"  {'NOT met' if done.problems else 'met':<14}wrong turns: {len(done.problems)}")
    for problem in done.problems:
        print(f"    {problem}")
    return met


def goals(figures: Figures, done: Done) -> list[Goal]:
    found: list[Goal] = []
    for version in VERSIONS:
        working = [each for each in figures.looks.working if each.version == version]
        resting = [each for each in figures.looks.resting if each.version == version]
        name = f"version {version}"
        found += [
            Goal(f"{name}, memory at work, last to first", _drift(working, _memory), 1.05, True),
            Goal(f"{name}, memory at rest, last to first", _drift(resting, _memory), 1.05, True),
            Goal(f"{name}, descriptors at rest, more", _more(resting, _descriptors), 0),
            Goal(f"{name}, connections at rest", _most(resting, _connections), _MOST_CONNECTIONS),
            Goal(f"{name}, threads at rest", _most(resting, _threads), _MOST_THREADS),
            Goal(f"{name}, threads at rest, more", _more(resting, _threads), 0, True),
            Goal(f"{name}, children at rest, more", _more(resting, _children), 0),
        ]
    durable = sorted(taken for path in figures.times for taken in read_times(path)[0])
    other = sorted(taken for path in figures.times for taken in read_times(path)[1])
    plain = figures.looks.plain
    size = sum(each.stat().st_size for each in figures.data.rglob("*") if each.is_file())
    return [
        *found,
        Goal("processor per turn, last to first", _cpu(figures.looks.working), 1.2, True),
        Goal("append with sync, median, ms", _at(durable, 0.5), 5),
        Goal("append with sync, p99, ms", _at(durable, 0.99), 5, True),
        Goal("append without sync, p99, ms", _at(other, 0.99), 5, True),
        Goal("one page with sync and no store, p99, ms", _at(sorted(plain), 0.99), None),
        Goal("text turn, last to first", _slower(done), 1.3, True),
        Goal("store, KB per turn", size / 1024 / max(done.turns, 1), 32, True),
    ]


def _target(descriptor: Path) -> str:
    try:
        return os.readlink(descriptor)
    except OSError:
        return ""  # Closed since.


def _memory(sample: Sample) -> float:
    return sample.memory


def _descriptors(sample: Sample) -> float:
    return sample.descriptors


def _connections(sample: Sample) -> float:
    return sample.connections


def _threads(sample: Sample) -> float:
    return sample.threads


def _children(sample: Sample) -> float:
    return sample.children


def _ends(samples: Sequence[Sample]) -> tuple[Sequence[Sample], Sequence[Sample]]:
    """The beginning of the day, once it is warm, and its end: a quarter of the rest each."""
    start = int(len(samples) * WARM)
    quarter = math.ceil((len(samples) - start) / 4)
    return samples[start : start + quarter], samples[len(samples) - quarter :]


def _drift(samples: Sequence[Sample], figure: Callable[[Sample], float]) -> float | None:
    first, last = _ends(samples)
    if not first or not last:
        return None
    return statistics.median(map(figure, last)) / statistics.median(map(figure, first))


def _more(samples: Sequence[Sample], figure: Callable[[Sample], float]) -> float | None:
    """By how much the last figure is beyond the largest of the beginning."""
    first, last = _ends(samples)
    if not first or not last:
        return None
    return max(0.0, figure(last[-1]) - max(map(figure, first)))


def _most(samples: Sequence[Sample], figure: Callable[[Sample], float]) -> float | None:
    return max(map(figure, samples), default=None)


def _cpu(samples: Sequence[Sample]) -> float | None:
    """Of both processes together: how the turns are shared between them changes."""
    first, last = map(_cpu_per_turn, _ends(samples))
    return last / first if first and last else None


def _cpu_per_turn(samples: Sequence[Sample]) -> float | None:
    of_turn: dict[int, list[float]] = {}
    for each in samples:
        of_turn.setdefault(each.turn, []).append(each.cpu)
    # The beginning and the end may have cut off one of the two.
    whole = [(turn, sum(both)) for turn, both in of_turn.items() if len(both) == len(VERSIONS)]
    if len(whole) < 2:
        return None
    (start, before), *_, (end, after) = whole
    return (after - before) / (end - start)


def _slower(done: Done) -> float | None:
    last = done.turns
    start, quarter = last * WARM, last * (1 - WARM) / 4
    first = [taken for turn, taken in done.texts if start <= turn <= start + quarter]
    end = [taken for turn, taken in done.texts if turn >= last - quarter]
    if not first or not end:
        return None
    return statistics.median(end) / statistics.median(first)


def _at(ordered: Sequence[float], part: float) -> float | None:
    """Milliseconds."""
    return ordered[int(part * (len(ordered) - 1))] * 1000 if ordered else None
