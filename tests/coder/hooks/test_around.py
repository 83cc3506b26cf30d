"""Hooks around tool calls, in turns with a scripted model."""

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from parley.coder.errors import ToolError
from parley.coder.hook import Hook, Hooks
from parley.coder.hooks.around import CallHooks, HookedCall
from parley.coder.message import CallPart, ToolMessage, ToolResult
from parley.coder.settings import CoderSettings
from parley.coder.tools.tool import Outcome, Progress
from parley.session.content import ContentItem, Text
from parley.session.event import NoticeGiven, ToolCallChanged
from tests.coder.stage import SmallTool, Stage, Watcher, answered, calls, choosing, says, staged
from tests.coder.subagents.stage import agent, call, cast_stage, played


def shell(script: str, *tools: str, seconds: float = 5, name: str = "h") -> Hook:
    return Hook(name, ("/bin/sh", "-c", script), tools or ("*",), seconds)


def settings(*before: Hook, after: tuple[Hook, ...] = (), mode: str = "full-access") -> Any:
    return CoderSettings(
        mode=mode,  # pyright: ignore[reportArgumentType]
        hooks=Hooks(before, after),
        environment={"PATH": "/usr/bin:/bin"},
    )


def results(stage: Stage) -> list[ToolResult]:
    last = stage.provider.requests[-1].messages[-1]
    assert isinstance(last, ToolMessage)
    return list(last.results)


def notices(stage: Stage) -> list[str]:
    return [event.title for event in stage.events if isinstance(event, NoticeGiven)]


def change() -> SmallTool:
    return SmallTool("change", "write", answered)


async def one_call(
    folder: Path, chosen: CoderSettings, tool: SmallTool, **arguments: Any
) -> tuple[ToolResult, Stage]:
    made = calls(CallPart("c1", tool.spec.name, arguments))
    client = Watcher(choosing("allow_once"))
    async with staged(
        folder, made, says("ok"), tools=(tool,), settings=chosen, client=client
    ) as stage:
        await stage.say()
        (result,) = results(stage)
        return result, stage


def test_a_hook_is_told_of_the_call_and_lets_it_pass(tmp_path: Path) -> None:
    told = tmp_path / "told"
    tool = change()
    chosen = settings(shell(f"cat > {told}"))
    arguments: Mapping[str, Any] = {"text": "a\nb\u2028\"'$(x)", "half": "\ud800", "n": 1}
    result, stage = asyncio.run(one_call(tmp_path, chosen, tool, **arguments))
    assert result.text == "done 1"
    assert json.loads(told.read_text()) == {
        "event": "before_tool",
        "session_id": stage.session_id,
        "cwd": str(stage.project.resolve()),
        "tool": "change",
        "arguments": arguments,
        "paths": [str(stage.project.resolve() / "file.txt")],
    }
    assert told.read_text().count("\n") == 0


def test_a_hook_stops_a_call_with_its_reason(tmp_path: Path) -> None:
    tool = change()
    chosen = settings(shell("echo not on a Sunday >&2; exit 2"))
    result, stage = asyncio.run(one_call(tmp_path, chosen, tool))
    assert (tool.ran, result.is_error) == ([], True)
    assert result.text == "A hook of the user stopped this call: not on a Sunday"
    assert stage.client.questions == []
    assert notices(stage) == []


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        ("exit 1", "ended with status 1"),
        ("sleep 60", "did not end within 0.3 seconds"),
        ("yes", "wrote more than 65536 bytes"),
        ("kill -9 $$", "was ended by SIGKILL"),
        ("echo '{'", "wrote something with JSON in it that is not all of it"),
    ],
)
def test_a_hook_that_does_not_work_stops_the_call_and_is_named(
    tmp_path: Path, script: str, problem: str
) -> None:
    tool = change()
    chosen = settings(shell(script, seconds=0.3, name="hooks.before_tool[0]"))
    result, stage = asyncio.run(one_call(tmp_path, chosen, tool))
    assert (tool.ran, result.is_error) == ([], True)
    assert "the user's hook `hooks.before_tool[0]` does not work" in result.text
    assert notices(stage) == [
        f"The hook `hooks.before_tool[0]` (`{script}`) {problem}, so the call of `change` was not"
        " run."
    ]


def test_what_is_wrong_with_a_hook_is_told_once_until_it_works_again(tmp_path: Path) -> None:
    status = tmp_path / "status"
    script = f"exit $(cat {status})"
    chosen = settings(shell(script, name="b"), after=(shell(script, name="a"),))

    async def scenario() -> list[str]:
        made = [
            calls(CallPart(f"c{n}", "change", {}), CallPart(f"d{n}", "change", {})) for n in "12345"
        ]
        answers = [step for each in made for step in (each, says("ok"))]
        async with staged(tmp_path, *answers, tools=(change(),), settings=chosen) as stage:
            for each in ("1", "1", "3", "0", "3"):
                status.write_text(each)
                await stage.say()
            return notices(stage)

    told = asyncio.run(scenario())
    assert [each.partition(", so")[0].rpartition(" ")[2] for each in told] == ["1", "3", "3"]


def test_a_hook_that_does_not_concern_a_tool_is_not_run(tmp_path: Path) -> None:
    tool = change()
    result, _ = asyncio.run(one_call(tmp_path, settings(shell("exit 2", "bash")), tool))
    assert (len(tool.ran), result.is_error) == (1, False)


def test_a_hook_can_want_the_person_to_be_asked(tmp_path: Path) -> None:
    tool = change()
    chosen = settings(shell("""printf '%s' '{"decision": "ask", "reason": "Is it\\n time?"}'"""))
    _, stage = asyncio.run(one_call(tmp_path, chosen, tool))
    assert len(tool.ran) == 1
    (question,) = stage.client.questions
    assert (question.description or "").endswith("The hook `h`: Is it time?")
    assert "allow_always" not in {option.kind for option in question.options}


def test_a_hook_adds_to_a_question_and_loosens_nothing(tmp_path: Path) -> None:
    tool = change()
    ask, allow = '{"decision": "ask"}', '{"decision": "allow"}'
    chosen = settings(shell(f"echo '{ask}'"), shell(f"echo '{allow}'"), mode="ask")
    _, stage = asyncio.run(one_call(tmp_path, chosen, tool))
    (question,) = stage.client.questions
    assert "It changes a file. The hook `h`: A hook wants you to decide." in str(question)


def test_a_hook_cannot_turn_a_refusal_into_a_question(tmp_path: Path) -> None:
    tool = change()
    chosen = settings(shell("""echo '{"decision": "ask"}'"""), mode="plan")
    result, stage = asyncio.run(one_call(tmp_path, chosen, tool))
    assert (tool.ran, stage.client.questions) == ([], [])
    assert "Plan mode only reads" in result.text


def test_the_first_hook_that_stops_a_call_is_the_last_one_that_runs(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    chosen = settings(shell("exit 0"), shell("exit 2"), shell(f"touch {mark}"))
    result, _ = asyncio.run(one_call(tmp_path, chosen, change()))
    assert result.is_error
    assert not mark.exists()


def test_a_hook_afterwards_is_told_of_the_outcome_and_adds_to_it(tmp_path: Path) -> None:
    told = tmp_path / "told"
    chosen = settings(after=(shell(f"cat > {told}; echo format your code"), shell("exit 0")))
    result, stage = asyncio.run(one_call(tmp_path, chosen, change()))
    added = "The user's hook `h` adds:\nformat your code"
    assert (result.text, result.is_error) == (f"done\n\n{added}", False)
    assert json.loads(told.read_text())["outcome"] == {"text": "done", "failed": False}
    last = [event for event in stage.events if isinstance(event, ToolCallChanged)][-1]
    assert last.content == (ContentItem(Text(f"done\n\n{added}")),)


def test_what_is_shown_of_a_call_stays_when_a_hook_adds_to_it(tmp_path: Path) -> None:
    item = ContentItem(Text("shown"))

    async def work(arguments: Mapping[str, Any], progress: Progress) -> Outcome:
        progress.show(item)
        return Outcome("done")

    chosen = settings(after=(shell("echo more"),))
    _, stage = asyncio.run(one_call(tmp_path, chosen, SmallTool("change", "write", work)))
    last = [event for event in stage.events if isinstance(event, ToolCallChanged)][-1]
    assert last.content == (item, ContentItem(Text("The user's hook `h` adds:\nmore")))
    assert last.raw_output == "done"


def test_a_hook_afterwards_hears_of_calls_that_failed(tmp_path: Path) -> None:
    async def work(arguments: Mapping[str, Any], progress: Progress) -> Outcome:
        raise ToolError("the disk is full")

    chosen = settings(after=(shell("cat; exit 0"),))
    result, _ = asyncio.run(one_call(tmp_path, chosen, SmallTool("change", "read", work)))
    assert result.is_error
    assert result.text.startswith("the disk is full\n\nThe user's hook `h` adds:")
    assert '"outcome": {"text": "the disk is full", "failed": true}' in result.text


def test_a_hook_that_fails_afterwards_leaves_the_result_alone(tmp_path: Path) -> None:
    chosen = settings(after=(shell("exit 3"),))
    result, stage = asyncio.run(one_call(tmp_path, chosen, change()))
    assert (result.text, result.is_error) == ("done", False)
    assert notices(stage) == [
        "The hook `h` (`exit 3`) ended with status 3, so it had no say after `change`."
    ]


def test_what_a_hook_changes_afterwards_is_undone_with_the_call(tmp_path: Path) -> None:
    file = tmp_path / "project" / "file.txt"

    async def work(arguments: Mapping[str, Any], progress: Progress) -> Outcome:
        file.write_text("by the tool")
        return Outcome("done")

    async def scenario() -> None:
        tool = SmallTool("change", "write", work)
        made = calls(CallPart("c1", "change", {}))
        # It finds the file, since it may not name it.
        line = f"cd {file.parent.parent} && echo by the hook | tee */{file.name}"
        chosen = settings(after=(shell(line),))
        async with staged(tmp_path, made, says("ok"), tools=(tool,), settings=chosen) as stage:
            file.write_text("before")
            await stage.say()
            assert file.read_text() == "by the hook\n"
            await stage.say("/undo")
            assert file.read_text() == "before"

    asyncio.run(scenario())


def test_cancelling_a_turn_ends_the_hook_of_its_call(tmp_path: Path) -> None:
    mark = tmp_path / "mark"

    async def scenario() -> None:
        tool = change()
        chosen = settings(shell(f"touch {mark}; exec sleep 60", seconds=60))
        made = calls(CallPart("c1", "change", {}))
        async with staged(tmp_path, made, tools=(tool,), settings=chosen) as stage:
            reached = asyncio.Event()

            async def watch() -> None:
                while not mark.exists():  # noqa: ASYNC110
                    await asyncio.sleep(0.005)
                reached.set()

            async with asyncio.TaskGroup() as group:
                group.create_task(watch())
                await stage.cancelled_at(reached)
            last = [event for event in stage.events if isinstance(event, ToolCallChanged)][-1]
            assert (last.status, tool.ran) == ("cancelled", [])

    asyncio.run(scenario())


def test_hooks_hold_for_sub_agents_too(tmp_path: Path) -> None:
    async def scenario() -> None:
        tool = change()
        task = (calls(call("c1", "change")), says("I could not."))
        parts = played(go=(calls(agent("a1", "try", tools="full")), says("ok")), **{"try": task})
        chosen = settings(shell("echo never >&2; exit 2", "change"))
        async with cast_stage(tmp_path, tool, parts=parts, settings=chosen) as (stage, cast):
            await stage.say()
            last = cast.asked("try")[-1].messages[-1]
            assert isinstance(last, ToolMessage)
            assert last.results[0].text == "A hook of the user stopped this call: never"
            assert tool.ran == []

    asyncio.run(scenario())


def test_arguments_that_no_json_can_hold_stop_the_call() -> None:
    told: list[str] = []
    hooks = CallHooks(
        Hooks((Hook("h", (sys.executable, "-c", "")),)),
        session_id="s",
        roots=("/nowhere",),
        environment={},
        notify=lambda text, fix: told.append(text),
        broken={},
    )
    with pytest.raises(ToolError, match="does not work"):
        asyncio.run(hooks.before(HookedCall("change", {"n": float("nan")})))
    assert "no JSON can hold" in told[0]
