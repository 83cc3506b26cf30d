"""`parley scripted-agent`, as a client meets it."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from parley.cli.main import main
from parley.errors import ConnectionLost
from parley.sdk.client import Client

PROGRAM = "import sys; from parley.cli.main import main; sys.exit(main())"
HELLO = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}
TAKE = {"do": "receive", "method": "initialize", "result": {"protocolVersion": 1}}


def run(folder: Path, steps: list[Any], said: str, *more: str) -> subprocess.CompletedProcess[str]:
    """Play steps in a process of their own, with this on its stdin."""
    whole = {"scenario": 1, "name": "s", "plays": "agent", "protocol": 1, "steps": steps,
             "timeout": 5, "variables": {"who": "nobody"}}  # fmt: skip
    (folder / "s.json").write_text(json.dumps(whole))
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, "scripted-agent", str(folder / "s.json"), *more],
        input=said,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def test_it_answers_on_stdout_and_reports_on_stderr(tmp_path: Path) -> None:
    ended = run(tmp_path, [TAKE], json.dumps(HELLO) + "\n")
    assert ended.stdout == '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}\n'
    assert ended.stderr == "ok: `s` as agent, version 1 (1 steps, 1 sent, 1 received)\n"
    assert ended.returncode == 0


def test_a_client_that_says_something_else_gives_status_1_and_a_reason(tmp_path: Path) -> None:
    ended = run(tmp_path, [{**TAKE, "params": {"protocolVersion": 2}}], json.dumps(HELLO) + "\n")
    assert ended.returncode == 1
    assert "actual:   `/protocolVersion` is 1, not 2" in ended.stderr


@pytest.mark.parametrize(
    ("step", "stdout", "stderr", "status"),
    [
        ({"do": "crash", "status": 7, "stderr": "oh no"}, "", "oh no\n", 7),
        ({"do": "noise", "text": "a\nb"}, "a\nb\n", None, 0),
        ({"do": "raw", "base64": "Zm9v"}, "foo\n", None, 0),
        ({"do": "close", "what": "output"}, "", None, 0),
        ({"do": "close", "what": "both"}, "", None, 0),
        ({"do": "stderr", "text": "hmm"}, "", "hmm\nok: `s`", 0),
    ],
)
def test_faults_happen_to_the_process(
    step: Any, stdout: str, stderr: str | None, status: int, tmp_path: Path
) -> None:
    ended = run(tmp_path, [step], "")
    assert ended.stdout == stdout
    assert ended.stderr.startswith(stderr or "ok: `s`")
    assert ended.returncode == status


def test_a_variable_is_given_on_the_command_line(tmp_path: Path) -> None:
    steps = [{"do": "notify", "method": "_hi", "params": ["${who}"]}]
    ended = run(tmp_path, steps, "", "--set", "who=me")
    assert json.loads(ended.stdout)["params"] == ["me"]
    assert run(tmp_path, steps, "", "--set", "me").returncode == 2


@pytest.mark.parametrize(
    ("arguments", "status", "complaint"),
    [
        ([], 2, "`SCENARIO` is missing\ntry: `--list` names"),
        (["nonsense"], 1, "there is no scenario `nonsense`"),
        (["v1/turn-client"], 2, "\ntry: play it with `parley scripted-client`"),
    ],
)
def test_a_wrong_scenario_is_an_error_that_helps(
    arguments: list[str], status: int, complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["scripted-agent", *arguments]) == status
    assert complaint in capsys.readouterr().err


def test_the_list_names_scenarios_for_agents_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scripted-agent", "--list"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert "v2/turn-agent" in names
    assert "v2/turn-client" not in names


def test_the_help_shows_a_scenario_that_can_be_played(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with pytest.raises(SystemExit):
        main(["scripted-agent", "--help"])
    shown = capsys.readouterr().out
    example = shown[shown.index('{"scenario"') : shown.index("The exit status")]
    (tmp_path / "help.json").write_text(example)
    assert main(["scripted-client", str(tmp_path / "help.json")]) == 2
    assert "`hello` is for a scripted agent" in capsys.readouterr().err


def test_our_client_is_told_how_a_scripted_process_died() -> None:
    async def run() -> None:
        command = [sys.executable, "-c", PROGRAM, "scripted-agent", "faults/dies-mid-turn"]
        async with asyncio.timeout(30), Client("ours").connect(command) as agent:
            session = await agent.new_session("/home/user")
            await session.prompt("Hi")

    with pytest.raises(ConnectionLost, match=r"status 3(?s:.*)fatal: the model is on fire"):
        asyncio.run(run())
