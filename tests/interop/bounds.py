"""What all tests of this folder share: how long they wait, and how programs are started."""

import asyncio
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

HERE = Path(__file__).parent
BOUND = 20.0
"""Seconds that a whole scenario may take, the start of its programs included."""


def program(name: str, *flags: str) -> list[str]:
    """The command line of one of our Python programs."""
    return [sys.executable, str(HERE / "programs" / name), *flags]


def bounded(scenario: Coroutine[Any, Any, T]) -> T:
    """Run a scenario, which must not take longer than the bound."""

    async def run() -> T:
        async with asyncio.timeout(BOUND):
            return await scenario

    return asyncio.run(run())
