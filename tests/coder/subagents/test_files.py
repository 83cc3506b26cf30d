"""Sub-agents that change files at the same time: nothing gets lost, and all of it can be undone."""

import asyncio
from pathlib import Path

from parley.coder.tools.bash import Bash
from parley.coder.tools.edit_file import EditFile
from parley.coder.tools.read_file import ReadFile
from parley.coder.tools.write_file import WriteFile
from parley.session.content import Text
from parley.session.event import ChunkAdded
from tests.coder.stage import Step, calls, says
from tests.coder.subagents.stage import Part, agent, call, cast_stage, played

TOOLS = (ReadFile(), EditFile(), WriteFile(), Bash())


def _edit(id: str, old: str, new: str) -> list[Step]:
    edits = [{"old_text": old, "new_text": new}]
    return calls(call(id, "edit_file", path="a.txt", edits=edits))


def test_of_changes_of_one_text_at_the_same_time_one_is_made_and_the_others_are_told(
    tmp_path: Path,
) -> None:
    names = ("p1", "p2", "p3", "p4")
    read = calls(call("r", "read_file", path="a.txt"))
    start = calls(*(agent(name, name, tools="full") for name in names))

    async def scenario() -> None:
        parts: dict[str, Part] = {
            name: (read, _edit("e", "one", name), says(name)) for name in names
        }
        async with cast_stage(tmp_path, *TOOLS, parts={**parts, "go": (start, says("ok"))}) as (
            s,
            cast,
        ):
            (s.project / "a.txt").write_text("one\n")
            await s.say()
            results = {name: cast.results(name)[0] for name in names}
            (made,) = (name for name, result in results.items() if not result.is_error)
            assert (s.project / "a.txt").read_text() == f"{made}\n"
            refused = [result.text for result in results.values() if result.is_error]
            assert all("has changed since" in text for text in refused)

    asyncio.run(scenario())


def test_each_conversation_must_have_read_what_it_changes(tmp_path: Path) -> None:
    async def scenario() -> None:
        read = calls(call("r", "read_file", path="a.txt"))
        parts = played(
            go=(
                read,
                calls(agent("a", "work", tools="full")),
                _edit("own", "one", "mine"),
                says("ok"),
            ),
            work=(_edit("e1", "one", "two"), read, _edit("e2", "one", "two"), says("done")),
        )
        async with cast_stage(tmp_path, *TOOLS, parts=parts) as (s, cast):
            (s.project / "a.txt").write_text("one\n")
            await s.say()
            unread, _, edited = cast.texts("work")
            assert "has not been read yet" in unread
            assert edited.startswith("Edited `a.txt`.")
            # The session has read it before the sub-agent changed it.
            assert "has changed since you read it" in cast.results()[0].text
            assert (s.project / "a.txt").read_text() == "two\n"

    asyncio.run(scenario())


def test_undo_takes_back_what_all_of_them_did(tmp_path: Path) -> None:
    async def scenario() -> None:
        start = calls(*(agent(name, name, tools="full") for name in ("write", "run", "move")))
        parts = played(
            go=(start, says("ok")),
            write=(calls(call("w", "write_file", path="new.txt", content="new\n")), says("ok")),
            run=(calls(call("b", "bash", command="printf two > a.txt")), says("ok")),
            move=(calls(call("b", "bash", command="mv b.txt c.txt")), says("ok")),
        )
        async with cast_stage(tmp_path, *TOOLS, parts=parts) as (s, _):
            before = {"a.txt": "one", "b.txt": "other"}
            for name, text in before.items():
                (s.project / name).write_text(text)
            await s.say()
            assert _files(s.project) == {"a.txt": "two", "c.txt": "other", "new.txt": "new\n"}
            await s.say("/undo")
            assert _files(s.project) == before
            last = [e for e in s.events if isinstance(e, ChunkAdded)][-1]
            assert isinstance(last.content, Text)
            assert "a.txt" in last.content.text

    asyncio.run(scenario())


def _files(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.iterdir())}
