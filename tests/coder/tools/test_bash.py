"""The tool that runs command lines."""

import asyncio
import os
import resource
from pathlib import Path
from typing import Any

import pytest

from parley.client.terminals import LocalTerminals
from parley.coder.errors import ToolError
from parley.coder.permission.access import RunsCommand
from parley.coder.tools.bash import Bash, fenced
from parley.coder.tools.tool import Desk, Outcome, Prepared
from parley.coder.workspace.workspace import Workspace
from parley.session.content import ContentItem, TerminalItem, Text
from tests.coder.tools.witness import Witness, call
from tests.sdk.stage import run
from tests.transport.wires import alive, eventually

MIB = 1024
"""As `ru_maxrss` counts."""


def _desk(folder: Path, *more: Path, terminals: LocalTerminals | None = None) -> Desk:
    roots = tuple(str(each) for each in (folder, *more))
    workspace = Workspace(roots, session_id="s", terminals=terminals)
    return Desk("s", workspace, environment={"PATH": os.environ["PATH"]})


def _bash(desk: Desk, command: str, **more: Any) -> Outcome:
    """Run a command to its end."""
    found: list[Outcome] = []

    async def scenario() -> None:
        found.append(await call(Bash(), desk, {"command": command, **more}))

    run(scenario())
    return found[0]


def _prepared(desk: Desk, command: str, **more: Any) -> Prepared:
    return asyncio.run(Bash().prepare({"command": command, **more}, desk))


def test_a_command_returns_its_code_and_output(tmp_path: Path) -> None:
    outcome = _bash(_desk(tmp_path), "echo one; echo two >&2")
    assert outcome.text == "Exit code 0\n\none\ntwo"
    assert outcome.raw_output == {"exit_code": 0, "output": "one\ntwo\n", "timed_out": False}
    assert not outcome.failed
    assert outcome.content is not None
    assert isinstance(outcome.content[0], TerminalItem)


def test_a_command_that_fails_is_a_result_and_a_failure(tmp_path: Path) -> None:
    outcome = _bash(_desk(tmp_path), "exit 7")
    assert outcome.text == "Exit code 7\n\n(no output)"
    assert outcome.failed


def test_a_command_that_a_signal_ended_says_so(tmp_path: Path) -> None:
    outcome = _bash(_desk(tmp_path), "kill -SEGV $$")
    assert outcome.text == "Ended by SIGSEGV\n\n(no output)"
    assert outcome.raw_output["signal"] == "SIGSEGV"
    assert outcome.raw_output["exit_code"] is None
    assert outcome.failed


def test_a_long_output_keeps_its_beginning_and_its_end(tmp_path: Path) -> None:
    text = _bash(_desk(tmp_path), "seq 1 100000").text
    assert text.startswith("Exit code 0\n\n1\n2\n3\n")
    assert text.endswith("\n99999\n100000")
    assert "characters left out here" in text
    assert 29_000 < len(text) < 31_000


def test_a_command_that_takes_too_long_returns_what_it_wrote(tmp_path: Path) -> None:
    outcome = _bash(_desk(tmp_path), "echo so far; exec sleep 60", timeout=1)
    assert outcome.text.startswith("Timed out after 1 seconds and was stopped.")
    assert outcome.text.endswith("\n\nso far")
    assert outcome.raw_output["timed_out"] is True
    assert outcome.failed


def test_a_program_that_writes_without_end_costs_no_memory(tmp_path: Path) -> None:
    _bash(_desk(tmp_path), "yes | head -c 1000000")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcome = _bash(_desk(tmp_path), "yes", timeout=1)
    assert outcome.raw_output["timed_out"] is True
    assert "y\ny\n" in outcome.text
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 8 * MIB


def test_the_model_sees_no_control_characters(tmp_path: Path) -> None:
    outcome = _bash(_desk(tmp_path), r"printf '\033[31mred\033[0m\a \377 5%%\r9%%\n\tdone'")
    assert outcome.text == "Exit code 0\n\n9%\n\tdone"


def test_the_call_says_what_will_run_and_where(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    prepared = _prepared(_desk(tmp_path), "pytest -q")
    assert prepared.title == "Run `pytest -q`"
    assert prepared.access == (RunsCommand("pytest -q", str(tmp_path)),)
    assert prepared.preview == ()
    prepared = _prepared(_desk(tmp_path), "pytest -q", cwd="inner", background=True)
    assert prepared.title == f"Start `pytest -q` in {inner}"
    assert prepared.access == (RunsCommand("pytest -q", str(inner)),)


def test_a_command_that_the_title_cannot_show_is_shown_whole(tmp_path: Path) -> None:
    line = "echo a\n" + "echo " + "x" * 300 + "\necho \u202e\x1b[1m```"
    prepared = _prepared(_desk(tmp_path), line, description="Say\nthings")
    assert "\n" not in prepared.title
    whole = "echo a\necho " + "x" * 300 + "\necho \\u202e\\u001b[1m```"
    assert prepared.preview == (
        ContentItem(Text(f"````\n{whole}\n````")),
        ContentItem(Text("Say\\nthings")),
    )


def test_the_whole_command_stays_above_its_output(tmp_path: Path) -> None:
    async def scenario() -> None:
        witness = Witness()
        outcome = await call(Bash(), _desk(tmp_path), {"command": "echo 1\necho 2"}, witness)
        preview = ContentItem(Text(fenced("echo 1\necho 2")))
        ((above, terminal),) = witness.shown
        assert above == preview
        assert outcome.content == (preview, terminal)

    run(scenario())


def test_a_command_runs_in_the_folder_it_asks_for(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    (first / "inner").mkdir(parents=True)
    second.mkdir()
    desk = _desk(first, second)
    for cwd, expected in [
        (None, first),
        ("", first),
        (".", first),
        ("inner", first / "inner"),
        (str(second), second),
    ]:
        assert _bash(desk, "pwd", cwd=cwd).raw_output["output"] == f"{expected}\n"


@pytest.mark.parametrize(
    ("cwd", "why"),
    [
        ("..", "outside the workspace"),
        ("/", "outside the workspace"),
        ("../rootless", "outside the workspace"),
        ("out", "outside the workspace"),
        ("inner/../../other", "outside the workspace"),
        ("missing", "no folder `missing`"),
        ("file", "no folder `file`"),
        ("a\0b", "NUL"),
        ("/proc/self/cwd", "outside the workspace"),
    ],
)
def test_a_folder_outside_the_workspace_is_refused(cwd: str, why: str, tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "inner").mkdir(parents=True)
    (tmp_path / "rootless").mkdir()
    (root / "out").symlink_to(tmp_path)
    (root / "file").touch()
    with pytest.raises(ToolError, match=why):
        _prepared(_desk(root), "true", cwd=cwd)


def test_a_folder_that_became_a_link_meanwhile_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "inner").mkdir(parents=True)
    (root / "other").mkdir()

    async def scenario() -> None:
        prepared = await Bash().prepare({"command": "pwd", "cwd": "inner"}, _desk(root))
        (root / "inner").rmdir()
        (root / "inner").symlink_to(root / "other")
        with pytest.raises(ToolError, match="no longer the folder"):
            await prepared.run(Witness())

    run(scenario())


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({}, "needs `command`"),
        ({"command": ""}, "must not be empty"),
        ({"command": ["ls"]}, "must be a string"),
        ({"command": "a\0b"}, "zero byte"),
        ({"command": "ls", "timeout": 0}, "at least 1"),
        ({"command": "ls", "timeout": 601}, "at most 600"),
        ({"command": "ls", "background": "maybe"}, "true or false"),
        ({"command": "ls", "dir": "."}, "no argument `dir`"),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], why: str, tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=why):
        asyncio.run(Bash().prepare(arguments, _desk(tmp_path)))


def test_the_environment_has_no_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "canary")
    for terminals in (None, LocalTerminals([tmp_path])):
        outcome = _bash(_desk(tmp_path, terminals=terminals), "printenv; cat /proc/self/environ")
        assert "PATH=" in outcome.text
        assert "canary" not in outcome.text


@pytest.mark.parametrize("terminals", [False, True], ids=["here", "client"])
@pytest.mark.parametrize(("line", "expected"), [("ls", "value"), ("ls && true > x", "taken")])
def test_a_command_that_needs_no_question_uses_no_program_of_the_workspace(
    line: str, expected: str, terminals: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ls", "bash"):
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\n{'echo taken' if name == 'ls' else 'echo no shell'}\n")
        program.chmod(0o755)
    (tmp_path / "value").touch()
    path = f"{tmp_path}/bin:{os.environ['PATH']}"
    monkeypatch.setenv("PATH", path)
    desk = _desk(tmp_path, terminals=LocalTerminals([tmp_path]) if terminals else None)
    assert desk.environment == {"PATH": path}
    assert expected in _bash(desk, line).text


def test_a_cancelled_call_leaves_no_process(tmp_path: Path) -> None:
    async def scenario() -> None:
        witness = Witness()
        command = {"command": "sh -c 'sleep 60 & echo $!; wait' & echo $!; wait"}
        async with asyncio.TaskGroup() as group:
            running = group.create_task(call(Bash(), _desk(tmp_path), command, witness))
            await eventually(lambda: witness.output.count(b"\n") == 2)
            running.cancel()
        assert running.cancelled()
        pids = [int(pid) for pid in witness.output.split()]
        await eventually(lambda: not any(map(alive, pids)))

    run(scenario())


def test_a_background_command_returns_a_job_at_once(tmp_path: Path) -> None:
    async def scenario() -> None:
        desk = _desk(tmp_path)
        outcome = await call(Bash(), desk, {"command": "sleep 60", "background": True})
        assert outcome.raw_output == {"job_id": "job-1"}
        assert "`job-1`" in outcome.text
        job = desk.jobs.get("job-1")
        assert job.running
        await desk.jobs.aclose()
        assert not job.running

    run(scenario())


def test_a_terminal_of_the_client_leaves_its_text_behind(tmp_path: Path) -> None:
    outcome = _bash(_desk(tmp_path, terminals=LocalTerminals([tmp_path])), "echo one; exit 2")
    assert outcome.text == "Exit code 2\n\none"
    assert outcome.content == (ContentItem(Text("```\none\n```\nExit code 2")),)
    assert outcome.failed
