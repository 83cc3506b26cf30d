"""What is asked about commands, depending on what confines them."""

import asyncio
from pathlib import Path

import pytest

from parley.client.terminals import LocalTerminals
from parley.coder.message import CallPart, ToolMessage
from parley.coder.sandbox.sandbox import Sandbox, Setting
from parley.coder.settings import CoderSettings
from parley.coder.tools.bash import Bash
from parley.session.event import NoticeGiven
from parley.session.option import Select
from tests.coder.sandbox.test_sandbox import nothing
from tests.coder.stage import Stage, Watcher, calls, choosing, option, says, staged

LIST = CallPart("c1", "bash", {"command": "ls"})
MAKE = CallPart("c2", "bash", {"command": "touch made"})
FULL = CoderSettings(mode="full-access")


def _results(stage: Stage) -> list[str]:
    messages = stage.provider.requests[-1].messages
    return [r.text for m in messages if isinstance(m, ToolMessage) for r in m.results]


def _notices(stage: Stage) -> list[str]:
    return [each.title for each in stage.events if isinstance(each, NoticeGiven)]


async def _played(
    folder: Path, sandbox: Sandbox, settings: CoderSettings, client: Watcher, *made: CallPart
) -> tuple[list[str], list[str]]:
    """What became of the calls, and what the person was told."""
    answers = (calls(*made), says("ok"))
    async with staged(folder, *answers, tools=(Bash(),), settings=settings, client=client) as stage:
        stage.runtime.sandbox = sandbox
        await stage.new()
        await stage.say()
        return _results(stage), _notices(stage)


@pytest.mark.parametrize("settings", [CoderSettings(), FULL])
def test_where_nothing_confines_them_all_commands_are_asked_for_and_never_for_long(
    tmp_path: Path, settings: CoderSettings
) -> None:
    async def scenario() -> None:
        client = Watcher(choosing("allow_once"))
        sandbox = Sandbox("auto", mechanisms=nothing)
        results, notices = await _played(tmp_path, sandbox, settings, client, LIST, MAKE)
        assert [each[:11] for each in results] == ["Exit code 0"] * 2
        assert len(client.questions) == 2
        for question in client.questions:
            assert "allow_always" not in {each.kind for each in question.options}
            assert "Nothing confines it on this machine." in (question.description or "")
        assert notices == [
            "No sandbox works on this machine, so you are asked about every command."
        ]

    asyncio.run(scenario())


@pytest.mark.parametrize("setting", ["auto", "off"])
def test_where_they_are_confined_or_nobody_wants_it_they_are_judged_as_ever(
    tmp_path: Path, setting: Setting
) -> None:
    async def scenario() -> None:
        client = Watcher()
        results, notices = await _played(tmp_path, Sandbox(setting), FULL, client, LIST, MAKE)
        assert [each[:11] for each in results] == ["Exit code 0"] * 2
        assert (client.questions, notices) == ([], [])

    asyncio.run(scenario())


def test_a_sandbox_that_is_required_and_missing_runs_nothing(tmp_path: Path) -> None:
    async def scenario() -> None:
        client = Watcher(choosing("allow_once"))
        sandbox = Sandbox("require", mechanisms=nothing)
        results, _ = await _played(tmp_path, sandbox, FULL, client, MAKE)
        assert "a sandbox is required" in results[0]
        assert not (tmp_path / "project/made").exists()

    asyncio.run(scenario())


@pytest.mark.parametrize("setting", ["auto", "require"])
def test_a_terminal_of_the_client_is_not_confined_and_the_question_says_so(
    tmp_path: Path, setting: Setting
) -> None:
    async def scenario() -> None:
        client = Watcher(choosing("allow_once"))
        client.terminals = LocalTerminals((str(tmp_path),))  # type: ignore[assignment]
        results, _ = await _played(tmp_path, Sandbox(setting), CoderSettings(), client, MAKE)
        assert results[0].startswith("Exit code 0")
        (question,) = client.questions
        warned = "The sandbox does not reach a terminal" in (question.description or "")
        assert warned == (setting == "auto")

    asyncio.run(scenario())


def test_the_network_of_commands_can_be_switched_off_in_a_session(tmp_path: Path) -> None:
    async def scenario() -> None:
        line = "python3 -I -S -c 'import socket; socket.socket(socket.AF_INET)'"
        reach = CallPart("c1", "bash", {"command": line})
        again = CallPart("c2", "bash", {"command": line})
        answers = (calls(reach), says("ok"), calls(again), says("ok"))
        async with staged(tmp_path, *answers, tools=(Bash(),), settings=FULL) as stage:
            stage.runtime.sandbox = Sandbox("auto")
            setup = await stage.new()
            assert option(setup.options, "network").current == "on"
            await stage.say()
            changed = await stage.application.set_option(stage.session_id, "network", "off")
            assert any(isinstance(e, Select) and e.current == "off" for e in changed)
            await stage.say(message_id="second")
            first, second = _results(stage)
            assert first.startswith("Exit code 0")
            assert "not permitted" in second

    asyncio.run(scenario())
