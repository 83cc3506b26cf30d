"""`parley setup` as a person uses it."""

import json
import re
import sys
from pathlib import Path

import pytest

from parley.cli.main import main
from parley.client.editors import EDITORS
from tests.cli.session_stage import enter
from tests.frontend.tricks import leaked

GUIDE = (Path(__file__).resolve().parents[2] / "docs/editors.md").read_text(encoding="utf-8")

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    enter(tmp_path, monkeypatch)
    monkeypatch.setattr("sys.executable", str(tmp_path / "bin/python"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    (tmp_path / "bin").mkdir()
    for name in ("parley", "mine"):
        (tmp_path / "bin" / name).write_text("#!/bin/sh\n")
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path


def configure(home: Path, text: str) -> None:
    path = home / ".config/parley/config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text)


@pytest.mark.parametrize("editor", [each.name for each in EDITORS])
def test_the_entry_is_shown_and_nothing_is_written(
    editor: str, home: Path, capsys: Capture
) -> None:
    assert main(["setup", editor]) == 0
    shown = capsys.readouterr()
    assert f'"{home}/bin/parley"' in shown.out
    assert f", in {home}/" in shown.err
    assert not (home / ".config").exists()


def test_only_the_entry_is_on_stdout(home: Path, capsys: Capture) -> None:
    assert main(["setup", "zed", "--print"]) == 0
    entry = json.loads(capsys.readouterr().out)["agent_servers"]["Parley"]
    assert entry == {
        "type": "custom",
        "command": f"{home}/bin/parley",
        "args": ["acp"],
        "env": {},
    }


def test_apply_writes_once(home: Path, capsys: Capture) -> None:
    file = home / ".jetbrains/acp.json"
    assert main(["setup", "jetbrains", "--apply"]) == 0
    assert f"Parley was added to {file}\n" in capsys.readouterr().err
    assert main(["setup", "jetbrains", "--apply"]) == 0
    assert f"{file} has Parley already; nothing was changed\n" in capsys.readouterr().err
    assert main(["setup", "jetbrains", "--apply", "--as", "Second"]) == 0
    assert f"what was there before is in {file}.before-parley\n" in capsys.readouterr().err
    assert list(json.loads(file.read_text())["agent_servers"]) == ["Parley", "Second"]


def test_where_it_is_not_sure_it_shows_the_entry_instead(home: Path, capsys: Capture) -> None:
    file = home / "settings.json"
    file.write_text('{"agent_servers": 7}')
    assert main(["setup", "zed", "--apply", "--file", str(file)]) == 1
    shown = capsys.readouterr()
    assert f"{file} was not changed: `agent_servers` is no object" in shown.err
    assert "Parley" in json.loads(shown.out)["agent_servers"]
    assert main(["setup", "emacs", "--apply"]) == 1
    shown = capsys.readouterr()
    assert "was not changed: it is a program, and only you can change it" in shown.err
    assert shown.out.startswith("(with-eval-after-load 'agent-shell")


def test_any_agent_can_be_named_and_its_secrets_stay_off_the_screen(
    home: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "conf"))
    (home / "conf/parley").mkdir(parents=True)
    (home / "conf/parley/config.toml").write_text(
        "[agents.mine]\ncommand = 'mine'\ntitle = \"My \\u202eown\"\n"
        "env = {KEY = 's3cret'}\ncwd = '~/x'\n"
    )
    (home / "conf/zed").mkdir()
    assert main(["setup", "zed", "--agent", "mine"]) == 0
    shown = capsys.readouterr()
    assert "s3cret" not in shown.out + shown.err
    assert "note: write the values of KEY yourself" in shown.err
    assert f"and not in {home}/x" in shown.err
    assert leaked(shown.out + shown.err) == []
    assert main(["setup", "zed", "--agent", "mine", "--apply"]) == 0
    written = json.loads((home / "conf/zed/settings.json").read_text())
    assert written["agent_servers"]["My \u202eown"]["env"] == {"KEY": "s3cret"}


def test_an_agent_that_is_not_here_is_a_message(capsys: Capture) -> None:
    assert main(["setup", "zed", "--agent", "gemini"]) == 2
    assert "parley setup: `gemini` is not installed\ntry: npm install -g" in capsys.readouterr().err
    assert main(["setup", "zed", "--agent", "gemni"]) == 2
    assert "did you mean `gemini`?" in capsys.readouterr().err


def test_without_our_program_the_interpreter_is_named(home: Path, capsys: Capture) -> None:
    (home / "bin/parley").unlink()
    assert main(["setup", "vscode"]) == 0
    entry = json.loads(capsys.readouterr().out)["acp.agents"]["Parley"]
    assert (entry["command"], entry["args"][-1]) == (sys.executable, "acp")


def test_the_guide_shows_what_the_command_shows(home: Path, capsys: Capture) -> None:
    blocks = re.findall(r"^```(?:json|lua|elisp)\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE)
    for editor in EDITORS:
        assert main(["setup", editor.name]) == 0
        shown = capsys.readouterr().out.replace(f"{home}/bin/parley", "parley")
        assert shown in blocks, editor.name
        assert f"parley setup {editor.name}" in GUIDE
