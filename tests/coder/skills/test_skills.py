"""Skills in a session: told to the model, loaded by it, typed by the user, trusted."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from parley.coder.message import CallPart, TextPart, ToolMessage, UserMessage
from parley.coder.settings import CoderSettings
from parley.coder.skills import skills as module
from parley.coder.skills.skills import Skills
from parley.session.content import Text
from parley.session.event import ChunkAdded, CommandsChanged, NoticeGiven
from tests.coder.skills.folders import add_skill
from tests.coder.stage import BOUND, Stage, Step, Watcher, calls, choosing, says, staged

LOAD = calls(CallPart("c1", "skill", {"name": "ant"}))


def with_skills(
    folder: Path, *answers: Sequence[Step], client: Watcher | None = None
) -> AbstractAsyncContextManager[Stage]:
    settings = CoderSettings(skill_folders=(str(folder / "own"),))
    return staged(folder, *answers, settings=settings, client=client)


def slow(folder: Path, sleep: Callable[[float], Awaitable[None]]) -> Skills:
    def told(title: str, fix: str) -> None:
        raise AssertionError(title)

    def changed() -> None:
        raise AssertionError("nothing was found")

    return Skills((str(folder),), "/", notify=told, changed=changed, sleep=sleep)


def said(stage: Stage) -> str:
    return "".join(
        event.content.text
        for event in stage.events
        if isinstance(event, ChunkAdded) and isinstance(event.content, Text)
    )


def notices(stage: Stage) -> list[str]:
    return [event.title for event in stage.events if isinstance(event, NoticeGiven)]


def result(stage: Stage) -> str:
    last = stage.provider.requests[-1].messages[-1]
    assert isinstance(last, ToolMessage)
    return last.results[0].text


def asked(stage: Stage) -> str:
    last = stage.provider.requests[-1].messages[-1]
    assert isinstance(last, UserMessage)
    part = last.content[0]
    assert isinstance(part, TextPart)
    return part.text


def test_the_model_is_told_of_skills_and_loads_one(tmp_path: Path) -> None:
    add_skill(tmp_path / "own", "ant", "Walk in a line.")
    add_skill(tmp_path / "own", "bee")

    async def scenario() -> None:
        async with with_skills(tmp_path, LOAD, says("ok")) as stage:
            await stage.say()
            first, second = stage.provider.requests
            assert first.system.endswith("\n- ant: Does ant.\n- bee: Does bee.")
            assert first.system == second.system
            assert first.tools == second.tools
            assert [tool.name for tool in first.tools] == ["skill"]
            assert "Walk in a line." in result(stage)
            assert stage.client.questions == []
            assert notices(stage) == []

    asyncio.run(scenario())


def test_without_skills_nothing_is_said_of_them(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with with_skills(tmp_path, says("ok")) as stage:
            await stage.say()
            (request,) = stage.provider.requests
            assert "Skills are" not in request.system
            assert request.tools == ()
            assert not any(isinstance(event, CommandsChanged) for event in stage.events)

    asyncio.run(scenario())


def test_skills_are_commands_as_soon_as_they_are_known(tmp_path: Path) -> None:
    add_skill(tmp_path / "own", "ant", "Carry $ARGUMENTS home.", description="x" * 500)
    add_skill(tmp_path / "own", "help", "Not this one.")

    async def scenario() -> None:
        async with with_skills(tmp_path, says("ok"), says("ok")) as stage:
            async with asyncio.timeout(BOUND):
                await stage.client.until(
                    lambda: any(isinstance(each, CommandsChanged) for each in stage.events)
                )
            told = [each for each in stage.events if isinstance(each, CommandsChanged)][-1]
            names = [command.name for command in told.commands]
            assert (names.count("ant"), names.count("help")) == (1, 1)
            assert len(told.commands[-1].description) == 120
            await stage.say("/ant the leaf")
            assert "Carry the leaf home." in asked(stage)
            await stage.say("/help")
            assert "`/ant [what to do]`" in said(stage)
            assert len(stage.provider.requests) == 1

    asyncio.run(scenario())


def test_a_skill_can_be_the_first_prompt_of_a_session(tmp_path: Path) -> None:
    add_skill(tmp_path / "own", "ant", "Carry $ARGUMENTS home.")

    async def scenario() -> None:
        async with with_skills(tmp_path, says("ok")) as stage:
            # A folder of that name does not make it a path either.
            (stage.project / "ant").mkdir()
            await stage.say("/ant the leaf")
            assert "Carry the leaf home." in asked(stage)
        async with with_skills(tmp_path) as stage:
            await stage.say("/help")
            assert "`/ant [what to do]`" in said(stage)

    asyncio.run(scenario())


def test_a_skill_that_is_gone_is_answered_by_the_agent(tmp_path: Path) -> None:
    folder = add_skill(tmp_path / "own", "ant")

    async def scenario() -> None:
        async with with_skills(tmp_path, says("ok")) as stage:
            await stage.say()
            (folder / "SKILL.md").unlink()
            await stage.say("/ant")
            assert "The skill `ant` cannot be used" in said(stage)
            assert len(stage.provider.requests) == 1

    asyncio.run(scenario())


def test_who_may_start_a_skill_is_kept(tmp_path: Path) -> None:
    for name, head in (("ant", "disable-model-invocation: true"), ("bee", "user-invocable: no")):
        folder = add_skill(tmp_path / "own", name)
        (folder / "SKILL.md").write_text(f"---\n{head}\n---\nBody of {name}")

    async def scenario() -> None:
        async with with_skills(tmp_path, LOAD, says("ok"), says("ok"), says("ok")) as stage:
            await stage.say()
            assert "- ant" not in stage.provider.requests[0].system
            assert "- bee" in stage.provider.requests[0].system
            assert "there is no skill `ant`" in result(stage)
            await stage.say("/ant")
            assert "Body of ant" in asked(stage)
            await stage.say("/bee")
            assert "There is no command `/bee`" in said(stage)

    asyncio.run(scenario())


def test_skills_that_cannot_be_used_are_named_once(tmp_path: Path) -> None:
    for at in range(7):
        folder = tmp_path / "own" / f"bad{at}"
        folder.mkdir(parents=True)
        os.mkfifo(folder / "SKILL.md")

    async def scenario() -> None:
        async with with_skills(tmp_path, says("ok"), says("ok")) as stage:
            await stage.say()
            await stage.say()
            (notice,) = notices(stage)
            assert "bad0` is left out: its `SKILL.md` is not a regular file." in notice
            assert notice.endswith("And 2 more.")

    asyncio.run(scenario())


def test_a_skill_of_the_project_waits_until_it_is_trusted(tmp_path: Path) -> None:
    place = tmp_path / "project" / ".claude" / "skills"
    folder = add_skill(place, "ant", "Walk in a line.", guide_md="one")
    client = Watcher(choosing("allow_always"))

    async def scenario() -> None:
        answers = (says("ok"), LOAD, says("ok"), LOAD, says("ok"))
        async with with_skills(tmp_path, *answers, client=client) as stage:
            await stage.say()
            assert stage.provider.requests[0].tools == ()
            assert "ant" not in stage.provider.requests[0].system.replace("want", "")
            (notice,) = notices(stage)
            assert "the skill `ant`" in notice
            assert "`/trust`" in notice
            await stage.say("/trust")
            (question,) = stage.client.questions
            assert "Walk in a line." in (question.description or "")
            await stage.say()
            assert "- ant: Does ant." in stage.provider.requests[-1].system
            assert "Walk in a line." in result(stage)
            (folder / "guide.md").write_text("two")
            await stage.say()
            assert "has changed since the user agreed to it" in result(stage)

    asyncio.run(scenario())


def test_a_trusted_skill_is_used_in_the_next_session_until_it_changes(tmp_path: Path) -> None:
    place = tmp_path / "project" / ".claude" / "skills"
    folder = add_skill(place, "ant")
    client = Watcher(choosing("allow_always"))

    async def scenario() -> None:
        async with with_skills(tmp_path, says("ok"), says("ok"), client=client) as stage:
            await stage.say("/trust")
            await stage.new()
            await stage.say()
            assert "- ant: Does ant." in stage.provider.requests[-1].system
            assert notices(stage) == []
            (folder / "more.md").write_text("x")
            await stage.new()
            await stage.say()
            assert "- ant: Does ant." not in stage.provider.requests[-1].system
            assert "(changed since you trusted it)" in notices(stage)[0]

    asyncio.run(scenario())


def test_a_skill_of_the_user_comes_before_one_of_the_project(tmp_path: Path) -> None:
    add_skill(tmp_path / "own", "ant", "Of the user.")
    add_skill(tmp_path / "project" / ".claude" / "skills", "ant", "Of the project.")
    client = Watcher(choosing("allow_always"))

    async def scenario() -> None:
        async with with_skills(tmp_path, LOAD, says("ok"), client=client) as stage:
            await stage.say("/trust")
            await stage.say()
            assert "Of the user." in result(stage)

    asyncio.run(scenario())


def test_a_session_opens_and_ends_while_its_folders_are_looked_at(tmp_path: Path) -> None:
    async def scenario() -> None:
        entered = asyncio.Event()

        async def forever(seconds: float) -> None:
            entered.set()
            await asyncio.Event().wait()

        skills = slow(tmp_path, forever)
        skills.start()
        async with asyncio.timeout(BOUND):
            await entered.wait()
            await skills.aclose()
        assert skills.text(1000) == ""

    asyncio.run(scenario())


def test_the_model_is_not_kept_waiting_for_long(tmp_path: Path) -> None:
    async def scenario() -> None:
        async def forever(seconds: float) -> None:
            await asyncio.Event().wait()

        skills = slow(tmp_path, forever)
        skills.start()
        async with asyncio.timeout(BOUND):
            await skills.settled()
        await skills.aclose()

    before, module.PATIENCE = module.PATIENCE, 0.05
    try:
        asyncio.run(scenario())
    finally:
        module.PATIENCE = before
