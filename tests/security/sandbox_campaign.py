"""Ways out of the sandbox with real programs, as a row of the table.

`python -m tests.coder.sandbox.escape_run` prints the groups of them.
"""

import asyncio
from collections.abc import Iterator

from parley.coder.sandbox.sandbox import Sandbox
from tests.coder.sandbox.escape_run import at_level, bare, claims, tried
from tests.coder.sandbox.escapes import AROUND, ATTEMPTS, PROTECTED
from tests.security.campaign import Result


def campaign() -> Iterator[Result]:
    yield asyncio.run(_result())


async def _result() -> Result:
    level = (await Sandbox("auto").standing()).level
    every = (*ATTEMPTS, *AROUND, *PROTECTED)
    title = "sandbox escapes with real programs"
    if level == "none":
        return Result(title, 0, 40, ("no sandbox works on this machine",))
    without = await tried(bare, every)
    claimed = tuple(each for each in every if claims(level, each))
    out = await tried(at_level(level), claimed)
    failures = tuple(f"{each.group}: {each.name}" for each in out)
    how = f"level {level}; {len(without)} of {len(every)} come out where nothing confines them"
    return Result(title, len(claimed), 40, failures, how)
