"""Which session a run works in, and with which options."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

import parley
from parley.errors import (
    ConfigError,
    InternalError,
    InvalidParams,
    MethodNotFound,
    ResourceNotFound,
)
from parley.frontend.headless.opening import open_session, value_for
from parley.frontend.headless.request import RunRequest
from parley.session.option import Choice, OtherOption, Select, Toggle
from parley.session.role import HttpServer, SessionInfo, StdioServer
from parley.testing import pair
from tests.frontend.headless.staging import silent_agent

MODEL = Select(
    "m", "Model", "small", (Choice("small", "S"), Choice("big", "Big")), category="model"
)
MODE = Select("mode", "Mode", "ask", (Choice("ask", "Ask"), Choice("go", "Go")))
WEB = Toggle("web", "Web", False)


def able_agent(*sessions: SessionInfo) -> parley.Agent:
    """An agent with stored sessions and options."""
    agent = parley.Agent("able", options=[MODEL, MODE, WEB])

    @agent.prompt
    async def answer(turn: parley.Turn) -> None:
        pass

    @agent.list_sessions
    async def listed(*, cwd: str | None, cursor: str | None) -> list[SessionInfo]:
        return list(sessions)

    return agent


def opened(agent: parley.Agent, **request: Any) -> tuple[str, dict[str, Any]]:
    """The id of the session and the values of its options."""

    async def scenario() -> tuple[str, dict[str, Any]]:
        async with pair(agent) as connection:
            session = await open_session(connection, RunRequest(("x",), "/p", **request))
            values = {each.id: getattr(each, "current", None) for each in session.options}
            return session.id, values

    return asyncio.run(asyncio.wait_for(scenario(), 5))


def test_options_are_set_by_their_meaning_or_their_name() -> None:
    values = opened(able_agent(), model="big", mode="Go", options=(("web", "on"),))[1]
    assert values == {"m": "big", "mode": "go", "web": True}


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({"model": "huge"}, "small, big"),
        ({"options": (("nope", "1"),)}, "there are: m, mode, web"),
        ({"options": (("web", "perhaps"),)}, "on or off"),
    ],
)
def test_what_there_is_to_choose_is_said_when_a_choice_is_wrong(
    request_: dict[str, Any], words: str
) -> None:
    with pytest.raises(ConfigError, match=words):
        opened(able_agent(), **request_)


@pytest.mark.parametrize(
    "request_",
    [
        {"model": "big"},
        {"mode": "go"},
        {"latest": True},
        {"session": "s1"},
        {"directories": ("/q",)},
        {"servers": (HttpServer("web", "https://x"),)},
        {"servers": (HttpServer("web", "https://x", sse=True),)},
    ],
)
def test_what_an_agent_cannot_do_is_said_before_anything_is_sent(
    request_: dict[str, Any],
) -> None:
    with pytest.raises(ConfigError, match="this agent does not"):
        opened(silent_agent(), **request_)


def test_a_server_over_pipes_is_passed_on() -> None:
    assert opened(silent_agent(), servers=(StdioServer("s", "/bin/cat"),))[0]


def stored(agent: parley.Agent, register: Callable[..., Any]) -> list[str]:
    """Lets an agent open stored sessions; the ids of those that it opened."""
    seen: list[str] = []

    @register
    async def reopen(session: parley.Session) -> None:
        seen.append(session.id)
        await session.say("what was said before")

    return seen


def test_the_last_session_of_the_folder_goes_on() -> None:
    agent = able_agent(
        SessionInfo("old", "/p", updated_at="2026-01-01T00:00:00Z"),
        SessionInfo("new", "/p", updated_at="2026-01-02T00:00:00Z"),
        SessionInfo("other", "/q", updated_at="2026-01-03T00:00:00Z"),
    )
    seen = stored(agent, agent.load_session)
    assert opened(agent, latest=True)[0] == "new"
    assert seen == ["new"]


def test_a_folder_without_sessions_has_none_to_go_on_with() -> None:
    with pytest.raises(ConfigError, match="finds no session"):
        opened(able_agent(), latest=True)


def test_a_session_is_resumed_rather_than_replayed() -> None:
    agent = able_agent()
    loaded, resumed = stored(agent, agent.load_session), stored(agent, agent.resume_session)
    assert opened(agent, session="s1")[0] == "s1"
    assert (loaded, resumed) == ([], ["s1"])


def test_an_agent_that_only_says_it_can_resume_is_asked_to_load() -> None:
    agent = able_agent()
    loaded = stored(agent, agent.load_session)

    @agent.resume_session
    async def resume(session: parley.Session) -> None:
        raise MethodNotFound

    assert opened(agent, session="s1")[0] == "s1"
    assert loaded == ["s1"]


def test_an_agent_that_can_neither_is_believed_at_once() -> None:
    agent = able_agent()

    @agent.resume_session
    async def resume(session: parley.Session) -> None:
        raise MethodNotFound

    with pytest.raises(MethodNotFound):
        opened(agent, session="s1")


def test_the_beginning_of_an_id_opens_the_session() -> None:
    agent = able_agent(SessionInfo("abcd1234", "/p"), SessionInfo("abcd9999", "/p"))
    seen = reopens(agent, "abcd1234", "abcd9999")
    assert opened(agent, session="abcd12")[0] == "abcd1234"
    assert seen == ["abcd1234"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("abcd", "`--session abcd` is the beginning of 2 ids"),
        ("zzzz", "is the id of no session\nhint: `parley sessions --all`"),
        ("ab", "at least 4 characters"),
    ],
)
def test_a_name_of_no_session_or_of_several_is_a_wrong_option(name: str, words: str) -> None:
    agent = able_agent(SessionInfo("abcd1234", "/p"), SessionInfo("abcd9999", "/p"))
    reopens(agent)
    with pytest.raises(ConfigError, match=words):
        opened(agent, session=name)


def test_why_a_session_that_is_listed_cannot_be_opened_is_what_the_agent_says() -> None:
    agent = able_agent(SessionInfo("abcd1234", "/p"))
    reopens(agent)
    with pytest.raises(ResourceNotFound):
        opened(agent, session="abcd1234")


def test_without_a_list_only_a_whole_id_names_a_session() -> None:
    agent = silent_agent()
    reopens(agent)
    with pytest.raises(ConfigError, match="write its whole id"):
        opened(agent, session="abcd")


@pytest.mark.parametrize("lists", [True, False])
def test_what_else_an_agent_answers_is_passed_on(lists: bool) -> None:
    agent = silent_agent()

    @agent.load_session
    async def reopen(session: parley.Session) -> None:
        raise InternalError

    if lists:

        @agent.list_sessions
        async def listed(*, cwd: str | None, cursor: str | None) -> list[SessionInfo]:
            raise InvalidParams

    with pytest.raises(InternalError):
        opened(agent, session="abcd")


def reopens(agent: parley.Agent, *ids: str) -> list[str]:
    """Lets an agent open these sessions and no others; the ids of those that it opened."""
    seen: list[str] = []

    @agent.load_session
    async def reopen(session: parley.Session) -> None:
        if session.id not in ids:
            raise ResourceNotFound
        seen.append(session.id)

    return seen


def test_a_wrong_option_leaves_no_new_session_behind() -> None:
    agent, deleted = able_agent(), list[str]()

    @agent.delete_session
    async def delete(session_id: str) -> None:
        deleted.append(session_id)

    with pytest.raises(ConfigError, match="no value `foo`"):
        opened(agent, mode="foo")
    assert len(deleted) == 1
    stored(agent, agent.load_session)
    with pytest.raises(ConfigError, match="no value `foo`"):
        opened(agent, mode="foo", session="s1")
    assert len(deleted) == 1


def test_a_kind_of_option_nobody_knows_takes_the_text() -> None:
    assert value_for(OtherOption("o", "O", "slider", {}), "3") == "3"
    assert value_for(Select("s", "S", "a"), "b") == "b"
    assert value_for(WEB, "off") is False
