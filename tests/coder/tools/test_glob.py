"""Files are found by their names, those that were changed last first."""

import os
from pathlib import Path

import pytest

from parley.coder.permission.access import ReadsPath
from parley.coder.tools import glob
from parley.coder.tools.glob import Glob
from tests.coder.tools.file_desk import answer, desk_on, prepared, refusal


def _tree(root: Path) -> None:
    paths = ("a.py", "src/b.py", "src/deep/c.py", "src/d.ts", ".github/e.yml", "out/f.py")
    for age, path in enumerate(paths):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("")
        os.utime(root / path, (1000 + age, 1000 + age))
    (root / ".gitignore").write_text("out/\n")
    (root / "link.py").symlink_to("a.py")


@pytest.mark.parametrize(
    ("pattern", "path", "found"),
    [
        ("*.py", None, ["src/deep/c.py", "src/b.py", "a.py"]),
        ("src/*.py", None, ["src/b.py"]),
        ("**/*.{ts,py}", "src", ["src/d.ts", "src/deep/c.py", "src/b.py"]),
        ("{root}/src/**/c.py", None, ["src/deep/c.py"]),
        ("*.yml", None, ["No files found"]),
        (".github/**", None, [".github/e.yml"]),
        ("out/*", None, ["No files found"]),
    ],
)
def test_files_are_found_newest_first(
    pattern: str, path: str | None, found: list[str], tmp_path: Path
) -> None:
    _tree(tmp_path)
    wanted = pattern.replace("{root}", str(tmp_path))
    text = answer(Glob(), desk_on(tmp_path), pattern=wanted, path=path)
    assert text.splitlines() == found


def test_a_title_says_what_is_looked_for_and_where(tmp_path: Path) -> None:
    _tree(tmp_path)
    desk = desk_on(tmp_path)
    assert prepared(Glob(), desk, pattern="*.py").title == "Find *.py"
    ready = prepared(Glob(), desk, pattern="*.py", path="src")
    assert (ready.title, ready.access) == ("Find *.py in src", (ReadsPath(f"{tmp_path}/src"),))


def test_a_pattern_that_leads_out_is_refused(tmp_path: Path) -> None:
    _tree(tmp_path)
    desk = desk_on(tmp_path)
    assert "cannot contain `..`" in refusal(Glob(), desk, pattern="../*")
    assert "is outside of `.`" in refusal(Glob(), desk, pattern="/etc/*")
    assert "is outside of `src`" in refusal(Glob(), desk, pattern=f"{tmp_path}/a.py", path="src")
    assert "is not a folder" in refusal(Glob(), desk, pattern="*", path="a.py")


def test_many_files_and_slow_searches_are_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _tree(tmp_path)
    desk = desk_on(tmp_path)
    monkeypatch.setattr(glob, "MOST_FILES", 2)
    assert answer(Glob(), desk, pattern="*.py").splitlines()[2:] == [
        "(2 of 3 files; use a narrower pattern)"
    ]
    monkeypatch.setattr(glob, "_SECONDS", -1.0)
    assert "stopped after -1 seconds" in answer(Glob(), desk, pattern="*.py")


def test_a_file_of_another_root_is_named_whole(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "x").write_text("")
    desk = desk_on(tmp_path / "one", tmp_path / "two")
    assert answer(Glob(), desk, pattern="*", path=f"{tmp_path}/two") == f"{tmp_path}/two/x"
