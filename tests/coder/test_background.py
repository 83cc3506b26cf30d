"""Work beside the requests of a client."""

import asyncio
from typing import Any

from parley.coder.background import Background
from tests.coder.stage import BOUND, Gate


def test_work_goes_on_until_it_is_closed() -> None:
    async def scenario() -> None:
        background, gate = Background(), Gate()
        background.start(gate.passed())
        async with asyncio.timeout(BOUND):
            await gate.reached.wait()
            await background.aclose()
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(scenario())


def test_a_defect_is_reported_and_harms_nobody() -> None:
    async def fails() -> None:
        raise KeyError("defect")

    async def scenario() -> None:
        reported: list[dict[str, Any]] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, what: reported.append(what))
        background, ended = Background(), asyncio.Event()

        async def works() -> None:
            ended.set()

        background.start(fails())
        background.start(works())
        async with asyncio.timeout(BOUND):
            await ended.wait()
            await asyncio.sleep(0)
            await background.aclose()
        assert [type(each["exception"]) for each in reported] == [KeyError]

    asyncio.run(scenario())
