"""A working day in a minute: every turn does what it should, and nothing is left behind.

The whole day is `python -m bench.soak`. Memory and times need it to settle, so they are not judged
here.
"""

from pathlib import Path

import pytest

from bench.soak import soak
from bench.soak_figures import goals

TURNS, SESSIONS, SECONDS = 300, 16, 35.0


@pytest.mark.timeout(150)
def test_a_short_working_day_does_what_it_should_and_leaves_nothing_behind(tmp_path: Path) -> None:
    figures, done = soak(tmp_path, TURNS, SESSIONS, SECONDS)
    assert done.problems == []
    assert done.turns > 20
    judged = [goal for goal in goals(figures, done) if not goal.whole_day]
    assert [goal for goal in judged if not goal.met] == []
    counted = [goal for goal in judged if "at rest" in goal.name and goal.value is not None]
    assert len(counted) == 8, counted
