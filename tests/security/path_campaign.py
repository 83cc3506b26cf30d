"""Every file tool is asked for every way out, through our own files and through an editor's.

    python -m tests.security.path_campaign [ROUNDS]

An editor here does whatever it is asked, so that only our own checks are left. The races swap a
folder for a link, and a file for a link, while the tools work on them.
"""

import asyncio
import ctypes
import os
import sys
import tempfile
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from parley.coder.errors import ToolError
from parley.coder.tools.bash import Bash
from parley.coder.tools.edit_file import EditFile
from parley.coder.tools.glob import Glob
from parley.coder.tools.grep import Grep
from parley.coder.tools.list_files import ListFiles
from parley.coder.tools.read_file import ReadFile
from parley.coder.tools.tool import Desk, Tool
from parley.coder.tools.write_file import WriteFile
from parley.coder.workspace.workspace import Workspace
from parley.errors import ResourceNotFound
from tests.coder.tools.witness import Witness, call
from tests.security.campaign import Result, table
from tests.security.ways_out import REFUSED, SECRET, SEEMING, Field

ROUNDS = 10_000
_SECONDS = 20.0
_AT_CWD, _EXCHANGE = -100, 2
_PAUSE = 0.0002
_EDITS = [{"old_text": "top secret", "new_text": "overwritten"}]


class Case(Struct, frozen=True):
    """One tool with what it needs beside the path."""

    tool: Tool
    more: dict[str, Any]
    where: str = "path"
    """The argument that takes the path."""

    @property
    def name(self) -> str:
        return self.tool.spec.name

    def arguments(self, path: str) -> dict[str, Any]:
        return {self.where: path, **self.more}


FILES = (
    Case(ReadFile(), {}),
    Case(WriteFile(), {"content": "overwritten"}),
    Case(EditFile(), {"edits": _EDITS}),
)
FOLDERS = (
    Case(ListFiles(), {}),
    Case(Glob(), {"pattern": "*"}),
    Case(Grep(), {"pattern": "secret"}),
    # The command is harmless wherever it runs.
    Case(Bash(), {"command": "cat secret file"}, "cwd"),
)
CASES = (*FILES, *FOLDERS)
CONFINED = CASES[:-1]
"""Without the shell, which the system confines and not the path."""


class Obliging:
    """An editor that reads and writes what it is asked to, in the folder of the campaign."""

    can_read = True
    can_write = True

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def read(
        self, session_id: str, path: str, *, line: int | None = None, limit: int | None = None
    ) -> str:
        if not Path(path).is_relative_to(self._folder):
            return SECRET
        found = _content(path)
        if found is None:
            raise ResourceNotFound
        return found

    async def write(self, session_id: str, path: str, content: str) -> None:
        if Path(path).is_relative_to(self._folder):
            _overwrite(path, content)


def _content(path: str) -> str | None:
    try:
        return Path(path).read_text()
    except OSError:
        return None


def _overwrite(path: str, content: str) -> None:
    with suppress(OSError):
        Path(path).write_text(content)


def refused_ways(case: Case, field: Field, *, editor: bool = False) -> list[str]:
    """What goes wrong when a tool is asked for every path that must be refused."""
    before, names = field.outside(), field.names()
    failures: list[str] = []
    for path in REFUSED:
        made, told = _told(case, _desk(field, editor=editor), field.spelled(path))
        if made:
            failures.append(f"{case.name} took {path!r}")
        elif SECRET in told:
            failures.append(f"{case.name} tells the secret by {path!r}")
    if field.outside() != before or field.names() != names:
        failures.append(f"{case.name} changed something outside or in the workspace")
    return failures


def seeming_ways(case: Case, folder: Path, *, editor: bool = False) -> list[str]:
    """What goes wrong with names that only look like ways out."""
    field = Field(folder)
    before = field.outside()
    failures = [
        f"{case.name} tells the secret by {path!r}"
        for path in SEEMING
        if SECRET in _told(case, _desk(field, editor=editor), field.spelled(path))[1]
    ]
    if field.outside() != before:
        failures.append(f"{case.name} changed something outside")
    return failures


def races(case: Case, folder: Path, rounds: int) -> tuple[list[str], int]:
    """What goes wrong while links are swapped in, and how many calls did their work."""
    folders = case in FOLDERS
    # The link leads to a folder or a file that has just the name and the text that is asked for.
    for name in ("inside", "outside"):
        (folder / name / "deep").mkdir(parents=True)
        (folder / name / "deep" / "file").write_text(f"top secret {name}\n")
    root = folder / "ws"
    root.mkdir()
    (root / "work").symlink_to("../outside")
    (folder / "inside").rename(root / "other")
    asked = "work/deep" if folders else "work/deep/file"
    desk = Desk("s", Workspace((str(root),)))
    failures: list[str] = []
    done = 0

    async def one() -> bool:
        # What the model has seen is not the subject, so it has seen everything.
        with suppress(ToolError):
            await call(ReadFile(), desk, {"path": "work/deep/file"})
        ready = await case.tool.prepare(case.arguments(asked), desk)
        told = (await ready.run(Witness())).text
        if "outside" in told:
            failures.append(f"{case.name} told what is outside")
        return True

    async def play() -> None:
        nonlocal done
        for _ in range(rounds):
            with suppress(ToolError):
                done += await asyncio.wait_for(one(), _SECONDS)

    with _swapping(root / "work", root / "other"):
        asyncio.run(play())
    if (folder / "outside/deep/file").read_text() != "top secret outside\n":
        failures.append(f"{case.name} changed a file outside")
    if sorted(os.listdir(folder / "outside/deep")) != ["file"]:
        failures.append(f"{case.name} made something outside")
    return failures, done


@contextmanager
def _swapping(one: Path, other: Path) -> Generator[None]:
    """Two names that change places all the time: a folder, and a link that leads out."""
    over = threading.Event()
    libc = ctypes.CDLL(None, use_errno=True)
    here, there = map(os.fsencode, (one, other))

    def swap() -> None:
        while not over.is_set():
            # In one step: there is no moment at which one of the names is missing.
            assert libc.renameat2(_AT_CWD, here, _AT_CWD, there, ctypes.c_uint(_EXCHANGE)) == 0
            # The others get their chance to find a folder there.
            over.wait(_PAUSE)

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        yield
    finally:
        over.set()
        swapping.join(_SECONDS)


def _desk(field: Field, *, editor: bool) -> Desk:
    files = Obliging(field.base) if editor else None
    desk = Desk("s", Workspace((str(field.root), str(field.more)), files=files))
    # Not even a file that the model has seen in another way may be reached.
    desk.seen.update({f"{field.out}/secret": "x", f"{field.root}/hard": "x"})
    return desk


def _told(case: Case, desk: Desk, path: str) -> tuple[bool, str]:
    """Whether a call was made, and what was told of it."""

    async def made() -> str:
        async with asyncio.timeout(_SECONDS):
            return (await call(case.tool, desk, case.arguments(path))).text

    try:
        return True, asyncio.run(made())
    except ToolError as error:
        return False, str(error)


def campaign(rounds: int = ROUNDS) -> Iterator[Result]:
    """Both rows: the paths, and the races."""
    failures: list[str] = []
    with tempfile.TemporaryDirectory(prefix="paths-") as base:
        folder = Path(os.path.realpath(base))
        field = Field(folder / "refused")
        for editor in (False, True):
            for case in FILES if editor else CASES:
                failures += refused_ways(case, field, editor=editor)
                failures += seeming_ways(case, folder / f"{case.name}-{editor}", editor=editor)
        paths = len({*REFUSED, *SEEMING})
        calls = paths * (len(CASES) + len(FILES))
        yield Result(
            "path escapes against every file tool",
            paths,
            200,
            tuple(failures),
            f"{len(CASES)} tools, our files and an editor's: {calls} calls",
        )
        racing: list[str] = []
        done = 0
        each = -(-rounds // len(CASES))
        for case in CASES:
            found, worked = races(case, folder / f"race-{case.name}", each)
            racing += found
            done += worked
        how = f"{len(CASES)} tools, links swapped in while they run; {done} calls met a folder"
        yield Result("path races", each * len(CASES), rounds, tuple(racing), how)


if __name__ == "__main__":
    rows = list(campaign(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS))
    sys.stdout.write("\n".join(table(rows)) + "\n")
    sys.exit(not all(row.holds for row in rows))
