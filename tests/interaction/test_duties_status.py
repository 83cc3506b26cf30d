"""Unstable questions about a state: they are answered, and nothing is different afterwards."""

from typing import Any

from parley.errors import AuthRequired, MethodNotFound, ResourceNotFound
from parley.protocol.settings import Settings
from parley.sdk.agent import Agent
from parley.sdk.application import Application
from parley.sdk.turn import Session, Turn
from parley.session.role import SessionInfo
from tests.protocol.v1.roles import NEW, agent_on_wire
from tests.protocol.wire import RawPeer
from tests.sdk.stage import prompt_params, run

UNSTABLE = Settings(unstable=True)


class _Asked(Application):
    """An agent of the SDK that knows the state of its sessions and of its login."""

    def __init__(self) -> None:
        self.agent = Agent("asked")
        self.stored = {"saved": "/work"}
        self.open: set[str] = set()
        self.inside = False
        self.agent.prompt(self.answer)
        self.agent.new_session(self.prepare)
        self.agent.load_session(self.restore)
        self.agent.list_sessions(self.listed)
        self.agent.login("key", "Key")(self.enter)
        super().__init__(self.agent.registry)

    async def answer(self, turn: Turn) -> None:
        await turn.say(turn.text)

    async def prepare(self, session: Session) -> None:
        if not self.inside:
            raise AuthRequired
        await self.restore(session)

    async def restore(self, session: Session) -> None:
        self.stored[session.id] = session.cwd
        self.open.add(session.id)

    async def listed(self, *, cwd: str | None, cursor: str | None) -> list[SessionInfo]:
        return [SessionInfo(id, place) for id, place in self.stored.items()]

    async def enter(self) -> None:
        self.inside = True

    async def call(self, method: str, params: Any) -> Any:
        match method:
            case "session/status" if params["sessionId"] in self.stored:
                return {"status": "open" if params["sessionId"] in self.open else "saved"}
            case "session/status":
                raise ResourceNotFound(data=params)
            case "auth/status":
                return {"state": "authenticated" if self.inside else "unauthenticated"}
            case _:
                raise MethodNotFound


def _wire(agent: _Asked) -> Any:
    role: Any = agent
    return agent_on_wire(role, UNSTABLE)


async def _status(peer: RawPeer, session_id: str) -> str:
    return (await peer.result("session/status", {"sessionId": session_id}))["status"]


def test_v1_u_08_the_status_of_a_session_changes_nothing() -> None:
    agent = _Asked()
    agent.inside = True

    async def scenario() -> None:
        async with _wire(agent) as peer:
            session_id = (await peer.result("session/new", NEW))["sessionId"]
            before = await peer.result("session/list", {})
            for _ in range(2):
                assert await _status(peer, session_id) == "open"
                assert await _status(peer, "saved") == "saved"
                error = await peer.error("session/status", {"sessionId": "gone"})
                assert (error["code"], error["data"]) == (-32002, {"sessionId": "gone"})
            assert await peer.result("session/list", {}) == before
            assert peer.updates() == []
            # The one that was open still is, and the other one was not opened by the question.
            ended = await peer.result("session/prompt", prompt_params(session_id))
            assert ended == {"stopReason": "end_turn"}
            assert (await peer.error("session/prompt", prompt_params("saved")))["code"] == -32002
            await peer.result("session/load", {**NEW, "sessionId": "saved"})
            assert await _status(peer, "saved") == "open"

    run(scenario())


def test_v1_u_10_the_status_of_the_login_is_told_to_those_who_are_not_logged_in() -> None:
    agent = _Asked()

    async def scenario() -> None:
        async with _wire(agent) as peer:
            for _ in range(2):
                assert await peer.result("auth/status", {}) == {"state": "unauthenticated"}
                assert (await peer.error("session/new", NEW))["code"] == -32000
            await peer.result("authenticate", {"methodId": "key"})
            assert await peer.result("auth/status", {}) == {"state": "authenticated"}
            assert await peer.result("session/new", NEW)

    run(scenario())
