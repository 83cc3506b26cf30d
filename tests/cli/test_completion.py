"""`parley completion` knows every command as it is."""

import subprocess
from pathlib import Path

import pytest

from parley.cli.completion import agent_names, tree
from parley.cli.main import COMMANDS, main
from parley.frontend.completion_script import Slot
from tests.cli.session_stage import enter

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    enter(tmp_path, monkeypatch)
    return tmp_path


def test_the_tree_has_every_command_with_its_arguments() -> None:
    root = tree()
    nodes = {node.name: node for node in root.children}
    assert list(nodes) == list(COMMANDS)
    run = {flag.names[-1]: flag.slot for flag in nodes["run"].flags}
    assert run["--output"] == Slot("choice", ("text", "json", "final"))
    assert run["--agent"] == Slot("agent")
    assert run["--cwd"] == Slot("folder")
    assert run["--record"] == Slot("file")
    assert run["--yes"] == Slot()
    assert run["--model"] == Slot("text")
    actions = {node.name: node for node in nodes["sessions"].children}
    assert list(actions) == ["list", "show", "search", "export", "fork", "delete", "prune"]
    assert nodes["agents"].slots == (Slot("agent"),)
    assert nodes["setup"].slots == (
        Slot("choice", ("zed", "jetbrains", "neovim", "emacs", "vscode")),
    )


def test_agents_of_the_user_are_among_the_names(home: Path) -> None:
    path = home / ".config/parley/config.toml"
    path.parent.mkdir(parents=True)
    path.write_text("[agents.mine]\ncommand = 'mine'\n")
    assert agent_names()[:2] == ("parley", "mine")
    path.write_text("[agents.mine]\n")
    assert agent_names()[:2] == ("parley", "gemini")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_is_printed_for_each_shell(shell: str, capsys: Capture) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for name in COMMANDS:
        assert name in script
    assert script.endswith("\n")


def test_bash_takes_the_real_script(home: Path, capsys: Capture) -> None:
    assert main(["completion", "bash"]) == 0
    script = home / "parley.bash"
    script.write_text(capsys.readouterr().out)
    program = """
source "$1"
complete -p parley
COMP_WORDS=(parley sessions export --format ''); COMP_CWORD=4; _parley; echo "${COMPREPLY[@]}"
COMP_WORDS=(parley se); COMP_CWORD=1; _parley; echo "${COMPREPLY[@]}"
COMP_WORDS=(parley run --agent gem); COMP_CWORD=3; _parley; echo "${COMPREPLY[@]}"
"""
    finished = subprocess.run(
        ["bash", "--norc", "-c", program, "bash", str(script)],
        capture_output=True,
        text=True,
        timeout=10,
        check=True,
    )
    assert finished.stderr == ""
    assert finished.stdout.splitlines() == [
        "complete -o bashdefault -o default -F _parley parley",
        "markdown json html",
        "sessions setup",
        "gemini",
    ]
