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
    done, failed = "completed", "failed"
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
            (done,) * 5,
        ),
        (answer(Think(("Plan.",)), plan("in_progress", "pending")), (done,)),
        (answer(edit("return a - b", "return a + b")), (done,)),
        # The indentation is another one, which is tolerated.
        (
            answer(
                edit(
                    "for value in values:\n    result.append(value + factor)",
                    "for value in values:\n    result.append(value * factor)",
                )
            ),
            (done,),
        ),
        (answer(Say(("Rename.",)), edit("results = []", "scaled = []")), (failed,)),
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
            (done,),
        ),
        (answer(Think(("Test.",)), bash("echo to stderr >&2; exit 3")), (failed,)),
        (answer(bash("grep -c return calc.py && echo 'all well'")), (done,)),
        (answer(bash("ls docs"), call("grep", pattern="nothing like it")), (done, done)),
        (answer(call("write_file", path="docs/log.md", content="begun\n")), (done,)),
        (answer(call("write_file", path=FORBIDDEN, content="no\n")), (failed,)),
        (answer(call("no_such_tool", x=1), call("read_file")), (failed, failed)),
        # A command changes the file, so that what the model knows of it is out of date.
        (answer(bash("echo more >> docs/log.md")), (done,)),
        (answer(edit("begun", "ended", "docs/log.md")), (failed,)),
        (
            answer(
                Think(("Read again.",)),
                call("read_file", path="docs/log.md"),
                edit("begun", "ended", "docs/log.md"),
            ),
            (done, done),
        ),
        (answer(call("read_file", path="gone.py"), call("read_file", path="/")), (failed, failed)),
        (answer(bash("sleep 60", background=True)), (done,)),
        (answer(call("bash_output", job_id="job-1")), (done,)),
        (answer(call("stop_job", job_id="job-1")), (done,)),
        (answer(bash("env")), (done,)),
        (answer(call("list_files", path="docs", depth=1)), (done,)),
        (answer(call("glob", pattern="*.py"), call("read_file", path="calc.py")), (done, done)),
        (answer(plan("completed", "completed")), (done,)),
        (says("Both functions | are right now."), ()),
    ]
