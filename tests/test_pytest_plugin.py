"""The fixtures of the pytest plugin, as a project that installs the package uses them."""

import subprocess
import sys
import tomllib
from pathlib import Path

PLUGIN = "parley.pytest_plugin"
SUITE = """
import asyncio

from parley.sdk.agent import Agent
from parley.sdk.client import Client


def echo():
    agent = Agent("echo")

    @agent.prompt
    async def say_back(turn):
        await turn.say(turn.text)

    return agent


def test_pair(acp_pair):
    async def run():
        async with acp_pair(echo(), version=2) as agent:
            session = await agent.new_session("/home/user")
            return await session.ask("Hi")

    assert asyncio.run(run()) == "Hi"


def test_agent(scripted_agent):
    async def run():
        async with scripted_agent("hello-agent") as scripted:
            async with Client("mine").connect(scripted.transport) as agent:
                session = await agent.new_session("/home/user")
                return await session.ask("Hi")

    assert asyncio.run(run()) == "Hello"


def test_client(scripted_client):
    assert asyncio.run(scripted_client("habits/string-ids").drive(echo())).ok


def test_script_that_cannot_go_on(scripted_agent):
    async def run():
        async with scripted_agent("hello-agent"):
            pass

    asyncio.run(run())


def test_script_that_is_not_played(scripted_client):
    scripted_client("habits/string-ids")
"""


def test_the_package_offers_the_plugin_to_pytest() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"parley": PLUGIN}


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        # By its module, so that it does not matter what is installed under its name.
        [sys.executable, "-m", "pytest", "-p", "no:parley", "-p", PLUGIN, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_fixtures_work_and_a_script_that_cannot_go_on_fails_its_test(tmp_path: Path) -> None:
    (tmp_path / "test_suite.py").write_text(SUITE)
    finished = _run(tmp_path, "-q", "-W", "error")
    assert "5 passed, 1 error" in finished.stdout, finished.stdout + finished.stderr
    assert "ERROR test_suite.py::test_script_that_cannot_go_on" in finished.stdout
    assert "expected: message `session/new`" in finished.stdout


def test_the_fixtures_explain_themselves(tmp_path: Path) -> None:
    shown = _run(tmp_path, "--fixtures").stdout
    for name in ("acp_pair", "scripted_agent", "scripted_client"):
        assert f"\n{name} -- " in shown


def test_the_plugin_imports_nothing_of_the_package_before_it_is_used() -> None:
    program = "import sys, parley.pytest_plugin; print(*sys.modules)"
    finished = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=True
    )
    ours = {name for name in finished.stdout.split() if name.split(".")[0] == "parley"}
    assert ours == {"parley", "parley.pytest_plugin"}
