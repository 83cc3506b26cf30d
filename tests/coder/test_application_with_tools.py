"""The loop with the tools as they are: what a client sees of a small task in a real folder."""

import asyncio
import sys
from pathlib import Path
from typing import Any

from parley.coder.calls import CANCELLED
from parley.coder.message import CallPart, ToolMessage, ToolResult
from parley.coder.tools.bash import Bash
from parley.coder.tools.edit_file import EditFile
from parley.coder.tools.read_file import ReadFile
from parley.coder.tools.todo import Todo
from parley.session.content import DiffItem
from parley.session.event import PlanChanged, ToolCallChanged
from parley.session.question import ToolCallSubject
from parley.session.state import SessionState
from tests.coder.stage import BOUND, Stage, Watcher, calls, choosing, says, staged

TOOLS = (ReadFile(), EditFile(), Bash(), Todo())


def _call(id: str, name: str, **arguments: Any) -> CallPart:
    return CallPart(id, name, arguments)


def _results(stage: Stage) -> list[ToolResult]:
    messages = stage.provider.requests[-1].messages
    return [r for m in messages if isinstance(m, ToolMessage) for r in m.results]


def test_a_small_task_is_done_with_questions_diffs_and_a_plan(tmp_path: Path) -> None:
    async def scenario() -> None:
        edits = [{"old_text": "a - b", "new_text": "a + b"}]
        turns = (
            calls(_call("c1", "todo", items=[{"content": "fix add", "status": "in_progress"}])),
            calls(_call("c2", "read_file", path="add.py")),
            calls(_call("c3", "edit_file", path="add.py", edits=edits)),
            calls(_call("c4", "bash", command=f"{sys.executable} -c 'import add; add.check()'")),
            says("Fixed."),
        )
        client = Watcher(choosing("allow_once"))
        async with staged(tmp_path, *turns, tools=TOOLS, client=client) as s:
            file = s.project / "add.py"
            file.write_text("def add(a, b): return a - b\ndef check(): assert add(1, 2) == 3\n")
            assert (await s.say("Fix it")).stop_reason == "end_turn"
            assert file.read_text().startswith("def add(a, b): return a + b\n")
            assert [r.is_error for r in _results(s)] == [False] * 4, _results(s)
            state = SessionState.from_events(s.events)
            seen = list(state.tool_calls.values())
            assert [(c.title, c.kind, c.status) for c in seen][1:3] == [
                ("Read add.py", "read", "completed"),
                ("Edit add.py", "edit", "completed"),
            ]
            assert any(isinstance(e, PlanChanged) for e in s.events)
            edit, run = client.questions
            assert isinstance(edit.subject, ToolCallSubject)
            content = edit.subject.tool_call.content
            assert isinstance(content, tuple)
            assert isinstance(content[0], DiffItem)
            assert "import add; add.check()" in (run.description or "")

    asyncio.run(scenario())


def test_cancelling_a_command_ends_it_and_answers_its_call(tmp_path: Path) -> None:
    async def scenario() -> None:
        turns = (calls(_call("c1", "bash", command="echo here; exec sleep 60")), says("ok"))
        client = Watcher(choosing("allow_once"))
        async with staged(tmp_path, *turns, tools=TOOLS, client=client) as s:
            runs = asyncio.Event()

            def emit(session_id: str, event: Any) -> None:
                Watcher.emit(client, session_id, event)
                if isinstance(event, ToolCallChanged) and event.status == "in_progress":
                    runs.set()

            client.emit = emit
            await s.cancelled_at(runs)
            async with asyncio.timeout(BOUND):
                await s.say("and now?")
            assert _results(s) == [ToolResult("c1", "bash", CANCELLED, is_error=True)]
            state = SessionState.from_events(s.events)
            assert [c.status for c in state.tool_calls.values()] == ["cancelled"]

    asyncio.run(scenario())
