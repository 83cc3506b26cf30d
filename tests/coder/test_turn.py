"""What the model says in one turn, and what happens when it fails."""

import asyncio
from pathlib import Path

import pytest

from parley.coder.catalogue import Catalogue
from parley.coder.message import AgentMessage, CallPart, TextPart, UserMessage
from parley.coder.providers.provider import (
    Answer,
    CallBegun,
    ModelInfo,
    ModelUsage,
    TextDelta,
    ThoughtDelta,
)
from parley.coder.settings import CoderSettings, RetryLimits
from parley.coder.turn import CUT_OFF, GO_ON
from parley.session.content import ContentItem, Text
from parley.session.event import (
    REPEATS_FAILURE,
    ChunkAdded,
    Cost,
    Event,
    NoticeGiven,
    ToolCallChanged,
    TurnUsage,
    UsageChanged,
)
from tests.coder.stage import (
    SmallTool,
    Stage,
    Step,
    Watcher,
    answered,
    calls,
    failing,
    says,
    staged,
)

PRICED = ModelInfo("one", context_window=1_000, price_input=1e6, price_output=2e6, price_cached=0.0)


def _spoken(stage: Stage) -> list[Event]:
    return [e for e in stage.events if isinstance(e, ChunkAdded | NoticeGiven | ToolCallChanged)]


def test_a_model_that_is_busy_is_asked_again_and_each_wait_is_seen(tmp_path: Path) -> None:
    async def scenario() -> None:
        busy = failing("The model is busy\nhint: wait", kind="limit")
        asked = failing("Slow down.", retry_after=7.0)
        async with staged(tmp_path, [busy], [asked], says("Here.")) as s:
            slept_before = len(s.clock.slept)
            assert (await s.say()).stop_reason == "end_turn"
            assert sorted(s.clock.slept[slept_before:])[-2:] == [0.5, 7.0]
            assert _spoken(s) == [
                NoticeGiven("The model is busy. Trying again in 0.5 s (try 2 of 5).", "warning"),
                NoticeGiven("Slow down. Trying again in 7 s (try 3 of 5).", "warning"),
                ChunkAdded("agent", Text("Here."), "id-2"),
            ]

    asyncio.run(scenario())


def test_text_that_the_client_saw_is_not_said_twice_after_a_drop(tmp_path: Path) -> None:
    async def scenario() -> None:
        dropped: list[Step] = [TextDelta("The ans"), TextDelta("wer "), failing("Lost.")]
        async with staged(tmp_path, dropped, says("is 42.")) as s:
            await s.say()
            assert s.provider.requests[1].messages[1:] == (
                AgentMessage((TextPart("The answer "),)),
                UserMessage((TextPart(GO_ON),)),
            )
            chunks = [e for e in s.events if isinstance(e, ChunkAdded)]
            assert chunks == [
                ChunkAdded("agent", Text("The ans"), "id-2"),
                ChunkAdded("agent", Text("wer "), "id-2"),
                ChunkAdded("agent", Text("is 42."), "id-2"),
            ]

    asyncio.run(scenario())


def test_thoughts_and_calls_of_a_dropped_answer_are_begun_anew(tmp_path: Path) -> None:
    async def scenario() -> None:
        dropped: list[Step] = [ThoughtDelta("hm"), CallBegun("c1", "look"), failing("Lost.")]
        again = [ThoughtDelta("well"), *calls(CallPart("c1", "look"))]
        tool = SmallTool("look", "read", answered)
        async with staged(tmp_path, dropped, again, says("ok"), tools=(tool,)) as s:
            await s.say()
            assert len(s.provider.requests[1].messages) == 1
            spoken = _spoken(s)
            assert spoken[2] == ToolCallChanged(
                "c1",
                status="failed",
                content=(ContentItem(Text(CUT_OFF)),),
                raw_output=CUT_OFF,
            )
            assert [e.message_id for e in spoken if isinstance(e, ChunkAdded)] == [
                "id-2",
                "id-3",
                "id-4",
            ]
            ids = {e.id for e in spoken if isinstance(e, ToolCallChanged)}
            assert ids == {"c1", "c1-2"}

    asyncio.run(scenario())


def test_a_stream_that_ends_without_an_answer_is_a_failure_to_try_again(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, [], says("ok")) as s:
            assert (await s.say()).stop_reason == "end_turn"
            assert len(s.provider.requests) == 2

    asyncio.run(scenario())


def test_trying_ends_after_five_requests(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, *([failing("Busy.")] for _ in range(5))) as s:
            ending = await s.say()
            assert ending.stop_reason == "error"
            assert ending.failure is not None
            assert ending.failure.message == "Busy."
            assert s.provider.answers == []
            assert _spoken(s)[-1] == ChunkAdded(
                "agent", Text("Busy."), "id-2", {REPEATS_FAILURE: True}
            )

    asyncio.run(scenario())


def test_limits_of_retries_come_from_the_settings(tmp_path: Path) -> None:
    async def scenario() -> None:
        settings = CoderSettings(retry=RetryLimits(tries=1))
        async with staged(tmp_path, [failing()], settings=settings) as s:
            assert (await s.say()).stop_reason == "error"

    asyncio.run(scenario())


def test_thoughts_and_text_have_messages_of_their_own(tmp_path: Path) -> None:
    async def scenario() -> None:
        message = AgentMessage((TextPart("ab"),))
        steps: list[Step] = [
            ThoughtDelta("t"),
            TextDelta("a"),
            TextDelta(""),
            TextDelta("b"),
            ThoughtDelta(""),
            Answer(message, "end", ModelUsage()),
        ]
        async with staged(tmp_path, steps) as s:
            await s.say()
            assert _spoken(s) == [
                ChunkAdded("thought", Text("t"), "id-2"),
                ChunkAdded("agent", Text("a"), "id-3"),
                ChunkAdded("agent", Text("b"), "id-3"),
            ]

    asyncio.run(scenario())


def test_an_answer_that_was_not_streamed_is_told_whole(tmp_path: Path) -> None:
    async def scenario() -> None:
        whole = Answer(AgentMessage((TextPart("all"),)), "end", ModelUsage())
        call = Answer(AgentMessage((CallPart("c1", "look"),)), "tool_calls", ModelUsage())
        tool = SmallTool("look", "read", answered)
        async with staged(tmp_path, [call], [whole], tools=(tool,)) as s:
            await s.say()
            spoken = _spoken(s)
            assert spoken[0] == ToolCallChanged(
                "c1", title="Look", name="look", kind="read", status="pending"
            )
            assert spoken[-1] == ChunkAdded("agent", Text("all"), "id-2")

    asyncio.run(scenario())


def test_calls_with_the_same_id_are_told_apart(tmp_path: Path) -> None:
    async def scenario() -> None:
        tool = SmallTool("look", "read", answered)
        same = (CallPart("call", "look", {"n": 1}), CallPart("call", "look", {"n": 2}))
        more = calls(CallPart("call", "look", {"n": 3}), CallPart("", "look", {"n": 4}))
        async with staged(tmp_path, calls(*same), more, says("ok"), tools=(tool,)) as s:
            await s.say()
            made = [m for m in s.provider.requests[-1].messages if isinstance(m, AgentMessage)]
            assert [[(c.id, c.arguments["n"]) for c in m.calls] for m in made] == [
                [("call", 1), ("call-2", 2)],
                [("call-3", 3), ("call-4", 4)],
            ]

    asyncio.run(scenario())


def test_a_call_that_was_begun_and_never_made_is_closed(tmp_path: Path) -> None:
    async def scenario() -> None:
        steps: list[Step] = [CallBegun("c1", "look"), *says("never mind")]
        async with staged(tmp_path, steps) as s:
            await s.say()
            changes = [e for e in s.events if isinstance(e, ToolCallChanged)]
            assert [each.status for each in changes] == ["pending", "failed"]

    asyncio.run(scenario())


def test_every_request_counts_and_the_cost_adds_up(tmp_path: Path) -> None:
    async def scenario() -> None:
        tool = SmallTool("look", "read", answered)
        first = ModelUsage(1_000, 100, 50, 400, 0)
        second = ModelUsage(2_000, 200, 0, 1_000, 0)
        turns = (calls(CallPart("c1", "look"), usage=first), says("ok", usage=second))
        async with staged(tmp_path, *turns, says("ok"), tools=(tool,), models=(PRICED,)) as s:
            ending = await s.say()
            assert ending.usage == TurnUsage(3_300, 3_000, 300, 50, 1_400, 0)
            usages = [e for e in s.events if isinstance(e, UsageChanged)]
            assert usages == [
                UsageChanged(1_100, 1_000, Cost(800.0, "USD")),
                UsageChanged(2_200, 1_000, Cost(2_200.0, "USD")),
            ]
            await s.again()
            await s.load()
            await s.say()
            usages = [e for e in s.events if isinstance(e, UsageChanged)]
            assert usages[-1] == UsageChanged(15, 1_000, Cost(2_220.0, "USD"))

    asyncio.run(scenario())


def test_the_request_says_what_the_options_say(tmp_path: Path) -> None:
    async def scenario() -> None:
        thinks = ModelInfo("one", thinking=True)
        plain = ModelInfo("two")
        tool = SmallTool("look", "read", answered)
        turns = (says("1"), says("2"))
        async with staged(tmp_path, *turns, tools=(tool,), models=(thinks, plain)) as s:
            await s.application.set_option(s.session_id, "thought_level", "high")
            await s.application.set_option(s.session_id, "prompt_size", "small")
            await s.say()
            await s.application.set_option(s.session_id, "model", "played/two")
            await s.application.set_option(s.session_id, "mode", "plan")
            await s.say()
            first, second = s.provider.requests
            assert (first.model, first.thought_level) == (thinks, "high")
            assert (second.model, second.thought_level) == (plain, "off")
            assert first.cache_key == second.cache_key == s.session_id
            assert first.tools == (tool.spec,)
            assert second.system.startswith(first.system)
            assert "plan mode" in second.system

    asyncio.run(scenario())


@pytest.mark.parametrize("model", ["played/", "gone/model"])
def test_a_session_without_a_model_says_what_to_do(tmp_path: Path, model: str) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, client=Watcher()) as s:
            s.provider.known = ()
            s.runtime.catalogue = Catalogue(s.runtime.catalogue.providers)
            s.runtime.settings = CoderSettings(default_model=model)
            ending = await s.say()
            assert ending.failure is not None
            assert f"No model is known for `{model}`." in ending.failure.message
            assert "`parley doctor`" in ending.failure.message

    asyncio.run(scenario())
