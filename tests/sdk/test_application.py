"""The role that registrations amount to, without a wire."""

from typing import Any

import pytest

from parley.errors import InvalidParams, LocalProtocolError, MethodNotFound, ResourceNotFound
from parley.sdk.agent import Agent
from parley.sdk.application import Application
from parley.sdk.turn import Session, Turn
from parley.session.event import Failure
from parley.session.option import Choice, Command, OptionValue, Select, Toggle
from parley.session.role import Ending, Prompt, SessionInfo, SessionPage, SessionRequest
from tests.sdk.fake_client import NotingClient
from tests.sdk.stage import run

REQUEST = SessionRequest("/")
MODE = Select("mode", "Mode", "ask", (Choice("ask", "Ask"), Choice("code", "Code")))
LOUD = Toggle("loud", "Loud", current=False)


async def _begun(agent: Agent) -> tuple[Application, NotingClient]:
    application, client = Application(agent.registry), NotingClient()
    await application.initialize(client)
    return application, client


@pytest.mark.parametrize(
    ("returned", "ending"),
    [
        (None, Ending("end_turn")),
        ("refusal", Ending("refusal")),
        ("_my_own", Ending("_my_own")),
        (Ending("max_tokens"), Ending("max_tokens")),
        ("error", Ending("error", failure=Failure(-32603, "Internal error"))),
    ],
)
def test_what_a_prompt_handler_returns_is_the_end_of_the_turn(
    returned: Any, ending: Ending
) -> None:
    agent = Agent("a")

    @agent.prompt
    async def answer(turn: Turn) -> Any:
        return returned

    async def scenario() -> None:
        application, _ = await _begun(agent)
        setup = await application.new_session(REQUEST)
        assert await application.prompt(setup.session_id, Prompt(())) == ending

    run(scenario())


@pytest.mark.parametrize("returned", ["Hello, I am done", 5, ["end_turn"]])
def test_what_is_no_stop_reason_is_named_and_explained(returned: Any) -> None:
    agent = Agent("a")

    @agent.prompt
    async def answer(turn: Turn) -> Any:
        return returned

    async def scenario() -> None:
        application, _ = await _begun(agent)
        setup = await application.new_session(REQUEST)
        with pytest.raises(LocalProtocolError, match=r"no stop reason \(end_turn, .*\nhint: .*say"):
            await application.prompt(setup.session_id, Prompt(()))

    run(scenario())


def test_a_turn_is_over_when_its_handler_is() -> None:
    agent = Agent("a")
    turns: list[Turn] = []

    @agent.prompt
    async def answer(turn: Turn) -> None:
        turns.append(turn)
        if len(turns) == 2:
            raise ZeroDivisionError

    async def scenario() -> None:
        application, _ = await _begun(agent)
        setup = await application.new_session(REQUEST)
        await application.prompt(setup.session_id, Prompt(()))
        with pytest.raises(ZeroDivisionError):
            await application.prompt(setup.session_id, Prompt(()))
        for turn in turns:
            with pytest.raises(LocalProtocolError, match="the turn is over"):
                await turn.say("late")

    run(scenario())


def test_an_unknown_session_is_not_found() -> None:
    agent = Agent("a")
    agent.registry.add("prompt", _nothing)

    async def scenario() -> None:
        application, _ = await _begun(agent)
        with pytest.raises(ResourceNotFound):
            await application.prompt("x", Prompt(()))
        with pytest.raises(ResourceNotFound):
            await application.set_option("x", "mode", "ask")

    run(scenario())


async def _nothing(*_: Any, **__: Any) -> None: ...


def test_what_nobody_registered_is_not_found() -> None:
    async def scenario() -> None:
        application, _ = await _begun(Agent("a"))
        calls = [
            application.logout(),
            application.load_session("s", REQUEST),
            application.resume_session("s", REQUEST),
            application.fork_session("s", REQUEST),
            application.list_sessions(),
            application.delete_session("s"),
            application.prompt("s", Prompt(())),
            application.call("_x", None),
        ]
        for call in calls:
            with pytest.raises(MethodNotFound):
                await call
        application.tell("_x", None)
        await application.close_session("s")
        with pytest.raises(InvalidParams):
            await application.login("x")

    run(scenario())


def test_single_tool_calls_and_terminals_cannot_be_cancelled() -> None:
    async def scenario() -> None:
        application, _ = await _begun(Agent("a"))
        with pytest.raises(InvalidParams, match="tool call cannot be cancelled alone"):
            await application.cancel_tool_call("s", "t")
        with pytest.raises(InvalidParams, match="terminal cannot be cancelled alone"):
            await application.cancel_terminal("s", "t")

    run(scenario())


def test_a_new_session_starts_with_the_options_and_commands_of_the_agent() -> None:
    agent = Agent("a", options=[MODE], commands=[Command("help", "Helps")])

    async def scenario() -> None:
        application, _ = await _begun(agent)
        one, other = [await application.new_session(REQUEST) for _ in range(2)]
        assert one.session_id != other.session_id
        assert (one.options, one.commands) == ((MODE,), (Command("help", "Helps"),))
        await application.set_option(one.session_id, "mode", "code")
        assert other.options == (MODE,)

    run(scenario())


def test_a_fork_knows_where_it_came_from() -> None:
    agent = Agent("a")
    forks: list[tuple[str, str]] = []

    @agent.fork_session
    async def fork(session: Session, source: str) -> None:
        forks.append((session.id, source))

    async def scenario() -> None:
        application, _ = await _begun(agent)
        setup = await application.fork_session("old", REQUEST)
        assert forks == [(setup.session_id, "old")]

    run(scenario())


def test_a_session_that_is_opened_again_keeps_what_its_author_keeps() -> None:
    agent = Agent("a", options=[MODE])

    @agent.resume_session
    async def resume(session: Session) -> None:
        session.data["count"] = session.data.get("count", 0) + 1

    async def scenario() -> None:
        application, _ = await _begun(agent)
        for _ in range(2):
            setup = await application.resume_session("s", REQUEST)
            await application.set_option("s", "mode", "code")
        assert setup.options[0].current == "code"  # pyright: ignore
        await application.close_session("s")
        assert (await application.resume_session("s", REQUEST)).options == (MODE,)

    run(scenario())


def test_sessions_are_listed_as_a_page_or_plainly() -> None:
    plain, paged = Agent("a"), Agent("b")
    infos = [SessionInfo("s", "/")]
    page = SessionPage(tuple(infos), "more")

    @plain.list_sessions
    async def all_of_them(*, cwd: str | None, cursor: str | None) -> list[SessionInfo]:
        return infos

    @paged.list_sessions
    async def some(*, cwd: str | None, cursor: str | None) -> SessionPage:
        return page

    async def scenario() -> None:
        assert await (await _begun(plain))[0].list_sessions() == SessionPage(tuple(infos))
        assert await (await _begun(paged))[0].list_sessions(cwd="/") == page

    run(scenario())


def test_a_choice_that_the_author_refuses_changes_nothing() -> None:
    agent = Agent("a", options=[MODE, LOUD])

    @agent.option_changed
    async def changed(session: Session, id: str, value: OptionValue) -> None:
        if id == "loud":
            raise InvalidParams("Not now")
        await session.set_option("loud", True)

    async def scenario() -> None:
        application, client = await _begun(agent)
        setup = await application.new_session(REQUEST)
        with pytest.raises(InvalidParams, match="Not now"):
            await application.set_option(setup.session_id, "loud", True)
        options = await application.set_option(setup.session_id, "mode", "code")
        assert [option.current for option in options] == ["code", True]  # pyright: ignore
        assert len(client.events) == 1
        for id, value in (("x", "y"), ("mode", "y")):
            with pytest.raises(InvalidParams):
                await application.set_option(setup.session_id, id, value)

    run(scenario())


def test_an_agent_that_nobody_told_of_choices_still_takes_them() -> None:
    async def scenario() -> None:
        application, _ = await _begun(Agent("a", options=[LOUD]))
        setup = await application.new_session(REQUEST)
        (option,) = await application.set_option(setup.session_id, "loud", True)
        assert option == Toggle("loud", "Loud", current=True)

    run(scenario())


def test_deleting_closes_first_and_every_session_is_closed_at_the_end() -> None:
    agent = Agent("a")
    log: list[str] = []

    @agent.close_session
    async def close(session: Session) -> None:
        log.append("closed")
        if len(log) == 3:
            raise ZeroDivisionError

    @agent.delete_session
    async def delete(session_id: str) -> None:
        log.append("deleted")

    async def scenario() -> None:
        application, _ = await _begun(agent)
        setups = [await application.new_session(REQUEST) for _ in range(3)]
        await application.delete_session(setups[0].session_id)
        assert log == ["closed", "deleted"]
        with pytest.raises(ZeroDivisionError):
            await application.aclose()
        assert log == ["closed", "deleted", "closed", "closed"]

    run(scenario())
