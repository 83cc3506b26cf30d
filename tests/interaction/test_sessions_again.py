"""Sessions that are listed, opened again, copied and deleted: nothing of before comes by itself."""

import asyncio
import os
from typing import Any

import pytest

from parley.errors import ResourceNotFound
from parley.sdk.agent import Agent
from parley.sdk.turn import Session, Turn
from parley.session.option import Choice, Select
from parley.session.role import SessionInfo, StdioServer
from tests.sdk.stage import VERSIONS, end_of_turn, joined, new_session, prompt_params, run, served

both = pytest.mark.parametrize("version", VERSIONS)
SERVER = StdioServer("files", "/bin/files")


def _agent() -> Agent:
    agent = Agent("test", additional_directories=True)

    @agent.prompt
    async def answer(turn: Turn) -> None:
        await turn.say(turn.text)

    return agent


@both
def test_roots_and_servers_of_before_are_not_restored(version: int) -> None:
    agent = _agent()
    seen: list[tuple[str, tuple[str, ...], tuple[Any, ...]]] = []

    def note(how: str, session: Session) -> None:
        seen.append((how, session.additional_directories, session.mcp_servers))

    @agent.new_session
    async def prepare(session: Session) -> None:
        note("new", session)

    @agent.resume_session
    async def resume(session: Session) -> None:
        note("resume", session)

    @agent.fork_session
    async def fork(session: Session, source: str) -> None:
        note("fork", session)

    async def scenario() -> None:
        async with joined(agent, version, unstable=True) as connection:
            session = await connection.new_session(
                "/", additional_directories=["/more"], mcp_servers=[SERVER]
            )
            copy = await connection.fork_session(session.id, "/")
            await session.close()
            again = await connection.resume_session(session.id, "/")
            # V1-U-04: the copy and its source go on, each by itself.
            assert (await copy.ask("a"), await again.ask("b")) == ("a", "b")
        # V1-DIR-04, V1-U-05, V2-RES-09
        assert seen == [("new", ("/more",), (SERVER,)), ("fork", (), ()), ("resume", (), ())]

    run(scenario())


@both
def test_the_answer_to_resume_waits_until_the_author_has_restored_the_session(version: int) -> None:
    agent = _agent()
    restored = asyncio.Event()

    @agent.resume_session
    async def resume(session: Session) -> None:
        await restored.wait()

    async def scenario() -> None:
        async with served(agent, version) as peer:
            params = {"sessionId": "old", "cwd": "/", "mcpServers": []}
            asked = peer.ask("session/resume", params)
            await peer.error("_alive", {})
            # V1-RES-03
            assert [each for each in peer.seen if each.get("id") == asked] == []
            restored.set()
            assert "result" in await peer.answer(asked)

    run(scenario())


@both
def test_listing_opens_nothing_and_deleting_takes_out_of_the_list(version: int) -> None:
    agent = _agent()
    stored = ["old", "older"]

    @agent.list_sessions
    async def listed(*, cwd: str | None, cursor: str | None) -> list[SessionInfo]:
        return [SessionInfo(each, "/") for each in stored]

    @agent.delete_session
    async def delete(session_id: str) -> None:
        if session_id not in stored:
            raise ResourceNotFound
        stored.remove(session_id)

    async def scenario() -> None:
        async with served(agent, version) as peer:

            async def names() -> list[str]:
                page = await peer.result("session/list", {})
                return [each["sessionId"] for each in page["sessions"]]

            assert await names() == ["old", "older"]
            # V1-LST-09: what is listed is not open.
            error = await peer.error("session/prompt", prompt_params("old"))
            assert error["code"] == -32002
            # V1-DEL-02, V1-DEL-03
            for _ in range(2):
                assert await peer.result("session/delete", {"sessionId": "old"}) == {}
                assert await names() == ["older"]

    run(scenario())


@both
def test_a_relative_path_is_below_the_directory_of_its_session(version: int) -> None:
    agent = Agent("test")

    @agent.prompt
    async def answer(turn: Turn) -> None:
        async with turn.tool("Edit", locations=["a.py", "/b.py"]):
            pass

    async def scenario() -> None:
        async with served(agent, version) as peer:
            for cwd in ("/here", "/there"):
                assert not os.getcwd().startswith(cwd)
                opened = await peer.result("session/new", {"cwd": cwd, "mcpServers": []})
                asked = peer.ask("session/prompt", prompt_params(opened["sessionId"]))
                await end_of_turn(peer, version, asked)
        places = [update["locations"] for update in peer.updates() if "locations" in update]
        # V1-SES-03, V1-SES-04: neither the process nor another session has a say in it.
        assert places == [
            [{"path": "/here/a.py"}, {"path": "/b.py"}],
            [{"path": "/there/a.py"}, {"path": "/b.py"}],
        ]

    run(scenario())


@both
def test_the_options_of_an_opened_session_are_those_that_were_set(version: int) -> None:
    agent = _agent()
    stored: dict[str, Any] = {}

    @agent.resume_session
    async def resume(session: Session) -> None:
        await session.set_options(stored[session.id])

    async def scenario() -> None:
        from_agent = [_mode("ask")]
        agent.registry.options = tuple(from_agent)
        async with served(agent, version) as peer:
            session_id = await new_session(peer)
            choice = {"sessionId": session_id, "configId": "mode", "value": "code"}
            answer = await peer.result("session/set_config_option", {**choice, "type": "id"})
            stored[session_id] = [_mode(answer["configOptions"][0]["currentValue"])]
            await peer.result("session/close", {"sessionId": session_id})
            params = {"sessionId": session_id, "cwd": "/", "mcpServers": []}
            again = await peer.result("session/resume", params)
            # V1-SES-10, V1-RES-04
            assert [each["currentValue"] for each in again["configOptions"]] == ["code"]

    run(scenario())


def _mode(current: str) -> Any:
    return Select("mode", "Mode", current, (Choice("ask", "Ask"), Choice("code", "Code")))
