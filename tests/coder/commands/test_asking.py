"""Commands that ask the model something."""

import asyncio
from pathlib import Path

from parley.coder.message import TextPart, UserMessage
from parley.session.content import Text
from parley.session.event import ChunkAdded
from tests.coder.commands.checkout import checkout
from tests.coder.stage import Stage, says, staged


def _asked(stage: Stage) -> str:
    message = stage.provider.requests[-1].messages[-1]
    assert isinstance(message, UserMessage)
    assert isinstance(message.content[0], TextPart)
    return message.content[0].text


def _last(stage: Stage) -> str:
    chunks = [e for e in stage.events if isinstance(e, ChunkAdded)]
    assert isinstance(chunks[-1].content, Text)
    return chunks[-1].content.text


def test_init_asks_for_a_file_with_instructions(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, says("done"), says("done")) as stage:
            await stage.say("/init")
            assert "`AGENTS.md`" in _asked(stage)
            assert "The user adds" not in _asked(stage)
            await stage.say("/init in French")
            assert _asked(stage).endswith("The user adds: in French")

    asyncio.run(scenario())


def test_a_review_gets_the_changes_as_data(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, says("fine")) as stage:
            checkout(stage.project, {"a.py": "one = 1\n"})
            (stage.project / "a.py").write_text("one = 2\n```\n", encoding="utf-8")
            await stage.say("/review for typos")
            asked = _asked(stage)
            assert "The user adds: for typos" in asked
            assert "+one = 2" in asked
            assert asked.endswith("\n````")

    asyncio.run(scenario())


def test_a_review_of_nothing_asks_nobody(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path) as stage:
            await stage.say("/review")
            assert "not in a git repository" in _last(stage)
            checkout(stage.project, {"a.py": "one = 1\n"})
            await stage.say("/review")
            assert "nothing to review" in _last(stage)
            assert stage.provider.requests == []

    asyncio.run(scenario())
