"""Whole turns: how they are told, how they end, how they are cancelled."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from parley.coder.calls import CANCELLED
from parley.coder.errors import ProviderFailure
from parley.coder.message import (
    AgentMessage,
    CallPart,
    Message,
    TextPart,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from parley.coder.providers.provider import CallBegun, ModelInfo, ModelUsage, StopCause, TextDelta
from parley.coder.settings import CoderSettings
from parley.coder.store.entry import TurnOver
from parley.coder.store.failure import StoreFailed
from parley.coder.store.log import SessionLog
from parley.coder.tools.tool import Outcome, Progress
from parley.session.content import ContentItem, Text
from parley.session.event import (
    REPEATS_FAILURE,
    ChunkAdded,
    Failure,
    InfoChanged,
    NoticeGiven,
    ToolCallChanged,
    TurnUsage,
    UsageChanged,
)
from parley.session.profile import AgentLogin
from parley.session.role import Ending
from tests.coder.stage import (
    Gate,
    SmallTool,
    Stage,
    Step,
    Watcher,
    answered,
    calls,
    choosing,
    failing,
    says,
    staged,
)

LOOK = CallPart("c1", "look_up", {"n": 7})


def _notices(stage: Stage) -> list[str]:
    return [e.title for e in stage.events if isinstance(e, NoticeGiven)]


def _statuses(stage: Stage) -> list[str]:
    """The last status of every call that the client knows."""
    last: dict[str, str] = {}
    for event in stage.events:
        if isinstance(event, ToolCallChanged) and isinstance(event.status, str):
            last[event.id] = event.status
    return list(last.values())


async def _last_ending(stage: Stage) -> Ending:
    await stage.again()
    log = await stage.runtime.store.open(stage.session_id)
    entries = await log.entries()
    await log.close()
    return next(each.ending for each in reversed(entries) if isinstance(each, TurnOver))


def test_a_turn_with_a_tool_is_told_step_by_step(tmp_path: Path) -> None:
    async def scenario() -> None:
        read = SmallTool("look_up", "read", answered)
        async with staged(tmp_path, calls(LOOK, text="I look."), says("Done."), tools=(read,)) as s:
            ending = await s.say("What is seven?")
            assert ending == Ending("end_turn", TurnUsage(30, 20, 10, 0, 0, 0))
            assert s.events == [
                InfoChanged("What is seven?"),
                ChunkAdded("agent", Text("I look."), "id-2"),
                ToolCallChanged(
                    "c1", title="Look up", name="look_up", kind="read", status="pending"
                ),
                UsageChanged(15, 128_000),
                ToolCallChanged(
                    "c1", title="Do look_up", kind="read", status="pending", raw_input={"n": 7}
                ),
                ToolCallChanged("c1", status="in_progress", cancellable=True),
                ToolCallChanged(
                    "c1",
                    status="completed",
                    content=(ContentItem(Text("done 7")),),
                    raw_output="done 7",
                ),
                ChunkAdded("agent", Text("Done."), "id-3"),
                UsageChanged(15, 128_000),
            ]
            assert s.provider.requests[1].messages == (
                UserMessage((TextPart("What is seven?"),)),
                AgentMessage((TextPart("I look."), LOOK)),
                ToolMessage((ToolResult("c1", "look_up", "done 7"),)),
            )

    asyncio.run(scenario())


@pytest.mark.parametrize("cause", ["max_tokens", "refusal"])
def test_an_answer_that_was_cut_off_or_refused_ends_the_turn_so(
    tmp_path: Path, cause: StopCause
) -> None:
    async def scenario() -> None:
        tool = SmallTool("look_up", "read", answered)
        turns = (says("half", cause=cause), calls(LOOK, cause=cause), says("ok"))
        async with staged(tmp_path, *turns, tools=(tool,)) as s:
            assert (await s.say()).stop_reason == cause
            assert (await s.say()).stop_reason == cause
            assert tool.ran == []
            assert _statuses(s) == ["failed"]
            assert (await s.say()).stop_reason == "end_turn"

    asyncio.run(scenario())


def test_an_empty_answer_ends_the_turn_and_is_not_said_to_the_model(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, says(""), says("ok")) as s:
            assert (await s.say()).stop_reason == "end_turn"
            await s.say()
            messages = s.provider.requests[1].messages
            assert [type(m) for m in messages] == [UserMessage, UserMessage]

    asyncio.run(scenario())


def test_a_turn_stops_at_its_limit_of_requests_and_says_which(tmp_path: Path) -> None:
    async def scenario() -> None:
        tool = SmallTool("look_up", "read", answered)
        settings = CoderSettings(max_requests=2)
        turns = (calls(LOOK), calls(LOOK), says("ok"))
        async with staged(tmp_path, *turns, tools=(tool,), settings=settings) as s:
            assert (await s.say()).stop_reason == "max_turn_requests"
            assert len(s.provider.requests) == 2
            assert _notices(s) == [
                "This turn has made 2 requests to the model, which is the limit"
                " (`max_requests`). Send another message to go on."
            ]
            assert (await s.say()).stop_reason == "end_turn"

    asyncio.run(scenario())


def test_a_session_stops_when_its_budget_is_spent_and_goes_on_when_it_is_raised(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        priced = ModelInfo("one", price_input=1e6, price_output=0.0)
        dear = says("ok", usage=ModelUsage(1, 0))
        settings = CoderSettings(budget=1.0)
        async with staged(tmp_path, dear, dear, settings=settings, models=(priced,)) as s:
            assert (await s.say()).stop_reason == "end_turn"
            assert (await s.say()).stop_reason == "max_turn_requests"
            assert _notices(s) == [
                "This session has cost $1.00, and its budget is $1."
                " Choose a higher one with the option `budget` to go on."
            ]
            await s.application.set_option(s.session_id, "budget", "5")
            assert (await s.say()).stop_reason == "end_turn"

    asyncio.run(scenario())


def test_a_budget_that_cannot_be_watched_is_said(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, says("ok"), settings=CoderSettings(budget=1.0)) as s:
            assert (await s.say()).stop_reason == "end_turn"
            assert _notices(s) == [
                "The prices of `played/one` are not known, so the budget of this session cannot"
                " be watched."
            ]

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("kind", "code"), [("auth", -32000), ("request", -32603), ("context", -32603)]
)
def test_a_permanent_failure_is_said_and_ends_the_turn_as_an_error(
    tmp_path: Path, kind: ProviderFailure, code: int
) -> None:
    async def scenario() -> None:
        failure = failing("The key is wrong. Set `X`.", retryable=False, kind=kind)
        async with staged(tmp_path, [TextDelta("Well, "), failure], says("ok")) as s:
            s.runtime.logins = (AgentLogin("key", "Key"),)
            ending = await s.say()
            assert ending == Ending(
                "error",
                TurnUsage(0, 0, 0, 0, 0, 0),
                Failure(
                    code, "The key is wrong. Set `X`.", {"reason": "model_failed", "kind": kind}
                ),
            )
            texts = [(e.content, e.meta) for e in s.events if isinstance(e, ChunkAdded)]
            assert texts == [
                (Text("Well, "), None),
                (Text("\n\nThe key is wrong. Set `X`."), {REPEATS_FAILURE: True}),
            ]
            await s.say()
            assert s.provider.requests[1].messages[1] == AgentMessage((TextPart("Well, "),))

    asyncio.run(scenario())


def test_a_defect_of_a_provider_leaves_a_session_that_goes_on(tmp_path: Path) -> None:
    async def scenario() -> None:
        broken: list[Step] = [TextDelta("a"), CallBegun("c1", "look_up"), KeyError("defect")]
        async with staged(tmp_path, broken, says("ok")) as s:
            with pytest.raises(KeyError):
                await s.say()
            assert _statuses(s) == ["failed"]
            assert (await s.say()).stop_reason == "end_turn"

    asyncio.run(scenario())


@pytest.mark.parametrize("most_waiting", [0, 2_000])
def test_a_session_that_cannot_be_stored_ends_the_turn_with_the_cause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most_waiting: int
) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, says("ok"), says("ok")) as s:
            full = StoreFailed("no space left on the device", "full")

            async def flush(self: object, *, durable: bool = False) -> None:
                raise full

            with monkeypatch.context() as patched:
                patched.setattr("parley.coder.store.log.SessionLog.flush", flush)
                # With no room for what waits, it fails while the model speaks.
                patched.setattr("parley.coder.store.log._MOST_ITEMS", most_waiting)
                ending = await s.say()
            assert ending.failure == Failure(full.code, full.message, full.data)
            assert (await s.say()).stop_reason == "end_turn"

    asyncio.run(scenario())


def test_the_hint_stands_before_the_first_answer_only(tmp_path: Path) -> None:
    async def scenario() -> None:
        settings = CoderSettings(hint="Set a model.")
        async with staged(tmp_path, says("one"), says("two"), settings=settings) as s:
            await s.say()
            await s.say()
            texts = [e.content for e in s.events if isinstance(e, ChunkAdded)]
            assert texts == [Text("Set a model.\n\n"), Text("one"), Text("two")]
            messages = s.provider.requests[1].messages
            assert messages[1] == AgentMessage((TextPart("one"),))
        async with staged(tmp_path, settings=settings) as s:
            await s.say("/mcp")
            (text,) = (e.content for e in s.events if isinstance(e, ChunkAdded))
            assert text == Text("This session has no MCP servers.")

    asyncio.run(scenario())


def test_a_prompt_that_begins_with_a_path_is_no_command(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, says("ok")) as s:
            await s.say("/etc/hosts is what?")
            first = s.provider.requests[0].messages[0]
            assert first == UserMessage((TextPart("/etc/hosts is what?"),))

    asyncio.run(scenario())


# Cancelling, in every phase. The provider of the stage refuses what is not well formed.


async def _goes_on(stage: Stage) -> tuple[Message, ...]:
    """The next turn works, here and after a reload; what the model is told then."""
    assert _statuses(stage) == [each for each in _statuses(stage) if each != "in_progress"]
    stage.provider.answers[:] = [says("ok"), says("ok")]
    assert (await stage.say("again")).stop_reason == "end_turn"
    told = stage.provider.requests[-1].messages
    assert (await _last_ending(stage)).stop_reason == "end_turn"
    await stage.load()
    assert (await stage.say("and again")).stop_reason == "end_turn"
    assert stage.provider.requests[-1].messages[: len(told)] == told
    return told


def test_cancelling_while_the_model_speaks_keeps_what_was_seen(tmp_path: Path) -> None:
    async def scenario() -> None:
        gate = Gate()
        steps: list[Step] = [TextDelta("I am "), CallBegun("c1", "look_up"), gate]
        async with staged(tmp_path, steps) as s:
            await s.cancelled_at(gate.reached)
            assert _statuses(s) == ["cancelled"]
            told = await _goes_on(s)
            assert told[1] == AgentMessage((TextPart("I am "),))

    asyncio.run(scenario())


def test_cancelling_before_the_model_speaks_keeps_the_prompt(tmp_path: Path) -> None:
    async def scenario() -> None:
        gate = Gate()
        async with staged(tmp_path, [gate]) as s:
            await s.cancelled_at(gate.reached)
            assert [type(m) for m in await _goes_on(s)] == [UserMessage, UserMessage]

    asyncio.run(scenario())


def test_cancelling_while_a_question_is_open_answers_the_calls(tmp_path: Path) -> None:
    async def scenario() -> None:
        tool = SmallTool("put", "write", answered)
        client = Watcher(choosing("allow_once"), Gate())
        assert client.gate is not None
        made = (CallPart("c1", "put"), CallPart("c2", "put"))
        async with staged(tmp_path, calls(*made), tools=(tool,), client=client) as s:
            await s.cancelled_at(client.gate.reached)
            assert tool.ran == []
            assert _statuses(s) == ["cancelled", "cancelled"]
            told = await _goes_on(s)
            assert told[2] == ToolMessage(
                tuple(ToolResult(c.id, "put", CANCELLED, is_error=True) for c in made)
            )

    asyncio.run(scenario())


def test_cancelling_while_tools_run_keeps_the_results_there_are(tmp_path: Path) -> None:
    async def scenario() -> None:
        gate = Gate()
        cleaned: list[str] = []

        async def work(arguments: Mapping[str, Any], progress: Progress) -> Outcome:
            if not arguments:
                return Outcome("quick")
            try:
                await gate.passed()
            finally:
                cleaned.append(progress.call_id)
            return Outcome("never")

        tool = SmallTool("look_up", "read", work)
        made = (CallPart("c0", "look_up"), LOOK, CallPart("c2", "put"))
        tools = (tool, SmallTool("put", "write", answered))
        async with staged(tmp_path, calls(*made), tools=tools) as s:
            await s.cancelled_at(gate.reached)
            assert cleaned == ["c1"]
            assert _statuses(s) == ["completed", "cancelled", "cancelled"]
            told = await _goes_on(s)
            assert told[2] == ToolMessage(
                (
                    ToolResult("c0", "look_up", "quick"),
                    ToolResult("c1", "look_up", CANCELLED, is_error=True),
                    ToolResult("c2", "put", CANCELLED, is_error=True),
                )
            )

    asyncio.run(scenario())


def test_cancelling_between_two_answers_keeps_both_sides(tmp_path: Path) -> None:
    async def scenario() -> None:
        gate = Gate()
        tool = SmallTool("look_up", "read", answered)
        async with staged(tmp_path, calls(LOOK), [gate], tools=(tool,)) as s:
            await s.cancelled_at(gate.reached)
            told = await _goes_on(s)
            assert told[2] == ToolMessage((ToolResult("c1", "look_up", "done 7"),))

    asyncio.run(scenario())


def test_cancelling_while_waiting_for_another_try_ends_the_wait(tmp_path: Path) -> None:
    async def scenario() -> None:
        gate = Gate()

        async def sleep(seconds: float) -> None:
            if seconds >= 0.5:  # The list of models is waited for, too, and not that long.
                await gate.passed()

        async with staged(tmp_path, [TextDelta("a"), failing()]) as s:
            s.clock.sleep = sleep
            await s.cancelled_at(gate.reached)
            told = await _goes_on(s)
            assert told[1] == AgentMessage((TextPart("a"),))

    asyncio.run(scenario())


def test_a_cancelled_turn_is_stored_as_cancelled_with_what_it_used(tmp_path: Path) -> None:
    async def scenario() -> None:
        gate = Gate()
        tool = SmallTool("look_up", "read", answered)
        async with staged(tmp_path, calls(LOOK), [gate], tools=(tool,)) as s:
            await s.cancelled_at(gate.reached)
            ending = await _last_ending(s)
            assert ending == Ending("cancelled", TurnUsage(15, 10, 5, 0, 0, 0))

    asyncio.run(scenario())


def test_cancelling_at_the_last_moment_still_tells_everything_before_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        gate = Gate()
        flush = SessionLog.flush

        async def late(self: SessionLog, *, durable: bool = False) -> None:
            if durable and not gate.reached.is_set():
                await gate.passed()
            await flush(self, durable=durable)

        async with staged(tmp_path, says("ok")) as s:
            with monkeypatch.context() as patched:
                patched.setattr(SessionLog, "flush", late)
                await s.cancelled_at(gate.reached)
            assert [e.content for e in s.events if isinstance(e, ChunkAdded)] == [Text("ok")]

    asyncio.run(scenario())
