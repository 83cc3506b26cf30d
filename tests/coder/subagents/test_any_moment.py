"""A turn with sub-agents is cancelled at every moment of it: the session is whole each time."""

import asyncio
from pathlib import Path

from parley.coder.message import repaired
from parley.coder.providers.scripted import malformation
from parley.coder.store.entry import Entry
from parley.session.event import FINAL_STATUSES, Event, ToolCallChanged
from tests.coder.stage import BOUND, SmallTool, Stage, answered, calls, says
from tests.coder.subagents.stage import Part, agent, call, cast_stage, shown

TOOLS = (SmallTool("look", "read", answered), SmallTool("put", "write", answered))
NAMES = ("p1", "p2", "p3")


def _parts() -> dict[str, Part]:
    start = calls(*(agent(f"a{name}", name, tools="full") for name in NAMES), text="I begin.")
    work = (
        calls(call("c", "look"), call("d", "look"), text="I look."),
        calls(call("c", "put")),
        says("done"),
    )
    return {**dict.fromkeys(NAMES, work), "go": (start, says("ok"))}


async def _cancelled_after(stage: Stage, count: int) -> bool:
    """Cancel a turn as soon as it has written down so much; whether it was still at work."""
    log = stage.application.sessions.get(stage.session_id).log
    plain, left = log.append, count
    turn = asyncio.create_task(stage.say())

    def append(*entries: Entry) -> None:
        nonlocal left
        plain(*entries)
        left -= len(entries)
        if left <= 0 < left + len(entries):
            turn.cancel()

    log.append = append  # type: ignore[method-assign]
    async with asyncio.timeout(BOUND):
        await asyncio.wait({turn})
    log.append = plain  # type: ignore[method-assign]
    return left <= 0


def _check(stage: Stage) -> None:
    session = stage.application.sessions.get(stage.session_id)
    assert {status for _, status in shown(stage)} <= FINAL_STATUSES
    assert session.history.open_calls == {}
    assert session.stops == {}
    assert session.history.turn is None
    assert not session.writing.locked()
    assert not session.questions.locked()
    messages = session.history.conversation()
    assert repaired(messages) == messages
    assert malformation(messages) in (None, "it ends with the model")


def _calls_of(stage: Stage) -> list[Event]:
    return [each for each in stage.events if isinstance(each, ToolCallChanged)]


def test_a_turn_can_be_cancelled_at_any_moment(tmp_path: Path) -> None:
    async def scenario(count: int) -> bool:
        folder = tmp_path / str(count)
        folder.mkdir()
        async with cast_stage(folder, *TOOLS, parts=_parts()) as (s, _):
            at_work = await _cancelled_after(s, count)
            _check(s)
            live = _calls_of(s)
            await s.again()
            await s.load()
            assert _calls_of(s) == live
            return at_work

    async def every_moment() -> int:
        count = 1
        while await scenario(count):
            count += 1
        return count

    assert asyncio.run(every_moment()) > 40
