"""The snippet of the guide that offers files, commands and logins of this machine."""

import runpy
from pathlib import Path
from typing import Any

import pytest

import parley
from parley.errors import RpcError
from parley.session.profile import AgentLogin, TerminalLogin
from tests.architecture.source_tree import ROOT
from tests.sdk.stage import joined, run


def _names() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs" / "snippets" / "local_offers.py"))


def _curious() -> parley.Agent:
    """An agent that uses all the client offers."""
    agent = parley.Agent("curious")

    @agent.prompt
    async def look(turn: parley.Turn) -> None:
        files, terminals = turn.client.files, turn.client.terminals
        assert files is not None
        assert terminals is not None
        session, cwd = turn.session.id, turn.cwd
        await files.write(session, f"{cwd}/new", "new")
        await turn.say(await files.read(session, f"{cwd}/draft"))
        async with await terminals.create(session, "cat", (f"{cwd}/new",), cwd=cwd) as terminal:
            assert (await terminal.wait()).code == 0
            await turn.say((await terminal.output()).text)
        with pytest.raises(RpcError, match="outside"):
            await files.read(session, "/etc/hosts")

    return agent


def test_local_offers_reach_an_agent(tmp_path: Path) -> None:
    names = _names()
    names["unsaved"][str(tmp_path / "draft")] = "unsaved, "

    async def scenario() -> None:
        async with joined(_curious(), 1, names["client"]) as agent:
            session = await names["begin"](agent, str(tmp_path))
            assert await session.ask("go") == "unsaved, new"

    run(scenario())


def test_a_login_in_a_terminal_is_chosen() -> None:
    names = _names()
    logins = [AgentLogin("a", "A"), TerminalLogin("t", "T", args=("-c", "exit 0"))]

    async def scenario() -> None:
        assert await names["log_in"](["sh"], logins)
        assert not await names["log_in"](["sh"], logins[:1])

    run(scenario())
