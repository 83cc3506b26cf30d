"""Command lines, run here and in terminals of a client."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from parley.client.terminals import LocalTerminal, LocalTerminals
from parley.coder.errors import ToolError
from parley.coder.workspace import shell
from parley.coder.workspace.shell import LIVE_BYTES, Ran, begin, exit_status, run_line
from parley.coder.workspace.workspace import Workspace
from parley.errors import ConnectionClosed, InternalError
from parley.process.command import Command, start
from parley.session.content import ContentItem, TerminalItem, Text
from parley.session.event import ExitStatus, TerminalChanged, TerminalOutputAdded
from tests.coder.tools.witness import Witness
from tests.process.pipes import waiting_in
from tests.sdk.stage import run
from tests.transport.wires import alive, eventually

ENV = {"PATH": os.environ["PATH"]}
HOLD = "until [ -e go ]; do sleep 0.01; done"


async def _run(
    line: str, folder: Path, witness: Witness, *, seconds: float = 5, **of_workspace: Any
) -> Ran:
    workspace = Workspace((str(folder),), session_id="s", **of_workspace)
    return await run_line(workspace, ENV, line, cwd=str(folder), seconds=seconds, screen=witness)


def test_a_command_is_shown_from_its_start_to_its_end(tmp_path: Path) -> None:
    async def scenario() -> None:
        witness = Witness()
        ran = await _run("echo one; exit 3", tmp_path, witness)
        assert ran.item is not None
        id_ = ran.item.terminal_id
        assert ran == Ran("one\n", ExitStatus(3), False, TerminalItem(id_))
        assert witness.shown == [(TerminalItem(id_),)]
        assert witness.events == [
            TerminalChanged(id_, command="echo one; exit 3", cwd=str(tmp_path)),
            TerminalOutputAdded(id_, b"one\n"),
            TerminalChanged(id_, exit=ExitStatus(3)),
        ]

    run(scenario())


def test_output_is_live(tmp_path: Path) -> None:
    async def scenario() -> None:
        witness = Witness()
        async with asyncio.TaskGroup() as group:
            running = group.create_task(_run(f"echo early; {HOLD}; echo late", tmp_path, witness))
            await eventually(lambda: witness.output == b"early\n")
            assert not running.done()
            (tmp_path / "go").touch()
        assert witness.output == b"early\nlate\n"
        assert running.result().output == "early\nlate\n"

    run(scenario())


def test_a_client_that_is_behind_makes_the_command_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Command] = []

    def noted(*args: Any, **options: Any) -> Command:
        started.append(start(*args, **options))
        return started[-1]

    monkeypatch.setattr(shell, "start", noted)

    async def scenario() -> None:
        witness = Witness()
        witness.gate.clear()
        line = f"echo first; {HOLD}; yes | head -c 200000"
        async with asyncio.TaskGroup() as group:
            running = group.create_task(_run(line, tmp_path, witness))
            await eventually(lambda: witness.output == b"first\n")
            (tmp_path / "go").touch()
            # The pipe holds less than what the command has to say.
            await eventually(lambda: waiting_in(started[0]._output.fd) >= 60_000)
            assert witness.output == b"first\n"
            witness.gate.set()
        assert len(witness.output) == 200_006
        assert running.result().exit == ExitStatus(0)

    run(scenario())


def test_live_output_is_bounded_and_the_end_shows_what_is_kept(tmp_path: Path) -> None:
    async def scenario() -> None:
        witness = Witness()
        ran = await _run("yes | head -c 3000000; echo over", tmp_path, witness)
        assert len(witness.output) < LIVE_BYTES + 200
        assert ran.output.endswith("y\ny\nover\n")
        assert "characters left out" in ran.output
        last = witness.events[-1]
        assert isinstance(last, TerminalChanged)
        assert isinstance(last.output, bytes)
        assert last.output.decode().replace("\r\n", "\n") == ran.output
        assert last.exit == ExitStatus(0)

    run(scenario())


def test_a_command_that_takes_too_long_is_stopped_and_its_words_are_kept(tmp_path: Path) -> None:
    async def scenario() -> None:
        witness = Witness()
        ran = await _run("echo so far; exec sleep 60", tmp_path, witness, seconds=0.3)
        assert ran.timed_out
        assert ran.output == "so far\n"
        assert ran.exit == ExitStatus(signal="SIGTERM")

    run(scenario())


def test_a_cancelled_command_leaves_no_process(tmp_path: Path) -> None:
    async def scenario() -> None:
        witness = Witness()
        line = "trap '' TERM; sh -c 'sleep 60 & echo $!'; sleep 60 & echo $!; echo $$; sleep 60"
        async with asyncio.TaskGroup() as group:
            running = group.create_task(_run(line, tmp_path, witness))
            await eventually(lambda: witness.output.count(b"\n") == 3)
            started = [int(pid) for pid in witness.output.split()]
            assert all(map(alive, started))
            async with asyncio.timeout(1):
                running.cancel()
                await asyncio.wait([running])
                await eventually(lambda: not any(map(alive, started)))
        assert running.cancelled()
        last = witness.events[-1]
        assert isinstance(last, TerminalChanged)
        assert last.exit == ExitStatus(signal="SIGKILL")

    run(scenario())


def test_a_command_gets_the_given_variables_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary")

    async def scenario() -> None:
        ran = await _run("env", tmp_path, Witness())
        assert "PATH=" in ran.output
        assert "canary" not in ran.output

    run(scenario())


def test_what_cannot_be_started_is_an_error_for_the_model(tmp_path: Path) -> None:
    async def scenario() -> None:
        with pytest.raises(ToolError, match="cannot be started in"):
            await _run("true", tmp_path / "missing", Witness())

    run(scenario())


def test_a_command_does_not_start_where_a_link_was_put_in(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "folder").symlink_to("elsewhere")

    async def scenario() -> None:
        with pytest.raises(ToolError, match="cannot be started in"):
            await _run("touch made", tmp_path / "folder", Witness())
        assert list((tmp_path / "elsewhere").iterdir()) == []

    run(scenario())


def test_a_machine_without_bash_has_a_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shell.os.path, "exists", lambda path: False)

    async def scenario() -> None:
        heard: list[bytes] = []
        command = begin("echo $0", str(tmp_path), ENV, heard.append)
        assert await command.wait() == 0
        assert heard == [b"/bin/sh\n"]

    run(scenario())


def test_a_command_that_nothing_could_end_has_no_status() -> None:
    assert exit_status(None) == ExitStatus()


def test_a_client_with_terminals_runs_the_command(tmp_path: Path) -> None:
    async def scenario() -> None:
        witness = Witness()
        terminals = LocalTerminals([tmp_path])
        ran = await _run("echo \x1b[1mone; exit 3", tmp_path, witness, terminals=terminals)
        assert ran == Ran("one\n", ExitStatus(3))
        ((item,),) = witness.shown
        assert isinstance(item, TerminalItem)
        assert witness.events == []
        assert terminals._open == set()

    run(scenario())


def test_what_stands_above_a_command_stays_above_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        above = ContentItem(Text("above"))
        for terminals in (None, LocalTerminals([tmp_path])):
            witness = Witness()
            workspace = Workspace((str(tmp_path),), session_id="s", terminals=terminals)
            await run_line(
                workspace,
                ENV,
                "true",
                cwd=str(tmp_path),
                seconds=5,
                screen=witness,
                above=(above,),
            )
            ((first, second),) = witness.shown
            assert first == above
            assert isinstance(second, TerminalItem)

    run(scenario())


def test_the_client_is_told_what_commands_must_not_see(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary")

    async def scenario() -> None:
        workspace = Workspace((str(tmp_path),), terminals=LocalTerminals([tmp_path]))
        line, folder = 'echo "[$OPENAI_API_KEY]"', str(tmp_path)
        for environment, expected in ((ENV, "[]\n"), ({}, "[canary]\n")):
            ran = await run_line(
                workspace, environment, line, cwd=folder, seconds=5, screen=Witness()
            )
            assert ran.output == expected

    run(scenario())


def test_a_long_output_of_a_client_says_that_its_beginning_is_missing(tmp_path: Path) -> None:
    async def scenario() -> None:
        terminals = LocalTerminals([tmp_path], kept_bytes=100)
        ran = await _run("yes | head -c 1000", tmp_path, Witness(), terminals=terminals)
        assert ran.output.startswith("[the beginning of the output was left out]\ny\n")

    run(scenario())


def test_a_command_of_the_client_that_takes_too_long_is_killed(tmp_path: Path) -> None:
    async def scenario() -> None:
        terminals = LocalTerminals([tmp_path])
        line = "echo so far; exec sleep 60"
        ran = await _run(line, tmp_path, Witness(), seconds=0.3, terminals=terminals)
        assert ran == Ran("so far\n", ExitStatus(signal="SIGKILL"), timed_out=True)
        assert terminals._open == set()

    run(scenario())


def test_a_client_that_does_not_say_how_a_killed_command_ended_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(self: LocalTerminal) -> ExitStatus:
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr(LocalTerminal, "wait", never)
    monkeypatch.setattr(shell, "_CLIENT_SECONDS", 0.1)

    async def scenario() -> None:
        terminals = LocalTerminals([tmp_path])
        ran = await _run("sleep 60", tmp_path, Witness(), seconds=0.1, terminals=terminals)
        assert ran == Ran("", ExitStatus(), timed_out=True)

    run(scenario())


def test_cancelling_releases_the_terminal_of_the_client(tmp_path: Path) -> None:
    async def scenario() -> None:
        witness = Witness()
        terminals = LocalTerminals([tmp_path])
        line = "echo $$ > new; mv new pid; exec sleep 60"
        async with asyncio.TaskGroup() as group:
            running = group.create_task(_run(line, tmp_path, witness, terminals=terminals))
            await eventually((tmp_path / "pid").exists)
            running.cancel()
        assert running.cancelled()
        assert terminals._open == set()
        assert not alive(int((tmp_path / "pid").read_text()))

    run(scenario())


@pytest.mark.parametrize("failing", ["create", "output", "release"])
def test_a_client_that_fails_makes_the_call_fail(
    failing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise (
            InternalError("no terminal today") if failing == "create" else ConnectionClosed("gone")
        )

    owner = LocalTerminals if failing == "create" else LocalTerminal
    monkeypatch.setattr(owner, failing, fail)

    async def scenario() -> None:
        terminals = LocalTerminals([tmp_path])
        if failing == "release":
            # All that was asked for has been said by then.
            assert (await _run("echo x", tmp_path, Witness(), terminals=terminals)).output == "x\n"
            return
        with pytest.raises(ToolError, match="could not run the command in a terminal"):
            await _run("echo x", tmp_path, Witness(), terminals=terminals)

    run(scenario())
