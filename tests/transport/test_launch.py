"""Starting a child: its environment, its group, its death with us, and why it cannot start."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from parley.errors import ConnectionLost
from parley.process import children
from parley.transport.launch import Child, launch
from tests.transport.wires import BOUND, PROGRAMS, alive, until


def finished(child: Child) -> tuple[str, int]:
    """What a child said and its status, with everything given back."""
    child.stdin.close()
    status = child.process.wait(BOUND)
    children.forget(child.process.pid)
    said = child.stdout.read(10_000).decode()
    child.stdout.close()
    child.stderr.close()
    return said, status


def test_a_child_leads_a_session_of_its_own() -> None:
    child = launch([sys.executable, "-SEc", "import os; print(os.getsid(0))"], cwd=None, env={})
    pid = child.process.pid
    assert finished(child) == (f"{pid}\n", 0)


def test_a_child_runs_where_it_is_told(tmp_path: Path) -> None:
    said, _ = finished(launch(["pwd", "-P"], cwd=tmp_path, env=dict(os.environ)))
    assert said.strip() == str(tmp_path.resolve())


def test_the_descriptors_of_one_child_are_not_inherited_by_another() -> None:
    first = launch(["cat"], cwd=None, env=dict(os.environ))
    second = launch(["ls", "/proc/self/fd"], cwd=None, env=dict(os.environ))
    # Its three streams and the folder it lists.
    assert finished(second)[0].split() == ["0", "1", "2", "3"]
    assert finished(first) == ("", 0)


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (["no-such-program-anywhere", "--flag"], "there is no program `no-such-program-anywhere`"),
        (["/etc/passwd"], "`/etc/passwd` is not executable"),
        (["/no/such/path"], "there is no program"),
        (["true", "a\0b"], "null byte"),
        (["true", "x" * 5_000_000], "Argument list too long"),
    ],
)
def test_a_program_that_cannot_be_started_is_named(command: list[str], text: str) -> None:
    before = _open_descriptors()
    with pytest.raises(ConnectionLost, match=r"cannot start `") as caught:
        launch(command, cwd=None, env=dict(os.environ))
    assert text in str(caught.value)
    assert _open_descriptors() == before


def test_a_missing_working_directory_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConnectionLost, match=r"working directory `.*gone` does not exist"):
        launch(["true"], cwd=tmp_path / "gone", env=dict(os.environ))


def test_a_child_dies_with_its_killed_parent() -> None:
    parent = subprocess.Popen([sys.executable, str(PROGRAMS / "parent.py")], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    assert alive(child)
    parent.kill()
    parent.wait(BOUND)
    parent.stdout.close()
    assert until(lambda: not alive(child), seconds=1.0)


def _open_descriptors() -> list[str]:
    return sorted(os.listdir("/proc/self/fd"))
