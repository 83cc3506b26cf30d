"""Duties of the protocol that the SDK keeps for the author of an agent, without a wire."""

from typing import Any

import pytest

from parley.sdk.agent import Agent
from parley.sdk.application import Application
from parley.sdk.client import Client
from parley.sdk.turn import Session, Turn
from parley.session.event import ChunkAdded, CompactionChanged, PlanChanged
from parley.session.option import OtherPlan, PlanMarkdown
from parley.session.profile import AgentLogin
from parley.session.question import Accepted, Declined, SessionScope, UrlQuestion
from parley.session.role import Prompt, SessionInfo, SessionPage, SessionRequest
from tests.sdk.fake_client import NotingClient
from tests.sdk.stage import run

PAGE = "https://example.org/login"


def _turn(client: NotingClient) -> Turn:
    return Turn(Session("s", SessionRequest("/home"), client), Prompt(()))


def test_v1_lst_03_only_sessions_of_the_directory_are_listed_whatever_the_author_returns() -> None:
    agent = Agent("test")
    here = (SessionInfo("a", "/here"), SessionInfo("b", "/here/"), SessionInfo("c", "/x/../here"))
    others = (SessionInfo("d", "/here/below"), SessionInfo("e", "/Here"), SessionInfo("f", "/"))

    @agent.list_sessions
    async def everything(*, cwd: str | None, cursor: str | None) -> SessionPage:
        return SessionPage((*others, *here), "more", {"k": 1})

    async def scenario() -> None:
        application = Application(agent.registry)
        every = await application.list_sessions()
        assert every.sessions == (*others, *here)
        for cwd in ("/here", "/here/", "/here/."):
            assert await application.list_sessions(cwd=cwd) == SessionPage(here, "more", {"k": 1})
        assert (await application.list_sessions(cwd="/nowhere")).sessions == ()

    run(scenario())


def test_v1_eli_06_a_form_for_a_secret_never_reaches_the_client() -> None:
    async def scenario() -> None:
        client = NotingClient()
        client.input = Accepted({"password": "x"})
        schema = {"type": "object", "properties": {"password": {"type": "string"}}}
        with pytest.raises(ValueError, match="asks for a secret: 'password'"):
            await _turn(client).form("Who?", schema)
        assert client.questions == []

    run(scenario())


def test_a_visit_is_agreed_to_or_not() -> None:
    async def scenario() -> None:
        client = NotingClient()
        turn = _turn(client)
        assert await turn.visit("Log in", PAGE) is False
        client.input = Declined()
        assert await turn.visit("Log in", PAGE) is False
        client.input = Accepted()
        assert await turn.visit("Log in", PAGE) is True
        assert await turn.visit("Log in", PAGE, id="mine") is True
        ids = [question.elicitation_id for question in _visits(client)]
        assert len(set(ids)) == 4
        assert client.questions[-1] == UrlQuestion("Log in", PAGE, "mine", SessionScope("s"))

    run(scenario())


def _visits(client: NotingClient) -> list[UrlQuestion]:
    return [question for question in client.questions if isinstance(question, UrlQuestion)]


@pytest.mark.parametrize(
    "url", ["http://example.org/", "https://ada:key@example.org/", f"{PAGE}?token=x"]
)
def test_v1_eli_17_nobody_is_sent_to_an_address_that_carries_a_secret(url: str) -> None:
    async def scenario() -> None:
        client = NotingClient()
        client.input = Accepted()
        with pytest.raises(ValueError, match="address"):
            await _turn(client).visit("Log in", url)
        assert client.questions == []

    run(scenario())


def test_v1_cmp_02_no_id_of_a_compaction_is_used_twice() -> None:
    async def scenario() -> None:
        client = NotingClient()
        turn, later = _turn(client), _turn(client)
        for report in (turn, turn, turn.session, later):
            async with report.compaction():
                pass
        events = [event for event in client.events if isinstance(event, CompactionChanged)]
        assert [event.status for event in events] == ["in_progress", "completed"] * 4
        assert len({event.id for event in events}) == 4

    run(scenario())


def test_what_is_said_after_a_compaction_is_a_new_message() -> None:
    async def scenario() -> None:
        client = NotingClient()
        turn = _turn(client)
        await turn.say("before")
        async with turn.compaction():
            pass
        await turn.say("after")
        said = [event.message_id for event in client.events if isinstance(event, ChunkAdded)]
        assert len(set(said)) == 2

    run(scenario())


def test_a_compaction_ends_although_its_turn_is_over() -> None:
    async def scenario() -> None:
        client = NotingClient()
        turn = _turn(client)
        async with turn.compaction() as compaction:
            turn.over()
        assert client.events[-1] == CompactionChanged(compaction.id, "completed")

    run(scenario())


def test_v2_pln_03_a_kind_of_plan_of_ones_own_starts_with_an_underscore() -> None:
    async def scenario() -> None:
        client = NotingClient()
        turn = _turn(client)
        for report in (turn, turn.session):
            with pytest.raises(ValueError, match="'graph' is no kind of plan\nhint: `_graph`"):
                await report.emit(PlanChanged("p", OtherPlan("graph", {})))
        own = PlanChanged("p", OtherPlan("_graph", {}))
        known = PlanChanged("p", PlanMarkdown("# Plan"))
        await turn.emit(own)
        await turn.emit(known)
        assert client.events == [own, known]

    run(scenario())


def test_v2_auth_04_every_login_that_is_registered_is_one_of_the_agent() -> None:
    agent = Agent("test")

    async def enter() -> None: ...

    register: Any = agent.login
    register("key", "Key", "In the environment")(enter)
    with pytest.raises(TypeError):
        register("other", "Other", type="token")
    assert agent.registry.profile.logins == (AgentLogin("key", "Key", "In the environment"),)


def test_a_client_that_has_a_terminal_for_logins_says_so() -> None:
    assert not Client("x").registry.profile.capabilities.terminal_login
    assert Client("x", terminal_login=True).registry.profile.capabilities.terminal_login
