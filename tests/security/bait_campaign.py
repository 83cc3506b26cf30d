"""A checkout full of baits, as a row of the table.

`python -m tests.agent.bait_runs` says what is done in it.
"""

from collections.abc import Iterator

from tests.agent import bait_runs
from tests.agent.baits import BROKEN
from tests.security.campaign import Result


def campaign() -> Iterator[Result]:
    count, taken = bait_runs.campaign()
    how = f"agent and commands started inside and outside; {len(BROKEN)} kinds of broken files"
    yield Result("workspace baits", count, 38, tuple(taken), how)
