"""The sessions of one connection, and what goes on beside their turns."""

import asyncio
from pathlib import Path

import pytest

from parley.coder.providers.provider import ModelInfo
from parley.coder.settings import CoderSettings
from parley.coder.store.entry import Entry
from parley.coder.store.failure import StoreFailed
from parley.errors import ResourceNotFound
from parley.session.event import NoticeGiven, OptionsChanged
from parley.session.role import SessionRequest, StdioServer
from tests.coder.stage import BOUND, Gate, Played, Stage, option, says, staged


def _notices(stage: Stage) -> list[str]:
    return [e.title for e in stage.events if isinstance(e, NoticeGiven)]


def test_a_session_is_known_from_its_opening_to_its_end(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path) as s:
            sessions = s.application.sessions
            assert sessions.find(s.session_id) is sessions.get(s.session_id)
            await sessions.close(s.session_id)
            assert sessions.find(s.session_id) is None
            with pytest.raises(ResourceNotFound) as refused:
                sessions.get(s.session_id)
            assert refused.value.data == {"sessionId": s.session_id}

    asyncio.run(scenario())


def test_models_are_announced_when_they_are_known(tmp_path: Path) -> None:
    async def scenario() -> None:
        models = (ModelInfo("one", name="One", thinking=True), ModelInfo("two"))
        async with staged(tmp_path, models=models, listed=False) as s, asyncio.timeout(BOUND):
            await s.client.until(lambda: any(isinstance(e, OptionsChanged) for e in s.events))
            changed = next(e for e in s.events if isinstance(e, OptionsChanged))
            values = [choice.value for choice in option(changed.options, "model").flat()]
            assert values == ["played/one", "played/two"]
            assert option(changed.options, "thought_level").current == "off"
            await s.new()
            assert not any(isinstance(e, OptionsChanged) for e in s.events)

    asyncio.run(scenario())


def test_warnings_and_servers_that_cannot_be_started_are_said(tmp_path: Path) -> None:
    async def scenario() -> None:
        settings = CoderSettings(warnings=("The file is broken.",))
        async with staged(tmp_path, says("ok"), settings=settings) as s:
            servers = (StdioServer("files", "/nowhere/mcp-files"),)
            request = SessionRequest(str(s.project), mcp_servers=servers)
            s.session_id = (await s.application.new_session(request)).session_id
            await s.say()
            assert _notices(s) == [
                "The file is broken.",
                "The MCP server `files` could not be started:"
                " it cannot be started: No such file or directory.",
            ]

    asyncio.run(scenario())


def test_a_model_that_is_gone_is_replaced_and_that_is_said(tmp_path: Path) -> None:
    async def scenario() -> None:
        models = (ModelInfo("one"), ModelInfo("two"))
        async with staged(tmp_path, says("ok"), says("ok"), models=models) as s:
            await s.application.set_option(s.session_id, "model", "played/two")
            other = Played(says("ok"))
            s.runtime.adopt(CoderSettings(default_model="other/one"), {"other": other})
            await s.again()
            setup = await s.load()
            assert option(setup.options, "model").current == "other/one"
            await s.say()
            assert len(other.requests) == 1
            assert _notices(s) == ["The model `played/two` is not configured; `other/one` answers."]

    asyncio.run(scenario())


def test_a_damaged_session_says_what_is_lost(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, says("ok")) as s:
            await s.again()
            log = await s.runtime.store.open(s.session_id)
            log.damage = "12 records could not be read"
            await s.application.sessions.open(log, (str(s.project),), s.request)
            await s.say()
            assert [e for e in s.events if isinstance(e, NoticeGiven)] == [
                NoticeGiven(
                    "A part of this session was damaged and is lost.",
                    "warning",
                    "12 records could not be read",
                )
            ]

    asyncio.run(scenario())


def test_losses_of_the_store_are_told_in_the_session_that_opens_first(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, says("ok")) as s:
            await s.again()
            log = await s.runtime.store.open(s.session_id)
            log.store_damage = "3 of 9 records are lost"
            await s.application.sessions.open(log, (str(s.project),), s.request)
            await s.say()
            title = "A part of the stored sessions is lost."
            assert [e for e in s.events if isinstance(e, NoticeGiven)] == [
                NoticeGiven(title, "warning", "3 of 9 records are lost")
            ]

    asyncio.run(scenario())


def test_a_log_that_cannot_be_read_is_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        async with staged(tmp_path) as s:
            await s.again()

            async def entries(self: object) -> tuple[Entry, ...]:
                raise StoreFailed("the device reports an error", "io")

            with monkeypatch.context() as patched:
                patched.setattr("parley.coder.store.log.SessionLog.entries", entries)
                with pytest.raises(StoreFailed):
                    await s.load()
            await s.load()

    asyncio.run(scenario())


def test_what_is_discovered_in_the_background_is_adopted(tmp_path: Path) -> None:
    async def scenario() -> None:
        stage = Stage(tmp_path, Played())
        found, gate = Played(), Gate()

        async def discover() -> None:
            await gate.passed()
            stage.runtime.adopt(CoderSettings(default_model="found/one"), {"found": found})

        stage.runtime.discover = discover
        await stage.application.initialize(stage.client)
        await stage.new()
        async with asyncio.timeout(BOUND):
            await gate.reached.wait()
            gate.opened.set()
            await stage.client.until(
                lambda: any(isinstance(e, OptionsChanged) for e in stage.events)
            )
        changed = [e for e in stage.events if isinstance(e, OptionsChanged)]
        assert option(changed[-1].options, "model").current == "found/one"
        await stage.aclose()

    asyncio.run(scenario())
