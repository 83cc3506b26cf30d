"""Turns as a client sees them: awaited, iterated, left early, cancelled, waiting for each other."""

import asyncio
from contextlib import aclosing, suppress

import pytest

from parley.errors import ConnectionClosed, ConnectionLost, LocalProtocolError, RpcError
from parley.sdk.agent import Agent
from parley.sdk.conversation import RemoteSession
from parley.sdk.stream import HIGH_WATER
from parley.sdk.turn import Turn
from parley.session.event import ChunkAdded, MessageChanged, StateChanged
from parley.session.role import Ending
from parley.transport.memory import MemoryTransport
from tests.sdk.stage import VERSIONS, RawAgent, driven, joined, run

both = pytest.mark.parametrize("version", VERSIONS)


def _talker(count: int = 3) -> Agent:
    agent = Agent("talker")

    @agent.prompt
    async def answer(turn: Turn) -> None:
        for number in range(count):
            await turn.say(f"{turn.text}{number} ")

    return agent


async def _opened(pair: tuple[object, RawAgent]) -> RemoteSession:
    connection, raw = pair
    opening = asyncio.create_task(connection.new_session("/"))  # pyright: ignore
    await raw.open()
    return await opening


@both
def test_awaiting_a_turn_tells_how_it_ended(version: int) -> None:
    async def scenario() -> None:
        async with joined(_talker(), version) as agent:
            turn = (await agent.new_session("/")).prompt("a")
            assert turn.ending is None
            assert (await turn).stop_reason == "end_turn"
            assert await turn == turn.result() == turn.ending
            assert turn.text == "a0 a1 a2 "

    run(scenario())


@both
def test_iterating_shows_everything_from_the_prompt_to_the_end(version: int) -> None:
    async def scenario() -> None:
        async with joined(_talker(), version) as agent:
            session = await agent.new_session("/")
            events = [event async for event in session.prompt("a")]
            assert isinstance(events[0], MessageChanged)
            assert isinstance(events[1], StateChanged)
            assert [type(event) for event in events[2:5]] == [ChunkAdded] * 3
            last = events[-1]
            assert isinstance(last, StateChanged)
            assert (last.state, last.stop_reason) == ("idle", "end_turn")
            assert session.stream is None

    run(scenario())


@both
def test_batches_show_the_same_as_single_events(version: int) -> None:
    async def scenario() -> None:
        async with joined(_talker(2000), version) as agent:
            session = await agent.new_session("/")
            batches = [batch async for batch in session.prompt("a").batches()]
            texts = [event for batch in batches for event in batch if type(event) is ChunkAdded]
            assert len(texts) == 2000
            assert all(batches)
            assert len(batches) < 1000

    run(scenario())


@both
def test_leaving_the_iteration_cancels_the_turn_at_once(version: int) -> None:
    cancelled = asyncio.Event()
    agent = Agent("endless")

    @agent.prompt
    async def answer(turn: Turn) -> None:
        try:
            while True:
                await turn.say("word ")
                await asyncio.sleep(0)
        finally:
            cancelled.set()

    async def scenario() -> None:
        async with joined(agent, version) as connection:
            session = await connection.new_session("/")
            async for event in session.prompt("go"):
                if isinstance(event, ChunkAdded):
                    break
            await cancelled.wait()

    run(scenario())


@both
def test_the_next_turn_waits_for_the_end_of_one_that_was_left(version: int) -> None:
    async def scenario() -> None:
        async with driven(version) as pair:
            session, raw = await _opened(pair), pair[1]

            async def leave() -> None:
                async for event in session.prompt("first"):
                    if isinstance(event, ChunkAdded):
                        return

            leaving = asyncio.create_task(leave())
            first = await raw.prompted()
            raw.say("one", first)
            await leaving
            await raw.peer.request("session/cancel")
            second = asyncio.create_task(session.ask("second"))
            raw.say("late", first)
            raw.finish(first, "cancelled")
            request = await raw.prompted()
            assert request["params"]["prompt"][0]["text"] == "second"
            raw.update({"sessionUpdate": "usage_update", "used": 1, "size": 2}, request)
            raw.finish(request)
            # What the agent still said about the first turn is not part of the second.
            assert await second == ""

    run(scenario())


@both
def test_turns_of_one_session_wait_for_each_other(version: int) -> None:
    async def scenario() -> None:
        async with joined(_talker(), version) as agent:
            session = await agent.new_session("/")
            answers = await asyncio.gather(*(session.ask(text) for text in "abc"))
            assert answers == [f"{text}0 {text}1 {text}2 " for text in "abc"]

    run(scenario())


@both
def test_a_turn_as_a_context_manager_has_ended_when_the_block_is_left(version: int) -> None:
    agent = Agent("endless")

    @agent.prompt
    async def answer(turn: Turn) -> None:
        await turn.say("word ")
        await asyncio.Event().wait()

    async def scenario() -> None:
        async with joined(agent, version) as connection:
            session = await connection.new_session("/")
            async with session.prompt("go") as turn:
                async for event in turn:
                    if isinstance(event, ChunkAdded):
                        break
            assert turn.ending is not None
            assert turn.ending.stop_reason == "cancelled"
            assert turn.text == "word "

    run(scenario())


@both
def test_cancelling_the_task_that_waits_cancels_the_turn(version: int) -> None:
    async def scenario() -> None:
        async with driven(version) as pair:
            session, raw = await _opened(pair), pair[1]
            turn = session.prompt("go")

            async def wait() -> Ending:
                return await turn

            waiting = asyncio.create_task(wait())
            request = await raw.prompted()
            waiting.cancel()
            with suppress(asyncio.CancelledError):
                await waiting
            assert waiting.cancelled()
            await raw.peer.request("session/cancel")
            raw.finish(request, "cancelled")
            assert (await turn).stop_reason == "cancelled"

    run(scenario())


@both
def test_an_agent_that_ignores_a_cancel_is_left_after_the_deadline(version: int) -> None:
    async def scenario() -> None:
        async with driven(version) as pair:
            session, raw = await _opened(pair), pair[1]
            session._line.deadline = 0.01  # pyright: ignore
            turn = session.prompt("go")
            async with turn:
                await raw.prompted()
            assert await turn == Ending("cancelled")
            # The session can be used again.
            again = asyncio.create_task(session.ask("again"))
            request = await raw.prompted()
            raw.finish(request)
            await again

    run(scenario())


@both
def test_cancelling_the_session_withdraws_what_waits(version: int) -> None:
    async def scenario() -> None:
        async with driven(version) as pair:
            session, raw = await _opened(pair), pair[1]
            turns = [session.prompt(text) for text in ("one", "two", "three")]
            tasks = [asyncio.create_task(_ended(turn)) for turn in turns]
            request = await raw.prompted()
            await session.cancel()
            assert [(await task).stop_reason for task in tasks[1:]] == ["cancelled"] * 2
            assert turns[1].text == ""
            await raw.peer.request("session/cancel")
            raw.finish(request, "cancelled")
            assert (await tasks[0]).stop_reason == "cancelled"
            assert [m for m in raw.peer.seen if m.get("method") == "session/prompt"] == [request]

    run(scenario())


async def _ended(turn: object) -> Ending:
    return await turn  # pyright: ignore


@both
def test_a_turn_that_waits_can_be_left_without_waiting(version: int) -> None:
    async def scenario() -> None:
        async with driven(version) as pair:
            session, raw = await _opened(pair), pair[1]
            first = asyncio.create_task(session.ask("first"))
            request = await raw.prompted()
            async with session.prompt("second") as second:
                pass
            assert second.result() == Ending("cancelled")
            raw.finish(request)
            await first

    run(scenario())


@both
def test_a_failed_turn_is_data_for_prompt_and_an_error_for_ask(version: int) -> None:
    agent = Agent("broken")

    @agent.prompt
    async def answer(turn: Turn) -> None:
        raise RpcError(-32050, "out of tokens", {"left": 0})

    async def scenario() -> None:
        async with joined(agent, version) as connection:
            session = await connection.new_session("/")
            ending = await session.prompt("go")
            assert ending.stop_reason == "error"
            with pytest.raises(RpcError, match="out of tokens") as caught:
                await session.ask("go")
            assert (caught.value.code, caught.value.data) == (-32050, {"left": 0})

    run(scenario())


@both
def test_the_end_of_the_connection_ends_the_turn_with_its_reason(version: int) -> None:
    async def scenario() -> None:
        async with driven(version) as pair:
            session, raw = await _opened(pair), pair[1]
            turn = session.prompt("go")
            reading = asyncio.create_task(_read(turn))
            await raw.prompted()
            wire = raw.peer._transport  # pyright: ignore
            assert isinstance(wire, MemoryTransport)
            wire.break_("the agent fell over")
            with pytest.raises(ConnectionLost, match="the agent fell over"):
                await reading
            with pytest.raises(LocalProtocolError, match="the turn has not ended"):
                turn.result()
            with pytest.raises(ConnectionLost, match="no answer to `session/prompt`: the agent f"):
                await session.prompt("again")

    run(scenario())


async def _read(turn: object) -> list[object]:
    return [event async for event in turn]  # pyright: ignore


@both
def test_leaving_the_connection_ends_what_others_still_wait_for(version: int) -> None:
    async def scenario() -> None:
        async with driven(version) as pair:
            session, raw = await _opened(pair), pair[1]
            reading = asyncio.create_task(_read(session.prompt("go")))
            waiting = asyncio.create_task(_ended(session.prompt("wait")))
            await raw.prompted()
        for task in (reading, waiting):
            with pytest.raises(ConnectionClosed, match="before the turn ended"):
                await task

    run(scenario())


@both
def test_a_slow_reader_slows_the_agent_and_loses_nothing(version: int) -> None:
    count = HIGH_WATER * 3
    said: list[int] = []
    agent = Agent("fast")

    @agent.prompt
    async def answer(turn: Turn) -> None:
        for number in range(count):
            await turn.say("x" * 100)
            said.append(number)

    async def scenario() -> None:
        async with joined(agent, version) as connection:
            session = await connection.new_session("/")
            turn = session.prompt("go")
            async with aclosing(_events(turn)) as events:
                await anext(events)
                for _ in range(200):
                    await asyncio.sleep(0)
                assert len(said) < count
                seen = 1 + len([event async for event in events])
            assert seen >= count
            assert len(turn.text) == count * 100

    run(scenario())


async def _events(turn: object):
    async for event in turn:  # pyright: ignore
        yield event


@both
def test_a_reader_that_asks_the_agent_does_not_wait_for_itself(version: int) -> None:
    agent = _talker(HIGH_WATER * 4)

    @agent.method("_x/ping")
    async def ping(params: object) -> str:
        return "pong"

    async def scenario() -> None:
        async with joined(agent, version) as connection:
            session = await connection.new_session("/")
            other = await connection.new_session("/")
            async for event in session.prompt("go"):
                if isinstance(event, ChunkAdded):
                    for _ in range(200):
                        await asyncio.sleep(0)
                    assert await connection.call("_x/ping") == "pong"
                    assert len(await other.ask("x")) > HIGH_WATER
                    break

    run(scenario())


@both
def test_a_turn_begins_once(version: int) -> None:
    async def scenario() -> None:
        async with joined(_talker(), version) as agent:
            session = await agent.new_session("/")
            turn = session.prompt("a")
            assert turn.text == ""
            turn.cancel()  # It has not begun, so there is nothing to cancel.
            await turn
            with pytest.raises(LocalProtocolError, match="its first events are gone"):
                aiter(turn)
            with pytest.raises(LocalProtocolError, match="the turn has begun already"):
                await turn.__aenter__()
            turn.cancel()

    run(scenario())


@both
def test_awaiting_a_turn_that_is_a_context_manager_needs_no_reader(version: int) -> None:
    async def scenario() -> None:
        async with joined(_talker(HIGH_WATER * 2), version) as agent:
            session = await agent.new_session("/")
            async with session.prompt("a") as turn:
                assert (await turn).stop_reason == "end_turn"

    run(scenario())
