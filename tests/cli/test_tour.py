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
    assert "parley doctor" in ended.stderr
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
    assert ended.returncode != 0
    assert str(tmp_path) in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_tour_that_was_stopped_is_not_called_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(runs, "run", lambda options: int(ExitCode.LEFT))
    assert tour.run(argparse.Namespace(folder=tmp_path / "project")) == ExitCode.LEFT
    said = capsys.readouterr().err
    assert "You have stopped it" in said
    assert "did not work" not in said
