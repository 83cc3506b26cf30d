"""Nothing in the folder that the agent works in is run or obeyed by itself (S1)."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agent.bait_runs import COMMANDS, Hunt
from tests.agent.baits import Checkout


@pytest.fixture
def hunt(tmp_path: Path) -> Iterator[Hunt]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield Hunt(tmp_path, listener)


def test_no_bait_is_taken_by_an_agent_that_starts_among_them(hunt: Hunt) -> None:
    assert list(hunt.agent(1, hunt.checkout.folder)) == []


def test_no_bait_is_taken_by_an_agent_that_starts_elsewhere(hunt: Hunt) -> None:
    assert list(hunt.agent(2, hunt.home)) == []


def test_no_bait_is_taken_by_the_other_commands(hunt: Hunt) -> None:
    few = (("run", "list ."), ("run", "/trust"), ("doctor",), ("sessions",))
    assert set(few) < set(COMMANDS)
    assert list(hunt.commands(few)) == []


def test_files_that_cannot_be_read_stop_nobody(hunt: Hunt) -> None:
    assert list(hunt.broken(("garbage", "pipe", "circle"))) == []


def test_there_are_many_baits_and_careless_tools_take_them(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path, "http://127.0.0.1:9")
    assert len(checkout.baits) >= 200
    assert checkout.proven() == []
    where = checkout.folder
    subprocess.run(("./ls",), cwd=where, capture_output=True, check=False, timeout=20)
    program = (sys.executable, "-c", "import keyring")
    subprocess.run(program, cwd=where, capture_output=True, check=False, timeout=20)
    marks = set(checkout.marks())
    assert {"program--ls", "module-keyring", "git-fsmonitor", "makefile-shell", "bashrc"} <= marks
    assert marks <= checkout.baits
