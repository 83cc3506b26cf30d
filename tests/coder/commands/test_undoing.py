"""Taking turns back in a real session, with the real tools, in a git repository."""

import asyncio
import json
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from parley.coder.message import CallPart, TextPart, UserMessage
from parley.coder.settings import CoderSettings
from parley.coder.tools.bash import Bash
from parley.coder.tools.edit_file import EditFile
from parley.coder.tools.read_file import ReadFile
from parley.coder.tools.write_file import WriteFile
from parley.coder.undo import look
from parley.session.content import Text
from parley.session.event import ChunkAdded
from tests.coder.commands.checkout import checkout, git
from tests.coder.stage import Stage, Step, calls, says, staged
from tests.coder.undo.tree import tree

TOOLS = (ReadFile(), EditFile(), WriteFile(), Bash())
FREE = CoderSettings(mode="full-access")


def _calls(*made: tuple[str, dict[str, Any]]) -> list[Sequence[Step]]:
    """The answers of a turn that makes these calls one after the other."""
    found = [
        calls(CallPart(f"c-{abs(hash(json.dumps(arguments)))}", name, arguments))
        for name, arguments in made
    ]
    return [*found, says("done")]


def _run(command: str) -> tuple[str, dict[str, Any]]:
    return "bash", {"command": command}


def _write(path: str, content: str) -> tuple[str, dict[str, Any]]:
    return "write_file", {"path": path, "content": content}


def _last(stage: Stage) -> str:
    chunks = [e for e in stage.events if isinstance(e, ChunkAdded)]
    assert isinstance(chunks[-1].content, Text)
    return chunks[-1].content.text


def test_a_turn_of_edits_and_commands_is_undone_beside_staged_and_unstaged_work(
    tmp_path: Path,
) -> None:
    command = (
        "mv moved.txt elsewhere.txt && rm removed.txt && chmod 755 mode.sh && printf x > made.txt"
        " && mkdir -p empty/deep && ln -s a.txt link && printf changed > staged.txt"
        " && rm -r folder && printf file > folder && ln -sfn b.txt old-link"
    )
    turn = _calls(
        ("read_file", {"path": "a.txt"}),
        ("edit_file", {"path": "a.txt", "old_text": "first", "new_text": "second"}),
        _write("new/deep/file.txt", "new"),
        _run(command),
    )

    async def scenario() -> None:
        async with staged(tmp_path, *turn, tools=TOOLS, settings=FREE) as stage:
            project = stage.project
            names = ("a", "moved", "removed", "staged", "folder/in", "b")
            checkout(project, {f"{name}.txt": f"first {name}\n" for name in names})
            (project / "mode.sh").write_text("exit\n", encoding="utf-8")
            (project / "kept-empty").mkdir()
            (project / "old-link").symlink_to("a.txt")
            (project / "staged.txt").write_text("staged\n", encoding="utf-8")
            git(project, "add", "staged.txt")
            (project / "removed.txt").write_text("unstaged\n", encoding="utf-8")
            before, repository = tree(project), tree(project, git=True)
            await stage.say("go")
            after = tree(project)
            assert len(after.items() ^ before.items()) > 10
            await stage.say("/undo")
            assert tree(project) == before
            assert tree(project, git=True) == repository
            assert "Undid the last turn." in _last(stage)
            assert "- `removed.txt`\n" in _last(stage)
            assert "- `made.txt` (removed)\n" in _last(stage)
            assert "Not watched: `.git`." in _last(stage)
            await stage.say("/undo")
            assert tree(project) == after
            assert "The changes of the last turn are back." in _last(stage)
            assert "- `removed.txt` (removed)\n" in _last(stage)
            await stage.say("/undo")
            assert tree(project) == before
            assert tree(project, git=True) == repository

    asyncio.run(scenario())


def test_several_turns_are_undone_also_after_the_session_was_loaded(tmp_path: Path) -> None:
    answers = [*_calls(_write("a", "1")), *_calls(_run("printf 2 > a")), *_calls(_write("b", "3"))]

    async def scenario() -> None:
        async with staged(tmp_path, *answers, says("ok"), tools=TOOLS, settings=FREE) as stage:
            trees = [tree(stage.project)]
            for _ in range(3):
                await stage.say("go")
                trees.append(tree(stage.project))
            await stage.again()
            await stage.load()
            await stage.say("/undo 2")
            assert tree(stage.project) == trees[1]
            assert "Undid the last 2 turns." in _last(stage)
            await stage.say("/undo 1")
            assert tree(stage.project) == trees[0]
            await stage.say("/undo 5")
            assert "no turn of this session has changes that are still there" in _last(stage)
            await stage.say("/undo")
            assert tree(stage.project) == trees[1]
            await stage.say("and now?")
            told = [m for m in stage.provider.requests[-1].messages if isinstance(m, UserMessage)]
            texts = [part.text for m in told for part in m.content if isinstance(part, TextPart)]
            assert any("took back changes" in text and "`b`" in text for text in texts)
            assert any("brought back changes" in text for text in texts)

    asyncio.run(scenario())


def test_what_the_user_changed_since_is_kept_unless_it_is_insisted_on(tmp_path: Path) -> None:
    async def scenario() -> None:
        turn = _calls(_write("a", "agent"), _write("b", "agent"))
        async with staged(tmp_path, *turn, tools=TOOLS, settings=FREE) as stage:
            await stage.say("go")
            (stage.project / "a").write_text("user", encoding="utf-8")
            kept = tree(stage.project)
            await stage.say("/undo")
            assert tree(stage.project) == kept
            assert "Nothing was undone" in _last(stage)
            assert "- `a`" in _last(stage)
            assert "- `b`" not in _last(stage)
            await stage.say("/undo --force")
            assert tree(stage.project) == {}
            await stage.say("/undo")
            assert tree(stage.project) == kept

    asyncio.run(scenario())


def test_what_is_not_a_number_is_explained(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with staged(tmp_path, tools=TOOLS, settings=FREE) as stage:
            for typed in ("/undo all", "/undo 0", "/undo 1 2", "/undo -1", "/undo ²"):
                await stage.say(typed)
                assert "Type `/undo`" in _last(stage)
            await stage.say("/undo")
            assert "nothing to undo" in _last(stage)

    asyncio.run(scenario())


def test_a_cancelled_turn_can_be_undone(tmp_path: Path) -> None:
    async def scenario() -> None:
        turn = _calls(_run("printf half > a; echo started; exec sleep 60"))
        async with staged(tmp_path, *turn, tools=TOOLS, settings=FREE) as stage:
            task = asyncio.create_task(stage.say("go"))
            async with asyncio.timeout(5):
                await stage.client.until(lambda: (stage.project / "a").exists())
                task.cancel()
                await asyncio.wait((task,))
            assert (stage.project / "a").exists()
            await stage.say("/undo")
            assert tree(stage.project) == {}

    asyncio.run(scenario())


def test_copies_are_private_and_go_with_the_session(tmp_path: Path) -> None:
    async def scenario() -> None:
        turn = _calls(_run("printf 2 > a"))
        async with staged(tmp_path, *turn, tools=TOOLS, settings=FREE) as stage:
            (stage.project / "a").write_text("1", encoding="utf-8")
            await stage.say("go")
            folder = tmp_path / "store" / "undo" / stage.session_id
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
            files = list(folder.iterdir())
            assert len(files) == 2
            assert all(stat.S_IMODE(each.stat().st_mode) == 0o600 for each in files)
            await stage.application.delete_session(stage.session_id)
            assert not folder.exists()

    asyncio.run(scenario())


def test_a_disk_that_keeps_nothing_costs_the_undo_and_not_the_call(tmp_path: Path) -> None:
    async def scenario() -> None:
        turn = _calls(_write("a", "1"), _run("printf 2 > b"))
        async with staged(tmp_path, *turn, tools=TOOLS, settings=FREE) as stage:
            (tmp_path / "store").mkdir(exist_ok=True)
            (tmp_path / "store" / "undo").write_text("in the way", encoding="utf-8")
            await stage.say("go")
            assert set(tree(stage.project)) == {"a", "b"}
            await stage.say("/undo")
            assert "cannot be read or written" in _last(stage)

    asyncio.run(scenario())


def test_what_could_not_be_kept_or_seen_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(look, "LARGEST", 10)

    async def scenario() -> None:
        answers = [
            *_calls(_run("printf 12345678901 > large; printf 2 > a")),
            *_calls(_run("touch b")),
        ]
        async with staged(tmp_path, *answers, tools=TOOLS, settings=FREE) as stage:
            (stage.project / "large").write_text("x" * 20, encoding="utf-8")
            await stage.say("go")
            (stage.project / "a").unlink()
            await stage.say("/undo")
            assert "No file had to be changed." in _last(stage)
            assert "too large to keep.\n\n- `large`" in _last(stage)
            monkeypatch.setattr(look, "MOST_FILES", 0)
            await stage.say("go")
            await stage.say("/undo")
            assert "Changes by commands are not known: the workspace has too many" in _last(stage)

    asyncio.run(scenario())


def test_many_files_are_named_by_the_first_ones(tmp_path: Path) -> None:
    async def scenario() -> None:
        turn = _calls(_run("for n in $(seq 30); do touch file-$n; done"))
        async with staged(tmp_path, *turn, tools=TOOLS, settings=FREE) as stage:
            await stage.say("go")
            await stage.say("/undo")
            assert "- and 10 more" in _last(stage)
            assert tree(stage.project) == {}

    asyncio.run(scenario())
