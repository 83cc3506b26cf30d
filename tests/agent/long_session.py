"""A long piece of work as a model does it, in the words of no wire format: what it says and calls,
and how each call must end."""

from itertools import count
from pathlib import Path
from typing import Any

from tests.coder.providers.fakes.reply import Call, Reply, Say, Think, Tokens

FORBIDDEN = "forbidden.txt"
"""The person refuses to have this file written."""
CALC = """\
def add(a, b):
    return a - b


def scale(values, factor):
    result = []
    for value in values:
        result.append(value + factor)
    return result
"""
FIXED = """\
def add(a, b):
    return a + b


def scale(values, factor):
    scaled = []
    for value in values:
        scaled.append(value * factor)
    return scaled  # as a list
"""
DONE, FAILED = "completed", "failed"
_numbers = count(1)


def project(folder: Path) -> Path:
    """The folder that the model works in."""
    (folder / "docs").mkdir(parents=True)
    (folder / "calc.py").write_text(CALC)
    (folder / "docs/notes.md").write_text("# Notes\n\nadd is wrong.\nscale is wrong.\n")
    return folder


def answer(*parts: Say | Think | Call) -> Reply:
    """An answer that counts its tokens; no two count alike."""
    number = next(_numbers)
    cached = number % 3
    return Reply(
        parts,
        Tokens(
            input=1_000 + number,
            output=50 + number,
            thought=number % 5,
            cached_read=10 * cached,
            cached_write=100 * cached,
        ),
    )


def says(text: str) -> Reply:
    return answer(Say(tuple(text.split("|"))))


def call(name: str, **arguments: Any) -> Call:
    return Call(name, arguments)


def bash(command: str, **more: Any) -> Call:
    return call("bash", command=command, **more)


def edit(old: str, new: str, path: str = "calc.py") -> Call:
    return call("edit_file", path=path, edits=[{"old_text": old, "new_text": new}])


def plan(*statuses: str) -> Call:
    items = [{"content": f"Step {at}", "status": each} for at, each in enumerate(statuses, 1)]
    return call("todo", items=items)


def work() -> list[tuple[Reply, tuple[str, ...]]]:
    """The answers of one turn, each with the way its calls end."""
    return [*_repairs(), *_chores(), (says("Both functions | are right now."), ())]


def _repairs() -> list[tuple[Reply, tuple[str, ...]]]:
    return [
        (
            answer(
                Think(("Look ", "around.")),
                Say(("I look ", "first.")),
                call("read_file", path="calc.py"),
                call("list_files"),
                call("glob", pattern="**/*.md"),
                call("grep", pattern="wrong", output="count"),
                call("read_file", path="docs/notes.md", offset=3, limit=1),
            ),
            (DONE,) * 5,
        ),
        (answer(Think(("Plan.",)), plan("in_progress", "pending")), (DONE,)),
        (answer(edit("return a - b", "return a + b")), (DONE,)),
        # The indentation is another one, which is tolerated.
        (
            answer(
                edit(
                    "for value in values:\n    result.append(value + factor)",
                    "for value in values:\n    result.append(value * factor)",
                )
            ),
            (DONE,),
        ),
        (answer(Say(("Rename.",)), edit("results = []", "scaled = []")), (FAILED,)),
        (
            answer(
                call(
                    "edit_file",
                    path="calc.py",
                    edits=[
                        {"old_text": "result = []", "new_text": "scaled = []"},
                        {"old_text": "result.append", "new_text": "scaled.append"},
                        {"old_text": "return result", "new_text": "return scaled  # as a list"},
                    ],
                )
            ),
            (DONE,),
        ),
    ]


def _chores() -> list[tuple[Reply, tuple[str, ...]]]:
    return [
        (answer(Think(("Test.",)), bash("echo to stderr >&2; exit 3")), (FAILED,)),
        (answer(bash("grep -c return calc.py && echo 'all well'")), (DONE,)),
        (answer(bash("ls docs"), call("grep", pattern="nothing like it")), (DONE, DONE)),
        (answer(call("write_file", path="docs/log.md", content="begun\n")), (DONE,)),
        (answer(call("write_file", path=FORBIDDEN, content="no\n")), (FAILED,)),
        (answer(call("no_such_tool", x=1), call("read_file")), (FAILED, FAILED)),
        # A command changes the file, so that what the model knows of it is out of date.
        (answer(bash("echo more >> docs/log.md")), (DONE,)),
        (answer(edit("begun", "ended", "docs/log.md")), (FAILED,)),
        (
            answer(
                Think(("Read again.",)),
                call("read_file", path="docs/log.md"),
                edit("begun", "ended", "docs/log.md"),
            ),
            (DONE, DONE),
        ),
        (answer(call("read_file", path="gone.py"), call("read_file", path="/")), (FAILED, FAILED)),
        (answer(bash("sleep 60", background=True)), (DONE,)),
        (answer(call("bash_output", job_id="job-1")), (DONE,)),
        (answer(call("stop_job", job_id="job-1")), (DONE,)),
        (answer(bash("env")), (DONE,)),
        (answer(call("list_files", path="docs", depth=1)), (DONE,)),
        (answer(call("glob", pattern="*.py"), call("read_file", path="calc.py")), (DONE, DONE)),
        (answer(plan("completed", "completed")), (DONE,)),
    ]
