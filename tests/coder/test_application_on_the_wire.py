"""The coding agent as a client of each version sees it: over a wire, by the real translation."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from parley.coder.application import Application
from parley.coder.message import CallPart
from parley.protocol.connect import RemoteAgent, connect
from parley.protocol.serve import serve
from parley.protocol.settings import Settings
from parley.session.content import Text
from parley.session.event import ChunkAdded, MessageChanged, ToolCallChanged
from parley.session.role import Prompt
from parley.session.state import SessionState
from parley.transport.memory import memory_pair
from tests.coder.stage import (
    BOUND,
    Gate,
    Played,
    SmallTool,
    Stage,
    Watcher,
    answered,
    calls,
    choosing,
    failing,
    says,
)

both_versions = pytest.mark.parametrize("version", [1, 2])


@asynccontextmanager
async def connected(stage: Stage, version: int) -> AsyncGenerator[RemoteAgent]:
    """The agent of a stage at the other end of a wire, with a client of its own."""
    near, far = memory_pair()
    settings = Settings(versions=(version,), unstable=True)
    stage.application = Application(stage.runtime)
    async with asyncio.timeout(BOUND), asyncio.TaskGroup() as group:
        serving = group.create_task(serve(stage.application, far, settings))
        async with connect(near, stage.client, settings) as agent:
            yield agent
        await serving
        await stage.application.aclose()


def _facts(stage: Stage, session_id: str) -> dict[str, Any]:
    facts = SessionState.from_events(stage.client.by_session[session_id]).snapshot()
    # Options come with the answer that opens a session, and a state belongs to its moment.
    return {key: value for key, value in facts.items() if key not in ("options", "run")}


@both_versions
def test_a_session_that_is_loaded_looks_as_it_did_live(tmp_path: Path, version: int) -> None:
    async def scenario() -> None:
        tools = (SmallTool("look", "read", answered), SmallTool("put", "write", answered))
        made = calls(CallPart("c1", "look", {"n": 1}), CallPart("c2", "put"), text="So:")
        provider = Played(made, says("Done."), says("More."))
        stage = Stage(tmp_path, provider, tools, client=Watcher(choosing("allow_once")))
        async with connected(stage, version) as agent:
            id = (await agent.new_session(stage.request)).session_id
            ending = await agent.prompt(id, Prompt((Text("Look"),)))
            assert ending.stop_reason == "end_turn"
            assert ending.usage is not None
            assert ending.usage.total == 30
            await agent.prompt(id, Prompt((Text("And more"),)))
        live = _facts(stage, id)
        assert len(live["transcript"]) == 7
        stage.client = Watcher()
        async with connected(stage, version) as agent:
            await agent.load_session(id, stage.request)
        assert _without_ids(_facts(stage, id)) == _without_ids(live)
        await stage.aclose()

    asyncio.run(scenario())


def _without_ids(facts: dict[str, Any]) -> dict[str, Any]:
    """A client of version 1 names its own prompts, so their ids differ."""
    for item in facts["transcript"]:
        if item.get("speaker") == "user":
            del item["id"]
    return facts


@both_versions
def test_the_prompt_is_seen_once(tmp_path: Path, version: int) -> None:
    async def scenario() -> None:
        stage = Stage(tmp_path, Played(says("ok")))
        async with connected(stage, version) as agent:
            id = (await agent.new_session(stage.request)).session_id
            await agent.prompt(id, Prompt((Text("Look"),)))
        seen = [
            event
            for event in stage.client.by_session[id]
            if isinstance(event, MessageChanged | ChunkAdded) and event.speaker == "user"
        ]
        assert len(seen) == 1
        await stage.aclose()

    asyncio.run(scenario())


@both_versions
def test_a_cancelled_turn_ends_so_with_every_call_closed(tmp_path: Path, version: int) -> None:
    async def scenario() -> None:
        gate = Gate()

        async def work(arguments: object, progress: object) -> Any:
            await gate.passed()

        tools = (SmallTool("look", "read", work),)
        provider = Played(calls(CallPart("c1", "look"), CallPart("c2", "look")), says("ok"))
        stage = Stage(tmp_path, provider, tools)
        async with connected(stage, version) as agent:
            id = (await agent.new_session(stage.request)).session_id
            async with asyncio.TaskGroup() as group:
                turn = group.create_task(agent.prompt(id, Prompt((Text("go"),))))
                await gate.reached.wait()
                await agent.cancel(id)
            assert turn.result().stop_reason == "cancelled"
            state = SessionState.from_events(stage.client.by_session[id])
            assert state.open_tool_calls() == []
            ending = await agent.prompt(id, Prompt((Text("go on"),)))
            assert ending.stop_reason == "end_turn"
        await stage.aclose()

    asyncio.run(scenario())


@both_versions
def test_a_failure_of_the_model_is_text_and_an_error(tmp_path: Path, version: int) -> None:
    async def scenario() -> None:
        failure = failing("The key is wrong.", retryable=False, kind="auth")
        stage = Stage(tmp_path, Played([failure]))
        async with connected(stage, version) as agent:
            id = (await agent.new_session(stage.request)).session_id
            ending = await agent.prompt(id, Prompt((Text("go"),)))
            assert ending.stop_reason == "error"
            assert ending.failure is not None
            assert ending.failure.message == "The key is wrong."
        events = stage.client.by_session[id]
        said = [e.content for e in events if isinstance(e, ChunkAdded) and e.speaker == "agent"]
        assert said == [Text("The key is wrong.")]
        await stage.aclose()

    asyncio.run(scenario())


@both_versions
def test_a_call_is_announced_before_it_is_asked_about(tmp_path: Path, version: int) -> None:
    async def scenario() -> None:
        provider = Played(calls(CallPart("c1", "put", {"n": 1})), says("ok"))
        client = Watcher(choosing("reject_once"))
        tool = SmallTool("put", "write", answered)
        stage = Stage(tmp_path, provider, (tool,), client=client)
        async with connected(stage, version) as agent:
            id = (await agent.new_session(stage.request)).session_id
            await agent.prompt(id, Prompt((Text("go"),)))
        changes = [e for e in client.by_session[id] if isinstance(e, ToolCallChanged)]
        statuses = [e.status for e in changes if isinstance(e.status, str)]
        assert len(client.questions) == 1
        assert statuses[0] == "pending"
        assert statuses[-1] == "failed"
        assert "in_progress" not in statuses
        assert tool.ran == []
        await stage.aclose()

    asyncio.run(scenario())
