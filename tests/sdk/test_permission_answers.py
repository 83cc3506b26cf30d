"""Whatever a client answers, a tool runs only after a clear yes, in both versions."""

import json
from typing import Any

import pytest

from parley.sdk.agent import Agent
from parley.sdk.turn import Turn
from tests.sdk.stage import VERSIONS, end_of_turn, new_session, prompt_params, run, served


def _selected(option_id: Any, **more: Any) -> dict[str, Any]:
    return {"outcome": {"outcome": "selected", "optionId": option_id, **more}}


ALLOWING = [
    _selected("allow_once"),
    _selected("allow_always"),
    _selected("allow_once", _meta={"kind": "reject_once"}),
    {**_selected("allow_once"), "_meta": {"outcome": "cancelled"}},
]

NOT_ALLOWING: list[Any] = [
    _selected("reject_once"),
    _selected("reject_always"),
    _selected("allow"),
    _selected("ALLOW_ONCE"),
    _selected(" allow_once"),
    _selected("allow_once "),
    _selected("allow_once\x00"),
    _selected("Allow"),
    _selected("Always allow"),
    _selected(""),
    _selected("yes"),
    _selected("true"),
    _selected("*"),
    _selected("0"),
    _selected(0),
    _selected(None),
    _selected(True),
    _selected(["allow_once"]),
    _selected({"optionId": "allow_once"}),
    _selected("reject_once", kind="allow_once"),
    _selected("reject_once", _meta={"optionId": "allow_once", "allowed": True}),
    {"outcome": {"outcome": "cancelled"}},
    {"outcome": {"outcome": "cancelled", "optionId": "allow_once"}},
    {"outcome": {"outcome": "approved"}},
    {"outcome": {"outcome": "approved", "optionId": "allow_once"}},
    {"outcome": {"outcome": "allow_once"}},
    {"outcome": {"outcome": "Selected", "optionId": "allow_once"}},
    {"outcome": {"outcome": "_custom", "optionId": "allow_once"}},
    {"outcome": {"outcome": None, "optionId": "allow_once"}},
    {"outcome": {"outcome": True}},
    {"outcome": {"outcome": "selected"}},
    {"outcome": {"outcome": "selected", "optionID": "allow_once"}},
    {"outcome": {"outcome": "selected", "option_id": "allow_once"}},
    {"outcome": {"optionId": "allow_once"}},
    {"outcome": {}},
    {"outcome": "selected"},
    {"outcome": "allow_once"},
    {"outcome": None},
    {"outcome": True},
    {"outcome": ["selected", "allow_once"]},
    {"allowed": True},
    {"optionId": "allow_once", "kind": "allow_once", "name": "Allow"},
    {"_meta": {"outcome": {"outcome": "selected", "optionId": "allow_once"}}},
    {},
    None,
    True,
    "allow_once",
    1,
    ["allow_once"],
]
ERRORS = [
    {"code": -32603, "message": "Internal error"},
    {"code": -32601, "message": "Method not found"},
    {"code": -32800, "message": "Request cancelled"},
    {"code": 0, "message": "allow_once", "data": _selected("allow_once")},
]


def test_there_are_at_least_thirty_ways_of_not_allowing() -> None:
    forms = {json.dumps(answer) for answer in [*NOT_ALLOWING, *ERRORS]}
    assert len(forms) == len(NOT_ALLOWING) + len(ERRORS) >= 30


@pytest.mark.parametrize("version", VERSIONS)
def test_only_a_clear_yes_runs_the_tool(version: int) -> None:
    ran: list[str] = []
    statuses: list[str] = []
    agent = Agent("careful")

    @agent.prompt
    async def answer(turn: Turn) -> None:
        async with turn.tool("Delete everything", kind="delete") as tool:
            if await tool.ask():
                ran.append(turn.text)
        if await turn.ask("And the rest?"):
            ran.append(turn.text)

    async def scenario() -> None:
        async with served(agent, version) as peer:
            session_id = await new_session(peer)

            async def ask(text: str, reply: dict[str, Any]) -> None:
                before = len(peer.seen)
                asked = peer.ask("session/prompt", prompt_params(session_id, text))
                for _ in range(2):
                    question = await peer.request("session/request_permission")
                    peer.send({"id": question["id"], **reply})
                assert await end_of_turn(peer, version, asked) == "end_turn"
                found = [
                    m["params"]["update"]
                    for m in peer.seen[before:]
                    if "params" in m and "update" in m["params"]
                ]
                statuses.extend(
                    u["status"] for u in found if u.get("status") in ("completed", "failed")
                )

            for reply in NOT_ALLOWING:
                await ask(json.dumps(reply), {"result": reply})
            for error in ERRORS:
                await ask(json.dumps(error), {"error": error})
            assert ran == []
            assert set(statuses) == {"failed"}
            for reply in ALLOWING:
                await ask("yes", {"result": reply})
            assert ran == ["yes"] * len(ALLOWING) * 2

    run(scenario())


@pytest.mark.parametrize("version", VERSIONS)
def test_a_question_that_nobody_answers_in_time_is_a_no(version: int) -> None:
    decisions: list[bool] = []
    agent = Agent("careful")

    @agent.prompt
    async def answer(turn: Turn) -> None:
        async with turn.tool("Delete everything") as tool:
            decisions.append(bool(await tool.ask()))

    async def scenario() -> None:
        async with served(agent, version, question_deadline=0.01) as peer:
            asked = peer.ask("session/prompt", prompt_params(await new_session(peer)))
            assert await end_of_turn(peer, version, asked) == "end_turn"
        assert decisions == [False]

    run(scenario())


@pytest.mark.parametrize("version", VERSIONS)
def test_a_client_that_goes_away_instead_of_answering_is_a_no(version: int) -> None:
    ran: list[bool] = []
    agent = Agent("careful")

    @agent.prompt
    async def answer(turn: Turn) -> None:
        async with turn.tool("Delete everything") as tool:
            if await tool.ask():
                ran.append(True)

    async def scenario() -> None:
        async with served(agent, version) as peer:
            peer.ask("session/prompt", prompt_params(await new_session(peer)))
            await peer.request("session/request_permission")
        assert ran == []

    run(scenario())
