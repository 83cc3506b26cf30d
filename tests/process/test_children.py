"""The list of process groups that must not outlive this process."""

import os
import signal
import subprocess
import sys

import pytest

from parley.process import children
from tests.transport.wires import BOUND, PROGRAMS, alive, until

SLEEP = ["sleep", "60"]


def test_every_remembered_group_is_killed_with_all_its_members() -> None:
    shell = subprocess.Popen(
        ["sh", "-c", "sleep 60 & echo $!; wait"],
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert shell.stdout is not None
    grandchild = int(shell.stdout.readline())
    children.remember(shell.pid)
    children.kill_all()
    assert shell.wait(BOUND) == -signal.SIGKILL
    assert until(lambda: not alive(grandchild))
    children.forget(shell.pid)
    shell.stdout.close()


def test_a_forgotten_group_is_left_alone() -> None:
    process = subprocess.Popen(SLEEP, start_new_session=True)
    children.remember(process.pid)
    children.forget(process.pid)
    children.kill_all()
    assert process.poll() is None
    children.signal_group(process.pid, signal.SIGTERM)
    assert process.wait(BOUND) == -signal.SIGTERM


def test_a_fork_does_not_kill_what_its_parent_started(monkeypatch: pytest.MonkeyPatch) -> None:
    process = subprocess.Popen(SLEEP, start_new_session=True)
    children.remember(process.pid)
    with monkeypatch.context() as forked:
        forked.setattr(os, "getpid", lambda: 1)
        children.kill_all()
    assert process.poll() is None
    children.kill_all()
    assert process.wait(BOUND) == -signal.SIGKILL
    children.forget(process.pid)


def test_a_group_that_is_gone_is_no_error() -> None:
    process = subprocess.Popen(["true"], start_new_session=True)
    process.wait(BOUND)
    children.signal_group(process.pid, signal.SIGKILL)


def test_children_that_nobody_closed_end_with_the_program() -> None:
    finished = subprocess.run(
        [sys.executable, str(PROGRAMS / "careless.py")],
        capture_output=True,
        timeout=BOUND,
        check=True,
    )
    pids = [int(pid) for pid in finished.stdout.split()]
    assert len(pids) == 2
    assert until(lambda: not any(map(alive, pids)))
