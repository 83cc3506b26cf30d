"""No file tool leaves the workspace, whichever way it is asked to."""

import asyncio
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from parley.coder.errors import ToolError
from parley.coder.tools.edit_file import EditFile
from parley.coder.tools.glob import Glob
from parley.coder.tools.grep import Grep
from parley.coder.tools.list_files import ListFiles
from parley.coder.tools.read_file import ReadFile
from parley.coder.tools.tool import Desk, Tool
from parley.coder.tools.write_file import WriteFile
from tests.coder.tools.file_desk import desk_on
from tests.coder.tools.witness import Witness, call

SECRET = "top secret of somebody else"
TOOLS: list[tuple[Tool, dict[str, Any]]] = [
    (ReadFile(), {}),
    (ListFiles(), {}),
    (Glob(), {"pattern": "*"}),
    (Grep(), {"pattern": "secret"}),
    (WriteFile(), {"content": "overwritten"}),
    (EditFile(), {"edits": [{"old_text": "top secret", "new_text": "overwritten"}]}),
]
EVERY_TOOL = pytest.mark.parametrize(
    ("tool", "more"), [pytest.param(*each, id=each[0].spec.name) for each in TOOLS]
)

# What lies in the workspace to lead out of it; `{out}` is the folder beside it.
LINKS = {
    "file": "../out/secret",
    "absolute": "{out}/secret",
    "folder": "../out",
    "absolute_folder": "{out}",
    "deep_folder": "../out/deep",
    "up": "..",
    "up_twice": "../..",
    "slash": "/",
    "etc": "/etc",
    "passwd": "/etc/passwd",
    "dangling": "../out/new",
    "dangling_absolute": "{out}/new",
    "dangling_folder": "../out/nowhere",
    "chain": "chain_2",
    "chain_2": "chain_3",
    "chain_3": "../out/secret",
    "chain_folder": "chain_up/out",
    "chain_up": "inner/../..",
    "over_inner": "inner/../../out/secret",
    "inner/link": "../../out/secret",
    "inner/folder": "../../out",
    "loop": "loop",
    "loop_1": "loop_2",
    "loop_2": "loop_1",
    "magic": "/proc/self/root",
    "magic_cwd": "/proc/self/cwd",
    "magic_fd": "/proc/self/fd",
    "null": "/dev/null",
    "zero": "/dev/zero",
    "stdin": "/dev/stdin",
    "memory": "/proc/self/mem",
    "environment": "/proc/self/environ",
    "prefix": "../ws-evil/secret",
    "prefix_folder": "../ws2",
}
# Every path is refused by every tool.
PATHS = [
    *LINKS,
    "folder/secret",
    "folder/deep/secret",
    "folder/new",
    "folder/new/deeper",
    "folder/../out/secret",
    "deep_folder/../secret",
    "absolute_folder/secret",
    "up/out/secret",
    "up_twice/etc",
    "up/ws-evil/secret",
    "slash/etc/passwd",
    "slash/proc/self/environ",
    "etc/passwd",
    "chain_folder/secret",
    "chain_up/../out/secret",
    "dangling_folder/new",
    "dangling_folder/deep/new",
    "inner/folder/secret",
    "inner/../folder/secret",
    "magic/etc/passwd",
    "magic_cwd/secret",
    "..",
    "../out/secret",
    "../out/new",
    "inner/../../out/secret",
    "./inner/./../../out/deep/secret",
    "../../../../../../../../etc/passwd",
    "inner/missing/../../../out/secret",
    "../ws-evil/secret",
    "../ws2/secret",
    "../ws-evil",
    "{ws}-evil/secret",
    "{ws}2/secret",
    "{ws}/../out/secret",
    "{out}",
    "{out}/secret",
    "{out}/new",
    "//etc/passwd",
    "/",
    "/etc",
    "/etc/passwd",
    "/etc/../etc/passwd",
    "/proc/self/{top}/etc/passwd",
    "/proc/self/root{ws}/inside",
    "/proc/self/cwd/secret",
    "/proc/self/environ",
    "/proc/{pid}/environ",
    "/proc/thread-self/{top}/etc/passwd",
    "/dev/stdin",
    "/dev/fd/0",
    "/dev/zero",
    "~/.ssh/id_rsa/../../../../out/secret",
    "inside\0/../../out/secret",
    "\0",
    "a" * 5000,
    "a/" * 4000,
    "n" * 300,
    "hard",
    "inner/hard",
    "pipe",
    "socket",
    "inside/below",
]


def _made(folder: Path) -> tuple[Path, Path]:
    """A workspace with every trap in it, and what lies beside it."""
    root, out = folder / "ws", folder / "out"
    for each in (root / "inner", out / "deep", folder / "ws-evil", folder / "ws2"):
        each.mkdir(parents=True)
    for each in (
        out / "secret",
        out / "deep/secret",
        folder / "ws-evil/secret",
        folder / "ws2/secret",
    ):
        each.write_text(SECRET)
    (root / "inside").write_text("inside")
    for name, target in LINKS.items():
        (root / name).symlink_to(target.replace("{out}", str(out)))
    os.link(out / "secret", root / "hard")
    os.link(out / "deep/secret", root / "inner/hard")
    os.mkfifo(root / "pipe")
    here = os.getcwd()
    os.chdir(root)  # A socket's path must be short.
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("socket")
    finally:
        os.chdir(here)
    return root, out


def _everything(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text() if path.is_file() else "folder"
        for name in ("out", "ws-evil", "ws2")
        for path in sorted((folder / name).rglob("*"))
    }


def _told(tool: Tool, desk: Desk, arguments: dict[str, Any]) -> tuple[bool, str]:
    """Whether a call was made, and what was told of it."""
    try:
        return True, asyncio.run(asyncio.wait_for(call(tool, desk, arguments), 5)).text
    except ToolError as error:
        return False, str(error)


def test_there_are_enough_ways_out() -> None:
    assert len(set(PATHS)) == len(PATHS) >= 90


@pytest.fixture(scope="module")
def traps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One tree for all cases: no case changes it, which each of them checks."""
    folder = tmp_path_factory.mktemp("traps")
    _made(folder)
    return folder


@EVERY_TOOL
@pytest.mark.parametrize("path", PATHS, ids=range(len(PATHS)))
def test_every_tool_refuses_every_way_out(
    tool: Tool, more: dict[str, Any], path: str, traps: Path
) -> None:
    root, out = traps / "ws", traps / "out"
    desk = desk_on(root)
    # Not even a file that the model has seen in another way may be reached.
    desk.seen.update({f"{out}/secret": "x", f"{root}/hard": "x"})
    asked = path.replace("{ws}", str(root)).replace("{out}", str(out))
    asked = asked.replace("{pid}", str(os.getpid())).replace("{top}", "root")
    before, names = _everything(traps), sorted(os.listdir(root))
    made, told = _told(tool, desk, {"path": asked, **more})
    assert not made
    assert SECRET not in told
    assert _everything(traps) == before
    assert sorted(os.listdir(root)) == names


@EVERY_TOOL
def test_a_link_put_in_after_the_permission_leads_nowhere(
    tool: Tool, more: dict[str, Any], tmp_path: Path
) -> None:
    root, out = _made(tmp_path)
    (root / "work" / "deep").mkdir(parents=True)
    (root / "work" / "deep" / "secret").write_text("top secret of mine")
    desk = desk_on(root)
    folders = tool.spec.name in ("list_files", "glob", "grep")
    arguments = {"path": "work/deep" if folders else "work/deep/secret", **more}

    async def scenario() -> str:
        await call(ReadFile(), desk, {"path": "work/deep/secret"})
        ready = await tool.prepare(arguments, desk)
        os.rename(root / "work", root / "moved")
        (root / "work").symlink_to(out)
        return (await ready.run(Witness())).text

    before = _everything(tmp_path)
    try:
        told = asyncio.run(scenario())
    except ToolError as error:
        told = str(error)
    assert "somebody else" not in told
    assert "secret" not in told.replace("work/deep/secret", "").replace("top secret of mine", "")
    assert _everything(tmp_path) == before


@EVERY_TOOL
def test_no_tool_follows_links_that_it_comes_upon(
    tool: Tool, more: dict[str, Any], tmp_path: Path
) -> None:
    root, _ = _made(tmp_path)
    _, told = _told(tool, desk_on(root), {"path": ".", **more})
    assert SECRET not in told
    assert "deep/secret" not in told


@pytest.mark.parametrize("glob", ["../out/*", "folder/*", "folder/**", "hard", "/etc/*"])
def test_no_glob_of_a_search_leads_out(glob: str, tmp_path: Path) -> None:
    root, _ = _made(tmp_path)
    for tool in (Grep(), Grep(lambda workspace, path: None)):
        made, told = _told(tool, desk_on(root), {"pattern": "secret", "glob": glob})
        assert not made or told == "No matches found"
