"""`parley acp` as a process, as an editor sees it."""

import argparse
import json
import shutil
import stat
import sys
from pathlib import Path
from typing import Any, get_args

import pytest

from parley.cli.acp import add_arguments
from parley.coder.config_file import LogLevel
from parley.coder.settings import Mode
from tests.cli.raw_agent import RawAgent, environment
from tests.coder.providers.fakes.openai_chat import OpenAIChatFake
from tests.coder.providers.fakes.reply import Reply, Say
from tests.coder.providers.fakes.server import FakeServer

SAMPLE = Path(__file__).resolve().parents[2] / "examples" / "sample_project"
TASK = """\
Please read weather.py
then replace "len(readings) + 1" with "len(readings)" in weather.py
then run python3 -m unittest -q
"""
HEAVY = {"httpx2", "keyring", "mcp", "pydantic", "starlette", "textual", "tree_sitter"}


def finished(agent: RawAgent) -> list[tuple[str, str]]:
    """The tool calls that came to an end: how they were called, and how they ended."""
    titles: dict[str, str] = {}
    ended: list[tuple[str, str]] = []
    for update in agent.updates:
        if update["sessionUpdate"] in ("tool_call", "tool_call_update"):
            call = update["toolCallId"]
            titles[call] = update.get("title", titles.get(call, ""))
            if update.get("status") in ("completed", "failed"):
                ended.append((titles[call], update["status"]))
    return ended


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SAMPLE, tmp_path / "project"))


def test_without_a_key_and_a_network_a_real_task_is_done(tmp_path: Path, project: Path) -> None:
    with RawAgent(home=tmp_path, cwd=project) as agent:
        agent.begin()
        session = agent.open(project)
        result = agent.prompt(session, TASK)
        assert result["stopReason"] == "end_turn"
        assert finished(agent) == [
            ("Read weather.py", "completed"),
            ("Edit weather.py", "completed"),
            ("Run `python3 -m unittest -q`", "completed"),
        ]
        edit, run = (request["params"]["toolCall"] for request in agent.requests)
        (diff,) = [each for each in edit["content"] if each["type"] == "diff"]
        assert diff["path"] == str(project / "weather.py")
        assert diff["oldText"] == (SAMPLE / "weather.py").read_text()
        assert diff["newText"] == (project / "weather.py").read_text()
        assert run["rawInput"]["command"] == "python3 -m unittest -q"
        said = agent.said()
        assert said.startswith("No model is configured")
        assert "All 3 steps done." in said
        assert "Ran 2 tests" in said
        assert "OK" in said
        assert agent.end() == (0, "")
    assert "(len(readings))" in (project / "weather.py").read_text()


def test_a_refused_edit_changes_nothing_and_stops_the_rest(tmp_path: Path, project: Path) -> None:
    def refuse(request: dict[str, Any]) -> Any:
        return {"outcome": {"outcome": "cancelled"}}

    with RawAgent(home=tmp_path, cwd=project, answers=refuse) as agent:
        agent.begin()
        agent.prompt(agent.open(project), TASK)
        assert [status for _, status in finished(agent)] == ["completed", "failed"]
        assert "`edit_file` failed, so I stop. One step is left undone." in agent.said()
    assert (project / "weather.py").read_text() == (SAMPLE / "weather.py").read_text()


def test_a_failing_test_run_is_told(tmp_path: Path, project: Path) -> None:
    with RawAgent(home=tmp_path, cwd=project) as agent:
        agent.begin()
        agent.prompt(agent.open(project), "run python3 -m unittest -q; list .")
        assert finished(agent) == [("Run `python3 -m unittest -q`", "failed")]
        assert "`bash` failed, so I stop. One step is left undone." in agent.said()


def test_version_2_does_the_same(tmp_path: Path, project: Path) -> None:
    with RawAgent(home=tmp_path, cwd=project) as agent:
        agent.begin(2)
        assert agent.talk(agent.open(project), TASK)["stopReason"] == "end_turn"
        assert [request["method"] for request in agent.requests] == [
            "session/request_permission",
            "session/request_permission",
        ]
        assert "All 3 steps done." in agent.said()
    assert "(len(readings))" in (project / "weather.py").read_text()


def test_answering_initialize_loads_nothing_heavy(tmp_path: Path) -> None:
    program = "import sys; from parley.cli.main import main; sys.exit(main())"
    command = (sys.executable, "-X", "importtime", "-c", program, "acp")
    key = {"OPENAI_API_KEY": "k"}
    with RawAgent(home=tmp_path, command=command, env=key) as agent:
        agent.begin()
        status, complaints = agent.end()
    assert status == 0
    names = {line.rpartition("|")[2].strip() for line in complaints.splitlines()}
    assert "parley.cli.late_agent" in names
    assert {name.partition(".")[0] for name in names} & HEAVY == set()


def test_where_a_key_is_set_there_is_no_login_and_the_model_answers(
    tmp_path: Path, project: Path
) -> None:
    with FakeServer(OpenAIChatFake("canary-key"), [Reply((Say(("Hello.",)),))]) as server:
        env = {"OPENAI_API_KEY": "canary-key", "OPENAI_BASE_URL": server.url, "NO_PROXY": "*"}
        with RawAgent("--model", "gpt-5", home=tmp_path, cwd=project, env=env) as agent:
            assert agent.begin()["authMethods"] == []
            agent.prompt(agent.open(project), "Hi")
            assert agent.said() == "Hello."
            agent.end()
            assert "canary-key" not in "".join(agent.sent)
        assert server.violations == []


def test_a_script_plays_for_several_sessions(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(
        json.dumps(
            [
                {"when": "one", "text": "first", "calls": [{"name": "list_files"}]},
                {"expect": "script.json", "text": "done"},
            ]
        )
    )
    env = {"PARLEY_PROVIDER": "scripted", "PARLEY_SCRIPT": str(script)}
    with RawAgent(home=tmp_path, env=env) as agent:
        assert agent.begin()["authMethods"] == []
        for _ in range(2):
            agent.updates.clear()
            agent.prompt(agent.open(tmp_path), "one")
            assert agent.said() == "firstdone"


@pytest.mark.parametrize("others", [(), ("--provider", "scripted")])
def test_a_script_that_cannot_be_read_ends_the_start_with_the_fix(
    tmp_path: Path, others: tuple[str, ...]
) -> None:
    with RawAgent(*others, "--script", str(tmp_path / "none.json"), home=tmp_path) as agent:
        status, complaints = agent.end()
    assert status == 2
    assert "none.json' cannot be read: No such file or directory\ntry: name a script" in complaints
    assert complaints.count("\n") == 2


def test_a_script_in_the_environment_that_cannot_be_read_ends_the_start(tmp_path: Path) -> None:
    env = {"PARLEY_PROVIDER": "scripted", "PARLEY_SCRIPT": str(tmp_path / "none.json")}
    with RawAgent(home=tmp_path, env=env) as agent:
        status, complaints = agent.end()
    assert status == 2
    assert "none.json: `script` cannot be read" in complaints


@pytest.mark.parametrize("option", ["--mode", "--log-level"])
def test_a_flag_with_a_strange_value_ends_the_start_with_what_there_is(
    tmp_path: Path, option: str
) -> None:
    with RawAgent(option, "foo", home=tmp_path) as agent:
        status, complaints = agent.end()
    assert status == 2
    assert f"`{option}` cannot be `foo`" in complaints
    assert "try: there are: " in complaints


def test_every_mode_and_level_can_be_a_flag() -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    for name, kind in (("mode", Mode), ("log_level", LogLevel)):
        action = next(each for each in parser._actions if each.dest == name)
        assert action.choices == get_args(kind)


BROKEN = "[agent]\nmode = 'full-access'\nmodle = 'x'\n[["


def test_a_broken_configuration_is_told_in_the_session_and_does_not_stop_the_agent(
    tmp_path: Path,
) -> None:
    (tmp_path / "config.toml").write_text(BROKEN)
    arguments = ("--config", str(tmp_path / "config.toml"), "--mode", "full-access")
    with RawAgent(*arguments, home=tmp_path) as agent:
        agent.begin()
        answer = agent.call("session/new", cwd=str(tmp_path), mcpServers=[])
        assert answer["modes"]["currentModeId"] == "ask"
        agent.prompt(answer["sessionId"], "list .")
        assert "is not TOML" in agent.said()


def test_nothing_in_the_folder_it_works_in_configures_it(tmp_path: Path, project: Path) -> None:
    bait = (
        "rules=['allow *']\n[agent]\nmode='full-access'\nmodel='bait/m'\n"
        "[providers.bait]\ntype='openai'\nbase_url='http://127.0.0.1:9/v1'\n"
    )
    for name in ("parley.toml", "config.toml", ".parley/config.toml", ".config/parley/config.toml"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(bait)
    (project / ".env").write_text("OPENAI_API_KEY=bait\nPARLEY_MODE=full-access\n")
    with RawAgent(home=tmp_path, cwd=project) as agent:
        agent.begin()
        answer = agent.call("session/new", cwd=str(project), mcpServers=[])
    assert answer["modes"]["currentModeId"] == "ask"
    assert "bait" not in json.dumps(answer)
    assert answer["models"]["currentModelId"] == "offline/commands"


def test_secrets_and_what_is_said_are_in_no_log_and_no_command_sees_a_key(
    tmp_path: Path, project: Path
) -> None:
    env = {
        "MY_API_KEY": "canary-1",
        "GITHUB_TOKEN": "canary-2",
        "DB_PASSWORD": "canary-3",
        "PIP_INDEX_URL": "https://u:canary-4@example.org/",
        "HTTPS_PROXY": "http://u:canary-5@127.0.0.1:9",
        "PARLEY_PROVIDER": "offline",
        "PARLEY_LOG_LEVEL": "debug",
        "MISTRAL_API_KEY": "canary-6",
        "CI": "yes",
    }
    with RawAgent(home=tmp_path, cwd=project, env=env) as agent:
        agent.begin()
        session = agent.open(project)
        agent.prompt(session, "run env")
        assert "CI=yes" in agent.said()
        agent.prompt(session, "search canary-said")
        agent.ask("session/prompt", sessionId="canary-session", prompt="canary-wrong")
        _, complaints = agent.end()
        without_prompts = [line for line in agent.sent if "canary-said" not in line]
    (log,) = (tmp_path / ".local/state/parley").iterdir()
    assert "started with offline/commands" in log.read_text()
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    for place in (log.read_text(), complaints):
        assert "canary" not in place
    for number in range(1, 7):
        assert f"canary-{number}" not in "".join(without_prompts)


def test_data_lies_where_the_flag_says(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with RawAgent("--data-dir", str(data), home=tmp_path / "nowhere", cwd=tmp_path) as agent:
        agent.begin()
        agent.prompt(agent.open(tmp_path), "help")
        agent.end()
    assert (data / "log" / "parley.log").exists()
    assert len(list(data.iterdir())) > 1
    assert stat.S_IMODE(data.stat().st_mode) == 0o700
    assert not (tmp_path / "nowhere").exists()


def test_the_environment_of_these_tests_holds_no_key(tmp_path: Path) -> None:
    assert not [name for name in environment(tmp_path) if name.endswith("API_KEY")]


WITHOUT_EXTRAS = """\
import sys
for name in ("html_to_markdown", "httpx2", "keyring", "pathspec", "tree_sitter"):
    sys.modules[name] = None
from parley.cli.main import main
sys.exit(main())
"""


def test_without_the_optional_packages_the_task_is_done_all_the_same(
    tmp_path: Path, project: Path
) -> None:
    command = (sys.executable, "-c", WITHOUT_EXTRAS, "acp")
    with RawAgent(home=tmp_path, cwd=project, command=command) as agent:
        agent.begin()
        session = agent.open(project)
        agent.prompt(session, TASK)
        assert [status for _, status in finished(agent)] == ["completed"] * 3
        agent.updates.clear()
        agent.prompt(session, "search 'def mean' in .")
        assert "weather.py" in agent.said()
    env = {"OPENAI_API_KEY": "k"}
    with RawAgent(home=tmp_path, cwd=project, command=command, env=env) as agent:
        agent.begin()
        answer = agent.ask(
            "session/prompt", sessionId=agent.open(project), prompt=[{"type": "text", "text": "x"}]
        )
        assert "parley-acp[agent]" in json.dumps(answer) + agent.said()
