"""A turn and a session as handles, without a wire."""

import asyncio

import pytest

from parley.errors import LocalProtocolError
from parley.sdk.tool import ALLOW_OR_REJECT
from parley.sdk.turn import Session, Turn, new_session_id
from parley.session.content import Image, Link, Resource, Text
from parley.session.event import ChunkAdded, CommandsChanged, OptionsChanged
from parley.session.option import Choice, Command, Select
from parley.session.question import (
    Accepted,
    Chosen,
    CommandSubject,
    Declined,
    FormQuestion,
    PermissionQuestion,
    SessionScope,
)
from parley.session.role import Prompt, SessionRequest
from tests.sdk.fake_client import NotingClient
from tests.sdk.stage import run

MODE = Select("mode", "Mode", "ask", (Choice("ask", "Ask"), Choice("code", "Code")))


def _session(client: NotingClient) -> Session:
    session = Session("s", SessionRequest("/home", ("/more",), meta={"k": 1}), client)
    session.opening = False
    return session


def _turn(client: NotingClient, *blocks: object) -> Turn:
    return Turn(_session(client), Prompt(blocks, meta={"traceparent": "00-1"}))  # pyright: ignore


def test_a_session_shows_the_request_that_opened_it() -> None:
    session = _session(NotingClient())
    assert (session.id, session.cwd, session.meta) == ("s", "/home", {"k": 1})
    assert session.additional_directories == ("/more",)
    assert session.mcp_servers == ()


def test_session_ids_are_not_guessable() -> None:
    ids = {new_session_id() for _ in range(100)}
    assert len(ids) == 100
    assert min(map(len, ids)) >= 20


def test_options_are_read_and_changed_by_id() -> None:
    async def scenario() -> None:
        client = NotingClient()
        session = _session(client)
        await session.set_options([MODE])
        assert session.option("mode") == "ask"
        await session.set_option("mode", "code")
        assert session.option("mode") == "code"
        with pytest.raises(LookupError, match="the options are: 'mode'"):
            session.option("model")
        with pytest.raises(ValueError, match="has no value 'fly'"):
            await session.set_option("mode", "fly")
        await session.set_commands([Command("help", "Helps")])
        assert client.events == [
            OptionsChanged((MODE,)),
            OptionsChanged(session.options),
            CommandsChanged((Command("help", "Helps"),)),
        ]

    run(scenario())


def test_what_is_set_while_a_session_opens_is_told_by_the_answer() -> None:
    async def scenario() -> None:
        client = NotingClient()
        session = Session("s", SessionRequest("/"), client)
        await session.set_options([MODE])
        await session.set_commands([Command("help", "Helps")])
        assert client.events == []
        assert (session.options, session.commands) == ((MODE,), (Command("help", "Helps"),))

    run(scenario())


def test_the_text_of_a_prompt_leaves_out_what_is_not_text() -> None:
    async def scenario() -> None:
        blocks = [
            Text("a"),
            Image("", "image/png"),
            Resource("file:///x", text="b"),
            Resource("file:///y", blob=""),
            Link("file:///z", "z"),
        ]
        turn = _turn(NotingClient(), *blocks)
        assert turn.text == "a\nb"
        assert turn.prompt == tuple(blocks)
        assert turn.meta == {"traceparent": "00-1"}

    run(scenario())


def test_nothing_is_said_in_a_turn_that_is_over_but_its_session_goes_on() -> None:
    async def scenario() -> None:
        client = NotingClient()
        turn = _turn(client)
        turn.over()
        with pytest.raises(LocalProtocolError, match="the turn is over"):
            await turn.say("late")
        with pytest.raises(LocalProtocolError, match="the turn is over"):
            await turn.ask("May I?")
        await turn.session.say("in the background")
        assert [type(event) for event in client.events] == [ChunkAdded]

    run(scenario())


def test_a_turn_knows_that_it_was_cancelled() -> None:
    async def scenario() -> None:
        seen: list[bool] = []
        turn: Turn | None = None

        async def work() -> None:
            nonlocal turn
            turn = _turn(NotingClient())
            seen.append(turn.cancelled)
            try:
                await asyncio.Event().wait()
            finally:
                seen.append(turn.cancelled)
                turn.over()

        task = asyncio.create_task(work())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        assert turn is not None
        assert [*seen, turn.cancelled] == [False, True, True]

    run(scenario())


def test_a_permission_can_be_asked_for_without_a_tool_call() -> None:
    async def scenario() -> None:
        client = NotingClient()
        client.answer = Chosen("allow_once")
        turn = _turn(client)
        assert await turn.ask("May I?", description="Please")
        assert await turn.ask_command("rm -r x")
        assert await turn.ask_command("ls", title="Look around")
        command = CommandSubject("rm -r x", "/home")
        assert client.questions == [
            PermissionQuestion("May I?", ALLOW_OR_REJECT, None, "Please"),
            PermissionQuestion("Run `rm -r x`", ALLOW_OR_REJECT, command),
            PermissionQuestion("Look around", ALLOW_OR_REJECT, CommandSubject("ls", "/home")),
        ]

    run(scenario())


def test_a_form_gives_values_or_nothing() -> None:
    async def scenario() -> None:
        client = NotingClient()
        turn = _turn(client)
        schema = {"type": "object", "properties": {}}
        assert await turn.form("Who?", schema) is None
        client.input = Declined()
        assert await turn.form("Who?", schema) is None
        client.input = Accepted({"name": "x"})
        assert await turn.form("Who?", schema) == {"name": "x"}
        client.input = Accepted()
        assert await turn.form("Who?", schema) == {}
        assert client.questions[0] == FormQuestion("Who?", schema, SessionScope("s"))

    run(scenario())
