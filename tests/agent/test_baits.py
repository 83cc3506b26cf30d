"""Nothing in the folder that the agent works in is run or obeyed by itself (S1)."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agent.baits import Checkout
from tests.agent.raw_client import RawClient, refuse
from tests.cli.raw_agent import environment

# The program as people start it: `python -c` would look for modules in the folder itself.
PARLEY = (str(Path(sys.executable).with_name("parley")), "acp")
LOOKING = (
    "list .; search value; read value.txt; run ls; run cat value.txt; run grep value value.txt"
)
PATH = ".:bin::node_modules/.bin:"


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """Takes the connections of an agent that obeyed."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


@pytest.fixture
def checkout(tmp_path: Path, listener: socket.socket) -> Checkout:
    return Checkout(tmp_path, f"http://127.0.0.1:{listener.getsockname()[1]}/v1")


@pytest.mark.parametrize("version", [1, 2])
def test_no_bait_is_taken(
    version: int, tmp_path: Path, checkout: Checkout, listener: socket.socket
) -> None:
    assert checkout.count >= 100
    home = tmp_path / "home"
    home.mkdir()
    env = {"PATH": PATH + environment(home)["PATH"]}
    with RawClient(
        home=home, cwd=checkout.folder, env=env, version=version, command=PARLEY, answers=refuse
    ) as agent:
        agent.begin()
        session = agent.open(checkout.folder)
        agent.prompt(session, LOOKING)
        assert "All 6 steps done." in agent.said()
        assert agent.requests("session/request_permission") == []
        agent.prompt(session, "run git status")
        # Git obeys its repository, so it is asked for, and refused here.
        assert len(agent.requests("session/request_permission")) == 1
        assert agent.end() == 0
        assert agent.complaints == ""
    assert checkout.marks() == []
    with pytest.raises(BlockingIOError):
        listener.accept()


def test_the_baits_would_leave_marks(checkout: Checkout) -> None:
    where = checkout.folder
    subprocess.run(("git", "-C", where, "status"), capture_output=True, check=False, timeout=20)
    assert "core.fsmonitor" in checkout.marks()
    checkout.forget()
    subprocess.run(("./ls",), cwd=where, capture_output=True, check=False, timeout=20)
    assert checkout.marks() == ["ls"]
    checkout.forget()
    program = (sys.executable, "-c", "import keyring")
    subprocess.run(program, cwd=where, capture_output=True, check=False, timeout=20)
    assert "keyring.py" in checkout.marks()
