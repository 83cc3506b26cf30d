"""Running tool calls: order, results, defects, cancelling one of them."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from parley.coder.calls import CANCELLED
from parley.coder.errors import ToolError
from parley.coder.message import CallPart, ToolMessage, ToolResult
from parley.coder.tools.tool import Outcome, Progress
from parley.session.content import ContentItem, Text
from parley.session.event import TerminalChanged, ToolCallChanged
from tests.coder.stage import (
    BOUND,
    Gate,
    SmallTool,
    Stage,
    Watcher,
    answered,
    calls,
    choosing,
    says,
    staged,
)


def _call(id: str, name: str = "look", **arguments: Any) -> CallPart:
    return CallPart(id, name, arguments)


def _results(stage: Stage, request: int = 1) -> tuple[ToolResult, ...]:
    """What the model was given of its calls."""
    last = stage.provider.requests[request].messages[-1]
    assert isinstance(last, ToolMessage)
    return last.results


def _statuses(stage: Stage, id: str) -> list[str]:
    changes = (e for e in stage.events if isinstance(e, ToolCallChanged) and e.id == id)
    return [each.status for each in changes if isinstance(each.status, str)]


def test_reads_run_together_and_their_results_keep_the_order_of_the_calls(tmp_path: Path) -> None:
    async def scenario() -> None:
        barrier = asyncio.Barrier(3)
        order: list[int] = []

        async def work(arguments: Mapping[str, Any], progress: Progress) -> Outcome:
            # Nobody passes before all three are here: they can only run at the same time.
            await barrier.wait()
            order.append(arguments["n"])
            return Outcome(f"read {arguments['n']}")

        tool = SmallTool("look", "read", work)
        three = calls(*(_call(f"c{n}", n=n) for n in (3, 1, 2)))
        async with staged(tmp_path, three, says("ok"), tools=(tool,)) as s:
            await s.say()
            assert [r.text for r in _results(s)] == ["read 3", "read 1", "read 2"]
            assert sorted(order) == [1, 2, 3]

    asyncio.run(scenario())


def test_no_more_reads_run_together_than_the_limit(tmp_path: Path) -> None:
    async def scenario() -> None:
        running, most = 0, 0

        async def work(arguments: Mapping[str, Any], progress: Progress) -> Outcome:
            nonlocal running, most
            running += 1
            most = max(most, running)
            for _ in range(5):
                await asyncio.sleep(0)
            running -= 1
            return Outcome("read")

        many = calls(*(_call(f"c{n}") for n in range(20)))
        tool = SmallTool("look", "read", work)
        async with staged(tmp_path, many, says("ok"), tools=(tool,)) as s:
            await s.say()
            assert most == 8
            assert len(_results(s)) == 20

    asyncio.run(scenario())


def test_writes_run_alone_and_in_order_between_the_reads(tmp_path: Path) -> None:
    async def scenario() -> None:
        done: list[str] = []
        running = 0

        async def read(arguments: Mapping[str, Any], progress: Progress) -> Outcome:
            nonlocal running
            running += 1
            await asyncio.sleep(0)
            running -= 1
            done.append(progress.call_id)
            return Outcome("read")

        async def write(arguments: Mapping[str, Any], progress: Progress) -> Outcome:
            assert running == 0
            await asyncio.sleep(0)
            done.append(progress.call_id)
            return Outcome("written")

        tools = (SmallTool("look", "read", read), SmallTool("put", "write", write))
        made = [_call("r1"), _call("r2"), _call("w1", "put"), _call("w2", "put"), _call("r3")]
        client = Watcher(choosing("allow_once"))
        async with staged(tmp_path, calls(*made), says("ok"), tools=tools, client=client) as s:
            await s.say()
            assert sorted(done[:2]) == ["r1", "r2"]
            assert done[2:] == ["w1", "w2", "r3"]
            assert [r.call_id for r in _results(s)] == ["r1", "r2", "w1", "w2", "r3"]
            assert len(client.questions) == 2

    asyncio.run(scenario())


async def _crashes(arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    raise ZeroDivisionError("secret detail")


async def _refuses(arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    raise ToolError("the file changed; read it again")


async def _fails(arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    return Outcome("exit code 1", failed=True)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (_call("c1", "crash"), "The tool failed: ZeroDivisionError."),
        (_call("c1", "refuse"), "the file changed; read it again"),
        (_call("c1", "fail"), "exit code 1"),
        (_call("c1", "look", bad=1), "`bad` is not good"),
        (
            _call("c1", "fly"),
            "There is no tool `fly`. The tools are: `look`, `crash`, `refuse`, `fail`.",
        ),
        (
            CallPart("c1", "look", malformed='{"n": '),
            "The arguments are not a JSON object: '{\"n\": '. Make the call again with one.",
        ),
    ],
)
def test_whatever_goes_wrong_is_a_failed_result_and_the_turn_goes_on(
    tmp_path: Path, call: CallPart, text: str
) -> None:
    async def scenario() -> None:
        tools = (
            SmallTool("look", "read", answered),
            SmallTool("crash", "read", _crashes),
            SmallTool("refuse", "read", _refuses),
            SmallTool("fail", "read", _fails),
        )
        made = calls(_call("c0"), call, _call("c2"))
        async with staged(tmp_path, made, says("ok"), tools=tools) as s:
            assert (await s.say()).stop_reason == "end_turn"
            assert _results(s) == (
                ToolResult("c0", "look", "done"),
                ToolResult("c1", call.name, text, is_error=True),
                ToolResult("c2", "look", "done"),
            )
            assert _statuses(s, "c1")[-1] == "failed"
            assert _statuses(s, "c1").count("failed") == 1

    asyncio.run(scenario())


def test_a_call_is_shown_while_it_runs_and_nothing_is_shown_after_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        kept: list[Progress] = []

        async def work(arguments: Mapping[str, Any], progress: Progress) -> Outcome:
            progress.show(ContentItem(Text("half")))
            await progress.drain()
            kept.append(progress)
            return Outcome("whole")

        tool = SmallTool("look", "read", work)
        async with staged(tmp_path, calls(_call("c1")), says("ok"), tools=(tool,)) as s:
            await s.say()
            kept[0].show(ContentItem(Text("late")))
            kept[0].emit(TerminalChanged("t1"))
            async with asyncio.timeout(BOUND):
                await s.client.until(lambda: TerminalChanged("t1") in s.events)
            changes = [e for e in s.events if isinstance(e, ToolCallChanged)]
            assert changes[-2:] == [
                ToolCallChanged("c1", content=(ContentItem(Text("half")),)),
                ToolCallChanged("c1", status="completed", raw_output="whole"),
            ]

    asyncio.run(scenario())


def test_one_call_can_be_cancelled_alone(tmp_path: Path) -> None:
    async def scenario() -> None:
        gate = Gate()

        async def work(arguments: Mapping[str, Any], progress: Progress) -> Outcome:
            if arguments:
                await gate.passed()
            return Outcome("done")

        tool = SmallTool("look", "read", work)
        made = calls(_call("c1", wait=1), _call("c2"))
        async with staged(tmp_path, made, says("ok"), tools=(tool,)) as s, asyncio.TaskGroup() as g:
            turn = g.create_task(s.say())
            async with asyncio.timeout(BOUND):
                await gate.reached.wait()
                await s.client.until(lambda: _statuses(s, "c2")[-1:] == ["completed"])
            await s.application.cancel_tool_call(s.session_id, "c1")
            assert (await turn).stop_reason == "end_turn"
            assert _results(s) == (
                ToolResult("c1", "look", CANCELLED, is_error=True),
                ToolResult("c2", "look", "done"),
            )
            assert _statuses(s, "c1") == ["pending", "pending", "in_progress", "cancelled"]

    asyncio.run(scenario())


def test_a_call_that_waits_for_its_place_can_be_cancelled_too(tmp_path: Path) -> None:
    async def scenario() -> None:
        gate = Gate()

        async def work(arguments: Mapping[str, Any], progress: Progress) -> Outcome:
            await gate.passed()
            return Outcome("done")

        tool = SmallTool("look", "read", work)
        made = calls(*(_call(f"c{n}") for n in range(9)))
        async with staged(tmp_path, made, says("ok"), tools=(tool,)) as s, asyncio.TaskGroup() as g:
            turn = g.create_task(s.say())
            async with asyncio.timeout(BOUND):
                await gate.reached.wait()
            await s.application.cancel_tool_call(s.session_id, "c8")
            gate.opened.set()
            await turn
            assert [r.text for r in _results(s)] == ["done"] * 8 + [CANCELLED]

    asyncio.run(scenario())
