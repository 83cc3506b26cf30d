"""Our agent lives with every habit of a client that comes as a scenario."""

import asyncio

import pytest

from parley.conformance.scenario_files import scenario_names
from parley.conformance.scripted_peer import ScriptedClient
from parley.errors import RemoteProtocolError
from parley.sdk.agent import Agent
from parley.sdk.turn import Session, Turn
from parley.session.role import SessionPage
from tests.conformance.wire_facts import problems_with, said_in

FILE = "/home/user/project/a.txt"
HABITS = [name for name in scenario_names() if name.startswith("habits/")]


@pytest.mark.parametrize("name", HABITS)
def test_our_agent_lives_with(name: str) -> None:
    report = asyncio.run(ScriptedClient(name).drive(obedient_agent()))
    report.check()
    said = list(said_in(report))
    assert said
    assert [each for each in said if problems_with(each)] == []


def obedient_agent() -> Agent:
    """An agent that does what the scenarios ask for in plain words."""
    agent = Agent("obedient", mcp_http=True)

    @agent.resume_session
    async def resume(session: Session) -> None:
        pass

    @agent.list_sessions
    async def listed(*, cwd: str | None = None, cursor: str | None = None) -> SessionPage:
        return SessionPage()

    @agent.prompt
    async def obey(turn: Turn) -> None:
        match turn.text.splitlines()[-1]:
            case "Wait":
                await turn.say("waiting")
                await asyncio.get_running_loop().create_future()
            case "Ask with a form":
                await turn.form("Which?", {"type": "object", "properties": {}})
            case "Ask for permission":
                decision = await turn.ask("May I?")
                await turn.say("allowed" if decision.allowed else "refused")
            case "Run a command":
                await _run(turn)
            case "Write a file" | "Read two lines" as order:
                await _touch(turn, order)
            case _:
                await turn.say("Hello")

    return agent


async def _touch(turn: Turn, order: str) -> None:
    files = turn.client.files
    assert files is not None
    if order == "Write a file":
        await files.write(turn.session.id, FILE, "text")
    else:
        await turn.say(await files.read(turn.session.id, FILE, line=1, limit=2))


async def _run(turn: Turn) -> None:
    terminals = turn.client.terminals
    assert terminals is not None
    try:
        async with await terminals.create(turn.session.id, "true") as terminal:
            await terminal.wait()
            await turn.say((await terminal.output()).text)
    except RemoteProtocolError:
        await turn.say("the client has no terminal after all")
