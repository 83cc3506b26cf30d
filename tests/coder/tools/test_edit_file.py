"""Editing a file: several places at once, all or none, and only as it was read."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.coder.errors import ToolError
from parley.coder.permission.access import WritesPath
from parley.coder.tools.edit_file import EditFile
from parley.coder.tools.tool import Desk
from parley.coder.workspace.text import opened
from parley.coder.workspace.workspace import Workspace
from parley.session.content import DiffItem, FileChange, Location
from tests.coder.tools.file_desk import answer, desk_on, prepared, ran, refusal, seen
from tests.coder.tools.witness import call
from tests.coder.workspace.editor import Editor

TEXT = "def f():\n    x = 1\n    return x\n\n\ndef g():\n    return 2\n"


def _desk(tmp_path: Path, text: str = TEXT) -> Desk:
    (tmp_path / "a.py").write_text(text)
    desk = desk_on(tmp_path)
    seen(desk, "a.py")
    return desk


def _edit(old: str, new: str, **more: Any) -> dict[str, Any]:
    return {"old_text": old, "new_text": new, **more}


def test_an_edit_is_shown_before_it_is_made(tmp_path: Path) -> None:
    desk = _desk(tmp_path)
    path = f"{tmp_path}/a.py"
    ready = prepared(
        EditFile(), desk, path="a.py", edits=[_edit("x = 1", "x = 3"), _edit("return 2", "pass")]
    )
    changed = TEXT.replace("x = 1", "x = 3").replace("return 2", "pass")
    assert ready.title == "Edit a.py"
    assert ready.access == (WritesPath(path),)
    assert ready.locations == (Location(path, 2), Location(path, 7))
    assert ready.preview == (
        DiffItem((FileChange("modify", path, old_text=TEXT, new_text=changed),)),
    )
    assert (tmp_path / "a.py").read_text() == TEXT
    assert ran(ready).text == (
        "Edited `a.py`. It now has:\n"
        "    1\tdef f():\n    2\t    x = 3\n    3\t    return x\n    4\t\n    5\t\n"
        "    6\tdef g():\n    7\t    pass"
    )
    assert (tmp_path / "a.py").read_text() == changed
    answer(EditFile(), desk, path="a.py", edits=[_edit("pass", "return 4")])


def test_far_changes_are_shown_apart_and_tolerance_is_told(tmp_path: Path) -> None:
    lines = [f"line {number}" for number in range(1, 31)]
    desk = _desk(tmp_path, "\n".join(lines))
    edits = [_edit("line 3\n", "three\n"), _edit("  line 20\n  line 21", "  twenty")]
    assert answer(EditFile(), desk, path="a.py", edits=edits) == (
        "Edited `a.py`. It now has:\n"
        "`edits[1].old_text` matched although the indentation differs; `new_text` was indented\n"
        "    1\tline 1\n    2\tline 2\n    3\tthree\n    4\tline 4\n    5\tline 5\n"
        "   18\tline 18\n   19\tline 19\n   20\ttwenty\n   21\tline 22\n   22\tline 23"
    )


def test_a_large_change_is_shown_in_part(tmp_path: Path) -> None:
    desk = _desk(tmp_path, "a\n" * 300)
    told = answer(EditFile(), desk, path="a.py", edits=[_edit("a", "b", replace_all=True)])
    assert told.endswith("   80\tb\n(more changes are not shown)")
    assert (tmp_path / "a.py").read_text() == "b\n" * 300


def test_all_edits_are_made_or_none(tmp_path: Path) -> None:
    desk = _desk(tmp_path)
    told = refusal(
        EditFile(), desk, path="a.py", edits=[_edit("x = 1", "x = 3"), _edit("missing", "x")]
    )
    assert told.startswith("`edits[1].old_text` was not found in `a.py`\n")
    assert (tmp_path / "a.py").read_text() == TEXT


def test_a_file_must_have_been_read_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(TEXT)
    desk = desk_on(tmp_path)
    edits = [_edit("x = 1", "x = 3")]
    assert "has not been read yet" in refusal(EditFile(), desk, path="a.py", edits=edits)
    seen(desk, "a.py")
    (tmp_path / "a.py").write_text(TEXT + "# more\n")
    assert "has changed since you read it" in refusal(EditFile(), desk, path="a.py", edits=edits)
    assert "did you mean `a.py`" in refusal(EditFile(), desk, path="b.py", edits=edits)


def test_a_file_that_changed_after_it_was_shown_is_left_alone(tmp_path: Path) -> None:
    desk = _desk(tmp_path)
    ready = prepared(EditFile(), desk, path="a.py", edits=[_edit("x = 1", "x = 3")])
    (tmp_path / "a.py").write_text("other")
    with pytest.raises(ToolError, match="has changed since this change was prepared"):
        ran(ready)
    assert (tmp_path / "a.py").read_text() == "other"


def test_arguments_that_make_no_edit_are_refused(tmp_path: Path) -> None:
    desk = _desk(tmp_path)
    for edits, why in (
        ([], "a list of at least 1"),
        ([_edit("", "x")], r"`edits[0].old_text` of `edit_file` must not be empty"),
        ([_edit("x = 1", "x = 1")], "are the same"),
        ([{"old_text": "x", "new_string": "y"}], "write `new_text` instead of `new_string`"),
        ([_edit("x = 1", "y", all=True)], "has no argument `edits[0].all`"),
    ):
        assert why in refusal(EditFile(), desk, path="a.py", edits=edits)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"one\r\ntwo\r\nthree\r\n", b"one\r\nTWO\r\n2\r\nthree\r\n"),
        (b"\xef\xbb\xbfone\ntwo\nthree", b"\xef\xbb\xbfone\nTWO\n2\nthree"),
        (b"one\ntwo\r\nthree\r\n\xe4", b"one\nTWO\r\n2\r\nthree\r\n\xe4"),
        ("\ufeffone\ntwo\n".encode("utf-16-le"), "\ufeffone\nTWO\n2\n".encode("utf-16-le")),
        (b"one\rtwo\rthree\r", b"one\rTWO\r2\rthree\r"),
    ],
)
def test_line_ends_encoding_mark_and_mode_stay(before: bytes, after: bytes, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(before)
    (tmp_path / "a").chmod(0o711)
    desk = desk_on(tmp_path)
    seen(desk, "a")
    answer(EditFile(), desk, path="a", edits=[_edit("two", "TWO\r\n2")])
    assert (tmp_path / "a").read_bytes() == after
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o711


def test_a_failing_rename_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = _desk(tmp_path)

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", fail)
        told = refusal(EditFile(), desk, path="a.py", edits=[_edit("x = 1", "x = 3")])
    assert told == "`a.py` cannot be written: the disk is full"
    assert (tmp_path / "a.py").read_text() == TEXT
    assert os.listdir(tmp_path) == ["a.py"]
    answer(EditFile(), desk, path="a.py", edits=[_edit("x = 1", "x = 3")])


def test_an_unsaved_text_of_the_client_is_what_is_edited(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("saved\n")
    editor = Editor({f"{tmp_path}/a.py": "unsaved\n"})
    desk = Desk("s", Workspace((str(tmp_path),), files=editor))
    seen(desk, "a.py")
    answer(EditFile(), desk, path="a.py", edits=[_edit("unsaved", "edited")])
    assert editor.texts == {f"{tmp_path}/a.py": "edited\n"}
    assert (tmp_path / "a.py").read_text() == "saved\n"


words = st.lists(
    st.sampled_from(["alpha", "beta", "  gamma", "delta ", ""]), min_size=1, max_size=8
)


@given(words, st.integers(0, 7), st.text(alphabet="xyz \n", max_size=6), st.sampled_from("\n\r"))
def test_reading_after_an_edit_gives_the_expected_text(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], at: int, new: str, end: str
) -> None:
    folder = tmp_path_factory.mktemp("edited")
    newline = "\r\n" if end == "\r" else "\n"
    at = min(at, len(lines) - 1)
    text = "\n".join([*lines[:at], "needle", *lines[at:]])
    (folder / "a").write_bytes(text.replace("\n", newline).encode())
    expected = text.replace("needle", new)

    async def scenario() -> str:
        desk = desk_on(folder)
        file = await desk.workspace.read_text(desk.workspace.place("a"))
        desk.seen[f"{folder}/a"] = file.hash
        await call(EditFile(), desk, {"path": "a", "edits": [_edit("needle", new)]})
        after = await desk.workspace.read_text(desk.workspace.place("a"))
        assert desk.seen[f"{folder}/a"] == after.hash
        return after.text

    assert asyncio.run(scenario()) == expected
    assert opened((folder / "a").read_bytes().decode()).text == expected
