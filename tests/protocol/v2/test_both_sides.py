"""An agent and a client of version 2 against each other, with every frame checked."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from msgspec import UNSET

from parley.errors import MethodNotFound, RequestCancelled, ResourceNotFound
from parley.protocol.connect import RemoteAgent, connect
from parley.protocol.serve import serve
from parley.protocol.settings import Settings
from parley.session.content import DiffItem, FileChange, Text
from parley.session.event import (
    ChunkAdded,
    ExitStatus,
    MessageChanged,
    PlanChanged,
    StateChanged,
    TerminalChanged,
    TerminalOutputAdded,
    ToolCallChanged,
    UsageChanged,
)
from parley.session.option import Choice, Command, PlanEntry, PlanItems, Select, Toggle
from parley.session.profile import AgentCapabilities, AgentLogin, ClientCapabilities
from parley.session.question import (
    Accepted,
    FormQuestion,
    PermissionOption,
    PermissionQuestion,
    SessionScope,
    ToolCallSubject,
    decide,
)
from parley.session.role import Ending, Prompt, SessionRequest, SessionSetup
from parley.session.state import SessionState
from parley.transport.memory import memory_pair
from parley.transport.tap import TappedFrame, TapTransport
from tests.protocol.v2.roles import ScriptedAgent, ScriptedClient, never
from tests.protocol.v2.wire import BOUND, check_payload

HELLO = Prompt((Text("hi"),))
WHERE = SessionRequest("/w")
ALLOW = (PermissionOption("y", "Yes", "allow_once"), PermissionOption("n", "No", "reject_once"))


@dataclass
class Judge:
    """Checks every frame of a conversation against the schema of version 2."""

    frames: int = 0
    asked: dict[tuple[str, Any], str] = field(default_factory=dict)

    def record(self, tapped: TappedFrame) -> None:
        assert isinstance(tapped.frame, bytes)
        message = json.loads(tapped.frame)
        self.frames += 1
        if "method" in message:
            check_payload(message["method"], message.get("params"), answer=False)
            if "id" in message:
                self.asked[tapped.direction, message["id"]] = message["method"]
        elif "result" in message:
            other = "in" if tapped.direction == "out" else "out"
            method = self.asked.pop((other, message["id"]))
            check_payload(method, message["result"], answer=True)


@asynccontextmanager
async def joined(
    role: ScriptedAgent, client: ScriptedClient, settings: Settings | None = None
) -> AsyncIterator[RemoteAgent]:
    settings = settings or Settings(versions=(2,))
    ours, theirs = memory_pair()
    judge = Judge()
    async with asyncio.timeout(BOUND), asyncio.TaskGroup() as group:
        serving = group.create_task(serve(role, ours, settings))
        tap = TapTransport(theirs, judge.record)
        async with connect(tap, client, settings) as agent:
            yield agent
        await serving
    assert judge.frames > 2


def run(scenario: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(scenario())  # type: ignore[arg-type]


def test_a_whole_turn_reaches_the_client_as_it_was_reported() -> None:
    reported = [
        ChunkAdded("thought", Text("hm"), "t1"),
        ChunkAdded("agent", Text("let me see"), "a1"),
        ToolCallChanged("x", title="edit", kind="edit", status="in_progress", cancellable=True),
        TerminalChanged("term", command="make", cwd="/w"),
        TerminalOutputAdded("term", b"ok\n\xff"),
        TerminalChanged("term", exit=ExitStatus(0)),
        ToolCallChanged("x", status="completed", cancellable=False),
        PlanChanged("main", PlanItems((PlanEntry("do it", "high", "completed"),))),
        UsageChanged(5, 10, None),
        MessageChanged("agent", "a1", (Text("done"),), {"k": None}),
    ]

    async def work(agent: ScriptedAgent, session_id: str, prompt: Prompt) -> Ending:
        for event in reported:
            agent.client.emit(session_id, event)
        return Ending("max_turn_requests")

    async def scenario() -> None:
        client = ScriptedClient()
        async with joined(ScriptedAgent(work), client) as agent:
            setup = await agent.new_session(WHERE)
            assert await agent.prompt(setup.session_id, HELLO) == Ending("max_turn_requests")
            events = [event for _, event in client.events]
            assert isinstance(events[0], MessageChanged)
            assert (events[0].speaker, events[0].content) == ("user", (Text("hi"),))
            assert events[1] == StateChanged("running")
            assert events[2:-1] == reported
            assert events[-1] == StateChanged("idle", "max_turn_requests")

    run(scenario)


def test_a_permission_goes_there_and_back() -> None:
    async def work(agent: ScriptedAgent, session_id: str, prompt: Prompt) -> Ending:
        change = FileChange("modify", "/w/x", old_text="a\n", new_text="b\n")
        subject = ToolCallChanged("t", title="edit", content=(DiffItem((change,)),))
        question = PermissionQuestion("May I?", ALLOW, ToolCallSubject(subject))
        decision = decide(ALLOW, await agent.client.ask(session_id, question))
        form = FormQuestion("Name?", {"properties": {}}, SessionScope(session_id))
        answer = await agent.client.elicit(form)
        assert answer == Accepted({"a": 1})
        return Ending("end_turn" if decision else "refusal")

    async def scenario() -> None:
        client = ScriptedClient(ClientCapabilities(elicitation_form=True))
        async with joined(ScriptedAgent(work), client) as agent:
            await agent.new_session(WHERE)
            assert await agent.prompt("s1", HELLO) == Ending("end_turn")
            question, form = client.questions
            assert (question.title, question.options) == ("May I?", ALLOW)
            assert form.schema == {"type": "object", "properties": {}}
            state = SessionState.from_events(event for _, event in client.events)
            assert state.tool_calls["t"].status == "failed"  # It was left open.

    run(scenario)


def test_cancelling_reaches_the_work_and_the_person() -> None:
    async def work(agent: ScriptedAgent, session_id: str, prompt: Prompt) -> Ending:
        question = PermissionQuestion("May I?", ALLOW)
        await agent.client.ask(session_id, question)
        raise AssertionError

    async def scenario() -> None:
        client = ScriptedClient()
        client.answer = never
        async with joined(ScriptedAgent(work), client) as agent, asyncio.TaskGroup() as group:
            await agent.new_session(WHERE)
            first = group.create_task(agent.prompt("s1", HELLO))
            second = group.create_task(agent.prompt("s1", HELLO))
            await client.asked.wait()
            await agent.cancel("s1")
            assert await first == await second == Ending("cancelled")
            assert [event.state for event in client.of(StateChanged)] == [
                "running",
                "requires_action",
                "idle",
            ]

    run(scenario)


def test_cancelling_the_task_of_a_prompt_ends_the_turn_of_the_agent() -> None:
    async def scenario() -> None:
        role, client = ScriptedAgent(never), ScriptedClient()
        async with joined(role, client) as agent, asyncio.TaskGroup() as group:
            await agent.new_session(WHERE)
            prompting = group.create_task(agent.prompt("s1", HELLO))
            await role.began.wait()
            prompting.cancel()
            await asyncio.wait([prompting])
            await agent.close_session("s1")
            assert client.of(StateChanged)[-1] == StateChanged("idle", "cancelled")

    run(scenario)


def test_a_session_that_is_loaded_looks_as_it_did() -> None:
    """V2-RES-03, V2-RES-04: the state from a replay is the state from live"""

    async def work(agent: ScriptedAgent, session_id: str, prompt: Prompt) -> Ending:
        for event in (
            ChunkAdded("agent", Text("a")),
            ChunkAdded("agent", Text("b")),
            ToolCallChanged("t", title="x", status="completed"),
            ChunkAdded("agent", Text("c")),
        ):
            agent.client.emit(session_id, event)
        return Ending()

    async def scenario() -> None:
        role, live = ScriptedAgent(work), ScriptedClient()
        async with joined(role, live) as agent:
            await agent.new_session(WHERE)
            await agent.prompt("s1", HELLO)
        role.history = tuple(event for _, event in live.events)
        replayed = ScriptedClient()
        async with joined(role, replayed) as agent:
            await agent.load_session("s1", WHERE)
        before, after = (
            SessionState.from_events(event for _, event in client.events)
            for client in (live, replayed)
        )
        assert list(after.messages) == list(before.messages)
        assert [item.facts() for item in after.transcript] == [
            item.facts() for item in before.transcript
        ]
        assert after.run == before.run == StateChanged("idle", "end_turn")

    run(scenario)


def test_everything_about_sessions_works_over_the_wire() -> None:
    async def scenario() -> None:
        can = AgentCapabilities(delete=True, fork=True)
        role = ScriptedAgent(capabilities=can, logins=(AgentLogin("key", "Key"),))
        model = Select("m", "M", "a", (Choice("a", "A"), Choice("b", "B")))
        options = (model, Toggle("t", "T", True))
        role.setup = SessionSetup("s1", options, (Command("help", "Helps", "topic"),))
        settings = Settings(versions=(2,), unstable=True)
        async with joined(role, ScriptedClient(), settings) as agent:
            await agent.login("key")
            assert await agent.new_session(WHERE) == role.setup
            assert await agent.set_option("s1", "m", "b") == options
            assert await agent.set_option("s1", "t", False) == options
            assert await agent.resume_session("old", WHERE) == SessionSetup("old", options)
            assert (await agent.fork_session("old", WHERE)).session_id == "forked"
            page = await agent.list_sessions(cwd="/w")
            assert [info.session_id for info in page.sessions] == ["old"]
            role.client.emit("s1", ToolCallChanged("x", title="x", cancellable=True))
            role.client.emit("s1", TerminalChanged("y", cancellable=True))
            await agent.call("_ping", None)
            await agent.cancel_tool_call("s1", "x")
            await agent.cancel_terminal("s1", "y")
            await agent.close_session("s1")
            await agent.delete_session("old")
            await agent.logout()
            agent.tell("_bye", None)
            with pytest.raises(MethodNotFound):
                await agent.call("_no/such", {})
            with pytest.raises(ResourceNotFound):
                await agent.load_session("nope", WHERE)
        assert role.names() == [
            "login",
            "new_session",
            "set_option",
            "set_option",
            "resume_session",
            "fork_session",
            "list_sessions",
            "call",
            "cancel_tool_call",
            "cancel_terminal",
            "close_session",
            "close_session",
            "delete_session",
            "logout",
            "tell",
            "call",
            "load_session",
        ]

    run(scenario)


def test_a_prompt_for_a_session_that_is_being_closed_is_withdrawn() -> None:
    async def scenario() -> None:
        gate = asyncio.Event()

        class Slow(ScriptedAgent):
            async def close_session(self, session_id: str) -> None:
                self.began.set()
                await gate.wait()

        role = Slow()
        async with joined(role, ScriptedClient()) as agent, asyncio.TaskGroup() as group:
            await agent.new_session(WHERE)
            closing = group.create_task(agent.close_session("s1"))
            await role.began.wait()
            with pytest.raises(RequestCancelled):
                await agent.prompt("s1", HELLO)
            gate.set()
            await closing

    run(scenario)


def test_a_slow_client_slows_the_agent_and_loses_nothing() -> None:
    async def work(agent: ScriptedAgent, session_id: str, prompt: Prompt) -> Ending:
        for number in range(2000):
            agent.client.emit(session_id, ChunkAdded("agent", Text(f"{number} "), "a1"))
            if agent.client.blocked:
                await agent.client.drain()
        return Ending()

    async def scenario() -> None:
        client = ScriptedClient()
        async with joined(ScriptedAgent(work), client) as agent:
            await agent.new_session(WHERE)
            client.blocked = True
            await agent.prompt("s1", HELLO)
            words = [event.content.text for event in client.of(ChunkAdded)]
            assert words == [f"{number} " for number in range(2000)]
            assert client.drained == 1

    run(scenario)


def test_metadata_of_updates_patches_by_key() -> None:
    """EXT-14"""

    async def work(agent: ScriptedAgent, session_id: str, prompt: Prompt) -> Ending:
        for meta in ({"a": 1, "b": {"c": 1}}, UNSET, {}, {"b": {"d": 2}}, {"a": None}):
            agent.client.emit(session_id, ToolCallChanged("t", title="x", meta=meta))
        return Ending()

    async def scenario() -> None:
        client = ScriptedClient()
        async with joined(ScriptedAgent(work), client) as agent:
            await agent.new_session(WHERE)
            await agent.prompt("s1", HELLO)
            state = SessionState.from_events(event for _, event in client.events)
            assert state.tool_calls["t"].meta == {"b": {"d": 2}}

    run(scenario)
