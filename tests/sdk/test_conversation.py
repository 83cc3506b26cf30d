"""Sessions as a client handles them: opened, loaded, listed, chosen in, closed."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from parley.errors import LocalProtocolError, ResourceNotFound, RpcError
from parley.sdk.agent import Agent
from parley.sdk.turn import Session, Turn
from parley.session.content import Link, Text
from parley.session.option import Choice, Command, Select
from parley.session.role import SessionInfo
from tests.sdk.stage import VERSIONS, driven, joined, run

both = pytest.mark.parametrize("version", VERSIONS)
MODE = Select("mode", "Mode", "ask", (Choice("ask", "Ask"), Choice("code", "Code")), None, "mode")


def _agent(**choices: Any) -> Agent:
    agent = Agent("test", "1", title="Test", **choices)

    @agent.prompt
    async def answer(turn: Turn) -> None:
        turn.session.data["meta"] = turn.meta
        await turn.say(f"{turn.text}!")

    return agent


@both
def test_the_agent_is_introduced(version: int) -> None:
    async def scenario() -> None:
        async with joined(_agent(image=True), version) as agent:
            assert (agent.profile.version, agent.profile.info.label) == (version, "Test")
            assert agent.profile.capabilities.image

    run(scenario())


@both
def test_paths_of_a_session_are_made_absolute(version: int, tmp_path: Path) -> None:
    sessions: list[Session] = []
    agent = _agent(additional_directories=True)

    @agent.new_session
    async def prepare(session: Session) -> None:
        sessions.append(session)

    async def scenario() -> None:
        async with joined(agent, version) as connection:
            await connection.new_session(".", meta={"k": 1})
            await connection.new_session(
                tmp_path, additional_directories=["/b", tmp_path, "/b", Path("/c")]
            )
        assert [(s.cwd, s.meta) for s in sessions] == [
            (os.getcwd(), {"k": 1}),
            (str(tmp_path), None),
        ]
        assert sessions[1].additional_directories == ("/b", "/c")

    run(scenario())


@both
def test_a_session_brings_its_options_and_commands(version: int) -> None:
    agent = _agent(options=[MODE], commands=[Command("help", "Helps")])

    async def scenario() -> None:
        async with joined(agent, version) as connection:
            session = await connection.new_session("/")
            assert session.options == (MODE,)
            await session.prompt("x")
            assert session.state.commands == (Command("help", "Helps"),)
            (changed,) = await session.set_option("mode", "code")
            assert changed == session.options[0]
            assert session.state.mode is not None
            assert session.state.mode.current == "code"
            for id, value in (("x", "code"), ("mode", "fly")):
                with pytest.raises(LocalProtocolError):
                    await session.set_option(id, value)

    run(scenario())


@both
def test_prompts_are_made_of_texts_and_blocks(version: int) -> None:
    async def scenario() -> None:
        async with joined(_agent(), version) as connection:
            session = await connection.new_session("/")
            link = Link("file:///x", "x")
            assert await session.ask("a") == "a!"
            assert await session.ask(Text("b")) == "b!"
            assert await session.ask(["c", link, Text("d")], meta={"t": 1}) == "c\nd!"

    run(scenario())


@both
def test_a_stored_session_is_loaded_listed_and_deleted(version: int) -> None:
    agent = _agent()
    stored = ["old"]

    @agent.load_session
    async def load(session: Session) -> None:
        if session.id not in stored:
            raise ResourceNotFound
        await session.replay_user("hello")
        await session.say("hi")

    @agent.list_sessions
    async def listed(*, cwd: str | None, cursor: str | None) -> list[SessionInfo]:
        return [SessionInfo(each, cwd or "/") for each in stored]

    @agent.delete_session
    async def delete(session_id: str) -> None:
        stored.remove(session_id)

    async def scenario() -> None:
        async with joined(agent, version) as connection:
            page = await connection.list_sessions(".")
            assert page.sessions == (SessionInfo("old", os.getcwd()),)
            session = await connection.load_session("old", "/")
            assert [each.text for each in session.state.messages.values()] == ["hello", "hi"]
            # Loading it once more does not say everything twice.
            assert await connection.load_session("old", "/") is session
            assert [each.text for each in session.state.messages.values()] == ["hello", "hi"]
            before = session.state
            stored[:] = ["other"]
            if version == 1:
                with pytest.raises(RpcError):
                    await connection.load_session("old", "/")
                assert session.state is before
            stored[:] = ["old"]
            await session.delete()
            assert (stored, connection.sessions) == ([], {})

    run(scenario())


@both
def test_a_session_is_resumed_without_its_history_and_closed(version: int) -> None:
    agent = _agent()

    @agent.resume_session
    async def resume(session: Session) -> None:
        await session.title("Resumed")

    async def scenario() -> None:
        async with joined(agent, version) as connection:
            session = await connection.resume_session("old", "/")
            assert session.state.messages == {}
            assert await session.ask("a") == "a!"
            await session.close()
            assert connection.sessions == {}
            with pytest.raises(LocalProtocolError):
                await session.prompt("b")

    run(scenario())


@both
def test_a_session_is_forked_where_the_unstable_part_is_spoken(version: int) -> None:
    agent = _agent()

    @agent.fork_session
    async def fork(session: Session, source: str) -> None:
        session.data["source"] = source

    async def scenario() -> None:
        async with joined(agent, version, unstable=True) as connection:
            session = await connection.new_session("/")
            copy = await connection.fork_session(session.id, "/")
            assert copy.id != session.id
            assert await copy.ask("a") == "a!"

    run(scenario())


@both
def test_logins_and_extensions_go_both_ways(version: int) -> None:
    agent = _agent()
    log: list[Any] = []

    @agent.login("key", "Key")
    async def enter() -> None:
        log.append("in")

    @agent.logout
    async def leave() -> None:
        log.append("out")

    @agent.method("_x/add")
    async def add(params: Any) -> Any:
        return sum(params["of"])

    @agent.notification("_x/note")
    def hear(params: Any) -> None:
        log.append(params)

    async def scenario() -> None:
        async with joined(agent, version) as connection:
            await connection.login("key")
            await connection.logout()
            connection.tell("_x/note", {"a": 1})
            assert await connection.call("_x/add", {"of": [1, 2]}) == 3
            assert log == ["in", "out", {"a": 1}]

    run(scenario())


@both
def test_an_update_before_the_answer_that_opens_a_session_is_kept(version: int) -> None:
    async def scenario() -> None:
        async with driven(version) as (connection, raw):
            opening = asyncio.create_task(connection.new_session("/"))
            request = await raw.peer.request("session/new")
            update = {"sessionUpdate": "session_info_update", "title": "Early"}
            raw.peer.note("session/update", {"sessionId": "s", "update": update})
            raw.peer.reply(request, {"sessionId": "s"})
            session = await opening
            assert session.state.info.title == "Early"

    run(scenario())
