"""Large work leaves the event loop alone, small work does not pay for it."""

import asyncio
import threading

import pytest

from parley.coder.workspace.aside import SMALL, aside


def test_only_large_work_goes_to_a_thread() -> None:
    async def scenario() -> tuple[bool, bool]:
        here = threading.current_thread()
        small = await aside(SMALL, threading.current_thread)
        large = await aside(SMALL + 1, threading.current_thread)
        return small is here, large is here

    assert asyncio.run(scenario()) == (True, False)


@pytest.mark.parametrize("size", [0, SMALL + 1])
def test_results_arguments_and_errors_come_through(size: int) -> None:
    assert asyncio.run(aside(size, int, "ff", base=16)) == 255
    with pytest.raises(ValueError, match="invalid literal"):
        asyncio.run(aside(size, int, "x"))
