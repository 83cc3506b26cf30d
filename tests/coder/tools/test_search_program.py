"""The program that searches is none of the workspace, and its output and time are bounded."""

import asyncio
import os
import sys
import time
from pathlib import Path

import pytest

from parley.coder.tools import search_program
from parley.coder.tools.search_lines import Search
from parley.coder.tools.search_program import Printed, ripgrep, searched
from parley.coder.workspace.workspace import Workspace

BESIDE_PYTHON = os.path.join(os.path.dirname(sys.executable), "rg")


def _program(folder: Path, text: str = "#!/bin/sh\n") -> str:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "rg").write_text(text)
    (folder / "rg").chmod(0o755)
    return f"{folder}/rg"


def _searched(root: Path, program: str | None, path: str = ".", pattern: str = "x") -> Printed:
    workspace = Workspace((str(root),))
    search = Search(workspace.place(path), pattern, single=path != ".")
    return asyncio.run(asyncio.wait_for(searched(workspace, search, program), 30))


def test_ripgrep_is_taken_from_the_path(tmp_path: Path) -> None:
    program = _program(tmp_path / "bin")
    workspace = Workspace((f"{tmp_path}/root",))
    assert ripgrep(workspace, f"relative:{tmp_path}/none:{tmp_path}/bin") == program


def test_ripgrep_beside_our_python_comes_last(tmp_path: Path) -> None:
    assert ripgrep(Workspace((str(tmp_path),)), "") == BESIDE_PYTHON


def test_no_program_of_the_workspace_is_ever_run(tmp_path: Path) -> None:
    root = tmp_path / "root"
    _program(root / "bin")
    (tmp_path / "link").symlink_to(root / "bin")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "rg").symlink_to(root / "bin" / "rg")
    (root / "out").symlink_to(tmp_path / "elsewhere")
    _program(tmp_path / "elsewhere")
    path = f".:{root}/bin:{tmp_path}/link:{tmp_path}/bin:{root}/out:bin"
    assert ripgrep(Workspace((str(root),)), path) == BESIDE_PYTHON
    above = Workspace((os.path.dirname(os.path.dirname(sys.executable)),))
    assert ripgrep(above, "") is None


def test_the_program_gets_no_environment_and_works_in_the_folder(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    script = "#!/bin/sh\nls\n/usr/bin/env >&2\nexit 7\n"
    printed = _searched(root, _program(tmp_path / "bin", script))
    assert (printed.output, printed.status, printed.late) == (b"sub\n", 7, False)
    assert "HOME" not in printed.complaint


def test_a_file_is_given_to_the_program_as_it_was_opened(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a").write_text("content")
    printed = _searched(root, _program(tmp_path / "bin", "#!/bin/sh\ncat\n"), "a")
    assert printed == Printed(b"content", "", 0)


def test_a_program_that_prints_without_end_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_program, "MOST_OUTPUT", 100_000)
    root = tmp_path / "root"
    root.mkdir()
    printed = _searched(root, _program(tmp_path / "bin", "#!/bin/sh\nexec yes\n"))
    assert 100_000 < len(printed.output) < 300_000
    assert (printed.status, printed.late) == (None, False)


def test_a_program_that_takes_too_long_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_program, "SECONDS", 1.0)
    root = tmp_path / "root"
    root.mkdir()
    printed = _searched(
        root, _program(tmp_path / "bin", f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 60\n")
    )
    assert (printed.status, printed.late) == (None, True)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_an_expression_that_never_ends_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_program, "SECONDS", 1.0)
    (tmp_path / "a").write_text("a" * 60)
    before = time.monotonic()
    printed = _searched(tmp_path, None, pattern="(a|a)*(a|a)*(a|a)*b")
    assert printed.late
    assert time.monotonic() - before < 10


def test_cancelling_a_search_ends_the_program(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    os.mkfifo(tmp_path / "started")
    script = f"#!/bin/sh\necho $$ > {tmp_path}/started\nexec sleep 60\n"
    program = _program(tmp_path / "bin", script)
    workspace = Workspace((str(root),))

    async def scenario() -> int:
        async with asyncio.timeout(5), asyncio.TaskGroup() as group:
            search = Search(workspace.place("."), "x")
            running = group.create_task(searched(workspace, search, program))
            number = await asyncio.to_thread((tmp_path / "started").read_text)
            running.cancel()
        return int(number)

    number = asyncio.run(scenario())
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)


def test_without_a_name_for_an_open_folder_its_path_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)

    def never(path: str) -> bool:
        return False

    monkeypatch.setattr(os.path, "exists", never)
    assert _searched(root, _program(tmp_path / "bin", "#!/bin/sh\nls\n")).output == b"sub\n"
