"""The promises about sessions that the author of an agent does not have to keep."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from parley.errors import LocalProtocolError, ResourceNotFound
from parley.protocol.hosted import HostedSession, HostedSessions, Withdrawn
from parley.session.content import ContentItem, Text
from parley.session.event import (
    ChunkAdded,
    Event,
    OptionsChanged,
    StateChanged,
    ToolCallChanged,
    ToolContentAdded,
    TurnUsage,
)
from parley.session.option import Toggle
from parley.session.role import Ending

X = ChunkAdded("agent", Text("x"))
Y = ChunkAdded("agent", Text("y"))
LOUD = Toggle("loud", "Loud", False)


def sessions() -> tuple[HostedSessions, list[tuple[str, Event]]]:
    sent: list[tuple[str, Event]] = []
    return HostedSessions(lambda session, event: sent.append((session.id, event))), sent


def bounded(scenario: Callable[[], Awaitable[None]]) -> None:
    async def run() -> None:
        async with asyncio.timeout(5):
            await scenario()

    asyncio.run(run())


async def never() -> Ending:
    await asyncio.Event().wait()
    raise AssertionError


async def at_once() -> Ending:
    return Ending()


def test_events_of_a_session_that_is_being_opened_wait_for_it() -> None:
    hosted, sent = sessions()
    hosted.begin()
    hosted.emit("s1", X)
    hosted.emit("s1", OptionsChanged((LOUD,)))
    hosted.emit("other", Y)
    assert sent == []
    session = hosted.open("s1")
    assert sent == [("s1", X), ("s1", OptionsChanged((LOUD,)))]
    assert session.options == (LOUD,)
    hosted.end()
    # What was held for a session that nobody opened is forgotten.
    hosted.begin()
    hosted.open("other")
    assert len(sent) == 2


def test_what_is_held_survives_as_long_as_any_session_is_being_opened() -> None:
    hosted, sent = sessions()
    hosted.begin()
    hosted.begin()
    hosted.emit("s1", X)
    hosted.end()
    hosted.open("s1")
    assert sent == [("s1", X)]


def test_nothing_is_sent_for_a_session_that_is_not_open() -> None:
    """V2-CLO-03"""
    hosted, sent = sessions()
    with pytest.raises(LocalProtocolError):
        hosted.emit("s1", X)
    hosted.open("s1")
    assert hosted.close("s1") is not None
    assert hosted.close("s1") is None
    with pytest.raises(LocalProtocolError):
        hosted.emit("s1", X)
    assert sent == []


def test_an_unknown_session_is_named_in_the_error() -> None:
    hosted, _ = sessions()
    with pytest.raises(ResourceNotFound) as caught:
        hosted.get("s1")
    assert caught.value.data == {"sessionId": "s1"}
    session = hosted.open("s1", (LOUD,))
    assert hosted.get("s1") is hosted.find("s1") is session
    assert hosted.open("s1") is session
    assert hosted.all() == [session]
    assert hosted.find("s2") is None


def test_open_tool_calls_are_those_without_a_final_status() -> None:
    session = HostedSession("s1")
    session.note(ToolCallChanged("t1"))
    session.note(ToolCallChanged("t1", title="x"))
    assert session.open_tools == {"t1": "pending"}
    session.note(ToolCallChanged("t1", status="in_progress"))
    session.note(ToolCallChanged("t1", title="y"))
    session.note(ToolCallChanged("t2", status="_odd"))
    session.note(StateChanged("running"))
    assert session.open_tools == {"t1": "in_progress", "t2": "_odd"}
    for status in ("completed", "failed", "cancelled"):
        session.note(ToolCallChanged("t1", status="pending"))
        session.note(ToolCallChanged("t1", status=status))
        assert session.open_tools == {"t2": "_odd"}


def test_what_is_said_of_a_tool_call_that_is_over_does_not_begin_it_anew() -> None:
    session = HostedSession("s1")
    session.note(ToolCallChanged("t1", status="completed"))
    session.note(ToolCallChanged("t1", title="late"))
    session.note(ToolContentAdded("t1", ContentItem(Text("late"))))
    assert session.open_tools == {}
    session.note(ToolContentAdded("t2", ContentItem(Text("first"))))
    assert session.open_tools == {"t2": "pending"}
    session.note(ToolCallChanged("t2", status="failed"))
    session.note(ToolCallChanged("t1", status="in_progress"))
    assert session.open_tools == {"t1": "in_progress"}


def test_a_turn_closes_the_tool_calls_that_it_leaves_open() -> None:
    async def scenario() -> None:
        session = HostedSession("s1")
        emitted: list[Any] = []

        async def work() -> Ending:
            session.note(ToolCallChanged("t1"))
            return Ending("max_tokens")

        await session.enter()
        assert session.busy
        assert await session.run(work, emitted.append) == Ending("max_tokens")
        assert emitted == [ToolCallChanged("t1", status="failed")]
        assert not session.busy

    bounded(scenario)


@pytest.mark.parametrize("ending", [Ending("cancelled"), Ending("cancelled", meta={"a": 1})])
def test_a_turn_that_ends_as_cancelled_cancels_its_tool_calls(ending: Ending) -> None:
    async def scenario() -> None:
        session = HostedSession("s1")
        emitted: list[Any] = []

        async def work() -> Ending:
            session.note(ToolCallChanged("t1"))
            return ending

        await session.enter()
        assert await session.run(work, emitted.append) == ending
        assert emitted == [ToolCallChanged("t1", status="cancelled")]

    bounded(scenario)


def test_turns_of_a_session_follow_each_other() -> None:
    async def scenario() -> None:
        session = HostedSession("s1")
        order: list[str] = []
        gate = asyncio.Event()

        async def turn(name: str) -> None:
            await session.enter()

            async def work() -> Ending:
                order.append(f"{name} begins")
                await gate.wait()
                order.append(f"{name} ends")
                return Ending()

            await session.run(work, lambda _: None)

        async with asyncio.TaskGroup() as group:
            for name in "abc":
                group.create_task(turn(name))
            await asyncio.sleep(0)
            gate.set()
        assert order == [f"{name} {what}" for name in "abc" for what in ("begins", "ends")]

    bounded(scenario)


def test_cancelling_ends_the_turn_and_withdraws_the_others() -> None:
    """V1-CNC-01, V2-CNC-01, V2-CNC-07"""

    async def scenario() -> None:
        session = HostedSession("s1")
        assert not session.cancel()
        await session.enter()

        async def waiting() -> str:
            try:
                await session.enter()
            except Withdrawn:
                return "withdrawn"
            return "entered"

        async with asyncio.TaskGroup() as group:
            running = group.create_task(session.run(never, lambda _: None))
            others = [group.create_task(waiting()) for _ in range(2)]
            await asyncio.sleep(0)
            assert session.cancel()
            assert session.cancelling
            assert session.cancel()  # Once is enough.
        assert running.result() == Ending("cancelled")
        assert [other.result() for other in others] == ["withdrawn"] * 2
        assert not session.busy
        # The next turn is not affected.
        await session.enter()
        assert not session.cancelling
        assert await session.run(at_once, lambda _: None) == Ending()

    bounded(scenario)


def test_a_turn_that_was_cancelled_before_it_began_does_no_work() -> None:
    async def scenario() -> None:
        session = HostedSession("s1")
        await session.enter()
        session.cancel()

        async def work() -> Ending:
            raise AssertionError

        assert await session.run(work, lambda _: None) == Ending("cancelled")

    bounded(scenario)


async def _raises() -> Ending:
    try:
        return await never()
    except asyncio.CancelledError:
        raise ValueError("the abort broke") from None


async def _swallows() -> Ending:
    try:
        return await never()
    except asyncio.CancelledError:
        return Ending("end_turn", meta={"a": 1})


async def _tells_usage() -> Ending:
    try:
        return await never()
    except asyncio.CancelledError:
        ending = Ending("end_turn", TurnUsage(3, 1, 2), meta={"a": 1})
        raise asyncio.CancelledError(ending) from None


def test_a_cancelled_turn_can_tell_what_it_has_used() -> None:
    async def scenario() -> None:
        session = HostedSession("s1")
        await session.enter()
        async with asyncio.TaskGroup() as group:
            running = group.create_task(session.run(_tells_usage, lambda _: None))
            await asyncio.sleep(0)
            session.cancel()
        assert running.result() == Ending("cancelled", TurnUsage(3, 1, 2), meta={"a": 1})

    bounded(scenario)


@pytest.mark.parametrize(("work", "meta"), [(never, None), (_raises, None), (_swallows, {"a": 1})])
def test_whatever_the_abort_does_the_turn_ends_as_cancelled(
    work: Callable[[], Awaitable[Ending]], meta: Any
) -> None:
    """V1-CNC-05, V2-CNC-02"""

    async def scenario() -> None:
        session = HostedSession("s1")
        emitted: list[Any] = []
        session.note(ToolCallChanged("t1"))
        await session.enter()
        async with asyncio.TaskGroup() as group:
            running = group.create_task(session.run(work, emitted.append))
            await asyncio.sleep(0)
            session.cancel()
        assert running.result() == Ending("cancelled", meta=meta)
        assert emitted == [ToolCallChanged("t1", status="cancelled")]

    bounded(scenario)


def test_an_error_of_the_work_reaches_the_caller_and_frees_the_place() -> None:
    async def scenario() -> None:
        session = HostedSession("s1")
        emitted: list[Any] = []
        session.note(ToolCallChanged("t1"))

        async def work() -> Ending:
            raise ValueError("broken")

        await session.enter()
        with pytest.raises(ValueError, match="broken"):
            await session.run(work, emitted.append)
        assert emitted == [ToolCallChanged("t1", status="failed")]
        assert not session.busy

    bounded(scenario)


def test_cancelling_the_caller_is_not_cancelling_the_session() -> None:
    async def scenario() -> None:
        session = HostedSession("s1")
        await session.enter()
        async with asyncio.TaskGroup() as group:
            running = group.create_task(session.run(never, lambda _: None))
            await asyncio.sleep(0)
            running.cancel()
        assert running.cancelled()
        assert not session.busy

    bounded(scenario)


def test_a_prompt_that_gives_up_waiting_does_not_hold_the_others_up() -> None:
    async def scenario() -> None:
        session = HostedSession("s1")
        await session.enter()
        async with asyncio.TaskGroup() as group:
            first = group.create_task(session.enter())
            second = group.create_task(session.enter())
            third = group.create_task(session.enter())
            await asyncio.sleep(0)
            first.cancel()
            await asyncio.sleep(0)
            await session.run(at_once, lambda _: None)
            # The place has been given to the second, which gives up in this very moment.
            second.cancel()
        assert (first.cancelled(), second.cancelled(), third.cancelled()) == (True, True, False)
        assert session.busy
        await session.run(at_once, lambda _: None)
        assert not session.busy

    bounded(scenario)


def test_one_can_wait_until_no_turn_runs() -> None:
    async def scenario() -> None:
        session = HostedSession("s1")
        await session.settled()
        await session.enter()
        async with asyncio.TaskGroup() as group:
            running = group.create_task(session.run(never, lambda _: None))
            resting = group.create_task(session.settled())
            await asyncio.sleep(0)
            assert not resting.done()
            session.cancel()
            await resting
            assert running.done()

    bounded(scenario)


def test_withdrawing_leaves_the_running_turn_alone() -> None:
    async def scenario() -> None:
        session = HostedSession("s1")
        await session.enter()
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(_entered(session))
            await asyncio.sleep(0)
            session.withdraw()
        assert waiting.result() is False
        assert session.busy
        assert not session.cancelling

    bounded(scenario)


async def _entered(session: HostedSession) -> bool:
    try:
        await session.enter()
    except Withdrawn:
        return False
    return True


def test_the_next_prompt_gets_its_turn_although_tidying_up_failed() -> None:
    async def scenario() -> None:
        session = HostedSession("s1")
        session.note(ToolCallChanged("t", status="in_progress"))

        def refuse(event: Event) -> None:
            raise LocalProtocolError("not this")

        await session.enter()
        with pytest.raises(LocalProtocolError):
            await session.run(at_once, refuse)
        await session.enter()
        assert session.busy

    bounded(scenario)
