"""The tour: a real task in a project of its own, with nothing configured."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

import pytest

from parley.cli import run as runs
from parley.cli import tour
from parley.cli.tour_project import FILES
from parley.frontend.headless.exit_code import ExitCode

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-c", "import sys; from parley.cli.main import main; sys.exit(main())")


def toured(home: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    kept = {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(home)}
    return subprocess.run(
        [*COMMAND, "tour", *arguments], env=kept, text=True, capture_output=True, timeout=50
    )


def test_the_project_is_the_example() -> None:
    folder = ROOT / "examples" / "sample_project"
    assert {each.name: each.read_text() for each in folder.iterdir() if each.is_file()} == FILES


def test_a_bug_is_fixed_and_the_tour_says_what_happened_and_what_is_next(tmp_path: Path) -> None:
    ended = toured(tmp_path, "--folder", str(tmp_path / "project"))
    assert ended.returncode == 0, ended.stderr
    assert "(len(readings) + 1)" not in (tmp_path / "project" / "weather.py").read_text()
    assert "What happened" in ended.stderr
    assert "\n  parley doctor " in ended.stderr
    assert "All 3 steps done" in ended.stdout
    check = subprocess.run(
        [sys.executable, "-m", "unittest", "-q"], cwd=tmp_path / "project", capture_output=True
    )
    assert check.returncode == 0


def test_without_a_folder_the_project_is_put_among_temporary_files(tmp_path: Path) -> None:
    ended = toured(tmp_path)
    assert ended.returncode == 0, ended.stderr
    (project,) = tmp_path.glob("parley-tour-*")
    assert str(project) in ended.stderr


def test_a_folder_that_exists_is_left_alone(tmp_path: Path) -> None:
    ended = toured(tmp_path, "--folder", str(tmp_path))
    assert ended.returncode == 2
    assert ended.stderr == (
        f"parley tour: `--folder` names `{tmp_path}`, which exists\ntry: name a new one\n"
    )


def test_a_tour_that_was_stopped_is_not_called_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(runs, "run", lambda options: int(ExitCode.LEFT))
    assert tour.run(argparse.Namespace(folder=tmp_path / "project")) == ExitCode.LEFT
    said = capsys.readouterr().err
    assert "You have stopped it" in said
    assert "did not work" not in said


def test_the_next_commands_begin_with_what_leads_to_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("first", "other place"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "parley").write_text("#!/bin/sh\n")
        (tmp_path / folder / "parley").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    assert tour.typed("first/parley") == "first/parley"
    assert tour.typed("other place/parley") == "'other place/parley'"
    assert tour.typed("-c") == "parley"
    monkeypatch.setenv("PATH", str(tmp_path / "first"))
    assert tour.typed("first/parley") == "parley"
    assert tour.typed("other place/parley") == "'other place/parley'"
    assert tour.typed("gone/parley") == "gone/parley"


def test_what_the_tour_says_fits_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(runs, "run", lambda options: 0)
    monkeypatch.setattr("sys.argv", [".venv/bin/parley"])
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.chdir(tmp_path)
    assert tour.run(argparse.Namespace(folder=Path("p"))) == 0
    said = capsys.readouterr().err
    assert [
        line for line in said.splitlines() if len(line) > 60 and str(tmp_path) not in line
    ] == []
    assert "\n  .venv/bin/parley sessions --all\n      find it again\n" in said
