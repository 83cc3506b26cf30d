"""`parley run` as a script uses it: exit statuses, and nothing but the output on stdout."""

import argparse
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from parley.cli.main import main
from parley.cli.run import started
from parley.cli.run_arguments import add_run_arguments
from tests.cli.raw_agent import PARLEY, environment

SECONDS = 20.0


def hello(**update: Any) -> dict[str, Any]:
    """A scenario: opens a session, says something, and ends the turn."""
    said = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Hello"}}
    answer = {"protocolVersion": 1, "agentCapabilities": {}}
    return {
        "scenario": 1,
        "name": "hello",
        "plays": "agent",
        "protocol": 1,
        "always": [{"method": "initialize", "result": answer}, {"method": "session/cancel"}],
        "steps": [
            {"do": "receive", "method": "session/new", "result": {"sessionId": "s1"}},
            {"do": "receive", "method": "session/prompt", "as": "turn"},
            {"do": "notify", "method": "session/update", "params": _update(said)},
            *update.get("steps", ()),
            {
                "do": "answer",
                "to": "turn",
                "result": {"stopReason": update.get("reason", "end_turn")},
            },
        ],
    }


def _update(update: dict[str, Any]) -> dict[str, Any]:
    return {"sessionId": "s1", "update": update}


class Done:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def scripted(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Any:
    """Runs `parley run` in this process against a scripted agent in another one."""
    monkeypatch.chdir(tmp_path)

    def run(scenario: str | dict[str, Any], *words: str) -> Done:
        if isinstance(scenario, dict):
            (tmp_path / "scenario.json").write_text(json.dumps(scenario))
            scenario = str(tmp_path / "scenario.json")
        agent = (*PARLEY, "scripted-agent", scenario)
        code = main(["run", "go", "--no-stdin", *words, "--", *agent])
        return Done(code, *capfd.readouterr())

    return run


def test_a_turn_that_is_done_exits_with_0_and_only_the_answer(scripted: Any) -> None:
    done = scripted("hello-agent")
    assert (done.code, done.out, done.err) == (0, "Hello\n", "")


@pytest.mark.parametrize(("reason", "code"), [("refusal", 3), ("max_tokens", 4), ("cancelled", 5)])
def test_how_the_turn_ended_is_the_exit_status(scripted: Any, reason: str, code: int) -> None:
    done = scripted(hello(reason=reason))
    assert (done.code, done.out) == (code, "Hello\n")


def test_a_permission_that_nobody_gives_exits_with_6(scripted: Any) -> None:
    options = [
        {"optionId": "y", "name": "Yes", "kind": "allow_once"},
        {"optionId": "n", "name": "No", "kind": "reject_once"},
    ]
    call = {"toolCallId": "t", "title": "rm", "kind": "execute", "rawInput": {"command": "rm x"}}

    def asking(chosen: str) -> dict[str, Any]:
        outcome = {"outcome": {"outcome": "selected", "optionId": chosen}}
        params = {"sessionId": "s1", "toolCall": call, "options": options}
        step = {"do": "request", "method": "session/request_permission", "params": params}
        return hello(steps=[{**step, "result": outcome}])

    done = scripted(asking("n"), "--allow", "edit")
    assert (done.code, done.out) == (6, "Hello\n")
    assert "refused" in done.err
    assert "rm x" in done.err
    assert scripted(asking("y"), "--allow", "bash:rm *").code == 0
    assert scripted(asking("n"), "--yes", "--deny", "bash:rm *").code == 6


def test_a_program_that_is_not_there_exits_with_7(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "go", "--no-stdin", "--", "./no-such-agent"]) == 7
    out, err = capfd.readouterr()
    assert out == ""
    assert "there is no program `./no-such-agent`" in err
    assert "try:" in err


def test_an_agent_that_nobody_knows_exits_with_7(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "go", "--no-stdin", "--agent", "geminy"]) == 7
    out, err = capfd.readouterr()
    assert out == ""
    assert "gemini" in err


def test_an_agent_that_ends_before_it_begins_exits_with_7(scripted: Any, capfd: Any) -> None:
    agent = [sys.executable, "-c", "import sys; sys.exit('no key')"]
    assert main(["run", "go", "--no-stdin", "--", *agent]) == 7
    out, err = capfd.readouterr()
    assert out == ""
    assert "exited with status 1" in err
    assert "| no key" in err
    assert "waiting for: initialize" in err


def test_an_agent_that_dies_exits_with_8_and_says_everything(scripted: Any) -> None:
    done = scripted("faults/dies-mid-turn")
    assert (done.code, done.out) == (8, "Hel\n")
    for fact in (
        "the agent went away during the turn",
        "ended:       exited with status 3",
        "waiting for: session/prompt",
        "last frame:  from the agent: `session/update` with `agent_message_chunk`",
        "| fatal: the model is on fire",
        "try:",
    ):
        assert fact in done.err


def test_an_agent_that_does_not_answer_exits_with_9(scripted: Any) -> None:
    scenario = hello()
    scenario["steps"] = [
        {"do": "receive", "method": "session/new", "as": "new"},
        {"do": "ignore", "to": "new"},
        {"do": "hang"},
    ]
    done = scripted(scenario, "--deadline", "2")
    assert (done.code, done.out) == (9, "")
    assert "waiting for: session/new" in done.err
    assert "it still ran, and was ended" in done.err


def test_a_timeout_exits_with_5(scripted: Any) -> None:
    done = scripted("faults/hangs", "--timeout", "1.5", "--grace", "0.2", "--output", "json")
    lines = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 5
    assert (lines[-1]["event"], lines[-1]["outcome"]) == ("result", "cancelled")


def test_wrong_usage_exits_with_2_and_says_what_to_do(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    wrong: list[Sequence[str]] = [
        ["run", "--no-stdin"],
        ["run", "x", "--allow", "nonsense"],
        ["run", "x", "--cwd", str(tmp_path / "no")],
        ["run", "x", "--file", str(tmp_path / "no")],
        ["run", "x", "--prompts", str(tmp_path / "no")],
        ["run", "x", "--permissions", str(tmp_path / "no")],
        ["run", "x", "--record", str(tmp_path / "no" / "r")],
        ["run", "x", "--no-stdin", "--agent", "gemini", "--", "gemini"],
    ]
    for words in wrong:
        assert main(words) == 2, words
        out, err = capfd.readouterr()
        assert out == "", words
        begins = [line.partition(":")[0] for line in err.splitlines()]
        assert begins == ["parley run", "try"], words
        assert "Errno" not in err, words


def test_events_end_with_the_result_also_when_nothing_could_begin(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert main(["run", "--no-stdin", "--output", "json"]) == 2
    lines = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [line["event"] for line in lines] == ["failed", "result"]


def test_prompts_come_from_a_file(tmp_path: Path, scripted: Any) -> None:
    (tmp_path / "prompts").write_text("one\ntwo\n")
    scenario = hello()
    turn = scenario["steps"][1:]
    second = [{**step, **({"as": "two"} if "as" in step else {})} for step in turn]
    second[-1] = {**second[-1], "to": "two"}
    third = [{**step, **({"as": "three"} if "as" in step else {})} for step in turn]
    third[-1] = {**third[-1], "to": "three"}
    scenario["steps"] += second + third
    done = scripted(scenario, "--prompts", str(tmp_path / "prompts"), "--output", "final")
    assert (done.code, done.out) == (0, "Hello\nHello\nHello\n")


def test_frames_are_recorded_and_the_stderr_of_the_agent_is_shown_on_demand(
    tmp_path: Path, scripted: Any
) -> None:
    done = scripted("faults/dies-mid-turn", "--record", str(tmp_path / "r"), "--verbose")
    assert "agent: fatal: the model is on fire" in done.err
    assert '"method": "session/prompt"' in (tmp_path / "r").read_text()


def own(tmp_path: Path, *words: str, stdin: str = "", cwd: Path | None = None) -> Done:
    """`parley run` as a process, with our own agent and nothing configured."""
    done = subprocess.run(
        [*PARLEY, "run", *words],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env=environment(tmp_path),
        cwd=cwd or tmp_path,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def test_our_own_agent_does_a_real_task_without_a_network(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old text")
    task = 'replace "old" with "new" in a.txt then read a.txt'
    done = own(tmp_path, task, "--allow", "edit", "--output", "final")
    assert done.code == 0
    assert (tmp_path / "a.txt").read_text() == "new text"
    assert "✓ Edit a.txt" in done.err
    assert "new text" in done.out


def test_stdin_is_the_prompt_or_its_context_and_the_session_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    assert "is empty" in own(tmp_path, "--output", "final", stdin="list", cwd=folder).out
    words = ("--continue", "--output", "json", "list")
    done = own(tmp_path, *words, stdin="some context", cwd=folder)
    lines = [json.loads(line) for line in done.out.splitlines()]
    assert (lines[0]["resumed"], lines[-1]["exitCode"]) == (True, 0)
    assert "some context" in done.out


def test_a_stdin_that_never_ends_is_waited_for_no_longer_than_the_run_may_take(
    tmp_path: Path,
) -> None:
    reader, writer = os.pipe()
    try:
        done = subprocess.run(
            [*PARLEY, "run", "x", "--timeout", "0.1", "--", "./none"],
            stdin=reader,
            capture_output=True,
            timeout=SECONDS,
            env=environment(tmp_path),
        )
    finally:
        os.close(reader)
        os.close(writer)
    assert (done.returncode, done.stdout) == (5, b"")
    assert b"--no-stdin" in done.stderr


def test_an_agent_starts_in_the_folder_of_its_session(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "there").mkdir()
    tell = "import os, sys; sys.exit(os.getcwd())"
    words = ["run", "x", "--no-stdin", "--cwd", str(tmp_path / "there")]
    assert main([*words, "--", sys.executable, "-c", tell]) == 7
    assert f"| {tmp_path / 'there'}" in capfd.readouterr().err


def test_a_path_to_an_agent_is_one_from_here(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "agent").write_text("#!/bin/sh\npwd >&2\nexit 1\n")
    (tmp_path / "agent").chmod(0o700)
    monkeypatch.chdir(tmp_path)
    assert main(["run", "x", "--no-stdin", "--cwd", "there", "--", "./agent"]) == 7
    assert f"| {tmp_path / 'there'}" in capfd.readouterr().err


def test_a_reader_that_goes_away_ends_the_run(tmp_path: Path) -> None:
    sender = Path(__file__).resolve().parents[2] / "bench" / "raw_sender.py"
    command = [*PARLEY, "run", "stream 3000000", "--", sys.executable, str(sender)]
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(tmp_path),
    )
    assert process.stdout
    process.stdout.read(1000)
    process.stdout.close()
    assert process.wait(SECONDS) == 141
    assert process.stderr
    assert process.stderr.read() == b""
    process.stderr.close()


def test_ctrl_c_cancels_and_twice_leaves(tmp_path: Path) -> None:
    command = [*PARLEY, "run", "x", "--", *PARLEY, "scripted-agent", "faults/hangs"]
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(tmp_path),
    )
    assert process.stdout
    assert process.stderr
    assert process.stdout.read(3) == b"Hel"
    process.send_signal(signal.SIGINT)
    assert b"Ctrl-C again" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=SECONDS)
    assert process.returncode == 130


def test_an_agent_of_the_configuration_file_is_started_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parser = argparse.ArgumentParser()
    add_run_arguments(parser)
    options = parser.parse_args(["x", "--agent", "mine"])
    options.agent_command = []
    folder = tmp_path / "config" / "parley"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(
        f'[agents.mine]\ncommand = "{sys.executable}"\nargs = ["-V"]\nenv = {{ A = "1" }}\n'
    )
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    start = started(options)
    assert (start.command[-1], dict(start.env)) == ("-V", {"A": "1"})
    assert os.path.isabs(start.command[0])
