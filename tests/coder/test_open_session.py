"""A session that is open: stored first, then told; replayed, repaired, slowed down."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from parley.coder.message import CallPart
from parley.coder.open_session import OpenSession
from parley.coder.store.entry import Said, Told, TurnBegun
from parley.coder.tools.tool import Outcome
from parley.errors import ConnectionClosed, LocalProtocolError
from parley.session.content import Text
from parley.session.event import (
    ChunkAdded,
    Event,
    MessageChanged,
    NoticeGiven,
    PlanChanged,
    ToolCallChanged,
)
from parley.session.option import MAIN_PLAN, PlanEntry, PlanItems
from parley.session.role import Prompt
from parley.session.state import SessionState
from tests.coder.stage import (
    BOUND,
    Gate,
    SmallTool,
    Stage,
    Watcher,
    answered,
    calls,
    says,
    staged,
    with_prompt,
)


def _session(stage: Stage) -> OpenSession:
    return stage.application.sessions.get(stage.session_id)


def _snapshot(events: list[Event]) -> dict[str, Any]:
    facts = SessionState.from_events(events).snapshot()
    # The answer that opens a session has its options, so they are no part of the replay.
    return {key: value for key, value in facts.items() if key != "options"}


def test_a_prompt_that_was_taken_is_stored_once_and_survives_without_its_turn(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, says("Hello.")) as s:
            prompt = Prompt((Text("go"),), "prompt")
            await s.application.insert(s.session_id, prompt)
            told = Told(MessageChanged("user", "prompt", prompt.content))
            entries = await _session(s).log.entries()
            assert entries[-1] == told
            await s.say("go")
            assert (await _session(s).log.entries()).count(told) == 1
            assert s.events[:1] != [told.event]

    asyncio.run(scenario())


def test_what_is_loaded_equals_what_was_seen_live(tmp_path: Path) -> None:
    async def scenario() -> None:
        plan = PlanItems((PlanEntry("look"),))

        async def plans(arguments: object, progress: object) -> Outcome:
            session.desk.set_plan(plan)
            return Outcome("planned")

        tools = (SmallTool("look", "read", answered), SmallTool("todo", "read", plans))
        made = calls(CallPart("c1", "look", {"n": 1}), CallPart("c2", "todo"), text="So:")
        async with staged(tmp_path, made, says("Done."), tools=tools) as s:
            session = _session(s)
            await s.say("Look at one")
            live = with_prompt(s.events, "Look at one")
            assert PlanChanged(MAIN_PLAN, plan) in live
            await s.again()
            await s.load()
            assert _snapshot(s.events) == _snapshot(live)
            assert _session(s).history.plans == {MAIN_PLAN: plan}

    asyncio.run(scenario())


def test_the_client_is_told_nothing_before_it_is_stored(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path) as s:
            session = _session(s)
            session.tell(ChunkAdded("agent", Text("a")))
            assert s.events == []
            await session.log.flush()
            assert s.events == [ChunkAdded("agent", Text("a"))]
            stored = await session.log.entries()
            assert stored[-1] == Told(ChunkAdded("agent", Text("a")))

    asyncio.run(scenario())


def test_loading_while_a_turn_runs_tells_everything_once_and_in_order(tmp_path: Path) -> None:
    async def scenario() -> None:
        gate = Gate()
        async with staged(tmp_path, [*says("one")[:1], gate, *says("two")]) as s:
            session = _session(s)
            async with asyncio.TaskGroup() as group:
                turn = group.create_task(s.say())
                async with asyncio.timeout(BOUND):
                    await gate.reached.wait()
                session.tell(ChunkAdded("agent", Text("?")))
                s.client.events.clear()
                s.events.clear()
                session.notify("a notice")
                await s.load()
                gate.opened.set()
                await turn
            texts = [e.content for e in s.events if isinstance(e, ChunkAdded)]
            assert texts == [Text("one"), Text("?"), Text("two")]
            assert [e for e in s.events if isinstance(e, NoticeGiven)] == [
                NoticeGiven("a notice", "warning")
            ]

    asyncio.run(scenario())


def test_a_log_that_a_crash_left_behind_is_repaired_when_it_is_opened(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, says("ok")) as s:
            session = _session(s)
            session.append(
                TurnBegun("t1"),
                Told(ToolCallChanged("c1", title="Look", status="in_progress")),
                Told(ChunkAdded("agent", Text("half"), "m1")),
            )
            await s.again()
            await s.load()
            calls_seen = [e for e in s.events if isinstance(e, ToolCallChanged)]
            assert [e.status for e in calls_seen] == ["in_progress", "failed"]
            assert isinstance(_session(s).history.messages[-1], object)
            first = await _session(s).log.entries()
            assert sum(isinstance(e, Said) for e in first) == 1
            await s.again()
            await s.load()
            assert await _session(s).log.entries() == first
            assert (await s.say()).stop_reason == "end_turn"

    asyncio.run(scenario())


def test_a_client_that_is_behind_slows_the_model_down(tmp_path: Path) -> None:
    async def scenario() -> None:
        client = Watcher()
        async with staged(tmp_path, says("a"), client=client) as s:
            client.blocked = True
            await s.say()
            assert client.drained == 1
            client.blocked = True
            await s.load()
            assert client.drained == 2

    asyncio.run(scenario())


def test_a_disk_that_is_behind_slows_the_model_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        async with staged(tmp_path) as s:
            session = _session(s)
            monkeypatch.setattr("parley.coder.store.log._MOST_ITEMS", 0)
            session.tell(ChunkAdded("agent", Text("a")))
            assert session.log.behind
            await session.keep_up()
            assert s.events == [ChunkAdded("agent", Text("a"))]

    asyncio.run(scenario())


@pytest.mark.parametrize("error", [ConnectionClosed("gone"), LocalProtocolError("not open")])
def test_a_client_that_cannot_be_told_does_not_stop_the_turn(
    tmp_path: Path, error: Exception
) -> None:
    class Gone(Watcher):
        def emit(self, session_id: str, event: Event) -> None:
            raise error

    async def scenario() -> None:
        async with staged(tmp_path, says("a"), client=Gone()) as s:
            assert (await s.say()).stop_reason == "end_turn"
            await s.again()
            await s.load()
            assert any(isinstance(e, ChunkAdded) for e in s.events)

    asyncio.run(scenario())


def test_what_happens_after_the_end_of_a_session_is_not_part_of_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path) as s:
            session = _session(s)
            await s.application.close_session(s.session_id)
            session.tell(ChunkAdded("agent", Text("late")))
            assert s.events == []

    asyncio.run(scenario())


def test_a_session_that_is_closed_holds_its_conversation_no_longer(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, says("Hello.")) as s:
            session = _session(s)
            await s.say("hello")
            assert session.history.messages
            await s.application.close_session(s.session_id)
            assert session.history.messages == []

    asyncio.run(scenario())
