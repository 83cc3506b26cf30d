"""Commands in turns: what the client is told, and what reaches the model."""

import asyncio
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from parley.coder.commands.table import RUNS
from parley.coder.known_commands import BUILT_IN
from parley.coder.message import TextPart, UserMessage
from parley.coder.settings import CoderSettings
from parley.session.content import Link, Text
from parley.session.event import ChunkAdded, CommandsChanged, InfoChanged
from parley.session.role import Prompt
from tests.coder.skills.folders import add_skill
from tests.coder.stage import Stage, says, staged


def _said(stage: Stage) -> str:
    chunks = (e for e in stage.events if isinstance(e, ChunkAdded) and e.speaker == "agent")
    return "".join(e.content.text for e in chunks if isinstance(e.content, Text))


def test_every_announced_command_does_something() -> None:
    assert set(RUNS) == {command.name for command in BUILT_IN}


def test_help_is_answered_without_the_model(tmp_path: Path) -> None:
    async def scenario() -> None:
        folder = tmp_path / "commands"
        folder.mkdir()
        (folder / "ship.md").write_text("Ship $ARGUMENTS", encoding="utf-8")
        (folder / "help.md").write_text("x", encoding="utf-8")
        settings = CoderSettings(commands_folder=str(folder))
        async with staged(tmp_path, settings=settings) as stage:
            setup = await stage.load()
            assert [each.name for each in setup.commands][-2:] == ["review", "ship"]
            assert (await stage.say("/help")).stop_reason == "end_turn"
            assert stage.provider.requests == []
            said = _said(stage)
            assert "- `/ship [arguments]`: Ship $ARGUMENTS" in said
            assert "- `/undo [turns] [--force]`" in said
            assert "- `/clear`:" in said
            assert f"`{folder}`" in said
            assert "`help.md` is left out" in said

    asyncio.run(scenario())


def test_the_loop_never_waits_for_the_folders_of_commands_and_skills(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = tmp_path / "commands"
    add_skill(tmp_path / "skills", "ant")
    looks: list[bool] = []

    def watch(name: str) -> None:
        real = getattr(os, name)

        def watched(path: Any = ".", *rest: Any) -> Any:
            if isinstance(path, str) and path.startswith((str(commands), str(tmp_path / "skills"))):
                looks.append(threading.current_thread() is threading.main_thread())
            return real(path, *rest)

        monkeypatch.setattr(os, name, watched)

    async def scenario() -> None:
        settings = CoderSettings(
            commands_folder=str(commands), skill_folders=(str(tmp_path / "skills"),)
        )
        async with staged(tmp_path, settings=settings) as stage:
            await stage.say("/help")
            assert "- `/ant [what to do]`" in _said(stage)

    for name in ("listdir", "scandir", "lstat"):
        watch(name)
    asyncio.run(scenario())
    assert looks
    assert not any(looks)


def test_a_command_is_the_title_until_there_is_a_prompt(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, says("a"), says("b")) as stage:
            for prompt in ("/hlep", "/mode", "fix it", "/mcp", "more"):
                await stage.say(prompt)
            titles = [e.title for e in stage.events if isinstance(e, InfoChanged)]
            assert titles == ["/mode", "fix it"]

    asyncio.run(scenario())


def test_a_command_of_the_user_asks_the_model_with_what_is_attached(tmp_path: Path) -> None:
    async def scenario() -> None:
        settings = CoderSettings(commands_folder=str(tmp_path / "commands"))
        async with staged(tmp_path, says("shipped"), settings=settings) as stage:
            (tmp_path / "commands").mkdir()
            (tmp_path / "commands" / "ship.md").write_text("Ship $ARGUMENTS!", encoding="utf-8")
            link = Link("file:///notes", "notes")
            prompt = Prompt((Text("/ship 1.2"), link), "prompt")
            await stage.application.prompt(stage.session_id, prompt)
            (message,) = stage.provider.requests[0].messages
            assert message == UserMessage(
                (TextPart("Ship 1.2!"), TextPart("[notes](file:///notes)"))
            )
            changed = [e for e in stage.events if isinstance(e, CommandsChanged)]
            assert [each.commands[-1].name for each in changed] == ["ship"]

    asyncio.run(scenario())


def test_commands_are_not_history(tmp_path: Path) -> None:
    async def scenario() -> None:
        settings = CoderSettings(commands_folder=str(tmp_path / "commands"))
        async with staged(tmp_path, settings=settings) as stage:
            (tmp_path / "commands").mkdir()
            (tmp_path / "commands" / "ship.md").write_text("Ship", encoding="utf-8")
            await stage.say("/help")
            (tmp_path / "commands" / "ship.md").unlink()
            await stage.again()
            setup = await stage.load()
            assert setup.commands == BUILT_IN
            assert not any(isinstance(e, CommandsChanged) for e in stage.events)

    asyncio.run(scenario())


def test_a_path_goes_to_the_model_and_a_mistake_is_explained(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, says("a"), says("b")) as stage:
            (stage.project / "lib").mkdir()
            await stage.say("/lib has a bug")
            await stage.say("/no-such/path")
            assert len(stage.provider.requests) == 2
            await stage.say("/hlep")
            assert len(stage.provider.requests) == 2
            assert "Did you mean `/help`?" in _said(stage)

    asyncio.run(scenario())


def test_no_server_is_listed_where_there_is_none(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path) as stage:
            await stage.say("/mcp")
            assert _said(stage) == "This session has no MCP servers."

    asyncio.run(scenario())
