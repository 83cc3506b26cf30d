"""A folder is shown as a tree, near things first, without what is ignored."""

import os
from pathlib import Path

import pytest

from parley.coder.permission.access import ReadsPath
from parley.coder.tools import list_files
from parley.coder.tools.list_files import ListFiles
from parley.session.content import Location
from tests.coder.tools.file_desk import answer, desk_on, prepared, refusal


def _tree(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("")


def test_a_folder_is_shown_as_a_tree(tmp_path: Path) -> None:
    _tree(tmp_path, "src/app.py", "src/deep/er/x", ".env", "a\x1bb", "out/y", ".git/config")
    (tmp_path / ".gitignore").write_text("out/\n")
    (tmp_path / "link").symlink_to("/etc")
    os.mkfifo(tmp_path / "pipe")
    desk = desk_on(tmp_path)
    assert answer(ListFiles(), desk) == (
        "./\n  .env\n  .gitignore\n  a\\u001bb\n  link (link)\n  pipe (not a regular file)\n"
        "  src/\n    app.py\n    deep/"
    )
    assert answer(ListFiles(), desk, path="src", depth=3) == (
        "src/\n  app.py\n  deep/\n    er/\n      x"
    )


def test_a_title_names_the_folder(tmp_path: Path) -> None:
    _tree(tmp_path, "src/a")
    ready = prepared(ListFiles(), desk_on(tmp_path), path="src/")
    assert (ready.title, ready.access) == ("List src", (ReadsPath(f"{tmp_path}/src"),))
    assert ready.locations == (Location(f"{tmp_path}/src"),)


def test_a_large_folder_is_cut_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_files, "MOST_ITEMS", 4)
    _tree(tmp_path, "a/1", "a/2", "a/3", "a/4", "b/1", "c")
    assert answer(ListFiles(), desk_on(tmp_path)) == (
        "./\n  a/\n    1\n    (3 more)\n  b/\n  c\n"
        "(only 4 names are shown; list a folder below for the others)"
    )


def test_a_folder_without_anything_to_show_says_so(tmp_path: Path) -> None:
    assert "is empty, or everything in it is ignored" in answer(ListFiles(), desk_on(tmp_path))


def test_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    _tree(tmp_path, "file")
    desk = desk_on(tmp_path)
    assert "is not a folder; use `read_file`" in refusal(ListFiles(), desk, path="file")
    assert "does not exist" in refusal(ListFiles(), desk, path="none")
    assert "at most 20" in refusal(ListFiles(), desk, depth=21)
