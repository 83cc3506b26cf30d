"""The driver moves frames, keeps the deadlines and closes the transport at the end."""

import asyncio
import json

import pytest

from parley.conformance.player_driver import play
from parley.conformance.player_report import Report
from parley.conformance.scenario import Scenario
from parley.conformance.scripted_stage import Stage
from parley.errors import ConnectionLost
from parley.transport.memory import MemoryTransport, memory_pair
from tests.conformance.staging import BOUND_SECONDS, INITIALIZE, scenario

HELLO = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}'


async def _played(script: Scenario, *frames: bytes, close: bool = True) -> tuple[Report, list[str]]:
    """The report, and what the other end received until the end."""
    near, far = memory_pair()
    for frame in frames:
        near.send(frame)
    async with asyncio.timeout(BOUND_SECONDS), asyncio.TaskGroup() as group:
        playing = group.create_task(play(script, far))
        received: list[str] = []
        if close:
            received += [str(frame, "utf-8") for frame in await near.receive() if frame]
            await near.aclose()
        else:
            while frames := tuple(await near.receive()):
                received += [str(frame, "utf-8") for frame in frames]
    return playing.result(), received


def test_a_scripted_agent_stays_after_its_script_and_refuses_what_comes() -> None:
    async def run() -> None:
        near, far = memory_pair()
        async with asyncio.timeout(BOUND_SECONDS), asyncio.TaskGroup() as group:
            playing = group.create_task(play(scenario(INITIALIZE), far))
            near.send(HELLO)
            await near.receive()
            near.send(b'{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}')
            (refusal,) = await near.receive()
            assert isinstance(refusal, bytes)
            assert json.loads(refusal)["error"]["code"] == -32601
            await near.aclose()
        assert playing.result().ok
        assert playing.result().unexpected == ("request `session/list`",)

    asyncio.run(run())


def test_a_scripted_client_goes_when_its_script_is_over() -> None:
    script = scenario({"do": "notify", "method": "_bye"}, plays="client")
    report, received = asyncio.run(_played(script, close=False))
    assert report.ok
    assert received == ['{"jsonrpc":"2.0","method":"_bye"}']


def test_whoever_cannot_go_on_goes_at_once() -> None:
    wrong = {"do": "receive", "method": "initialize", "params": {"protocolVersion": 5}}
    report, received = asyncio.run(_played(scenario(wrong), HELLO, close=False))
    assert not report.ok
    assert received == []


def test_a_wait_ends_with_its_deadline_although_other_things_arrive() -> None:
    noise = [b'{"jsonrpc":"2.0","method":"_n"}'] * 5
    script = scenario(INITIALIZE, timeout=0.05)
    report, _ = asyncio.run(_played(script, *noise, close=False))
    assert [each.step for each in report.mismatches] == ["1 (`receive`)"]
    assert report.mismatches[0].actual.startswith("nothing within 0.05 s")


@pytest.mark.parametrize("steps", [[INITIALIZE], [{"do": "hang"}]])
def test_a_peer_that_breaks_away_is_the_end(steps: list[object]) -> None:
    async def run() -> Report:
        near, far = memory_pair()
        near.break_("the cable")
        async with asyncio.timeout(BOUND_SECONDS):
            return await play(scenario(*steps), far)

    report = asyncio.run(run())
    expected = [] if steps[0] == {"do": "hang"} else ["the end: the cable"]
    assert [each.actual for each in report.mismatches] == expected


def test_a_full_outbox_makes_the_script_wait() -> None:
    async def run() -> int:
        near, far = memory_pair(high_water=100)
        script = scenario({"do": "flood", "times": 100, "method": "_n"}, plays="client")
        most = total = 0
        async with asyncio.timeout(BOUND_SECONDS), asyncio.TaskGroup() as group:
            group.create_task(play(script, far))
            while frames := await near.receive():
                most, total = max(most, len(frames)), total + len(frames)
        assert total == 100
        return most

    assert asyncio.run(run()) < 10


def test_complaints_and_closing_happen_on_the_stage() -> None:
    async def run() -> tuple[Report, Stage]:
        near, far = memory_pair()
        stage = Stage(far)
        script = scenario({"do": "stderr", "text": "oh", "times": 2}, {"do": "close"})
        async with asyncio.timeout(BOUND_SECONDS):
            report = await play(script, far, stage=stage)
            assert await near.receive() == []
        return report, stage

    report, stage = asyncio.run(run())
    assert report.ok
    assert stage.complaints == ["oh", "oh"]


def test_a_late_answer_to_a_peer_that_has_gone_is_dropped() -> None:
    slow = {"do": "answer", "to": "initialize", "result": {"protocolVersion": 1}, "delay": 0.02}
    take = {"do": "receive", "method": "initialize"}

    async def run() -> Report:
        near, far = memory_pair()
        near.send(HELLO)
        async with asyncio.timeout(BOUND_SECONDS), asyncio.TaskGroup() as group:
            playing = group.create_task(play(scenario(take, slow), far))
            await _received_by(far)
            await near.aclose()
        return playing.result()

    assert asyncio.run(run()).ok


async def _received_by(transport: MemoryTransport) -> None:
    """Let the other tasks run until the transport has nothing left to hand out."""
    for _ in range(5):
        await asyncio.sleep(0)


def test_cancelling_closes_the_transport() -> None:
    async def run() -> None:
        near, far = memory_pair()
        async with asyncio.timeout(BOUND_SECONDS):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.01):
                    await play(scenario({"do": "hang", "reading": False}), far)
            assert await near.receive() == []
            with pytest.raises(ConnectionLost):
                near.send(b"{}")

    asyncio.run(run())
