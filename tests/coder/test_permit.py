"""Whether a call may run."""

import asyncio
from pathlib import Path

import pytest

from parley.coder.message import CallPart, ToolMessage
from parley.coder.permission.access import WritesPath
from parley.coder.settings import CoderSettings
from parley.session.event import ToolCallChanged
from parley.session.question import (
    Chosen,
    Dismissed,
    OtherAnswer,
    PermissionAnswer,
    PermissionQuestion,
    ToolCallSubject,
)
from tests.coder.stage import SmallTool, Stage, Watcher, answered, calls, choosing, says, staged

PUT = CallPart("c1", "put", {"n": 1})
AGAIN = CallPart("c2", "put", {"n": 2})


def _texts(stage: Stage) -> list[str]:
    """All results that the model was given, in order."""
    messages = stage.provider.requests[-1].messages
    return [r.text for m in messages if isinstance(m, ToolMessage) for r in m.results]


def test_a_call_is_asked_about_while_it_is_pending_and_known(tmp_path: Path) -> None:
    async def scenario() -> None:
        seen: list[list[object]] = []
        client = Watcher()

        def answer(question: PermissionQuestion) -> PermissionAnswer:
            seen.append(list(client.events))
            return choosing("allow_once")(question)

        client.answer = answer
        tool = SmallTool("put", "write", answered)
        async with staged(tmp_path, calls(PUT), says("ok"), tools=(tool,), client=client) as s:
            await s.say()
            question = client.questions[0]
            assert isinstance(question.subject, ToolCallSubject)
            assert question.subject.tool_call.id == "c1"
            assert question.subject.tool_call.raw_input == {"n": 1}
            told = [e for e in seen[0] if isinstance(e, ToolCallChanged) and e.id == "c1"]
            assert [each.status for each in told] == ["pending", "pending"]
            assert told[-1].title == "Do put"
            assert tool.ran == [{"n": 1}]

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "answer",
    [
        Dismissed(),
        OtherAnswer("allowed", {"optionId": "allow_once"}),
        Chosen("no such option"),
        Chosen(""),
        Chosen("reject_once"),
        Chosen("reject_always"),
    ],
)
def test_what_is_not_a_clear_yes_never_runs_the_tool(
    tmp_path: Path, answer: PermissionAnswer
) -> None:
    async def scenario() -> None:
        tool = SmallTool("put", "write", answered)
        client = Watcher(lambda question: answer)
        async with staged(tmp_path, calls(PUT), says("ok"), tools=(tool,), client=client) as s:
            assert (await s.say()).stop_reason == "end_turn"
            assert tool.ran == []
            assert _texts(s)[0].startswith("Permission denied.")
            changes = [e for e in s.events if isinstance(e, ToolCallChanged)]
            assert changes[-1].status == "failed"
            assert "in_progress" not in [each.status for each in changes]

    asyncio.run(scenario())


@pytest.mark.parametrize(("kind", "runs"), [("allow_always", 2), ("reject_always", 0)])
def test_always_is_remembered_also_when_the_session_is_loaded_again(
    tmp_path: Path, kind: str, runs: int
) -> None:
    async def scenario() -> None:
        tool = SmallTool("put", "write", answered)
        client = Watcher(choosing(kind))
        turns = (calls(PUT), says("ok"), calls(AGAIN), says("ok"))
        async with staged(tmp_path, *turns, tools=(tool,), client=client) as s:
            await s.say()
            await s.again()
            await s.load()
            await s.say()
            assert len(client.questions) == 1
            assert s.client.questions == []
            assert len(tool.ran) == runs
            assert _texts(s)[-1].startswith("done" if runs else "Permission denied.")

    asyncio.run(scenario())


def test_one_question_is_open_at_a_time_and_its_answer_may_settle_the_next(tmp_path: Path) -> None:
    async def scenario() -> None:
        open_now, most = 0, 0

        class Watching(Watcher):
            async def ask(self, session_id: str, question: PermissionQuestion) -> PermissionAnswer:
                nonlocal open_now, most
                open_now += 1
                most = max(most, open_now)
                await asyncio.sleep(0)
                open_now -= 1
                return await super().ask(session_id, question)

        # It counts as a tool that reads, so its calls run together; what it touches is asked about.
        path = tmp_path / "project" / "file.txt"
        tool = SmallTool("look", "read", answered, WritesPath(str(path)))
        made = calls(*(CallPart(f"c{n}", "look") for n in range(3)))
        client = Watching(choosing("allow_always"))
        async with staged(tmp_path, made, says("ok"), tools=(tool,), client=client) as s:
            await s.say()
            assert (most, len(client.questions)) == (1, 1)
            assert len(tool.ran) == 3
        client = Watching(choosing("allow_once"))
        async with staged(tmp_path, made, says("ok"), tools=(tool,), client=client) as s:
            await s.say()
            assert (most, len(client.questions)) == (1, 3)

    asyncio.run(scenario())


def test_plan_mode_refuses_without_asking(tmp_path: Path) -> None:
    async def scenario() -> None:
        tool = SmallTool("put", "write", answered)
        settings = CoderSettings(mode="plan")
        async with staged(tmp_path, calls(PUT), says("ok"), tools=(tool,), settings=settings) as s:
            await s.say()
            assert s.client.questions == []
            assert tool.ran == []
            assert _texts(s)[0].startswith("Permission denied. ")

    asyncio.run(scenario())


def test_the_mode_holds_from_the_moment_it_is_chosen(tmp_path: Path) -> None:
    async def scenario() -> None:
        tool = SmallTool("put", "write", answered)
        turns = (calls(PUT), says("ok"), calls(AGAIN), says("ok"))
        client = Watcher(choosing("reject_once"))
        async with staged(tmp_path, *turns, tools=(tool,), client=client) as s:
            await s.say()
            await s.application.set_option(s.session_id, "mode", "full-access")
            await s.say()
            assert tool.ran == [{"n": 2}]
            assert len(client.questions) == 1

    asyncio.run(scenario())
