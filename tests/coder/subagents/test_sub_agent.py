"""One sub-agent: what it knows, what its session sees of it, and how it ends."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from parley.coder.message import TextPart, ToolResult, UserMessage
from parley.coder.providers.provider import ModelInfo, ModelUsage, StopCause
from parley.coder.settings import CoderSettings, SubagentLimits
from parley.coder.tools.recall import Recall
from parley.coder.tools.tool import Outcome, Progress
from parley.session.content import ContentItem, Text
from parley.session.event import (
    PARENT_CALL,
    ChunkAdded,
    CompactionChanged,
    Cost,
    ToolCallChanged,
    TurnUsage,
    UsageChanged,
)
from tests.coder.stage import SmallTool, Step, answered, calls, failing, says
from tests.coder.subagents.stage import (
    FREE,
    agent,
    call,
    cast_stage,
    notices,
    played,
    shown,
    told,
)

LOOK = SmallTool("look", "read", answered)
START = calls(agent("a1", "search"))


def test_it_starts_without_the_conversation_and_gives_only_its_report(tmp_path: Path) -> None:
    async def scenario() -> None:
        search = (calls(call("c1", "look", n=1), text="I look."), says("It is there."))
        async with cast_stage(
            tmp_path, LOOK, parts=played(go=(START, says("ok")), search=search)
        ) as (s, cast):
            (s.project / "AGENTS.md").write_text("Use tabs.")
            assert (await s.say()).stop_reason == "end_turn"
            first = cast.asked("search")[0]
            assert first.messages == (UserMessage((TextPart("search"),)),)
            assert "You are a sub-agent" in first.system
            assert "You may make 50 requests" in first.system
            assert "You are a sub-agent" not in cast.asked("go")[0].system
            assert "Use tabs." in first.system
            assert str(s.project) in first.system
            assert [tool.name for tool in first.tools] == ["look"]
            assert cast.results() == (ToolResult("a1", "agent", "It is there."),)
            assert "I look." not in str(cast.asked("go")[-1].messages)
            keys = {request.cache_key for request in cast.requests}
            assert len(keys) == 2

    asyncio.run(scenario())


def test_its_calls_are_calls_of_the_session_that_name_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        # The model of the sub-agent uses an id that the session has used already.
        search = (calls(call("a1", "look", n=1), text="I look."), says("It is there."))
        async with cast_stage(
            tmp_path, LOOK, parts=played(go=(START, says("ok")), search=search)
        ) as (s, _):
            await s.say()
            nested = told(s, "a1-2")
            assert nested["title"] == "Search: Do look"
            assert nested["meta"] == {PARENT_CALL: "a1"}
            assert (nested["status"], nested["raw_output"]) == ("completed", "done 1")
            own = [e.content for e in s.events if isinstance(e, ToolCallChanged) and e.id == "a1"]
            texts = [content[0] for content in own if isinstance(content, tuple)]
            assert texts == [ContentItem(Text("I look.")), ContentItem(Text("It is there."))]
            said = [e.content for e in s.events if isinstance(e, ChunkAdded)]
            assert said == [Text("ok")]

    asyncio.run(scenario())


def test_what_was_told_is_told_again_when_the_session_is_loaded(tmp_path: Path) -> None:
    async def scenario() -> None:
        search = (calls(call("c1", "look", n=1), text="I look."), says("It is there."))
        async with cast_stage(
            tmp_path, LOOK, parts=played(go=(START, says("ok")), search=search)
        ) as (s, _):
            await s.say()
            live = [e for e in s.events if isinstance(e, ToolCallChanged)]
            await s.again()
            await s.load()
            assert [e for e in s.events if isinstance(e, ToolCallChanged)] == live

    asyncio.run(scenario())


def test_all_it_uses_counts_for_the_turn_and_the_session(tmp_path: Path) -> None:
    async def scenario() -> None:
        priced = (ModelInfo("one", price_input=1e6, price_output=0.0),)
        search = (
            calls(call("c1", "look"), usage=ModelUsage(2, 1)),
            says("found", usage=ModelUsage(4, 1)),
        )
        go = (
            calls(agent("a1", "search"), usage=ModelUsage(1, 1)),
            says("ok", usage=ModelUsage(8, 1)),
        )
        async with cast_stage(
            tmp_path, LOOK, models=priced, parts=played(go=go, search=search)
        ) as (s, _):
            ending = await s.say()
            assert ending.usage == TurnUsage(19, 15, 4, 0, 0, 0)
            history = s.application.sessions.get(s.session_id).history
            assert (history.cost, history.usage) == (15.0, ModelUsage(15, 4))
            # The context is that of the session, and the cost is that of everybody.
            usage = [e for e in s.events if isinstance(e, UsageChanged)]
            assert [(e.used, e.cost) for e in usage] == [
                (2, Cost(1.0, "USD")),
                (2, Cost(3.0, "USD")),
                (2, Cost(7.0, "USD")),
                (9, Cost(15.0, "USD")),
            ]

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("settings", "arguments", "reason"),
    [
        (
            replace(FREE, subagents=SubagentLimits(requests=2)),
            {"max_rounds": 9},
            "It made 2 requests to the model, which is its limit (`subagent_requests`).",
        ),
        (
            FREE,
            {"max_rounds": 2},
            "It made 2 requests to the model, which is its limit (`max_rounds`).",
        ),
        (
            replace(FREE, subagents=SubagentLimits(tokens=30)),
            {},
            "It used 30 tokens, and its limit is 30 (`subagent_tokens`).",
        ),
        (
            replace(FREE, max_requests=3),
            {},
            "This turn has made 3 requests to the model, which is the limit (`max_requests`)."
            " Send another message to go on.",
        ),
    ],
)
def test_a_limit_ends_it_and_is_named(
    tmp_path: Path, settings: CoderSettings, arguments: dict[str, int], reason: str
) -> None:
    async def scenario() -> None:
        start = calls(agent("a1", "search", **arguments))
        search = [calls(call("c1", "look"), text=text) for text in ("first", "second", "third")]
        async with cast_stage(
            tmp_path, LOOK, settings=settings, parts=played(go=(start, says("ok")), search=search)
        ) as (s, cast):
            await s.say()
            assert len(cast.asked("search")) == 2
            end = told(s, "a1")
            assert end["status"] == "failed"
            assert end["raw_output"] == (
                f"The sub-agent did not finish. {reason}\n\nWhat it said last:\nsecond"
            )

    asyncio.run(scenario())


def test_the_budget_of_the_session_holds_for_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        priced = (ModelInfo("one", price_input=1e5, price_output=0.0),)
        settings = replace(FREE, budget=2.0)
        search = [calls(call("c1", "look"))] * 2
        async with cast_stage(
            tmp_path,
            LOOK,
            settings=settings,
            models=priced,
            parts=played(go=(START,), search=search),
        ) as (s, cast):
            assert (await s.say()).stop_reason == "max_turn_requests"
            assert len(cast.asked("search")) == 1
            assert "its budget is $2" in told(s, "a1")["raw_output"]

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        ([failing("no such key", retryable=False)], "The sub-agent did not finish. no such key"),
        (
            says("half", cause="max_tokens"),
            "The sub-agent did not finish. Its answer was cut off at the output limit of the"
            " model.\n\nWhat it said last:\nhalf",
        ),
        (says("", cause="refusal"), "The sub-agent did not finish. The model refused to go on."),
    ],
)
def test_one_that_fails_is_a_failed_call_with_the_reason(
    tmp_path: Path, steps: list[Step], text: str
) -> None:
    async def scenario() -> None:
        start = calls(agent("a1", "search"), agent("a2", "other"))
        parts = {"search": (steps,), "other": (says("fine"),)}
        async with cast_stage(tmp_path, LOOK, parts=played(go=(start, says("ok")), **parts)) as (
            s,
            cast,
        ):
            assert (await s.say()).stop_reason == "end_turn"
            assert cast.results() == (
                ToolResult("a1", "agent", text, is_error=True),
                ToolResult("a2", "agent", "fine"),
            )
            assert shown(s) == [("Agent: Search", "failed"), ("Agent: Other", "completed")]

    asyncio.run(scenario())


def test_one_that_says_nothing_is_done_all_the_same(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with cast_stage(
            tmp_path, LOOK, parts=played(go=(START, says("ok")), search=(says(""),))
        ) as (s, c):
            await s.say()
            assert c.results()[0].text == "The sub-agent ended without a word."

    asyncio.run(scenario())


def test_a_model_that_fails_for_the_moment_is_asked_again_in_its_name(tmp_path: Path) -> None:
    async def scenario() -> None:
        search = ([*says("The first half ")[:1], failing("down")], says("and the second."))
        async with cast_stage(
            tmp_path, LOOK, parts=played(go=(START, says("ok")), search=search)
        ) as (s, cast):
            await s.say()
            assert notices(s) == ["Search: down. Trying again in 0.5 s (try 2 of 5)."]
            assert cast.results()[0].text == "The first half and the second."

    asyncio.run(scenario())


def test_a_call_that_it_never_finished_to_write_is_closed(tmp_path: Path) -> None:
    async def scenario() -> None:
        begun = calls(call("c1", "look"))[:-1]
        search = ([*begun, failing("gone", retryable=False)],)
        async with cast_stage(
            tmp_path, LOOK, parts=played(go=(START, says("ok")), search=search)
        ) as (s, _):
            await s.say()
            assert shown(s) == [("Agent: Search", "failed"), ("Search: Look", "failed")]

    asyncio.run(scenario())


@pytest.mark.parametrize("cause", ["max_tokens", "refusal"])
def test_calls_of_an_answer_that_was_cut_off_do_not_run(tmp_path: Path, cause: StopCause) -> None:
    async def scenario() -> None:
        look = SmallTool("look", "read", answered)
        search = (calls(call("c1", "look"), cause=cause),)
        async with cast_stage(
            tmp_path, look, parts=played(go=(START, says("ok")), search=search)
        ) as (s, _):
            await s.say()
            assert look.ran == []
            assert shown(s) == [("Agent: Search", "failed"), ("Search: Look", "failed")]

    asyncio.run(scenario())


def test_its_conversation_is_made_shorter_and_the_session_s_is_not(tmp_path: Path) -> None:
    async def scenario() -> None:
        async def work(arguments: Mapping[str, Any], progress: Progress) -> Outcome:
            return Outcome(f"pebble {arguments['n']} " + "gravel " * 800)

        small = (ModelInfo("one", context_window=8_000, max_output=500),)
        parts = {
            "search": (
                *(calls(call(f"c{n}", "look", n=n)) for n in range(12)),
                calls(call("r", "recall", query="pebble 3")),
                says("found"),
            ),
            "Write the summary": (says("a summary"),) * 12,
        }
        look = SmallTool("look", "read", work)
        async with cast_stage(
            tmp_path, look, Recall(), models=small, parts=played(go=(START, says("ok")), **parts)
        ) as (s, cast):
            await s.say()
            assert cast.results()[0].text == "found"
            assert len(cast.asked("Write the summary")) > 0
            assert not any(isinstance(e, CompactionChanged) for e in s.events)
            assert "pebble 3 gravel" in told(s, "r")["raw_output"]
            assert len(cast.asked("go")[-1].messages) == 3

    asyncio.run(scenario())


def test_what_cannot_be_made_shorter_ends_it_with_the_reason(tmp_path: Path) -> None:
    async def scenario() -> None:
        search = ([failing("The conversation is too long.", retryable=False, kind="context")],)
        async with cast_stage(
            tmp_path, LOOK, parts=played(go=(START, says("ok")), search=search)
        ) as (s, cast):
            await s.say()
            text = "The sub-agent did not finish. The conversation is too long."
            assert cast.results() == (ToolResult("a1", "agent", text, is_error=True),)

    asyncio.run(scenario())
