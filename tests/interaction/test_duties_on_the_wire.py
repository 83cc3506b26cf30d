"""What the SDK keeps for authors, seen by a raw client: visits, compactions, logins, plans."""

from typing import Any

import pytest

from parley.protocol.settings import Settings
from parley.sdk.agent import Agent
from parley.sdk.application import Application
from parley.sdk.turn import Turn
from parley.session.event import PlanChanged
from parley.session.option import OtherPlan
from tests.protocol.v1.roles import CLIENT, agent_on_wire
from tests.sdk.stage import (
    VERSIONS,
    end_of_turn,
    new_session,
    prompt_params,
    run,
    served,
)

PAGE = "https://example.org/login"
FORM_ONLY = {"protocolVersion": 1, "clientCapabilities": {"elicitation": {"form": {}}}}


def _wire(agent: Agent, initialize: Any = CLIENT) -> Any:
    role: Any = Application(agent.registry)
    return agent_on_wire(role, Settings(), initialize)


def _visiting(answers: list[bool]) -> Agent:
    agent = Agent("visiting")

    @agent.prompt
    async def answer(turn: Turn) -> None:
        answers.append(await turn.visit("Log in", PAGE))

    return agent


@pytest.mark.parametrize(("action", "agreed"), [("accept", True), ("decline", False)])
def test_v1_eli_17_a_visit_shows_the_whole_address_to_the_client(action: str, agreed: bool) -> None:
    answers: list[bool] = []

    async def scenario() -> None:
        async with _wire(_visiting(answers)) as peer:
            session_id = await new_session(peer)
            asked = peer.ask("session/prompt", prompt_params(session_id))
            request = await peer.request("elicitation/create")
            params = request["params"]
            assert params.pop("elicitationId")
            assert params == {
                "mode": "url",
                "message": "Log in",
                "url": PAGE,
                "sessionId": session_id,
            }
            peer.reply(request, {"action": action})
            assert await end_of_turn(peer, 1, asked) == "end_turn"
            assert answers == [agreed]

    run(scenario())


def test_v1_eli_06_a_visit_that_the_client_cannot_make_does_not_become_a_form() -> None:
    answers: list[bool] = []

    async def scenario() -> None:
        async with _wire(_visiting(answers), FORM_ONLY) as peer:
            asked = peer.ask("session/prompt", prompt_params(await new_session(peer)))
            assert await end_of_turn(peer, 1, asked) == "end_turn"
            assert answers == [False]
            assert [m for m in peer.seen if m.get("method") == "elicitation/create"] == []

    run(scenario())


@pytest.mark.parametrize("version", VERSIONS)
def test_v1_cmp_02_chunks_of_a_summary_come_between_the_beginning_and_one_end(
    version: int,
) -> None:
    agent = Agent("compacting")

    @agent.prompt
    async def answer(turn: Turn) -> None:
        async with turn.compaction() as compaction:
            await compaction.add("It was ")
            await compaction.add("long.")
        async with turn.session.compaction():
            raise RuntimeError("the compaction failed")

    async def scenario() -> None:
        async with _wire(agent) if version == 1 else served(agent, 2) as peer:
            asked = peer.ask("session/prompt", prompt_params(await new_session(peer)))
            assert await end_of_turn(peer, version, asked) == "error"
            updates = [u for u in peer.updates() if "compaction" in u["sessionUpdate"]]
        told = [u.get("status") or u["content"]["text"] for u in updates]
        assert told == ["in_progress", "It was ", "long.", "completed", "in_progress", "failed"]
        first, second = {u["compactionId"] for u in updates[:4]}, updates[4]["compactionId"]
        assert len(first) == 1
        assert second not in first
        assert updates[5]["compactionId"] == second

    run(scenario())


@pytest.mark.parametrize("version", VERSIONS)
def test_v2_auth_04_the_wire_offers_logins_of_the_agent_alone(version: int) -> None:
    agent = Agent("logging in")

    @agent.prompt
    async def answer(turn: Turn) -> None: ...

    @agent.login("key", "Key")
    async def by_key() -> None: ...

    @agent.login("_page", "Page", "In a browser")
    async def by_page() -> None: ...

    async def scenario() -> None:
        async with served(agent, version) as peer:
            (answer,) = [m for m in peer.seen if "authMethods" in m.get("result", {})]
        told = answer["result"]["authMethods"]
        assert {method.pop("type", "agent") for method in told} == {"agent"}
        assert [method.pop("methodId", None) or method.pop("id") for method in told] == [
            "key",
            "_page",
        ]
        assert told == [{"name": "Key"}, {"name": "Page", "description": "In a browser"}]

    run(scenario())


def test_v2_pln_03_a_plan_of_ones_own_kind_has_its_underscore_and_its_id() -> None:
    agent = Agent("planning")

    @agent.prompt
    async def answer(turn: Turn) -> None:
        with pytest.raises(ValueError, match="no kind of plan"):
            await turn.emit(PlanChanged("p", OtherPlan("graph", {"nodes": []})))
        await turn.emit(PlanChanged("p", OtherPlan("_graph", {"nodes": []})))

    async def scenario() -> None:
        async with served(agent, 2) as peer:
            asked = peer.ask("session/prompt", prompt_params(await new_session(peer)))
            assert await end_of_turn(peer, 2, asked) == "end_turn"
            plans = [u["plan"] for u in peer.updates() if u["sessionUpdate"] == "plan_update"]
        assert plans == [{"type": "_graph", "planId": "p", "nodes": []}]

    run(scenario())
