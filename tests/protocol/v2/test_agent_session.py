"""What leaves for a session, and who says what it does."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from parley.errors import TransportError
from parley.protocol.endpoint import Endpoint
from parley.protocol.settings import Settings
from parley.protocol.v2.agent_session import AgentSessions
from parley.session.content import Text
from parley.session.event import BackgroundWork, ChunkAdded, StateChanged, ToolCallChanged
from parley.session.role import Ending, SessionRequest
from parley.transport.memory import MemoryTransport, memory_pair


def bounded(scenario: Callable[[AgentSessions, MemoryTransport], Awaitable[None]]) -> None:
    async def run() -> None:
        ours, theirs = memory_pair()
        async with asyncio.timeout(5), Endpoint(ours) as endpoint:
            sessions = AgentSessions(endpoint, Settings())
            sessions.open("s1", SessionRequest("/w"))
            await scenario(sessions, theirs)

    asyncio.run(run())


async def sent(wire: MemoryTransport) -> list[Any]:
    frames = await wire.receive()
    return [json.loads(bytes(frame))["params"]["update"] for frame in frames]  # type: ignore[arg-type]


def test_a_state_outside_a_turn_carries_the_background_work() -> None:
    """V2-BGW-01"""

    async def scenario(sessions: AgentSessions, wire: MemoryTransport) -> None:
        jobs = (BackgroundWork("terminal", "t"),)
        sessions.emit("s1", StateChanged("idle", background=jobs))
        sessions.emit("s1", StateChanged("running"))
        sessions.emit("s1", StateChanged("idle", "end_turn", background=()))
        listed = [{"type": "terminal", "terminalId": "t"}]
        assert [update["background"] for update in await sent(wire)] == [listed, listed, []]

    bounded(scenario)


def test_questions_outside_a_turn_change_no_state() -> None:
    async def scenario(sessions: AgentSessions, wire: MemoryTransport) -> None:
        with sessions.asking("s1", None), sessions.asking("nope", None):
            sessions.emit("s1", ChunkAdded("agent", Text("x"), "a1"))
        assert [update["sessionUpdate"] for update in await sent(wire)] == ["agent_message_chunk"]

    bounded(scenario)


def test_several_questions_are_one_requirement() -> None:
    """V2-PRM-17, V2-PRM-18"""

    async def scenario(sessions: AgentSessions, wire: MemoryTransport) -> None:
        session = sessions.get("s1")

        async def work() -> Ending:
            sessions.report(session, StateChanged("running"))
            with sessions.asking("s1", "t1"):
                with sessions.asking("s1", "t2"):
                    for id in ("t1", "t2"):
                        sessions.emit("s1", ToolCallChanged(id, status="in_progress"))
                # Only `t1` waits for the person now, so `t2` can go on until it is done.
                sessions.emit("s1", ToolCallChanged("t2", status="completed"))
            return Ending()

        await session.hosted.enter()
        await session.hosted.run(work, lambda _: None)
        states = [update["state"] for update in await sent(wire) if "state" in update]
        action = "requires_action"
        assert states == ["running", action, "running", action, "running"]

    bounded(scenario)


def test_nobody_is_told_when_nobody_is_there() -> None:
    async def scenario(sessions: AgentSessions, wire: MemoryTransport) -> None:
        await wire.aclose()
        sessions.emit("s1", ChunkAdded("agent", Text("x"), "a1"))
        with pytest.raises(TransportError):
            sessions.report(sessions.get("s1"), StateChanged("idle"))

    bounded(scenario)


def test_a_session_is_known_by_where_it_works() -> None:
    async def scenario(sessions: AgentSessions, wire: MemoryTransport) -> None:
        sessions.open("s2", SessionRequest("/v", ("/u",)))
        assert [session.info.cwd for session in sessions.all()] == ["/w", "/v"]
        assert sessions.get("s2").info.additional_directories == ("/u",)
        sessions.close("s2")
        assert sessions.find("s2") is None

    bounded(scenario)
