"""Showing and choosing the model and the mode, and showing permissions."""

import asyncio
from pathlib import Path

from parley.coder.permission.rule import parse_rules
from parley.coder.providers.provider import ModelInfo
from parley.coder.store.entry import Remembered
from parley.session.content import Text
from parley.session.event import ChunkAdded, OptionsChanged
from tests.coder.stage import Stage, option, staged

MODELS = tuple(ModelInfo(f"m-{number}", name=f"Number {number}") for number in range(70))


def _last(stage: Stage) -> str:
    chunks = [e for e in stage.events if isinstance(e, ChunkAdded)]
    assert isinstance(chunks[-1].content, Text)
    return chunks[-1].content.text


def test_a_mode_is_shown_and_chosen_for_good(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path) as stage:
            await stage.say("/mode")
            assert "The mode is `ask`." in _last(stage)
            assert "- `ask` (current): Reads freely" in _last(stage)
            await stage.say("/mode plan")
            assert _last(stage) == "The mode is `plan` now."
            told = [e for e in stage.events if isinstance(e, OptionsChanged)]
            assert option(told[-1].options, "mode").current == "plan"
            await stage.again()
            setup = await stage.load()
            assert option(setup.options, "mode").current == "plan"

    asyncio.run(scenario())


def test_a_model_is_found_by_what_people_call_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, models=MODELS) as stage:
            session = stage.application.sessions.get(stage.session_id)
            for typed, found in [
                ("played/m-1", "played/m-1"),
                ("m-2", "played/m-2"),
                ("number 3", "played/m-3"),
                ("M-44", "played/m-44"),
                ("-69", "played/m-69"),
            ]:
                await stage.say(f"/model {typed}")
                assert session.chosen.model == found

    asyncio.run(scenario())


def test_an_unclear_or_unknown_choice_changes_nothing(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, models=MODELS) as stage:
            session = stage.application.sessions.get(stage.session_id)
            before = session.chosen
            await stage.say("/model -6")
            assert "More than one model is called `-6`" in _last(stage)
            await stage.say("/mode yolo")
            assert "No mode is called `yolo`" in _last(stage)
            assert "- `full-access`" in _last(stage)
            await stage.say("/model")
            assert "more" in _last(stage)
            assert session.chosen == before

    asyncio.run(scenario())


def test_permissions_show_mode_rules_and_answers(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path) as stage:
            await stage.say("/permissions")
            assert _last(stage).count("- none") == 2
            stage.runtime.rules = parse_rules("deny bash:git push *")
            session = stage.application.sessions.get(stage.session_id)
            session.append(Remembered(True, "bash", "git commit"), Remembered(False, "web_fetch"))
            await stage.say("/permissions")
            said = _last(stage)
            assert "- `ask` (current)" in said
            assert "- `deny bash:git push *`" in said
            assert "- `allow bash:git commit`" in said
            assert "- `deny web_fetch`" in said

    asyncio.run(scenario())
