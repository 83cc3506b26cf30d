"""The request that the model gets next."""

import asyncio
from pathlib import Path

from msgspec.structs import replace

from parley.coder.message import CallPart
from parley.coder.providers.provider import ModelInfo
from parley.coder.settings import CoderSettings, PromptSize
from tests.coder.stage import SmallTool, Stage, answered, calls, says, staged


def test_instructions_of_the_user_and_the_project_are_in_every_request(tmp_path: Path) -> None:
    async def scenario() -> None:
        settings = CoderSettings(instructions="Answer in rhymes.")
        async with staged(tmp_path, says("a"), says("b"), settings=settings) as stage:
            (stage.project / "AGENTS.md").write_text("Use tabs.")
            await stage.say()
            await stage.say(message_id="second")
            first, second = (request.system for request in stage.provider.requests)
            assert first == second
            assert "Answer in rhymes." in first
            assert "Use tabs." in first

    asyncio.run(scenario())


def test_nested_instructions_come_with_the_first_call_there_and_survive_a_load(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        made = calls(CallPart("c1", "look", {"path": "src/a.py"}))
        tool = SmallTool("look", "read", answered)
        async with staged(tmp_path, made, says("a"), says("b"), tools=(tool,)) as stage:
            (stage.project / "src").mkdir()
            (stage.project / "src/AGENTS.md").write_text("Use tabs.")
            await stage.say()
            await stage.again()
            await stage.load()
            await stage.say(message_id="second")
            seen = ["Use tabs." in request.system for request in stage.provider.requests]
            assert seen == [False, True, True]

    asyncio.run(scenario())


def test_instructions_take_a_tenth_of_the_window_at_most(tmp_path: Path) -> None:
    def taken(window: int, size: PromptSize = "full") -> int:
        async def scenario() -> int:
            folder = tmp_path / f"{window}-{size}"
            folder.mkdir()
            settings = CoderSettings(prompt_size=size)
            model = ModelInfo("one", context_window=window)
            async with staged(folder, says("a"), settings=settings, models=(model,)) as stage:
                (stage.project / "AGENTS.md").write_text("ÿ" * 16_000)
                await stage.say()
                return stage.provider.requests[0].system.count("ÿ")

        return asyncio.run(scenario())

    assert taken(10_000) == 4_000
    assert taken(10_000, "small") == 1_000
    assert taken(1_000_000) == 16_000


def test_a_request_is_what_the_session_has_chosen(tmp_path: Path) -> None:
    async def scenario() -> None:
        tool = SmallTool("look", "read", answered)
        settings = CoderSettings(thought_level="low")
        models = (ModelInfo("one", thinking=True),)
        async with staged(
            tmp_path, says("a"), tools=(tool,), settings=settings, models=models
        ) as stage:
            await stage.say()
            _check(stage)

    asyncio.run(scenario())


def _check(stage: Stage) -> None:
    (request,) = stage.provider.requests
    assert request.cache_key == stage.session_id
    assert request.thought_level == "low"
    assert [tool.name for tool in request.tools] == ["look"]
    assert request.model == replace(ModelInfo("one"), thinking=True)
