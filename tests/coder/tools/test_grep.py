"""Searching files: the same answers with ripgrep and without it."""

import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from parley.coder.permission.access import ReadsPath
from parley.coder.tools import search_program
from parley.coder.tools.grep import Grep
from tests.coder.tools.file_desk import answer, desk_on, prepared, refusal

RIPGREP = os.path.join(os.path.dirname(sys.executable), "rg")
BOTH = pytest.mark.parametrize(
    "tool",
    [
        pytest.param(Grep(lambda workspace, path: RIPGREP), id="ripgrep"),
        pytest.param(Grep(lambda workspace, path: None), id="python"),
    ],
)
FILES = {
    "app.py": "import os\n\ndef main():\n    return os.getcwd()\n",
    "src/win.py": "def one():\r\n    pass\r\n\r\ndef two():\r\n    pass\r\n",
    "src/view.ts": "export function Main() {}\n",
    "src/deep/test_x.py": "def test_main():\n    assert True\n",
    "notes.md": "Main entry: main()\ngrüße, naïve café\n",
    ".hidden/secret.py": "def main(): pass\n",
    ".env": "main=1\n",
    "build/out.py": "def main(): built\n",
    "debug.log": "main\n",
    "keep.log": "main kept\n",
    "sub/.gitignore": "/only_here.py\n",
    "sub/only_here.py": "main\n",
    "sub/deep/only_here.py": "main deep\n",
    "vendor/lib.py": "def main(): vendored\n",
    ".gitignore": "build/\n*.log\n!keep.log\n",
    ".ignore": "vendor/\n",
}


def _tree(root: Path) -> None:
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())
    (root / "utf16.txt").write_bytes("\ufeffmain in sixteen\n".encode("utf-16-le"))
    (root / "binary").write_bytes(b"main\0\0\0")
    (root / "link.py").symlink_to("app.py")
    (root / "way").symlink_to("/etc")
    (root / "linked").write_text("main linked\n")
    os.link(root / "linked", root / "linked too")


BATTERY: list[tuple[dict[str, Any], str]] = [
    (
        {"pattern": r"\bmain\b"},
        "app.py\n3:def main():\n\nkeep.log\n1:main kept\n\nnotes.md\n1:Main entry: main()\n\n"
        "sub/deep/only_here.py\n1:main deep\n\nutf16.txt\n1:main in sixteen",
    ),
    (
        {"pattern": "main", "case_insensitive": True, "output": "files"},
        "app.py\nkeep.log\nnotes.md\nsrc/deep/test_x.py\nsrc/view.ts\nsub/deep/only_here.py\n"
        "utf16.txt",
    ),
    ({"pattern": "def ", "output": "count"}, "app.py: 1\nsrc/deep/test_x.py: 1\nsrc/win.py: 2"),
    ({"pattern": r"pass$", "path": "src"}, "src/win.py\n2:    pass\n5:    pass"),
    (
        {"pattern": "def", "path": "src/win.py", "limit": 1},
        "src/win.py\n1:def one():\n\n"
        "(1 of 2 matching lines in 1 files; raise `limit` or narrow the search)",
    ),
    (
        {"pattern": "two", "path": "src/win.py", "context": 1},
        "src/win.py\n3-\n4:def two():\n5-    pass",
    ),
    (
        {"pattern": "def (one|two)", "context": "1", "glob": "*.py"},
        "src/win.py\n1:def one():\n2-    pass\n3-\n4:def two():\n5-    pass",
    ),
    ({"pattern": "main", "glob": "src/**", "output": "files"}, "src/deep/test_x.py"),
    ({"pattern": "Main", "glob": "*.{ts,md}", "output": "files"}, "notes.md\nsrc/view.ts"),
    ({"pattern": "main", "glob": "!*.py", "output": "files"}, "keep.log\nnotes.md\nutf16.txt"),
    ({"pattern": "main", "glob": "src/", "output": "files"}, "src/deep/test_x.py"),
    ({"pattern": "main", "glob": "*.log", "output": "files"}, "debug.log\nkeep.log"),
    ({"pattern": "main", "glob": ".env"}, ".env\n1:main=1"),
    ({"pattern": "main", "path": ".hidden"}, ".hidden/secret.py\n1:def main(): pass"),
    ({"pattern": "main", "path": ".env"}, ".env\n1:main=1"),
    ({"pattern": "main", "path": "sub"}, "sub/deep/only_here.py\n1:main deep"),
    ({"pattern": "gr.ße.*café"}, "notes.md\n2:grüße, naïve café"),
    ({"pattern": r"os\.getcwd\(\)", "output": "files"}, "app.py"),
    ({"pattern": "linked"}, "No matches found"),
    ({"pattern": "--files"}, "No matches found"),
    ({"pattern": "nothing at all", "path": "app.py"}, "No matches found"),
]


@BOTH
@pytest.mark.parametrize(("arguments", "expected"), BATTERY)
def test_both_ways_of_searching_find_the_same(
    tool: Grep, arguments: dict[str, Any], expected: str, tmp_path: Path
) -> None:
    _tree(tmp_path)
    assert answer(tool, desk_on(tmp_path), **arguments) == expected


@BOTH
def test_a_pattern_that_is_no_expression_is_refused_with_advice(tool: Grep, tmp_path: Path) -> None:
    told = refusal(tool, desk_on(tmp_path), pattern="a(")
    assert told.startswith("`a(` is not a regular expression: ")
    assert told.endswith("\nPut a backslash before special characters that stand for themselves")


@BOTH
def test_a_search_that_is_stopped_says_so(
    tool: Grep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _tree(tmp_path)
    monkeypatch.setattr(search_program, "MOST_OUTPUT", 30)
    assert "(stopped, since there are too many matches; narrow the search)" in answer(
        tool, desk_on(tmp_path), pattern="main"
    )


def test_a_search_that_takes_too_long_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_program, "SECONDS", 0.1)
    program = tmp_path / "rg"
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o755)
    tool = Grep(lambda workspace, path: str(program))
    assert answer(tool, desk_on(tmp_path), pattern="main") == (
        "No matches found\n(stopped after 20 seconds; search a smaller folder)"
    )


def test_a_title_says_what_is_searched(tmp_path: Path) -> None:
    _tree(tmp_path)
    desk = desk_on(tmp_path)
    assert prepared(Grep(), desk, pattern="a\x1bb").title == "Search for a\\u001bb"
    ready = prepared(Grep(), desk, pattern="main", path="src", glob="*.py")
    assert ready.title == "Search for main in src (*.py)"
    assert ready.access == (ReadsPath(f"{tmp_path}/src"),)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"pattern": "a\nb"}, "one line at a time"),
        ({"pattern": r"a\nb"}, "one line at a time"),
        ({"pattern": "a\0b"}, "NUL"),
        ({"pattern": "a", "glob": "a\0b"}, "NUL"),
        ({"pattern": "a", "path": "none"}, "does not exist"),
        ({"pattern": "a", "path": "pipe"}, "not a regular file"),
        ({"pattern": "a", "output": "all"}, "must be one of"),
        ({"pattern": "a", "context": 21}, "at most 20"),
        ({"pattern": "a", "case_sensitive": True}, "did you mean `case_insensitive`"),
    ],
)
def test_what_cannot_be_searched_is_refused(
    arguments: dict[str, Any], why: str, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert why in refusal(Grep(), desk_on(tmp_path), **arguments)


def test_a_file_that_vanished_meanwhile_is_not_shown(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "rg"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nprintf './gone\\0001:main\\n./file\\0001:main\\n'\n")
    program.chmod(0o755)
    root = tmp_path / "root"
    root.mkdir()
    (root / "file").write_text("main")
    tool = Grep(lambda workspace, path: str(program))
    assert answer(tool, desk_on(root), pattern="main") == "file\n1:main"


def test_a_tree_of_thousands_of_files_is_searched_quickly(tmp_path: Path) -> None:
    for number in range(2000):
        folder = tmp_path / f"{number % 20}"
        folder.mkdir(exist_ok=True)
        (folder / f"{number}.py").write_text(f"value = {number}\n")
    desk = desk_on(tmp_path)
    tool = Grep(lambda workspace, path: RIPGREP)
    before = time.monotonic()
    assert "value = 1234" in answer(tool, desk, pattern="1234$")
    # Far above what it takes, so that a busy machine does not matter.
    assert time.monotonic() - before < 5
