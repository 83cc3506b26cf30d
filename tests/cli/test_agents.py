"""`parley agents` as a person and as a program see it."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from parley.cli.main import main
from tests.frontend.tricks import TRICKS, leaked

PARLEY = [sys.executable, "-c", "import sys; from parley.cli.main import main; sys.exit(main())"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a program `mine` in the path, and nothing else."""
    place = tmp_path / "bin/mine"
    place.parent.mkdir()
    place.write_text("#!/bin/sh\n")
    place.chmod(0o755)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    for name in [each for each in os.environ if each.startswith(("PARLEY_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path


def configure(home: Path, text: str) -> Path:
    path = home / ".config/parley/config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path


def test_the_table_begins_with_what_is_here(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(home, "[agents.mine]\ncommand = 'mine'\ntitle = 'My own'\n")
    assert main(["agents"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["NAME", "TITLE", "FROM", "STATE"]
    assert lines[1].split() == ["parley", "Parley", "this", "package", "installed"]
    assert lines[2].split("  ")[0] == "mine"
    assert lines[2].endswith(f"your file     installed: {home}/bin/mine")
    gemini = next(line for line in lines if line.startswith("gemini "))
    assert gemini.endswith("missing: npm install -g @google/gemini-cli")


def test_a_program_that_is_not_used_is_told(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "work/gemini").write_text("#!/bin/sh\n")
    (home / "work/gemini").chmod(0o755)
    monkeypatch.setenv("PATH", str(home / "work"))
    assert main(["agents"]) == 0
    shown = capsys.readouterr().out
    assert f"not used, since it lies in the folder you work in: {home}/work/gemini" in shown


def test_one_agent_is_told_in_full_without_the_values_of_variables(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = configure(
        home,
        "[agents.mine]\ncommand = 'mine'\nargs = ['--a b']\nenv = {KEY = 's3cret'}\ncwd = '~/x'\n",
    )
    assert main(["agents", "mine"]) == 0
    shown = capsys.readouterr().out
    assert dict(line.split(":", 1) for line in shown.splitlines()) == {
        "name": "               mine",
        "title": "              mine",
        "from": f"               your file {path}",
        "state": f"              installed: {home}/bin/mine",
        "starts with": f"        {home}/bin/mine '--a b'",
        "started in": f"         {home}/x",
        "variables": "          KEY",
    }
    assert main(["agents", "mine", "--json"]) == 0
    shown = capsys.readouterr().out
    assert "s3cret" not in shown
    assert json.loads(shown)["start"] == {
        "command": [f"{home}/bin/mine", "--a b"],
        "env": ["KEY"],
        "cwd": f"{home}/x",
    }


def test_json_lists_all_of_them(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agents", "--json"]) == 0
    agents = json.loads(capsys.readouterr().out)
    assert agents[0]["name"] == "parley"
    gemini = next(each for each in agents if each["name"] == "gemini")
    assert (gemini["installed"], gemini["start"], gemini["source"]) == (False, None, "known")


def test_an_unknown_name_is_a_message_with_a_hint(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["agents", "gemni"]) == 2
    assert "\ntry: did you mean `gemini`?" in capsys.readouterr().err


def test_a_wrong_file_is_a_message_that_names_it(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["agents", "--registry", str(home / "none.json")]) == 2
    assert f"{home}/none.json: `the file` does not exist" in capsys.readouterr().err
    path = home / "other.toml"
    path.write_text("[agents.x]\n")
    assert main(["agents", "--config", str(path)]) == 2
    assert f"{path}: `agents.x.command` is missing" in capsys.readouterr().err


def test_no_trick_of_a_registry_reaches_the_terminal(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = [trick.text for trick in TRICKS]
    path = home / "registry.json"
    entries = [
        {
            "id": f"a{at}",
            "name": text,
            "version": text,
            "description": text,
            "distribution": {"npx": {"package": f"x{text}"}},
        }
        for at, text in enumerate(texts)
    ]
    path.write_text(json.dumps({"agents": entries}))
    assert main(["agents", "--registry", str(path)]) == 0
    shown = capsys.readouterr().out
    assert leaked(shown) == []
    assert len(shown.splitlines()) > len(texts)
    every = " ".join(texts)
    entry = {**entries[0], "name": every, "version": every, "description": every}
    path.write_text(json.dumps(entry))
    assert main(["agents", "a0", "--registry", str(path)]) == 0
    shown = capsys.readouterr().out
    assert leaked(shown) == []
    assert [line.split(":")[0] for line in shown.splitlines()][:4] == [
        "name",
        "title",
        "about",
        "version",
    ]


def test_a_line_is_cut_to_the_width_of_the_terminal(home: Path) -> None:
    ours, theirs = pty.openpty()
    try:
        subprocess.run(
            [*PARLEY, "agents"],
            stdout=theirs,
            env={**os.environ, "COLUMNS": "40"},
            timeout=30,
            check=True,
        )
        os.close(theirs)
        shown = os.read(ours, 65536).decode()
    finally:
        os.close(ours)
    lines = shown.splitlines()
    assert lines[0].startswith("NAME")
    assert max(map(len, lines)) == 40
    assert lines[-1] == "`parley agents NAME` tells all about on…"
