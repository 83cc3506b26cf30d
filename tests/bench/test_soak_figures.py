"""What grows during a working day is seen in its figures, and what only warms up is not."""

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.soak_day import Done
from bench.soak_figures import VERSIONS, Figures, Looks, Sample, goals, judged

TURNS = 10_000
Grows = Callable[[int], float]


def flat(turn: int) -> float:
    return 0.0


def warming(turn: int) -> float:
    return min(turn, TURNS // 4)


def growing(turn: int) -> float:
    return turn


def slower(turn: int) -> float:
    return 10 * turn


def day(folder: Path, *, grows: Grows = flat, slow: float = 0.001) -> Figures:
    """A day on which everything grows in the same way, and every commit takes as long."""
    samples = [
        Sample(
            version,
            turn,
            memory=100 + grows(turn) / 500,
            cpu=turn / 100 + grows(turn) ** 2 / 1e6,
            descriptors=20 + int(grows(turn) / 500),
            connections=3 + int(grows(turn) / 1000),
            threads=6 + int(grows(turn) / 1500),
            children=1 + int(grows(turn) / 500),
        )
        for turn in range(0, TURNS + 1, 250)
        for version in VERSIONS
    ]
    folder.mkdir(exist_ok=True)
    times = folder / "times"
    times.write_bytes(b"".join(struct.pack("=?d", durable, slow) for durable in (True, False) * 50))
    return Figures(600.0, Looks(samples, samples, [0.001]), [times], folder)


def done(turns: int = TURNS, *, grows: Grows = flat, problems: tuple[str, ...] = ()) -> Done:
    texts = [(turn, 0.01 + grows(turn) / 1e6) for turn in range(0, turns, 100)]
    return Done(turns=turns, problems=list(problems), texts=texts)


def missed(figures: Figures, of: Done) -> set[str]:
    return {goal.name.removeprefix("version 1, ") for goal in goals(figures, of) if not goal.met}


def test_a_day_on_which_nothing_grows_meets_every_goal(tmp_path: Path) -> None:
    assert missed(day(tmp_path), done()) == set()
    assert judged(day(tmp_path), done())


def test_what_grows_before_the_day_is_warm_is_no_growth(tmp_path: Path) -> None:
    assert missed(day(tmp_path, grows=warming), done(grows=warming)) == set()


def test_everything_that_grows_to_the_end_is_seen(tmp_path: Path) -> None:
    found = missed(day(tmp_path, grows=growing), done(grows=growing))
    assert {
        "memory at work, last to first",
        "memory at rest, last to first",
        "descriptors at rest, more",
        "connections at rest",
        "threads at rest, more",
        "children at rest, more",
        "processor per turn, last to first",
        "text turn, last to first",
    } <= found


def test_a_slow_store_is_seen(tmp_path: Path) -> None:
    assert {"append with sync, p99, ms", "append without sync, p99, ms"} <= missed(
        day(tmp_path, slow=0.006), done()
    )


def test_one_wrong_turn_spoils_the_day(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not judged(day(tmp_path), done(problems=("turn 7: it was refused",)))
    assert "turn 7: it was refused" in capsys.readouterr().out


def test_what_needs_a_whole_day_is_not_judged_after_a_short_one(tmp_path: Path) -> None:
    assert "text turn, last to first" in missed(day(tmp_path), done(4_000, grows=slower))
    assert judged(day(tmp_path), done(4_000, grows=slower))
    assert not judged(day(tmp_path), done(grows=slower))
