"""What a compaction means for the turn it happens in."""

import asyncio
from pathlib import Path

from parley.coder.message import CallPart
from parley.coder.providers.provider import ModelInfo, TextDelta
from parley.coder.settings import CoderSettings
from parley.coder.store.entry import Said
from parley.coder.turn import GO_ON
from tests.coder.conversations import agent, steps, user
from tests.coder.stage import SmallTool, Step, answered, calls, failing, says, staged
from tests.coder.test_compaction import (
    KEPT,
    LONG,
    SMALL,
    compactions,
    fill,
    opened,
    summaries,
    turns,
)

REFUSED: list[Step] = [failing("too long", retryable=False, kind="context")]
LARGE = (ModelInfo("one", context_window=1_000_000),)


def test_instructions_that_changed_are_read_again(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, *turns(KEPT, says("four")), models=(SMALL,)) as stage:
            await fill(stage, 3)
            (stage.project / "AGENTS.md").write_text("Use tabs.")
            await stage.say(LONG, message_id="last")
            seen = ["Use tabs." in request.system for request in stage.provider.requests]
            assert seen == [False, False, False, False, True]

    asyncio.run(scenario())


def test_a_conversation_is_shortened_once_for_one_answer(tmp_path: Path) -> None:
    async def scenario() -> None:
        answers = (REFUSED, KEPT, REFUSED, KEPT, REFUSED)
        async with staged(tmp_path, *answers, models=LARGE) as stage:
            opened(stage).append(*map(Said, steps(100)))
            assert (await stage.say()).stop_reason == "error"
            assert len(summaries(stage)) == 1
            assert len(stage.provider.requests) == 3

    asyncio.run(scenario())


def test_text_that_was_seen_before_the_refusal_stays_in_the_conversation(tmp_path: Path) -> None:
    async def scenario() -> None:
        begun: list[Step] = [TextDelta("Half"), *REFUSED]
        async with staged(tmp_path, begun, KEPT, says(" done."), models=LARGE) as stage:
            opened(stage).append(*map(Said, steps(100)))
            assert (await stage.say()).stop_reason == "end_turn"
            assert compactions(stage)[-1][0] == "completed"
            assert stage.provider.requests[-1].messages[-2:] == (agent("Half"), user(GO_ON))

    asyncio.run(scenario())


def test_the_request_for_a_summary_counts_for_the_limit_of_a_turn(tmp_path: Path) -> None:
    async def scenario() -> None:
        look = calls(CallPart("c1", "look"))
        async with staged(
            tmp_path,
            *turns(KEPT, look),
            models=(SMALL,),
            settings=CoderSettings(max_requests=2),
            tools=(SmallTool("look", "read", answered),),
        ) as stage:
            await fill(stage, 3)
            assert (await stage.say(LONG, message_id="last")).stop_reason == "max_turn_requests"

    asyncio.run(scenario())
