"""A program that runs for as long as a block needs it."""

import asyncio
import logging
from collections.abc import Generator
from pathlib import Path

import pytest

from parley.process.brief import running

BOUND = 5.0
PIPE, NULL = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL


@pytest.fixture(autouse=True)
def nothing_is_said(caplog: pytest.LogCaptureFixture) -> Generator[None]:
    caplog.set_level(logging.WARNING)
    yield
    assert caplog.text == ""


def children() -> set[str]:
    """The processes that are children of ours, those that ended and were not waited for too."""
    tasks = Path("/proc/self/task").iterdir()
    return {pid for task in tasks for pid in (task / "children").read_text().split()}


async def output_of(*command: str, given: bytes = b"") -> tuple[bytes, int | None]:
    async with asyncio.timeout(BOUND), running(*command, stdin=PIPE) as process:
        output, _ = await process.communicate(given)
    return output, process.returncode


def test_its_output_and_its_status_are_told() -> None:
    assert asyncio.run(output_of("cat", given=b"words")) == (b"words", 0)
    assert asyncio.run(output_of("sh", "-c", "exit 3")) == (b"", 3)


def test_it_gets_the_folder_and_the_environment_that_it_is_given() -> None:
    async def scenario() -> None:
        command = ("/bin/sh", "-c", "pwd; echo $WORD; echo lost >&2")
        async with running(*command, stdin=NULL, cwd="/", env={"WORD": "x"}) as process:
            assert await process.communicate() == (b"/\nx\n", None)

    asyncio.run(scenario())


def test_one_that_runs_on_is_killed_with_the_block() -> None:
    async def scenario() -> None:
        async with asyncio.timeout(BOUND):
            async with running("sh", "-c", "echo x; exec sleep 60", stdin=PIPE) as process:
                assert process.stdout is not None
                await process.stdout.readline()
        assert process.returncode == -9

    asyncio.run(scenario())


def test_one_that_ends_by_itself_meanwhile_keeps_its_status() -> None:
    async def scenario() -> None:
        for _ in range(30):
            async with asyncio.timeout(BOUND):
                async with running("true", stdin=NULL, stderr=PIPE) as process:
                    assert process.stdout is not None
                    # At the end of its output it is about to end.
                    await process.stdout.read()
                assert process.returncode in (0, -9)

    asyncio.run(scenario())


@pytest.mark.parametrize("command", ["true", "sleep"])
def test_a_start_that_is_cancelled_leaves_nothing_behind(command: str) -> None:
    async def start(begun: asyncio.Event) -> None:
        begun.set()
        async with running(command, "60", stdin=NULL):
            await asyncio.Event().wait()

    async def scenario() -> None:
        for turns in range(12):
            begun = asyncio.Event()
            async with asyncio.timeout(BOUND), asyncio.TaskGroup() as group:
                task = group.create_task(start(begun))
                await begun.wait()
                for _ in range(turns):
                    await asyncio.sleep(0)
                task.cancel()

    before = children()
    asyncio.run(scenario())
    assert children() - before == set()


def test_one_that_cannot_be_started_is_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        asyncio.run(output_of("/no/such/program"))


def test_one_that_cannot_be_started_and_is_not_wanted_any_more_is_none() -> None:
    async def scenario() -> None:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(output_of("/no/such/program"))
            await asyncio.sleep(0)
            task.cancel()
        assert task.cancelled()

    asyncio.run(scenario())
