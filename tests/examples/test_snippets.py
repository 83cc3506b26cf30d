"""The snippets of the guides do what the guides say, in both versions."""

import asyncio
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

import parley
from parley.errors import AuthRequired, InvalidParams
from parley.session.event import NoticeGiven
from tests.architecture.source_tree import ROOT
from tests.sdk.stage import joined, run

SNIPPETS = ROOT / "docs" / "snippets"
both = pytest.mark.parametrize("version", [1, 2])


def _snippet(name: str) -> Any:
    """The module of a snippet, fresh."""
    spec = spec_from_file_location(f"snippet_{name}", SNIPPETS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _story(text: str) -> parley.Agent:
    """An agent that says something and then goes on for ever, or fails."""
    agent = parley.Agent("story")

    @agent.prompt
    async def tell(turn: parley.Turn) -> None:
        if text == "fail":
            raise InvalidParams("no stories")
        await turn.say(text)
        await asyncio.Event().wait()

    return agent


@both
def test_saying(version: int) -> None:
    async def scenario() -> None:
        notices: list[str] = []
        client = parley.Client("test")

        @client.event
        def note(session: parley.RemoteSession, event: object) -> None:
            if isinstance(event, NoticeGiven):
                notices.append(event.title)

        async with joined(_snippet("saying").agent, version, client) as agent:
            session = await agent.new_session("/")
            assert await session.ask("go") == "First I look. Then I leap."
            state = session.state
            assert [m.speaker for m in state.messages.values()] == ["user", "thought", "agent"]
            assert state.info.title == "Looking and leaping"
            assert state.usage is not None
            assert (state.usage.used, state.usage.size) == (1_200, 200_000)
            assert state.plans.keys() == {"main"}
            assert notices == ["The next turn may be slow"]

    run(scenario())


@both
@pytest.mark.parametrize(
    ("command", "policy", "status"),
    [("echo hi", "allow", "completed"), ("exit 3", "allow", "failed"), ("x", "reject", "failed")],
)
def test_tools(version: int, command: str, policy: Any, status: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        client = parley.Client("test", permission=policy)
        async with joined(_snippet("tools").agent, version, client) as agent:
            session = await agent.new_session(tmp_path)
            ending = await session.prompt(command)
            assert ending.stop_reason == "end_turn"
            (call,) = session.state.tool_calls.values()
            assert call.status == status

    run(scenario())


@both
def test_cancelling(version: int) -> None:
    async def scenario() -> None:
        async with joined(_snippet("cancelling").agent, version) as agent:
            session = await agent.new_session("/")
            async with session.prompt("go") as turn:
                async for _ in turn:
                    if session.state.tool_calls:
                        break
            assert turn.result().stop_reason == "cancelled"
            assert turn.text.startswith("I got to ")

    run(scenario())


@both
@pytest.mark.parametrize(
    ("filled", "policy", "said"),
    [({"name": "Ada"}, "allow", "Hello, Ada."), (None, "allow", "Hello, stranger.")],
)
def test_asking(version: int, filled: Any, policy: Any, said: str) -> None:
    async def scenario() -> None:
        client = parley.Client("test", permission=policy)

        @client.elicitation
        async def fill_in(question: object) -> Any:
            return filled

        async with joined(_snippet("asking").agent, version, client) as agent:
            assert await (await agent.new_session("/")).ask("go") == said

    run(scenario())


@both
def test_extending(version: int) -> None:
    async def scenario() -> None:
        module = _snippet("extending")
        async with joined(module.agent, version) as agent:
            with pytest.raises(AuthRequired):
                await agent.new_session("/")
            await agent.login("key")
            session = await agent.new_session("/")
            assert await session.ask("go") == "This client shows me no files."
            answer = await agent.call("_example.org/turns", {"sessionId": session.id})
            assert answer == {"turns": 1}
            await session.close()
            assert module.turns == {}
            await agent.logout()
            assert module.logged_in == set()

    run(scenario())


def test_offering_and_extending_meet_over_version_1(tmp_path: Path) -> None:
    async def scenario() -> None:
        offering, extending = _snippet("offering"), _snippet("extending")
        offering.UNSAVED[f"{tmp_path}/README.md"] = "one\ntwo\n"
        async with joined(extending.agent, 1, offering.client) as agent:
            await agent.login("key")
            session = await agent.new_session(tmp_path)
            assert await session.ask("go") == "one\n"
        buffers = offering.Buffers()
        assert await buffers.read("s", f"{tmp_path}/README.md", line=2) == "two\n"
        for mistake in (buffers.read("s", "/no/such"), buffers.write("s", "/x", "")):
            with pytest.raises(InvalidParams):
                await mistake

    run(scenario())


@both
def test_watching(version: int, capsys: pytest.CaptureFixture[str]) -> None:
    async def scenario() -> None:
        module = _snippet("watching")
        async with joined(_snippet("moved_agent").agent, version, module.client) as agent:
            assert await module.follow(agent) == ["Hello", "end_turn", "end_turn"]

    run(scenario())
    assert "ChunkAdded" in capsys.readouterr().out


@both
def test_leaving(version: int) -> None:
    async def scenario() -> None:
        module = _snippet("leaving")
        async with joined(_story("Once upon a time"), version) as agent:
            session = await agent.new_session("/")
            assert await module.first_words(session) == "Once upon a time"
            assert await module.in_time(session, 0.01) == "too slow"
        async with joined(_story("fail"), version) as agent:
            session = await agent.new_session("/")
            assert await module.in_time(session, 5) == "the agent refused: no stories"

    run(scenario())


@both
@pytest.mark.parametrize(("kind", "said"), [("read", "yes"), ("delete", "no")])
def test_answering(version: int, kind: str, said: str) -> None:
    agent = parley.Agent("asks")

    @agent.prompt
    async def answer(turn: parley.Turn) -> None:
        async with turn.tool("Work", kind=kind) as tool:
            await turn.say("yes" if await tool.ask() else "no")
        values = await turn.form("Who?", {"type": "object", "properties": {}})
        assert values == {"name": "Ada"}
        assert not await turn.ask("Anything else?")

    async def scenario() -> None:
        async with joined(agent, version, _snippet("answering").client) as connection:
            session = await connection.new_session("/")
            assert await session.ask("go") == said

    run(scenario())


@pytest.mark.parametrize("agent", ["official_agent", "moved_agent"])
@pytest.mark.parametrize("client", ["official_client", "moved_client"])
def test_both_kinds_of_clients_drive_both_kinds_of_agents(agent: str, client: str) -> None:
    command = [str(SNIPPETS / f"{client}.py"), sys.executable, str(SNIPPETS / f"{agent}.py")]
    finished = subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, timeout=30, check=False
    )
    assert (finished.stdout, finished.returncode) == ("Hello\n", 0)
