"""The two commands of the README teach how to use them."""

import subprocess
import sys

from tests.architecture.source_tree import ROOT


def test_check_help_names_every_step() -> None:
    finished = _run("check", "--help")
    assert finished.returncode == 0
    listed = [line.split()[0] for line in finished.stdout.splitlines() if line.startswith("  ")]
    steps = ["format", "lint", "types", "imports", "generated", "tests"]
    assert [step for step in listed if step in steps] == steps


def test_check_refuses_a_step_it_does_not_know_and_names_those_it_does() -> None:
    finished = _run("check", "nonsense")
    assert finished.returncode == 2
    assert "unknown step 'nonsense'; the steps are: format, lint" in finished.stderr


def test_setup_refuses_an_argument_it_does_not_know() -> None:
    finished = _run("setup", "--nonsense")
    assert finished.returncode == 2
    assert "unknown argument '--nonsense'" in finished.stderr


def test_both_scripts_can_be_started_directly() -> None:
    scripts = [ROOT / name for name in ("check", "setup", ".ci/run")]
    assert [path.name for path in scripts if not path.stat().st_mode & 0o100] == []


def _run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / script), *arguments],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
