"""An agent that wants a login before it opens a session, in both versions."""

import pytest

from parley.errors import AuthRequired
from parley.sdk.agent import Agent
from parley.sdk.turn import Session, Turn
from tests.sdk.stage import VERSIONS, new_session, run, served

NEW = {"cwd": "/", "mcpServers": []}
NAMES = {1: ("authenticate", "logout"), 2: ("auth/login", "auth/logout")}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_login_opens_the_door_and_a_logout_closes_it(version: int) -> None:
    agent = Agent("careful")
    inside = False

    @agent.prompt
    async def answer(turn: Turn) -> None: ...

    @agent.new_session
    async def prepare(session: Session) -> None:
        if not inside:
            raise AuthRequired

    @agent.login("key", "Key")
    async def enter() -> None:
        nonlocal inside
        inside = True

    @agent.logout
    async def leave() -> None:
        nonlocal inside
        inside = False

    async def scenario() -> None:
        login, logout = NAMES[version]
        async with served(agent, version) as peer:
            # V1-AUTH-03
            assert (await peer.error("session/new", NEW))["code"] == -32000
            assert await peer.result(login, {"methodId": "key"}) == {}
            # V1-AUTH-02
            assert await new_session(peer)
            assert await peer.result(logout, {}) == {}
            # V1-AUTH-12, V2-AUTH-10
            assert (await peer.error("session/new", NEW))["code"] == -32000

    run(scenario())
