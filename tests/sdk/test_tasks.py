"""Tasks that end with their block, and errors that stay as they are."""

import asyncio

import pytest

from parley.sdk.tasks import Tasks
from tests.sdk.stage import run


def test_leaving_the_block_cancels_what_runs_and_waits_for_it() -> None:
    async def scenario() -> None:
        async with Tasks() as tasks:
            task = tasks.start(asyncio.Event().wait())
            await asyncio.sleep(0)
        assert task.cancelled()

    run(scenario())


def test_a_task_that_starts_another_on_its_way_out_leaves_none_behind() -> None:
    async def scenario() -> None:
        started: list[asyncio.Task[object]] = []

        async def work(tasks: Tasks) -> None:
            try:
                await asyncio.Event().wait()
            finally:
                started.append(tasks.start(asyncio.Event().wait()))

        async with Tasks() as tasks:
            tasks.start(work(tasks))
            await asyncio.sleep(0)
        assert [task.cancelled() for task in started] == [True]

    run(scenario())


def test_what_the_block_raises_is_not_wrapped() -> None:
    async def scenario() -> None:
        async def work() -> None:
            async with Tasks() as tasks:
                tasks.start(asyncio.Event().wait())
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await work()

    run(scenario())


def test_a_failure_stays_with_its_task() -> None:
    async def scenario() -> None:
        async def fail() -> None:
            raise ZeroDivisionError

        async with Tasks() as tasks:
            task = tasks.start(fail())
            with pytest.raises(ZeroDivisionError):
                await task

    run(scenario())
