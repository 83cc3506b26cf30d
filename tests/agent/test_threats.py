"""Threats that show on the wire alone: what is asked, what then runs, and what decides nothing."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.agent.raw_process import Json
from tests.agent.stage import Stage, asked_call, call, select
from tests.cli.raw_agent import PARLEY, environment

# A shell knows the text that it was started with; so the file says what really ran.
_TELLS = 'printf %s "$BASH_EXECUTION_STRING" > ran'
COMMANDS = {
    "blanks behind": f"{_TELLS}   ",
    "a tab behind": f"{_TELLS}\t",
    "a line break behind": f"{_TELLS}\n\n",
    "blanks before": f"   {_TELLS}",
    "a comment behind": f"{_TELLS} # only reads",
    "a second line": f"{_TELLS}\n: second line",
    "a very long line": f"{_TELLS}; : {'x' * 5_000} end",
    "many lines": _TELLS + "\n: line" * 200,
    "letters that look alike": f"{_TELLS}; : p\u0430th",
    "a text that turns": f"{_TELLS}; : '\u202etxt.exe'",
}
TRICK = "\x1b]8;;http://evil\x07Read\u202e_file\n\u200b"
SWITCHES: dict[str, Any] = {
    "sandbox": False,
    "dangerouslyDisableSandbox": True,
    "dangerously_disable_sandbox": True,
    "unconfined": True,
    "network": True,
    "writable": ["/"],
    "env": {"HOME": "/"},
    "environment": ["OPENAI_API_KEY"],
    "mode": "full-access",
    "permission": "allow",
    "allowed": True,
    "kind": "read",
    "title": "List files",
    "_meta": {"sandbox": False},
}
SCRIPT: list[Json] = [
    *(
        {"when": f"run {name}.", "calls": [call("bash", command=command)]}
        for name, command in COMMANDS.items()
    ),
    *(
        {"when": f"switch {name}.", "calls": [call("bash", command="touch made", **{name: value})]}
        for name, value in SWITCHES.items()
    ),
    {"when": "build first", "calls": [call("bash", command="sh build.sh")]},
    {"when": "build again", "calls": [call("bash", command="sh build.sh")]},
    {"when": "odd name", "calls": [call(TRICK, kind="read")]},
    {"when": "odd path", "calls": [call("write_file", path=f"a{TRICK}", content="x")]},
    {"when": "odd command", "calls": [call("bash", command=f"touch '{TRICK}'")]},
    {"when": "odd search", "calls": [call("grep", pattern=TRICK)]},
    {"when": "odd purpose", "calls": [call("bash", command="touch x", description=TRICK)]},
    {"when": "link", "calls": [call("write_file", path="made", content="x")]},
    {"text": "Over.", "repeat": True},
]
LINKS = (
    "parley://session?mode=full-access&prompt=hello",
    "parley-acp://config?model=x",
    "file:///etc/passwd",
    "http://127.0.0.1:9/set?mode=full-access",
    "javascript:alert(1)",
    "vscode://settings/chat.tools.autoApprove",
    "--mode=full-access",
)


@pytest.mark.parametrize("name", COMMANDS)
def test_what_is_asked_is_what_runs_to_the_last_blank(agent: Stage, name: str) -> None:
    scene = agent.open()
    assert scene.stop_reason(f"run {name}.") == "end_turn"
    (question,) = scene.questions()
    asked = asked_call(question)["rawInput"]["command"]
    assert asked == COMMANDS[name]
    assert (scene.folder / "ran").read_text() == asked
    # Whoever shows no raw input shows the whole command all the same.
    shown = json.dumps(question, ensure_ascii=False).replace("\\\\", "\\")
    for part in asked.strip().split("\n"):
        plain = part.replace("\u202e", "\\u202e").replace('"', '\\"')
        assert plain.strip() in shown


def test_a_script_that_is_rewritten_during_the_question_does_not_run(agent: Stage) -> None:
    scene = agent.open()
    script = scene.folder / "build.sh"
    script.write_text("touch first\n")

    def answer(request: Json) -> Json:
        script.write_text("touch second\n")
        return select("allow_once")

    agent.client.answers = answer
    assert scene.stop_reason("build first") == "end_turn"
    assert scene.statuses("bash")[-1] == "failed"
    assert "was changed after permission" in json.dumps(scene.updates())
    assert sorted(path.name for path in scene.folder.iterdir()) == ["a.txt", "build.sh"]
    agent.client.answers = lambda request: select("allow_once")
    assert scene.stop_reason("build again") == "end_turn"
    assert (scene.folder / "second").exists()


@pytest.mark.parametrize("what", ["name", "path", "command", "search", "purpose"])
def test_nothing_is_hidden_in_a_title(agent: Stage, what: str) -> None:
    scene = agent.open()
    assert scene.stop_reason(f"odd {what}") == "end_turn"
    titles = [*_titles(scene.updates()), *_titles(scene.questions())]
    assert titles
    assert [title for title in titles if not title.isprintable() or len(title) > 300] == []


def test_the_kind_of_a_call_is_that_of_its_tool_and_of_no_argument(agent: Stage) -> None:
    scene = agent.open()
    scene.prompt("odd name")
    scene.prompt("switch kind.")
    scene.prompt("switch title.")
    kinds = {each["kind"] for each in scene.updates() if "kind" in each}
    assert kinds <= {"other", "execute"}


@pytest.mark.parametrize("name", SWITCHES)
def test_no_argument_of_a_call_switches_a_limit_off(agent: Stage, name: str) -> None:
    scene = agent.open()
    assert scene.stop_reason(f"switch {name}.") == "end_turn"
    assert scene.statuses("bash")[-1] == "failed"
    assert scene.questions() == []
    assert not (scene.folder / "made").exists()


@pytest.mark.parametrize("uri", LINKS)
def test_an_address_in_a_prompt_sets_nothing(agent: Stage, uri: str) -> None:
    agent.client.answers = lambda request: select("reject_once")
    scene = agent.open()
    link = {"type": "resource_link", "uri": uri, "name": uri}
    assert scene.stop_reason(f"link {uri}", link) == "end_turn"
    # The mode is what it was, so the call is still asked about.
    assert len(scene.questions()) == 1
    assert not (scene.folder / "made").exists()


@pytest.mark.parametrize("uri", LINKS[:2])
def test_an_address_is_no_command_of_the_program(uri: str, tmp_path: Path) -> None:
    ran = subprocess.run(
        (*PARLEY, uri), env=environment(tmp_path), cwd=tmp_path, capture_output=True, timeout=20,
        check=False,
    )  # fmt: skip
    assert ran.returncode == 2
    assert list(tmp_path.iterdir()) == []


def _titles(found: Any) -> Iterator[str]:
    """Every title in what was said, at any depth."""
    if isinstance(found, dict):
        for name, value in found.items():
            if name == "title" and isinstance(value, str):
                yield value
            else:
                yield from _titles(value)
    elif isinstance(found, list):
        for each in found:
            yield from _titles(each)


def test_titles_are_found_at_any_depth() -> None:
    assert list(_titles({"a": [{"title": "x"}, {"b": {"title": "y"}}]})) == ["x", "y"]
