"""Writing a whole file: new ones at once, others only when the model knows them."""

import os
from pathlib import Path

from parley.coder.permission.access import WritesPath
from parley.coder.tools.write_file import MOST_CHARACTERS, WriteFile
from parley.session.content import DiffItem, FileChange, Location
from tests.coder.tools.file_desk import answer, desk_on, prepared, ran, refusal, seen


def test_a_new_file_is_shown_before_it_is_made(tmp_path: Path) -> None:
    desk = desk_on(tmp_path)
    path = f"{tmp_path}/src/new.py"
    ready = prepared(WriteFile(), desk, path="src/new.py", content="one\ntwo\n")
    assert ready.title == "Create src/new.py"
    assert ready.access == (WritesPath(path),)
    assert ready.locations == (Location(path),)
    assert ready.preview == (DiffItem((FileChange("add", path, new_text="one\ntwo\n"),)),)
    assert not os.listdir(tmp_path)
    assert ran(ready).text == "Made `src/new.py` (2 lines)"
    assert Path(path).read_bytes() == b"one\ntwo\n"
    assert answer(WriteFile(), desk, path="src/new.py", content="x") == (
        "Replaced `src/new.py` (1 line)"
    )


def test_a_new_file_has_the_line_ends_it_was_given(tmp_path: Path) -> None:
    answer(WriteFile(), desk_on(tmp_path), path="a.bat", content="one\r\n")
    assert (tmp_path / "a.bat").read_bytes() == b"one\r\n"


def test_a_file_that_was_not_read_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    desk = desk_on(tmp_path)
    assert refusal(WriteFile(), desk, path="a", content="new") == (
        "`a` has not been read yet; use `read_file` first"
    )
    seen(desk, "a")
    (tmp_path / "a").write_text("changed")
    assert refusal(WriteFile(), desk, path="a", content="new") == (
        "`a` has changed since you read it; read it again"
    )
    assert (tmp_path / "a").read_text() == "changed"


def test_a_file_keeps_its_mode_its_line_ends_and_its_encoding(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_bytes("ä\r\n".encode("latin-1"))
    (tmp_path / "a.sh").chmod(0o750)
    desk = desk_on(tmp_path)
    seen(desk, "a.sh")
    ready = prepared(WriteFile(), desk, path="a.sh", content="ö\r\nü\n")
    assert ready.title == "Overwrite a.sh"
    assert ready.preview == (
        DiffItem(
            (FileChange("modify", f"{tmp_path}/a.sh", old_text="ä\n", new_text="ö\nü\n"),),
        ),
    )
    ran(ready)
    assert (tmp_path / "a.sh").read_bytes() == "ö\r\nü\r\n".encode("latin-1")
    assert (tmp_path / "a.sh").stat().st_mode & 0o777 == 0o750


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    desk = desk_on(tmp_path)
    assert "not a regular file" in refusal(WriteFile(), desk, path="folder", content="x")
    assert "not a regular file" in refusal(WriteFile(), desk, path=".", content="x")
    assert "not a folder" in refusal(WriteFile(), desk, path="file/x", content="x")
    long = "x" * (MOST_CHARACTERS + 1)
    assert "write less" in refusal(WriteFile(), desk, path="a", content=long)
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]
