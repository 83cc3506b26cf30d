"""What the model forgets, and what its user keeps."""

import asyncio
from pathlib import Path

from parley.coder.message import TextPart, UserMessage
from parley.session.content import Text
from parley.session.event import ChunkAdded, MessageChanged, PlanChanged, PlanRemoved, UsageChanged
from parley.session.option import MAIN_PLAN, PlanItems
from tests.coder.stage import Stage, says, staged


def _last(stage: Stage) -> str:
    chunks = [e for e in stage.events if isinstance(e, ChunkAdded)]
    assert isinstance(chunks[-1].content, Text)
    return chunks[-1].content.text


def test_a_cleared_conversation_is_gone_for_the_model_and_kept_for_the_client(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, says("one"), says("two")) as stage:
            await stage.say("first")
            session = stage.application.sessions.get(stage.session_id)
            session.desk.seen["a"] = "b"
            session.tell(PlanChanged(MAIN_PLAN, PlanItems(())))
            await stage.say("/clear")
            assert session.desk.seen == {}
            assert PlanRemoved(MAIN_PLAN) in stage.events
            assert any(isinstance(e, UsageChanged) for e in stage.events)
            await stage.again()
            await stage.load()
            assert stage.application.sessions.get(stage.session_id).history.plans == {}
            prompts = [e for e in stage.events if isinstance(e, MessageChanged)]
            assert [e.content for e in prompts] == [(Text("first"),), (Text("/clear"),)]
            await stage.say("second")
            assert stage.provider.requests[-1].messages == (UserMessage((TextPart("second"),)),)

    asyncio.run(scenario())


def test_a_short_conversation_is_not_summarised(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path) as stage:
            await stage.say("/compact")
            assert "short already" in _last(stage)
            assert stage.provider.requests == []

    asyncio.run(scenario())


def test_a_summary_takes_the_place_of_the_conversation(tmp_path: Path) -> None:
    async def scenario() -> None:
        long = "word " * 12_000
        answers = (says(long), says(long), says("THE SUMMARY"), says("fine"))
        async with staged(tmp_path, *answers) as stage:
            await stage.say("first")
            await stage.say("second")
            ending = await stage.say("/compact keep the names")
            assert ending.usage is not None
            assert "summary of the conversation" in _last(stage)
            asked = str(stage.provider.requests[-1].messages)
            assert "keep the names" in asked
            await stage.say("third")
            given = str(stage.provider.requests[-1].messages)
            assert "THE SUMMARY" in given
            assert len(given) < 2 * len(long)

    asyncio.run(scenario())
