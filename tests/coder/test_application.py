"""The coding agent as a client drives it."""

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from parley.coder.application import Application
from parley.coder.message import CallPart, UserMessage
from parley.coder.settings import CoderSettings
from parley.coder.store.failure import SessionInUse
from parley.coder.tools.tool import Outcome, Progress
from parley.errors import InvalidParams, MethodNotFound, ResourceNotFound
from parley.session.content import Text
from parley.session.event import ChunkAdded, InfoChanged, OptionsChanged
from parley.session.profile import AgentCapabilities, AgentLogin, Implementation
from parley.session.role import Prompt, SessionRequest
from tests.coder.stage import (
    BOUND,
    Played,
    SmallTool,
    Stage,
    Watcher,
    calls,
    option,
    says,
    staged,
)


def _texts(stage: Stage) -> list[str]:
    chunks = (e for e in stage.events if isinstance(e, ChunkAdded))
    return [c.content.text for c in chunks if isinstance(c.content, Text)]


def test_the_profile_says_who_and_what(tmp_path: Path) -> None:
    async def scenario() -> None:
        stage = Stage(tmp_path, Played(), settings=CoderSettings(version="1.2", images=True))
        stage.runtime.logins = (AgentLogin("key", "Key"),)
        profile = await stage.application.initialize(stage.client)
        assert profile.info == Implementation("parley", "1.2", "Parley")
        assert profile.logins == stage.runtime.logins
        assert profile.capabilities == AgentCapabilities(
            load=True,
            resume=True,
            list=True,
            close=True,
            delete=True,
            fork=True,
            additional_directories=True,
            image=True,
            embedded_context=True,
            mcp_stdio=True,
            mcp_http=True,
            logout=True,
        )
        await stage.aclose()

    asyncio.run(scenario())


def test_a_session_has_an_id_that_cannot_be_guessed_and_options(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, settings=CoderSettings(mode="auto-edit")) as s:
            setup = await s.new()
            assert re.fullmatch(r"[A-Za-z0-9_-]{16,64}", setup.session_id)
            assert setup.session_id != (await s.new()).session_id
            assert option(setup.options, "mode").current == "auto-edit"
            assert option(setup.options, "model").current == "played/one"

    asyncio.run(scenario())


@pytest.mark.parametrize("cwd", ["relative", "/no/such/folder", "/etc/hosts", "/a\0b", ""])
def test_a_session_wants_a_folder_that_exists(tmp_path: Path, cwd: str) -> None:
    async def scenario() -> None:
        async with staged(tmp_path) as s:
            with pytest.raises(InvalidParams) as refused:
                await s.application.new_session(SessionRequest(cwd))
            assert refused.value.data == {"path": "cwd"}
            assert repr(cwd) in refused.value.message
            with pytest.raises(InvalidParams) as refused:
                await s.application.new_session(SessionRequest(str(tmp_path), (cwd,)))
            assert refused.value.data == {"path": "additionalDirectories"}

    asyncio.run(scenario())


def test_an_option_that_was_chosen_is_kept_with_the_session(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path) as s:
            options = await s.application.set_option(s.session_id, "mode", "plan")
            assert option(options, "mode").current == "plan"
            with pytest.raises(InvalidParams):
                await s.application.set_option(s.session_id, "mode", "yolo")
            await s.again()
            assert option((await s.load()).options, "mode").current == "plan"
            assert option((await s.new()).options, "mode").current == "ask"

    asyncio.run(scenario())


def test_the_first_prompt_names_the_session_in_the_list(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, says("ok"), says("ok")) as s:
            await s.say("Fix the bug\nin line 3")
            await s.say("Something else")
            assert [e for e in s.events if isinstance(e, InfoChanged)] == [
                InfoChanged("Fix the bug")
            ]
            page = await s.application.list_sessions(cwd=f"{s.project}/")
            assert [(i.session_id, i.title, i.cwd) for i in page.sessions] == [
                (s.session_id, "Fix the bug", str(s.project))
            ]
            elsewhere = await s.application.list_sessions(cwd=str(tmp_path))
            assert elsewhere.sessions == ()
            assert (await s.application.list_sessions()).sessions == page.sessions

    asyncio.run(scenario())


def test_a_resumed_session_goes_on_without_its_history(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, says("one"), says("two")) as s:
            await s.say()
            await s.again()
            await s.application.resume_session(s.session_id, s.request)
            assert _texts(s) == []
            await s.say()
            assert _texts(s) == ["two"]
            assert len(s.provider.requests[1].messages) == 3

    asyncio.run(scenario())


def test_a_fork_has_the_history_and_goes_its_own_way(tmp_path: Path) -> None:
    async def scenario() -> None:
        turns = (says("one"), says("fork"), says("source"), says("both"))
        async with staged(tmp_path, *turns) as s:
            await s.say("first")
            source = s.session_id
            s.session_id = (await s.application.fork_session(source, s.request)).session_id
            await s.say("in the fork")
            fork, s.session_id = s.session_id, source
            await s.say("in the source")
            told = [
                [m for m in request.messages if isinstance(m, UserMessage)]
                for request in s.provider.requests
            ]
            assert told[1][0] == told[2][0] == told[0][0]
            assert told[1][1:] != told[2][1:]
            assert [len(each) for each in told] == [1, 2, 2]
            await s.application.delete_session(source)
            s.session_id = fork
            await s.again()
            await s.load()
            assert _texts(s) == ["one", "fork"]

    asyncio.run(scenario())


def test_a_closed_session_is_unknown_until_it_is_loaded(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, says("ok")) as s:
            await s.application.close_session(s.session_id)
            await s.application.close_session(s.session_id)
            for refused in (s.say(), s.application.set_option(s.session_id, "mode", "plan")):
                with pytest.raises(ResourceNotFound):
                    await refused
            await s.load()
            assert (await s.say()).stop_reason == "end_turn"

    asyncio.run(scenario())


def test_a_deleted_session_is_gone(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path) as s:
            await s.application.delete_session(s.session_id)
            with pytest.raises(ResourceNotFound):
                await s.load()
            assert (await s.application.list_sessions()).sessions == ()

    asyncio.run(scenario())


def test_two_connections_cannot_hold_one_session(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path) as s:
            second = Application(s.runtime)
            await second.initialize(Watcher())
            with pytest.raises(SessionInUse):
                await second.load_session(s.session_id, s.request)
            await s.application.aclose()
            await second.load_session(s.session_id, s.request)
            await second.aclose()

    asyncio.run(scenario())


def test_a_login_switches_the_sessions_to_what_it_found(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path) as s:
            better = Played(says("better"))

            async def login(method_id: str) -> None:
                s.runtime.adopt(CoderSettings(default_model="better/one"), {"better": better})

            with pytest.raises(InvalidParams):
                await s.application.login("key")
            s.runtime.login, s.runtime.logins = login, (AgentLogin("key", "Key"),)
            with pytest.raises(InvalidParams):
                await s.application.login("other")
            await s.application.login("key")
            await s.say()
            assert _texts(s) == ["better"]
            changed = [e for e in s.events if isinstance(e, OptionsChanged)]
            assert option(changed[-1].options, "model").current == "better/one"
            with pytest.raises(MethodNotFound):
                await s.application.logout()

    asyncio.run(scenario())


def test_eight_sessions_work_at_the_same_time(tmp_path: Path) -> None:
    async def scenario() -> None:
        barrier = asyncio.Barrier(8)

        async def meet(arguments: Mapping[str, Any], progress: Progress) -> Outcome:
            await barrier.wait()
            return Outcome("met")

        turns = [calls(CallPart("c", "meet")) for _ in range(8)] + [says("ok") for _ in range(8)]
        tool = SmallTool("meet", "read", meet)
        async with staged(tmp_path, *turns, tools=(tool,)) as s, asyncio.timeout(BOUND):
            ids = [(await s.new()).session_id for _ in range(8)]
            prompt = Prompt((Text("go"),))
            # No tool ends before all eight run, so nobody may wait for another session.
            async with asyncio.TaskGroup() as group:
                running = [group.create_task(s.application.prompt(id, prompt)) for id in ids]
            assert [each.result().stop_reason for each in running] == ["end_turn"] * 8

    asyncio.run(scenario())


def test_what_cannot_be_cancelled_or_called_is_refused(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path) as s:
            with pytest.raises(InvalidParams):
                await s.application.cancel_tool_call(s.session_id, "c1")
            with pytest.raises(InvalidParams):
                await s.application.cancel_terminal(s.session_id, "t1")
            with pytest.raises(MethodNotFound):
                await s.application.call("_x", {})
            s.application.tell("_x", {})

    asyncio.run(scenario())
