"""An agent of the SDK as clients of `iac-code` expect one, in version 1 on a raw wire."""

import asyncio
from typing import Any

from parley.errors import ResourceNotFound
from parley.protocol.settings import Settings
from parley.sdk.agent import Agent
from parley.sdk.application import Application
from parley.sdk.turn import Session, Turn
from parley.session.role import SessionInfo
from tests.protocol.v1.roles import CLIENT, NEW, agent_on_wire
from tests.protocol.wire import RawPeer
from tests.sdk.stage import prompt_params, run

Histories = dict[str, list[str]]


def _agent(histories: Histories) -> Agent:
    """An agent that says what it has heard in its session so far."""
    agent = Agent("iac", embedded_context=True)

    @agent.new_session
    async def begin(session: Session) -> None:
        session.data["said"] = histories[session.id] = []

    @agent.load_session
    async def load(session: Session) -> None:
        if session.id not in histories:
            raise ResourceNotFound
        session.data["said"] = histories[session.id]
        for text in histories[session.id]:
            await session.say(text)
            session.new_message()

    @agent.fork_session
    async def fork(session: Session, origin: str) -> None:
        session.data["said"] = histories[session.id] = list(histories[origin])

    @agent.list_sessions
    async def listed(*, cwd: str | None, cursor: str | None) -> list[SessionInfo]:
        return [SessionInfo(id, "/work") for id in histories]

    @agent.close_session
    async def close(session: Session) -> None: ...

    @agent.prompt
    async def answer(turn: Turn) -> None:
        turn.session.data["said"].append(turn.text)
        await turn.say(" ".join(turn.session.data["said"]))

    return agent


def _wire(agent: Agent, settings: Settings | None = None, initialize: Any = CLIENT) -> Any:
    role: Any = Application(agent.registry)
    return agent_on_wire(role, settings, initialize)


async def _open(peer: RawPeer) -> str:
    return (await peer.result("session/new", NEW))["sessionId"]


async def _ask(peer: RawPeer, session_id: str, text: str) -> str:
    before = len(_said(peer, session_id))
    await peer.result("session/prompt", prompt_params(session_id, text))
    return "".join(_said(peer, session_id)[before:])


def _said(peer: RawPeer, session_id: str) -> list[str]:
    notes = [m["params"] for m in peer.seen if m.get("method") == "session/update"]
    return [n["update"]["content"]["text"] for n in notes if n["sessionId"] == session_id]


def test_what_is_registered_is_exactly_what_is_advertised_iac_03() -> None:
    agent = _agent({})

    async def scenario() -> None:
        async with _wire(agent, initialize=None) as peer:
            answer = await peer.result("initialize", CLIENT)
        # A fork is unstable, so it is not told to those who did not ask for it.
        assert answer["agentCapabilities"] == {
            "loadSession": True,
            "promptCapabilities": {"image": False, "audio": False, "embeddedContext": True},
            "mcpCapabilities": {"http": False, "sse": False},
            "sessionCapabilities": {"list": {}, "close": {}},
            "auth": {},
        }
        assert answer["protocolVersion"] == 1

    run(scenario())


def test_two_sessions_work_at_the_same_time_and_never_mix_iac_04() -> None:
    histories: Histories = {}
    agent = Agent("parallel")
    both = asyncio.Barrier(2)

    @agent.new_session
    async def begin(session: Session) -> None:
        session.data["said"] = histories[session.id] = []

    @agent.prompt
    async def answer(turn: Turn) -> None:
        for number in range(3):
            # Neither goes on before the other one is as far, so one at a time would never end.
            await both.wait()
            turn.session.data["said"].append(f"{turn.text}{number}")
            await turn.say(f"{turn.text}{number} ")

    async def scenario() -> None:
        async with _wire(agent) as peer:
            ids = [await _open(peer), await _open(peer)]
            asked = [
                peer.ask("session/prompt", prompt_params(id, text))
                for id, text in zip(ids, "ab", strict=True)
            ]
            for request in asked:
                assert (await peer.answer(request))["result"] == {"stopReason": "end_turn"}
            assert "".join(_said(peer, ids[0])) == "a0 a1 a2 "
            assert "".join(_said(peer, ids[1])) == "b0 b1 b2 "
            assert [histories[id] for id in ids] == [["a0", "a1", "a2"], ["b0", "b1", "b2"]]

    run(scenario())


def test_a_fork_has_the_same_history_and_goes_its_own_way_iac_08() -> None:
    histories: Histories = {}

    async def scenario() -> None:
        async with _wire(_agent(histories), Settings(unstable=True)) as peer:
            origin = await _open(peer)
            assert await _ask(peer, origin, "one") == "one"
            forked = await peer.result("session/fork", {**NEW, "sessionId": origin})
            fork = forked["sessionId"]
            assert fork != origin
            assert await _ask(peer, fork, "two") == "one two"
            assert await _ask(peer, origin, "three") == "one three"
            assert await _ask(peer, fork, "four") == "one two four"
            # What is stored and loaded again keeps apart as well.
            for session_id, texts in ((origin, ["one", "three"]), (fork, ["one", "two", "four"])):
                await peer.result("session/close", {"sessionId": session_id})
                before = len(_said(peer, session_id))
                await peer.result("session/load", {**NEW, "sessionId": session_id})
                assert _said(peer, session_id)[before:] == texts

    run(scenario())
